//! What direct solvers share: the same code serves scalar matrices over grids, with three right-hand
//! sides, and matrices of 3x3 blocks, with one.

use super::compressed::Compressed;
use super::method::{BlockMethod, Goal, GridMethod};
use super::{BlockMatrix, GridMatrix, LinearError};
use glam::DVec3;

/// A solver that factorises.
pub(super) trait Direct: Send + Sync {
    /// The matrix that is factorised.
    fn matrix(&mut self) -> &mut Compressed;

    /// Factorises the matrix.
    fn factorise(&mut self) -> Result<(), LinearError>;

    /// Solves for the columns of `x` in place.
    fn solve_in_place(&mut self, x: &mut [f64]) -> Result<(), LinearError>;

    /// Room for the right-hand side of a block matrix.
    fn flat(&mut self) -> &mut Vec<f64>;
}

impl<D: Direct> GridMethod for D {
    fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.matrix().refill_from_grid(matrix);
        self.factorise()
    }

    fn solve(
        &mut self,
        _matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        _goal: Goal,
    ) -> Result<usize, LinearError> {
        x.copy_from_slice(rhs);
        self.solve_in_place(x)?;
        Ok(0)
    }

    fn is_direct(&self) -> bool {
        true
    }
}

impl<D: Direct> BlockMethod for D {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.matrix().refill_from_blocks(matrix);
        self.factorise()
    }

    fn solve(
        &mut self,
        _matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        _goal: Goal,
    ) -> Result<usize, LinearError> {
        let mut flat = std::mem::take(self.flat());
        for (flat, b) in flat.chunks_exact_mut(3).zip(rhs) {
            b.write_to_slice(flat);
        }
        let solved = self.solve_in_place(&mut flat);
        for (x, flat) in x.iter_mut().zip(flat.chunks_exact(3)) {
            *x = DVec3::from_slice(flat);
        }
        *self.flat() = flat;
        solved.map(|()| 0)
    }

    fn is_direct(&self) -> bool {
        true
    }
}
