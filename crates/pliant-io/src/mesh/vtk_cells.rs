//! The cell types of VTK, by number, for the old and the XML files alike.

use super::elements::Elements;
use super::error::{Fault, Place};
use super::gmsh_kinds::hint;
use pliant::mesh::ElementKind;

/// Data of the cells that hold their regions, the first in this list that a file has. The names are
/// those that Gmsh, meshio, medit, FEBio, SOFA and others write, in small letters.
const REGION_NAMES: [&str; 9] = [
    "region",
    "regions",
    "gmsh:physical",
    "cellentityids",
    "medit:ref",
    "materialid",
    "materialids",
    "material",
    "gmsh:geometrical",
];

/// The rank of data as regions, 0 being the best; nothing if their name says something else.
pub(super) fn region_rank(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    REGION_NAMES.iter().position(|known| *known == name)
}

/// Takes a cell. Its place is asked for only if there is a fault.
pub(super) fn push(
    elements: &mut Elements,
    cell_type: i64,
    nodes: &[u32],
    region: i32,
    place: impl FnOnce() -> Place,
) -> Result<(), Fault> {
    let wrong_length = |count: usize, place: Place| {
        let expected = format!("{count} nodes of a cell of type {cell_type}");
        Err(Fault::malformed(place, &expected, nodes.len().to_string()))
    };
    let kind = match cell_type {
        // Empty cells and points.
        1 if nodes.len() != 1 => return wrong_length(1, place()),
        0..=2 => return Ok(()),
        3 => ElementKind::Line2,
        4 => {
            for pair in nodes.windows(2) {
                elements.push(ElementKind::Line2, pair, region);
            }
            return Ok(());
        }
        5 => ElementKind::Triangle3,
        6 => {
            push_strip(elements, nodes, region);
            return Ok(());
        }
        7 => {
            elements.push_polygon(nodes, region);
            return Ok(());
        }
        8 => {
            if let &[a, b, c, d] = nodes {
                elements.push(ElementKind::Quad4, &[a, b, d, c], region);
                return Ok(());
            }
            ElementKind::Quad4
        }
        9 => ElementKind::Quad4,
        10 => ElementKind::Tetrahedron4,
        22 => ElementKind::Triangle6,
        24 => ElementKind::Tetrahedron10,
        25 => ElementKind::Brick20,
        28 => ElementKind::Quad9,
        _ => {
            let (dimension, name) = name_of(cell_type);
            elements.refuse(dimension, || Fault::Unsupported {
                place: place(),
                what: format!(
                    "a {name} of {} nodes (VTK cell type {cell_type})",
                    nodes.len()
                ),
                hint: hint(dimension, nodes.len()),
            });
            return Ok(());
        }
    };
    if nodes.len() != kind.node_count() {
        return wrong_length(kind.node_count(), place());
    }
    elements.push(kind, nodes, region);
    Ok(())
}

/// A strip of triangles, of which every second one is turned over.
pub(super) fn push_strip(elements: &mut Elements, nodes: &[u32], region: i32) {
    for (place, corners) in nodes.windows(3).enumerate() {
        let (first, second) = if place % 2 == 0 { (0, 1) } else { (1, 0) };
        let triangle = [corners[first], corners[second], corners[2]];
        elements.push_polygon(&triangle, region);
    }
}

/// Dimension and name of a cell that cannot be used.
fn name_of(cell_type: i64) -> (usize, &'static str) {
    match cell_type {
        11 => (3, "voxel"),
        12 => (3, "hexahedron"),
        13 => (3, "wedge"),
        14 => (3, "pyramid"),
        21 => (1, "quadratic line"),
        23 => (2, "quadratic quadrilateral"),
        26 => (3, "quadratic wedge"),
        27 => (3, "quadratic pyramid"),
        29 => (3, "triquadratic hexahedron"),
        35 => (1, "cubic line"),
        42 => (3, "polyhedron"),
        68 => (1, "Lagrange curve"),
        69 => (2, "Lagrange triangle"),
        70 => (2, "Lagrange quadrilateral"),
        // What is not known may be a solid.
        _ => (3, "cell"),
    }
}
