//! Stretch: an affine map.
//!
//! ```text
//! x' = c + R (f ∘ (x - c)) + s
//! ```
//!
//! f are factors along x, y and z, R a rotation about the centre c, s a shift in metres.

use super::{DeformError, Deformation};
use glam::{DMat3, DQuat, DVec3};

/// Scales, then turns about a centre, then moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    centre: DVec3,
    linear: DMat3,
    inverse: DMat3,
    shift: DVec3,
}

impl Stretch {
    /// Factors along x, y and z (none of them zero), a rotation about `centre` and a shift in metres.
    pub fn new(
        centre: DVec3,
        factors: DVec3,
        rotation: DQuat,
        shift: DVec3,
    ) -> Result<Self, DeformError> {
        for value in factors.to_array() {
            if !(value.is_finite() && value > 0.0) {
                return Err(DeformError::Value {
                    what: "a factor of a stretch",
                    expected: "positive and finite",
                    value,
                });
            }
        }
        let linear = DMat3::from_quat(rotation) * DMat3::from_diagonal(factors);
        Ok(Self {
            centre,
            linear,
            inverse: linear.inverse(),
            shift,
        })
    }
}

impl Deformation for Stretch {
    fn map(&self, point: DVec3) -> DVec3 {
        self.centre + self.linear * (point - self.centre) + self.shift
    }

    fn jacobian(&self, _point: DVec3) -> DMat3 {
        self.linear
    }

    fn inverse(&self, image: DVec3) -> Option<DVec3> {
        Some(self.centre + self.inverse * (image - self.shift - self.centre))
    }
}
