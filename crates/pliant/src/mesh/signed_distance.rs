//! The signed distance to a closed triangle surface, so that its inside can be filled.
//!
//! The distance is exact, from a tree of boxes over the triangles. The sign is that of
//! (p - c) · n with c the nearest point and n the pseudo-normal there: the face normal on a face,
//! the sum of both on an edge, and on a vertex the sum of its face normals weighted by the angles
//! of the faces there. On a closed surface without crossings this sign is always right.
//!
//! Implements: \[Baerentzen2005\] section 4, the angle-weighted pseudo-normal.

use super::stuffing::fill;
use super::surface_check::{check_closed, corners, sides};
use super::triangle_tree::{Feature, TriangleTree};
use super::{ElementMesh, ImplicitShape, MeshMakeError};
use crate::frame::TriangleMesh;
use glam::DVec3;

/// The inside of a closed triangle surface.
pub struct SurfaceDistance {
    tree: TriangleTree,
    bounds: (DVec3, DVec3),
    triangles: Vec<[u32; 3]>,
    face_normals: Vec<DVec3>,
    /// Of each triangle, the pseudo-normal of the edge after each corner.
    edge_normals: Vec<[DVec3; 3]>,
    vertex_normals: Vec<DVec3>,
}

impl SurfaceDistance {
    /// The inside of `surface`, which must be closed and turned outwards. Triangles that pass
    /// through each other are not looked for ([`super::check_surface`] does): where they do, the sign may be
    /// wrong.
    pub fn new(surface: &TriangleMesh) -> Result<Self, MeshMakeError> {
        let report = check_closed(surface);
        if let Some(fault) = report.faults.into_iter().next() {
            return Err(MeshMakeError::BadSurface { fault });
        }
        let count = surface.triangles.len();
        let places: Vec<[DVec3; 3]> = (0..count).map(|t| corners(surface, t)).collect();
        let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).normalize_or_zero();
        let face_normals: Vec<DVec3> = places.iter().map(|&place| normal(place)).collect();
        let mut vertex_normals = vec![DVec3::ZERO; surface.positions.len()];
        for (triangle, place) in places.iter().enumerate() {
            for corner in 0..3 {
                let x = place[corner];
                let u = place[(corner + 1) % 3] - x;
                let v = place[(corner + 2) % 3] - x;
                let angle = u.cross(v).length().atan2(u.dot(v));
                let vertex = surface.triangles[triangle][corner];
                vertex_normals[vertex as usize] += angle * face_normals[triangle];
            }
        }
        let mut edge_normals = vec![[DVec3::ZERO; 3]; count];
        for group in sides(&surface.triangles).chunk_by(|a, b| a.edge == b.edge) {
            let sum: DVec3 = group.iter().map(|side| face_normals[side.triangle]).sum();
            for side in group {
                let vertices = surface.triangles[side.triangle];
                let from = side.edge[usize::from(!side.rises)];
                let Some(place) = vertices.iter().position(|&vertex| vertex == from) else {
                    panic!("vertex {from} is no corner of the triangle {vertices:?}");
                };
                edge_normals[side.triangle][place] = sum;
            }
        }
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let all = places.iter().flatten();
        Ok(Self {
            tree: TriangleTree::new(&places),
            bounds: all.fold(none, |b, &x| (b.0.min(x), b.1.max(x))),
            triangles: surface.triangles.clone(),
            face_normals,
            edge_normals,
            vertex_normals,
        })
    }
}

impl ImplicitShape for SurfaceDistance {
    fn value(&self, point: DVec3) -> f64 {
        let Some(nearest) = self.tree.nearest(point) else {
            return f64::INFINITY;
        };
        let normal = match nearest.feature {
            Feature::Face => self.face_normals[nearest.triangle],
            Feature::Edge(edge) => self.edge_normals[nearest.triangle][edge],
            Feature::Corner(corner) => {
                let vertex = self.triangles[nearest.triangle][corner];
                self.vertex_normals[vertex as usize]
            }
        };
        let distance = nearest.distance_squared.sqrt();
        if normal.dot(point - nearest.point) < 0.0 {
            -distance
        } else {
            distance
        }
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        self.bounds
    }
}

