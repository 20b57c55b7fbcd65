//! Strain and stress of bodies on grids, for pictures and for steps that adapt.
//!
//! ```text
//! strain   (|e| - |e⁰|) / |e⁰|        of the edge at the node that is stretched or squeezed most
//! stress   w (|e|² - |e⁰|²) / h²       of the same edge: tension times change of metric
//! ```
//!
//! They are measures for the eye: the sign says whether the material is pulled or pressed. Links
//! that are torn or melted count for nothing.

use crate::body::{Body, temperature_field};
use crate::frame::NodalField;
use glam::DVec3;

/// Share of its length by which an edge may change in an adaptive step.
const LARGEST_CHANGE: f64 = 0.25;

/// Strain and stress at the nodes, and the temperature of a body that conducts heat.
pub(super) fn fields(body: &Body) -> Vec<NodalField> {
    let description = body.description();
    let (grid, rest) = (description.material_grid(), &description.rest_positions);
    let positions = &body.state.positions;
    let inelastic = body.inelastic();
    let mut strains = vec![0.0_f64; body.node_count()];
    let mut stresses = vec![0.0_f64; body.node_count()];
    for coordinates in grid.nodes() {
        let node = grid.index(coordinates);
        for direction in 0..grid.dimension() {
            let mut step = [0; 3];
            step[direction] = 1;
            let Some(end) = grid.neighbour(coordinates, step) else {
                continue;
            };
            let squared = |x: &[DVec3]| (x[end] - x[node]).length_squared();
            let (now, before) = (squared(positions), squared(rest));
            if before == 0.0 || inelastic.is_some_and(|memory| memory.is_broken(node, direction)) {
                continue;
            }
            let strain = (now / before).sqrt() - 1.0;
            let h = grid.spacing(direction);
            let tension = |n| {
                description
                    .material_weights()
                    .tension(n, direction, direction)
            };
            let stress = 0.5 * (tension(node) + tension(end)) * (now - before) / (h * h);
            for n in [node, end] {
                if strain.abs() > strains[n].abs() {
                    (strains[n], stresses[n]) = (strain, stress);
                }
            }
        }
    }
    let field = |name, unit, values| NodalField { name, unit, values };
    let mut fields = vec![field("strain", "", strains), field("stress", "N", stresses)];
    fields.extend(temperature_field(body));
    fields
}

/// A node at which a whole edge changes by more than a quarter of its length.
pub(super) fn overstrained(body: &Body, positions: &[DVec3]) -> Option<usize> {
    let description = body.description();
    let (grid, rest) = (description.material_grid(), &description.rest_positions);
    let before = &body.state.positions;
    let inelastic = body.inelastic();
    let is_broken = |node, d| inelastic.is_some_and(|memory| memory.is_broken(node, d));
    let counts = grid.counts();
    let strides = [1, counts[0], counts[0] * counts[1]];
    let directions = strides.into_iter().zip(counts);
    for (d, (stride, count)) in directions.take(grid.dimension()).enumerate() {
        // Edges between neighbours in a block of consecutive nodes; a seam has the last to the first.
        let block = stride * count;
        for start in (0..positions.len()).step_by(block) {
            let edges = (start..start + block - stride).map(|node| (node, node + stride));
            let seam = (start..start + stride).map(|node| (node + block - stride, node));
            let seam = seam.filter(|_| grid.periodic()[d]);
            for (node, end) in edges.chain(seam) {
                let length = |x: &[DVec3]| (x[end] - x[node]).length();
                let change = (length(positions) - length(before)).abs();
                if change > LARGEST_CHANGE * length(rest) && !is_broken(node, d) {
                    return Some(node);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyDescription;
    use crate::elastic::Weights;
    use crate::grid::Grid;

    #[test]
    fn a_stretched_rope_shows_its_strain() {
        let grid = Grid::new(&[3], &[false]);
        let h = grid.spacing(0);
        let rest = vec![DVec3::ZERO, h * DVec3::X, 2.0 * h * DVec3::X];
        let rope = BodyDescription::new("rope", grid, rest, Weights::uniform(3, 7.0, 0.0, 0.0));
        let mut body = Body::new(rope).unwrap();
        body.state.positions[2].x += 0.5 * h;
        let fields = body.formulation().fields(&body);
        assert_eq!(fields[0].name, "strain");
        for (found, expected) in fields[0].values.iter().zip([0.0, 0.5, 0.5]) {
            assert!((found - expected).abs() < 1e-14);
        }
        assert!((fields[1].values[2] - 7.0 * (1.5 * 1.5 - 1.0)).abs() < 1e-12);
    }
}
