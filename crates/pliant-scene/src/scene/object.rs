//! Rigid objects.

use crate::diagnostics::Location;
use glam::{DQuat, DVec3};

/// A rigid, unmoving obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// Its shape and place.
    pub part: Part,
    /// The shape ε of the penalty potential, and the strength of projection.
    pub epsilon: f64,
    /// Factor on the size with which it is drawn.
    pub scale: f64,
    /// Whether it is drawn.
    pub visible: bool,
    /// Coulomb's coefficient; the larger of the body's and the object's counts.
    pub friction: f64,
    /// Temperature, in kelvin, if it exchanges heat.
    pub temperature: Option<f64>,
    /// Share of the normal speed kept in a rebound; the larger of the two counts.
    pub restitution: f64,
    /// Index of its material in [`crate::Scene::materials`].
    pub material: Option<usize>,
}

/// A shape in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The shape, in its own coordinates.
    pub surface: Surface,
    /// Where its origin lies.
    pub centre: DVec3,
    /// Turns its own directions into those of the world (or of the union it belongs to).
    pub world_from_part: DQuat,
}

/// The surface of an object about its own origin and z axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// A cylinder along z.
    Cylinder {
        /// Height.
        height: f64,
        /// Radius.
        radius: f64,
        /// Whether the ends are closed.
        capped: bool,
    },
    /// The infinite plane through the origin; the part's centre is the attribute `x0`.
    Plane {
        /// Unit normal; free space lies on its side.
        normal: DVec3,
    },
    /// A sphere.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A torus in the xy plane.
    Torus {
        /// `r`, from the centre of the hole to the middle of the tube.
        radius: f64,
        /// `a`, the radius of the tube.
        tube: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes.
        axes: DVec3,
    },
    /// The hyperboloid x²/a² + y²/b² - z²/c² = 1 (one sheet) or -1 (two sheets).
    Hyperboloid {
        /// Semi-axes a, b, c.
        axes: DVec3,
        /// 1 or 2.
        sheets: u32,
    },
    /// A box.
    Box {
        /// Edge lengths.
        size: DVec3,
    },
    /// A cylinder along z with round ends.
    Capsule {
        /// Height without the round ends.
        height: f64,
        /// Radius.
        radius: f64,
    },
    /// The toy of six arms.
    Jack {
        /// From the centre to the tip of an arm.
        size: f64,
    },
    /// Several shapes as one.
    Union {
        /// At least one; none of them a union.
        parts: Vec<Part>,
    },
}
