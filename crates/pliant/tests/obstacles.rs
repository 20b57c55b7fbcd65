//! Bodies in physical units on obstacles: friction holds, impacts rebound, nothing passes through.

use glam::DVec3;
use pliant::contact::ContactMethod;
use pliant::elastic::GridMaterial;
use pliant::force::{BoundForce, Gravity};
use pliant::obstacle::{Cuboid, Obstacle, Plane};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, State, StepReport, Workspace, World};
use std::sync::Arc;

const G: f64 = 9.81;

/// A body over a grid, at rest where a function of the material coordinates puts it; it falls along
/// `down` and collides with obstacle 0.
fn body(
    [young, thickness]: [f64; 2],
    counts: &[usize],
    down: DVec3,
    shape: impl Fn(DVec3) -> DVec3,
) -> BodyDescription {
    let material = GridMaterial {
        young,
        poisson: 0.3,
        density: 1000.0,
        thickness,
        stretching: None,
        rigidity: None,
    };
    let grid = Grid::new(counts, &vec![false; counts.len()]);
    let nodes = grid.nodes();
    let rest: Vec<DVec3> = nodes
        .map(|coordinates| shape(DVec3::from_array(grid.material_coordinates(coordinates))))
        .collect();
    let weights = material.weights(&grid, &rest);
    let masses = material.masses(&grid, &rest);
    let mut body = BodyDescription::new("body", grid, rest, weights);
    body.masses = masses;
    body.time_step = 0.01;
    let acceleration = G * down.normalize();
    body.forces.push(BoundForce {
        force: Arc::new(Gravity { acceleration }),
        node: None,
    });
    body.collides_with.push(0);
    body
}

fn floor() -> Obstacle {
    let plane = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    Obstacle::new("floor", Box::new(plane))
}

fn world(body: BodyDescription, obstacle: Obstacle) -> World {
    World {
        bodies: vec![Body::new(body).unwrap()],
        obstacles: vec![obstacle],
        ..World::default()
    }
}

/// Runs a world; the reports of its steps, and the height of the lowest node after each.
fn run(world: &mut World, seconds: f64) -> Vec<(StepReport, f64)> {
    let mut workspace = Workspace::new(world);
    let steps = (seconds / world.time_step()).round() as usize;
    let mut reports = Vec::new();
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        let heights = world.bodies[0].state.positions.iter().map(|x| x.z);
        reports.push((report, heights.fold(f64::INFINITY, f64::min)));
    }
    assert_eq!(world.bodies[0].quarantine, None);
    reports
}

fn centre(world: &World) -> DVec3 {
    let state: &State = &world.bodies[0].state;
    state.positions.iter().sum::<DVec3>() / state.positions.len() as f64
}

/// On a slope of tan 0.5 a body with μ = 0.6 stays, and Newton's method finds that without shorter
/// steps: nodes that have slipped by less than a nanometre must not keep it from sticking.
#[test]
fn a_damped_block_stays_on_a_slope() {
    let down = DVec3::new(0.5, 0.0, -1.0);
    let mut block = body([1e6, 0.0], &[5, 5, 3], down, |u| {
        u * DVec3::new(0.4, 0.4, 0.2)
    });
    block.rayleigh = [0.0, 0.02];
    let mut ground = floor();
    ground.friction = 0.6;
    let mut world = world(block, ground);
    let before = centre(&world);
    let reports = run(&mut world, 1.0);
    let shortened: usize = reports.iter().map(|(r, _)| r.shortened_steps).sum();
    assert_eq!(shortened, 0);
    let iterations: usize = reports.iter().map(|(r, _)| r.newton_iterations).sum();
    assert!(iterations < 12 * reports.len(), "{iterations}");
    let moved = centre(&world) - before;
    assert!(moved.length() < 2e-3, "{moved}");
}

/// The same with a penalty, for a curve, whose friction must hold from the beginning of each step.
#[test]
fn friction_of_penalties_holds_with_every_step_length() {
    for step in [0.01, 0.002] {
        let down = DVec3::new(0.5, 0.0, -1.0);
        let mut curve = body([1e7, 0.02], &[9], down, |u| DVec3::X * 0.5 * u.x);
        curve.time_step = step;
        curve.rayleigh = [0.0, 0.01];
        curve.contact.method = ContactMethod::Quadratic;
        curve.contact.strength = 1e3;
        let mut ground = floor();
        ground.friction = 0.6;
        ground.epsilon = 0.01;
        let mut world = world(curve, ground);
        // It falls on to the penalty, which may let it slip.
        run(&mut world, 1.0);
        let before = centre(&world);
        run(&mut world, 2.0);
        let moved = centre(&world) - before;
        assert!(moved.x.abs() < 1e-4, "step {step}: {moved}");
    }
}

