//! Wavefront OBJ: the vertices and faces of a surface.
//!
//! A face of more than three corners becomes triangles around its first corner, which is right for
//! convex faces. Texture coordinates are read apart (`obj_image.rs`); normals, materials, groups, lines
//! and points are passed over.

use super::cursor::{Cursor, Encoding, shown};
use super::elements::Elements;
use super::error::Fault;
use glam::DVec3;
use pliant::mesh::ElementMesh;

pub(super) fn read(bytes: &[u8]) -> Result<ElementMesh, Fault> {
    let mut cursor = Cursor::new(bytes, Encoding::Text);
    let mut positions: Vec<DVec3> = Vec::new();
    let mut elements = Elements::default();
    // The greatest vertex named so far and where: vertices may follow the faces that name them.
    let mut greatest: Option<(u32, usize)> = None;
    loop {
        let start = cursor.offset();
        let Some(line) = cursor.line() else {
            break;
        };
        let joined;
        let mut line = line;
        if line.ends_with(b"\\") {
            joined = continued(line, &mut cursor);
            line = &joined;
        }
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => {
                let mut position = [0.0; 3];
                for coordinate in &mut position {
                    let word = words.next().unwrap_or_default();
                    *coordinate = parse(word)
                        .filter(|x: &f64| x.is_finite())
                        .ok_or_else(|| cursor.fault(start, "a coordinate", shown(word)))?;
                }
                positions.push(position.into());
            }
            Some(b"f") => {
                let mut corners = Vec::new();
                for word in words.take_while(|word| !word.starts_with(b"#")) {
                    let corner = corner(word, positions.len()).ok_or_else(|| {
                        cursor.fault(start, "the number of a vertex, from 1", shown(word))
                    })?;
                    greatest = greatest.max(Some((corner, start)));
                    corners.push(corner);
                }
                if corners.len() < 3 {
                    let found = corners.len().to_string();
                    return Err(cursor.fault(start, "three corners of a face or more", found));
                }
                elements.push_polygon(&corners, 0);
            }
            _ => {}
        }
    }
    if let Some((corner, start)) = greatest
        && corner as usize >= positions.len()
    {
        let expected = format!("one of {} vertices", positions.len());
        return Err(cursor.fault(start, &expected, (u64::from(corner) + 1).to_string()));
    }
    elements.finish(positions)
}

/// A line that goes on after a backslash at its end.
pub(super) fn continued(line: &[u8], cursor: &mut Cursor) -> Vec<u8> {
    let mut joined = line.to_vec();
    while joined.last() == Some(&b'\\') {
        joined.pop();
        joined.push(b' ');
        joined.extend_from_slice(cursor.line().unwrap_or_default());
    }
    joined
}

pub(super) fn parse<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The vertex of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative numbers count from the last
/// vertex so far.
pub(super) fn corner(word: &[u8], vertex_count: usize) -> Option<u32> {
    part(word, 0, vertex_count)
}

/// One of the parts between the strokes of a corner: an index into as many things as stand before.
pub(super) fn part(word: &[u8], which: usize, count: usize) -> Option<u32> {
    let number: i64 = parse(word.split(|&byte| byte == b'/').nth(which)?)?;
    let index = if number < 0 {
        number.checked_add(count as i64)?
    } else {
        number - 1
    };
    u32::try_from(index).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_read_in_every_form() {
        let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3//1 2/5 3/4/2 \\\n 4\nv 0 1 0 # later\n";
        let mesh = read(text).unwrap();
        assert_eq!(mesh.blocks[0].nodes, [0, 1, 2, 0, 2, 3]);
        assert_eq!(mesh.positions[3], DVec3::Y);
    }

    #[test]
    fn faults_name_their_line() {
        let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (face, line) in [
            ("f 1 2 4", 4),
            ("f 1 2", 4),
            ("f 0 1 2", 4),
            ("f -4 1 2", 4),
        ] {
            let text = format!("{vertices}{face}\n");
            let error = read(text.as_bytes()).unwrap_err().in_file("a.obj");
            let start = format!("a.obj, line {line}: ");
            assert!(error.to_string().starts_with(&start), "{error}");
        }
    }
}
