//! The energy of a snake: a membrane that shrinks and a thin plate that straightens.
//!
//! ```text
//! curve     E = ½ ∫ α |v_s|² + β |v_ss|² ds
//!             ≈ ½ Σ α |v_{i+1} - v_i|² / h + ½ Σ β_i |v_{i+1} - 2 v_i + v_{i-1}|² / h³
//! surface   E = ½ ∫ α_11 |v_s|² + α_22 |v_r|² + β_11 |v_ss|² + 2 β_12 |v_sr|² + β_22 |v_rr|² ds dr
//! ```
//!
//! s and r are lengths along the rest shape, h its mean spacing, in metres; α in newtons, β in newton square
//! metres, on a surface per metre. An edge has the mean α of its ends. Where β is zero the curve may have a
//! corner. It has no rest shape: without an image it shrinks to a point. Dynamic NURBS have the same energy.
//!
//! Implements: \[Gibson1997\] eq. 11. Departs from the differences printed there by the power of h in the
//! second, which is a misprint.

use crate::elastic::Weights;
use crate::energy::{Curvature, Energy};
use crate::grid::Grid;
use crate::linear::BlockMatrix;
use glam::{DMat3, DVec3};

/// A weighted sum of nodes whose square is an energy.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    nodes: [usize; 4],
    factors: [f64; 4],
    weight: f64,
}

/// The energy of a curve or a surface; see the module.
#[derive(Clone, Debug)]
pub(crate) struct SnakeEnergy {
    terms: Vec<Term>,
}

impl SnakeEnergy {
    pub(crate) fn new(grid: &Grid, rest: &[DVec3], weights: &Weights) -> Self {
        let spacings = [0, 1].map(|d| mean_spacing(grid, rest, d));
        let mut terms = Vec::new();
        for d in 0..grid.dimension().min(2) {
            let h = spacings[d];
            for node in 0..grid.node_count() {
                let at = grid.coordinates(node);
                let width = width_across(grid, at, d, spacings);
                let mut step = [0; 3];
                step[d] = 1;
                let next = grid.neighbour(at, step);
                step[d] = -1;
                let previous = grid.neighbour(at, step);
                let alpha = |node: usize| weights.tensions[node][d][d];
                if let Some(next) = next {
                    terms.push(Term {
                        nodes: [node, next, node, node],
                        factors: [-1.0, 1.0, 0.0, 0.0],
                        weight: 0.5 * (alpha(node) + alpha(next)) * width / h,
                    });
                }
                if let (Some(previous), Some(next)) = (previous, next) {
                    terms.push(Term {
                        nodes: [previous, node, next, node],
                        factors: [1.0, -2.0, 1.0, 0.0],
                        weight: weights.rigidities[node][d][d] * width / h.powi(3),
                    });
                }
            }
        }
        if grid.dimension() == 2 {
            add_twists(grid, weights, spacings, &mut terms);
        }
        terms.retain(|term| term.weight > 0.0);
        Self { terms }
    }

    /// Its terms.
    pub(crate) fn squares(&self) -> impl Iterator<Item = &Term> {
        self.terms.iter()
    }
}

