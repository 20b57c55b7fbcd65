//! The old VTK files, `.vtk`, text and binary, up to version 5.1: unstructured grids and polygonal
//! data.
//!
//! Regions are read from the data of the cells if they have one of the usual names. Polylines become
//! segments, polygons and strips become triangles, points are passed over.

use super::cursor::{Cursor, Encoding, Scalar, shown};
use super::elements::Elements;
use super::error::Fault;
use super::vtk_attributes::{Attributes, scalar_of};
use super::vtk_cells;
use glam::DVec3;
use pliant::mesh::ElementMesh;

/// The nodes of cells: those of cell `i` from `offsets[i]` to `offsets[i + 1]`.
#[derive(Default)]
struct Cells {
    offsets: Vec<usize>,
    nodes: Vec<u32>,
    /// Where in the file the cells begin.
    start: usize,
}

#[derive(Default)]
struct Grid {
    positions: Option<Vec<DVec3>>,
    elements: Elements,
    cells: Option<Cells>,
    types: Option<Vec<i64>>,
    attributes: Attributes,
}

pub(super) fn read(bytes: &[u8]) -> Result<ElementMesh, Fault> {
    let mut cursor = Cursor::new(bytes, Encoding::Text);
    let (grid, polygonal) = read_grid(&mut cursor, false)?;
    grid.finish(&mut cursor, polygonal)
}

/// Where the points lie on an image; empty if the file does not say.
pub(super) fn image_places(bytes: &[u8]) -> Result<Vec<[f64; 2]>, Fault> {
    let (grid, _) = read_grid(&mut Cursor::new(bytes, Encoding::Text), true)?;
    Ok(grid.attributes.image_places)
}

/// Reads all sections that are known, places on an image only if they are wanted; gives whether the data are
/// polygonal.
fn read_grid(cursor: &mut Cursor, wants_image_places: bool) -> Result<(Grid, bool), Fault> {
    let polygonal = read_header(cursor)?;
    let mut grid = Grid::default();
    grid.attributes.wants_image_places = wants_image_places;
    loop {
        cursor.skip_space();
        let start = cursor.offset();
        let Some(word) = cursor.next_word() else {
            break;
        };
        let keyword = word.to_ascii_uppercase();
        match (keyword.as_slice(), polygonal) {
            (b"POINTS", _) => grid.positions = Some(read_points(cursor)?),
            (b"CELLS", false) => grid.cells = Some(read_cells(cursor, &grid.positions, start)?),
            (b"CELL_TYPES", false) => grid.types = Some(read_types(cursor)?),
            (b"VERTICES", true) => {
                read_cells(cursor, &grid.positions, start)?;
            }
            (b"LINES" | b"POLYGONS" | b"TRIANGLE_STRIPS", true) => {
                let cells = read_cells(cursor, &grid.positions, start)?;
                let cell_type = match keyword[0] {
                    b'L' => 4,
                    b'P' => 7,
                    _ => 6,
                };
                for nodes in cells.iter() {
                    let place = || cursor.place(start);
                    vtk_cells::push(&mut grid.elements, cell_type, nodes, 0, place)?;
                }
            }
            (name, _) => {
                let known = grid.attributes.read(cursor, name)?;
                let complete = polygonal || grid.types.is_some();
                if !known && complete {
                    // Data of a kind that is not known follow the mesh, and are not needed.
                    break;
                }
                if !known {
                    let expected = "a section of a VTK file, such as POINTS or CELLS";
                    return Err(cursor.fault(start, expected, shown(word)));
                }
            }
        }
    }
    Ok((grid, polygonal))
}

