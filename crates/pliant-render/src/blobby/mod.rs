//! A smooth surface round particles: where their mean is as far away as one of them is wide.
//!
//! ```text
//! w(d) = (1 - d² / R²)³                        for d < R, else 0
//! W(x) = Σ w(|x - xᵢ|)
//! m(x) = |x - Σ w(|x - xᵢ|) xᵢ / W|            how far x is from the mean of the particles near it
//! f(x) = (1 - m / 2r) s(W / W₀)                s rises smoothly from 0 to 1
//! f(x) = ½                                     on the surface
//! ```
//!
//! r is the radius of a particle, in metres: one that is alone is a ball of that radius, and
//! those that stand 2 r apart are one body without gaps, whose sides are flat where the particles
//! lie in a plane. Where there is little weight W, far from particles, there is no surface: the mean
//! of two that are far apart lies between them. f is sampled on a lattice that stays where it is from
//! frame to frame, in blocks, and only where there are particles; marching cubes turn the samples
//! into triangles.
//!
//! Implements: the distance to the mean of Zhu and Bridson, *Animating sand as a fluid* (2005); the
//! factor s is our addition.

mod cases;
mod marching;
mod samples;

use crate::color_map::Color;
use crate::draw_list::Mesh;
use glam::DVec3;
use marching::march;
use samples::Samples;

/// Reach of a kernel in radii of a particle.
const REACH: f64 = 3.5;
/// The weight W₀ from which on there is a surface: half of what one particle has at its radius.
const LEAST_WEIGHT: f32 = 0.39;
/// Samples along a radius: as many as the budget allows, within these bounds.
const FINEST: f64 = 6.0;
const COARSE: f64 = 2.0;
const COARSEST: f64 = 1.3;
/// Kernels to evaluate, where that leaves at least `COARSE` samples; and blocks to keep in memory
/// (16 KiB each), where that leaves at least `COARSEST`.
const LARGEST_EFFORT: f64 = 1e7;
const MOST_BLOCKS: usize = 8_192;

/// The surface round particles of one radius, in metres, relative to `origin`. `colors` has one
/// colour, or one for each particle. Particles that are nowhere are left out. `None` if they are
/// scattered so widely that memory does not suffice: then few of them touch, and they may as well
/// be drawn as balls.
pub fn blob(particles: &[DVec3], radius: f64, colors: &[Color], origin: DVec3) -> Option<Mesh> {
    if !(radius > 0.0 && radius.is_finite()) || particles.is_empty() {
        return Some(Mesh::default());
    }
    let count = particles.len() as f64;
    let affordable = (LARGEST_EFFORT / count).cbrt() / (2.0 * REACH);
    let mut along_radius = affordable.clamp(COARSE, FINEST);
    let kernel = Kernel::new(radius);
    loop {
        let spacing = radius / along_radius;
        if let Some(samples) = Samples::new(particles, &kernel, spacing, origin, MOST_BLOCKS) {
            return Some(march(&samples, &kernel, colors));
        }
        if along_radius <= COARSEST {
            return None;
        }
        along_radius = (along_radius / 1.5).max(COARSEST);
    }
}

/// How far a particle reaches.
#[derive(Clone, Copy, Debug)]
struct Kernel {
    /// Where its weight ends, in metres.
    reach: f64,
    /// Radius of a particle that is alone, in metres.
    radius: f64,
    /// Value of f on the surface.
    threshold: f32,
}

impl Kernel {
    fn new(radius: f64) -> Self {
        Self {
            reach: REACH * radius,
            radius,
            threshold: 0.5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use std::collections::HashMap;
    use std::f32::consts::PI;

    const RED: &[Color] = &[[1.0, 0.0, 0.0]];

    fn drawn(particles: &[DVec3], radius: f64, colors: &[Color], origin: DVec3) -> Mesh {
        blob(particles, radius, colors, origin).unwrap()
    }

    fn volume(mesh: &Mesh) -> f32 {
        let at = |v: u32| Vec3::from(mesh.positions[v as usize]);
        mesh.triangles
            .iter()
            .map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0)
            .sum()
    }

    /// Every edge has one triangle on either side.
    fn check_closed(mesh: &Mesh) {
        let mut uses: HashMap<(u32, u32), i32> = HashMap::new();
        for &[a, b, c] in &mesh.triangles {
            for edge in [(a, b), (b, c), (c, a)] {
                *uses.entry(edge).or_default() += 1;
            }
        }
        assert!(!uses.is_empty());
        for (&(a, b), &count) in &uses {
            assert_eq!((count, uses.get(&(b, a))), (1, Some(&1)), "edge {a} {b}");
        }
    }

    /// Numbers between -1 and 1 that look random.
    fn scattered(count: usize) -> Vec<DVec3> {
        let mut state: u64 = 7;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
        };
        (0..count)
            .map(|_| DVec3::new(next(), next(), next()))
            .collect()
    }

