//! Wavefront OBJ: where an image lies on the faces.

use super::cursor::{Cursor, Encoding};
use super::obj::{continued, corner, parse, part};
use pliant::frame::ImageCorners;

/// Where an image lies on the triangles of the file; none for faces without texture coordinates, and
/// for what the reader of the mesh refuses.
pub(super) fn read(bytes: &[u8]) -> ImageCorners {
    let mut cursor = Cursor::new(bytes, Encoding::Text);
    let mut vertex_count = 0;
    let mut places: Vec<[f64; 2]> = Vec::new();
    // Texture coordinates may follow the faces that name them.
    let mut triangles: Vec<([u32; 3], [u32; 3])> = Vec::new();
    while let Some(line) = cursor.line() {
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
            Some(b"v") => vertex_count += 1,
            Some(b"vt") => {
                let mut number = || {
                    let number: Option<f64> = words.next().and_then(parse);
                    number.filter(|x| x.is_finite()).unwrap_or(0.0)
                };
                places.push([number(), number()]);
            }
            Some(b"f") => {
                let words = words.take_while(|word| !word.starts_with(b"#"));
                let corners: Option<Vec<(u32, u32)>> = words
                    .map(|word| {
                        let vertex = corner(word, vertex_count)?;
                        Some((vertex, part(word, 1, places.len())?))
                    })
                    .collect();
                let Some([first, others @ ..]) = corners.as_deref() else {
                    continue;
                };
                for pair in others.windows(2) {
                    let three = [*first, pair[0], pair[1]];
                    triangles.push((three.map(|c| c.0), three.map(|c| c.1)));
                }
            }
            _ => {}
        }
    }
    let mut corners = ImageCorners::default();
    for (nodes, numbers) in triangles {
        let found = numbers.map(|number| places.get(number as usize).copied());
        if let [Some(a), Some(b), Some(c)] = found {
            corners.insert(nodes, [a, b, c]);
        }
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seam_has_two_places_for_one_vertex() {
        let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0.5 0.5 0\n\
            f 1/1 2/2 3/3/1\nf 1/4//2 3/-2 4/5\nvt 0 1\n";
        let corners = read(text);
        assert_eq!(
            corners.of([0, 1, 2]),
            Some([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
        );
        assert_eq!(
            corners.of([0, 2, 3]),
            Some([[0.5, 0.5], [1.0, 1.0], [0.0, 1.0]])
        );
    }

    #[test]
    fn faces_without_places_are_left_out() {
        for text in [
            "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n",
            "v 0 0 0\nvt 0 0\nf 1/1 2//1 3/1\n",
            "vt nan 1\nf 1/1 2/2 3/99999999999999999999\n",
            "f\nf 1/1\nvt\n",
        ] {
            assert!(read(text.as_bytes()).is_empty(), "{text}");
        }
    }
}
