//! How much memory a body takes while it is simulated.
//!
//! Figures were measured as the largest resident memory of runs of a few steps with grids and meshes of
//! 1,300 to 220,000 nodes; estimates are within a third of what was measured. Factors of matrices are
//! counted by a symbolic pass over the couplings of the nodes ([`factor_entries`]), so that a bar is
//! told from a cube.

use super::{BodyDescription, IntegratorKind};
use crate::linear::{Couplings, LARGEST_SCALAR_FACTOR, SolverKind, factor_entries};
use crate::process::{ProcessKind, Scheduled};
use glam::DVec3;

/// Nodes of a sheet and of a solid beyond which statics iterates: the time of a factor grows with their square.
const LARGEST_STATIC_SHEET: usize = 40_000;
const LARGEST_STATIC_SOLID: usize = 6_000;

/// What a body takes, as its formulation says.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// Bytes per node, beside factors.
    pub bytes_per_node: f64,
    /// Bytes per entry of a factor over the nodes; 0 if none is made.
    pub bytes_per_entry: f64,
    /// The same if the matrix is so stiff that one has to be made.
    pub most_bytes_per_entry: f64,
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
        let chooses = description.solver.kind == SolverKind::Automatic
            && is_newton
            && !(over_mesh && breaks(description))
            && description.scheme() != IntegratorKind::Static;
        // Curves factorise their matrix, sheets do where they are very stiff.
        let is_static = is_newton && factorises_statics(description);
        let solver = |is_stiff: bool| match (description.solver.kind, dimension) {
            (SolverKind::Automatic, _) if is_static => SolverKind::Cholesky,
            (SolverKind::Automatic, 1) if chooses => SolverKind::Cholesky,
            (SolverKind::Automatic, 2) if chooses && is_stiff => SolverKind::Cholesky,
            // Thin bodies have no preconditioner that takes memory.
            (SolverKind::Automatic, 2) if chooses => SolverKind::DiagonalConjugateGradient,
            (SolverKind::Automatic, _) => SolverKind::ConjugateGradient,
            (kind, _) => kind,
        };
        let nodes = description.rest_positions.len();
        let bytes_per_entry = |solver: SolverKind| match (solver, over_mesh, has_blocks) {
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
        let processes = bytes_of_processes(description, over_mesh, is_newton);
        Self {
            bytes_per_node: bytes_per_node + processes,
            bytes_per_entry: bytes_per_entry(solver(false)),
            most_bytes_per_entry: bytes_per_entry(solver(true)),
            couplings: None,
            solver: solver(false),
            remedy,
        }
    }

    /// With the couplings of the nodes, which are found only where a factor is made.
    pub fn coupled(mut self, couplings: impl FnOnce() -> Option<Couplings>) -> Self {
        if self.most_bytes_per_entry > 0.0 {
            self.couplings = couplings();
        }
        self
    }

    /// Whether its matrix is factorised as a whole.
    pub fn is_direct(&self) -> bool {
        matches!(self.solver, SolverKind::Cholesky | SolverKind::Lu)
    }

    /// All of it, in bytes, for nodes at these places: what is likely, and what it takes if the matrix
    /// is so stiff that it has to be factorised.
    pub fn bytes(&self, places: &[DVec3]) -> [f64; 2] {
        let entries = match &self.couplings {
            _ if self.most_bytes_per_entry == 0.0 => 0.0,
            Some(couplings) => factor_entries(couplings, places) as f64,
            // More than fits into 32-bit numbers fits into no memory either.
            None => 1e15,
        };
        let of_nodes = places.len() as f64 * self.bytes_per_node;
        [self.bytes_per_entry, self.most_bytes_per_entry].map(|each| of_nodes + each * entries)
    }
}

/// Whether a body that looks for a balance of forces has its matrix factorised, if it leaves the solver to the
/// engine. No inertia helps iterations, and what a thin body feels is up to a million million times softer than
/// its stretching.
pub(crate) fn factorises_statics(description: &BodyDescription) -> bool {
    let largest = match description.formulation.dimension(description) {
        1 => usize::MAX,
        2 => LARGEST_STATIC_SHEET,
        _ => LARGEST_STATIC_SOLID,
    };
    description.scheme() == IntegratorKind::Static && description.rest_positions.len() <= largest
}

/// Whether a body can break; over a mesh its elements then have nodes of their own.
pub(crate) fn breaks(description: &BodyDescription) -> bool {
    let breaks = |process: &Scheduled| matches!(process.kind, ProcessKind::Fracture(_));
    description.processes.iter().any(breaks)
}

/// What a node takes for inelastic processes, in bytes: measured for flow, which is the largest.
fn bytes_of_processes(description: &BodyDescription, over_mesh: bool, is_newton: bool) -> f64 {
    if description.processes.is_empty() || (over_mesh && breaks(description)) {
        return 0.0;
    }
    let dimension = description.formulation.dimension(description);
    match (over_mesh, dimension, is_newton) {
        (true, _, _) => 3_500.0,
        (false, 3, true) => 7_300.0,
        (false, 3, false) => 3_800.0,
        (false, 2, _) => 2_200.0,
        (false, _, _) => 1_200.0,
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
