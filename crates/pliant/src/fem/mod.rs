//! Finite elements, springs and other energies over meshes.
//!
//! A body over a mesh has [`MeshSettings`] in its description: elements, a [`MeshModel`] that makes
//! energies of them, damping and rigid cores. Its steps are implicit.

mod assembly;
mod bending;
mod block_check;
mod cloth;
#[cfg(test)]
pub(crate) mod contract;
mod coordinates;
mod element_model;
mod energy;
mod error;
mod green_membrane;
pub mod inelastic;
pub mod isoparametric;
mod material;
mod membrane;
mod momenta;
mod pressed;
mod rigid_core;
mod root;
mod rotation_field;
mod settings;
mod slots;
mod solid;
mod spring_model;
mod spring_stiffness;
mod springs;
mod stepper;
pub mod strain;
#[cfg(test)]
pub(crate) mod test_meshes;
mod tetrahedra;
mod tetrahedron_lanes;
mod tied;
mod volume;
mod warped;

pub use bending::{Hinge, PlateBending, PlateMaterial};
pub use cloth::ClothModel;
pub use element_model::ElementModel;
pub use energy::MeshEnergy;
pub use error::FemError;
pub(crate) use inelastic::MeshInelasticWorkspace;
pub use inelastic::{ElementMemory, MeshInelasticity, MeshMemory};
pub use material::{ElasticMaterial, RegionMaterials};
pub use membrane::{Membrane, MembraneMaterial, MembraneStrain};
pub use rigid_core::{CoreMotion, Pose, RigidCore};
pub use rotation_field::{RotationField, RotationMethod};
pub use settings::{MeshModel, MeshSettings, MeshSurface, ModelInput};
pub use solid::{SolidModel, SolidStrain};
pub use spring_model::SpringModel;
pub use springs::{Spring, SpringNetwork, StretchLimit};
pub(crate) use stepper::MeshStepper;
pub use tetrahedra::Tetrahedra;
pub use volume::VolumePreservation;
pub use warped::Warped;
