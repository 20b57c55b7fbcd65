//! From selected nodes of a body to the part of it that a load is spread over.

use crate::body::BodyDescription;
use crate::fem::isoparametric::node_shares;
use crate::force::{LoadedPart, NodeShare};
use crate::mesh::Facet;
use glam::DVec3;

/// The part of a body at rest that lies between selected nodes: the faces, edges and cells all of
/// whose nodes are selected.
///
/// ```
/// use glam::DVec3;
/// use pliant::elastic::Weights;
/// use pliant::force::{Amount, DistributedLoad, Over};
/// use pliant::{BodyDescription, Grid, loaded_part};
///
/// let grid = Grid::new(&[3, 2], &[false, false]);
/// let place = |node| DVec3::from(grid.material_coordinates(node));
/// let square: Vec<DVec3> = grid.nodes().map(place).collect();
/// let sheet = BodyDescription::new("sheet", grid, square, Weights::uniform(6, 1.0, 0.0, 0.0));
/// // 10 N/m along the rim at y = 0.
/// let part = loaded_part(&sheet, &[true, true, true, false, false, false]);
/// let amount = Amount::Density(10.0 * DVec3::Z);
/// let load = DistributedLoad { over: Over::Edge, amount }.spread(&part).unwrap();
/// assert_eq!(load.forces()[0], 2.5 * DVec3::Z);
/// assert_eq!(load.forces()[1], 5.0 * DVec3::Z);
/// ```
///
/// # Panics
/// If there is not one flag for each node.
pub fn loaded_part(description: &BodyDescription, selected: &[bool]) -> LoadedPart {
    let node_count = description.rest_positions.len();
    assert_eq!(selected.len(), node_count, "one flag for each node");
    let facets = description.formulation.facets(description, selected);
    let rest = &description.rest_positions;
    LoadedPart {
        node_count,
        faces: sums(&facets.faces, rest),
        edges: sums(&facets.edges, rest),
        volume: sums(&facets.cells, rest),
    }
}

/// The shares of facets, added up node by node.
fn sums(facets: &[Facet], rest: &[DVec3]) -> Vec<NodeShare> {
    let mut shares: Vec<NodeShare> = facets
        .iter()
        .flat_map(|facet| node_shares(facet, rest))
        .collect();
    shares.sort_by_key(|share| share.node);
    let groups = shares.chunk_by(|a, b| a.node == b.node);
    groups
        .map(|group| NodeShare {
            node: group[0].node,
            size: group.iter().map(|share| share.size).sum(),
            normal: group.iter().map(|share| share.normal).sum(),
        })
        .collect()
}
