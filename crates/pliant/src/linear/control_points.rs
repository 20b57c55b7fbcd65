//! The control points of rigid cores in a preconditioner: unknowns that many nodes are coupled to.
//!
//! A scalar matrix cannot stand for control points: stiff springs keep them from being stretched, while
//! nothing keeps them from turning. So they are solved for by their own matrix, together with what
//! the soft parts about them do when they move:
//!
//! ```text
//! Z = [ φ ⊗ 1 ; 1 ],    φ = -S_uu⁻¹ S_uc,    z += Z (Zᵀ A Z)⁻¹ Zᵀ r
//! ```
//!
//! u are the nodes, c the control points. φ says by how much each node follows each control point as
//! far as the scalar matrix S of the body at rest can tell; as S does not know directions, φ serves
//! however the core has turned. Zᵀ A Z is that of the matrix at hand.

use super::dense_cholesky::DenseCholesky;
use super::lanes::Lanes;
use super::scalar_factor::Single;
use super::scalar_solver::ScalarSolver;
use super::{BlockMatrix, LinearError};
use glam::{DMat3, DVec3};

/// Weights below this are left out.
const FAINT: f32 = 1e-4;

/// Control points at most for which φ is found; beyond, control points move alone.
const MOST_FOLLOWED: usize = 64;

/// The correction; see the module. Rows of control points come after those of all nodes.
pub(super) struct ControlPoints {
    node_count: usize,
    control_count: usize,
    /// φ of each node in the order of the scalar matrix: where its weights begin, and the weights.
    starts: Vec<u32>,
    weights: Vec<(u32, f32)>,
    /// Zᵀ A Z, three rows per control point.
    matrix: Vec<f64>,
    factor: DenseCholesky,
    sums: Vec<DVec3>,
    answers: Vec<DVec3>,
    flat: [Vec<Lanes>; 2],
    /// A Z of one row.
    row: Vec<DMat3>,
    touched: Vec<u32>,
}

