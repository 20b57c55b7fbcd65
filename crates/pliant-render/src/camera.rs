//! From where a picture is taken, and what lights it.

use glam::DVec3;

/// From where a picture is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the eye, in metres.
    pub eye: DVec3,
    /// The point in the middle of the picture, in metres.
    pub target: DVec3,
    /// Points up in the picture.
    pub up: DVec3,
    /// Height of the view, in radians.
    pub field_of_view: f64,
}

/// One light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where it shines from.
    pub source: LightSource,
    /// Brightness; 1 lights a white surface fully.
    pub intensity: f64,
}

/// Where a light shines from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightSource {
    /// A lamp at a point, in metres.
    Position(DVec3),
    /// A far lamp whose light travels along this unit vector.
    Direction(DVec3),
}
