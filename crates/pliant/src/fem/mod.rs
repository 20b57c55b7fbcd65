//! Finite elements, springs and other energies over meshes.

mod energy;
pub mod strain;

pub use energy::MeshEnergy;
