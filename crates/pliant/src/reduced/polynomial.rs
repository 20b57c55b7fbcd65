//! Polynomial maps of a rest shape: few unknowns that deform a body as a whole.
//!
//! ```text
//! x_i = Σ_k p_k(ξ_i) q_k,     p = (1, ξ, η, ζ)                              degree 1
//!                             p = (1, ξ, η, ζ, ξ², η², ζ², ξη, ηζ, ζξ)      degree 2
//! ```
//!
//! ξ is the place at rest from its middle, by half the size of the body; q_k are 3-vectors in metres. Every node
//! is a fixed linear combination of them. Terms that the nodes cannot tell from those before them are left out:
//! a sheet in the plane ζ = 0 has the terms 1, ξ, η, ξ², η² and ξη, whose vectors move it in space all the same.
//!
//! Implements: \[Witkin1990\] sect. 2, the state R of a deformation R p(x).

use crate::linear::BlockMatrix;
use glam::{DMat3, DVec3};

/// The most unknowns there are.
pub(crate) const MOST: usize = 10;

/// What is left of a term that those before it nearly say, by its size.
const DEPENDENT: f64 = 1e-4;

/// The first terms of which none is a combination of those before it, at nodes of given masses.
fn independent(values: &[[f64; MOST]], masses: &[f64], count: usize) -> Vec<usize> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let (mut chosen, mut basis) = (Vec::new(), Vec::<Vec<f64>>::new());
    for term in 0..count {
        let weighted = values.iter().zip(masses);
        let mut column: Vec<f64> = weighted.map(|(p, m)| m.sqrt() * p[term]).collect();
        let size = dot(&column, &column).sqrt();
        // Twice, against rounding.
        for vector in basis.iter().chain(&basis) {
            let along = dot(&column, vector);
            column
                .iter_mut()
                .zip(vector)
                .for_each(|(x, b)| *x -= along * b);
        }
        let left = dot(&column, &column).sqrt();
        if left > DEPENDENT * size {
            column.iter_mut().for_each(|value| *value /= left);
            basis.push(column);
            chosen.push(term);
        }
    }
    chosen
}

/// p_k of each node.
#[derive(Clone, Debug)]
pub(crate) struct PolynomialBasis {
    values: Vec<[f64; MOST]>,
    count: usize,
}

impl PolynomialBasis {
    /// Of degree 1 or 2, for nodes of given masses.
    pub(crate) fn new(rest: &[DVec3], masses: &[f64], degree: usize) -> Self {
        let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let (middle, size) = (0.5 * (low + high), 0.5 * (high - low).max_element());
        let size = if size > 0.0 { size } else { 1.0 };
        let value = |x: &DVec3| {
            let DVec3 { x, y, z } = (*x - middle) / size;
            [1.0, x, y, z, x * x, y * y, z * z, x * y, y * z, z * x]
        };
        let all: Vec<[f64; MOST]> = rest.iter().map(value).collect();
        let chosen = independent(&all, masses, if degree == 1 { 4 } else { MOST });
        let keep = |terms: &[f64; MOST]| {
            let mut kept = [0.0; MOST];
            for (place, &term) in kept.iter_mut().zip(&chosen) {
                *place = terms[term];
            }
            kept
        };
        Self {
            values: all.iter().map(keep).collect(),
            count: chosen.len(),
        }
    }

    /// Number of unknowns.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// p of a node.
    pub(crate) fn at(&self, node: usize) -> &[f64] {
        &self.values[node][..self.count]
    }

    /// x = P q.
    pub(crate) fn place(&self, q: &[DVec3], x: &mut [DVec3]) {
        for (node, x) in x.iter_mut().enumerate() {
            *x = self.point(q, node);
        }
    }

    /// Where a node is.
    pub(crate) fn point(&self, q: &[DVec3], node: usize) -> DVec3 {
        let terms = self.at(node).iter().zip(q);
        terms.map(|(p, q)| *p * *q).sum()
    }

    /// Pᵀ f.
    pub(crate) fn gather(&self, f: &[DVec3]) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; self.count];
        for (node, f) in f.iter().enumerate() {
            for (sum, p) in sums.iter_mut().zip(self.at(node)) {
                *sum += *p * *f;
            }
        }
        sums
    }

    /// Σ w_i p_i p_iᵀ, row after row.
    pub(crate) fn gram(&self, weights: &[f64]) -> Vec<f64> {
        let m = self.count;
        let mut gram = vec![0.0; m * m];
        for (node, weight) in weights.iter().enumerate() {
            let p = self.at(node);
            for i in 0..m {
                for j in 0..m {
                    gram[i * m + j] += weight * p[i] * p[j];
                }
            }
        }
        gram
    }

    /// Adds Pᵀ A P to a matrix of 3m rows.
    pub(crate) fn add_reduced(&self, matrix: &BlockMatrix, sum: &mut [f64]) {
        let size = 3 * self.count;
        // A row of A P, and what its node makes of it.
        let mut products = vec![DMat3::ZERO; self.count];
        for row in 0..matrix.node_count() {
            products.fill(DMat3::ZERO);
            for slot in matrix.row_range(row) {
                let block = matrix.block(slot);
                for (product, q) in products.iter_mut().zip(self.at(matrix.column(slot))) {
                    *product += *block * *q;
                }
            }
            for (k, p) in self.at(row).iter().enumerate() {
                for (l, product) in products.iter().enumerate() {
                    for i in 0..3 {
                        for j in 0..3 {
                            sum[(3 * k + i) * size + 3 * l + j] += p * product.col(j)[i];
                        }
                    }
                }
            }
        }
    }

    /// Adds what a block of two nodes makes of it.
    pub(crate) fn add_block(&self, row: usize, column: usize, block: &DMat3, sum: &mut [f64]) {
        let size = 3 * self.count;
        for (k, p) in self.at(row).iter().enumerate() {
            for (l, q) in self.at(column).iter().enumerate() {
                let factor = p * q;
                for i in 0..3 {
                    for j in 0..3 {
                        sum[(3 * k + i) * size + 3 * l + j] += factor * block.col(j)[i];
                    }
                }
            }
        }
    }
}
