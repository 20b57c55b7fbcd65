//! Impacts of rigid bodies come out the same whatever the step: bodies slide as far as friction lets them,
//! bounce as high as restitution says, roll and spin on.

use glam::{DQuat, DVec3};
use pliant::contact::PairContactSettings;
use pliant::fem::{CoreMotion, CorePose};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Rigid;
use pliant::obstacle::{Cuboid, ImplicitSurface, Obstacle, Plane, Pose, Sphere};
use pliant::{Body, BodyDescription, State, Workspace, World};
use std::sync::Arc;

const G: f64 = 9.81;
const THICKNESS: f64 = 0.002;
const STEPS: [f64; 6] = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1];

fn at(translation: DVec3) -> Pose {
    Pose {
        rotation: DQuat::IDENTITY,
        translation,
    }
}

/// A rigid body over a floor that is a slope of so many radians.
struct Case {
    step: f64,
    slope: f64,
    friction: f64,
    restitution: f64,
    gravity: f64,
}

impl Case {
    fn of(step: f64) -> Self {
        Self {
            step,
            slope: 0.0,
            friction: 0.0,
            restitution: 0.0,
            gravity: G,
        }
    }

    fn world(
        &self,
        shape: impl ImplicitSurface,
        height: f64,
        velocity: DVec3,
        spin: DVec3,
    ) -> World {
        let (shape, mass) = Rigid::of_shape(&shape, &at(DVec3::Z * height), 1000.0).unwrap();
        let mut body = BodyDescription::rigid("body", shape, mass, CoreMotion::Free).unwrap();
        let acceleration = self.gravity * DVec3::new(self.slope.sin(), 0.0, -self.slope.cos());
        if self.gravity > 0.0 {
            let force = Arc::new(Gravity { acceleration });
            body.forces.push(BoundForce { force, node: None });
        }
        body.collides_with = vec![0];
        body.time_step = self.step;
        let positions = body.rest_positions.clone();
        let centre = DVec3::Z * height;
        let speed = |x: &DVec3| velocity + spin.cross(*x - centre);
        let state = State {
            velocities: positions.iter().map(speed).collect(),
            positions,
            ..State::default()
        };
        let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
        let mut floor = Obstacle::new("floor", Box::new(floor));
        floor.friction = self.friction;
        floor.restitution = self.restitution;
        World {
            bodies: vec![Body::with_state(body, state).unwrap()],
            obstacles: vec![floor],
            contact: Some(PairContactSettings {
                thickness: THICKNESS,
                ..PairContactSettings::default()
            }),
            ..World::default()
        }
    }
}

fn centre(world: &World) -> DVec3 {
    world.bodies[0].state.positions[..6].iter().sum::<DVec3>() / 6.0
}

/// Runs, and calls `see` with the time and the centre after every step.
fn run(world: &mut World, seconds: f64, mut see: impl FnMut(f64, DVec3)) {
    let mut workspace = Workspace::new(world);
    while world.time < seconds - 1e-9 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        see(world.time, centre(world));
    }
}

fn slab() -> Cuboid {
    Cuboid::new(DVec3::ZERO, DVec3::new(0.4, 0.4, 0.1)).unwrap()
}

fn ball() -> Sphere {
    Sphere::new(DVec3::ZERO, 0.1).unwrap()
}

#[test]
fn what_nothing_acts_on_stays() {
    for step in STEPS {
        for shape in [0, 1] {
            let mut case = Case::of(step);
            case.gravity = 0.0;
            let mut world = match shape {
                0 => case.world(slab(), 1.0, DVec3::ZERO, DVec3::ZERO),
                _ => case.world(ball(), 1.0, DVec3::ZERO, DVec3::ZERO),
            };
            run(&mut world, 10.0 * step, |_, _| {});
            assert!(centre(&world).distance(DVec3::Z) < 1e-9);
        }
    }
}

#[test]
fn a_slab_slides_as_far_as_friction_lets_it() {
    let (speed, friction) = (2.0, 0.3);
    let right = speed * speed / (2.0 * friction * G);
    for step in STEPS {
        for gap in [0.0015, 0.0019] {
            let mut case = Case::of(step);
            case.friction = friction;
            let mut world = case.world(slab(), 0.05 + gap, speed * DVec3::X, DVec3::ZERO);
            run(&mut world, 1.5, |_, _| {});
            let found = centre(&world).x;
            let error = (found / right - 1.0).abs();
            assert!(
                error < 0.02,
                "step {step}, gap {gap}: {found} m instead of {right}"
            );
        }
    }
}

