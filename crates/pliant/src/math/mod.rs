//! Mathematics shared by the whole engine.

mod dyadic;
pub(crate) mod lane_angle;
pub(crate) mod lane_eigen;
pub(crate) mod lane_matrix;
pub mod parallel;
pub(crate) mod processor;
mod singular_values;
mod spline_basis;

pub(crate) mod stagger;
mod symmetric;
pub(crate) mod vector;
mod ways;

pub(crate) use dyadic::{cross_matrix, outer};
pub use singular_values::{SignedSvd, nearest_rotation};
pub use spline_basis::{KnotError, SplineBasis, SplineValues};
pub(crate) use symmetric::positive_part;
pub(crate) use symmetric::symmetric_eigen;
pub(crate) use ways::{add_bits, add_work, find_far_ways, keep_within, raise_to_longest};
