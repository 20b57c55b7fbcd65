//! Solving for thin bodies: curves, whose factors are cheap, and sheets.
//!
//! A sheet has hardly any stiffness across itself and much along it, and folds turn one into the other
//! from node to node: no scalar preconditioner sees that, nor does the factor of an earlier matrix.
//! Conjugate gradients need iterations of the order of the root of
//!
//! ```text
//! ratio = Σ_i tr A_ii / Σ_ij tr A_ij
//! ```
//!
//! (stiffness has no net force, so the sum of all blocks is what inertia adds). Where that
//! is much, or where they do not come to an end, the matrix is factorised. Rough solves of sheets run
//! in `f32` (`rough_iteration.rs`), others with the block diagonal; sheets that touch others are
//! preconditioned by its sweeps.

use super::block_conjugate_gradient::BlockConjugateGradient;
use super::cholesky::Cholesky;
use super::half_blocks::HalfBlocks;
use super::method::{BlockMethod, Goal};
use super::narrow_cholesky::NarrowCholesky;
use super::rough_iteration::{FINEST, RoughIteration, RoughSolve};
use super::swept_matrix::SweptMatrix;
use super::{BlockMatrix, LinearError};
use crate::grid::Grid;
use crate::math::parallel::dot;
use glam::{DMat3, DVec3};

/// Stiffness by inertia up to which conjugate gradients on a sheet are cheaper than a factor.
pub(crate) const EASY: f64 = 2e5;

/// Stiffness by inertia below which the block diagonal is so near the matrix that a copy to sweep over
/// does not pay.
const SOFT: f64 = 3.0;

/// Iterations after which a factor is cheaper after all.
pub(crate) const PATIENCE: usize = 600;

/// A factor or conjugate gradients, as the matrix asks for; see the module.
pub(crate) struct ThinBodySolver {
    factor: Box<dyn BlockMethod>,
    iteration: BlockConjugateGradient,
    rough: Option<RoughSolver>,
    /// What has taken in the numbers of the matrix.
    prepared: Prepared,
    /// The ratio of the matrix, and that below which it is not factorised.
    ratio: f64,
    easy: f64,
}

/// The copy of a matrix for rough solves, and their memory.
struct RoughSolver {
    half: HalfBlocks,
    matrix: SweptMatrix,
    iteration: RoughIteration,
}

impl RoughSolver {
    fn new(matrix: &BlockMatrix) -> Self {
        let half = HalfBlocks::new(matrix);
        let matrix = SweptMatrix::new(&half);
        Self {
            half,
            iteration: RoughIteration::new(&matrix),
            matrix,
        }
    }

    fn prepare(&mut self, matrix: &BlockMatrix, ratio: f64) -> Result<(), LinearError> {
        let diagonal = |row| *matrix.block(matrix.diagonal_slot(row));
        self.matrix.scale_by(diagonal, &[])?;
        self.half.copy_from(matrix);
        self.matrix.fill(&self.half);
        self.iteration.relax(ratio);
        Ok(())
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<RoughSolve, LinearError> {
        let measure = |x: &[DVec3], rest: &mut [DVec3]| {
            matrix.multiply(x, rest);
            for (rest, b) in rest.iter_mut().zip(rhs) {
                *rest = *b - *rest;
            }
        };
        self.iteration.solve(&self.matrix, rhs, x, goal, measure)
    }
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
            factor: match NarrowCholesky::new(matrix) {
                Some(factor) => Box::new(factor),
                None => Box::new(Cholesky::for_blocks(matrix, grid)),
            },
            iteration: BlockConjugateGradient::new(matrix),
            rough: is_sheet.then(|| RoughSolver::new(matrix)),
            prepared: Prepared::default(),
            ratio: f64::INFINITY,
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
    let of_diagonal: f64 = diagonal.map(trace).sum();
    let all: f64 = matrix.blocks().iter().map(trace).sum();
    if all > 0.0 {
        of_diagonal / all
    } else {
        f64::INFINITY
    }
}

impl BlockMethod for ThinBodySolver {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.prepared = Prepared::default();
        self.ratio = stiffness_ratio(matrix);
        if self.ratio < self.easy {
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
        let size = dot(rhs, rhs).sqrt();
        let is_rough = goal.residual >= FINEST * size;
        // The number of iterations, and whether they have come to an end.
        let iterated = match &mut self.rough {
            Some(rough) if is_rough && self.ratio > SOFT => {
                if !self.prepared.rough {
                    rough.prepare(matrix, self.ratio)?;
                    self.prepared.rough = true;
                }
                let solved = rough.solve(matrix, rhs, x, limit);
                solved.map(|solved| {
                    let is_near = solved.residual * size <= goal.residual;
                    (solved.iterations, is_near)
                })
            }
            _ => {
                if !self.prepared.iteration {
                    self.iteration.prepare(matrix)?;
                    self.prepared.iteration = true;
                }
                let iterations = self.iteration.solve(matrix, rhs, x, limit);
                iterations.map(|iterations| (iterations, iterations < limit.iterations))
            }
        };
        match iterated {
            Ok((iterations, true)) => Ok(iterations),
            // Of a matrix that is far from even, rounding makes one that is not positive.
            Ok((iterations, false)) => {
                self.solve_exactly(matrix, rhs, x, goal)?;
                Ok(iterations)
            }
            Err(LinearError::NegativeCurvature { .. }) => self.solve_exactly(matrix, rhs, x, goal),
            Err(error) => Err(error),
        }
    }

    fn precondition(
        &mut self,
        matrix: &BlockMatrix,
        r: &[DVec3],
        z: &mut [DVec3],
    ) -> Result<bool, LinearError> {
        let Some(rough) = self.rough.as_mut().filter(|_| self.ratio > SOFT) else {
            return Ok(false);
        };
        if !self.prepared.rough {
            rough.prepare(matrix, self.ratio)?;
            self.prepared.rough = true;
        }
        rough.iteration.precondition(&rough.matrix, r, z);
        Ok(true)
    }

    fn is_direct(&self) -> bool {
        self.prepared.factor
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_systems::{block_matrix, noise_vectors, plate_matrix};
    use super::super::{BlockSolver, SolverKind, SolverSettings};
    use super::*;

    /// However few iterations are allowed, roughly or finely: what they do not solve the factor does.
    #[test]
    fn what_does_not_converge_is_factorised() {
        let grid = Grid::new(&[20, 20], &[false, false]);
        let matrix = block_matrix(&plate_matrix(&grid, 1.0, 1e3));
        assert!(stiffness_ratio(&matrix) < EASY);
        let rhs = noise_vectors(400);
        for tolerance in [0.01, 1e-6] {
            let settings = SolverSettings {
                kind: SolverKind::Automatic,
                tolerance,
                max_iterations: Some(4),
                ..SolverSettings::default()
            };
            let mut solver = BlockSolver::of_thin(settings, &matrix, Some(&grid), true);
            solver.prepare(&matrix).unwrap();
            let mut x = vec![glam::DVec3::ZERO; 400];
            let report = solver.solve(&matrix, None, &rhs, &mut x).unwrap();
            assert!(
                report.converged && report.residual <= tolerance,
                "{report:?}"
            );
        }
    }
}