#[test]
fn a_ball_bounces_as_high_as_restitution_says() {
    for restitution in [0.0, 0.5, 1.0] {
        let right = restitution * restitution;
        for step in STEPS {
            let mut case = Case::of(step);
            case.restitution = restitution;
            let mut world = case.world(ball(), 1.1, DVec3::ZERO, DVec3::ZERO);
            let mut highest = 0.0_f64;
            run(&mut world, 0.9, |time, x| {
                if time > 0.55 {
                    highest = highest.max(x.z - 0.1);
                }
            });
            // A step of a tenth of a second sees the ball twenty centimetres before it hits.
            let error = if step < 0.1 { 0.05 } else { 0.25 };
            assert!(
                (highest - right).abs() < error,
                "e {restitution}, step {step}: {highest} m instead of {right}"
            );
        }
    }
}

/// After an impact in which it does not slip, 5/7 of the speed of a ball along the floor are left: its angular momentum
/// about the place where it touches is m v r before and 7/5 m v r after.
#[test]
fn a_ball_that_hits_at_a_slant_rolls_on() {
    let right = 3.0 * 5.0 / 7.0;
    for step in STEPS {
        let mut case = Case::of(step);
        case.friction = 3.0;
        let mut world = case.world(ball(), 0.2, DVec3::new(3.0, 0.0, -3.0), DVec3::ZERO);
        run(&mut world, 0.4, |_, _| {});
        let body = &world.bodies[0];
        let momentum = body.momentum();
        let speed = momentum.x / body.description().masses.iter().sum::<f64>();
        assert!(
            (speed / right - 1.0).abs() < 0.02,
            "step {step}: {speed} m/s instead of {right}"
        );
        assert!(momentum.z.abs() < 1e-3 * momentum.x, "{momentum}");
    }
}

/// A rebound has friction as its impact has: μ times the whole normal impulse, 2 m v.
#[test]
fn a_rebound_has_its_friction() {
    let friction = 0.3;
    let right = 3.0 - 2.0 * friction * 3.0;
    for step in STEPS {
        let mut case = Case::of(step);
        (case.friction, case.restitution, case.gravity) = (friction, 1.0, 0.0);
        let mut world = case.world(slab(), 0.2, DVec3::new(3.0, 0.0, -3.0), DVec3::ZERO);
        run(&mut world, 0.2, |_, _| {});
        let body = &world.bodies[0];
        let velocity = body.momentum() / body.description().masses.iter().sum::<f64>();
        assert!(
            (velocity.x - right).abs() < 0.02 && (velocity.z - 3.0).abs() < 0.02,
            "step {step}: {velocity} instead of {right}"
        );
    }
}

#[test]
fn a_ball_rolls_down_a_slope() {
    let slope = 20.0_f64.to_radians();
    let right = 0.5 * 5.0 / 7.0 * G * slope.sin();
    for step in STEPS {
        let mut case = Case::of(step);
        (case.slope, case.friction) = (slope, 0.6);
        let mut world = case.world(ball(), 0.1019, DVec3::ZERO, DVec3::ZERO);
        run(&mut world, 1.0, |_, _| {});
        let found = centre(&world).x;
        let error = (found / right - 1.0).abs();
        let most = if step < 0.05 { 0.003 } else { 0.04 };
        assert!(error < most, "step {step}: {found} m instead of {right}");
    }
}

#[test]
fn a_spinning_body_keeps_its_angular_momentum() {
    for step in STEPS {
        let mut case = Case::of(step);
        case.gravity = 0.0;
        let mut world = case.world(slab(), 1.0, DVec3::ZERO, DVec3::new(0.0, 3.0, 19.0));
        let momentum = |world: &World| world.bodies[0].angular_momentum();
        let before = momentum(&world);
        run(&mut world, 5.0, |_, _| {});
        let lost = (momentum(&world) - before).length() / before.length();
        assert!(lost < 1e-5, "step {step}: {lost:e}");
    }
}

#[test]
fn a_moving_object_brings_its_friction_with_it() {
    let speed = 1.0;
    let platform = Cuboid::new(DVec3::ZERO, DVec3::new(2.0, 1.0, 0.2)).unwrap();
    let (shape, mass) = Rigid::of_shape(&platform, &at(DVec3::Z * 0.5), 1000.0).unwrap();
    let pose = CorePose {
        time: 0.0,
        rotation: DQuat::IDENTITY,
        pivot: DVec3::ZERO,
        shift: DVec3::ZERO,
    };
    let driven = CoreMotion::Path(vec![pose]);
    let mut below = BodyDescription::rigid("platform", shape, mass, driven).unwrap();
    below.contact.friction = 0.6;
    let case = Case::of(0.01);
    let mut world = case.world(
        slab(),
        0.65 + 0.99 * THICKNESS,
        speed * DVec3::X,
        DVec3::ZERO,
    );
    world.bodies.push(Body::new(below).unwrap());
    run(&mut world, 0.5, |_, _| {});
    let right = speed * speed / (2.0 * 0.6 * G);
    let found = centre(&world).x;
    assert!(
        (found / right - 1.0).abs() < 0.03,
        "{found} m instead of {right}"
    );
}
