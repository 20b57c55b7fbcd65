//! Mathematics shared by the whole engine.

mod dyadic;
pub(crate) mod pack;
pub mod parallel;
pub(crate) mod processor;
mod singular_values;

pub(crate) mod stagger;

pub(crate) use dyadic::{cross_matrix, outer};
pub use singular_values::{SignedSvd, nearest_rotation};
