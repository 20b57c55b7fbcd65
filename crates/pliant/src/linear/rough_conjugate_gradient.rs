//! Conjugate gradients in `f32` for a matrix over a grid, preconditioned by the diagonal blocks.
//!
//! For the rough solves of Newton's method, which asks for a digit or three. Sums are `f64`; the
//! system is scaled to sizes near one. All runs on one thread, in a fixed order.
//!
//! Implements: \[Hestenes1952\] with the block diagonal as preconditioner.

use super::block_conjugate_gradient::invert_diagonal;
use super::conjugate_gradient::{UNDERFLOW, ratio, step_size};
use super::diagonal_blocks::{DiagonalBlocks, LANES, LaneField, add_products, lanes_at};
use super::method::Goal;
use super::{BlockMatrix, LinearError};
use crate::math::parallel::dot;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// The residual, by the right side, below which `f32` is not to be trusted.
pub(crate) const FINEST: f64 = 1e-3;

/// Memory of the iteration; see the module.
pub(crate) struct RoughConjugateGradient {
    matrix: DiagonalBlocks,
    inverse_blocks: Vec<DMat3>,
    /// The inverses of the diagonal blocks, sixteen rows at a time.
    inverse: Vec<f32>,
    scale: f64,
    x: LaneField,
    r: LaneField,
    p: LaneField,
    q: LaneField,
}

impl RoughConjugateGradient {
    /// Memory for matrices like `matrix`, if they have few diagonals.
    pub(crate) fn new(matrix: &BlockMatrix) -> Option<Self> {
        let compact = DiagonalBlocks::new(matrix)?;
        let field = compact.field();
        let nodes = matrix.node_count();
        Some(Self {
            inverse_blocks: vec![DMat3::IDENTITY; nodes],
            inverse: vec![0.0; nodes.div_ceil(LANES) * LANES * 9],
            scale: 1.0,
            x: field.clone(),
            r: field.clone(),
            p: field.clone(),
            q: field,
            matrix: compact,
        })
    }

    /// Takes in the numbers of the matrix.
    pub(crate) fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        invert_diagonal(matrix, &mut self.inverse_blocks)?;
        let traces = (0..matrix.node_count()).map(|row| {
            let block = matrix.block(matrix.diagonal_slot(row));
            block.x_axis.x + block.y_axis.y + block.z_axis.z
        });
        let largest = traces.fold(f64::MIN_POSITIVE, f64::max);
        self.scale = largest.recip();
        self.matrix.fill(matrix, self.scale);
        for (row, block) in self.inverse_blocks.iter().enumerate() {
            let base = (row / LANES) * 9 * LANES + row % LANES;
            for (entry, value) in block.to_cols_array().into_iter().enumerate() {
                self.inverse[base + entry * LANES] = (value * largest) as f32;
            }
        }
        Ok(())
    }

    /// Solves for x from zero; returns the number of iterations.
    pub(crate) fn solve(
        &mut self,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        let room = self.matrix.room();
        let size = dot(rhs, rhs).sqrt();
        if size == 0.0 {
            x.fill(DVec3::ZERO);
            return Ok(0);
        }
        // (scale A) y = b / |b|,  x = scale |b| y
        self.r.take(rhs, room, size.recip());
        self.x.axes.iter_mut().for_each(|axis| axis.fill(0.0));
        self.q.axes.iter_mut().for_each(|axis| axis.fill(0.0));
        self.p.axes.iter_mut().for_each(|axis| axis.fill(0.0));
        let wanted = goal.residual / size;
        let [mut rz, mut rr] = self.descend(0.0);
        self.turn(0.0, 0.0);
        let mut iteration = 0;
        while iteration < goal.iterations && rr.sqrt() > wanted && rz > UNDERFLOW {
            if !rr.is_finite() {
                return Err(LinearError::NotFinite);
            }
            let curvature = self.matrix.multiply(&self.p, &mut self.q);
            let alpha = step_size(rz, curvature, iteration)?;
            let [next, squares] = self.descend(alpha);
            self.turn(alpha, ratio(next, rz));
            (rz, rr) = (next, squares);
            iteration += 1;
        }
        let back = self.scale * size;
        for (row, x) in x.iter_mut().enumerate() {
            *x = back * self.x.get(room + row);
        }
        Ok(iteration)
    }

    /// r -= alpha q, then q = z; returns r z and r r.
    fn descend(&mut self, alpha: f64) -> [f64; 2] {
        let mut sums = [0.0; 2];
        let [r0, r1, r2] = &mut self.r.axes;
        let [q0, q1, q2] = &mut self.q.axes;
        descend(
            alpha as f32,
            &self.inverse,
            self.matrix.room(),
            [r0, r1, r2],
            [q0, q1, q2],
            &mut sums,
        );
        sums
    }

    /// x += alpha p; p = z + beta p, where z is in q.
    fn turn(&mut self, alpha: f64, beta: f64) {
        for axis in 0..3 {
            let (x, p) = (&mut self.x.axes[axis], &mut self.p.axes[axis]);
            turn([alpha as f32, beta as f32], x, p, &self.q.axes[axis]);
        }
    }
}

for_this_processor! {
    fn descend(alpha: f32, inverse: &[f32], room: usize, r: [&mut [f32]; 3], q: [&mut [f32]; 3], sums: &mut [f64; 2]) {
        let (mut rz, mut rr) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        for (group, blocks) in inverse.chunks_exact(9 * LANES).enumerate() {
            let place = room + group * LANES;
            let mut residual = [[0.0; LANES]; 3];
            for axis in 0..3 {
                let (r, q) = (lanes_at(r[axis], place), lanes_at(q[axis], place));
                for lane in 0..LANES {
                    residual[axis][lane] = r[lane] - alpha * q[lane];
                }
            }
            let mut z = [[0.0; LANES]; 3];
            add_products(&mut z, blocks, &residual);
            for axis in 0..3 {
                r[axis][place..place + LANES].copy_from_slice(&residual[axis]);
                q[axis][place..place + LANES].copy_from_slice(&z[axis]);
                for lane in 0..LANES {
                    rz[lane] += f64::from(residual[axis][lane] * z[axis][lane]);
                    rr[lane] += f64::from(residual[axis][lane] * residual[axis][lane]);
                }
            }
        }
        *sums = [rz.iter().sum(), rr.iter().sum()];
    }
}

for_this_processor! {
    fn turn(factors: [f32; 2], x: &mut [f32], p: &mut [f32], z: &[f32]) {
        let [alpha, beta] = factors;
        for ((x, p), z) in x.iter_mut().zip(p).zip(z) {
            *x += alpha * *p;
            *p = *z + beta * *p;
        }
    }
}
