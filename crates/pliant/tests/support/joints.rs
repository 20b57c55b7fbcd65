//! Worlds of bodies that are joined.

use glam::{DQuat, DVec3};
use pliant::fem::CoreMotion;
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Rigid;
use pliant::joint::{BodyPoint, Joint, JointEnd, JointKind};
use pliant::obstacle::{Cuboid, Pose};
use pliant::{Body, BodyDescription, State, Workspace, World};
use std::sync::Arc;

pub const G: f64 = 9.81;

/// A rigid box of 1,000 kg/m³ about a place.
pub fn rigid(size: DVec3, place: DVec3, gravity: f64) -> BodyDescription {
    let shape = Cuboid::new(DVec3::ZERO, size).unwrap();
    let pose = Pose {
        rotation: DQuat::IDENTITY,
        translation: place,
    };
    let (shape, mass) = Rigid::of_shape(&shape, &pose, 1000.0).unwrap();
    let mut body = BodyDescription::rigid("box", shape, mass, CoreMotion::Free).unwrap();
    fall(&mut body, gravity);
    body.time_step = 0.005;
    body
}

pub fn fall(body: &mut BodyDescription, gravity: f64) {
    let acceleration = DVec3::new(0.0, 0.0, -gravity);
    let force = Arc::new(Gravity { acceleration });
    body.forces.push(BoundForce { force, node: None });
}

pub fn moving(description: BodyDescription, velocity: impl Fn(DVec3) -> DVec3) -> Body {
    let positions = description.rest_positions.clone();
    let state = State {
        velocities: positions.iter().map(|x| velocity(*x)).collect(),
        positions,
        ..State::default()
    };
    Body::with_state(description, state).unwrap()
}

pub fn still(description: BodyDescription) -> Body {
    moving(description, |_| DVec3::ZERO)
}

pub fn centre(body: &Body) -> DVec3 {
    let masses = &body.description().masses;
    let mass: f64 = masses.iter().sum();
    let nodes = body.state.positions.iter().zip(masses);
    nodes.map(|(x, m)| *m * *x).sum::<DVec3>() / mass
}

pub fn joined(bodies: Vec<Body>, make: impl Fn(&[Body]) -> Vec<Joint>) -> World {
    let joints = make(&bodies);
    for joint in &joints {
        joint.check(&bodies).unwrap();
    }
    World {
        bodies,
        joints,
        ..World::default()
    }
}

/// Holds a place of the first body to one of another, or to the world.
pub fn held(bodies: &[Body], first: usize, second: Option<usize>, place: DVec3) -> Joint {
    let end = match second {
        Some(second) => JointEnd::Point(BodyPoint::near(bodies, second, place)),
        None => JointEnd::Place(place),
    };
    let first = BodyPoint::near(bodies, first, place);
    Joint::new("joint", JointKind::Point, first, end)
}

/// Steps; returns the largest gap of a joint, and the energy that was created, by the largest kinetic energy.
pub fn run(world: &mut World, seconds: f64, mut each: impl FnMut(&World)) -> (f64, f64) {
    let mut workspace = Workspace::new(world);
    let (mut widest, mut created, mut scale) = (0.0_f64, 0.0, 1e-9_f64);
    while world.time < seconds - 1e-9 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        created += report.energy_created;
        scale = scale.max(report.energies.kinetic);
        for joint in world
            .joints
            .iter()
            .filter(|joint| joint.acts_at(world.time))
        {
            if joint.stiffness.is_none() {
                widest = widest.max(joint.apart(&world.bodies, world.time));
            }
        }
        each(world);
    }
    (widest, created / scale)
}
