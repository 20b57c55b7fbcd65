//! Gmsh `.msh`, versions 2 (2.0 to 2.2) and 4.1, text and binary of either byte order.
//!
//! The region of an element is the physical group of its entity, and the number of the entity if
//! it is in no group. An entity in several groups counts for the first. Sections that say nothing
//! about the shape (`$PhysicalNames`, `$Periodic`, `$NodeData` and so on) are passed over.

use super::cursor::{Cursor, Encoding, Scalar, shown};
use super::elements::{Elements, NodeNumbers};
use super::error::Fault;
use super::gmsh_kinds::{self, GmshKind};
use super::{gmsh_2, gmsh_4};
use glam::DVec3;
use pliant::mesh::ElementMesh;
use std::collections::HashMap;

/// What has been read of a file.
#[derive(Default)]
pub(super) struct Gmsh {
    pub(super) positions: Vec<DVec3>,
    /// The numbers of the nodes; nothing before the nodes were read.
    pub(super) numbers: Option<NodeNumbers>,
    pub(super) elements: Elements,
    /// The physical group of an entity, by dimension and number.
    pub(super) groups: HashMap<(i64, i64), i32>,
    /// Whether an element may stand in the file once for each of its groups.
    pub(super) repeated: bool,
}

/// Numbers of bytes, as a file says.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// What the format calls `size_t`.
    pub(super) size: Scalar,
}

#[derive(Clone, Copy, PartialEq)]
enum Version {
    Two,
    Four,
}

pub(super) fn read(bytes: &[u8]) -> Result<ElementMesh, Fault> {
    let mut cursor = Cursor::new(bytes, Encoding::Text);
    let cursor = &mut cursor;
    let mut gmsh = Gmsh::default();
    let mut format = None;
    loop {
        cursor.skip_space();
        let start = cursor.offset();
        let Some(word) = cursor.next_word() else {
            break;
        };
        let Some(name) = word.strip_prefix(b"$") else {
            return Err(cursor.fault(
                start,
                "a section of a Gmsh mesh, such as $Nodes",
                shown(word),
            ));
        };
        match (name, format) {
            (b"MeshFormat", None) => {
                format = Some(read_format(cursor)?);
                end_section(cursor, b"MeshFormat")?;
            }
            (b"Entities" | b"Nodes" | b"Elements", None) => {
                let fault = cursor.fault(start, "$MeshFormat first", shown(word));
                return Err(fault.or_hint("save the mesh as Gmsh 4.1 or 2.2"));
            }
            (b"Entities", Some((Version::Four, layout))) => {
                begin_section(cursor);
                gmsh_4::read_entities(cursor, layout, &mut gmsh)?;
                end_section(cursor, name)?;
            }
            (b"Nodes", Some((version, layout))) => {
                if gmsh.numbers.is_some() {
                    return Err(cursor.fault(start, "one section $Nodes", "a second one"));
                }
                begin_section(cursor);
                let numbers = match version {
                    Version::Two => gmsh_2::read_nodes(cursor, &mut gmsh.positions)?,
                    Version::Four => gmsh_4::read_nodes(cursor, layout, &mut gmsh.positions)?,
                };
                gmsh.numbers = Some(NodeNumbers::new(&numbers).map_err(|number| {
                    let found = format!("{number} a second time");
                    cursor.fault(start, "a number of its own for each node", found)
                })?);
                end_section(cursor, name)?;
            }
            (b"Elements", Some((version, layout))) => {
                begin_section(cursor);
                match version {
                    Version::Two => gmsh_2::read_elements(cursor, &mut gmsh)?,
                    Version::Four => gmsh_4::read_elements(cursor, layout, &mut gmsh)?,
                }
                end_section(cursor, name)?;
            }
            (b"ParametricNodes", _) => {
                return Err(Fault::Unsupported {
                    place: cursor.place(start),
                    what: "the section $ParametricNodes".to_string(),
                    hint: "save the mesh without parametric coordinates",
                });
            }
            _ => pass_over(cursor, name, start)?,
        }
    }
    if gmsh.repeated {
        gmsh.elements.remove_repeated();
    }
    gmsh.elements.finish(gmsh.positions)
}

