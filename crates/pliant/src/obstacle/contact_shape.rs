//! The surface of an obstacle as points, edges and triangles that bodies meet with their faces and
//! edges, not with their nodes alone.

use super::Pose;
use crate::frame::TriangleMesh;
use glam::DVec3;
use std::f64::consts::PI;

/// Segments of a full turn of a surface that is met as triangles.
///
/// Their corners lie on the surface and their middles inside, by no more than 1 - cos(π / 64) = 0.12 % of
/// the radius.
const RESOLUTION: usize = 64;

/// The fewest segments that stand for something round.
const COARSEST: usize = 12;

/// Points, edges and triangles, with a radius about them: a sphere is a point, a capsule an edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactShape {
    /// The vertices, in metres.
    pub vertices: Vec<DVec3>,
    /// The radius about each vertex, in metres, the same for all vertices of a feature.
    pub radii: Vec<f64>,
    /// Vertices that count by themselves.
    pub points: Vec<u32>,
    /// Edges that are no sides of triangles.
    pub edges: Vec<[u32; 2]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl ContactShape {
    /// A sphere, exactly.
    pub(super) fn sphere(centre: DVec3, radius: f64) -> Self {
        Self {
            vertices: vec![centre],
            radii: vec![radius],
            points: vec![0],
            ..Self::default()
        }
    }

    /// A capsule, exactly.
    pub(super) fn capsule(ends: [DVec3; 2], radius: f64) -> Self {
        Self {
            vertices: ends.to_vec(),
            radii: vec![radius; 2],
            edges: vec![[0, 1]],
            ..Self::default()
        }
    }

    /// Triangles of a surface, as many as `mesh` makes for a number of segments.
    pub(crate) fn triangles(mesh: impl Fn(usize) -> TriangleMesh) -> Self {
        let TriangleMesh {
            positions,
            triangles,
            ..
        } = mesh(RESOLUTION);
        Self::of(positions, triangles)
    }

    /// The same where all turns have a radius and the middles of segments may lie so far inside, in metres:
    /// r (1 - cos(π / n)) <= depth.
    pub(super) fn round(radius: f64, depth: f64, mesh: impl Fn(usize) -> TriangleMesh) -> Self {
        let half = (1.0 - depth / radius).clamp(0.0, 1.0).acos();
        // Multiples of four have a point on every axis.
        let segments = 4 * (0.25 * PI / half).ceil().min(RESOLUTION as f64) as usize;
        let TriangleMesh {
            positions,
            triangles,
            ..
        } = mesh(segments.clamp(COARSEST, RESOLUTION));
        Self::of(positions, triangles)
    }

    fn of(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        let whole = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        Self {
            radii: vec![0.0; positions.len()],
            vertices: positions,
            triangles: triangles.into_iter().filter(whole).collect(),
            ..Self::default()
        }
    }

    /// The same elsewhere.
    pub(crate) fn placed(mut self, pose: &Pose) -> Self {
        for vertex in &mut self.vertices {
            *vertex = pose.point(*vertex);
        }
        self
    }

    /// Both together.
    pub(super) fn with(mut self, other: Self) -> Self {
        let base = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.radii.extend(other.radii);
        self.points.extend(other.points.iter().map(|p| base + p));
        let edges = other.edges.iter().map(|e| e.map(|v| base + v));
        self.edges.extend(edges);
        let triangles = other.triangles.iter().map(|t| t.map(|v| base + v));
        self.triangles.extend(triangles);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cylinder, ImplicitSurface};
    use super::*;

    #[test]
    fn what_is_thin_for_its_contact_has_few_triangles_that_are_near_the_surface() {
        let (radius, depth) = (0.004, 2e-5);
        let cylinder = Cylinder::capped(DVec3::ZERO, 0.18, radius).unwrap();
        let count = |depth| {
            let shape = cylinder.contact_shape_within(depth).unwrap();
            shape.triangles.len()
        };
        assert_eq!(count(0.0), 4 * RESOLUTION);
        assert_eq!(count(1e-9), 4 * RESOLUTION);
        assert_eq!(count(1.0), 4 * COARSEST);
        assert_eq!(count(depth), 4 * 32);
        let shape = cylinder.contact_shape_within(depth).unwrap();
        for triangle in &shape.triangles {
            let corners = triangle.map(|v| shape.vertices[v as usize]);
            let middle = 0.5 * (corners[0] + corners[1]);
            let inside = -cylinder.distance(middle);
            assert!(inside <= depth || middle.z.abs() < 0.089, "{inside}");
        }
    }
}
