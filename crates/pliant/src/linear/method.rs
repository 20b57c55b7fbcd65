//! What every solver does behind [`GridSolver`](super::GridSolver) and
//! [`BlockSolver`](super::BlockSolver), and the list of solvers.

use super::adi::Adi;
use super::block_conjugate_gradient::BlockConjugateGradient;
use super::cholesky::Cholesky;
use super::factored_conjugate_gradient::FactoredConjugateGradient;
use super::grid_conjugate_gradient::GridConjugateGradient;
use super::lu::Lu;
use super::multigrid::Multigrid;
use super::node_directions::Held;
use super::preconditioned::{PreconditionedBlocks, PreconditionedGrid};
use super::sheet::method::{Preconditioning, SheetMethod};
use super::sor::{BlockSor, GridSor};
use super::{BlockMatrix, GridMatrix, LinearError, SolverKind, SolverSettings};
use crate::grid::Grid;
use glam::DVec3;

/// How far an iterative solve goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Stop when |b - A x| is not more than this.
    pub(crate) residual: f64,
    /// Stop after so many iterations.
    pub(crate) iterations: usize,
}

/// A solver for a scalar matrix over grid nodes and three components.
pub(crate) trait GridMethod: Send + Sync {
    /// Takes in the numbers of the matrix.
    fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError>;

    /// Improves `x` and returns the number of iterations. Direct solvers ignore the first guess
    /// and the goal and return zero.
    fn solve(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        goal: Goal,
    ) -> Result<usize, LinearError>;

    /// |b - A x| after the last solve, where the solver knows it to many digits without another
    /// product.
    fn known_residual(&self) -> Option<f64> {
        None
    }

    /// Bytes that an iteration reads and writes at least, where that is known.
    fn bytes_per_iteration(&self, _matrix: &GridMatrix) -> Option<usize> {
        None
    }

    /// Multigrid cycles since this was last asked.
    fn take_cycles(&mut self) -> usize {
        0
    }

    /// Whether `prepare` factorises and `solve` is exact but for rounding.
    fn is_direct(&self) -> bool {
        false
    }
}

/// A solver for a matrix of 3x3 blocks.
pub(crate) trait BlockMethod: Send + Sync {
    /// Takes in the numbers of the matrix.
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError>;

    /// Takes in the numbers of a scalar matrix to precondition with, after each `prepare` at most
    /// once. Solvers that have no use for it ignore it.
    fn prepare_companion(&mut self, _companion: &GridMatrix) -> Result<(), LinearError> {
        Ok(())
    }

    /// Whether a matrix for [`BlockMethod::prepare_metric`] is of use.
    fn wants_metric(&self) -> bool {
        false
    }

    /// Takes in which nodes are held along some directions, before each `prepare`.
    fn hold(&mut self, _held: &[Held]) {}

    /// Takes in where the nodes are now, before a solve, for those that want a metric.
    fn place(&mut self, _positions: &[DVec3]) {}

    /// Takes in a matrix like those to come, to precondition with until the next one.
    fn prepare_metric(&mut self, _matrix: &BlockMatrix) -> Result<(), LinearError> {
        Ok(())
    }

    /// As [`GridMethod::solve`].
    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError>;

    /// z = M⁻¹ r for the matrix last prepared, where the method has a preconditioner that is more than
    /// the block diagonal; says whether it has.
    fn precondition(
        &mut self,
        _matrix: &BlockMatrix,
        _r: &[DVec3],
        _z: &mut [DVec3],
    ) -> Result<bool, LinearError> {
        Ok(false)
    }

    /// As [`GridMethod::is_direct`].
    fn is_direct(&self) -> bool {
        false
    }
}

/// The solver of a kind for a grid matrix.
pub(crate) fn grid_method(settings: &SolverSettings, matrix: &GridMatrix) -> Box<dyn GridMethod> {
    let preconditioning = match settings.kind {
        SolverKind::Automatic | SolverKind::ConjugateGradient => Some(Preconditioning::Automatic),
        SolverKind::DiagonalConjugateGradient => Some(Preconditioning::Diagonal),
        SolverKind::Multigrid => Some(Preconditioning::Cycle),
        _ => None,
    };
    if let Some(sheet) = preconditioning.and_then(|chosen| SheetMethod::new(matrix, chosen)) {
        return Box::new(sheet);
    }
    match settings.kind {
        SolverKind::Cholesky => Box::new(Cholesky::for_grid(matrix)),
        SolverKind::Lu => Box::new(Lu::for_grid(matrix)),
        SolverKind::Automatic
        | SolverKind::ConjugateGradient
        | SolverKind::DiagonalConjugateGradient => Box::new(GridConjugateGradient::new(matrix)),
        SolverKind::Sor => Box::new(GridSor::new(matrix, settings.relaxation)),
        SolverKind::Adi => Box::new(Adi::new(matrix)),
        SolverKind::Multigrid => Box::new(PreconditionedGrid::<Multigrid>::new(matrix)),
    }
}

/// The solver of a kind for a block matrix over the nodes of a mesh, whose first rows are those of
/// nodes at `places`.
pub(crate) fn mesh_method(
    settings: &SolverSettings,
    matrix: &BlockMatrix,
    places: &[DVec3],
) -> Box<dyn BlockMethod> {
    if matches!(
        settings.kind,
        SolverKind::Automatic | SolverKind::ConjugateGradient | SolverKind::Multigrid
    ) && let Some(factored) = FactoredConjugateGradient::new(settings.kind, matrix, places)
    {
        return Box::new(factored);
    }
    block_method(settings, matrix, None)
}

/// The solver of a kind for a block matrix; the grid of its nodes, if they have one, helps the
/// direct solvers to order them.
pub(crate) fn block_method(
    settings: &SolverSettings,
    matrix: &BlockMatrix,
    grid: Option<&Grid>,
) -> Box<dyn BlockMethod> {
    match settings.kind {
        SolverKind::Cholesky => Box::new(Cholesky::for_blocks(matrix, grid)),
        SolverKind::Lu => Box::new(Lu::for_blocks(matrix)),
        SolverKind::Automatic
        | SolverKind::ConjugateGradient
        | SolverKind::DiagonalConjugateGradient => Box::new(BlockConjugateGradient::new(matrix)),
        SolverKind::Sor => Box::new(BlockSor::new(matrix, settings.relaxation)),
        SolverKind::Adi => Box::new(PreconditionedBlocks::<Adi>::new(matrix)),
        SolverKind::Multigrid => Box::new(PreconditionedBlocks::<Multigrid>::new(matrix)),
    }
}
