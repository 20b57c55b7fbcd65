//! Triangle meshes of surfaces that a profile sweeps when it turns about the z axis.

use crate::frame::TriangleMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Turns `profile`, points (r, z) with r >= 0, about the z axis in `segments` steps.
///
/// The profile runs counter-clockwise in the half plane r >= 0, so that outside lies to its right:
/// upwards for the side of a cylinder. A point with r = 0 becomes a single vertex. A `closed`
/// profile returns to its first point. A turned circle is stretched by `stretch` along x, y and z,
/// then moved to `centre`.
pub(super) fn turn(
    profile: &[DVec2],
    closed: bool,
    segments: usize,
    stretch: DVec3,
    centre: DVec3,
) -> TriangleMesh {
    let segments = segments.max(3);
    let mut mesh = TriangleMesh::default();
    let rings: Vec<Ring> = profile
        .iter()
        .map(|&point| {
            let first = mesh.positions.len() as u32;
            let vertex_count = if point.x == 0.0 { 1 } else { segments };
            for segment in 0..vertex_count {
                let (sine, cosine) = (TAU * segment as f64 / segments as f64).sin_cos();
                let turned = DVec3::new(point.x * cosine, point.x * sine, point.y);
                mesh.positions.push(centre + stretch * turned);
            }
            Ring {
                first,
                vertex_count: vertex_count as u32,
            }
        })
        .collect();

    let band_count = if closed {
        rings.len()
    } else {
        rings.len().saturating_sub(1)
    };
    for band in 0..band_count {
        let (from, to) = (&rings[band], &rings[(band + 1) % rings.len()]);
        for segment in 0..segments as u32 {
            let (a, b) = (from.vertex(segment), from.vertex(segment + 1));
            let (c, d) = (to.vertex(segment + 1), to.vertex(segment));
            if a != b {
                mesh.triangles.push([a, b, c]);
            }
            if c != d {
                mesh.triangles.push([a, c, d]);
            }
        }
    }
    mesh
}

/// The points (sin φ, -cos φ) of a half circle from the lower to the upper pole.
pub(super) fn half_circle(resolution: usize) -> Vec<DVec2> {
    let intervals = (resolution / 2).max(2);
    (0..=intervals)
        .map(|step| {
            if step == 0 {
                DVec2::NEG_Y
            } else if step == intervals {
                // The sine of the rounded π is not zero, and the pole would become a tiny ring.
                DVec2::Y
            } else {
                let (sine, cosine) = (0.5 * TAU * step as f64 / intervals as f64).sin_cos();
                DVec2::new(sine, -cosine)
            }
        })
        .collect()
}

/// Adds the triangles of `other` to `mesh`.
pub(super) fn append(mesh: &mut TriangleMesh, other: &TriangleMesh) {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend_from_slice(&other.positions);
    mesh.triangles.extend(
        other
            .triangles
            .iter()
            .map(|triangle| triangle.map(|vertex| vertex + first)),
    );
}

struct Ring {
    first: u32,
    vertex_count: u32,
}

impl Ring {
    fn vertex(&self, segment: u32) -> u32 {
        self.first + segment % self.vertex_count
    }
}
