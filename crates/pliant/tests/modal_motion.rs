//! Modal bodies that move: momenta, large rotations, contact, snapshots, hard springs.

use glam::DVec3;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{AreaViscous, BoundForce, Gravity, NodalForce, Spring, Stream};
use pliant::formulation::Modal;
use pliant::mesh::{Division, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, FrameMaker, State, Workspace, World};
use std::f64::consts::TAU;
use std::sync::Arc;

fn soft_bar(strain: SolidStrain, division: [usize; 3]) -> BodyDescription {
    let size = DVec3::new(0.6, 0.2, 0.2);
    let mesh = block(division, size, Division::FiveTetrahedra).unwrap();
    let model = SolidModel::new(strain, ElasticMaterial::new(1e5, 0.3, 1000.0).unwrap());
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    BodyDescription::of_mesh("body", settings, masses)
}

fn world_of(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

fn run(world: &mut World, steps: usize) {
    let mut workspace = Workspace::new(world);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        let why = &world.bodies[0].quarantine;
        assert_eq!((report.quarantined, report.non_finite), (0, 0), "{why:?}");
    }
}

fn spin(description: &BodyDescription, spin: DVec3, velocity: DVec3) -> State {
    let rest = &description.rest_positions;
    let masses = description.masses.iter();
    let mass: f64 = masses.clone().sum();
    let centre = masses.zip(rest).map(|(m, x)| *m * *x).sum::<DVec3>() / mass;
    State {
        positions: rest.clone(),
        velocities: rest
            .iter()
            .map(|x| velocity + spin.cross(*x - centre))
            .collect(),
        ..State::default()
    }
}

fn angular_momentum(body: &Body) -> DVec3 {
    let nodes = body.description().masses.iter().zip(&body.state.positions);
    let terms = nodes.zip(&body.state.velocities);
    terms.map(|((m, x), v)| *m * x.cross(*v)).sum()
}

/// A tumbling body keeps its momenta, and its energy to a hundredth over many turns.
#[test]
fn a_tumbling_body_keeps_momenta_and_energy() {
    let mut description = soft_bar(SolidStrain::Corotated, [6, 2, 2]);
    description.make_modal(Modal::new(12));
    description.time_step = 0.01;
    let state = spin(
        &description,
        DVec3::new(0.3, 2.0, 1.0),
        DVec3::new(0.1, 0.0, 0.2),
    );
    let body = Body::with_state(description, state).unwrap();
    let mut world = World {
        bodies: vec![body],
        ..World::default()
    };
    let energy =
        |world: &World| world.bodies[0].kinetic_energy() + world.bodies[0].elastic_energy();
    run(&mut world, 1);
    let (momentum, angular, start) = (
        world.bodies[0].momentum(),
        angular_momentum(&world.bodies[0]),
        energy(&world),
    );
    run(&mut world, 3000);
    let body = &world.bodies[0];
    assert!((body.momentum() - momentum).length() < 1e-10 * momentum.length());
    let drift = (angular_momentum(body) - angular).length();
    assert!(drift < 1e-8 * angular.length(), "{drift}");
    let change = energy(&world) / start - 1.0;
    assert!(change.abs() < 0.01, "{change}");
}

/// A body that turns about an axis of its own comes round after 2 π / ω, though its modes are linear.
#[test]
fn large_rotations_swell_nothing() {
    let mut description = soft_bar(SolidStrain::Linear, [6, 2, 2]);
    description.make_modal(Modal::new(10));
    description.time_step = TAU / 200.0;
    let state = spin(&description, DVec3::Z, DVec3::ZERO);
    let rest = description.rest_positions.clone();
    let mut world = World {
        bodies: vec![Body::with_state(description, state).unwrap()],
        ..World::default()
    };
    for quarter in 1..=4 {
        run(&mut world, 50);
        let turn = glam::DQuat::from_rotation_z(0.25 * TAU * f64::from(quarter));
        let centre = rest.iter().sum::<DVec3>() / rest.len() as f64;
        for (x, r) in world.bodies[0].state.positions.iter().zip(&rest) {
            let expected = centre + turn * (*r - centre);
            assert!(x.distance(expected) < 6e-3, "{quarter}: {x} {expected}");
        }
    }
}

