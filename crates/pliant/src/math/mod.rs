//! Mathematics shared by the whole engine.

pub mod parallel;
