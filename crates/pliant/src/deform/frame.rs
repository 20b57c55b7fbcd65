//! The coordinates that a deformation along an axis works in.

use glam::{DMat3, DVec3};
use thiserror::Error;

/// What is wrong with a deformation.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DeformError {
    /// A direction without length, or two that are parallel.
    #[error("{what} has no direction of its own: {found}")]
    Direction {
        /// Which direction.
        what: &'static str,
        /// What was given.
        found: DVec3,
    },
    /// A number outside of its range.
    #[error("expected {what} to be {expected}, found {value}")]
    Value {
        /// Which number.
        what: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What was given.
        value: f64,
    },
    /// A lattice with another number of control points than it says.
    #[error("expected {expected} control points, found {found}")]
    ControlPoints {
        /// Number that belongs to its counts.
        expected: usize,
        /// Number that was given.
        found: usize,
    },
}

/// An axis with two directions across it, and the range along it where a deformation takes place.
///
/// Coordinates of a point are (y, z, t): y along the side direction, t along the axis, z across both.
/// Before and after the range a deformation goes on rigidly or with its last value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisFrame {
    /// A point of the axis, where t = 0, in metres.
    pub origin: DVec3,
    /// Side, third direction and axis: orthonormal.
    pub axes: DMat3,
    /// Where it begins and ends along the axis, in metres from the origin.
    pub range: [f64; 2],
}

impl AxisFrame {
    /// An axis through `origin`, whose side direction is the part of `side` across it; any if `side`
    /// is zero.
    pub fn new(
        origin: DVec3,
        axis: DVec3,
        side: DVec3,
        range: [f64; 2],
    ) -> Result<Self, DeformError> {
        let Some(t) = axis.try_normalize() else {
            let what = "the axis";
            return Err(DeformError::Direction { what, found: axis });
        };
        let y = if side == DVec3::ZERO {
            t.any_orthonormal_vector()
        } else {
            let across = side - t.dot(side) * t;
            if across.length() <= 1e-9 * side.length() {
                let what = "the side direction, which must not lie along the axis,";
                return Err(DeformError::Direction { what, found: side });
            }
            across.normalize()
        };
        let [from, to] = range;
        if !(from.is_finite() && to.is_finite() && from < to) {
            return Err(DeformError::Value {
                what: "the end of the range along the axis",
                expected: "finite and beyond its beginning",
                value: to,
            });
        }
        Ok(Self {
            origin,
            axes: DMat3::from_cols(y, t.cross(y), t),
            range,
        })
    }

    /// Coordinates (y, z, t) of a point.
    pub fn local(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.origin)
    }

    /// The point with coordinates (y, z, t).
    pub fn world(&self, local: DVec3) -> DVec3 {
        self.origin + self.axes * local
    }

    /// A Jacobian in coordinates of the frame as one in coordinates of space.
    pub fn world_jacobian(&self, local: DMat3) -> DMat3 {
        self.axes * local * self.axes.transpose()
    }

    /// How far along the range a place on the axis is, from 0 to 1, and how fast that grows.
    pub fn progress(&self, t: f64) -> (f64, f64) {
        let [from, to] = self.range;
        let share = (t - from) / (to - from);
        if (0.0..=1.0).contains(&share) {
            (share, 1.0 / (to - from))
        } else {
            (share.clamp(0.0, 1.0), 0.0)
        }
    }
}