fn floor() -> Obstacle {
    Obstacle::new(
        "floor",
        Box::new(Plane::new(DVec3::Z, DVec3::ZERO).unwrap()),
    )
}

fn gravity() -> BoundForce {
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    BoundForce {
        force: Arc::new(Gravity { acceleration }),
        node: None,
    }
}

fn falling() -> World {
    let mut description = soft_bar(SolidStrain::Corotated, [6, 2, 2]);
    description.make_modal(Modal::new(12));
    description.time_step = 0.01;
    description.rayleigh = [0.0, 0.003];
    description.contact.friction = 0.4;
    description.forces.push(gravity());
    description.collides_with.push(0);
    let mut state = spin(
        &description,
        DVec3::new(0.5, 1.5, 0.0),
        DVec3::new(0.5, 0.0, 0.0),
    );
    state.positions.iter_mut().for_each(|x| x.z += 0.5);
    World {
        bodies: vec![Body::with_state(description, state).unwrap()],
        obstacles: vec![floor()],
        ..World::default()
    }
}

#[test]
fn it_falls_on_a_floor_and_comes_to_rest_outside() {
    let mut world = falling();
    let mut workspace = Workspace::new(&world);
    let mut touched = 0;
    for _ in 0..600 {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.non_finite), (0, 0));
        touched += usize::from(report.contacts > 0);
        assert!(
            report.smallest_distance > -1e-5,
            "{}",
            report.smallest_distance
        );
    }
    assert!(touched > 100, "{touched}");
    assert!(
        world.bodies[0].kinetic_energy() < 1e-4,
        "{}",
        world.bodies[0].kinetic_energy()
    );
}

#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    let mut whole = falling();
    run(&mut whole, 40);
    let saved = whole.snapshot();
    let mut restored = falling();
    restored.restore(&saved).unwrap();
    run(&mut whole, 40);
    run(&mut restored, 40);
    assert_eq!(whole.bodies[0].state, restored.bodies[0].state);
    let mut workspace = Workspace::new(&whole);
    let frame = FrameMaker::new(&whole).frame(&whole, &mut workspace);
    assert_eq!(frame.bodies[0].positions, whole.bodies[0].state.positions);
}

/// A spring a million times harder than the step could take explicitly holds its node.
#[test]
fn hard_springs_hold() {
    let mut description = soft_bar(SolidStrain::Corotated, [6, 2, 2]);
    let target = description.rest_positions[0];
    description.make_modal(Modal::new(12));
    description.rayleigh = [1.0, 0.01];
    description.forces.push(gravity());
    let force = Arc::new(Spring::to_point(1e7, target));
    description.forces.push(BoundForce {
        force,
        node: Some(0),
    });
    let mut world = world_of(description);
    run(&mut world, 500);
    assert!(world.bodies[0].state.positions[0].distance(target) < 1e-3);
}

/// A block in a stream ends with the speed of the stream, however thick the fluid: steps of 10 ms are
/// longer than what its corners need to follow it.
#[test]
fn a_thick_stream_carries_a_block_along() {
    for strength in [100.0, 500.0, 1000.0, 3000.0] {
        let mesh = block(
            [6, 4, 3],
            DVec3::new(0.6, 0.4, 0.3),
            Division::FiveTetrahedra,
        )
        .unwrap();
        let material = ElasticMaterial::new(1e6, 0.3, 1000.0).unwrap();
        let model = SolidModel::new(SolidStrain::Corotated, material);
        let masses = model.masses(&mesh).unwrap();
        let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
        let mut description = BodyDescription::of_mesh("block", settings, masses);
        description.make_modal(Modal::new(20));
        description.time_step = 0.01;
        let velocity = DVec3::new(3.0, 0.0, 0.0);
        let stream = AreaViscous::new(strength, Stream::Constant { velocity });
        let force = stream.over(&description.node_extents().into()).unwrap();
        description.forces.push(BoundForce { force, node: None });
        let mut world = world_of(description);
        run(&mut world, if strength < 500.0 { 4000 } else { 1000 });
        let body = &world.bodies[0];
        let speed = body.momentum() / body.description().masses.iter().sum::<f64>();
        assert!((speed - velocity).length() < 0.01, "{strength}: {speed}");
    }
}
