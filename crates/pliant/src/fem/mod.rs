//! Finite elements, springs and other energies over meshes.
//!
//! A body over a mesh has [`MeshSettings`] in its description: elements, a [`MeshModel`] that makes
//! energies of them, damping and rigid cores. Its steps are implicit.

mod active_surface;
mod angular_springs;
mod assembly;
mod bending;
mod block_check;
mod cloth;
mod element_model;
mod error;
mod green_membrane;
pub mod inelastic;
pub mod isoparametric;
mod lane_laws;
mod material;
mod membrane;
mod membrane_lanes;
mod muscle;
mod pack_assembly;
mod reduction;
mod rotation_field;
mod settings;
mod slots;
mod solid;
mod spring_model;
mod spring_stiffness;
mod springs;
pub mod strain;
#[cfg(test)]
pub(crate) mod test_meshes;
mod tetrahedra;
mod tetrahedron_lanes;
mod volume;
mod warped;

pub use crate::system::{CoreMotion, CorePose, RigidCore};
pub use active_surface::ActiveSurface;
pub use angular_springs::AngularSprings;
pub use bending::{Hinge, PlateBending, PlateMaterial};
pub use cloth::ClothModel;
pub use element_model::ElementModel;
pub use error::FemError;
pub(crate) use inelastic::{MeshMaterial, layer_count, part_pieces, parting_gap};
pub use material::{ElasticMaterial, RegionMaterials};
pub use membrane::{Membrane, MembraneMaterial, MembraneStrain};
pub(crate) use muscle::MusclesAtWork;
pub use muscle::{Contraction, Muscle};
pub use reduction::{ReducedMesh, Reduction};
pub use rotation_field::{RotationField, RotationMethod};
pub use settings::{MeshModel, MeshSettings, MeshSurface, ModelInput};
pub use solid::{SolidModel, SolidStrain};
pub use spring_model::SpringModel;
pub use springs::{Spring, SpringNetwork, StretchLimit};
pub use tetrahedra::Tetrahedra;
pub use volume::VolumePreservation;
pub use warped::Warped;

use crate::energy::{ElementMemory, Energy};
