//! Hertz: the force with which a soft sphere is pressed on a flat, by how far it is pressed.
//!
//! ```text
//! F = 4/3 E* √R d^(3/2),   a = √(R d),   1/E* = (1 - ν²)/E + the same of the other
//! ```
//!
//! Only the sphere near the contact counts: a block whose lower side is part of a sphere of radius R, twenty
//! contact radii wide and high, of which a quarter is meshed. Its upper side is held, where a half-space would give
//! way by what Boussinesq's point force moves a point at that depth: F (1 + ν) (3 - 2ν) / (2π E L).

use glam::DVec3;
use pliant::body::Slider;
use pliant::contact::PairContactSettings;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::linear::SolverKind;
use pliant::mesh::{Division, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use std::f64::consts::PI;
use std::sync::Arc;

const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;

/// Radius of the sphere and size of the block, in metres.
const RADIUS: f64 = 2.5;
const SIZE: f64 = 1.0;

/// Cells along a side; those that are equally fine near the contact, and how much wider each one is than the one
/// before it beyond them.
const CELLS: usize = 18;
const FINE: f64 = 7.0;
const GROWTH: f64 = 1.35;

/// A length along a side of the block, in widths of the finest cells.
fn widths(cells: f64) -> f64 {
    let beyond = (cells - FINE).max(0.0);
    cells.min(FINE) + GROWTH * (GROWTH.powf(beyond) - 1.0) / (GROWTH - 1.0)
}

/// A length along a side of the block.
fn graded(share: f64) -> f64 {
    let cells = CELLS as f64;
    SIZE * widths(cells * share) / widths(cells)
}

/// A quarter of a block with a spherical side below, over the plane z = 0 or, mirrored, under it, with the held
/// side moved by `pressed` towards it.
fn sphere(name: &str, mirror: f64, [gap, pressed]: [f64; 2], meets_floor: bool) -> Body {
    let mut mesh = block([CELLS; 3], DVec3::ONE, Division::FiveTetrahedra).unwrap();
    let sunk = |x: f64, y: f64| RADIUS - (RADIUS * RADIUS - x * x - y * y).sqrt();
    for place in &mut mesh.positions {
        let [x, y, z] = place.to_array().map(graded);
        // The side far from the contact is flat.
        let z = z + (1.0 - z / SIZE) * sunk(x, y);
        *place = DVec3::new(x, y, z);
    }
    if mirror < 0.0 {
        // A turn about x = y, which keeps elements as they are.
        for place in &mut mesh.positions {
            *place = DVec3::new(place.y, place.x, -place.z);
        }
    }
    let material = ElasticMaterial::new(YOUNG, POISSON, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Linear, material);
    let masses = model.masses(&mesh).unwrap();
    let positions = mesh.positions.clone();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut body = BodyDescription::of_mesh(name, settings, masses);
    let is_held = |x: &DVec3| x.z.abs() > SIZE - 1e-9;
    body.fixed = positions.iter().map(is_held).collect();
    for (node, x) in positions.iter().enumerate() {
        for normal in [DVec3::X, DVec3::Y] {
            if x.dot(normal).abs() < 1e-12 && !is_held(x) {
                body.sliders.push(Slider { node, normal });
            }
        }
    }
    body.integrator = IntegratorKind::Static;
    body.solver.kind = SolverKind::Cholesky;
    body.contact.thickness = 0.0;
    body.collides_with = if meets_floor { vec![0] } else { Vec::new() };
    let moved = |x: &DVec3| {
        let down = if is_held(x) { pressed } else { 0.0 };
        *x + mirror * (gap - down) * DVec3::Z
    };
    let state = State {
        positions: positions.iter().map(moved).collect(),
        velocities: vec![DVec3::ZERO; positions.len()],
        ..State::default()
    };
    Body::with_state(body, state).unwrap()
}

/// The force on the held side of a body, of all four quarters.
fn held_force(world: &World, workspace: &mut Workspace, body: usize) -> f64 {
    let (elastic, _) = workspace.forces(world, body);
    let fixed = &world.bodies[body].description().fixed;
    let held = elastic.iter().zip(fixed).filter(|(_, fixed)| **fixed);
    4.0 * held.map(|(force, _)| force.z).sum::<f64>()
}

/// The force of Hertz where each of so many spheres is held at a distance of `SIZE` from the contact.
fn hertz(spheres: f64, depth: f64) -> f64 {
    let young = YOUNG / (1.0 - POISSON * POISSON) / spheres;
    let radius = RADIUS / spheres;
    let given_way = (1.0 + POISSON) * (3.0 - 2.0 * POISSON) / (2.0 * PI * YOUNG * SIZE);
    let mut force = 0.0;
    for _ in 0..50 {
        let whole: f64 = depth + spheres * given_way * force;
        force = 4.0 / 3.0 * young * radius.sqrt() * whole.powf(1.5);
    }
    force
}

/// Finds the equilibrium and compares the force.
fn assert_pressed(world: &mut World, spheres: f64, depth: f64) {
    let mut workspace = Workspace::new(world);
    let report = world.step(&mut workspace);
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    let found = held_force(world, &mut workspace, 0).abs();
    let wanted = hertz(spheres, depth);
    let error = (found / wanted - 1.0).abs();
    assert!(error < 0.03, "{found} N of {wanted} N");
}

#[test]
fn a_soft_sphere_on_a_flat_obstacle() {
    let finest = SIZE / widths(CELLS as f64);
    for cells in [4.0, 5.0, 6.0] {
        let depth = (cells * finest).powi(2) / RADIUS;
        let gap = 1e-7;
        let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
        let mut world = World {
            bodies: vec![sphere("sphere", 1.0, [gap, depth + gap], true)],
            obstacles: vec![Obstacle::new("floor", Box::new(floor))],
            ..World::default()
        };
        assert_pressed(&mut world, 1.0, depth);
    }
}

/// Two of them press each other: half as stiff, half the radius.
#[test]
fn two_soft_spheres() {
    let contact_radius = 5.0 * SIZE / widths(CELLS as f64);
    let depth = contact_radius.powi(2) / (0.5 * RADIUS);
    let gap = 1e-3 * depth;
    let mut world = World {
        bodies: vec![
            sphere("upper", 1.0, [gap, 0.5 * depth + gap], false),
            sphere("lower", -1.0, [gap, 0.5 * depth + gap], false),
        ],
        contact: Some(PairContactSettings {
            thickness: 4e-3 * depth,
            with_itself: false,
            ..PairContactSettings::default()
        }),
        ..World::default()
    };
    assert_pressed(&mut world, 2.0, depth);
}