impl ControlPoints {
    /// For matrices whose first rows are those of `node_count` nodes.
    pub(super) fn new(matrix: &BlockMatrix, node_count: usize) -> Self {
        let control_count = matrix.node_count() - node_count;
        let size = 3 * control_count;
        Self {
            node_count,
            control_count,
            starts: vec![0; node_count + 1],
            weights: Vec::new(),
            matrix: vec![0.0; size * size],
            factor: DenseCholesky::new(size),
            sums: vec![DVec3::ZERO; control_count],
            answers: vec![DVec3::ZERO; control_count],
            flat: [vec![[0.0; 4]; size], vec![[0.0; 4]; size]],
            row: vec![DMat3::ZERO; control_count],
            touched: Vec::with_capacity(control_count),
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.control_count == 0
    }

    /// Finds φ from the matrix of the body at rest, multiplied by `scale`, of which `solver` has taken
    /// the rows of the nodes.
    pub(super) fn find_weights(
        &mut self,
        matrix: &BlockMatrix,
        solver: &mut dyn ScalarSolver,
        scale: f64,
    ) {
        self.starts.fill(0);
        self.weights.clear();
        if self.is_empty() || self.control_count > MOST_FOLLOWED {
            return;
        }
        let order = solver.order().to_vec();
        let mut follow = vec![0.0_f32; self.node_count * self.control_count];
        let mut field = vec![[0.0_f32; 4]; self.node_count + 1];
        // Three control points at a time take the places of the three components.
        for first in (0..self.control_count).step_by(3) {
            for (&row, value) in order.iter().zip(&mut field) {
                *value = [0.0; 4];
                for slot in matrix.row_range(row as usize) {
                    let control = matrix.column(slot).wrapping_sub(self.node_count + first);
                    if control < 3 && matrix.column(slot) >= self.node_count + first {
                        let b = matrix.block(slot);
                        let trace = b.x_axis.x + b.y_axis.y + b.z_axis.z;
                        value[control] = (-scale / 3.0 * trace) as f32;
                    }
                }
            }
            field[self.node_count] = [0.0; 4];
            solver.solve_accurately(&mut field);
            let last = (first + 3).min(self.control_count);
            for (position, value) in field[..self.node_count].iter().enumerate() {
                let target = &mut follow[position * self.control_count..];
                target[first..last].copy_from_slice(&value[..last - first]);
            }
        }
        for (position, weights) in follow.chunks_exact(self.control_count).enumerate() {
            let strong = (0..)
                .zip(weights)
                .filter(|(_, weight)| weight.abs() > FAINT);
            self.weights
                .extend(strong.map(|(control, &weight)| (control, weight)));
            self.starts[position + 1] = self.weights.len() as u32;
        }
    }

    fn weights_of(&self, position: usize) -> &[(u32, f32)] {
        &self.weights[self.starts[position] as usize..self.starts[position + 1] as usize]
    }

    /// Takes the matrix at hand, multiplied by `scale`; `order` are all rows, `place` their places.
    pub(super) fn prepare(
        &mut self,
        matrix: &BlockMatrix,
        [order, place]: [&[u32]; 2],
        scale: f64,
    ) -> Result<(), LinearError> {
        if self.is_empty() {
            return Ok(());
        }
        self.matrix.fill(0.0);
        for (position, &row) in order.iter().enumerate() {
            let is_node = position < self.node_count;
            let range = if is_node {
                self.starts[position] as usize..self.starts[position + 1] as usize
            } else {
                0..0
            };
            if is_node && range.is_empty() {
                continue;
            }
            self.find_row(matrix, row as usize, place, scale);
            if is_node {
                for at in range {
                    let (control, weight) = self.weights[at];
                    self.add_row(control as usize, f64::from(weight));
                }
            } else {
                self.add_row(position - self.node_count, 1.0);
            }
            for &control in &self.touched {
                self.row[control as usize] = DMat3::ZERO;
            }
            self.touched.clear();
        }
        let (numbers, size) = (&self.matrix, 3 * self.control_count);
        let filled = self.factor.factorise_from(|row, target| {
            target.copy_from_slice(&numbers[row * size..(row + 1) * size]);
        });
        let named = |row: usize| LinearError::NotPositiveDefinite {
            row: self.node_count + row / 3,
        };
        filled.map_err(named)
    }

    /// A Z of one row, into `self.row`.
    fn find_row(&mut self, matrix: &BlockMatrix, row: usize, place: &[u32], scale: f64) {
        for slot in matrix.row_range(row) {
            let block = *matrix.block(slot) * scale;
            let position = place[matrix.column(slot)] as usize;
            let mut add = |control: u32, weight: f64| {
                if !self.touched.contains(&control) {
                    self.touched.push(control);
                }
                self.row[control as usize] += block * weight;
            };
            if position >= self.node_count {
                add((position - self.node_count) as u32, 1.0);
                continue;
            }
            let range = self.starts[position] as usize..self.starts[position + 1] as usize;
            for &(control, weight) in &self.weights[range] {
                add(control, f64::from(weight));
            }
        }
    }

    /// Adds a weight times the row that was found to the rows of a control point.
    fn add_row(&mut self, control: usize, weight: f64) {
        let size = 3 * self.control_count;
        for &other in &self.touched {
            let block = self.row[other as usize];
            for column in 0..3 {
                for line in 0..3 {
                    let at = (3 * control + line) * size + 3 * other as usize + column;
                    self.matrix[at] += weight * block.col(column)[line];
                }
            }
        }
    }

    /// z += Z (Zᵀ A Z)⁻¹ Zᵀ r over the nodes, and z = that over the control points.
    pub(super) fn correct(&mut self, r: &[Single], z: &mut [Single]) {
        if self.is_empty() {
            return;
        }
        let vector = |v: &Single| DVec3::new(v[0].into(), v[1].into(), v[2].into());
        let mut sums = std::mem::take(&mut self.sums);
        for (sum, r) in sums.iter_mut().zip(&r[self.node_count..]) {
            *sum = vector(r);
        }
        for (position, r) in r[..self.node_count].iter().enumerate() {
            let r = vector(r);
            for &(control, weight) in self.weights_of(position) {
                sums[control as usize] += f64::from(weight) * r;
            }
        }
        let [b, x] = &mut self.flat;
        for (flat, value) in b.iter_mut().zip(sums.iter().flat_map(|sum| sum.to_array())) {
            *flat = [value, 0.0, 0.0, 0.0];
        }
        self.sums = sums;
        self.factor.solve(b, x);
        for (answer, x) in self.answers.iter_mut().zip(x.chunks_exact(3)) {
            *answer = DVec3::new(x[0][0], x[1][0], x[2][0]);
        }
        for (position, z) in z[..self.node_count].iter_mut().enumerate() {
            let mut sum = DVec3::ZERO;
            for &(control, weight) in self.weights_of(position) {
                sum += f64::from(weight) * self.answers[control as usize];
            }
            *z = [
                z[0] + sum.x as f32,
                z[1] + sum.y as f32,
                z[2] + sum.z as f32,
                0.0,
            ];
        }
        for (z, answer) in z[self.node_count..].iter_mut().zip(&self.answers) {
            *z = [answer.x as f32, answer.y as f32, answer.z as f32, 0.0];
        }
    }
}
