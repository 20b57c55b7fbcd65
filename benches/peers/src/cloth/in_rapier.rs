//! The cloth in Rapier: its own cloth of springs, as stiff as the material.
//!
//! Springs of stiffness s along the sides of square cells and d along both diagonals are a sheet with
//!
//! ```text
//! C11 = s + d,   C12 = G = d
//! ```
//!
//! which for s = 3/4 E t and d = 3/8 E t is isotropic, with Young's modulus times thickness E t and
//! Poisson's ratio 1/3. A spring along the border has half the width. Rapier asks for the frequency f
//! of each spring instead of its stiffness k, with the inverse masses of its ends:
//!
//! ```text
//! (2 π f)² = k (1/m1 + 1/m2)
//! ```
//!
//! Its cloth bends against springs between second neighbours, with energy of the fourth power of the
//! angle φ between two sides of length h. They have the stiffness at which that energy is D φ²/2, with
//! the flexural rigidity D, where φ is half a radian:
//!
//! ```text
//! k h² φ⁴ / 32 = D φ² / 2
//! ```

use super::{BALL_CENTRE, BALL_RADIUS, FRICTION, MASS, RIGIDITY, SIDE, STRETCHING, THICKNESS};
use crate::engine::{InRapier, rapier_world, to_rapier};
use crate::race::Contestant;
use crate::referee::Shape;
use glam::DVec3;
use rapier3d::prelude::*;
use std::f64::consts::TAU;

/// The angle, in radians, at which springs bend as easily as the material.
const FOLD: f64 = 0.5;

/// How Rapier solves.
struct Settings {
    name: &'static str,
    /// Steps per frame; 4 as it comes.
    substeps: usize,
    /// Whether parts of the cloth keep as far from each other as `THICKNESS` says; as it comes, as far as
    /// nodes are apart.
    is_thin: bool,
}

/// Its solver of finite elements is not among them: with contact it takes a hundred times as long.
const SETTINGS: [Settings; 4] = [
    Settings {
        name: "Rapier, as it comes",
        substeps: 4,
        is_thin: false,
    },
    Settings {
        name: "Rapier, 5 mm thick",
        substeps: 4,
        is_thin: true,
    },
    Settings {
        name: "Rapier, 5 mm thick, 16 substeps",
        substeps: 16,
        is_thin: true,
    },
    Settings {
        name: "Rapier, 5 mm thick, 64 substeps",
        substeps: 64,
        is_thin: true,
    },
];

pub fn contestants(side: usize, meets_itself: bool) -> Vec<Contestant> {
    let contestant = |settings: &Settings| {
        let cloth = cloth(side, meets_itself, settings);
        let shape = Shape::new(side * side, cloth.surface.clone());
        Contestant::new(settings.name, world(cloth, settings), shape)
    };
    SETTINGS.iter().map(contestant).collect()
}

fn world(cloth: SoftBodyBuilder, settings: &Settings) -> InRapier {
    let mut world = rapier_world();
    world.integration_parameters.num_solver_iterations = settings.substeps;
    world.insert(
        RigidBodyBuilder::fixed().translation(to_rapier(BALL_CENTRE)),
        ColliderBuilder::ball(BALL_RADIUS as f32).friction(FRICTION as f32),
    );
    let bodies = vec![world.insert_soft_body(cloth)];
    InRapier { world, bodies }
}

fn cloth(side: usize, meets_itself: bool, settings: &Settings) -> SoftBodyBuilder {
    let spacing = SIDE / (side - 1) as f64;
    let corner = DVec3::new(-0.5 * SIDE, -0.5 * SIDE, 0.0);
    // Rows along x, so that nodes have the same numbers as in Pliant.
    let mut cloth = SoftBodyBuilder::cloth(
        to_rapier(corner),
        to_rapier(spacing * DVec3::Y),
        to_rapier(spacing * DVec3::X),
        side,
        side,
    );
    let is_pinned = |node: usize| node == 0 || node == side - 1;
    let masses = masses(side);
    let inverse_mass = |node: u32| match is_pinned(node as usize) {
        true => 0.0,
        false => 1.0 / masses[node as usize],
    };
    let softness = |(index, edge): (usize, &[u32; 2])| {
        let weight: f64 = edge.iter().map(|&node| inverse_mass(node)).sum();
        let frequency = (stiffness(side, *edge) * weight).sqrt() / TAU;
        (index as u32, SpringCoefficients::new(frequency as f32, 0.0))
    };
    cloth.edge_softness = cloth.edges.iter().enumerate().map(softness).collect();
    let bending = 16.0 * RIGIDITY / (spacing * FOLD).powi(2);
    let within = 2.0 / masses[side + 1];
    let bend_frequency = (bending * within).sqrt() / TAU;
    let ball = ColliderBuilder::ball(BALL_RADIUS as f32).friction(FRICTION as f32);
    let pinned = (0..side * side).filter(|&node| is_pinned(node));
    let cloth = cloth
        .masses(masses.iter().map(|&mass| mass as f32).collect())
        .pinned_particles(pinned.map(|node| node as u32))
        .material(SoftBodyMaterial {
            bend_softness: SpringCoefficients::new(bend_frequency as f32, 0.0),
            ..SoftBodyMaterial::default()
        })
        .surface_collider(ball)
        .self_contacts(meets_itself)
        .can_sleep(false);
    match settings.is_thin {
        true => cloth.particle_radius(0.5 * THICKNESS as f32),
        false => cloth,
    }
}

/// Of the nodes, in kilograms: a quarter of each cell's at each of its corners.
fn masses(side: usize) -> Vec<f64> {
    let cell = MASS / ((side - 1) * (side - 1)) as f64;
    let width = |at: usize| if at == 0 || at == side - 1 { 0.5 } else { 1.0 };
    (0..side * side)
        .map(|node| cell * width(node % side) * width(node / side))
        .collect()
}

/// Of a spring, in N/m.
fn stiffness(side: usize, [a, b]: [u32; 2]) -> f64 {
    let [a, b] = [a as usize, b as usize].map(|node| [node % side, node / side]);
    let is_border = |at: usize| at == 0 || at == side - 1;
    let across = (0..2).find(|&k| a[k] == b[k]);
    match across {
        None => 0.375 * STRETCHING,
        Some(k) if is_border(a[k]) => 0.375 * STRETCHING,
        Some(_) => 0.75 * STRETCHING,
    }
}
