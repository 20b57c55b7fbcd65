//! The surface of a shape as fine triangles: marching tetrahedra, evened out.
//!
//! Each tetrahedron of a body-centred cubic lattice that the surface crosses gives one or two
//! triangles. Since the values are linear within tetrahedra and never 0 at lattice points, the
//! surface is closed, has two triangles at each edge, and faces outwards. Vertices then move
//! towards the middle of their neighbours and back onto the surface, which makes triangles rounder.

use super::bcc_lattice::BccLattice;
use super::{ImplicitShape, MeshMakeError};
use crate::frame::TriangleMesh;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// Times that vertices are evened out.
const ROUNDS: usize = 4;

/// A cut keeps this part of its edge away from either end until vertices are evened out, so that
/// triangles have area.
const MARGIN: f64 = 0.05;

/// The surface of `shape` as triangles of about `spacing` metres, closed and turned outwards.
pub fn skin(shape: &dyn ImplicitShape, spacing: f64) -> Result<TriangleMesh, MeshMakeError> {
    let lattice = BccLattice::around(shape, spacing)?;
    let mut values = lattice.sample(shape)?;
    for value in values.iter_mut().filter(|value| **value == 0.0) {
        *value = 1e-12 * spacing;
    }
    let edges = lattice.crossings(&values);
    let positions = edges
        .par_iter()
        .with_min_len(256)
        .map(|&edge| {
            let t = lattice.cut(shape, edge, &values);
            let [a, b] = edge.map(|point| lattice.position(point as usize));
            a.lerp(b, t.clamp(MARGIN, 1.0 - MARGIN))
        })
        .collect();
    let vertices = edges.into_iter().zip(0..).collect();
    let mut march = March {
        lattice: &lattice,
        vertices,
        triangles: Vec::new(),
    };
    let inside = |point: u32| values[point as usize] < 0.0;
    lattice.tetrahedra(inside, |points| march.cross(points, inside));
    let mut surface = TriangleMesh {
        positions,
        triangles: march.triangles,
    };
    even_out(&mut surface, shape, spacing);
    Ok(surface)
}

struct March<'a> {
    lattice: &'a BccLattice,
    /// The vertex on each edge that the surface crosses.
    vertices: HashMap<[u32; 2], u32>,
    triangles: Vec<[u32; 3]>,
}

impl March<'_> {
    /// Adds the triangles across one tetrahedron.
    fn cross(&mut self, points: [u32; 4], inside: impl Fn(u32) -> bool) {
        let (within, without): (Vec<u32>, Vec<u32>) =
            points.into_iter().partition(|&point| inside(point));
        let middle = |points: &[u32]| {
            let positions = points.iter().map(|&p| self.lattice.position(p as usize));
            positions.sum::<DVec3>() / points.len() as f64
        };
        if without.is_empty() {
            return;
        }
        let outwards = middle(&without) - middle(&within);
        // The crossed edges in order round the tetrahedron.
        let rim: Vec<[u32; 2]> = match (within.as_slice(), without.as_slice()) {
            (&[p, q], &[m, n]) => vec![[p, m], [p, n], [q, n], [q, m]],
            _ => within
                .iter()
                .flat_map(|&p| without.iter().map(move |&n| [p, n]))
                .collect(),
        };
        let middles = [0, 1, 2].map(|n| middle(&rim[n]));
        let normal = (middles[1] - middles[0]).cross(middles[2] - middles[0]);
        let mut vertices = Vec::with_capacity(4);
        for [p, n] in rim {
            let Some(&vertex) = self.vertices.get(&[p.min(n), p.max(n)]) else {
                return;
            };
            vertices.push(vertex);
        }
        if normal.dot(outwards) < 0.0 {
            vertices.reverse();
        }
        for n in 1..vertices.len() - 1 {
            self.triangles
                .push([vertices[0], vertices[n], vertices[n + 1]]);
        }
    }
}

