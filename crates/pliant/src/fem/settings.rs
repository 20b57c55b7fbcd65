//! What makes a body a mesh: its elements, what they are made of, what holds parts of it together.

use super::RigidCore;
use super::{FemError, MeshEnergy};
use crate::frame::Topology;
use crate::mesh::ElementMesh;
use glam::DVec3;
use std::sync::Arc;

/// How the elements of a mesh answer to deformation: the energies of a body.
pub trait MeshModel: std::fmt::Debug + Send + Sync {
    /// The energies over nodes that rest at `rest_positions`.
    fn energies(&self, rest_positions: &[DVec3]) -> Result<Vec<Box<dyn MeshEnergy>>, FemError>;
}

/// All that only bodies over a mesh have.
#[derive(Clone, Debug)]
pub struct MeshSettings {
    /// The elements; node positions in it are not used (see
    /// [`BodyDescription::rest_positions`](crate::BodyDescription)).
    pub mesh: Arc<ElementMesh>,
    /// Its energies.
    pub model: Arc<dyn MeshModel>,
    /// What is drawn: the boundary of the mesh, or a fine surface carried by it.
    pub surface: Arc<MeshSurface>,
    /// Rayleigh's damping by mass, in 1/s: the force -α M v.
    pub mass_damping: f64,
    /// Rayleigh's damping by stiffness, in seconds: the force -β K v.
    pub stiffness_damping: f64,
    /// Parts that move as rigid bodies.
    pub cores: Vec<RigidCore>,
    /// Whether a free body is given the momenta that external forces alone would give it: what
    /// ghost forces and numerical damping take or add is restored.
    pub keeps_momentum: bool,
}

impl MeshSettings {
    /// A body without damping or cores that shows the boundary of its mesh.
    pub fn new(mesh: Arc<ElementMesh>, model: Arc<dyn MeshModel>) -> Self {
        let topology = Arc::new(crate::mesh::boundary_topology(&mesh));
        Self {
            mesh,
            model,
            surface: Arc::new(MeshSurface {
                topology,
                embedding: None,
            }),
            mass_damping: 0.0,
            stiffness_damping: 0.0,
            cores: Vec::new(),
            keeps_momentum: false,
        }
    }
}

/// What is drawn of a mesh.
#[derive(Clone, Debug, Default)]
pub struct MeshSurface {
    /// Lines, triangles and cells between the vertices.
    pub topology: Arc<Topology>,
    /// Where the vertices are in the mesh; they are its nodes if `None`.
    pub embedding: Option<Arc<crate::mesh::Embedding>>,
}
