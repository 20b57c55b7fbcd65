//! Solving for thin bodies, curves and sheets, whose factors are cheap.
//!
//! A sheet has hardly any stiffness across itself and much along it, and folds turn one into the other
//! from node to node: no scalar or diagonal preconditioner sees that, nor does the factor of an earlier
//! matrix. So the matrix is factorised, unless inertia outweighs stiffness: then conjugate gradients
//! with the block diagonal need few iterations. Stiffness has no net force, so the sum of a row of
//! blocks is what inertia adds to it:
//!
//! ```text
//! ratio = mean over nodes of tr A_ii / tr Σ_j A_ij
//! ```

use super::block_conjugate_gradient::BlockConjugateGradient;
use super::cholesky::Cholesky;
use super::method::{BlockMethod, Goal};
use super::{BlockMatrix, LinearError};
use crate::grid::Grid;
use glam::{DMat3, DVec3};

/// Stiffness by inertia up to which conjugate gradients are cheaper than a factor.
const EASY: f64 = 300.0;

/// A factor or conjugate gradients, as the matrix asks for; see the module.
pub(crate) struct ThinBodySolver {
    factor: Cholesky,
    iteration: BlockConjugateGradient,
    is_easy: bool,
}

impl ThinBodySolver {
    /// Memory for matrices like `matrix`; the grid of the nodes, if they have one, helps to order them.
    pub(crate) fn new(matrix: &BlockMatrix, grid: Option<&Grid>) -> Self {
        Self {
            factor: Cholesky::for_blocks(matrix, grid),
            iteration: BlockConjugateGradient::new(matrix),
            is_easy: false,
        }
    }
}

/// Mean of tr A_ii / tr Σ_j A_ij; infinite where a row has no inertia.
fn stiffness_ratio(matrix: &BlockMatrix) -> f64 {
    let trace = |block: &DMat3| block.x_axis.x + block.y_axis.y + block.z_axis.z;
    let count = matrix.node_count();
    let ratios = (0..count).map(|row| {
        let sum: f64 = matrix
            .row_range(row)
            .map(|slot| trace(matrix.block(slot)))
            .sum();
        let own = trace(matrix.block(matrix.diagonal_slot(row)));
        if sum > 0.0 { own / sum } else { f64::INFINITY }
    });
    ratios.sum::<f64>() / count as f64
}

impl BlockMethod for ThinBodySolver {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.is_easy = stiffness_ratio(matrix) < EASY;
        if self.is_easy {
            self.iteration.prepare(matrix)
        } else {
            self.factor.prepare(matrix)
        }
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        if self.is_easy {
            self.iteration.solve(matrix, rhs, x, goal)
        } else {
            self.factor.solve(matrix, rhs, x, goal)
        }
    }

    fn is_direct(&self) -> bool {
        !self.is_easy
    }
}
