//! How much memory a body takes while it is simulated.
//!
//! Figures were measured as the largest resident memory of runs of a few steps with grids and meshes of
//! 1,300 to 220,000 nodes; estimates are within a third of what was measured. Factors of matrices are
//! counted by a symbolic pass over the couplings of the nodes ([`factor_entries`]), so that a bar is
//! told from a cube.

use super::{BodyDescription, IntegratorKind};
use crate::linear::{Couplings, LARGEST_SCALAR_FACTOR, SolverKind, factor_entries};
use glam::DVec3;

/// What a body takes, as its formulation says.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// Bytes per node, beside factors.
    pub bytes_per_node: f64,
    /// Bytes per entry of a factor over the nodes; 0 if none is made.
    pub bytes_per_entry: f64,
    /// Nodes that are coupled, if a factor is made; nothing if there are more than can be counted.
    pub couplings: Option<Couplings>,
    /// The solver that it will have.
    pub solver: SolverKind,
    /// What would make it smaller, such as "a coarser mesh".
    pub remedy: &'static str,
}

impl Footprint {
    /// Of a body whose matrix has 3 x 3 blocks (else it is scalar, one number for each pair of nodes),
    /// of elements of a mesh or not, without its couplings.
    pub fn new(
        description: &BodyDescription,
        has_blocks: bool,
        over_mesh: bool,
        bytes_per_node: f64,
        remedy: &'static str,
    ) -> Self {
        let dimension = description.formulation.dimension(description);
        let is_newton = has_blocks && !has_scalar_integrator(description);
        let solver = match (description.solver.kind, dimension < 3 && is_newton) {
            // The larger of what it may choose.
            (SolverKind::Automatic, true) => SolverKind::Cholesky,
            (SolverKind::Automatic, false) => SolverKind::ConjugateGradient,
            (kind, _) => kind,
        };
        let nodes = description.rest_positions.len();
        let bytes_per_entry = match (solver, over_mesh, has_blocks) {
            // Three unknowns per node, ordered by degree, which fills in more than dissection.
            (SolverKind::Cholesky, true, _) => {
                // Measured: 1.05 times as much at 15,600 nodes, 1.55 times at 216,000.
                9.0 * 8.0 * (1.05 * (nodes as f64 / 15_600.0).powf(0.15)).max(1.0)
            }
            (SolverKind::Cholesky, false, true) => 9.0 * 8.0 * 1.3,
            (SolverKind::Cholesky, false, false) => 8.0 * 1.2,
            (SolverKind::Lu, _, true) => 9.0 * 8.0 * 5.0,
            (SolverKind::Lu, _, false) => 8.0 * 5.0,
            // The preconditioner of small solids: in double precision, and once more in 16 bits.
            // Large ones have a hierarchy, which the bytes per node include.
            (SolverKind::ConjugateGradient, _, true) if nodes <= LARGEST_SCALAR_FACTOR => 11.0,
            _ => 0.0,
        };
        Self {
            bytes_per_node,
            bytes_per_entry,
            couplings: None,
            solver,
            remedy,
        }
    }

    /// With the couplings of the nodes, which are found only where a factor is made.
    pub fn coupled(mut self, couplings: impl FnOnce() -> Option<Couplings>) -> Self {
        if self.bytes_per_entry > 0.0 {
            self.couplings = couplings();
        }
        self
    }

    /// Whether its matrix is factorised as a whole.
    pub fn is_direct(&self) -> bool {
        matches!(self.solver, SolverKind::Cholesky | SolverKind::Lu)
    }

    /// All of it, in bytes, for nodes at these places.
    pub fn bytes(&self, places: &[DVec3]) -> f64 {
        let entries = match &self.couplings {
            _ if self.bytes_per_entry == 0.0 => 0.0,
            Some(couplings) => factor_entries(couplings, places) as f64,
            // More than fits into 32-bit numbers fits into no memory either.
            None => 1e15,
        };
        places.len() as f64 * self.bytes_per_node + self.bytes_per_entry * entries
    }
}

/// Whether the integrator of a body on a grid needs no matrix of 3 x 3 blocks. A body that leaves the
/// integrator to the engine is taken to need one.
pub fn has_scalar_integrator(description: &BodyDescription) -> bool {
    matches!(
        description.integrator,
        IntegratorKind::SemiImplicit | IntegratorKind::Explicit
    )
}
