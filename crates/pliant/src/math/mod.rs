//! Mathematics shared by the whole engine.

pub mod parallel;
pub(crate) mod processor;
