//! Stanford PLY, text and binary of either byte order: the vertices and faces of a surface.
//!
//! A face of more than three corners becomes triangles around its first corner, which is right for
//! convex faces. Everything else that a file may hold is passed over.

use super::cursor::{Cursor, Encoding, Scalar, shown};
use super::elements::Elements;
use super::error::Fault;
use glam::DVec3;
use pliant::mesh::ElementMesh;

/// A number or a list of numbers of each thing.
pub(super) struct Property {
    pub(super) name: String,
    /// The type of the length, for a list.
    pub(super) list: Option<Scalar>,
    pub(super) scalar: Scalar,
}

/// Things of one kind: vertices, faces, others.
pub(super) struct Table {
    pub(super) name: String,
    /// How many, as the header claims.
    pub(super) claimed: i64,
    pub(super) properties: Vec<Property>,
}

pub(super) fn read(bytes: &[u8]) -> Result<ElementMesh, Fault> {
    let mut cursor = Cursor::new(bytes, Encoding::Text);
    let cursor = &mut cursor;
    let (encoding, tables) = read_header(cursor)?;
    cursor.encoding = encoding;
    let mut positions = Vec::new();
    let mut elements = Elements::default();
    for table in &tables {
        let sizes = table.properties.iter().map(|property| {
            let scalar = property.list.unwrap_or(property.scalar);
            cursor.least_size(scalar)
        });
        let least = sizes.sum();
        if least == 0 {
            continue;
        }
        let count = cursor.count(table.claimed, least, "lines of an element")?;
        match table.name.as_str() {
            "vertex" => read_vertices(cursor, table, count, &mut positions)?,
            "face" => read_faces(cursor, table, count, positions.len(), &mut elements)?,
            _ => {
                for _ in 0..count {
                    for property in &table.properties {
                        pass_over(cursor, property)?;
                    }
                }
            }
        }
    }
    elements.finish(positions)
}

pub(super) fn read_header(cursor: &mut Cursor) -> Result<(Encoding, Vec<Table>), Fault> {
    let mut encoding = None;
    let mut tables: Vec<Table> = Vec::new();
    let first = cursor.line().unwrap_or_default();
    if first.trim_ascii_end() != b"ply" {
        return Err(cursor.fault(0, "the word 'ply'", shown(first)));
    }
    loop {
        let start = cursor.offset();
        let Some(line) = cursor.line() else {
            return Err(cursor.fault(start, "'end_header'", "the end of the data"));
        };
        let line_text = String::from_utf8_lossy(line);
        let words: Vec<&str> = line_text.split_ascii_whitespace().collect();
        let fault = |expected: &str| cursor.fault(start, expected, shown(line));
        match words[..] {
            ["format", name, _] => {
                encoding = Some(match name {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    _ => return Err(fault("a format of PLY, such as ascii")),
                });
            }
            ["element", name, count] => {
                let claimed = count.parse();
                let claimed = claimed.map_err(|_| fault("the number of elements"))?;
                tables.push(Table {
                    name: name.to_string(),
                    claimed,
                    properties: Vec::new(),
                });
            }
            ["property", ref words @ ..] => {
                let property = property(words).ok_or_else(|| fault("a property of an element"))?;
                let table = tables.last_mut();
                let table = table.ok_or_else(|| fault("an element before its properties"))?;
                table.properties.push(property);
            }
            ["comment" | "obj_info", ..] | [] => {}
            ["end_header"] => break,
            _ => return Err(fault("a line of the header of PLY")),
        }
    }
    let encoding = encoding.ok_or_else(|| cursor.fault(0, "a line 'format'", "none"))?;
    Ok((encoding, tables))
}

fn property(words: &[&str]) -> Option<Property> {
    let (list, scalar_name, name) = match *words {
        ["list", length, scalar, name] => (Some(scalar_of(length)?), scalar, name),
        [scalar, name] => (None, scalar, name),
        _ => return None,
    };
    Some(Property {
        name: name.to_string(),
        list,
        scalar: scalar_of(scalar_name)?,
    })
}