/// Reads up to the name of the dataset; gives whether it is polygonal.
fn read_header(cursor: &mut Cursor) -> Result<bool, Fault> {
    let first = cursor.line().unwrap_or_default();
    if !first.starts_with(b"# vtk DataFile") {
        return Err(cursor.fault(0, "'# vtk DataFile Version'", shown(first)));
    }
    cursor.line();
    cursor.skip_space();
    let start = cursor.offset();
    let form = cursor.word("ASCII or BINARY")?;
    let encoding = match form.to_ascii_uppercase().as_slice() {
        b"ASCII" => Encoding::Text,
        b"BINARY" => Encoding::Big,
        _ => return Err(cursor.fault(start, "ASCII or BINARY", shown(form))),
    };
    cursor.skip_space();
    let start = cursor.offset();
    let word = cursor.word("DATASET")?;
    if !word.eq_ignore_ascii_case(b"DATASET") {
        return Err(cursor.fault(start, "DATASET", shown(word)));
    }
    let word = cursor.word("the kind of dataset")?;
    let polygonal = match word.to_ascii_uppercase().as_slice() {
        b"UNSTRUCTURED_GRID" => false,
        b"POLYDATA" => true,
        _ => {
            return Err(Fault::Unsupported {
                place: cursor.place(start),
                what: format!("the VTK dataset {}", shown(word)),
                hint: "save it as UNSTRUCTURED_GRID or POLYDATA",
            });
        }
    };
    cursor.encoding = encoding;
    Ok(polygonal)
}

/// Binary data begin on the next line.
pub(super) fn begin_data(cursor: &mut Cursor) {
    if cursor.encoding != Encoding::Text {
        cursor.line();
    }
}

fn read_points(cursor: &mut Cursor) -> Result<Vec<DVec3>, Fault> {
    let claimed = cursor.integer_word("the number of points")?;
    let scalar = read_scalar_name(cursor)?;
    begin_data(cursor);
    let count = cursor.count(claimed, 3 * cursor.least_size(scalar), "points")?;
    let mut positions = Vec::with_capacity(count);
    for _ in 0..count {
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            *coordinate = cursor.real(scalar, "a coordinate of a point")?;
        }
        positions.push(position.into());
    }
    Ok(positions)
}

fn read_scalar_name(cursor: &mut Cursor) -> Result<Scalar, Fault> {
    cursor.skip_space();
    let start = cursor.offset();
    let name = cursor.word("the type of numbers, such as float")?;
    scalar_of(name)
        .ok_or_else(|| cursor.fault(start, "the type of numbers, such as float", shown(name)))
}

/// Reads cells in the form of version 4 (each with its number of nodes) or 5 (offsets and nodes).
fn read_cells(
    cursor: &mut Cursor,
    positions: &Option<Vec<DVec3>>,
    start: usize,
) -> Result<Cells, Fault> {
    let Some(positions) = positions else {
        return Err(cursor.fault(start, "POINTS before cells", "cells"));
    };
    let node_count = positions.len();
    let first = cursor.integer_word("the number of cells")?;
    let second = cursor.integer_word("the size of the cells")?;
    let after_sizes = cursor.offset();
    if cursor
        .next_word()
        .is_some_and(|word| word.eq_ignore_ascii_case(b"OFFSETS"))
    {
        return read_cells_5(cursor, node_count, start, first, second);
    }
    let back = cursor.offset() - after_sizes;
    cursor.step_back(back);
    begin_data(cursor);
    let count = cursor.count(first, cursor.least_size(Scalar::I32), "cells")?;
    let size = cursor.count(second, cursor.least_size(Scalar::I32), "node numbers")?;
    let mut cells = Cells {
        offsets: Vec::with_capacity(count + 1),
        nodes: Vec::with_capacity(size.saturating_sub(count)),
        start,
    };
    cells.offsets.push(0);
    for _ in 0..count {
        let at = cursor.offset();
        let length = cursor.integer(Scalar::I32, "the number of nodes of a cell")?;
        let left = size.saturating_sub(cells.nodes.len() + cells.offsets.len());
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= left);
        let length = length.ok_or_else(|| {
            cursor.fault(
                at,
                "a number of nodes that the size of the cells allows",
                "another",
            )
        })?;
        for _ in 0..length {
            let node = read_node(cursor, Scalar::I32, node_count)?;
            cells.nodes.push(node);
        }
        cells.offsets.push(cells.nodes.len());
    }
    Ok(cells)
}

