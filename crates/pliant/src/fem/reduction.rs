//! Bodies over meshes that move in another way than node by node.

use super::MeshSettings;
use crate::body::{Body, BodyDescription, Integrator};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// How a body over a mesh moves, where that is not by its energies.
pub trait Reduction: Any + Debug + Send + Sync {
    /// Its name as a formulation.
    fn name(&self) -> &'static str;

    /// What is wrong with a description, if anything. Mesh and model have been checked before.
    fn check(&self, description: &BodyDescription, mesh: &MeshSettings) -> Result<(), String>;

    /// Bytes that a node takes, beside the factor of the stiffness.
    fn bytes_per_node(&self, description: &BodyDescription) -> f64;

    /// Whether its bodies rebound from obstacles as `restitution` says.
    fn heeds_restitution(&self) -> bool {
        true
    }

    /// What advances the body.
    fn integrator(&self, body: &Body) -> Box<dyn Integrator>;

    /// The same without anything that was computed for the stiffness it had.
    fn afresh(&self) -> Arc<dyn Reduction>;
}

impl dyn Reduction {
    /// The reduction as what it is.
    pub fn downcast<R: Reduction>(&self) -> Option<&R> {
        (self as &dyn Any).downcast_ref()
    }
}

/// A mesh and how it moves.
#[derive(Clone, Debug)]
pub struct ReducedMesh {
    /// The mesh, what it is made of and what is drawn of it.
    pub mesh: MeshSettings,
    /// How it moves.
    pub reduction: Arc<dyn Reduction>,
}
