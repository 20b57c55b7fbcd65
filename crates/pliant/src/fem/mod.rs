//! Finite elements, springs and other energies over meshes.

mod block_check;
#[cfg(test)]
pub(crate) mod contract;
mod dyadic;
mod energy;
mod error;
pub mod isoparametric;
mod material;
mod slots;
mod spring_stiffness;
mod springs;
#[cfg(test)]
pub(crate) mod test_meshes;
mod volume;

pub use energy::MeshEnergy;
pub use error::FemError;
pub use material::ElasticMaterial;
pub use springs::{Spring, SpringNetwork, StretchLimit};
pub use volume::VolumePreservation;
