//! Which nodes are drawn as points.

use pliant::frame::Topology;

/// The nodes of a body that are drawn as points: those the topology names, or all of a body that
/// has nothing else.
pub(crate) fn loose_nodes(topology: &Topology, node_count: usize) -> Vec<u32> {
    let has_cells = !topology.lines.is_empty()
        || !topology.triangles.is_empty()
        || !topology.hexahedra.is_empty()
        || !topology.tetrahedra.is_empty();
    if topology.points.is_empty() && !has_cells {
        return (0..node_count as u32).collect();
    }
    topology.points.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_without_cells_is_points() {
        let mut topology = Topology::default();
        assert_eq!(loose_nodes(&topology, 3), [0, 1, 2]);
        topology.points = vec![2];
        assert_eq!(loose_nodes(&topology, 3), [2]);
        topology.lines = vec![[0, 1]];
        assert_eq!(loose_nodes(&topology, 3), [2]);
        topology.points.clear();
        assert!(loose_nodes(&topology, 3).is_empty());
    }
}
