//! Rigid bodies that move: they fall, roll, slide, stack, spin and meet soft bodies, as mechanics has it.

use glam::{DQuat, DVec3};
use pliant::contact::PairContactSettings;
use pliant::fem::{CoreMotion, ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Rigid;
use pliant::mesh::{Division, block};
use pliant::obstacle::{Cuboid, ImplicitSurface, Obstacle, Part, Plane, Pose, Sphere, Union};
use pliant::{Body, BodyDescription, FrameMaker, State, StepReport, Workspace, World};
use std::sync::Arc;

const G: f64 = 9.81;
const THICKNESS: f64 = 0.002;

fn rigid(shape: impl ImplicitSurface, pose: Pose, density: f64, gravity: DVec3) -> BodyDescription {
    let (shape, mass) = Rigid::of_shape(&shape, &pose, density).unwrap();
    let mut body = BodyDescription::rigid("rigid", shape, mass, CoreMotion::Free).unwrap();
    let force = Arc::new(Gravity {
        acceleration: gravity,
    });
    body.forces.push(BoundForce { force, node: None });
    body.collides_with = vec![0];
    body
}

fn at(translation: DVec3) -> Pose {
    Pose {
        rotation: DQuat::IDENTITY,
        translation,
    }
}

fn cube(side: f64) -> Cuboid {
    Cuboid::new(DVec3::ZERO, DVec3::splat(side)).unwrap()
}

fn ball(radius: f64) -> Sphere {
    Sphere::new(DVec3::ZERO, radius).unwrap()
}

fn moving(description: BodyDescription, velocity: DVec3, spin: DVec3) -> Body {
    let positions = description.rest_positions.clone();
    let middle = centre_of(&positions);
    let velocities = positions
        .iter()
        .map(|x| velocity + spin.cross(*x - middle))
        .collect();
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    Body::with_state(description, state).unwrap()
}

/// The six mass points are the first nodes.
fn centre_of(positions: &[DVec3]) -> DVec3 {
    positions[..6].iter().sum::<DVec3>() / 6.0
}

fn centre(body: &Body) -> DVec3 {
    centre_of(&body.state.positions)
}

fn world(bodies: Vec<Body>, friction: f64) -> World {
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut floor = Obstacle::new("floor", Box::new(floor));
    floor.friction = friction;
    World {
        bodies,
        obstacles: vec![floor],
        contact: Some(PairContactSettings {
            thickness: THICKNESS,
            friction,
            ..PairContactSettings::default()
        }),
        ..World::default()
    }
}

fn run(world: &mut World, seconds: f64) -> Vec<StepReport> {
    let mut workspace = Workspace::new(world);
    let mut reports = Vec::new();
    while world.time < seconds - 1e-9 {
        let report = world.step(&mut workspace);
        let why = &world.bodies[0].quarantine;
        assert_eq!(report.quarantined, 0, "{why:?}");
        reports.push(report);
    }
    reports
}

fn down() -> DVec3 {
    DVec3::new(0.0, 0.0, -G)
}

#[test]
fn mass_and_inertia_are_those_of_the_solid() {
    let pose = Pose {
        rotation: DQuat::from_rotation_x(0.7),
        translation: DVec3::new(1.0, 2.0, 3.0),
    };
    let size = DVec3::new(0.1, 0.2, 0.4);
    let body = rigid(
        Cuboid::new(DVec3::ZERO, size).unwrap(),
        pose,
        500.0,
        DVec3::ZERO,
    );
    let mass: f64 = body.masses.iter().sum();
    assert!((mass - 500.0 * 0.008).abs() < 1e-9 * mass);
    let spin = pose.vector(DVec3::X);
    let body = moving(body, DVec3::ZERO, spin);
    assert!(centre(&body).distance(pose.translation) < 1e-12);
    let inertia = mass / 12.0 * (size.y * size.y + size.z * size.z);
    let found = body.angular_momentum() - pose.translation.cross(body.momentum());
    assert!(found.distance(inertia * spin) < 1e-7 * inertia, "{found}");
}

#[test]
fn what_overlaps_in_a_union_counts_once() {
    // Two balls of radius 1 whose centres are 1 apart: two caps of height 1/2 are common.
    let part = |x: f64| Part::new(Sphere::new(DVec3::new(x, 0.0, 0.0), 1.0).unwrap());
    let union = Union::new(vec![part(-0.5), part(0.5)]).unwrap();
    let (_, mass) = Rigid::of_shape(&union, &at(DVec3::Z), 10.0).unwrap();
    let cap = std::f64::consts::PI * 0.25 * (3.0 - 0.5) / 3.0;
    let right = 10.0 * (8.0 / 3.0 * std::f64::consts::PI - 2.0 * cap);
    assert!((mass.mass / right - 1.0).abs() < 1e-3, "{}", mass.mass);
    assert!(mass.centre.distance(DVec3::Z) < 1e-3, "{}", mass.centre);
}

#[test]
fn a_ball_falls_and_comes_to_rest_on_its_radius() {
    let description = rigid(ball(0.1), at(DVec3::new(0.0, 0.0, 0.4)), 800.0, down());
    let mut world = world(vec![Body::new(description).unwrap()], 0.3);
    let reports = run(&mut world, 4.0);
    let height = centre(&world.bodies[0]).z;
    assert!(height > 0.1 && height < 0.1 + THICKNESS, "{height}");
    let last = reports.last().unwrap();
    assert!(last.energies.kinetic < 1e-4, "{}", last.energies.kinetic);
    let created: f64 = reports.iter().map(|r| r.energy_created).sum();
    assert!(created < 0.05, "{created} J of 10");
    let frame = FrameMaker::new(&world).frame(&world, &mut Workspace::new(&world));
    let drawn = &frame.bodies[0];
    assert!(drawn.positions.len() > 500);
    let lowest = drawn.positions.iter().map(|x| x.z).fold(1.0, f64::min);
    assert!(lowest > -1e-3 && lowest < 2.0 * THICKNESS, "{lowest}");
}

#[test]
fn a_ball_rolls_down_a_slope_and_a_box_slides() {
    let slope = 0.5_f64.atan();
    let along = DVec3::new(slope.sin(), 0.0, -slope.cos());
    for (friction, expected) in [(0.5, 5.0 / 7.0 * slope.sin()), (0.0, slope.sin())] {
        let start = at(DVec3::new(0.0, 0.0, 0.1 + 0.9 * THICKNESS));
        let description = rigid(ball(0.1), start, 800.0, G * along);
        let mut world = world(vec![Body::new(description).unwrap()], friction);
        run(&mut world, 1.0);
        let moved = centre(&world.bodies[0]).x;
        let wanted = 0.5 * G * expected;
        assert!(
            (moved / wanted - 1.0).abs() < 0.02,
            "rolling, friction {friction}: {moved} m instead of {wanted}"
        );
    }
    for friction in [0.2, 0.4, 0.6] {
        let start = at(DVec3::new(0.0, 0.0, 0.1 + 0.9 * THICKNESS));
        let description = rigid(cube(0.2), start, 800.0, G * along);
        let mut world = world(vec![Body::new(description).unwrap()], friction);
        run(&mut world, 1.0);
        let moved = centre(&world.bodies[0]).x;
        let wanted = 0.5 * G * (slope.sin() - friction * slope.cos()).max(0.0);
        assert!(
            (moved - wanted).abs() < 0.02 * wanted + 2e-3,
            "sliding, friction {friction}: {moved} m instead of {wanted}"
        );
    }
}

#[test]
fn a_stack_of_boxes_stands() {
    let boxes = (0..5).map(|level| {
        let height = 0.1 + 0.5 * THICKNESS + (0.2 + THICKNESS) * f64::from(level);
        let place = DVec3::new(0.01 * f64::from(level % 2), 0.0, height);
        Body::new(rigid(cube(0.2), at(place), 600.0, down())).unwrap()
    });
    let mut world = world(boxes.collect(), 0.5);
    let before: Vec<DVec3> = world.bodies.iter().map(centre).collect();
    let reports = run(&mut world, 3.0);
    for (level, (body, before)) in world.bodies.iter().zip(before).enumerate() {
        let moved = centre(body) - before;
        assert!(moved.length() < 3.0 * THICKNESS, "box {level}: {moved}");
    }
    let last = reports.last().unwrap();
    assert!(last.energies.kinetic < 1e-4, "{}", last.energies.kinetic);
}

#[test]
fn boxes_that_collide_in_space_keep_their_momenta() {
    let left = rigid(
        cube(0.2),
        at(DVec3::new(-0.3, 0.0, 5.0)),
        900.0,
        DVec3::ZERO,
    );
    let turned = Pose {
        rotation: DQuat::from_rotation_y(0.6) * DQuat::from_rotation_z(0.3),
        translation: DVec3::new(0.1, 0.05, 5.08),
    };
    let right = rigid(cube(0.2), turned, 300.0, DVec3::ZERO);
    let bodies = vec![
        moving(left, DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 0.0)),
        moving(right, DVec3::ZERO, DVec3::ZERO),
    ];
    let momentum = |world: &World| -> DVec3 { world.bodies.iter().map(Body::momentum).sum() };
    let spin = |world: &World| -> DVec3 { world.bodies.iter().map(Body::angular_momentum).sum() };
    let mut world = world(bodies, 0.2);
    let (p, l) = (momentum(&world), spin(&world));
    let energy: f64 = world.bodies.iter().map(Body::kinetic_energy).sum();
    run(&mut world, 0.5);
    assert!(momentum(&world).distance(p) < 1e-9 * p.length());
    assert!(spin(&world).distance(l) < 1e-2 * l.length());
    assert!(world.bodies[1].momentum().x > 1.0, "they have met");
    let after: f64 = world.bodies.iter().map(Body::kinetic_energy).sum();
    assert!(
        after < 1.02 * energy && after > 0.3 * energy,
        "{after} J of {energy}"
    );
}

