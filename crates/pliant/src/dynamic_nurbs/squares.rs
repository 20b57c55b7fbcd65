//! A dense matrix of sums of squares: what the method of Gauss and Newton solves with.

use super::samples::Sampled;
use crate::linear::DenseCholesky;
use crate::math::symmetric_eigen;
use glam::{DMat3, DVec3};

/// A linear function of samples: a vector for each node that takes part.
pub(super) type Functional = [(usize, DVec3)];

/// A gradient and a matrix over the unknowns: three coordinates for each control point, then the logarithms
/// of the weights if they move.
///
/// Most functions know no direction: they are functions of s = Σ f x, whose derivative by a control point is a number
/// times the identity. What these say of control points is gathered once for all three coordinates, and stays as long as
/// the weights do; their slopes are gathered at the nodes.
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
    /// The derivatives of s by control points and by the logarithms of their weights, and which of them are not zero.
    shares: Vec<f64>,
    arms: Vec<DVec3>,
    reached: Vec<usize>,
    /// The matrix that the coordinates of control points have in common, and the weights for which it is known.
    shared: Vec<f64>,
    shared_for: Vec<f64>,
    /// Derivatives by the samples.
    pulls: Vec<DVec3>,
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
            shares: vec![0.0; control_count],
            arms: vec![DVec3::ZERO; control_count],
            reached: Vec::new(),
            shared: vec![0.0; control_count * control_count],
            shared_for: Vec::new(),
            pulls: Vec::new(),
        }
    }

    /// Begins a step: masses and its length may be others.
    pub(super) fn forget(&mut self) {
        self.shared_for.clear();
    }

    /// Begins a sum; says whether functions without a direction still have to say how stiff they are.
    pub(super) fn clear(&mut self, at: &Sampled) -> bool {
        self.matrix.fill(0.0);
        self.gradient.fill(0.0);
        self.pulls.clear();
        self.pulls.resize(at.positions.len(), DVec3::ZERO);
        let is_known = !self.moves_weights() && self.shared_for == at.weights;
        if !is_known {
            self.shared.fill(0.0);
            self.shared_for.clone_from(&at.weights);
        }
        !is_known
    }

    fn moves_weights(&self) -> bool {
        self.size > 3 * self.control_count
    }

    /// Adds the slope of a function of s = Σ f x; the parts of s are nodes and f.
    pub(super) fn pull(&mut self, parts: impl Iterator<Item = (usize, f64)>, slope: DVec3) {
        for (node, factor) in parts {
            self.pulls[node] += factor * slope;
        }
    }

    /// Adds the second derivative of a function of s = Σ f x: the same along all directions.
    pub(super) fn stiffen(
        &mut self,
        at: &Sampled,
        parts: impl Iterator<Item = (usize, f64)>,
        curvature: f64,
    ) {
        for j in self.reached.drain(..) {
            self.shares[j] = 0.0;
            self.arms[j] = DVec3::ZERO;
        }
        let with_weights = self.moves_weights();
        for (node, factor) in parts {
            for &(j, r) in &at.functions[node] {
                self.reached.push(j);
                self.shares[j] += factor * r;
                if with_weights && !self.held[j] {
                    self.arms[j] += factor * r * (at.controls[j] - at.positions[node]);
                }
            }
        }
        self.reached.sort_unstable();
        self.reached.dedup();
        for (place, &p) in self.reached.iter().enumerate() {
            let value = curvature * self.shares[p];
            let target = &mut self.shared[p * self.control_count..][..self.control_count];
            for &q in &self.reached[..=place] {
                target[q] += value * self.shares[q];
            }
        }
        if with_weights {
            self.stiffen_weights(curvature);
        }
    }

    /// The same for the weights, with the control points and with each other.
    fn stiffen_weights(&mut self, curvature: f64) {
        let first = 3 * self.control_count;
        for (place, &p) in self.reached.iter().enumerate() {
            let arm = curvature * self.arms[p];
            if arm == DVec3::ZERO {
                continue;
            }
            let target = &mut self.matrix[(first + p) * self.size..][..self.size];
            for &q in &self.reached {
                for d in 0..3 {
                    target[3 * q + d] += arm[d] * self.shares[q];
                }
            }
            for &q in &self.reached[..=place] {
                target[first + q] += arm.dot(self.arms[q]);
            }
        }
    }

    /// Ends a sum: hands what was gathered at the nodes and for all coordinates on to the unknowns.
    pub(super) fn finish(&mut self, at: &Sampled) {
        let first = 3 * self.control_count;
        let with_weights = self.moves_weights();
        for (node, pull) in self.pulls.iter().enumerate() {
            for &(j, r) in &at.functions[node] {
                for d in 0..3 {
                    self.gradient[3 * j + d] += r * pull[d];
                }
                if with_weights && !self.held[j] {
                    self.gradient[first + j] += r * pull.dot(at.controls[j] - at.positions[node]);
                }
            }
        }
        for p in 0..self.control_count {
            for q in 0..=p {
                let value = self.shared[p * self.control_count + q];
                for d in 0..3 {
                    self.matrix[(3 * p + d) * self.size + 3 * q + d] += value;
                }
            }
        }
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
                if self.moves_weights() && !self.held[j] {
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

    /// Adds the positive part of a block over the coordinates of a node.
    pub(super) fn add_block(&mut self, at: &Sampled, node: usize, block: DMat3) {
        if block == DMat3::ZERO {
            return;
        }
        let (values, vectors) = symmetric_eigen(block);
        for d in 0..3 {
            self.add(at, &[(node, vectors.col(d))], 0.0, values[d].max(0.0));
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
