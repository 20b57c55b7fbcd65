//! Nodes, topology, weights: what a body is made of.

mod deformable;
mod directions;
mod extents;
mod fields;
mod grid;
mod topology;

pub use deformable::{Body, BodyDescription, BodyError, EnergyVariant, Formulation, State};
pub use directions::{directions_of, surface_directions};
pub(crate) use fields::mean_spacing;
pub use fields::nodal_fields;
pub use grid::Grid;
pub use topology::{grid_topology, torn_topology};
