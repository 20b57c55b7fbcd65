//! Finite elements, springs and other energies over meshes.

#[cfg(test)]
pub(crate) mod contract;
mod energy;
mod error;
mod material;
mod rotation_field;
pub mod strain;
mod tetrahedra;
mod warped;

pub use energy::MeshEnergy;
pub use error::FemError;
pub use material::ElasticMaterial;
pub use rotation_field::{RotationField, RotationMethod};
pub use tetrahedra::Tetrahedra;
pub use warped::Warped;
