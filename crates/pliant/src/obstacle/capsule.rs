//! A capsule, the points within r of a segment: d(p) = |p - s(p)| - r, exact.
//!
//! s(p) is the point of the segment nearest to p and r the radius, in metres. On the segment itself
//! the normal is some fixed direction across it.

use super::error::{ObstacleError, direction, finite, positive};
use super::unit::unit_and_length;
use super::{ContactShape, ImplicitSurface, lathe};
use crate::frame::TriangleMesh;
use glam::{DQuat, DVec2, DVec3};

/// A bar with round ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Capsule {
    start: DVec3,
    axis: DVec3,
    length: f64,
    radius: f64,
    across: DVec3,
}

impl Capsule {
    /// A bar of `radius` about the segment from `start` to `end`, in metres; the round ends reach
    /// beyond these points.
    pub fn new(start: DVec3, end: DVec3, radius: f64) -> Result<Self, ObstacleError> {
        let start = finite("the start of a capsule", start)?;
        let end = finite("the end of a capsule", end)?;
        let axis = direction("the axis of a capsule", end - start)?;
        Ok(Self {
            start,
            axis,
            length: positive("the length of a capsule", (end - start).dot(axis))?,
            radius: positive("the radius of a capsule", radius)?,
            across: axis.any_orthonormal_vector(),
        })
    }
}

impl ImplicitSurface for Capsule {
    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        let q = p - self.start;
        let along = q.dot(self.axis).clamp(0.0, self.length);
        let (normal, length) = unit_and_length(q - along * self.axis, self.across);
        (length - self.radius, normal)
    }

    fn longest_harmless_way(&self) -> f64 {
        0.5 * self.radius
    }

    fn mesh(&self, scale: f64, resolution: usize) -> TriangleMesh {
        // An even number of intervals puts a ring on the equator, which becomes the straight side.
        let half_circle = lathe::half_circle(resolution.div_ceil(4).max(1) * 4);
        let equator = half_circle.len() / 2;
        let half_length = DVec2::new(0.0, 0.5 * self.length);
        let lower = half_circle[..=equator]
            .iter()
            .map(|&point| self.radius * point - half_length);
        let upper = half_circle[equator..]
            .iter()
            .map(|&point| self.radius * point + half_length);
        let profile: Vec<DVec2> = lower.chain(upper).collect();

        let stretch = DVec3::splat(scale);
        let mut mesh = lathe::turn(&profile, false, resolution, stretch, DVec3::ZERO);
        let rotation = DQuat::from_rotation_arc(DVec3::Z, self.axis);
        let centre = self.start + 0.5 * self.length * self.axis;
        for position in &mut mesh.positions {
            *position = centre + rotation * *position;
        }
        mesh
    }

    fn contact_shape(&self) -> Option<ContactShape> {
        let ends = [self.start, self.start + self.length * self.axis];
        Some(ContactShape::capsule(ends, self.radius))
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::*;

    #[test]
    fn keeps_the_contract() {
        let start = DVec3::new(-1.0, 0.5, 0.0);
        for end in [DVec3::new(1.0, 0.0, 2.0), start - 3.0 * DVec3::Z] {
            let centre = 0.5 * (start + end);
            let axis = (end - start).normalize();
            Contract::exact(Capsule::new(start, end, 0.4).unwrap(), centre, 3.0)
                .closed()
                .inside(&[start, end, centre, end + 0.39 * axis])
                .outside(&[end + 0.41 * axis])
                .check();
        }
    }

    #[test]
    fn refuses_a_segment_without_length() {
        let error = Capsule::new(DVec3::ONE, DVec3::ONE, 1.0).unwrap_err();
        assert!(error.to_string().contains("axis of a capsule"));
    }
}
