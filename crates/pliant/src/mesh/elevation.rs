//! Tetrahedra of ten nodes from those of four: a node is put into the middle of each edge.

use super::{ElementBlock, ElementKind, ElementMesh};
use std::collections::HashMap;

/// Edges of a tetrahedron: two corners and the node between them.
pub(super) const TETRAHEDRON_EDGES: [[usize; 3]; 6] = [
    [0, 1, 4],
    [1, 2, 5],
    [2, 0, 6],
    [0, 3, 7],
    [1, 3, 8],
    [2, 3, 9],
];

/// A face of a tetrahedron with nodes in the middle of its edges: corners, and the middle of the edge
/// after each corner.
pub(super) fn face_with_middles(corners: [usize; 3]) -> [usize; 6] {
    let middle = |a: usize, b: usize| {
        let joins = |edge: &&[usize; 3]| edge[..2] == [a, b] || edge[..2] == [b, a];
        // Every pair of corners has an edge.
        TETRAHEDRON_EDGES
            .iter()
            .find(joins)
            .map_or(0, |edge| edge[2])
    };
    let [a, b, c] = corners;
    [a, b, c, middle(a, b), middle(b, c), middle(c, a)]
}

/// The mesh with its tetrahedra of four nodes made tetrahedra of ten, which share the nodes in the middle of
/// their common edges. Edges stay straight; other elements stay as they are.
///
/// ```
/// use glam::DVec3;
/// use pliant::mesh::{Division, ElementKind, block, elevated};
/// let mesh = elevated(&block([1, 1, 1], DVec3::ONE, Division::FiveTetrahedra)?);
/// // Eight corners, twelve edges of the cube and six diagonals of its faces.
/// assert_eq!(mesh.positions.len(), 26);
/// assert_eq!(mesh.elements_of(ElementKind::Tetrahedron10), 5);
/// # Ok::<(), pliant::mesh::MeshMakeError>(())
/// ```
pub fn elevated(mesh: &ElementMesh) -> ElementMesh {
    let mut positions = mesh.positions.clone();
    let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            let place = 0.5 * (positions[a as usize] + positions[b as usize]);
            positions.push(place);
            positions.len() as u32 - 1
        })
    };
    let mut blocks = Vec::with_capacity(mesh.blocks.len());
    for block in &mesh.blocks {
        if block.kind != ElementKind::Tetrahedron4 {
            blocks.push(block.clone());
            continue;
        }
        let mut nodes = Vec::with_capacity(10 * block.len());
        for corners in block.elements() {
            nodes.extend_from_slice(corners);
            nodes.extend(TETRAHEDRON_EDGES.map(|[a, b, _]| middle(corners[a], corners[b])));
        }
        blocks.push(ElementBlock {
            kind: ElementKind::Tetrahedron10,
            nodes,
            regions: block.regions.clone(),
        });
    }
    ElementMesh { positions, blocks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{
        Division, Facets, block, boundary_triangles, edges, enclosed_volume, orient_tetrahedra,
    };
    use glam::DVec3;

    #[test]
    fn the_boundary_is_closed_and_outwards_and_edges_are_halved() {
        let size = DVec3::new(3.0, 2.0, 1.0);
        let four = block([3, 2, 1], size, Division::SixTetrahedra).unwrap();
        let mut ten = elevated(&four);
        assert_eq!(ten.check(), Ok(()));
        assert_eq!(edges(&ten).len(), 2 * edges(&four).len());
        let volume = |mesh: &ElementMesh| {
            enclosed_volume(&crate::frame::TriangleMesh {
                positions: mesh.positions.clone(),
                triangles: boundary_triangles(mesh),
            })
        };
        assert!((volume(&ten) - 6.0).abs() < 1e-12);
        assert_eq!(
            boundary_triangles(&ten).len(),
            4 * boundary_triangles(&four).len()
        );
        // Turned inside out and back again.
        for nodes in ten.blocks[0].nodes.chunks_exact_mut(10) {
            for (a, b) in [(2, 3), (5, 8), (6, 7)] {
                nodes.swap(a, b);
            }
        }
        assert!((volume(&ten) - 6.0).abs() < 1e-12);
        assert_eq!(orient_tetrahedra(&mut ten), 36);
        assert_eq!(ten, elevated(&four));
    }

    #[test]
    fn faces_and_cells_are_those_of_the_block() {
        let mesh = elevated(&block([2, 2, 2], DVec3::ONE, Division::FiveTetrahedra).unwrap());
        let whole = Facets::of_mesh(&mesh, &vec![true; mesh.positions.len()]);
        assert_eq!((whole.faces.len(), whole.cells.len()), (6 * 4 * 2, 40));
        assert!(whole.faces.iter().all(|face| face.nodes.len() == 6));
        let top: Vec<bool> = mesh.positions.iter().map(|x| x.z > 0.999).collect();
        assert_eq!(Facets::of_mesh(&mesh, &top).faces.len(), 8);
    }
}
