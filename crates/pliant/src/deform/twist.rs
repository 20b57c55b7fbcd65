//! Twist: cross sections turn about an axis, the farther along it the more.
//!
//! ```text
//! y' = y cos θ - z sin θ,   z' = y sin θ + z cos θ,   t' = t,      θ(t) = angle s(t)
//! ```
//!
//! s runs from 0 to 1 over the range of the axis. Implements: \[Barr1984\] eq. 3.2. The volume is kept.

use super::{AxisFrame, DeformError, Deformation};
use glam::{DMat3, DVec3};

/// Cross sections that turn about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    frame: AxisFrame,
    angle: f64,
}

impl Twist {
    /// The end of the range is turned by `angle`, in radians, against its beginning.
    pub fn new(frame: AxisFrame, angle: f64) -> Result<Self, DeformError> {
        if !angle.is_finite() {
            return Err(DeformError::Value {
                what: "the angle of a twist",
                expected: "finite",
                value: angle,
            });
        }
        Ok(Self { frame, angle })
    }

    fn turned(&self, local: DVec3, sign: f64) -> DVec3 {
        let (share, _) = self.frame.progress(local.z);
        let (sin, cos) = (sign * self.angle * share).sin_cos();
        DVec3::new(
            local.x * cos - local.y * sin,
            local.x * sin + local.y * cos,
            local.z,
        )
    }
}

impl Deformation for Twist {
    fn map(&self, point: DVec3) -> DVec3 {
        self.frame.world(self.turned(self.frame.local(point), 1.0))
    }

    fn jacobian(&self, point: DVec3) -> DMat3 {
        let local = self.frame.local(point);
        let (share, slope) = self.frame.progress(local.z);
        let (sin, cos) = (self.angle * share).sin_cos();
        let turned = self.turned(local, 1.0);
        let rate = self.angle * slope;
        self.frame.world_jacobian(DMat3::from_cols(
            DVec3::new(cos, sin, 0.0),
            DVec3::new(-sin, cos, 0.0),
            DVec3::new(-rate * turned.y, rate * turned.x, 1.0),
        ))
    }

    fn inverse(&self, image: DVec3) -> Option<DVec3> {
        Some(self.frame.world(self.turned(self.frame.local(image), -1.0)))
    }
}
