//! Numbers at the nodes of a rod that pictures can be coloured by.

use super::{Edges, RodEnergy};
use crate::frame::NodalField;
use crate::grid::Grid;
use glam::DVec3;

/// Strain of edges, the larger one of those next to a node, curvature and twist. Frame points have none.
pub(crate) fn rod_fields(grid: &Grid, rest: &[DVec3], x: &[DVec3]) -> Vec<NodalField> {
    let edges = Edges::of(grid);
    let count = x.len();
    let mut strains = vec![0.0_f64; count];
    let lengths = edges.lengths(x).into_iter().zip(edges.lengths(rest));
    for ([a, b], (now, before)) in edges.pairs().zip(lengths) {
        let strain = now / before - 1.0;
        for node in [a, b] {
            if strain.abs() > strains[node].abs() {
                strains[node] = strain;
            }
        }
    }
    let (mut bent, mut twists) = (vec![0.0; count], vec![0.0; count]);
    for (nodes, [first, second, twist]) in RodEnergy::measured(grid, rest, x) {
        bent[nodes[1]] = first.hypot(second);
        twists[nodes[1]] = twist;
    }
    if !edges.closed() {
        // Ends have what is next to them.
        let n = edges.node_count();
        for values in [&mut bent, &mut twists] {
            (values[0], values[n - 1]) = (values[1], values[n - 2]);
        }
    }
    let field = |name, unit, values| NodalField { name, unit, values };
    vec![
        field("strain", "", strains),
        field("curvature", "1/m", bent),
        field("twist", "rad/m", twists),
    ]
}
