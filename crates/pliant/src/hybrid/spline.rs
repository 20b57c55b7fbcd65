//! The controlled-continuity spline energy of a deformation and its constant stiffness matrix.
//!
//! ```text
//! E(e) = ½ Σ w0 |e|² + Σ_i w_i |D_i⁺ e|² + Σ_i w_ii |D_ii e|² + 2 Σ_{i<j} w_ij |D_ij⁺ e|²  = ½ eᵀ K e
//! K e  = w0 e - D_i⁻(w_i D_i⁺ e) + D_ii(w_ii D_ii e) + 2 D_ij⁻(w_ij D_ij⁺ e)
//! ```
//!
//! The matrix is summed from the differences, each adding w d dᵀ, so it is symmetric and positive
//! semi-definite whatever the weights. A difference that would reach beyond a free edge does not
//! exist: the free boundary of the paper. In a periodic direction all exist.
//!
//! The matrix is the same for the three components of e.
//!
//! Implements: \[Terzopoulos1988\] eq. 18, 19 and 43-45, for curves, surfaces and solids.

use super::weights::{PAIRS, SplineWeights, cell, edge, line};
use crate::grid::Grid;
use crate::linear::GridMatrix;

/// A zero matrix with room for the stiffness of weights.
pub(super) fn stiffness_pattern(grid: &Grid, bends: bool) -> GridMatrix {
    let mut steps = Vec::new();
    for d in 0..grid.dimension() {
        let mut step = [0; 3];
        step[d] = 1;
        steps.push(step);
        if bends {
            step[d] = 2;
            steps.push(step);
        }
    }
    if bends {
        for (a, b) in PAIRS.into_iter().filter(|(_, b)| *b < grid.dimension()) {
            for sign in [1, -1] {
                let mut step = [0; 3];
                (step[a], step[b]) = (1, sign);
                steps.push(step);
            }
        }
    }
    GridMatrix::new(grid, &steps)
}

/// Fills a matrix with the stiffness K.
pub(super) fn fill_stiffness(grid: &Grid, weights: &SplineWeights, matrix: &mut GridMatrix) {
    matrix.clear();
    each_difference(grid, weights, |nodes, factors, weight| {
        add_difference(matrix, nodes, factors, weight);
    });
}

/// ½ eᵀ K e of a deformation, three numbers per node.
pub(super) fn energy_of(grid: &Grid, weights: &SplineWeights, e: &[f64]) -> f64 {
    let mut twice = 0.0;
    each_difference(grid, weights, |nodes, factors, weight| {
        for axis in 0..3 {
            let terms = nodes.iter().zip(factors);
            let difference: f64 = terms.map(|(&node, d)| d * e[3 * node + axis]).sum();
            twice += weight * difference * difference;
        }
    });
    0.5 * twice
}

/// Calls `add` with the nodes, factors d and weight of each difference that has one: K is the sum of all w d dᵀ.
fn each_difference(
    grid: &Grid,
    weights: &SplineWeights,
    mut add: impl FnMut(&[usize], &[f64], f64),
) {
    for (node, at) in grid.nodes().enumerate() {
        if weights.zeroth[node] != 0.0 {
            add(&[node], &[1.0], weights.zeroth[node]);
        }
        for d in 0..grid.dimension() {
            let h = grid.spacing(d);
            let weight = weights.first[node][d] / (h * h);
            if weight != 0.0
                && let Some(span) = edge(grid, at, d)
            {
                add(&span, &[-1.0, 1.0], weight);
            }
            let weight = weights.second[node][d] / h.powi(4);
            if weight != 0.0
                && let Some(span) = line(grid, at, d)
            {
                add(&span, &[1.0, -2.0, 1.0], weight);
            }
        }
        for (pair, (a, b)) in PAIRS.into_iter().enumerate() {
            if b >= grid.dimension() {
                continue;
            }
            let area = grid.spacing(a) * grid.spacing(b);
            let weight = 2.0 * weights.mixed[node][pair] / (area * area);
            if weight != 0.0
                && let Some(span) = cell(grid, at, a, b)
            {
                add(&span, &[1.0, -1.0, -1.0, 1.0], weight);
            }
        }
    }
}

