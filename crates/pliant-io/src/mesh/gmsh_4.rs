//! The sections of Gmsh 4.1: nodes and elements in blocks, a block an entity of the geometry.

use super::cursor::{Cursor, Scalar};
use super::error::Fault;
use super::gmsh::{Gmsh, Layout, region};
use super::gmsh_kinds;
use glam::DVec3;

/// Reads which entities belong to which physical groups.
pub(super) fn read_entities(
    cursor: &mut Cursor,
    layout: Layout,
    gmsh: &mut Gmsh,
) -> Result<(), Fault> {
    let mut counts = [0; 4];
    for count in &mut counts {
        let claimed = cursor.integer(layout.size, "a number of entities")?;
        // Each has at least a number, a point and a number of groups.
        *count = cursor.count(claimed, 5 * cursor.least_size(Scalar::I32), "entities")?;
    }
    for (dimension, count) in (0..).zip(counts) {
        for _ in 0..count {
            let entity = cursor.integer(Scalar::I32, "the number of an entity")?;
            let extent = if dimension == 0 { 3 } else { 6 };
            // Bounds are passed over unread: those of an unmeshed entity need not be finite.
            cursor.skip_numbers(extent, Scalar::F64, "a bound of an entity")?;
            let group = read_list(cursor, layout, "a physical group")?;
            if let Some(group) = group {
                gmsh.groups.insert((dimension, entity), region(group));
            }
            if dimension > 0 {
                read_list(cursor, layout, "a bounding entity")?;
            }
        }
    }
    Ok(())
}

/// Passes over a list of numbers and gives the first.
fn read_list(cursor: &mut Cursor, layout: Layout, what: &str) -> Result<Option<i64>, Fault> {
    let claimed = cursor.integer(layout.size, "the length of a list")?;
    let count = cursor.count(claimed, cursor.least_size(Scalar::I32), "numbers in a list")?;
    let mut first = None;
    for _ in 0..count {
        let number = cursor.integer(Scalar::I32, what)?;
        first = first.or(Some(number));
    }
    Ok(first)
}

/// Reads the nodes and gives their numbers.
pub(super) fn read_nodes(
    cursor: &mut Cursor,
    layout: Layout,
    positions: &mut Vec<DVec3>,
) -> Result<Vec<i64>, Fault> {
    let block_count = cursor.integer(layout.size, "a number of blocks")?;
    let claimed = cursor.integer(layout.size, "a number of nodes")?;
    cursor.skip_numbers(
        2,
        layout.size,
        "the least and the greatest number of a node",
    )?;
    let least = cursor.least_size(layout.size) + 3 * cursor.least_size(Scalar::F64);
    let total = cursor.count(claimed, least, "nodes")?;
    let blocks = cursor.count(block_count, 4 * cursor.least_size(Scalar::I32), "blocks")?;
    let mut numbers = Vec::with_capacity(total);
    positions.reserve_exact(total);
    for _ in 0..blocks {
        let start = cursor.offset();
        let dimension = cursor.integer(Scalar::I32, "the dimension of an entity")?;
        cursor.integer(Scalar::I32, "the number of an entity")?;
        let parametric = cursor.integer(Scalar::I32, "0 or 1 for parametric coordinates")?;
        let more = match (dimension, parametric) {
            (0..=3, 0) => 0,
            (0..=3, 1) => dimension as usize,
            _ => {
                let found = format!("{dimension} and {parametric}");
                let expected = "a dimension from 0 to 3, and 0 or 1 for parametric coordinates";
                return Err(cursor.fault(start, expected, found));
            }
        };
        let count = cursor.integer(layout.size, "a number of nodes")?;
        let count = cursor.count(count, least, "nodes")?;
        for _ in 0..count {
            numbers.push(cursor.integer(layout.size, "the number of a node")?);
        }
        for _ in 0..count {
            let mut position = [0.0; 3];
            for coordinate in &mut position {
                *coordinate = cursor.real(Scalar::F64, "a coordinate of a node")?;
            }
            cursor.skip_numbers(more, Scalar::F64, "a parametric coordinate")?;
            positions.push(position.into());
        }
    }
    if numbers.len() != total {
        let expected = format!("{total} nodes in all blocks");
        return Err(cursor.fault(cursor.offset(), &expected, numbers.len().to_string()));
    }
    Ok(numbers)
}

pub(super) fn read_elements(
    cursor: &mut Cursor,
    layout: Layout,
    gmsh: &mut Gmsh,
) -> Result<(), Fault> {
    let block_count = cursor.integer(layout.size, "a number of blocks")?;
    let total = cursor.integer(layout.size, "a number of elements")?;
    cursor.skip_numbers(
        2,
        layout.size,
        "the least and the greatest number of an element",
    )?;
    let blocks = cursor.count(block_count, 4 * cursor.least_size(Scalar::I32), "blocks")?;
    let mut read = 0;
    for _ in 0..blocks {
        let start = cursor.offset();
        let dimension = cursor.integer(Scalar::I32, "the dimension of an entity")?;
        let entity = cursor.integer(Scalar::I32, "the number of an entity")?;
        let kind = cursor.integer(Scalar::I32, "the type of some elements")?;
        let count = cursor.integer(layout.size, "a number of elements")?;
        let kind = gmsh_kinds::kind(kind, cursor, start)?;
        let least = (1 + kind.node_count) * cursor.least_size(layout.size);
        let count = cursor.count(count, least, "elements")?;
        let group = gmsh.groups.get(&(dimension, entity)).copied();
        let region = group.unwrap_or(region(entity));
        let mut numbers = [0; 64];
        let numbers = &mut numbers[..kind.node_count];
        for _ in 0..count {
            let start = cursor.offset();
            cursor.integer(layout.size, "the number of an element")?;
            for number in &mut *numbers {
                *number = cursor.integer(layout.size, "the number of a node")?;
            }
            gmsh.push(cursor, start, kind, numbers, region)?;
        }
        read += count as i64;
    }
    if read != total {
        let expected = format!("{total} elements in all blocks");
        return Err(cursor.fault(cursor.offset(), &expected, read.to_string()));
    }
    Ok(())
}
