//! Finite elements, springs and other energies over meshes.

mod assembly;
mod block_check;
#[cfg(test)]
pub(crate) mod contract;
mod dyadic;
mod energy;
mod error;
mod hinge;
pub mod isoparametric;
mod material;
mod membrane;
mod slots;
mod spring_stiffness;
mod springs;
#[cfg(test)]
pub(crate) mod test_meshes;
mod volume;

pub use energy::MeshEnergy;
pub use error::FemError;
pub use hinge::{Hinge, HingeBending};
pub use material::ElasticMaterial;
pub use membrane::{Membrane, MembraneMaterial};
pub use springs::{Spring, SpringNetwork, StretchLimit};
pub use volume::VolumePreservation;
