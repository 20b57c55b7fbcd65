//! Finite elements, springs and other energies over meshes.

mod energy;

pub use energy::MeshEnergy;