fn scalar_of(name: &str) -> Option<Scalar> {
    Some(match name {
        "char" | "int8" => Scalar::I8,
        "uchar" | "uint8" => Scalar::U8,
        "short" | "int16" => Scalar::I16,
        "ushort" | "uint16" => Scalar::U16,
        "int" | "int32" => Scalar::I32,
        "uint" | "uint32" => Scalar::U32,
        "float" | "float32" => Scalar::F32,
        "double" | "float64" => Scalar::F64,
        _ => return None,
    })
}

fn read_vertices(
    cursor: &mut Cursor,
    table: &Table,
    count: usize,
    positions: &mut Vec<DVec3>,
) -> Result<(), Fault> {
    let axis_of = |property: &Property| {
        let axis = ["x", "y", "z"]
            .iter()
            .position(|name| *name == property.name);
        axis.filter(|_| property.list.is_none())
    };
    let axes: Vec<Option<usize>> = table.properties.iter().map(axis_of).collect();
    for axis in 0..3 {
        if !axes.contains(&Some(axis)) {
            let expected = "the properties x, y and z of a vertex";
            return Err(cursor.fault(0, expected, "others"));
        }
    }
    positions.reserve_exact(count);
    for _ in 0..count {
        let mut position = [0.0; 3];
        for (property, axis) in table.properties.iter().zip(&axes) {
            match axis {
                Some(axis) => position[*axis] = cursor.real(property.scalar, "a coordinate")?,
                None => pass_over(cursor, property)?,
            }
        }
        positions.push(position.into());
    }
    Ok(())
}

fn read_faces(
    cursor: &mut Cursor,
    table: &Table,
    count: usize,
    node_count: usize,
    elements: &mut Elements,
) -> Result<(), Fault> {
    let mut corners = Vec::new();
    for _ in 0..count {
        for property in &table.properties {
            let name = property.name.as_str();
            let (Some(length), "vertex_indices" | "vertex_index") = (property.list, name) else {
                pass_over(cursor, property)?;
                continue;
            };
            corners.clear();
            let claimed = cursor.integer(length, "the number of corners of a face")?;
            let least = cursor.least_size(property.scalar);
            for _ in 0..cursor.count(claimed, least, "corners")? {
                let start = cursor.offset();
                let number = cursor.integer(property.scalar, "the index of a vertex")?;
                let index = u32::try_from(number).ok();
                let index = index.filter(|&index| (index as usize) < node_count);
                corners.push(index.ok_or_else(|| {
                    let expected = format!("the index of one of {node_count} vertices, from 0");
                    cursor.fault(start, &expected, number.to_string())
                })?);
            }
            elements.push_polygon(&corners, 0);
        }
    }
    Ok(())
}

pub(super) fn pass_over(cursor: &mut Cursor, property: &Property) -> Result<(), Fault> {
    let count = match property.list {
        None => 1,
        Some(length) => {
            let claimed = cursor.integer(length, "the length of a list")?;
            cursor.count(
                claimed,
                cursor.least_size(property.scalar),
                "numbers in a list",
            )?
        }
    };
    cursor.skip_numbers(count, property.scalar, "a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_properties_and_elements_are_passed_over() {
        let text = "ply\nformat ascii 1.0\ncomment a square\nelement vertex 4\n\
            property float nx\nproperty double x\nproperty float y\nproperty float z\n\
            element nothing 1000000000000\nelement colour 2\nproperty list uchar int parts\n\
            element face 1\nproperty list uchar int vertex_indices\nproperty uchar red\n\
            end_header\n9 0 0 0\n9 1 0 0\n9 1 1 0\n9 0 1 0\n0\n2 5 6\n4 0 1 2 3 255\n";
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!(mesh.positions[2], DVec3::new(1.0, 1.0, 0.0));
        assert_eq!(mesh.blocks[0].nodes, [0, 1, 2, 0, 2, 3]);
    }
}
