//! Nodes, topology, weights: what a body is made of.

mod deformable;
mod directions;
mod grid;
mod topology;

pub use deformable::{Body, BodyDescription, BodyError, EnergyVariant, State};
pub use directions::surface_directions;
pub use grid::Grid;
pub use topology::grid_topology;