#[test]
fn a_heavy_ball_sinks_into_jelly_and_is_carried() {
    let mesh = Arc::new(
        block(
            [6, 6, 3],
            DVec3::new(0.6, 0.6, 0.3),
            Division::FiveTetrahedra,
        )
        .unwrap(),
    );
    let material = ElasticMaterial::new(2e4, 0.4, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(mesh, Arc::new(model));
    let mut jelly = BodyDescription::of_mesh("jelly", settings, masses);
    let force = Arc::new(Gravity {
        acceleration: down(),
    });
    jelly.forces.push(BoundForce { force, node: None });
    jelly.collides_with = vec![0];
    jelly.rayleigh = [0.0, 0.02];
    let place = at(DVec3::new(0.3, 0.3, 0.45));
    let ball = rigid(ball(0.1), place, 2000.0, down());
    let mut world = world(
        vec![Body::new(jelly).unwrap(), Body::new(ball).unwrap()],
        0.3,
    );
    let reports = run(&mut world, 2.0);
    let height = centre(&world.bodies[1]).z;
    assert!(height > 0.3 && height < 0.4, "{height}");
    let last = reports.last().unwrap();
    assert!(last.energies.kinetic < 0.02, "{}", last.energies.kinetic);
    let mass = 2000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    assert!((world.bodies[1].description().masses.iter().sum::<f64>() / mass - 1.0).abs() < 1e-3);
}

#[test]
fn the_work_of_a_motor_is_no_energy_out_of_nothing() {
    // A paddle on a motor sweeps a heavy box along a smooth floor.
    let (shape, mass) = Rigid::of_shape(
        &Cuboid::new(DVec3::ZERO, DVec3::new(0.6, 0.05, 0.2)).unwrap(),
        &at(DVec3::new(0.3, 0.0, 0.15)),
        1000.0,
    )
    .unwrap();
    let motion = CoreMotion::Turning {
        point: DVec3::ZERO,
        axis: DVec3::Z,
        speed: 2.0,
    };
    let paddle = BodyDescription::rigid("paddle", shape, mass, motion).unwrap();
    let start = at(DVec3::new(0.45, 0.2, 0.1 + 0.9 * THICKNESS));
    let bodies = vec![
        Body::new(paddle).unwrap(),
        Body::new(rigid(cube(0.2), start, 800.0, down())).unwrap(),
    ];
    let mut world = world(bodies, 0.0);
    let reports = run(&mut world, 1.0);
    let moved = centre(&world.bodies[1]) - start.translation;
    assert!(moved.length() > 0.2, "{moved}");
    let tip = world.bodies[0].state.velocities.iter();
    let fastest = tip.map(|v| v.length()).fold(0.0, f64::max);
    assert!((fastest - 2.0 * 0.6).abs() < 0.05, "{fastest}");
    let work: f64 = reports.iter().map(|report| report.work).sum();
    let gained = world.bodies[1].kinetic_energy();
    assert!(gained > 0.5 && work > 0.9 * gained, "{work} J for {gained}");
    let created: f64 = reports.iter().map(|report| report.energy_created).sum();
    assert!(created < 0.1 * work, "{created} J of {work}");
}

/// A blade that turns by two and a half turns in a step does not pass through a ball in its way.
#[test]
fn what_turns_fast_passes_through_nothing() {
    let blade = Cuboid::new(DVec3::ZERO, DVec3::new(0.1, 0.02, 0.02)).unwrap();
    let (shape, mass) = Rigid::of_shape(&blade, &at(DVec3::ZERO), 1000.0).unwrap();
    let motion = CoreMotion::Turning {
        point: DVec3::ZERO,
        axis: DVec3::Z,
        speed: 2.5 * std::f64::consts::TAU / 0.2,
    };
    let mut blade = BodyDescription::rigid("blade", shape, mass, motion).unwrap();
    let place = at(DVec3::new(0.03, 0.03, 0.0));
    let mut struck = rigid(ball(0.01), place, 1000.0, DVec3::ZERO);
    for description in [&mut blade, &mut struck] {
        description.time_step = 0.2;
        description.collides_with.clear();
    }
    let bodies = [blade, struck].map(|description| Body::new(description).unwrap());
    let mut world = world(bodies.into(), 0.0);
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    // The blade comes by with 3.3 m/s where the ball is, five times in the step.
    let speed = world.bodies[1].momentum().length() / mass_of(&world.bodies[1]);
    assert!(speed > 2.0, "{speed} m/s");
}

fn mass_of(body: &Body) -> f64 {
    body.description().masses.iter().sum()
}

/// Staggered layers of boxes that fall on each other: friction alone would make Newton's method take 21 iterations
/// per stage.
#[test]
fn a_heap_of_boxes_needs_few_newton_iterations() {
    let mut bodies = Vec::new();
    for layer in 0..3 {
        for (row, column) in (0..9).map(|place| (place / 3, place % 3)) {
            let [row, column, layer] = [row, column, layer].map(f64::from);
            let (x, y) = (0.13 * column + 0.03 * layer, 0.13 * row + 0.015 * layer);
            let place = at(DVec3::new(x, y, 0.06 + 0.12 * layer));
            let mut description = rigid(cube(0.1), place, 500.0, down());
            description.time_step = 1.0 / 60.0;
            bodies.push(Body::new(description).unwrap());
        }
    }
    let mut world = world(bodies, 0.5);
    let mut workspace = Workspace::new(&world);
    let mut iterations = 0;
    for _ in 0..30 {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.shortened_steps), (0, 0));
        iterations += report.newton_iterations;
    }
    assert!(iterations < 800, "{iterations} Newton iterations");
}

