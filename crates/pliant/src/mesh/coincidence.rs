//! What stands twice in a mesh: elements of the same nodes, and nodes in the same place.
//!
//! An element that is listed twice doubles mass and stiffness; nodes that lie in one place and are not
//! one node let a seam fall apart. Files of other programs hold both.

use super::ElementMesh;
use glam::DVec3;
use std::collections::HashMap;

/// The first two elements of a kind that have the same corners, in whatever order, as their places in
/// the block.
pub fn element_twice(mesh: &ElementMesh) -> Option<[usize; 2]> {
    mesh.blocks.iter().find_map(|block| {
        let corners = |nodes: &[u32]| {
            let mut corners = nodes.to_vec();
            corners.sort_unstable();
            corners
        };
        let mut seen = HashMap::with_capacity(block.len());
        block.elements().enumerate().find_map(|(element, nodes)| {
            let first = *seen.entry(corners(nodes)).or_insert(element);
            (first != element).then_some([first, element])
        })
    })
}

/// The number of nodes that lie exactly where an earlier node does, and the first such place.
pub fn nodes_in_one_place(positions: &[DVec3]) -> Option<(usize, DVec3)> {
    // -0 and 0 are one place.
    let key = |x: &DVec3| (*x + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut places: Vec<([u64; 3], DVec3)> = positions.iter().map(|x| (key(x), *x)).collect();
    places.sort_unstable_by_key(|(key, _)| *key);
    let mut again = places.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let first = again.next()?[1].1;
    Some((1 + again.count(), first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ElementBlock, ElementKind};

    #[test]
    fn elements_and_nodes_that_stand_twice_are_found() {
        let mut mesh = ElementMesh {
            positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE],
            blocks: vec![ElementBlock::new(
                ElementKind::Triangle3,
                vec![0, 1, 2, 2, 1, 3],
            )],
        };
        assert_eq!(element_twice(&mesh), None);
        assert_eq!(nodes_in_one_place(&mesh.positions), None);
        // Turned the other way it is the same triangle.
        mesh.blocks[0].nodes.extend([1, 0, 2]);
        mesh.blocks[0].regions.push(0);
        assert_eq!(element_twice(&mesh), Some([0, 2]));
        mesh.positions.push(DVec3::new(1.0, -0.0, 0.0));
        assert_eq!(
            nodes_in_one_place(&mesh.positions),
            Some((1, DVec3::new(1.0, -0.0, 0.0)))
        );
    }
}
