//! What an energy of elements has to know of the inelastic past.

use super::Ties;
use glam::DMat3;
use std::sync::Arc;

/// The rest state of each element of an energy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementMemory {
    /// What the deformation gradient is multiplied by from the right before it is strain: the
    /// inverse of the permanent deformation of each element.
    pub rests: Vec<DMat3>,
    /// The share of its stiffness that each element has.
    pub shares: Vec<f64>,
}

/// The past of a body over a mesh as its integrator sees it.
#[derive(Clone, Debug, Default)]
pub struct MeshMemory {
    /// For each energy of the body: the one that lasts, then one for each unit that relaxes. Empty
    /// for a body whose elements are as they were.
    pub layers: Vec<ElementMemory>,
    /// Nodes that move as one, in a body that can break.
    pub ties: Option<Arc<Ties>>,
}