/// Moves each vertex to the mean of its neighbours, by at most a quarter of the spacing, and back
/// onto the surface.
fn even_out(surface: &mut TriangleMesh, shape: &dyn ImplicitShape, spacing: f64) {
    let count = surface.positions.len();
    for round in 0..ROUNDS {
        let mut sums = vec![(DVec3::ZERO, 0.0); count];
        for triangle in &surface.triangles {
            for corner in 0..3 {
                let next = surface.positions[triangle[(corner + 1) % 3] as usize];
                let sum = &mut sums[triangle[corner] as usize];
                *sum = (sum.0 + next, sum.1 + 1.0);
            }
        }
        let last = round + 1 == ROUNDS;
        let steps = if last { 4 } else { 1 };
        surface
            .positions
            .par_iter_mut()
            .with_min_len(256)
            .zip(&sums)
            .for_each(|(x, &(sum, neighbours))| {
                let shift = (sum / neighbours - *x).clamp_length_max(0.25 * spacing);
                let moved = onto_surface(shape, *x + 0.7 * shift, spacing, steps);
                // Beyond a crease the nearest surface may be another sheet: stay rather.
                if moved.distance(*x) < 0.5 * spacing {
                    *x = moved;
                }
            });
    }
}

/// Newton steps along the gradient of a shape's value.
fn onto_surface(shape: &dyn ImplicitShape, mut x: DVec3, spacing: f64, steps: usize) -> DVec3 {
    let h = 1e-4 * spacing;
    for _ in 0..steps {
        let value = shape.value(x);
        let slope =
            |axis: DVec3| (shape.value(x + h * axis) - shape.value(x - h * axis)) / (2.0 * h);
        let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
        let square = gradient.length_squared();
        if value.abs() < 1e-9 * spacing || square < 0.01 {
            break;
        }
        x -= (gradient * (value / square)).clamp_length_max(0.5 * spacing);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::super::{Solid, check_surface};
    use super::*;
    use std::f64::consts::PI;

    fn euler(surface: &TriangleMesh) -> i64 {
        surface.positions.len() as i64 - surface.triangles.len() as i64 / 2
    }

    #[test]
    fn skins_are_closed_and_outwards() {
        let ball = |x: f64, y: f64, radius: f64| Solid::Sphere {
            centre: DVec3::new(x, y, 0.0),
            radius,
        };
        let torus = Solid::Torus {
            centre: DVec3::ZERO,
            axis: DVec3::new(0.2, 0.3, 1.0),
            major_radius: 0.7,
            minor_radius: 0.2,
        };
        let blend = Solid::SmoothUnion {
            parts: vec![ball(0.0, 0.0, 0.6), ball(0.8, 0.1, 0.4), torus.clone()],
            blend: 0.1,
        };
        let cuboid = Solid::Cuboid {
            centre: DVec3::ZERO,
            size: DVec3::new(1.0, 0.8, 0.6),
            rounding: 0.0,
        };
        for (name, solid, expected) in [
            ("ball", ball(0.0, 0.0, 1.0), 2),
            ("torus", torus, 0),
            ("cuboid", cuboid, 2),
            ("blend", blend, 0),
        ] {
            let surface = skin(&solid, 0.1).unwrap();
            let report = check_surface(&surface);
            println!("{name}: {} triangles", surface.triangles.len());
            assert!(report.is_sound(), "{name}: {report}");
            if name != "blend" {
                assert_eq!(euler(&surface), expected, "{name}");
            }
            let off = surface.positions.iter().map(|&x| solid.value(x).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off < 1e-3, "{name}: {off}");
        }
    }

    #[test]
    fn triangles_are_round_and_the_volume_is_right() {
        let ball = Solid::Sphere {
            centre: DVec3::new(0.1, 0.2, 0.3),
            radius: 1.0,
        };
        let volumes = [0.2, 0.1].map(|spacing| {
            let surface = skin(&ball, spacing).unwrap();
            let mut sharpest = f64::INFINITY;
            for triangle in &surface.triangles {
                let [a, b, c] = triangle.map(|v| surface.positions[v as usize]);
                for (u, v) in [(b - a, c - a), (c - b, a - b), (a - c, b - c)] {
                    sharpest = sharpest.min(u.angle_between(v).to_degrees());
                }
            }
            println!("sharpest angle {sharpest:.1} degrees");
            assert!(sharpest > 12.0, "{sharpest}");
            1.0 - check_surface(&surface).volume / (4.0 / 3.0 * PI)
        });
        let order = (volumes[0] / volumes[1]).log2();
        assert!(
            (1.6..2.4).contains(&order) && volumes[1] < 0.006,
            "{volumes:?}"
        );
    }
}
