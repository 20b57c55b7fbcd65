//! A dense matrix of sums of squares: what the method of Gauss and Newton solves with.

use super::samples::Sampled;
use crate::linear::DenseCholesky;
use glam::DVec3;

/// A linear function of samples: a vector for each node that takes part.
pub(super) type Functional = [(usize, DVec3)];

/// A gradient and a matrix over the unknowns: three coordinates for each control point, then the logarithms
/// of the weights if they move.
#[derive(Debug)]
pub(super) struct Squares {
    control_count: usize,
    size: usize,
    /// Weights that stay.
    held: Vec<bool>,
    matrix: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    /// The derivative of a functional by the unknowns, and which of it is not zero.
    row: Vec<f64>,
    touched: Vec<usize>,
}

impl Squares {
    pub(super) fn new(control_count: usize, moving_weights: bool, held: &[bool]) -> Self {
        let size = control_count * if moving_weights { 4 } else { 3 };
        Self {
            control_count,
            size,
            held: held.to_vec(),
            matrix: vec![0.0; size * size],
            gradient: vec![0.0; size],
            row: vec![0.0; size],
            touched: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.matrix.fill(0.0);
        self.gradient.fill(0.0);
    }

    fn add_to_row(&mut self, unknown: usize, value: f64) {
        if self.row[unknown] == 0.0 {
            self.touched.push(unknown);
        }
        self.row[unknown] += value;
    }

    /// The derivative of Σ a · x by the unknowns: ∂x/∂c_j = R_j, ∂x/∂ln w_j = R_j (c_j - x).
    fn take_row(&mut self, at: &Sampled, functional: &Functional) {
        for unknown in self.touched.drain(..) {
            self.row[unknown] = 0.0;
        }
        let weights = 3 * self.control_count;
        for &(node, a) in functional {
            for &(j, r) in &at.functions[node] {
                for d in 0..3 {
                    if a[d] != 0.0 {
                        self.add_to_row(3 * j + d, a[d] * r);
                    }
                }
                if self.size > weights && !self.held[j] {
                    let arm = at.controls[j] - at.positions[node];
                    self.add_to_row(weights + j, r * a.dot(arm));
                }
            }
        }
    }

    /// Adds a function whose derivative by the functional is `slope` and whose second one is `curvature`.
    pub(super) fn add(
        &mut self,
        at: &Sampled,
        functional: &Functional,
        slope: f64,
        curvature: f64,
    ) {
        self.take_row(at, functional);
        self.touched.sort_unstable();
        self.touched.dedup();
        for (place, &p) in self.touched.iter().enumerate() {
            let value = self.row[p];
            self.gradient[p] += slope * value;
            let target = &mut self.matrix[p * self.size..][..self.size];
            for &q in &self.touched[..=place] {
                target[q] += curvature * value * self.row[q];
            }
        }
    }

    /// Adds to the gradient and the diagonal of one unknown.
    pub(super) fn add_alone(&mut self, unknown: usize, slope: f64, curvature: f64) {
        self.gradient[unknown] += slope;
        self.matrix[unknown * self.size + unknown] += curvature;
    }

    /// The mean diagonal entry of the control points.
    pub(super) fn mean_diagonal(&self) -> f64 {
        let count = 3 * self.control_count;
        let sum: f64 = (0..count).map(|n| self.matrix[n * self.size + n]).sum();
        sum / count as f64
    }

    /// Minus the solution for the gradient, if the matrix is positive definite.
    pub(super) fn solve(&self, factor: &mut DenseCholesky) -> Result<Vec<f64>, usize> {
        let size = self.size;
        factor.factorise_from(|row, target| {
            target[..=row].copy_from_slice(&self.matrix[row * size..][..=row]);
        })?;
        let right: Vec<[f64; 4]> = self.gradient.iter().map(|g| [-g, 0.0, 0.0, 0.0]).collect();
        let mut solution = vec![[0.0; 4]; size];
        factor.solve(&right, &mut solution);
        Ok(solution.iter().map(|x| x[0]).collect())
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }
}
