//! Linear systems: matrix storage and one file per solver.
//!
//! Two kinds of symmetric positive definite system are solved:
//! - a scalar matrix over grid nodes acting on the x, y and z components alike ([`GridMatrix`],
//!   [`GridSolver`]), for the semi-implicit step of \[Terzopoulos1988\] eq. 39;
//! - a matrix of 3x3 blocks over nodes ([`BlockMatrix`], [`BlockSolver`]), for implicit steps.
//!
//! A solver is built once for a pattern, `prepare`d whenever the numbers change and asked to
//! `solve` as often as needed. Once warm, neither allocates (but for [`SolverKind::Lu`], whose
//! library may).
//!
//! A new solver is one file that implements `GridMethod` and `BlockMethod`, and one line in the
//! lists of `method.rs`.

mod adi;
mod aggregation;
mod aligned;
mod block_conjugate_gradient;
mod block_matrix;
mod block_solver;
mod cholesky;
mod coarse_space;
mod compact_blocks;
mod compressed;
mod conjugate_gradient;
mod control_points;
mod coordinate_dissection;
mod coupled_conjugate_gradient;
mod dense_cholesky;
mod diagonal_blocks;
mod diagonals;
mod direct;
mod factor_size;
mod factored_conjugate_gradient;
mod grid_conjugate_gradient;
mod grid_matrix;
mod grid_solver;
mod half_blocks;
mod kernels;
mod lanes;
mod lu;
mod method;
mod multigrid;
mod narrow_cholesky;
mod nested_dissection;
mod node_directions;
mod preconditioned;
mod relaxation;
mod residual_control;
mod rough_iteration;
mod row_lists;
mod scalar_factor;
mod scalar_solver;
mod sheet;
mod single_fields;
#[cfg(test)]
mod solver_tests;
mod sor;
mod stencil_blocks;
mod stiff_nodes;
mod swept_matrix;
#[cfg(test)]
mod test_systems;
mod thin_body_solver;
mod wave_order;

pub(crate) use aligned::AlignedArray;
pub use block_matrix::BlockMatrix;
pub use block_solver::BlockSolver;
pub(crate) use conjugate_gradient::{Passes, Recurrence};
pub(crate) use coupled_conjugate_gradient::{CoupledConjugateGradient, CoupledSystem};
pub(crate) use dense_cholesky::DenseCholesky;
pub(crate) use diagonal_blocks::{ENTRIES, LANES, LaneField, Line};
pub use factor_size::{Couplings, factor_entries};
pub use grid_matrix::GridMatrix;
pub use grid_solver::GridSolver;
pub use half_blocks::HalfBlocks;
pub(crate) use method::Goal;
pub(crate) use node_directions::Held;
pub(crate) use rough_iteration::{FINEST, RoughIteration};
pub use scalar_solver::LARGEST_SCALAR_FACTOR;
pub use stencil_blocks::StencilBlocks;
pub(crate) use stencil_blocks::{NodeBlocks, StencilTarget};
pub(crate) use swept_matrix::SweptMatrix;
pub(crate) use thin_body_solver::{EASY, PATIENCE};

crate::choice! {
    /// The ways to solve a linear system.
    pub enum SolverKind {
        /// For surfaces conjugate gradients with symmetric over-relaxation, for curves and where
        /// stiffness far outweighs inertia or iterations do not come to their end `Cholesky`; for solids
        /// and the published scheme `ConjugateGradient`; `Cholesky` for statics of curves, of surfaces of up
        /// to 40,000 nodes and of solids of up to 6,000.
        Automatic,
        /// Conjugate gradients. Open surfaces that are large and stiff are preconditioned by a
        /// multigrid cycle, meshes and solids by a scalar matrix of the body at rest (its factor, or
        /// beyond 8,000 nodes a multigrid cycle), all else by the (block) diagonal.
        ConjugateGradient,
        /// Conjugate gradients, preconditioned by the (block) diagonal, whatever the matrix.
        DiagonalConjugateGradient,
        /// Sparse Cholesky factorisation: exact; refuses matrices that are not positive definite.
        Cholesky,
        /// Sparse LU factorisation: exact; for any regular matrix.
        Lu = "LU",
        /// Successive over-relaxation in the order of the nodes.
        Sor = "SOR",
        /// Alternating directions: the lines of the grid are solved exactly, direction after
        /// direction.
        Adi = "ADI",
        /// Conjugate gradients, preconditioned by a multigrid cycle: geometric over grids, by
        /// smoothed aggregation over meshes.
        Multigrid,
    }
}

