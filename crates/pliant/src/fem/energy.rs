//! The contract of an energy over the nodes of a mesh.

use super::ElementMemory;
use crate::elastic::Curvature;
use crate::linear::{BlockMatrix, GridMatrix};
use glam::DVec3;

/// An energy E(x) of node positions: its value, its gradient and its Hessian.
///
/// The methods take `&mut self` for scratch memory only: the same positions give the same bits.
/// None of them allocates once warm.
pub trait MeshEnergy: std::fmt::Debug + Send {
    /// Calls `visit` with every pair of different nodes that the Hessian couples, in any order and
    /// any number of times.
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize));

    /// Looks up once where its blocks are in matrices with the pattern of `matrix`.
    fn attach(&mut self, matrix: &BlockMatrix);

    /// The energy, in joules.
    fn energy(&mut self, positions: &[DVec3]) -> f64;

    /// Size of the terms that cancel each other in the energy, in joules: its rounding error is
    /// about as many units of rounding.
    fn largest_terms(&self) -> f64 {
        0.0
    }

    /// Adds the gradient, in newtons: the force is its negative.
    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]);

    /// Adds the Hessian, in newtons a metre: as it is, or without its negative curvature.
    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix);

    /// Adds a positive semi-definite matrix near the Hessian that is cheap to find: for steps of one
    /// linear solve, and to precondition with.
    fn add_stiffness(&mut self, positions: &[DVec3], matrix: &mut BlockMatrix) {
        self.add_hessian(positions, Curvature::Positive, matrix);
    }

    /// Takes over the rest states of its elements that inelastic processes have changed. Energies
    /// that are not of solid elements have none.
    fn adopt(&mut self, _memory: &ElementMemory) {}

    /// Takes over rest values and stiffnesses of its terms that inelastic processes have changed.
    /// Energies that are not made of such terms have none.
    fn adopt_springs(&mut self, _rests: &[f64], _stiffnesses: &[f64]) {}

    /// A scalar matrix over a grid that resembles the Hessian in each component, for the solvers that
    /// precondition with one; `None` where the nodes have no grid.
    fn companion(&self) -> Option<GridMatrix> {
        None
    }

    /// Fills a matrix from `companion` for given positions.
    fn fill_companion(&mut self, _positions: &[DVec3], _matrix: &mut GridMatrix) {}

    /// Whether the gradient is that of the energy: where not, no line search can look at it.
    fn is_conservative(&self) -> bool {
        true
    }
}
