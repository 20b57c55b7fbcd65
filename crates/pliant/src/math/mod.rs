//! Mathematics shared by the whole engine.

pub(crate) mod pack;
pub mod parallel;
pub(crate) mod processor;
pub(crate) mod stagger;
