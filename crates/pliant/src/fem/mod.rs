//! Finite elements, springs and other energies over meshes.

#[cfg(test)]
pub(crate) mod contract;
mod energy;
mod error;
mod material;

pub use energy::MeshEnergy;
pub use error::FemError;
pub use material::ElasticMaterial;