fn read_format(cursor: &mut Cursor) -> Result<(Version, Layout), Fault> {
    cursor.skip_space();
    let start = cursor.offset();
    let version = match cursor.word("the version of the Gmsh format")? {
        b"2" | b"2.0" | b"2.1" | b"2.2" => Version::Two,
        b"4.1" => Version::Four,
        other => {
            return Err(Fault::Unsupported {
                place: cursor.place(start),
                what: format!("version {} of the Gmsh format", shown(other)),
                hint: "save the mesh as Gmsh 4.1 or 2.2",
            });
        }
    };
    let kind = cursor.integer_word("0 for a text file or 1 for a binary one")?;
    let start = cursor.offset();
    let size = match cursor.integer_word("the size of a number, 4 or 8")? {
        4 => Scalar::U32,
        8 => Scalar::U64,
        other => {
            let found = other.to_string();
            return Err(cursor.fault(start, "the size of a number, 4 or 8", found));
        }
    };
    match kind {
        0 => {}
        1 => {
            cursor.line();
            let start = cursor.offset();
            cursor.encoding = match cursor.next_bytes(4, "the number 1 in binary")? {
                [1, 0, 0, 0] => Encoding::Little,
                [0, 0, 0, 1] => Encoding::Big,
                other => {
                    return Err(cursor.fault(start, "the number 1 in binary", shown(other)));
                }
            };
        }
        other => {
            let found = other.to_string();
            return Err(cursor.fault(start, "0 for a text file or 1 for a binary one", found));
        }
    }
    Ok((version, Layout { size }))
}

/// Steps over the line with the name of a section, after which binary data begin.
fn begin_section(cursor: &mut Cursor) {
    cursor.line();
}

fn end_section(cursor: &mut Cursor, name: &[u8]) -> Result<(), Fault> {
    cursor.skip_space();
    let start = cursor.offset();
    let expected = format!("$End{}", String::from_utf8_lossy(name));
    let found = cursor.word(&expected)?;
    if found == expected.as_bytes() {
        return Ok(());
    }
    Err(cursor.fault(start, &expected, shown(found)))
}

fn pass_over(cursor: &mut Cursor, name: &[u8], start: usize) -> Result<(), Fault> {
    let end = [b"$End", name].concat();
    let found = cursor.rest().windows(end.len()).position(|w| w == end);
    let Some(found) = found else {
        let expected = format!("the end of the section {}", shown(name));
        return Err(cursor.fault(start, &expected, "none"));
    };
    cursor.skip(found + end.len());
    Ok(())
}

impl Gmsh {
    /// Takes an element whose nodes are known by their numbers.
    pub(super) fn push(
        &mut self,
        cursor: &Cursor,
        start: usize,
        kind: GmshKind,
        numbers: &[i64],
        region: i32,
    ) -> Result<(), Fault> {
        let Some(node_numbers) = &self.numbers else {
            return Err(cursor.fault(start, "$Nodes before $Elements", "$Elements"));
        };
        let Some(element) = kind.element else {
            let refuse = || gmsh_kinds::refusal(kind, cursor.place(start));
            if kind.dimension > 0 {
                self.elements.refuse(kind.dimension, refuse);
            }
            return Ok(());
        };
        let mut nodes = [0; 20];
        for (place, &number) in numbers.iter().enumerate() {
            let place = gmsh_kinds::vtk_place(element, place);
            nodes[place] = node_numbers.resolve(number, cursor, start)?;
        }
        let nodes = &nodes[..element.node_count()];
        self.elements.push(element, nodes, region);
        Ok(())
    }
}

/// A region from the number of a group or entity. Gmsh marks a reversed orientation by a minus.
pub(super) fn region(number: i64) -> i32 {
    i32::try_from(number.unsigned_abs()).unwrap_or(i32::MAX)
}