/// What a solver is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverSettings {
    /// Which solver.
    pub kind: SolverKind,
    /// Wanted residual |b - A x| / |b|. Zero runs all `max_iterations`, if there are any.
    pub tolerance: f64,
    /// Most iterations (sweeps, cycles) of an iterative solver, for those who want so many and no more: what
    /// a solve has found by then is used as it is. Without it a solve comes to its end: sweeps, lines and
    /// cycles that take more than [`PATIENT`] give way to conjugate gradients.
    pub max_iterations: Option<usize>,
    /// Over-relaxation factor of [`SolverKind::Sor`], between 0 and 2.
    pub relaxation: f64,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            kind: SolverKind::Automatic,
            tolerance: 1e-8,
            max_iterations: None,
            relaxation: 1.5,
        }
    }
}

/// Sweeps, lines and cycles after which conjugate gradients go on, where no limit was asked for.
pub const PATIENT: usize = 1000;

/// Conjugate gradients that take more than this do not converge.
const ENDLESS: usize = 100_000;

impl SolverSettings {
    /// The same with a limit where none was asked for.
    pub(crate) fn limited(self, most: usize) -> Self {
        Self {
            max_iterations: self.max_iterations.or(Some(most)),
            ..self
        }
    }

    /// Whether conjugate gradients go on after [`PATIENT`] iterations.
    pub(crate) fn gives_way(&self) -> bool {
        matches!(
            self.kind,
            SolverKind::Sor | SolverKind::Adi | SolverKind::Multigrid
        )
    }

    /// How far the chosen solver goes, and the settings of conjugate gradients that go on where it has not
    /// come to its end.
    fn with_successor(&self) -> (Self, Option<Self>) {
        if self.max_iterations.is_some() || !self.gives_way() {
            return (self.limited(ENDLESS), None);
        }
        let successor = Self {
            kind: SolverKind::DiagonalConjugateGradient,
            ..self.limited(ENDLESS)
        };
        (self.limited(PATIENT), Some(successor))
    }
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Iterations, sweeps or cycles; refinement steps of a direct solver.
    pub iterations: usize,
    /// The residual |b - A x| / |b|; computed from the solution, but for short runs of conjugate
    /// gradients, which know it; 0 if b = 0.
    pub residual: f64,
    /// Whether the residual is within the tolerance (direct solvers: or within 1e-8).
    pub converged: bool,
    /// Numeric factorisations since the last solve.
    pub factorisations: usize,
    /// Iterations of conjugate gradients on an open surface that were preconditioned by a multigrid
    /// cycle.
    pub cycles: usize,
}

/// Why a system could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinearError {
    /// A pivot or diagonal entry is not positive.
    #[error("the matrix is not positive definite (found at the row of node {row})")]
    NotPositiveDefinite {
        /// The node whose row failed.
        row: usize,
    },
    /// Conjugate gradients met a direction p with p A p <= 0.
    #[error("the matrix is not positive definite (found in iteration {iteration})")]
    NegativeCurvature {
        /// The iteration in which it was met.
        iteration: usize,
    },
    /// A row depends on the others.
    #[error("the matrix is singular (found at the row of node {row})")]
    Singular {
        /// The node whose row failed.
        row: usize,
    },
    /// The matrix, the right-hand side or the first guess holds an infinity or NaN.
    #[error("the linear system holds a number that is not finite")]
    NotFinite,
    /// `solve` was called before `prepare` succeeded.
    #[error("the solver was asked to solve before it was prepared")]
    NotPrepared,
    /// The companion of a block matrix has another number of nodes.
    #[error("the companion has {companion} nodes, the block matrix {nodes}")]
    WrongCompanion {
        /// Nodes of the block matrix.
        nodes: usize,
        /// Nodes of the companion.
        companion: usize,
    },
    /// The factors do not fit in memory or in the index type.
    #[error("the system of {unknowns} unknowns is too large to factorise")]
    TooLarge {
        /// Number of unknowns.
        unknowns: usize,
    },
}