/// Fills the inside of a closed surface with tetrahedra of about `spacing` metres.
pub fn fill_surface(surface: &TriangleMesh, spacing: f64) -> Result<ElementMesh, MeshMakeError> {
    fill(&SurfaceDistance::new(surface)?, spacing)
}

#[cfg(test)]
mod tests {
    use super::super::{
        Division, Solid, SurfaceFault, block, boundary_surface, dihedral_range, enclosed_volume,
        skin, tetrahedron_volumes,
    };
    use super::*;
    use std::time::Instant;

    fn points(count: usize) -> impl Iterator<Item = DVec3> {
        let roots = DVec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9);
        (1..=count).map(move |n| 2.0 * (n as f64 * roots).fract() - 1.0)
    }

    #[test]
    fn distance_of_a_box_is_exact() {
        let size = DVec3::new(1.0, 0.8, 1.2);
        let mesh = block([2, 3, 2], size, Division::FiveTetrahedra).unwrap();
        let distance = SurfaceDistance::new(&boundary_surface(&mesh).0).unwrap();
        let exact = Solid::Cuboid {
            centre: 0.5 * size,
            size,
            rounding: 0.0,
        };
        for p in points(20_000) {
            let p = 0.5 * size + 1.1 * p;
            let (found, expected) = (distance.value(p), exact.value(p));
            assert!((found - expected).abs() < 1e-12, "{p} {found} {expected}");
        }
    }

    /// On a surface with a sharp ridge and a narrow valley the face normal alone gives wrong signs.
    #[test]
    fn sign_is_right_at_sharp_edges() {
        let positions = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.45, 0.05, 0.1],
            [0.5, 0.05, 3.0],
        ];
        let surface = TriangleMesh {
            positions: positions.map(DVec3::from_array).to_vec(),
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        };
        let mut surface = surface;
        if enclosed_volume(&surface) < 0.0 {
            surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let distance = SurfaceDistance::new(&surface).unwrap();
        for p in points(20_000) {
            let p = 2.0 * p + DVec3::new(0.5, 0.0, 1.5);
            // Inside a convex solid means behind every face.
            let inside = (0..4).all(|t| {
                let [a, b, c] = corners(&surface, t);
                (b - a).cross(c - a).dot(p - a) < 0.0
            });
            assert_eq!(distance.value(p) < 0.0, inside, "{p}");
        }
    }

    #[test]
    fn an_open_surface_is_refused_with_its_place() {
        let mesh = block([1; 3], DVec3::ONE, Division::SixTetrahedra).unwrap();
        let mut surface = boundary_surface(&mesh).0;
        surface.triangles.pop();
        let Err(MeshMakeError::BadSurface { fault }) = SurfaceDistance::new(&surface) else {
            panic!("an open surface was accepted");
        };
        assert!(matches!(fault, SurfaceFault::Open { .. }), "{fault}");
    }

    #[test]
    fn fills_a_ring_of_triangles() {
        let torus = Solid::Torus {
            centre: DVec3::ZERO,
            axis: DVec3::Z,
            major_radius: 0.7,
            minor_radius: 0.3,
        };
        let surface = skin(&torus, 0.09).unwrap();
        assert!(
            surface.triangles.len() > 5000,
            "{}",
            surface.triangles.len()
        );
        let start = Instant::now();
        let mesh = fill_surface(&surface, 0.04).unwrap();
        println!(
            "{} triangles, {} tetrahedra: {:?}",
            surface.triangles.len(),
            mesh.blocks[0].len(),
            start.elapsed()
        );
        let volume: f64 = tetrahedron_volumes(&mesh).iter().sum();
        let exact = enclosed_volume(&surface);
        assert!((volume - exact).abs() < 0.01 * exact, "{volume} {exact}");
        let (least, most) = dihedral_range(&mesh).unwrap();
        assert!(least > 10.7 && most < 164.8);
    }
}
