//! The energy of a rod: it resists stretching, bending about two axes and twisting.
//!
//! ```text
//! E = Σ ½ w¹ ((|e| - |ē|)/h)²                                          edges
//!   + Σ ½ w² ((κ₁ - κ̄₁)² + c (κ₂ - κ̄₂)²) + ½ w³ (τ - τ̄)²              nodes between edges
//!   + Σ ½ k ((a·t)² + (|a⊥| - r)²)                                     frame points
//! ```
//!
//! w¹, w² and w³ are the weights of a curve as in `elastic/material.rs` (w² = E I ℓ, w³ = G J ℓ), c is the
//! stiffness against bending along the first director by that across it. Bending and twist depend on a
//! frame point by its angle about the edge only, so the last row, which keeps its arm upright and r long,
//! takes no part in them: it is zero in every balance, whatever k.
//!
//! Implements: \[Bergou2008\] eq. 3 and sect. 4.2. The first part of each Hessian, k ∇s ∇sᵀ, is its positive
//! part.

use super::frames::Edges;
use super::measures::{arm, bending_and_twist, bending_and_twist_slopes};
use super::number::Slope;
use crate::elastic::{EdgeLength, Jet, Measure, Weights};
use crate::energy::{Curvature, Energy};
use crate::grid::Grid;
use crate::linear::BlockMatrix;
use crate::math::outer;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// How the edges and arms at a node follow from the two nodes beside it, the node and two frame points:
/// x₀, x₁, x₂, g₀, g₁ to e₀, e₁, a₀, a₁.
const PARTS: [[f64; 4]; 5] = [
    [-1.0, 0.0, -0.5, 0.0],
    [1.0, -1.0, -0.5, -0.5],
    [0.0, 1.0, 0.0, -0.5],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// The same for one edge: x₀, x₁, g to e, a.
const EDGE_PARTS: [[f64; 2]; 3] = [[-1.0, -0.5], [1.0, -0.5], [0.0, 1.0]];

/// Stiffness of arms where a rod resists neither bending nor twisting, by that of its stretching.
const LEAST_HOLD: f64 = 1e-3;

#[derive(Clone, Debug)]
struct Stretch {
    nodes: [usize; 2],
    measure: EdgeLength,
    stiffness: f64,
    rest: f64,
}

/// Terms ½ k (s - s⁰)² of measures of the same nodes: N nodes make P parts, of which M measures are made.
#[derive(Clone, Debug)]
struct Joint<const N: usize, const M: usize> {
    nodes: [usize; N],
    length: f64,
    stiffnesses: [f64; M],
    rests: [f64; M],
}

/// The energy of a rod; see the module.
#[derive(Clone, Debug)]
pub(crate) struct RodEnergy {
    stretches: Vec<Stretch>,
    bends: Vec<Joint<5, 3>>,
    arms: Vec<Joint<3, 2>>,
    /// Where the blocks of the nodes of each term are in the matrix, row by row: stretches first, then bends,
    /// then arms.
    slots: Vec<u32>,
    /// Bending and twist with their slopes, at the positions that were seen last: the gradient and the Hessian
    /// of an iteration look at the same ones.
    bent: Vec<[Slope<12>; 3]>,
    seen: Vec<DVec3>,
}

impl RodEnergy {
    /// Of a rod whose nodes and frame points are at `rest`. `across` is c.
    pub(crate) fn new(grid: &Grid, rest: &[DVec3], weights: &Weights, across: f64) -> Self {
        let edges = Edges::of(grid);
        let h = grid.spacing(0);
        let lengths: Vec<f64> = edges.lengths(rest);
        let tension = |node: usize| weights.tensions[node][0][0];
        let stretches = edges.pairs().enumerate().map(|(edge, [a, b])| Stretch {
            nodes: [a, b],
            measure: EdgeLength { scale: 1.0 / h },
            stiffness: 0.5 * (tension(a) + tension(b)),
            rest: lengths[edge] / h,
        });
        let bends = edges.joints().map(|([before, after], nodes)| {
            let length = 0.5 * (lengths[before] + lengths[after]);
            let rigidity = weights.rigidities[nodes[1]][0][0];
            let stiffnesses = [rigidity, rigidity * across, weights.twists[nodes[1]]];
            let mut bend = Joint {
                nodes,
                length,
                stiffnesses,
                rests: [0.0; 3],
            };
            bend.rests = bending_and_twist(&bend.variables(&PARTS, rest), length);
            bend
        });
        let bends: Vec<Joint<5, 3>> = bends.collect();
        let mut holds = vec![0.0_f64; lengths.len()];
        for (([before, after], _), bend) in edges.joints().zip(&bends) {
            let stiffest = bend.stiffnesses.iter().fold(0.0_f64, |a, b| a.max(*b));
            for edge in [before, after] {
                holds[edge] = holds[edge].max(stiffest / bend.length.powi(2));
            }
        }
        let stretches: Vec<Stretch> = stretches.collect();
        let arms = edges.pairs().enumerate().map(|(edge, [a, b])| {
            let length = lengths[edge];
            let least = LEAST_HOLD * stretches[edge].stiffness / (h * h);
            let hold = (holds[edge] / (length * length)).max(least);
            let mut joint = Joint {
                nodes: [a, b, edges.frame_point(edge)],
                length,
                stiffnesses: [hold; 2],
                rests: [0.0; 2],
            };
            joint.rests = arm(&joint.variables(&EDGE_PARTS, rest), length);
            joint
        });
        Self {
            arms: arms.collect(),
            stretches,
            bends,
            slots: Vec::new(),
            bent: Vec::new(),
            seen: Vec::new(),
        }
    }
}

for_this_processor! {
    /// Lists bending and twist at nodes with their slopes.
    fn find_slopes(bends: &[Joint<5, 3>], positions: &[DVec3], bent: &mut Vec<[Slope<12>; 3]>) {
        for term in bends {
            let variables = term.variables(&PARTS, positions);
            bent.push(bending_and_twist_slopes(&variables, term.length));
        }
    }
}

impl RodEnergy {
    /// Finds bending and twist with their slopes, unless these positions were seen last.
    fn bend(&mut self, positions: &[DVec3]) {
        if self.seen == positions {
            return;
        }
        self.seen.clear();
        self.seen.extend_from_slice(positions);
        self.bent.clear();
        find_slopes(&self.bends, positions, &mut self.bent);
    }

    /// κ₁, κ₂ and τ at each node between edges, in 1/m, with the nodes they depend on.
    pub(crate) fn measured(
        grid: &Grid,
        rest: &[DVec3],
        x: &[DVec3],
    ) -> Vec<([usize; 5], [f64; 3])> {
        let edges = Edges::of(grid);
        let lengths = edges.lengths(rest);
        let measure = |([before, after], nodes): ([usize; 2], [usize; 5])| {
            let length = 0.5 * (lengths[before] + lengths[after]);
            let values = [0.0; 3];
            let joint = Joint {
                nodes,
                length,
                stiffnesses: values,
                rests: values,
            };
            let variables = joint.variables(&PARTS, x);
            (nodes, bending_and_twist(&variables, length))
        };
        edges.joints().map(measure).collect()
    }
}

impl<const N: usize, const M: usize> Joint<N, M> {
    /// Edges and arms, as numbers.
    #[inline(always)]
    fn variables<const P: usize, const V: usize>(
        &self,
        parts: &[[f64; P]; N],
        x: &[DVec3],
    ) -> [f64; V] {
        let mut sums = [DVec3::ZERO; P];
        for (&node, factors) in self.nodes.iter().zip(parts) {
            for (sum, factor) in sums.iter_mut().zip(factors) {
                *sum += *factor * x[node];
            }
        }
        let mut numbers = [0.0; V];
        for (numbers, sum) in numbers.chunks_exact_mut(3).zip(sums) {
            numbers.copy_from_slice(&sum.to_array());
        }
        numbers
    }

    fn energy(&self, values: [f64; M]) -> f64 {
        let terms = values.iter().zip(&self.rests).zip(&self.stiffnesses);
        terms
            .map(|((s, rest), k)| 0.5 * k * (s - rest).powi(2))
            .sum()
    }

    /// Adds the gradient, given the measures with their slopes.
    fn add_gradient<const P: usize, const V: usize>(
        &self,
        parts: &[[f64; P]; N],
        values: &[Slope<V>; M],
        gradient: &mut [DVec3],
    ) {
        let mut slope = [0.0; V];
        for (m, value) in values.iter().enumerate() {
            let force = self.stiffnesses[m] * (value.value - self.rests[m]);
            for (sum, part) in slope.iter_mut().zip(value.gradient) {
                *sum += force * part;
            }
        }
        for (&node, factors) in self.nodes.iter().zip(parts) {
            for (p, factor) in factors.iter().enumerate() {
                let part = DVec3::new(slope[3 * p], slope[3 * p + 1], slope[3 * p + 2]);
                gradient[node] += *factor * part;
            }
        }
    }

    /// Adds a Hessian by the edges and arms to that by the nodes.
    fn add_hessian<const P: usize, const V: usize>(
        &self,
        parts: &[[f64; P]; N],
        hessian: &[[f64; V]; V],
        slots: &[u32],
        matrix: &mut BlockMatrix,
    ) {
        let mut slots = slots.iter();
        let block = |p: usize, q: usize| {
            DMat3::from_cols_array_2d(&std::array::from_fn(|column| {
                std::array::from_fn(|row| hessian[3 * p + row][3 * q + column])
            }))
        };
        for of_a in parts {
            for of_b in parts {
                let mut sum = DMat3::ZERO;
                for (p, left) in of_a.iter().enumerate() {
                    for (q, right) in of_b.iter().enumerate() {
                        let factor = left * right;
                        if factor != 0.0 {
                            sum += factor * block(p, q);
                        }
                    }
                }
                if let Some(&slot) = slots.next() {
                    matrix.add_at(slot as usize, sum);
                }
            }
        }
    }

    /// Adds k ∇s ∇sᵀ of all measures, given with their slopes.
    fn add_positive<const P: usize, const V: usize>(
        &self,
        parts: &[[f64; P]; N],
        values: &[Slope<V>; M],
        slots: &[u32],
        matrix: &mut BlockMatrix,
    ) {
        let mut by_nodes = [[DVec3::ZERO; N]; M];
        for (by_nodes, value) in by_nodes.iter_mut().zip(values) {
            for (by_node, factors) in by_nodes.iter_mut().zip(parts) {
                for (p, factor) in factors.iter().enumerate() {
                    *by_node += *factor * DVec3::from_slice(&value.gradient[3 * p..3 * p + 3]);
                }
            }
        }
        for a in 0..N {
            for b in 0..=a {
                let mut block = DMat3::ZERO;
                for (slopes, stiffness) in by_nodes.iter().zip(&self.stiffnesses) {
                    block += outer(*stiffness * slopes[a], slopes[b]);
                }
                matrix.add_at(slots[N * a + b] as usize, block);
                if a != b {
                    matrix.add_at(slots[N * b + a] as usize, block.transpose());
                }
            }
        }
    }

    /// k (∇s ∇sᵀ + (s - s⁰) ∇²s) of all measures.
    fn full<const V: usize>(&self, values: [Jet<V>; M]) -> [[f64; V]; V] {
        let entry = |i: usize, j: usize| -> f64 {
            let terms = values.iter().enumerate();
            let of_one = |(m, s): (usize, &Jet<V>)| {
                let bent = (s.value - self.rests[m]) * s.hessian[i][j];
                self.stiffnesses[m] * (s.gradient[i] * s.gradient[j] + bent)
            };
            terms.map(of_one).sum()
        };
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    }
}

fn slopes<const V: usize>(values: [f64; V]) -> [Slope<V>; V] {
    std::array::from_fn(|v| Slope::variable(values[v], v))
}

fn jets<const V: usize>(values: [f64; V]) -> [Jet<V>; V] {
    std::array::from_fn(|v| Jet::variable(values[v], v))
}

impl Energy for RodEnergy {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        let mut all = |nodes: &[usize]| {
            for &a in nodes {
                nodes.iter().filter(|b| **b != a).for_each(|&b| visit(a, b));
            }
        };
        self.stretches.iter().for_each(|term| all(&term.nodes));
        self.bends.iter().for_each(|term| all(&term.nodes));
        self.arms.iter().for_each(|term| all(&term.nodes));
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let mut slots = Vec::new();
        let mut all = |nodes: &[usize]| {
            for &a in nodes {
                slots.extend(nodes.iter().map(|&b| match matrix.slot(a, b) {
                    Some(slot) => slot as u32,
                    None => panic!("nodes {a} and {b} are not coupled"),
                }));
            }
        };
        self.stretches.iter().for_each(|term| all(&term.nodes));
        self.bends.iter().for_each(|term| all(&term.nodes));
        self.arms.iter().for_each(|term| all(&term.nodes));
        self.slots = slots;
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        let stretch = |term: &Stretch| {
            let value = term.measure.value(&term.nodes.map(|node| positions[node]));
            0.5 * term.stiffness * (value - term.rest).powi(2)
        };
        let bend = |term: &Joint<5, 3>| {
            let variables = term.variables(&PARTS, positions);
            term.energy(bending_and_twist(&variables, term.length))
        };
        let upright = |term: &Joint<3, 2>| {
            let variables = term.variables(&EDGE_PARTS, positions);
            term.energy(arm(&variables, term.length))
        };
        let stretched: f64 = self.stretches.iter().map(stretch).sum();
        let bent: f64 = self.bends.iter().map(bend).sum();
        stretched + bent + self.arms.iter().map(upright).sum::<f64>()
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        for term in &self.stretches {
            let (value, slope) = term
                .measure
                .gradient(&term.nodes.map(|node| positions[node]));
            let force = term.stiffness * (value - term.rest);
            for (&node, slope) in term.nodes.iter().zip(slope) {
                gradient[node] += force * slope;
            }
        }
        self.bend(positions);
        for (term, values) in self.bends.iter().zip(&self.bent) {
            term.add_gradient(&PARTS, values, gradient);
        }
        for term in &self.arms {
            let variables = slopes(term.variables(&EDGE_PARTS, positions));
            term.add_gradient(&EDGE_PARTS, &arm(&variables, term.length), gradient);
        }
    }

    fn is_true_hessian_dear(&self) -> bool {
        true
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        if curvature != Curvature::Full {
            self.bend(positions);
        }
        let (of_stretches, others) = self.slots.split_at(4 * self.stretches.len());
        let (of_bends, of_arms) = others.split_at(25 * self.bends.len());
        for (term, slots) in self.stretches.iter().zip(of_stretches.chunks_exact(4)) {
            let x = term.nodes.map(|node| positions[node]);
            let (value, slope) = term.measure.gradient(&x);
            let residual = term.stiffness * (value - term.rest);
            let bent = term.measure.second_derivative(&x, residual, curvature);
            for i in 0..2 {
                for j in 0..2 {
                    let square = term.stiffness * outer(slope[i], slope[j]);
                    matrix.add_at(slots[2 * i + j] as usize, square + bent[i][j]);
                }
            }
        }
        for (index, (term, slots)) in self.bends.iter().zip(of_bends.chunks_exact(25)).enumerate() {
            if curvature == Curvature::Full {
                let variables = term.variables(&PARTS, positions);
                let hessian = term.full(bending_and_twist(&jets(variables), term.length));
                term.add_hessian(&PARTS, &hessian, slots, matrix);
            } else {
                term.add_positive(&PARTS, &self.bent[index], slots, matrix);
            }
        }
        for (term, slots) in self.arms.iter().zip(of_arms.chunks_exact(9)) {
            let variables = term.variables(&EDGE_PARTS, positions);
            match curvature {
                Curvature::Full => {
                    let hessian = term.full(arm(&jets(variables), term.length));
                    term.add_hessian(&EDGE_PARTS, &hessian, slots, matrix);
                }
                Curvature::Positive | Curvature::Material => {
                    let values = arm(&slopes(variables), term.length);
                    term.add_positive(&EDGE_PARTS, &values, slots, matrix);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
