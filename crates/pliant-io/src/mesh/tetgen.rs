//! TetGen: tetrahedra in a pair of text files, `.node` and `.ele`.
//!
//! Nodes are numbered from 0 or 1, as the first node says. Attributes and boundary markers of nodes
//! are passed over. The first attribute of a tetrahedron is its region.

use super::cursor::{Cursor, Encoding, Scalar};
use super::elements::{Elements, NodeNumbers};
use super::error::Fault;
use glam::DVec3;
use pliant::mesh::{ElementKind, ElementMesh};
use std::borrow::Cow;

/// The nodes of a mesh.
pub(super) struct Nodes {
    positions: Vec<DVec3>,
    numbers: NodeNumbers,
}

/// The text with spaces in the place of comments, so that lines and offsets stay as they are.
fn without_comments(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'#') {
        return Cow::Borrowed(bytes);
    }
    let mut comment = false;
    let blank = |&byte: &u8| {
        comment = byte == b'#' || comment && byte != b'\n';
        if comment { b' ' } else { byte }
    };
    Cow::Owned(bytes.iter().map(blank).collect())
}

/// The numbers of the rest of a line, which may be left out at its end.
fn rest_of_line<'a>(cursor: &mut Cursor<'a>) -> impl Iterator<Item = &'a [u8]> {
    let line = cursor.line().unwrap_or_default();
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

pub(super) fn read_nodes(bytes: &[u8]) -> Result<Nodes, Fault> {
    let bytes = without_comments(bytes);
    let mut cursor = Cursor::new(&bytes, Encoding::Text);
    let claimed = cursor.integer_word("the number of nodes")?;
    let start = cursor.offset();
    let dimension = cursor.integer_word("the dimension 3")?;
    if dimension != 3 {
        return Err(cursor.fault(start, "the dimension 3", dimension.to_string()));
    }
    cursor.line();
    let count = cursor.count(claimed, 8, "nodes")?;
    let mut numbers = Vec::with_capacity(count);
    let mut positions = Vec::with_capacity(count);
    for _ in 0..count {
        numbers.push(cursor.integer_word("the number of a node")?);
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            *coordinate = cursor.real(Scalar::F64, "a coordinate of a node")?;
        }
        cursor.line();
        positions.push(position.into());
    }
    let numbers = NodeNumbers::new(&numbers).map_err(|number| {
        let found = format!("{number} a second time");
        cursor.fault(0, "a number of its own for each node", found)
    })?;
    Ok(Nodes { positions, numbers })
}

pub(super) fn read_elements(bytes: &[u8], nodes: Nodes) -> Result<ElementMesh, Fault> {
    let bytes = without_comments(bytes);
    let mut cursor = Cursor::new(&bytes, Encoding::Text);
    let claimed = cursor.integer_word("the number of tetrahedra")?;
    cursor.skip_space();
    let place = cursor.offset();
    let corners = cursor.integer_word("4 nodes a tetrahedron")?;
    if corners != 4 {
        return Err(Fault::Unsupported {
            place: cursor.place(place),
            what: format!("a tetrahedron of {corners} nodes"),
            hint: "tetrahedra have 4 nodes here: run TetGen without -o2",
        });
    }
    let attributes = rest_of_line(&mut cursor).next();
    let has_region = attributes.is_some_and(|count| count != b"0");
    let count = cursor.count(claimed, 10, "tetrahedra")?;
    let mut elements = Elements::default();
    for _ in 0..count {
        cursor.integer_word("the number of a tetrahedron")?;
        let mut corners = [0; 4];
        for corner in &mut corners {
            let start = cursor.offset();
            let number = cursor.integer_word("the number of a node")?;
            *corner = nodes.numbers.resolve(number, &cursor, start + 1)?;
        }
        let attribute = rest_of_line(&mut cursor).next().filter(|_| has_region);
        let attribute = attribute.and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
        let region = attribute.map_or(0, |value: f64| value.round() as i32);
        elements.push(ElementKind::Tetrahedron4, &corners, region);
    }
    elements.finish(nodes.positions)
}
