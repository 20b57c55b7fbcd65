//! A sphere: d(p) = |p - c| - r, exact.
//!
//! c is the centre and r the radius, in metres. The normal at the centre is +z.

use super::error::{ObstacleError, finite, positive};
use super::unit::unit_and_length;
use super::{ContactShape, ImplicitSurface, Pose, lathe, point_by_point};
use crate::frame::TriangleMesh;
use crate::math::processor::for_this_processor;
use glam::DVec3;

/// A solid ball.
#[derive(Clone, Debug, PartialEq)]
pub struct Sphere {
    centre: DVec3,
    radius: f64,
}

impl Sphere {
    /// A sphere about `centre` with `radius`, in metres.
    pub fn new(centre: DVec3, radius: f64) -> Result<Self, ObstacleError> {
        Ok(Self {
            centre: finite("the centre of a sphere", centre)?,
            radius: positive("the radius of a sphere", radius)?,
        })
    }
}

impl ImplicitSurface for Sphere {
    #[inline]
    fn distance(&self, p: DVec3) -> f64 {
        p.distance(self.centre) - self.radius
    }

    fn distances(&self, world_from_obstacle: &Pose, points: &[DVec3], distances: &mut [f64]) {
        if *world_from_obstacle == Pose::IDENTITY {
            sphere_distances(self.centre, self.radius, points, distances);
        } else {
            point_by_point(self, world_from_obstacle, points, distances);
        }
    }

    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        let (normal, length) = unit_and_length(p - self.centre, DVec3::Z);
        (length - self.radius, normal)
    }

    fn longest_harmless_way(&self) -> f64 {
        0.5 * self.radius
    }

    fn mesh(&self, scale: f64, resolution: usize) -> TriangleMesh {
        lathe::turn(
            &lathe::half_circle(resolution),
            false,
            resolution,
            DVec3::splat(scale * self.radius),
            self.centre,
        )
    }

    fn contact_shape(&self) -> Option<ContactShape> {
        Some(ContactShape::sphere(self.centre, self.radius))
    }
}

for_this_processor! {
    /// Distances of many points, eight at a time.
    fn sphere_distances(centre: DVec3, radius: f64, points: &[DVec3], distances: &mut [f64]) {
        for (distance, p) in distances.iter_mut().zip(points) {
            *distance = p.distance(centre) - radius;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::*;

    #[test]
    fn keeps_the_contract() {
        let centre = DVec3::new(0.5, -1.0, 2.0);
        Contract::exact(Sphere::new(centre, 1.5).unwrap(), centre, 3.0)
            .closed()
            .inside(&[centre, centre + 1.4 * DVec3::X])
            .outside(&[centre + 1.6 * DVec3::Y])
            .check();
    }

    #[test]
    fn refuses_bad_parameters() {
        assert!(Sphere::new(DVec3::ZERO, 0.0).is_err());
        assert!(Sphere::new(DVec3::NAN, 1.0).is_err());
    }
}
