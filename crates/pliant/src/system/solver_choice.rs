//! Which solver a body gets.

use crate::body::{Body, IntegratorKind, factorises_statics};
use crate::grid::Grid;
use crate::linear::{BlockMatrix, BlockSolver, SolverKind};

/// Nodes of a sheet beyond which a factor takes too much.
const LARGEST_FACTOR: usize = 40_000;

/// Most iterations of conjugate gradients: Newton's method goes on from what they have found, and a single solve that
/// ends here is counted.
const ITERATIONS: usize = 200;

/// The solver that a body asks for, or the one that suits it. `grid` orders the nodes, if one does.
pub(super) fn solver_of(
    body: &Body,
    pattern: &BlockMatrix,
    grid: Option<&Grid>,
    can_break: bool,
) -> BlockSolver {
    let description = body.description();
    let mut settings = description.solver;
    if !settings.gives_way() {
        settings = settings.limited(ITERATIONS);
    }
    let rest = &description.rest_positions;
    if settings.kind == SolverKind::Automatic && factorises_statics(description) {
        settings.kind = SolverKind::Cholesky;
    }
    let iterates = matches!(
        settings.kind,
        SolverKind::Automatic | SolverKind::ConjugateGradient
    );
    if can_break {
        // Groups of tied nodes have no place in the order of the nodes.
        return BlockSolver::new(settings, pattern);
    }
    if settings.kind == SolverKind::Automatic
        && body.is_thin()
        && description.scheme() != IntegratorKind::Static
        && rest.len() <= LARGEST_FACTOR
    {
        return BlockSolver::of_thin(settings, pattern, grid, body.is_sheet());
    }
    match grid {
        Some(grid) if !iterates => BlockSolver::on_grid(settings, pattern, grid),
        _ => BlockSolver::on_mesh(settings, pattern, rest),
    }
}
