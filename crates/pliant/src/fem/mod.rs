//! Finite elements, springs and other energies over meshes.
//!
//! A body over a mesh has [`MeshSettings`] in its description: elements, a [`MeshModel`] that makes
//! energies of them, damping and rigid cores. Its steps are implicit.

#[cfg(test)]
pub(crate) mod contract;
mod coordinates;
mod energy;
mod error;
mod material;
mod rigid_core;
mod rotation_field;
mod settings;
mod solid;
mod stepper;
pub mod strain;
mod tetrahedra;
mod warped;

pub use energy::MeshEnergy;
pub use error::FemError;
pub use material::{ElasticMaterial, RegionMaterials};
pub use rigid_core::{CoreMotion, Pose, RigidCore};
pub use rotation_field::{RotationField, RotationMethod};
pub use settings::{MeshModel, MeshSettings, MeshSurface, ModelInput};
pub use solid::{SolidModel, SolidStrain};
pub(crate) use stepper::MeshStepper;
pub use tetrahedra::Tetrahedra;
pub use warped::Warped;