/// The mean length of the edges along a direction, in metres; 1 where there is no such direction.
fn mean_spacing(grid: &Grid, rest: &[DVec3], direction: usize) -> f64 {
    if direction >= grid.dimension() {
        return 1.0;
    }
    let mut step = [0; 3];
    step[direction] = 1;
    let (mut sum, mut count) = (0.0, 0);
    for (node, at) in grid.nodes().enumerate() {
        if let Some(next) = grid.neighbour(at, step) {
            sum += rest[node].distance(rest[next]);
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

/// The width of a surface that a node stands for across a direction, in metres: half at a rim; 1 on curves.
fn width_across(grid: &Grid, at: [usize; 3], direction: usize, spacings: [f64; 2]) -> f64 {
    if grid.dimension() < 2 {
        return 1.0;
    }
    let other = 1 - direction;
    let at_rim = at[other] == 0 || at[other] + 1 == grid.counts()[other];
    if at_rim && !grid.periodic()[other] {
        0.5 * spacings[other]
    } else {
        spacings[other]
    }
}

/// 2 β_12 |v_sr|² over each cell, with the mean β_12 of its corners.
fn add_twists(grid: &Grid, weights: &Weights, [h0, h1]: [f64; 2], terms: &mut Vec<Term>) {
    for at in grid.cells() {
        let corner = |i: i32, j: i32| grid.neighbour(at, [i, j, 0]);
        let corners = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
        let [Some(a), Some(b), Some(c), Some(d)] = corners else {
            continue;
        };
        let nodes = [a, b, c, d];
        let twist = |node: usize| weights.rigidities[node][0][1];
        terms.push(Term {
            nodes,
            factors: [1.0, -1.0, -1.0, 1.0],
            weight: 2.0 * 0.25 * nodes.map(twist).iter().sum::<f64>() / (h0 * h1),
        });
    }
}

impl Term {
    /// The sum of the nodes, in metres.
    pub(crate) fn value(&self, x: &[DVec3]) -> DVec3 {
        let parts = self.nodes.iter().zip(self.factors);
        parts.map(|(&node, factor)| factor * x[node]).sum()
    }

    /// Nodes and their factors.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let parts = self.nodes.iter().copied().zip(self.factors);
        parts.filter(|(_, factor)| *factor != 0.0)
    }

    /// What half the square is multiplied by, in newtons per metre.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
}

impl Energy for SnakeEnergy {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for term in &self.terms {
            for (a, _) in term.parts() {
                for (b, _) in term.parts() {
                    if a != b {
                        visit(a, b);
                    }
                }
            }
        }
    }

    fn attach(&mut self, _matrix: &BlockMatrix) {}

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        let terms = self.terms.iter();
        terms
            .map(|term| 0.5 * term.weight * term.value(positions).length_squared())
            .sum()
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        for term in &self.terms {
            let pull = term.weight * term.value(positions);
            for (node, factor) in term.parts() {
                gradient[node] += factor * pull;
            }
        }
    }

    fn add_hessian(&mut self, _: &[DVec3], _: Curvature, matrix: &mut BlockMatrix) {
        for term in &self.terms {
            for (a, fa) in term.parts() {
                for (b, fb) in term.parts() {
                    let value = DVec3::splat(term.weight * fa * fb);
                    matrix.add(a, b, DMat3::from_diagonal(value));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A circle of radius r: |v_s|² = (r/R)², |v_ss|² = (r/R²)² over a rest length of 2 π R.
    #[test]
    fn a_circle_has_the_energy_of_the_integral() {
        let count = 400;
        let grid = Grid::new(&[count], &[true]);
        let circle = |r: f64| -> Vec<DVec3> {
            let angle = |i: usize| std::f64::consts::TAU * i as f64 / count as f64;
            (0..count)
                .map(|i| r * DVec3::new(angle(i).cos(), angle(i).sin(), 0.0))
                .collect()
        };
        let mut energy =
            SnakeEnergy::new(&grid, &circle(2.0), &Weights::uniform(count, 3.0, 0.7, 0.0));
        let length = std::f64::consts::TAU * 2.0;
        let (r, big): (f64, f64) = (1.5, 2.0);
        let expected = 0.5 * length * (3.0 * (r / big).powi(2) + 0.7 * (r / (big * big)).powi(2));
        assert!((energy.energy(&circle(r)) / expected - 1.0).abs() < 1e-3);
    }

    #[test]
    fn gradient_and_hessian_are_derivatives() {
        let count = 7;
        let grid = Grid::new(&[count], &[false]);
        let place =
            |i: usize, k: f64| DVec3::new((i as f64 * k).sin(), i as f64, (k * i as f64).cos());
        let rest: Vec<DVec3> = (0..count).map(|i| place(i, 0.3)).collect();
        let x: Vec<DVec3> = (0..count).map(|i| place(i, 1.7)).collect();
        let d: Vec<DVec3> = (0..count).map(|i| place(i, 2.9)).collect();
        let mut weights = Weights::uniform(count, 3.0, 0.7, 0.0);
        weights.rigidities[3] = [[0.0; 2]; 2];
        let mut energy = SnakeEnergy::new(&grid, &rest, &weights);
        let mut pairs = Vec::new();
        energy.couplings(&mut |a, b| pairs.push((a, b)));
        let mut matrix = BlockMatrix::new(count, pairs.into_iter());
        energy.add_hessian(&x, Curvature::Full, &mut matrix);
        let moved = |t: f64| -> Vec<DVec3> { x.iter().zip(&d).map(|(x, d)| *x + t * *d).collect() };
        let mut slope = vec![DVec3::ZERO; count];
        energy.add_gradient(&x, &mut slope);
        let expected = (energy.energy(&moved(1e-4)) - energy.energy(&moved(-1e-4))) / 2e-4;
        let found: f64 = slope.iter().zip(&d).map(|(g, d)| g.dot(*d)).sum();
        assert!(
            (found - expected).abs() < 1e-7 * expected.abs(),
            "{found} {expected}"
        );
        let mut product = vec![DVec3::ZERO; count];
        matrix.multiply(&d, &mut product);
        let mut later = vec![DVec3::ZERO; count];
        energy.add_gradient(&moved(1.0), &mut later);
        for node in 0..count {
            assert!((later[node] - slope[node]).distance(product[node]) < 1e-10);
        }
    }
}
