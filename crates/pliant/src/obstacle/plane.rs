//! A half space below a plane: d(p) = n · (p - x0) / |n|, exact.
//!
//! n is the normal, of any length but zero, and x0 a point of the plane. The plane is endless;
//! drawn is a square about x0.

use super::error::{ObstacleError, direction, finite};
use super::{ContactShape, ImplicitSurface, Pose, point_by_point};
use crate::frame::TriangleMesh;
use crate::math::processor::for_this_processor;
use glam::DVec3;

/// Half the side of the drawn square, in metres.
const DRAWN_HALF_WIDTH: f64 = 10.0;

/// The half space behind a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    normal: DVec3,
    point: DVec3,
}

impl Plane {
    /// The plane through `point` (in metres) with the outward `normal` of any length but zero.
    pub fn new(normal: DVec3, point: DVec3) -> Result<Self, ObstacleError> {
        Ok(Self {
            normal: direction("the normal of a plane", normal)?,
            point: finite("the point of a plane", point)?,
        })
    }
}

impl ImplicitSurface for Plane {
    #[inline]
    fn distance(&self, p: DVec3) -> f64 {
        self.normal.dot(p - self.point)
    }

    fn normal(&self, _: DVec3) -> DVec3 {
        self.normal
    }

    fn distances(&self, world_from_obstacle: &Pose, points: &[DVec3], distances: &mut [f64]) {
        if *world_from_obstacle == Pose::IDENTITY {
            plane_distances(self.normal, self.point, points, distances);
        } else {
            point_by_point(self, world_from_obstacle, points, distances);
        }
    }

    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        (self.distance(p), self.normal)
    }

    fn longest_harmless_way(&self) -> f64 {
        f64::INFINITY
    }

    fn mesh(&self, scale: f64, _: usize) -> TriangleMesh {
        // A level plane is drawn along x and y, which is what a floor should look like.
        let first = if self.normal.z.abs() > 0.5 {
            DVec3::X.reject_from_normalized(self.normal).normalize()
        } else {
            DVec3::Z.cross(self.normal).normalize()
        };
        let second = self.normal.cross(first);
        let half_width = scale * DRAWN_HALF_WIDTH;
        let corner = |u: f64, v: f64| self.point + half_width * (u * first + v * second);
        TriangleMesh {
            positions: vec![
                corner(-1.0, -1.0),
                corner(1.0, -1.0),
                corner(1.0, 1.0),
                corner(-1.0, 1.0),
            ],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        }
    }

    fn contact_shape(&self) -> Option<ContactShape> {
        None
    }

    fn flat_shape(&self, reach: f64) -> Option<ContactShape> {
        let square = |_| self.mesh(reach / DRAWN_HALF_WIDTH, 0);
        Some(ContactShape::triangles(square))
    }
}

for_this_processor! {
    /// Distances of many points, eight at a time.
    fn plane_distances(normal: DVec3, point: DVec3, points: &[DVec3], distances: &mut [f64]) {
        for (distance, p) in distances.iter_mut().zip(points) {
            *distance = normal.dot(*p - point);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::*;

    #[test]
    fn keeps_the_contract_in_every_direction() {
        let point = DVec3::new(1.0, 2.0, -4.0);
        for normal in [
            DVec3::Z,
            DVec3::NEG_Z,
            DVec3::X,
            DVec3::NEG_Y,
            DVec3::new(0.3, -2.0, 1.0),
        ] {
            Contract::exact(Plane::new(normal, point).unwrap(), point, 5.0)
                .inside(&[point - normal])
                .outside(&[point + normal])
                .check();
        }
    }

    #[test]
    fn the_length_of_the_normal_does_not_matter() {
        let plane = Plane::new(DVec3::new(0.0, 0.0, 7.0), DVec3::new(0.0, 0.0, -4.0)).unwrap();
        assert_eq!(plane.distance(DVec3::new(3.0, 2.0, 1.0)), 5.0);
        assert!(Plane::new(DVec3::ZERO, DVec3::ZERO).is_err());
    }
}
