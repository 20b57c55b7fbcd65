//! Mathematics shared by the whole engine.

pub(crate) mod pack;
pub mod parallel;
pub(crate) mod processor;
mod singular_values;

pub use singular_values::{SignedSvd, nearest_rotation};
pub(crate) mod stagger;
