//! Deformable superquadrics: a global shape of few numbers and a local deformation, both fitted to points. The
//! formulation is in `formulation/superquadric.rs`.

mod cloud;
mod dense;
mod filter;
mod local;
mod model;
mod mover;

pub use cloud::PointSequence;
pub(crate) use filter::FitRules;
pub use local::LocalWeights;
pub use model::SuperquadricParameters;
pub(crate) use mover::{SuperquadricMover, begin, parameters_of};
