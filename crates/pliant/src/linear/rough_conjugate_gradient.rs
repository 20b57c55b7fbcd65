//! Conjugate gradients in `f32` for a matrix over a grid that was assembled in `f64`: a copy by its
//! diagonals, and the iteration of `rough_iteration.rs` on it.

use super::block_conjugate_gradient::invert_diagonal;
use super::diagonal_blocks::DiagonalBlocks;
use super::method::Goal;
use super::rough_iteration::RoughIteration;
use super::{BlockMatrix, LinearError};
use glam::{DMat3, DVec3};

/// Memory of the iteration; see the module.
pub(crate) struct RoughConjugateGradient {
    matrix: DiagonalBlocks,
    inverse_blocks: Vec<DMat3>,
    iteration: RoughIteration,
}

impl RoughConjugateGradient {
    /// Memory for matrices like `matrix`, if they have few diagonals.
    pub(crate) fn new(matrix: &BlockMatrix) -> Option<Self> {
        let compact = DiagonalBlocks::new(matrix)?;
        let nodes = matrix.node_count();
        Some(Self {
            inverse_blocks: vec![DMat3::IDENTITY; nodes],
            iteration: RoughIteration::new(nodes, &compact.field()),
            matrix: compact,
        })
    }

    /// Takes in the numbers of the matrix.
    pub(crate) fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        invert_diagonal(matrix, &mut self.inverse_blocks)?;
        self.matrix.fill(matrix);
        for (row, inverse) in self.inverse_blocks.iter().enumerate() {
            self.iteration.set_inverse(row, *inverse);
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
        let solved = self.iteration.solve(&self.matrix, &[], rhs, x, goal)?;
        Ok(solved.iterations)
    }
}
