//! Linear solves of soft bodies that press against each other take few iterations: no more than those of bodies
//! in flight (18; with the preconditioners of the bodies alone it would be 30), however stiff contact is. Bodies
//! that crowd into each other take few Newton iterations.

use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, Workspace, World};
use std::sync::Arc;

/// Side of a cube, in metres.
const SIDE: f64 = 0.2;

/// Cubes of 1 MPa and five cells along a side at places, with gravity.
fn world(places: &[DVec3], gravity: f64, thickness: f64) -> World {
    world_of((1e6, 5), places, gravity, thickness)
}

/// Cubes with Young's modulus and cells along a side.
fn world_of((young, cells): (f64, usize), places: &[DVec3], gravity: f64, thickness: f64) -> World {
    let mesh = Arc::new(block([cells; 3], DVec3::splat(SIDE), Division::FiveTetrahedra).unwrap());
    let material = ElasticMaterial::new(young, 0.33, 1000.0).unwrap();
    let model = Arc::new(SolidModel::new(SolidStrain::Corotated, material));
    let masses = model.masses(&mesh).unwrap();
    let acceleration = gravity * DVec3::NEG_Z;
    let force = Arc::new(Gravity { acceleration });
    let bodies = places.iter().map(|place| {
        let settings = MeshSettings::new(mesh.clone(), model.clone());
        let mut cube = BodyDescription::of_mesh("cube", settings, masses.clone());
        let force = force.clone();
        cube.forces.push(BoundForce { force, node: None });
        cube.collides_with.push(0);
        cube.contact.friction = 0.5;
        cube.time_step = 1.0 / 60.0;
        let mut body = Body::new(cube).unwrap();
        for (index, position) in body.state.positions.iter_mut().enumerate() {
            *position += *place;
            // Every cube quivers a little, or in flight there would be nothing to solve for.
            let noise = |k: f64| (k * index as f64).sin();
            body.state.velocities[index] = 0.1 * DVec3::new(noise(0.7), noise(1.3), noise(2.1));
        }
        body
    });
    let bodies = bodies.collect();
    let mut floor = Obstacle::new(
        "floor",
        Box::new(Plane::new(DVec3::Z, DVec3::ZERO).unwrap()),
    );
    floor.friction = 0.5;
    World {
        bodies,
        obstacles: vec![floor],
        contact: Some(PairContactSettings {
            thickness,
            friction: 0.5,
            ..PairContactSettings::default()
        }),
        ..World::default()
    }
}

/// Linear iterations per Newton iteration in some steps after others, and whether pairs touched in all of them.
fn iterations(mut world: World, before: usize, steps: usize) -> (f64, bool) {
    let mut workspace = Workspace::new(&world);
    let (mut newton, mut linear, mut touched) = (0, 0, true);
    for step in 0..before + steps {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        if step >= before {
            newton += report.newton_iterations;
            linear += report.linear_iterations;
            touched &= report.active_pairs > 0;
        }
    }
    (linear as f64 / newton as f64, touched)
}

/// Five cubes on each other, each a little aside of the one below.
fn tower(gap: f64) -> Vec<DVec3> {
    let place = |k: usize| {
        let aside = 0.02 * (k % 2) as f64;
        DVec3::new(aside, -aside, 0.005 + (SIDE + gap) * k as f64)
    };
    (0..5).map(place).collect()
}

#[test]
fn bodies_that_press_take_no_more_iterations_than_bodies_in_flight() {
    let apart: Vec<DVec3> = (0..5).map(|k| DVec3::new(k as f64, 0.0, 1.0)).collect();
    let (in_flight, _) = iterations(world(&apart, 0.0, 0.004), 5, 10);
    for thickness in [0.004, 0.0004] {
        let (pressed, touched) = iterations(world(&tower(thickness), 9.81, thickness), 20, 20);
        assert!(touched, "{thickness}");
        assert!(pressed <= in_flight, "{pressed} for {in_flight}");
    }
}

#[test]
fn contact_ten_times_as_stiff_takes_hardly_more() {
    let pressed = [0.004, 0.0004]
        .map(|thickness| iterations(world(&tower(thickness), 9.81, thickness), 20, 20).0);
    // More than ten times: what is soft is met more stiffly within a thin range.
    assert!(pressed[1] <= 1.15 * pressed[0], "{pressed:?}");
}

/// Without the stiffness by the force that is foreseen, and where the first node that meets something stops all
/// others, it was 40 iterations per step.
#[test]
fn cubes_that_fall_on_each_other_take_few_newton_iterations() {
    let places = (0..5).flat_map(|layer| {
        let aside = |k: usize| 0.03 * (f64::from((layer * k % 3) as u32) - 1.0);
        let shift = DVec3::new(aside(7), aside(5), 0.1 + 0.3 * layer as f64);
        [0, 1, 2, 3].map(|k| shift + 0.22 * DVec3::new((k / 2) as f64, (k % 2) as f64, 0.0))
    });
    let places: Vec<DVec3> = places.collect();
    let mut world = world_of((1e5, 3), &places, 9.81, 0.002);
    for body in &mut world.bodies {
        body.state.velocities.fill(DVec3::ZERO);
    }
    let mut workspace = Workspace::new(&world);
    let (mut newton, mut shortened) = (0, 0);
    for _ in 0..30 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        newton += report.newton_iterations;
        shortened += report.shortened_steps;
    }
    assert!(newton <= 33 * 30, "{newton} Newton iterations");
    // A corner that goes by another in one step may cut it on the straight way.
    assert!(shortened <= 12, "{shortened} shortened steps");
}
