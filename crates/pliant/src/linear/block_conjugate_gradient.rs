//! Conjugate gradients for a matrix of 3x3 blocks, preconditioned by the diagonal blocks.
//!
//! An iteration is three passes over chunks of nodes whose sums are added in order, so the bits do
//! not depend on the number of threads.
//!
//! Implements: \[Hestenes1952\] with the block diagonal as preconditioner.

use super::conjugate_gradient::{Passes, Recurrence};
use super::method::{BlockMethod, Goal};
use super::{BlockMatrix, LinearError};
use crate::math::parallel::{CHUNK, runs_in_parallel};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Memory of the iteration; see the module.
pub(crate) struct BlockConjugateGradient {
    inverse_diagonal: Vec<DMat3>,
    r: Vec<DVec3>,
    p: Vec<DVec3>,
    q: Vec<DVec3>,
    partial: Vec<[f64; 2]>,
}

impl BlockConjugateGradient {
    /// Memory for matrices like `matrix`.
    pub(crate) fn new(matrix: &BlockMatrix) -> Self {
        let n = matrix.node_count();
        Self {
            inverse_diagonal: vec![DMat3::IDENTITY; n],
            r: vec![DVec3::ZERO; n],
            p: vec![DVec3::ZERO; n],
            q: vec![DVec3::ZERO; n],
            partial: vec![[0.0; 2]; n.div_ceil(CHUNK)],
        }
    }

    /// q = A p; returns p q.
    fn multiply(&mut self, matrix: &BlockMatrix) -> f64 {
        let p = &self.p;
        for_each_chunk(&mut self.q, &mut self.partial, |first, q, partial| {
            let mut sum = DVec3::ZERO;
            for (index, q) in q.iter_mut().enumerate() {
                *q = matrix.row_product(first + index, p);
                sum += *q * p[first + index];
            }
            partial[0] = sum.x + sum.y + sum.z;
        });
        self.sums()[0]
    }

    /// r -= alpha q, then q = z; returns r z and r r.
    fn update_residual(&mut self, alpha: f64) -> [f64; 2] {
        let inverse = &self.inverse_diagonal;
        let work = |first: usize, r: &mut [DVec3], q: &mut [DVec3], partial: &mut [f64; 2]| {
            let (mut rz, mut rr) = (DVec3::ZERO, DVec3::ZERO);
            for ((r, q), inverse) in r.iter_mut().zip(q).zip(&inverse[first..]) {
                *r -= alpha * *q;
                *q = *inverse * *r;
                rz += *r * *q;
                rr += *r * *r;
            }
            *partial = [rz.x + rz.y + rz.z, rr.x + rr.y + rr.z];
        };
        if runs_in_parallel(self.r.len()) {
            self.r
                .par_chunks_mut(CHUNK)
                .zip(self.q.par_chunks_mut(CHUNK))
                .zip(&mut self.partial)
                .enumerate()
                .for_each(|(index, ((r, q), partial))| work(index * CHUNK, r, q, partial));
        } else {
            let chunks = self.r.chunks_mut(CHUNK).zip(self.q.chunks_mut(CHUNK));
            for (index, ((r, q), partial)) in chunks.zip(&mut self.partial).enumerate() {
                work(index * CHUNK, r, q, partial);
            }
        }
        self.sums()
    }

    /// x += alpha p; p = z + beta p, where z is in q.
    fn update_direction(&mut self, alpha: f64, beta: f64, x: &mut [DVec3]) {
        let z = &self.q;
        let work = |first: usize, x: &mut [DVec3], p: &mut [DVec3]| {
            for ((x, p), z) in x.iter_mut().zip(p).zip(&z[first..]) {
                *x += alpha * *p;
                *p = *z + beta * *p;
            }
        };
        if runs_in_parallel(x.len()) {
            x.par_chunks_mut(CHUNK)
                .zip(self.p.par_chunks_mut(CHUNK))
                .enumerate()
                .for_each(|(index, (x, p))| work(index * CHUNK, x, p));
        } else {
            work(0, x, &mut self.p);
        }
    }

    /// The partial sums of the chunks, added in order.
    fn sums(&self) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for partial in &self.partial {
            sums[0] += partial[0];
            sums[1] += partial[1];
        }
        sums
    }
}

/// Calls `work` with the first node, the rows and the partial sums of each chunk.
fn for_each_chunk(
    field: &mut [DVec3],
    partial: &mut [[f64; 2]],
    work: impl Fn(usize, &mut [DVec3], &mut [f64; 2]) + Sync,
) {
    if runs_in_parallel(field.len()) {
        field
            .par_chunks_mut(CHUNK)
            .zip(partial)
            .enumerate()
            .for_each(|(index, (chunk, partial))| work(index * CHUNK, chunk, partial));
    } else {
        for (index, (chunk, partial)) in field.chunks_mut(CHUNK).zip(partial).enumerate() {
            work(index * CHUNK, chunk, partial);
        }
    }
}

/// The inverses of the diagonal blocks; refuses blocks that are not positive definite.
pub(crate) fn invert_diagonal(
    matrix: &BlockMatrix,
    inverse: &mut [DMat3],
) -> Result<(), LinearError> {
    for (row, inverse) in inverse.iter_mut().enumerate() {
        let block = matrix.block(matrix.diagonal_slot(row));
        if !block.is_finite() {
            return Err(LinearError::NotFinite);
        }
        // The leading minors of a symmetric positive definite block are positive.
        let minor = block.x_axis.x * block.y_axis.y - block.x_axis.y * block.y_axis.x;
        if !(block.x_axis.x > 0.0 && minor > 0.0 && block.determinant() > 0.0) {
            return Err(LinearError::NotPositiveDefinite { row });
        }
        *inverse = block.inverse();
    }
    Ok(())
}

/// The iteration with a matrix; z is in q between the passes.
struct WithBlocks<'a> {
    solver: &'a mut BlockConjugateGradient,
    matrix: &'a BlockMatrix,
    rz: f64,
    x: &'a mut [DVec3],
}

impl Passes<1> for WithBlocks<'_> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        Ok([self.rz])
    }

    fn advance(&mut self, [alpha]: [f64; 1], [beta]: [f64; 1]) {
        self.solver.update_direction(alpha, beta, self.x);
    }

    fn multiply(&mut self) -> [f64; 1] {
        [self.solver.multiply(self.matrix)]
    }

    fn reduce(&mut self, [alpha]: [f64; 1]) -> [f64; 1] {
        let [rz, squares] = self.solver.update_residual(alpha);
        self.rz = rz;
        [squares]
    }
}

impl BlockMethod for BlockConjugateGradient {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        invert_diagonal(matrix, &mut self.inverse_diagonal)
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        // r = b - A x by way of p = x.
        self.p.copy_from_slice(x);
        self.r.copy_from_slice(rhs);
        self.multiply(matrix);
        let [rz, squares] = self.update_residual(1.0);
        self.p.fill(DVec3::ZERO);
        let mut recurrence = Recurrence::new([squares]);
        let mut passes = WithBlocks {
            solver: self,
            matrix,
            rz,
            x,
        };
        recurrence.run(&mut passes, goal)?;
        let [alpha] = recurrence.alpha;
        for (x, p) in x.iter_mut().zip(&self.p) {
            *x += alpha * *p;
        }
        Ok(recurrence.iterations)
    }
}