/// Adds w d dᵀ.
fn add_difference(matrix: &mut GridMatrix, nodes: &[usize], factors: &[f64], weight: f64) {
    for (&row, &a) in nodes.iter().zip(factors) {
        for (&column, &b) in nodes.iter().zip(factors) {
            matrix.add(row, column, weight * a * b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::weights::NodeWeights;
    use super::*;

    /// Eq. 44 written out for a surface, with differences that vanish over free edges.
    fn printed(grid: &Grid, weights: &SplineWeights, e: &[f64]) -> Vec<f64> {
        let mut force = vec![0.0; e.len()];
        for (node, at) in grid.nodes().enumerate() {
            force[node] += weights.zeroth[node] * e[node];
            for d in 0..2 {
                let h = grid.spacing(d);
                if let Some([a, b]) = edge(grid, at, d) {
                    let inner = weights.first[node][d] * (e[b] - e[a]) / h;
                    force[a] -= inner / h;
                    force[b] += inner / h;
                }
                if let Some([a, b, c]) = line(grid, at, d) {
                    let inner = weights.second[node][d] * (e[a] - 2.0 * e[b] + e[c]) / (h * h);
                    force[a] += inner / (h * h);
                    force[b] -= 2.0 * inner / (h * h);
                    force[c] += inner / (h * h);
                }
            }
            if let Some([a, b, c, d]) = cell(grid, at, 0, 1) {
                let area = grid.spacing(0) * grid.spacing(1);
                let inner = weights.mixed[node][0] * (e[a] - e[b] - e[c] + e[d]) / area;
                for (n, sign) in [(a, 1.0), (b, -1.0), (c, -1.0), (d, 1.0)] {
                    force[n] += 2.0 * sign * inner / area;
                }
            }
        }
        force
    }

    fn varied(node: usize) -> NodeWeights {
        let t = 1.0 + 0.5 * (node as f64 * 1.7).sin();
        NodeWeights {
            zeroth: 0.3 * t,
            first: [t, 0.4, 0.8 * t],
            second: [0.02 * t, 0.01, 0.03],
            mixed: [0.02, 0.015 * t, 0.01],
        }
    }

    #[test]
    fn the_matrix_is_the_printed_force() {
        for periodic in [[false, false], [true, false], [true, true]] {
            let grid = Grid::new(&[6, 5], &periodic);
            let weights = SplineWeights::from_nodes(&grid, varied);
            let mut matrix = stiffness_pattern(&grid, weights.bends());
            fill_stiffness(&grid, &weights, &mut matrix);
            let n = grid.node_count();
            let mut e = vec![0.0; 3 * n];
            for (i, value) in e.iter_mut().enumerate() {
                *value = (i as f64 * 0.61).sin();
            }
            let mut force = vec![0.0; 3 * n];
            matrix.multiply(&e, &mut force);
            let expected = printed(&grid, &weights, &e[..n]);
            for (found, expected) in force.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-10 * expected.abs().max(1.0));
            }
        }
    }

    /// Without order 0 a shift costs nothing, without order 1 a linear deformation neither.
    #[test]
    fn each_order_is_blind_to_what_it_should_be() {
        for counts in [vec![7], vec![5, 6], vec![4, 5, 3]] {
            let grid = Grid::new(&counts, &vec![false; counts.len()]);
            let n = grid.node_count();
            let linear: Vec<f64> = grid
                .nodes()
                .map(|at| {
                    let [u, v, w] = grid.material_coordinates(at);
                    1.0 + 2.0 * u - 3.0 * v + 0.5 * w
                })
                .collect();
            let field: Vec<f64> = [vec![1.0; n], linear, vec![0.0; n]].concat();
            let size = |keep: fn(&mut NodeWeights)| {
                let weights = SplineWeights::from_nodes(&grid, |node| {
                    let mut node_weights = varied(node);
                    keep(&mut node_weights);
                    node_weights
                });
                let mut matrix = stiffness_pattern(&grid, true);
                fill_stiffness(&grid, &weights, &mut matrix);
                let mut force = vec![0.0; 3 * n];
                matrix.multiply(&field, &mut force);
                let largest = |part: &[f64]| part.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                (largest(&force[..n]), largest(&force[n..2 * n]))
            };
            let first = size(|w| (w.zeroth, w.second, w.mixed) = (0.0, [0.0; 3], [0.0; 3]));
            assert!(first.0 < 1e-12 && first.1 > 1e-3);
            let second = size(|w| (w.zeroth, w.first) = (0.0, [0.0; 3]));
            assert!(second.0 < 1e-9 && second.1 < 1e-9, "{second:?}");
            assert!(size(|_| ()).0 > 1e-3);
        }
    }
}
