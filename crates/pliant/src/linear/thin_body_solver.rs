//! Solving for thin bodies: curves, whose factors are cheap, and sheets.
//!
//! A sheet has hardly any stiffness across itself and much along it, and folds turn one into the other
//! from node to node: no scalar preconditioner sees that, nor does the factor of an earlier matrix.
//! Conjugate gradients with the block diagonal need iterations of the order of the root of
//!
//! ```text
//! ratio = Σ_i tr A_ii / Σ_ij tr A_ij
//! ```
//!
//! (stiffness has no net force, so the sum of all blocks is what inertia adds). Where that
//! is much, or where they do not come to an end, the matrix is factorised. Rough solves on grids run
//! in `f32` (`rough_iteration.rs`).

use super::block_conjugate_gradient::BlockConjugateGradient;
use super::cholesky::Cholesky;
use super::method::{BlockMethod, Goal};
use super::rough_conjugate_gradient::RoughConjugateGradient;
use super::rough_iteration::FINEST;
use super::{BlockMatrix, LinearError};
use crate::grid::Grid;
use crate::math::parallel::dot;
use glam::{DMat3, DVec3};

/// Stiffness by inertia up to which conjugate gradients on a sheet are cheaper than a factor.
pub(crate) const EASY: f64 = 2e5;

/// Iterations after which a factor is cheaper after all.
pub(crate) const PATIENCE: usize = 600;

/// A factor or conjugate gradients, as the matrix asks for; see the module.
pub(crate) struct ThinBodySolver {
    factor: Cholesky,
    iteration: BlockConjugateGradient,
    rough: Option<RoughConjugateGradient>,
    /// What has taken in the numbers of the matrix.
    prepared: Prepared,
    /// The ratio below which the matrix is not factorised.
    easy: f64,
}

/// The parts of the solver that have taken in the numbers of the matrix.
#[derive(Clone, Copy, Default)]
struct Prepared {
    factor: bool,
    rough: bool,
    iteration: bool,
}

impl ThinBodySolver {
    /// Memory for matrices like `matrix`; the grid of the nodes, if they have one, helps to order them.
    pub(crate) fn new(matrix: &BlockMatrix, grid: Option<&Grid>, is_sheet: bool) -> Self {
        Self {
            factor: Cholesky::for_blocks(matrix, grid),
            iteration: BlockConjugateGradient::new(matrix),
            rough: RoughConjugateGradient::new(matrix).filter(|_| is_sheet),
            prepared: Prepared::default(),
            easy: if is_sheet { EASY } else { 0.0 },
        }
    }

    /// A solution by the factor.
    fn solve_exactly(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        if !self.prepared.factor {
            self.factor.prepare(matrix)?;
            self.prepared.factor = true;
        }
        self.factor.solve(matrix, rhs, x, goal)
    }
}

/// Σ_i tr A_ii / Σ_ij tr A_ij; infinite where there is no inertia.
fn stiffness_ratio(matrix: &BlockMatrix) -> f64 {
    let trace = |block: &DMat3| block.x_axis.x + block.y_axis.y + block.z_axis.z;
    let diagonal = (0..matrix.node_count()).map(|row| matrix.block(matrix.diagonal_slot(row)));
    let own: f64 = diagonal.map(trace).sum();
    let all: f64 = matrix.blocks().iter().map(trace).sum();
    if all > 0.0 { own / all } else { f64::INFINITY }
}

impl BlockMethod for ThinBodySolver {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.prepared = Prepared::default();
        if stiffness_ratio(matrix) < self.easy {
            return Ok(());
        }
        self.prepared.factor = true;
        self.factor.prepare(matrix)
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        if self.prepared.factor {
            return self.factor.solve(matrix, rhs, x, goal);
        }
        let limit = Goal {
            iterations: goal.iterations.min(PATIENCE),
            ..goal
        };
        let is_rough = goal.residual >= FINEST * dot(rhs, rhs).sqrt();
        let iterations = match &mut self.rough {
            Some(rough) if is_rough => {
                if !self.prepared.rough {
                    rough.prepare(matrix)?;
                    self.prepared.rough = true;
                }
                rough.solve(rhs, x, limit)?
            }
            _ => {
                if !self.prepared.iteration {
                    self.iteration.prepare(matrix)?;
                    self.prepared.iteration = true;
                }
                self.iteration.solve(matrix, rhs, x, limit)?
            }
        };
        if iterations == PATIENCE && goal.iterations > PATIENCE {
            self.solve_exactly(matrix, rhs, x, goal)?;
        }
        Ok(iterations)
    }

    fn is_direct(&self) -> bool {
        self.prepared.factor
    }
}
