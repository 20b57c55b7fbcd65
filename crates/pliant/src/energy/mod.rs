//! The contract of an energy over nodes: elastic energies of grids and of meshes keep it alike.

#[cfg(test)]
pub(crate) mod contract;
mod reliefs;

pub use reliefs::Reliefs;

use crate::linear::{BlockMatrix, GridMatrix, HalfBlocks, StencilBlocks};
use glam::{DMat3, DQuat, DVec3};

/// Which Hessian of an energy is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// The true one, possibly indefinite.
    Full,
    /// A positive semi-definite part of it.
    Positive,
    /// What resists strain alone, without what stress adds: a body at its rest shape may turn freely, and one
    /// that is strained nearly so. Positive semi-definite too.
    Material,
}

/// Rest values and stiffnesses of the terms of an energy, as inelastic processes leave them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Springs {
    /// The rest value of each term.
    pub rests: Vec<f64>,
    /// The stiffness of each term.
    pub stiffnesses: Vec<f64>,
    /// What resists the rate of the measures.
    pub dashpots: Dashpots,
}

/// Dashpots beside the springs of an energy, each as a spring that is made for a step or for a stage of it:
///
/// ```text
/// force by measure = k τ s (m - m̂),      s (m - m̂) the rate of the measure m where the stage ends
/// ```
///
/// s = 1 / h and m̂ = m(start) over a step of backward Euler; see [`DashpotStage`] for others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dashpots {
    /// τ of each term, in seconds; empty if there are none.
    pub times: Vec<f64>,
    /// The measure of each term where the step begins.
    pub starts: Vec<f64>,
    /// s, in 1/s.
    pub rate: f64,
}

/// The rate of measures in a stage of a time rule: s (m - w₀ m(start) - w₁ m(between)).
#[derive(Clone, Copy, Debug)]
pub struct DashpotStage<'a> {
    /// s, in 1/s.
    pub rate: f64,
    /// w₀ and w₁.
    pub weights: [f64; 2],
    /// Where the stage begins, in metres.
    pub between: &'a [DVec3],
}

/// The rest state of each element of an energy, as inelastic processes leave it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementMemory {
    /// What the deformation gradient is multiplied by from the right before it is strain: the
    /// inverse of the permanent deformation of each element.
    pub rests: Vec<DMat3>,
    /// The share of its stiffness that each element has.
    pub shares: Vec<f64>,
}

/// An energy E(x) of node positions: its value, its gradient and its Hessian.
///
/// The methods take `&mut self` for scratch memory only: the same positions give the same bits.
/// None of them allocates once warm.
pub trait Energy: std::fmt::Debug + Send {
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

    /// Adds the Hessian, in newtons per metre: as it is, or without its negative curvature.
    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix);

    /// Adds the directions in which the matrix of `add_hessian` is stiffer than the Hessian: for what couples all
    /// nodes and has no place in a sparse matrix. They make iterations faster, and may be left out.
    fn add_reliefs(&mut self, _positions: &[DVec3], _curvature: Curvature, _reliefs: &mut Reliefs) {
    }

    /// Lets the rotations of frames follow the nodes: that of the whole body, and those of the nodes of a body in
    /// several pieces. Energies without frames leave them as they are.
    fn turn_frames(
        &mut self,
        _positions: &[DVec3],
        _whole: &mut DQuat,
        _of_nodes: &mut Vec<DQuat>,
    ) {
    }

    /// Whether the true Hessian costs so much more than its positive part that Newton's method is faster
    /// without it.
    fn is_true_hessian_dear(&self) -> bool {
        false
    }

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
    fn adopt_springs(&mut self, _springs: &Springs) {}

    /// Lets the dashpots that were adopted resist the rate that measures have in a stage; without one, that of a
    /// step of backward Euler.
    fn lead_dashpots(&mut self, _stage: Option<DashpotStage>) {}

    /// A scalar matrix over a grid that resembles the Hessian in each component, for the solvers that
    /// precondition with one; `None` where the nodes have no grid.
    fn companion(&self) -> Option<GridMatrix> {
        None
    }

    /// Fills a matrix from `companion` for given positions.
    fn fill_companion(&mut self, _positions: &[DVec3], _matrix: &mut GridMatrix) {}

    /// Room for the positive Hessian in single precision by the stencil of a grid, for rough solves;
    /// `None` where there is no such way to it.
    fn stencil(&self) -> Option<StencilBlocks> {
        None
    }

    /// Puts the positive Hessian into what `stencil` gave, in the place of what was there. Its part
    /// that comes from stress has the stress that a linear solve at `_from`, which led to the positions,
    /// foresaw; the true one if both are the same.
    fn fill_stencil(
        &mut self,
        _positions: &[DVec3],
        _from: &[DVec3],
        _stencil: &mut StencilBlocks,
    ) {
    }

    /// Looks up once where its blocks are in the upper half of matrices over a mesh in single precision, for rough
    /// solves; returns whether it has such a way to its positive Hessian.
    fn attach_half(&mut self, _half: &HalfBlocks) -> bool {
        false
    }

    /// Adds the positive Hessian to what `attach_half` has seen.
    fn add_half_hessian(&mut self, _positions: &[DVec3], _half: &mut HalfBlocks) {}

    /// Keeps what it finds anew at every evaluation and which may jump, such as rotations, as it is; or
    /// lets it go.
    fn hold(&mut self, _held: bool) {}

    /// Whether its gradient jumps near these positions, as where triangles without area turn over.
    fn has_kinks_near(&mut self, _positions: &[DVec3]) -> bool {
        false
    }

    /// Whether it has no rest shape to be convex about, as an area: then even backward Euler can create energy,
    /// by h² vᵀ H v / 2 per step along negative curvature.
    fn is_saddle(&self) -> bool {
        false
    }

    /// Whether the gradient is that of the energy: where not, no line search can look at it.
    fn is_conservative(&self) -> bool {
        true
    }
}
