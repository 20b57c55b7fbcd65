//! What a user gets without asking is right: stiff bodies fall and swing, momenta are kept, contact
//! adds no energy, friction is Coulomb's.

mod support;

use glam::DVec3;
use pliant::fem::{
    CoreMotion, ElasticMaterial, MeshModel, MeshSettings, RigidCore, SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, IntegratorKind, State, StepReport, Workspace, World};
use std::sync::Arc;
use support::sheet;

const IMPLICIT: [IntegratorKind; 4] = [
    IntegratorKind::TwoStage,
    IntegratorKind::Implicit,
    IntegratorKind::Midpoint,
    IntegratorKind::Newmark,
];

fn gravity(acceleration: DVec3) -> BoundForce {
    BoundForce {
        force: Arc::new(Gravity { acceleration }),
        node: None,
    }
}

fn cube(cells: usize, size: f64, young: f64, density: f64) -> BodyDescription {
    let mesh = block([cells; 3], DVec3::splat(size), Division::FiveTetrahedra).unwrap();
    let mesh = Arc::new(mesh);
    let material = ElasticMaterial::new(young, 0.3, density).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    BodyDescription::of_mesh("cube", MeshSettings::new(mesh, Arc::new(model)), masses)
}

fn floor(height: f64, slope: f64) -> Obstacle {
    let normal = DVec3::new(-slope, 0.0, 1.0).normalize();
    let plane = Plane::new(normal, DVec3::new(0.0, 0.0, height)).unwrap();
    Obstacle::new("floor", Box::new(plane))
}

/// Runs a world; the reports of its steps.
fn run(world: &mut World, seconds: f64) -> Vec<StepReport> {
    let mut workspace = Workspace::new(world);
    let steps = (seconds / world.time_step()).round() as usize;
    let reports: Vec<_> = (0..steps).map(|_| world.step(&mut workspace)).collect();
    for body in &world.bodies {
        assert_eq!(body.quarantine, None);
    }
    reports
}

#[test]
fn stiff_cloth_swings_down() {
    let mut cloth = sheet([24, 24], [2.0, 2.0], 500.0, 0.0);
    let count = cloth.masses.len();
    cloth.masses.fill(0.8 / count as f64);
    cloth.fixed[0] = true;
    cloth.fixed[23] = true;
    cloth.time_step = 1.0 / 60.0;
    cloth.forces.push(gravity(DVec3::new(0.0, 0.0, -9.81)));
    let mut world = support::world(cloth);
    let mut lowest = f64::INFINITY;
    let mut reports = Vec::new();
    let mut workspace = Workspace::new(&world);
    for _ in 0..300 {
        reports.push(world.step(&mut workspace));
        let positions = &world.bodies[0].state.positions;
        lowest = positions.iter().map(|x| x.z).fold(lowest, f64::min);
    }
    let newton: usize = reports.iter().map(|r| r.newton_iterations).sum();
    let linear: usize = reports.iter().map(|r| r.linear_iterations).sum();
    let damped: usize = reports.iter().map(|r| r.damped_steps).sum();
    let shortened: usize = reports.iter().map(|r| r.shortened_steps).sum();
    println!(
        "lowest {lowest}, {newton} Newton, {linear} linear, {damped} damped, {shortened} shortened of {}",
        reports.len()
    );
    assert!((-2.3..-1.7).contains(&lowest), "lowest {lowest}");
}

#[test]
fn a_free_brick_keeps_its_spin() {
    let mut brick = cube(3, 0.3, 1e6, 1000.0);
    brick.time_step = 0.01;
    let positions = brick.rest_positions.clone();
    let spin = DVec3::new(0.0, 0.0, 5.0);
    let velocities = positions.iter().map(|x| spin.cross(*x)).collect();
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    let mut world = World {
        bodies: vec![Body::with_state(brick, state).unwrap()],
        ..World::default()
    };
    let before = world.bodies[0].angular_momentum();
    let reports = run(&mut world, 10.0);
    let after = world.bodies[0].angular_momentum();
    let newton: usize = reports.iter().map(|r| r.newton_iterations).sum();
    println!(
        "spin {} {newton}",
        (after - before).length() / before.length()
    );
    assert!((after - before).length() < 1e-3 * before.length());
}