/// The height to which a cube rises that has fallen by 1 m.
fn rebound(young: f64, restitution: f64) -> f64 {
    let mut cube = body([young, 0.0], &[3, 3, 3], DVec3::NEG_Z, |u| {
        0.2 * u + DVec3::Z
    });
    cube.time_step = 0.001;
    cube.contact.restitution = restitution;
    let mut world = world(cube, floor());
    let reports = run(&mut world, 1.0);
    let hit = reports.iter().position(|(r, _)| r.contacts > 0).unwrap();
    let created: f64 = reports.iter().map(|(r, _)| r.energy_created).sum();
    let mass: f64 = world.bodies[0].description().masses.iter().sum();
    assert!(created < 1e-2 * mass * G, "{created} J created");
    let heights = reports[hit..].iter().map(|(_, height)| *height);
    heights.fold(0.0, f64::max)
}

/// An impact that one step takes in rebounds to e² of the height; one that steps resolve is at least as
/// high with restitution as without; none is higher than the fall.
#[test]
fn restitution_raises_the_rebound_of_a_solid() {
    for young in [1e5, 1e8] {
        let heights = [0.0, 0.5, 1.0].map(|e| rebound(young, e));
        assert!(heights.is_sorted(), "{young}: {heights:?}");
        assert!(heights[2] <= 1.01, "{young}: {heights:?}");
    }
    for restitution in [0.5_f64, 0.8, 1.0] {
        let height = rebound(1e12, restitution);
        let expected = restitution.powi(2);
        assert!(
            (height / expected - 1.0).abs() < 0.1,
            "{restitution}: {height}"
        );
    }
}

/// A sheet that falls by four times the thickness of a slab in a step lands on it, whatever moves it.
#[test]
fn nothing_passes_through_a_thin_slab() {
    let integrators = [
        IntegratorKind::TwoStage,
        IntegratorKind::Implicit,
        IntegratorKind::Midpoint,
        IntegratorKind::Newmark,
        IntegratorKind::SemiImplicit,
        IntegratorKind::Explicit,
    ];
    for integrator in integrators {
        let mut sheet = body([1e4, 0.002], &[5, 5], DVec3::NEG_Z, |u| {
            u - DVec3::new(0.5, 0.5, -0.5)
        });
        sheet.integrator = integrator;
        sheet.rayleigh = [0.0, 0.001];
        let size = DVec3::new(3.0, 3.0, 0.02);
        let slab = Cuboid::new(DVec3::NEG_Z * 0.01, size).unwrap();
        let mut world = world(sheet, Obstacle::new("slab", Box::new(slab)));
        world.bodies[0].state.velocities.fill(DVec3::NEG_Z * 8.0);
        let reports = run(&mut world, 0.3);
        let lowest = reports.iter().map(|(_, height)| *height);
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        assert!(lowest > -1e-3, "{integrator:?}: {lowest}");
        assert!(reports.iter().any(|(r, _)| r.shortened_steps > 0));
    }
}

/// A free plate that spins gains neither spin nor energy, and loses little.
#[test]
fn a_free_plate_gains_no_spin() {
    for step in [0.01, 0.04] {
        let mut plate = body([1e8, 0.02], &[21, 13], DVec3::NEG_Z, |u| {
            (u - DVec3::new(0.5, 0.5, 0.0)) * DVec3::new(1.0, 0.6, 0.0)
        });
        plate.time_step = step;
        plate.forces.clear();
        plate.collides_with.clear();
        let mut world = World {
            bodies: vec![Body::new(plate).unwrap()],
            ..World::default()
        };
        let state = &mut world.bodies[0].state;
        let spin = DVec3::new(0.0, 0.0, 5.0);
        for (velocity, position) in state.velocities.iter_mut().zip(&state.positions) {
            *velocity = spin.cross(*position);
        }
        let before = world.bodies[0].angular_momentum().z;
        let reports = run(&mut world, 4.0);
        let share = world.bodies[0].angular_momentum().z / before;
        assert!((0.96..1.01).contains(&share), "step {step}: {share}");
        let created: f64 = reports.iter().map(|(r, _)| r.energy_created).sum();
        let kinetic = world.bodies[0].kinetic_energy();
        assert!(
            created < 0.01 * kinetic,
            "step {step}: {created} of {kinetic}"
        );
    }
}