    #[test]
    fn one_particle_is_a_ball_wherever_it_is() {
        for center in [DVec3::ZERO, DVec3::new(0.31, -7.77, 12.03)] {
            let mesh = drawn(&[center], 0.5, RED, DVec3::ZERO);
            check_closed(&mesh);
            let exact = 4.0 / 3.0 * PI * 0.125;
            let ratio = volume(&mesh) / exact;
            assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
            for (&position, &normal) in mesh.positions.iter().zip(&mesh.normals) {
                let out = Vec3::from(position) - center.as_vec3();
                assert!((out.length() - 0.5).abs() < 0.002, "{}", out.length());
                assert!(out.normalize().dot(Vec3::from(normal)) > 0.998);
            }
        }
    }

    #[test]
    fn a_lattice_of_particles_is_one_body_without_hollows() {
        let mut particles = Vec::new();
        for k in 0..6 * 6 * 6 {
            let [x, y, z] = [k % 6, k / 6 % 6, k / 36].map(f64::from);
            particles.push(0.2 * DVec3::new(x, y, z));
        }
        let mesh = drawn(&particles, 0.1, RED, DVec3::ZERO);
        check_closed(&mesh);
        // One piece of the kind of a ball: V - E + F = 2.
        let euler = mesh.positions.len() as i64 - mesh.triangles.len() as i64 / 2;
        assert_eq!(euler, 2);
        let side = (volume(&mesh)).cbrt();
        assert!((1.1..1.3).contains(&side), "{side}");
    }

    #[test]
    fn scattered_particles_give_a_closed_surface() {
        for (radius, count) in [(0.1, 300), (0.17, 100), (0.05, 1000), (0.3, 40)] {
            check_closed(&drawn(&scattered(count), radius, RED, DVec3::ZERO));
        }
    }

    #[test]
    fn the_origin_and_the_threads_change_nothing() {
        let particles = scattered(50);
        let mesh = drawn(&particles, 0.2, RED, DVec3::ZERO);
        let again = drawn(&particles, 0.2, RED, DVec3::ZERO);
        assert_eq!(mesh.positions, again.positions);
        assert_eq!(mesh.triangles, again.triangles);
        let away = DVec3::splat(1e5);
        let moved: Vec<DVec3> = particles.iter().map(|p| *p + away).collect();
        let far = drawn(&moved, 0.2, RED, away);
        assert!((volume(&mesh) - volume(&far)).abs() < 1e-3);
    }

    #[test]
    fn colours_are_those_of_the_nearest_particles() {
        let particles = [DVec3::ZERO, DVec3::new(10.0, 0.0, 0.0)];
        let colors = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let mesh = drawn(&particles, 0.5, &colors, DVec3::ZERO);
        assert_eq!(mesh.colors.len(), mesh.positions.len());
        for (position, color) in mesh.positions.iter().zip(&mesh.colors) {
            let expected = colors[usize::from(position[0] > 5.0)];
            for d in 0..3 {
                assert!((color[d] - expected[d]).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn spray_over_a_wide_field_stays_within_memory() {
        // A dense lattice over this would need a billion samples.
        let particles: Vec<DVec3> = scattered(400).iter().map(|p| 1e4 * *p).collect();
        let mesh = drawn(&particles, 0.1, RED, DVec3::ZERO);
        check_closed(&mesh);
        assert!(mesh.triangles.len() > 400 * 20);
        // More than the blocks allow.
        let many: Vec<DVec3> = scattered(6000).iter().map(|p| 1e4 * *p).collect();
        assert!(blob(&many, 0.1, RED, DVec3::ZERO).is_none());
    }

    #[test]
    fn odd_input_draws_nothing() {
        for (particles, radius) in [
            (vec![], 1.0),
            (vec![DVec3::NAN], 1.0),
            (vec![DVec3::ZERO], 0.0),
            (vec![DVec3::ZERO], f64::NAN),
            (vec![DVec3::splat(1e300)], 1e-3),
        ] {
            assert!(
                drawn(&particles, radius, RED, DVec3::ZERO)
                    .triangles
                    .is_empty()
            );
        }
    }
}
