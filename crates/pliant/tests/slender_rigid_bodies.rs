//! Slender rigid bodies that meet in long steps.

use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::fem::CoreMotion;
use pliant::formulation::Rigid;
use pliant::obstacle::{Capsule, Pose};
use pliant::{Body, BodyDescription, State, Workspace, World};

const LENGTH: f64 = 0.44;

/// A stick about a place, along a direction.
fn stick(centre: DVec3, along: DVec3, velocity: DVec3) -> Body {
    let arm = 0.5 * LENGTH * along.normalize();
    let shape = Capsule::new(centre - arm, centre + arm, 0.003).unwrap();
    let (shape, mass) = Rigid::of_shape(&shape, &Pose::IDENTITY, 7000.0).unwrap();
    let body = BodyDescription::rigid("stick", shape, mass, CoreMotion::Free).unwrap();
    let positions = body.rest_positions.clone();
    let state = State {
        velocities: vec![velocity; positions.len()],
        positions,
        ..State::default()
    };
    Body::with_state(body, state).unwrap()
}

/// A stick flies by two thirds of its length in a step, and its end meets that of another: the search finds a
/// place behind the other one by turning it aside, past its end, where nothing stops it.
#[test]
fn sticks_that_meet_near_their_ends_do_not_slip_round_each_other() {
    let speed = 30.0;
    let flying = DVec3::new(-0.179, -0.698, -0.082);
    let standing = DVec3::new(0.538, 0.746, -0.182);
    let mut world = World {
        bodies: vec![
            stick(0.25 * DVec3::Z, flying, -speed * DVec3::Z),
            stick(DVec3::new(0.0229, -0.091, 0.0), standing, DVec3::ZERO),
        ],
        contact: Some(PairContactSettings {
            thickness: 0.001,
            friction: 0.3,
            ..PairContactSettings::default()
        }),
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..3 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
    }
    let struck = world.bodies[1].momentum().z;
    let given = world.bodies.iter().map(|body| body.momentum().z);
    let given: f64 = given.sum();
    assert!(struck < 0.1 * given, "{struck} of {given}");
}
