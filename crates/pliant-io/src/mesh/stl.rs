//! STL, text and binary: triangles that repeat their corners.
//!
//! Corners with the same coordinates, bit for bit, become one node. Triangles of which two corners
//! are the same have no area and are left out. Normals are passed over: the order of the corners
//! says which side is outside.

use super::cursor::{Cursor, Encoding, Scalar, shown};
use super::elements::Elements;
use super::error::Fault;
use glam::DVec3;
use pliant::mesh::ElementMesh;
use std::collections::HashMap;

/// Bytes before the triangles of a binary file: a text and the number of triangles.
const HEADER: usize = 84;
/// Bytes of a triangle: a normal, three corners and two bytes without meaning.
const TRIANGLE: usize = 50;

#[derive(Default)]
struct Weld {
    positions: Vec<DVec3>,
    indices: HashMap<[u64; 3], u32>,
    elements: Elements,
}

impl Weld {
    fn node(&mut self, position: [f64; 3]) -> u32 {
        // Adding zero turns -0 into 0, which is the same place.
        let position = position.map(|coordinate| coordinate + 0.0);
        let next = self.positions.len() as u32;
        let index = *self
            .indices
            .entry(position.map(f64::to_bits))
            .or_insert(next);
        if index == next {
            self.positions.push(position.into());
        }
        index
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<ElementMesh, Fault> {
    // A binary file may begin with "solid" too, so its length is asked first.
    if claimed_length(bytes) == Some(bytes.len() as u64) || !bytes.starts_with(b"solid") {
        read_binary(bytes)
    } else {
        read_text(bytes)
    }
}

/// The length of a binary file with the number of triangles that these bytes claim.
fn claimed_length(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEADER - 4..HEADER)?.try_into().ok()?;
    Some(HEADER as u64 + TRIANGLE as u64 * u64::from(u32::from_le_bytes(count)))
}

/// Whether the length is that of a binary file.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    claimed_length(bytes) == Some(bytes.len() as u64)
}

fn read_binary(bytes: &[u8]) -> Result<ElementMesh, Fault> {
    let mut cursor = Cursor::new(bytes, Encoding::Little);
    cursor.skip(HEADER - 4);
    let claimed = cursor.integer(Scalar::U32, "the number of triangles")?;
    let count = cursor.count(claimed, TRIANGLE, "triangles")?;
    let mut weld = Weld::default();
    for _ in 0..count {
        cursor.skip_numbers(3, Scalar::F32, "the normal of a triangle")?;
        let mut corners = [0; 3];
        for corner in &mut corners {
            *corner = weld.node(read_vertex(&mut cursor)?);
        }
        cursor.skip_numbers(2, Scalar::U8, "the end of a triangle")?;
        weld.elements.push_polygon(&corners, 0);
    }
    weld.elements.finish(weld.positions)
}

fn read_text(bytes: &[u8]) -> Result<ElementMesh, Fault> {
    let mut cursor = Cursor::new(bytes, Encoding::Text);
    let mut weld = Weld::default();
    cursor.line();
    loop {
        cursor.skip_space();
        let start = cursor.offset();
        let word = cursor.word("'facet' or 'endsolid'")?;
        match word.to_ascii_lowercase().as_slice() {
            b"facet" => read_facet(&mut cursor, &mut weld)?,
            b"endsolid" => {
                cursor.line();
                // A file may hold several solids, one after another.
                match cursor.next_word().map(<[u8]>::to_ascii_lowercase) {
                    None => break,
                    Some(word) if word == b"solid" => cursor.line(),
                    Some(word) => {
                        let found = shown(&word);
                        let end = "'solid' or the end of the file";
                        return Err(cursor.fault(cursor.offset(), end, found));
                    }
                };
            }
            _ => return Err(cursor.fault(start, "'facet' or 'endsolid'", shown(word))),
        }
    }
    weld.elements.finish(weld.positions)
}

fn read_facet(cursor: &mut Cursor, weld: &mut Weld) -> Result<(), Fault> {
    keyword(cursor, "normal")?;
    for _ in 0..3 {
        // Passed over unread: some programs write `nan` for a triangle without area.
        cursor.word("the normal of a triangle")?;
    }
    keyword(cursor, "outer")?;
    keyword(cursor, "loop")?;
    let mut corners = [0; 3];
    for corner in &mut corners {
        keyword(cursor, "vertex")?;
        *corner = weld.node(read_vertex(cursor)?);
    }
    keyword(cursor, "endloop")?;
    keyword(cursor, "endfacet")?;
    weld.elements.push_polygon(&corners, 0);
    Ok(())
}

fn keyword(cursor: &mut Cursor, keyword: &str) -> Result<(), Fault> {
    cursor.skip_space();
    let start = cursor.offset();
    let word = cursor.word(keyword)?;
    if word.eq_ignore_ascii_case(keyword.as_bytes()) {
        return Ok(());
    }
    Err(cursor.fault(start, &format!("'{keyword}'"), shown(word)))
}

fn read_vertex(cursor: &mut Cursor) -> Result<[f64; 3], Fault> {
    let mut position = [0.0; 3];
    for coordinate in &mut position {
        *coordinate = cursor.real(Scalar::F32, "a coordinate of a corner")?;
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_welded_also_across_the_sign_of_zero() {
        let text = "solid a\n\
            facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
            endloop\nendfacet\n\
            facet normal nan nan nan\nouter loop\nvertex 1 -0 0\nvertex 1 1 0\nvertex 0 1 -0\n\
            endloop\nendfacet\n\
            facet normal 0 0 1\nouter loop\nvertex 1 1 0\nvertex 1 1 0\nvertex 0 1 0\n\
            endloop\nendfacet\nendsolid a\n";
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!(mesh.positions.len(), 4);
        assert_eq!(mesh.blocks[0].nodes, [0, 1, 2, 1, 3, 2]);
    }
}
