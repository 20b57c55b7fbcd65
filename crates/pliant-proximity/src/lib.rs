//! Geometry of contact between points, edges and triangles.
//!
//! - [`Search`] finds the pairs of features whose swept boxes come close.
//! - [`closest()`] gives the distance of a pair and the weights of its closest points.
//! - [`free_fraction`] proves how far a pair may move along straight lines before it comes too close;
//!   [`free_motions`] does so for many.
//! - [`EdgeParallel`] is the factor that makes a barrier between edges smooth where they are parallel.
//!
//! The crate knows no bodies, no forces and no time. All lengths are in one unit, which is the
//! caller's choice.

mod closest;
mod complex;
mod edge_parallel;
mod free_fraction;
mod free_motions;
mod pair;
mod search;
mod separation;
mod separation_lanes;

pub use closest::{Closest, closest, smallest_distance};
pub use complex::{Complex, ComplexError, Rules};
pub use edge_parallel::EdgeParallel;
pub use free_fraction::{Clearance, free_fraction, free_fraction_with};
pub use free_motions::{FreeMotions, free_motions, smallest_free_fraction};
pub use pair::{Pair, PairKind};
pub use search::Search;
