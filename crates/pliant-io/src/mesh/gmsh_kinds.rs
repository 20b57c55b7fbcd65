//! The element types of Gmsh, by number.

use super::cursor::Cursor;
use super::error::{Fault, Place};
use pliant::mesh::ElementKind;

/// An element type of Gmsh.
#[derive(Clone, Copy)]
pub(super) struct GmshKind {
    number: i64,
    name: &'static str,
    pub(super) dimension: usize,
    pub(super) node_count: usize,
    /// The kind that it is here, if it is one.
    pub(super) element: Option<ElementKind>,
}

const fn known(number: i64, name: &'static str, element: ElementKind) -> GmshKind {
    let (dimension, node_count) = match element {
        ElementKind::Line2 => (1, 2),
        ElementKind::Triangle3 => (2, 3),
        ElementKind::Triangle6 => (2, 6),
        ElementKind::Quad4 => (2, 4),
        ElementKind::Quad9 => (2, 9),
        ElementKind::Tetrahedron4 => (3, 4),
        ElementKind::Tetrahedron10 => (3, 10),
        ElementKind::Brick20 => (3, 20),
    };
    GmshKind {
        number,
        name,
        dimension,
        node_count,
        element: Some(element),
    }
}

const fn other(number: i64, name: &'static str, dimension: usize, node_count: usize) -> GmshKind {
    GmshKind {
        number,
        name,
        dimension,
        node_count,
        element: None,
    }
}

const KINDS: [GmshKind; 29] = [
    known(1, "line of 2 nodes", ElementKind::Line2),
    known(2, "triangle of 3 nodes", ElementKind::Triangle3),
    known(3, "quadrilateral of 4 nodes", ElementKind::Quad4),
    known(4, "tetrahedron of 4 nodes", ElementKind::Tetrahedron4),
    other(5, "hexahedron of 8 nodes", 3, 8),
    other(6, "prism of 6 nodes", 3, 6),
    other(7, "pyramid of 5 nodes", 3, 5),
    other(8, "line of 3 nodes", 1, 3),
    known(9, "triangle of 6 nodes", ElementKind::Triangle6),
    known(10, "quadrilateral of 9 nodes", ElementKind::Quad9),
    known(11, "tetrahedron of 10 nodes", ElementKind::Tetrahedron10),
    other(12, "hexahedron of 27 nodes", 3, 27),
    other(13, "prism of 18 nodes", 3, 18),
    other(14, "pyramid of 14 nodes", 3, 14),
    other(15, "point", 0, 1),
    other(16, "quadrilateral of 8 nodes", 2, 8),
    known(17, "hexahedron of 20 nodes", ElementKind::Brick20),
    other(18, "prism of 15 nodes", 3, 15),
    other(19, "pyramid of 13 nodes", 3, 13),
    other(20, "triangle of 9 nodes", 2, 9),
    other(21, "triangle of 10 nodes", 2, 10),
    other(22, "triangle of 12 nodes", 2, 12),
    other(23, "triangle of 15 nodes", 2, 15),
    other(26, "line of 4 nodes", 1, 4),
    other(27, "line of 5 nodes", 1, 5),
    other(28, "line of 6 nodes", 1, 6),
    other(29, "tetrahedron of 20 nodes", 3, 20),
    other(36, "quadrilateral of 16 nodes", 2, 16),
    other(92, "hexahedron of 64 nodes", 3, 64),
];

/// The type with a number that was read at an offset.
pub(super) fn kind(number: i64, cursor: &Cursor, offset: usize) -> Result<GmshKind, Fault> {
    let kind = KINDS.iter().find(|kind| kind.number == number).copied();
    kind.ok_or_else(|| Fault::Unsupported {
        place: cursor.place(offset),
        what: format!("the Gmsh element type {number}"),
        hint: "see the list of element types in the manual of Gmsh",
    })
}

/// The number of the type that a kind is.
pub(super) fn number_of(kind: ElementKind) -> i64 {
    match kind {
        ElementKind::Line2 => 1,
        ElementKind::Triangle3 => 2,
        ElementKind::Quad4 => 3,
        ElementKind::Tetrahedron4 => 4,
        ElementKind::Triangle6 => 9,
        ElementKind::Quad9 => 10,
        ElementKind::Tetrahedron10 => 11,
        ElementKind::Brick20 => 17,
    }
}

/// Says that elements of a type cannot be used.
pub(super) fn refusal(kind: GmshKind, place: Place) -> Fault {
    let GmshKind { number, name, .. } = kind;
    Fault::Unsupported {
        place,
        what: format!("a {name} (Gmsh element type {number})"),
        hint: hint(kind.dimension, kind.node_count),
    }
}

/// What to do about an element that Pliant has no kind for.
pub(super) fn hint(dimension: usize, node_count: usize) -> &'static str {
    match (dimension, node_count) {
        (1, _) => "lines have 2 nodes here: mesh with order 1",
        (2, 8) => "second-order quadrilaterals have 9 nodes here: mesh without incomplete elements",
        (2, _) => "faces have 3, 6, 4 or 9 nodes here: mesh with order 1 or 2",
        (_, 10 | 20) => "tetrahedra have 4 or 10 nodes here: mesh with order 1 or 2",
        (_, 8 | 27) => {
            "bricks have 20 nodes here: mesh with order 2 and incomplete elements, or with \
             tetrahedra"
        }
        _ => "solids are made of tetrahedra of 4 or 10 nodes or bricks of 20 here",
    }
}

/// Where a node of a Gmsh element stands in the order of VTK, which Pliant uses.
///
/// The orders differ for the edges of the brick: Gmsh sorts them by their lower corner, VTK goes around the
/// bottom, around the top, and then up; and for the last two edges of the tetrahedron.
pub(super) fn vtk_place(kind: ElementKind, place: usize) -> usize {
    const BRICK_EDGES: [usize; 12] = [8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14];
    match (kind, place) {
        (ElementKind::Brick20, 8..20) => BRICK_EDGES[place - 8],
        (ElementKind::Tetrahedron10, 8) => 9,
        (ElementKind::Tetrahedron10, 9) => 8,
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_kinds() {
        for kind in KINDS {
            if let Some(element) = kind.element {
                assert_eq!(kind.node_count, element.node_count(), "{}", kind.name);
                assert_eq!(kind.dimension, element.dimension(), "{}", kind.name);
                assert_eq!(kind.number, number_of(element), "{}", kind.name);
            }
        }
    }

    #[test]
    fn edges_of_the_brick_are_those_of_vtk() {
        // The corners of each edge, in the order of the edge nodes of either program.
        let gmsh = [
            (0, 1),
            (0, 3),
            (0, 4),
            (1, 2),
            (1, 5),
            (2, 3),
            (2, 6),
            (3, 7),
            (4, 5),
            (4, 7),
            (5, 6),
            (6, 7),
        ];
        let vtk = [
            (0, 1),
            (1, 2),
            (2, 3),
            (0, 3),
            (4, 5),
            (5, 6),
            (6, 7),
            (4, 7),
            (0, 4),
            (1, 5),
            (2, 6),
            (3, 7),
        ];
        for (edge, corners) in gmsh.iter().enumerate() {
            let place = vtk_place(ElementKind::Brick20, 8 + edge);
            assert_eq!(&vtk[place - 8], corners);
        }
    }
}
