//! What preconditioners that stand for a scalar matrix have in common: `scalar_factor.rs` solves with
//! it exactly, `aggregation/mod.rs` nearly.

use super::aggregation::ScalarMultigrid;
use super::scalar_factor::{ScalarFactor, Single};
use super::{BlockMatrix, LinearError, SolverKind};
use glam::DVec3;

/// Nodes from which on a multigrid cycle takes the place of a factor. Set-up and first steps are
/// then faster by it, and the factor begins to need more memory than all the rest.
pub const LARGEST_SCALAR_FACTOR: usize = 8_000;

/// Solves with S_ij = tr A_ij / 3 over the nodes of a mesh, for three right-hand sides at a time.
pub(crate) trait ScalarSolver: Send + Sync {
    /// The nodes in the order of the fields that are solved for.
    fn order(&self) -> &[u32];

    /// Takes the traces of the blocks, multiplied by `scale`.
    fn refill(&mut self, matrix: &BlockMatrix, scale: f64) -> Result<(), LinearError>;

    /// Replaces right-hand sides by solutions; the fields have one entry more than there are nodes.
    fn solve_in_place(&mut self, x: &mut [Single]);

    /// As [`ScalarSolver::solve_in_place`], to a few digits; may allocate.
    fn solve_accurately(&mut self, x: &mut [Single]) {
        self.solve_in_place(x);
    }
}

/// The solver that suits a matrix whose first rows are those of nodes at `places`.
pub(crate) fn scalar_solver(
    kind: SolverKind,
    matrix: &BlockMatrix,
    places: &[DVec3],
) -> Box<dyn ScalarSolver> {
    if kind != SolverKind::Multigrid
        && places.len() <= LARGEST_SCALAR_FACTOR
        && let Some(factor) = ScalarFactor::new(matrix, places)
    {
        return Box::new(factor);
    }
    Box::new(ScalarMultigrid::new(matrix, places))
}
