//! Taper: cross sections shrink or grow along an axis.
//!
//! ```text
//! y' = r(t) y,   z' = r(t) z,   t' = t,      r(t) = 1 + (factor - 1) s(t)
//! ```
//!
//! s runs from 0 to 1 over the range of the axis. Implements: \[Barr1984\] eq. 3.1. The volume element
//! grows by r².

use super::{AxisFrame, DeformError, Deformation};
use glam::{DMat3, DVec3};

/// Cross sections that shrink or grow along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taper {
    frame: AxisFrame,
    factor: f64,
}

impl Taper {
    /// Cross sections are `factor` (positive) times as large at the end of the range as at its
    /// beginning.
    pub fn new(frame: AxisFrame, factor: f64) -> Result<Self, DeformError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(DeformError::Value {
                what: "the factor of a taper",
                expected: "positive and finite",
                value: factor,
            });
        }
        Ok(Self { frame, factor })
    }

    fn size(&self, t: f64) -> (f64, f64) {
        let (share, slope) = self.frame.progress(t);
        let growth = self.factor - 1.0;
        (1.0 + growth * share, growth * slope)
    }
}

impl Deformation for Taper {
    fn map(&self, point: DVec3) -> DVec3 {
        let DVec3 { x: y, y: z, z: t } = self.frame.local(point);
        let (r, _) = self.size(t);
        self.frame.world(DVec3::new(r * y, r * z, t))
    }

    fn jacobian(&self, point: DVec3) -> DMat3 {
        let DVec3 { x: y, y: z, z: t } = self.frame.local(point);
        let (r, slope) = self.size(t);
        self.frame.world_jacobian(DMat3::from_cols(
            DVec3::new(r, 0.0, 0.0),
            DVec3::new(0.0, r, 0.0),
            DVec3::new(slope * y, slope * z, 1.0),
        ))
    }

    fn inverse(&self, image: DVec3) -> Option<DVec3> {
        let DVec3 { x: y, y: z, z: t } = self.frame.local(image);
        let (r, _) = self.size(t);
        Some(self.frame.world(DVec3::new(y / r, z / r, t)))
    }
}
