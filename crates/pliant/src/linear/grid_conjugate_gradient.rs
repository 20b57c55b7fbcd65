//! Conjugate gradients for a grid matrix, preconditioned by the diagonal D, for the three
//! components at once, each with step sizes of its own.
//!
//! An iteration is three passes over memory: the product with p A p; the residual with its sums;
//! the solution with the new direction, where z = r / D. Each pass runs over chunks of nodes whose sums are added
//! in order, so the bits do not depend on the number of threads.
//!
//! Implements: \[Hestenes1952\] with the diagonal as preconditioner, named in \[Terzopoulos1988\]
//! section 5.

use super::aligned::{AlignedArray, PaddedField, whole_blocks};
use super::conjugate_gradient::{Passes, Recurrence};
use super::method::{Goal, GridMethod};
use super::{GridMatrix, LinearError, kernels};
use crate::math::parallel::{CHUNK, runs_in_parallel};
use crate::math::processor::for_this_processor;
use rayon::prelude::*;

/// Iterations after which the residual of the recurrence still has all its digits that matter.
const SHORT: usize = 20;

/// Vectors of one number per node that an iteration reads or writes, beside the matrix.
pub(crate) const VECTORS: usize = 32;

/// Memory of the iteration; see the module.
pub(crate) struct GridConjugateGradient {
    inverse_diagonal: AlignedArray,
    pub(super) x: PaddedField,
    pub(super) r: PaddedField,
    pub(super) p: PaddedField,
    q: PaddedField,
    partial: Vec<[[f64; 3]; 2]>,
    /// The sums of r z.
    rz: [f64; 3],
    /// Residual of the recurrence after the last solve, if it had no time to drift.
    residual: Option<f64>,
}

impl GridConjugateGradient {
    /// Memory for matrices like `matrix`.
    pub(crate) fn new(matrix: &GridMatrix) -> Self {
        let n = matrix.node_count();
        let field = PaddedField::new(n);
        Self {
            inverse_diagonal: AlignedArray::new(whole_blocks(n)),
            x: field.clone(),
            r: field.clone(),
            p: field.clone(),
            q: field,
            partial: vec![[[0.0; 3]; 2]; whole_blocks(n).div_ceil(CHUNK)],
            rz: [0.0; 3],
            residual: None,
        }
    }

    /// q = A p; returns the sums of p q.
    pub(super) fn multiply(&mut self, matrix: &GridMatrix) -> [f64; 3] {
        let p = &self.p;
        for_each_chunk(
            self.q.components_mut(),
            &mut self.partial,
            |first, q, partial| partial[0] = matrix.multiply_block_rows(p, first, q),
        );
        self.sums()[0]
    }

    /// r -= alpha q; keeps the sums of r z and returns those of r r.
    pub(super) fn update_residual(&mut self, alpha: [f64; 3]) -> [f64; 3] {
        let q = self.q.components();
        let inverse = self.inverse_diagonal.as_slice();
        for_each_chunk(
            self.r.components_mut(),
            &mut self.partial,
            |first, r, partial| {
                let rows = first..first + r[0].len();
                let q = q.map(|c| &c[rows.clone()]);
                let (weighted, plain) = kernels::update_residual(alpha, q, &inverse[rows], r);
                *partial = [weighted, plain];
            },
        );
        let [rz, squares] = self.sums();
        self.rz = rz;
        squares
    }

    /// x += alpha p; p = z + beta p.
    fn update_direction(&mut self, alpha: [f64; 3], beta: [f64; 3]) {
        let r = self.r.components();
        let inverse = self.inverse_diagonal.as_slice();
        let [x0, x1, x2] = self.x.components_mut();
        let [p0, p1, p2] = self.p.components_mut();
        let work = |first: usize, x: [&mut [f64]; 3], p: [&mut [f64]; 3]| {
            let rows = first..first + x[0].len();
            let r = r.map(|c| &c[rows.clone()]);
            kernels::update_direction(alpha, beta, r, &inverse[rows], x, p);
        };
        if runs_in_parallel(x0.len()) {
            (
                x0.par_chunks_mut(CHUNK),
                x1.par_chunks_mut(CHUNK),
                x2.par_chunks_mut(CHUNK),
                p0.par_chunks_mut(CHUNK),
                p1.par_chunks_mut(CHUNK),
                p2.par_chunks_mut(CHUNK),
            )
                .into_par_iter()
                .enumerate()
                .for_each(|(index, (x0, x1, x2, p0, p1, p2))| {
                    work(index * CHUNK, [x0, x1, x2], [p0, p1, p2]);
                });
        } else {
            work(0, [x0, x1, x2], [p0, p1, p2]);
        }
    }

    /// Takes in the diagonal of a matrix and returns its largest and smallest entry.
    pub(super) fn take_diagonal(&mut self, matrix: &GridMatrix) -> Result<[f64; 2], LinearError> {
        let diagonal = matrix.diagonal_of(0).map_or(&[][..], |s| matrix.values(s));
        let mut found = [0.0, f64::INFINITY];
        invert(diagonal, self.inverse_diagonal.as_mut_slice(), &mut found);
        let [largest, smallest] = found;
        // Also for NaN, which neither is greater than.
        if smallest > 0.0 && largest < f64::INFINITY {
            return Ok(found);
        }
        for (row, value) in diagonal.iter().enumerate() {
            if !value.is_finite() {
                return Err(LinearError::NotFinite);
            }
            if *value <= 0.0 {
                return Err(LinearError::NotPositiveDefinite { row });
            }
        }
        Ok(found)
    }

