//! Several surfaces as one obstacle: d(p) = minᵢ dᵢ(p).
//!
//! Outside all parts the distance is as exact as that of the parts. Inside it is a bound: where
//! parts overlap, the way out may be longer than |d|, and projection takes several rounds. The
//! normal is that of the nearest part. The mesh is that of all parts, with what overlaps hidden
//! inside.

use super::capsule::Capsule;
use super::error::{ObstacleError, positive};
use super::sphere::Sphere;
use super::{ContactShape, ImplicitSurface, Pose, lathe};
use crate::frame::TriangleMesh;
use glam::DVec3;

/// One of the surfaces of a union.
#[derive(Debug)]
pub struct Part {
    /// Where the part lies in the frame of the union.
    pub union_from_part: Pose,
    /// The part, in its own frame.
    pub surface: Box<dyn ImplicitSurface>,
}

impl Part {
    /// A part whose frame is that of the union.
    pub fn new(surface: impl ImplicitSurface + 'static) -> Self {
        Self {
            union_from_part: Pose::IDENTITY,
            surface: Box::new(surface),
        }
    }
}

/// An obstacle made of parts that may overlap.
#[derive(Debug)]
pub struct Union {
    parts: Vec<Part>,
}

impl Union {
    /// The union of at least one part.
    pub fn new(parts: Vec<Part>) -> Result<Self, ObstacleError> {
        if parts.is_empty() {
            return Err(ObstacleError::EmptyUnion);
        }
        Ok(Self { parts })
    }

    /// The nearest part, its distance and the point in its frame.
    fn nearest(&self, p: DVec3) -> (&Part, f64, DVec3) {
        let mut nearest = self.measure(0, p);
        for index in 1..self.parts.len() {
            let candidate = self.measure(index, p);
            if candidate.1 < nearest.1 {
                nearest = candidate;
            }
        }
        nearest
    }

    fn measure(&self, index: usize, p: DVec3) -> (&Part, f64, DVec3) {
        let part = &self.parts[index];
        let point = part.union_from_part.inverse_point(p);
        (part, part.surface.distance(point), point)
    }
}

impl ImplicitSurface for Union {
    fn distance(&self, p: DVec3) -> f64 {
        self.nearest(p).1
    }

    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        let (part, distance, point) = self.nearest(p);
        let normal = part.union_from_part.vector(part.surface.normal(point));
        (distance, normal)
    }

    fn mesh(&self, scale: f64, resolution: usize) -> TriangleMesh {
        let mut mesh = TriangleMesh::default();
        for part in &self.parts {
            let mut part_mesh = part.surface.mesh(1.0, resolution);
            for position in &mut part_mesh.positions {
                *position = scale * part.union_from_part.point(*position);
            }
            lathe::append(&mut mesh, &part_mesh);
        }
        mesh
    }

    fn has_parts(&self) -> bool {
        self.parts.len() > 1
    }

    fn contact_shape(&self) -> Option<ContactShape> {
        self.contact_shape_within(0.0)
    }

    fn contact_shape_within(&self, depth: f64) -> Option<ContactShape> {
        let mut whole = ContactShape::default();
        for part in &self.parts {
            let shape = part.surface.contact_shape_within(depth)?;
            whole = whole.with(shape.placed(&part.union_from_part));
        }
        Some(whole)
    }
}

/// The jack of \[Terzopoulos1988\] fig. 11: three crossed bars with a knob at each end.
///
/// It lies about the origin with its bars along the axes and just fits into a sphere of radius
/// `size`, in metres.
pub fn jack(size: f64) -> Result<Union, ObstacleError> {
    let size = positive("the size of a jack", size)?;
    let knob_radius = 0.22 * size;
    let bar_radius = 0.1 * size;
    let mut parts = Vec::with_capacity(9);
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let knob = (size - knob_radius) * axis;
        parts.push(Part::new(Capsule::new(-knob, knob, bar_radius)?));
        parts.push(Part::new(Sphere::new(-knob, knob_radius)?));
        parts.push(Part::new(Sphere::new(knob, knob_radius)?));
    }
    Union::new(parts)
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::super::{Cuboid, Cylinder};
    use super::*;
    use glam::DQuat;

    #[test]
    fn the_jack_keeps_the_contract() {
        let size = 2.0;
        Contract::exact(jack(size).unwrap(), DVec3::ZERO, 2.5)
            .closed()
            .with_overlaps()
            .inside(&[DVec3::ZERO, DVec3::X, 1.99 * DVec3::NEG_Z])
            .outside(&[
                2.01 * DVec3::Y,
                DVec3::splat(0.5),
                DVec3::new(1.0, 0.3, 0.0),
            ])
            .check();
    }

    #[test]
    fn placed_parts_keep_the_contract() {
        let turned = Part {
            union_from_part: Pose {
                rotation: DQuat::from_rotation_x(0.7),
                translation: DVec3::new(0.5, 0.0, 1.0),
            },
            surface: Box::new(Cylinder::capped(DVec3::ZERO, 3.0, 0.3).unwrap()),
        };
        let block = Part::new(Cuboid::new(DVec3::ZERO, DVec3::new(2.0, 2.0, 1.0)).unwrap());
        Contract::exact(Union::new(vec![turned, block]).unwrap(), DVec3::ZERO, 2.5)
            .closed()
            .with_overlaps()
            .inside(&[DVec3::ZERO, DVec3::new(0.5, 0.0, 1.0)])
            .outside(&[DVec3::new(-0.9, 0.9, 0.6)])
            .check();
    }

    #[test]
    fn refuses_nothing_and_no_size() {
        assert_eq!(
            Union::new(Vec::new()).unwrap_err(),
            ObstacleError::EmptyUnion
        );
        assert!(jack(0.0).is_err());
    }
}
