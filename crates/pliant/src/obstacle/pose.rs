//! Where a rigid frame lies: a rotation followed by a translation.

use glam::{DQuat, DVec3};

/// A rigid motion x -> R x + t, which places one frame in another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation R, a unit quaternion.
    pub rotation: DQuat,
    /// Translation t in metres.
    pub translation: DVec3,
}

impl Pose {
    /// The motion that leaves everything in its place.
    pub const IDENTITY: Self = Self {
        rotation: DQuat::IDENTITY,
        translation: DVec3::ZERO,
    };

    /// Moves a point.
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.vector(p) + self.translation
    }

    /// Turns a direction.
    pub fn vector(&self, v: DVec3) -> DVec3 {
        // Most obstacles are not turned, and this runs for every node in every step.
        if self.rotation == DQuat::IDENTITY {
            v
        } else {
            self.rotation * v
        }
    }

    /// Moves a point back.
    pub fn inverse_point(&self, p: DVec3) -> DVec3 {
        let p = p - self.translation;
        if self.rotation == DQuat::IDENTITY {
            p
        } else {
            self.rotation.conjugate() * p
        }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let pose = Pose {
            rotation: DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.2),
            translation: DVec3::new(1.0, -2.0, 3.0),
        };
        let p = DVec3::new(0.3, 0.5, -0.7);
        assert!(pose.inverse_point(pose.point(p)).distance(p) < 1e-14);
        assert_eq!(Pose::IDENTITY.point(p), p);
        assert!((pose.point(p) - pose.translation).distance(pose.vector(p)) < 1e-14);
    }
}