#[test]
fn a_dropped_cube_gains_no_energy() {
    for young in [1e4, 1e5, 1e6, 1e8] {
        for kind in IMPLICIT {
            let mut body = cube(3, 0.3, young, 1000.0);
            body.integrator = kind;
            body.time_step = 0.01;
            body.forces.push(gravity(DVec3::new(0.0, 0.0, -9.81)));
            body.collides_with.push(0);
            let mut world = World {
                bodies: vec![Body::new(body).unwrap()],
                obstacles: vec![floor(-1.0, 0.0)],
                ..World::default()
            };
            let start = Workspace::new(&world).energies(&world).total();
            let reports = run(&mut world, 2.0);
            // The energy above that of the cube lying on the floor.
            let mass: f64 = world.bodies[0].description().masses.iter().sum();
            let scale = mass * 9.81 * 0.85;
            let highest = reports.iter().map(|r| r.energies.total() - start);
            let highest = highest.fold(f64::NEG_INFINITY, f64::max) / scale;
            let end = reports.last().unwrap();
            let damped: usize = reports.iter().map(|r| r.damped_steps).sum();
            let shortened: usize = reports.iter().map(|r| r.shortened_steps).sum();
            let newton: usize = reports.iter().map(|r| r.newton_iterations).sum();
            let top = reports[60..]
                .iter()
                .map(|r| r.energies.external)
                .fold(f64::NEG_INFINITY, f64::max);
            println!(
                "{young:e} {kind:?}: highest {highest:.2e}, top {:.3}, kinetic at the end {:.3}, {damped} damped, {shortened} shortened, {newton} Newton, depth {:.1e}",
                (top - start) / scale + 1.0,
                end.energies.kinetic / scale,
                reports
                    .iter()
                    .map(|r| r.smallest_distance)
                    .fold(1.0, f64::min)
            );
            assert!(highest < 0.01, "{young} {kind:?}: {highest}");
        }
    }
}

#[test]
fn friction_is_that_of_coulomb() {
    let mut wrong = Vec::new();
    for (mu, slides) in [(0.45, true), (0.55, false)] {
        for kind in IMPLICIT {
            let mut body = cube(2, 0.2, 1e6, 1000.0);
            body.integrator = kind;
            body.time_step = 0.01;
            body.contact.friction = mu;
            body.forces.push(gravity(DVec3::new(0.0, 0.0, -9.81)));
            body.collides_with.push(0);
            // The cube lies on the slope from the start.
            let slope = 0.5_f64.atan();
            let turn = glam::DQuat::from_rotation_y(-slope);
            let heights = body.rest_positions.iter().map(|x| x.z);
            let low = heights.fold(f64::INFINITY, f64::min);
            for x in &mut body.rest_positions {
                *x = turn * (*x + DVec3::new(0.0, 0.0, -low + 0.0002));
            }
            let settings = body.mesh().unwrap();
            let mut mesh = (*settings.mesh).clone();
            mesh.positions.clone_from(&body.rest_positions);
            let model = Arc::clone(&settings.model);
            body.formulation = Arc::new(MeshSettings::new(Arc::new(mesh), model));
            body.rayleigh[1] = 0.002;
            let mut world = World {
                bodies: vec![Body::new(body).unwrap()],
                obstacles: vec![floor(0.0, 0.5)],
                ..World::default()
            };
            let centre = |world: &World| {
                let body = &world.bodies[0];
                let mass: f64 = body.description().masses.iter().sum();
                let nodes = body.description().masses.iter().zip(&body.state.positions);
                nodes.map(|(m, x)| *m * *x).sum::<DVec3>() / mass
            };
            run(&mut world, 0.5);
            let (x0, v0) = (centre(&world), world.bodies[0].momentum());
            run(&mut world, 1.0);
            let mass: f64 = world.bodies[0].description().masses.iter().sum();
            let moved = (centre(&world) - x0).length();
            let acceleration = (world.bodies[0].momentum() - v0).length() / mass;
            let expected = if slides {
                9.81 * (slope.sin() - mu * slope.cos())
            } else {
                0.0
            };
            println!(
                "mu {mu} {kind:?}: moved {moved:.5}, acceleration {acceleration:.4}, expected {expected:.4}"
            );
            if (acceleration - expected).abs() > 0.08 {
                wrong.push((mu, kind));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_pendulum_of_a_rigid_core_keeps_its_energy() {
    let mut wrong = Vec::new();
    for kind in [
        IntegratorKind::TwoStage,
        IntegratorKind::Midpoint,
        IntegratorKind::Newmark,
    ] {
        let mut body = cube(2, 0.2, 1e5, 1000.0);
        let nodes = (0..body.masses.len() as u32).collect();
        let mut settings = body.mesh().unwrap().clone();
        let motion = CoreMotion::Hinge {
            point: DVec3::new(0.0, 0.0, 0.5),
            axis: DVec3::Y,
        };
        settings.cores.push(RigidCore { nodes, motion });
        body.formulation = Arc::new(settings);
        body.integrator = kind;
        body.time_step = 0.01;
        body.forces.push(gravity(DVec3::new(9.81, 0.0, 0.0)));
        if kind != IntegratorKind::TwoStage {
            // Rules that damp nothing ring with what keeps a core rigid.
            assert!(Body::new(body).is_err(), "{kind:?}");
            continue;
        }
        let mut world = support::world(body);
        let start = Workspace::new(&world).energies(&world);
        let reports = run(&mut world, 20.0);
        let scale = reports
            .iter()
            .map(|r| r.energies.kinetic)
            .fold(0.0, f64::max);
        let drift = reports
            .iter()
            .map(|r| (r.energies.total() - start.total()).abs() / scale)
            .fold(0.0, f64::max);
        println!(
            "{kind:?} drift {drift} {}",
            reports.iter().map(|r| r.newton_iterations).sum::<usize>()
        );
        if drift > 0.01 {
            wrong.push(kind);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