/// A slender bar that tumbles in a void, by steps of more than half a radian: its energy and its momenta stay.
#[test]
fn a_slender_bar_that_tumbles_keeps_its_energy() {
    for (sides, spin) in [
        (DVec3::new(0.002, 0.002, 0.4), DVec3::new(60.0, 0.0, 5.0)),
        (DVec3::new(0.001, 0.0015, 1.0), DVec3::new(60.0, 3.0, 200.0)),
    ] {
        let shape = Cuboid::new(DVec3::ZERO, sides).unwrap();
        let mut bar = rigid(shape, at(10.0 * DVec3::Z), 7000.0, DVec3::ZERO);
        bar.time_step = 0.01;
        let mut world = world(vec![moving(bar, DVec3::ZERO, spin)], 0.0);
        let first = world.bodies[0].kinetic_energy();
        let angular = world.bodies[0].angular_momentum();
        let mut workspace = Workspace::new(&world);
        for _ in 0..200 {
            world.step(&mut workspace);
            let gain = world.bodies[0].kinetic_energy() / first - 1.0;
            assert!(gain.abs() < 1e-4, "{sides}: {gain}");
        }
        let lost = world.bodies[0].angular_momentum().distance(angular) / angular.length();
        assert!(lost < 1e-6, "{sides}: {lost}");
    }
}