fn read_cells_5(
    cursor: &mut Cursor,
    node_count: usize,
    start: usize,
    offset_count: i64,
    size: i64,
) -> Result<Cells, Fault> {
    let scalar = read_scalar_name(cursor)?;
    begin_data(cursor);
    let offset_count = cursor.count(offset_count, cursor.least_size(scalar), "offsets")?;
    let mut offsets: Vec<usize> = Vec::with_capacity(offset_count);
    for _ in 0..offset_count {
        let at = cursor.offset();
        let offset = cursor.integer(scalar, "an offset of cells")?;
        let least = offsets.last().copied().unwrap_or(0);
        let greatest = if offsets.is_empty() { 0 } else { size };
        if offset < least as i64 || offset > greatest {
            let expected = format!("an offset from {least} to {greatest}");
            return Err(cursor.fault(at, &expected, offset.to_string()));
        }
        offsets.push(offset as usize);
    }
    cursor.skip_space();
    let at = cursor.offset();
    let word = cursor.word("CONNECTIVITY")?;
    if !word.eq_ignore_ascii_case(b"CONNECTIVITY") {
        return Err(cursor.fault(at, "CONNECTIVITY", shown(word)));
    }
    let scalar = read_scalar_name(cursor)?;
    begin_data(cursor);
    let size = cursor.count(size, cursor.least_size(scalar), "node numbers")?;
    let mut nodes = Vec::with_capacity(size);
    for _ in 0..size {
        nodes.push(read_node(cursor, scalar, node_count)?);
    }
    Ok(Cells {
        offsets,
        nodes,
        start,
    })
}

fn read_node(cursor: &mut Cursor, scalar: Scalar, node_count: usize) -> Result<u32, Fault> {
    let at = cursor.offset();
    let number = cursor.integer(scalar, "the index of a point")?;
    let index = u32::try_from(number).ok();
    let index = index.filter(|&index| (index as usize) < node_count);
    index.ok_or_else(|| {
        let expected = format!("the index of one of {node_count} points, from 0");
        cursor.fault(at, &expected, number.to_string())
    })
}

fn read_types(cursor: &mut Cursor) -> Result<Vec<i64>, Fault> {
    let claimed = cursor.integer_word("the number of cells")?;
    begin_data(cursor);
    let count = cursor.count(claimed, cursor.least_size(Scalar::I32), "cell types")?;
    let mut types = Vec::with_capacity(count);
    for _ in 0..count {
        types.push(cursor.integer(Scalar::I32, "the type of a cell")?);
    }
    Ok(types)
}

impl Cells {
    fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.offsets
            .windows(2)
            .map(|ends| &self.nodes[ends[0]..ends[1]])
    }
}

impl Grid {
    fn finish(mut self, cursor: &Cursor, polygonal: bool) -> Result<ElementMesh, Fault> {
        let missing = |what: &str| cursor.fault(cursor.offset(), what, "the end of the data");
        let positions = self.positions.ok_or_else(|| missing("POINTS"))?;
        if !polygonal {
            let cells = self.cells.ok_or_else(|| missing("CELLS"))?;
            let types = self.types.ok_or_else(|| missing("CELL_TYPES"))?;
            let count = cells.iter().len();
            if types.len() != count {
                let expected = format!("{count} cell types");
                return Err(cursor.fault(cells.start, &expected, types.len().to_string()));
            }
            let regions = self.attributes.regions(count);
            for (cell, (nodes, cell_type)) in cells.iter().zip(types).enumerate() {
                let region = regions.map_or(0, |regions| regions[cell]);
                let place = || cursor.place(cells.start);
                vtk_cells::push(&mut self.elements, cell_type, nodes, region, place)?;
            }
        }
        self.elements.finish(positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_places_on_an_image() {
        let text = "# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n\
            0 0 0 1 0 0 1 1 0\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\n\
            TEXTURE_COORDINATES uv 2 float\n0 0 1 0 0 1\n";
        let places = image_places(text.as_bytes()).unwrap();
        assert_eq!(places, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        assert_eq!(read(text.as_bytes()).unwrap().positions.len(), 3);
        let cut = &text[..text.len() - 6];
        assert!(image_places(cut.as_bytes()).is_err());
    }
}
