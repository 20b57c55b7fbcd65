//! Rest shapes: where the nodes of a grid lie before anything pulls at them.
//!
//! A new kind of shape is one new file here, with one line below.

mod bezier;
mod check;
mod ellipsoid;
mod error;
mod helix;
mod nurbs;
mod superquadric;

pub use bezier::Bezier;
pub use check::check_rest_shape;
pub use ellipsoid::Ellipsoid;
pub use error::ShapeError;
pub use helix::Helix;
pub use nurbs::{Nurbs, NurbsError};
pub use superquadric::{MOST_PINCHED, SHARPEST, Superquadric};
pub(crate) use superquadric::{superellipse, superellipse_slopes};

use crate::grid::Grid;
use glam::DVec3;

/// A shape that gives every node of a grid its place.
pub trait Shape {
    /// Node positions in metres, in the order of the node indices. They may be degenerate, which an
    /// initial shape is free to be.
    fn sample(&self, grid: &Grid) -> Result<Vec<DVec3>, ShapeError>;

    /// Node positions in metres that an elastic body can have as its rest shape.
    fn rest_positions(&self, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
        let positions = self.sample(grid)?;
        check_rest_shape(grid, &positions)?;
        Ok(positions)
    }
}
