//! Impacts of far more energy than bodies can store, with steps that cannot resolve them: nothing passes through
//! anything, nothing freezes and no energy comes out of nothing. What is slow or loses energy is no mistake.
//! The steps are also tried with `PLIANT_VIOLENCE=full`, over finer bodies (some minutes).

use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::mesh::{Division, block};
use pliant::obstacle::{Cuboid, Obstacle};
use pliant::{Body, BodyDescription, StepReport, Workspace, World};
use std::sync::Arc;

#[path = "support/crossings.rs"]
mod crossings;

use crossings::crossings;

const DENSITY: f64 = 1000.0;

fn soft(name: &str, size: DVec3, cells: [usize; 3], young: f64, place: DVec3) -> BodyDescription {
    soft_of(name, size, cells, (SolidStrain::Corotated, young), place)
}

fn soft_of(
    name: &str,
    size: DVec3,
    cells: [usize; 3],
    (strain, young): (SolidStrain, f64),
    place: DVec3,
) -> BodyDescription {
    let mut mesh = block(cells, size, Division::FiveTetrahedra).unwrap();
    let shift = place - 0.5 * size;
    mesh.positions.iter_mut().for_each(|x| *x += shift);
    let material = ElasticMaterial::new(young, 0.33, DENSITY).unwrap();
    let model = SolidModel::new(strain, material);
    let mesh = Arc::new(mesh);
    let masses = model.masses(&mesh).unwrap();
    BodyDescription::of_mesh(name, MeshSettings::new(mesh, Arc::new(model)), masses)
}

fn world(bodies: Vec<(BodyDescription, DVec3)>, obstacles: Vec<Obstacle>) -> World {
    let bodies = bodies.into_iter().map(|(mut description, velocity)| {
        description.collides_with = (0..obstacles.len()).collect();
        let mut body = Body::new(description).unwrap();
        let fixed = body.description().fixed.clone();
        for (v, fixed) in body.state.velocities.iter_mut().zip(fixed) {
            *v = if fixed { DVec3::ZERO } else { velocity };
        }
        body
    });
    World {
        bodies: bodies.collect(),
        obstacles,
        contact: Some(PairContactSettings {
            thickness: 0.002,
            friction: 0.3,
            ..PairContactSettings::default()
        }),
        ..World::default()
    }
}

/// A wall of a millimetre in the plane z = 0.
fn wall() -> Obstacle {
    let wall = Cuboid::new(DVec3::ZERO, DVec3::new(2.0, 2.0, 0.001)).unwrap();
    Obstacle::new("wall", Box::new(wall))
}

/// Steps of a world in which nothing freezes, crosses anything or gains energy.
fn run(world: &mut World, steps: usize, what: &str) -> Vec<StepReport> {
    let mut workspace = Workspace::new(world);
    let energy = |world: &World| -> f64 {
        let of = |body: &Body| -> f64 {
            let masses = &body.description().masses;
            let velocities = &body.state.velocities;
            let squares = masses.iter().zip(velocities);
            squares.map(|(m, v)| 0.5 * m * v.length_squared()).sum()
        };
        world.bodies.iter().map(of).sum()
    };
    let first = energy(world);
    let report = |step: usize| {
        let report = world.step(&mut workspace);
        let why = world.bodies.iter().find_map(|body| body.quarantine.clone());
        assert_eq!(report.quarantined, 0, "{what}, step {step}: {why:?}");
        assert_eq!(crossings(world), 0, "{what}, step {step}");
        let total = report.energies.total();
        assert!(
            total <= 1.02 * first,
            "{what}, step {step}: {total} J of {first} J"
        );
        assert!(
            report.energy_created <= 0.02 * first,
            "{what}, step {step}: {report:?}"
        );
        report
    };
    (0..steps).map(report).collect()
}

#[test]
fn soft_cubes_at_any_speed_stay_before_a_thin_wall() {
    let is_full = std::env::var("PLIANT_VIOLENCE").is_ok_and(|wish| wish == "full");
    let cells = if is_full { 4 } else { 2 };
    for (strain, young) in [
        (SolidStrain::Corotated, 1e5),
        (SolidStrain::Corotated, 1e7),
        (SolidStrain::Green, 1e5),
        (SolidStrain::NeoHookean, 1e6),
    ] {
        for speed in [10.0, 100.0, 1000.0] {
            let what = format!("{strain:?} of {young} Pa at {speed} m/s");
            let place = DVec3::new(0.03, 0.01, 0.5);
            let (size, cells) = (DVec3::splat(0.2), [cells; 3]);
            let cube = soft_of("cube", size, cells, (strain, young), place);
            let mut world = world(vec![(cube, -speed * DVec3::Z)], vec![wall()]);
            run(&mut world, 10, &what);
            let lowest = |body: &Body| {
                let heights = body.state.positions.iter().map(|x| x.z);
                heights.fold(f64::INFINITY, f64::min)
            };
            let lowest = lowest(&world.bodies[0]);
            assert!(lowest > 0.0, "{what}: {lowest} m");
        }
    }
}

#[test]
fn what_hits_a_soft_wall_does_not_pass_it() {
    for speed in [100.0, 1000.0] {
        let mut wall = soft(
            "wall",
            DVec3::new(1.0, 1.0, 0.02),
            [4, 4, 1],
            1e6,
            DVec3::ZERO,
        );
        let is_rim = |x: &DVec3| x.x.abs() > 0.49;
        wall.fixed = wall.rest_positions.iter().map(is_rim).collect();
        let place = DVec3::new(0.02, 0.03, 0.4);
        let cube = soft("cube", DVec3::splat(0.1), [2; 3], 1e5, place);
        let bodies = vec![(wall, DVec3::ZERO), (cube, -speed * DVec3::Z)];
        let mut world = world(bodies, Vec::new());
        run(&mut world, 5, &format!("{speed} m/s"));
    }
}

#[test]
fn cubes_that_meet_in_flight_keep_their_momentum_however_fast() {
    for speed in [30.0, 100.0] {
        let cube = |name, place| soft(name, DVec3::splat(0.2), [2; 3], 1e5, place);
        let left = cube("left", DVec3::new(-0.5, 0.02, 0.01));
        let right = cube("right", DVec3::new(0.5, 0.0, 0.0));
        let bodies = vec![(left, speed * DVec3::X), (right, -speed * DVec3::X)];
        let mut world = world(bodies, Vec::new());
        run(&mut world, 6, &format!("{speed} m/s"));
        let momentum = |body: &Body| -> DVec3 {
            let parts = body.description().masses.iter().zip(&body.state.velocities);
            parts.map(|(m, v)| *m * *v).sum()
        };
        let sum: DVec3 = world.bodies.iter().map(momentum).sum();
        let mass: f64 = world.bodies[0].description().masses.iter().sum();
        let off = sum.length() / (mass * speed);
        assert!(off < 1e-9, "{speed} m/s: {off}");
    }
}