    /// Sets r = b - A x and p = 0; returns the sums of r r.
    pub(super) fn start(&mut self, matrix: &GridMatrix, rhs: &[f64], x: &[f64]) -> [f64; 3] {
        self.take_in(matrix, rhs, x);
        let squares = self.update_residual([1.0; 3]);
        for component in self.p.components_mut() {
            component.fill(0.0);
        }
        squares
    }

    /// Writes x + alpha p to `x`.
    pub(super) fn finish(&mut self, alpha: [f64; 3], x: &mut [f64]) {
        let n = x.len() / 3;
        let fields = self.x.components().into_iter().zip(self.p.components());
        for ((x, (solution, p)), alpha) in x.chunks_exact_mut(n).zip(fields).zip(alpha) {
            for ((x, solution), p) in x.iter_mut().zip(solution).zip(p) {
                *x = solution + alpha * p;
            }
        }
    }

    /// Copies the guess to x and the right-hand side to r, and sets q = A x.
    fn take_in(&mut self, matrix: &GridMatrix, rhs: &[f64], x: &[f64]) {
        self.x.copy_from(x);
        self.r.copy_from(rhs);
        if x.iter().all(|&value| value == 0.0) {
            self.q.copy_from(x);
        } else {
            // By way of p = x, so that the padded product serves here too.
            self.p.copy_from(x);
            self.multiply(matrix);
        }
    }

    /// The partial sums of the chunks, added in order.
    fn sums(&self) -> [[f64; 3]; 2] {
        let mut sums = [[0.0; 3]; 2];
        for partial in &self.partial {
            for (sums, partial) in sums.iter_mut().zip(partial) {
                for (sum, part) in sums.iter_mut().zip(partial) {
                    *sum += part;
                }
            }
        }
        sums
    }
}

/// Calls `work` with the first node, the rows and the partial sums of each chunk.
fn for_each_chunk(
    [a, b, c]: [&mut [f64]; 3],
    partial: &mut [[[f64; 3]; 2]],
    work: impl Fn(usize, [&mut [f64]; 3], &mut [[f64; 3]; 2]) + Sync,
) {
    if runs_in_parallel(a.len()) {
        (
            a.par_chunks_mut(CHUNK),
            b.par_chunks_mut(CHUNK),
            c.par_chunks_mut(CHUNK),
            partial,
        )
            .into_par_iter()
            .enumerate()
            .for_each(|(index, (a, b, c, partial))| work(index * CHUNK, [a, b, c], partial));
    } else {
        let chunks = a
            .chunks_mut(CHUNK)
            .zip(b.chunks_mut(CHUNK))
            .zip(c.chunks_mut(CHUNK))
            .zip(partial)
            .enumerate();
        for (index, (((a, b), c), partial)) in chunks {
            work(index * CHUNK, [a, b, c], partial);
        }
    }
}

/// The iteration with a matrix.
struct WithDiagonal<'a> {
    solver: &'a mut GridConjugateGradient,
    matrix: &'a GridMatrix,
}

impl Passes<3> for WithDiagonal<'_> {
    fn precondition(&mut self) -> Result<[f64; 3], LinearError> {
        Ok(self.solver.rz)
    }

    fn advance(&mut self, alpha: [f64; 3], beta: [f64; 3]) {
        self.solver.update_direction(alpha, beta);
    }

    fn multiply(&mut self) -> [f64; 3] {
        self.solver.multiply(self.matrix)
    }

    fn reduce(&mut self, alpha: [f64; 3]) -> [f64; 3] {
        self.solver.update_residual(alpha)
    }
}

impl GridMethod for GridConjugateGradient {
    fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.take_diagonal(matrix)?;
        Ok(())
    }

    fn solve(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        let mut recurrence = Recurrence::new(self.start(matrix, rhs, x));
        recurrence.run(
            &mut WithDiagonal {
                solver: self,
                matrix,
            },
            goal,
        )?;
        self.finish(recurrence.alpha, x);
        let iterations = recurrence.iterations;
        self.residual = (iterations <= SHORT).then_some(recurrence.size());
        Ok(iterations)
    }

    fn known_residual(&self) -> Option<f64> {
        self.residual
    }

    fn bytes_per_iteration(&self, matrix: &GridMatrix) -> Option<usize> {
        let numbers = matrix.node_count() * (matrix.offsets().len() + VECTORS);
        Some(size_of::<f64>() * numbers)
    }
}

for_this_processor! {
    /// 1 / d, and the largest and smallest d; neither is found right if one is NaN.
    fn invert(diagonal: &[f64], inverse: &mut [f64], found: &mut [f64; 2]) {
        let (mut largest, mut smallest) = ([0.0; 8], [f64::INFINITY; 8]);
        let (blocks, end) = diagonal.as_chunks::<8>();
        let (targets, target_end) = inverse[..diagonal.len()].as_chunks_mut::<8>();
        for (block, target) in blocks.iter().zip(targets) {
            for lane in 0..8 {
                let value = block[lane];
                target[lane] = 1.0 / value;
                largest[lane] = if value > largest[lane] { value } else { largest[lane] };
                // A NaN must not get lost: it is not greater or equal.
                smallest[lane] = if value >= smallest[lane] { smallest[lane] } else { value };
            }
        }
        let target_end = target_end.iter_mut().zip(end);
        for (target, &value) in target_end {
            *target = 1.0 / value;
            largest[0] = if value > largest[0] { value } else { largest[0] };
            smallest[0] = if value >= smallest[0] { smallest[0] } else { value };
        }
        for lane in 0..8 {
            found[0] = if largest[lane] > found[0] { largest[lane] } else { found[0] };
            found[1] = if smallest[lane] >= found[1] { found[1] } else { smallest[lane] };
        }
    }
}
