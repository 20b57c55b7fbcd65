//! The sections of Gmsh 2: a node or an element a line, or a run of elements of one type in binary.

use super::cursor::{Cursor, Encoding, Scalar};
use super::error::Fault;
use super::gmsh::{Gmsh, region};
use super::gmsh_kinds;
use glam::DVec3;

/// Reads the nodes and gives their numbers.
pub(super) fn read_nodes(
    cursor: &mut Cursor,
    positions: &mut Vec<DVec3>,
) -> Result<Vec<i64>, Fault> {
    let claimed = cursor.integer_word("the number of nodes")?;
    let least = cursor.least_size(Scalar::I32) + 3 * cursor.least_size(Scalar::F64);
    let count = cursor.count(claimed, least, "nodes")?;
    begin_data(cursor);
    let mut numbers = Vec::with_capacity(count);
    positions.reserve_exact(count);
    for _ in 0..count {
        numbers.push(cursor.integer(Scalar::I32, "the number of a node")?);
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            *coordinate = cursor.real(Scalar::F64, "a coordinate of a node")?;
        }
        positions.push(position.into());
    }
    Ok(numbers)
}

pub(super) fn read_elements(cursor: &mut Cursor, gmsh: &mut Gmsh) -> Result<(), Fault> {
    let claimed = cursor.integer_word("the number of elements")?;
    // A point: its number, type, number of tags and node as text, its number and node in binary.
    let count = cursor.count(claimed, 8, "elements")?;
    begin_data(cursor);
    if cursor.encoding == Encoding::Text {
        for _ in 0..count {
            cursor.integer_word("the number of an element")?;
            let start = cursor.offset();
            let kind = cursor.integer_word("the type of an element")?;
            let tags = cursor.integer_word("the number of tags of an element")?;
            read_element(cursor, gmsh, start, kind, tags)?;
        }
        return Ok(());
    }
    let mut read = 0;
    while read < count {
        let start = cursor.offset();
        let kind = cursor.integer(Scalar::I32, "the type of some elements")?;
        let run = cursor.integer(Scalar::I32, "a number of elements")?;
        let tags = cursor.integer(Scalar::I32, "the number of tags of an element")?;
        let run = usize::try_from(run).unwrap_or(0);
        if run == 0 || run > count - read {
            let expected = format!("1 to {} elements of one type", count - read);
            return Err(cursor.fault(start, &expected, run.to_string()));
        }
        for _ in 0..run {
            let start = cursor.offset();
            cursor.integer(Scalar::I32, "the number of an element")?;
            read_element(cursor, gmsh, start, kind, tags)?;
        }
        read += run;
    }
    Ok(())
}

/// Binary data begin on the line after their number.
fn begin_data(cursor: &mut Cursor) {
    if cursor.encoding != Encoding::Text {
        cursor.line();
    }
}

/// Reads the tags and the nodes of an element: the physical group, the entity, and perhaps others.
fn read_element(
    cursor: &mut Cursor,
    gmsh: &mut Gmsh,
    start: usize,
    kind: i64,
    tag_count: i64,
) -> Result<(), Fault> {
    let kind = gmsh_kinds::kind(kind, cursor, start)?;
    let tag_count = cursor.count(tag_count, cursor.least_size(Scalar::I32), "tags")?;
    let (mut group, mut entity) = (0, 0);
    for place in 0..tag_count {
        let tag = cursor.integer(Scalar::I32, "a tag of an element")?;
        match place {
            0 => group = tag,
            1 => entity = tag,
            _ => {}
        }
    }
    if group != 0 {
        let key = (kind.dimension as i64, entity);
        let first = *gmsh.groups.entry(key).or_insert(region(group));
        gmsh.repeated |= first != region(group);
    }
    let mut numbers = [0; 64];
    let numbers = &mut numbers[..kind.node_count];
    for number in &mut *numbers {
        *number = cursor.integer(Scalar::I32, "the number of a node")?;
    }
    let region = region(if group == 0 { entity } else { group });
    gmsh.push(cursor, start, kind, numbers, region)
}
