//! Contact of bodies that come apart while they touch: nothing passes through anything, pieces that were one
//! included, and nothing is frozen.

#[path = "support/crossings.rs"]
mod crossings;

use crossings::crossings;
use glam::DVec3;
use pliant::body::Blade;
use pliant::command::Command;
use pliant::contact::PairContactSettings;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, block};
use pliant::obstacle::{Capsule, Obstacle, Plane};
use pliant::process::{Fracture, FractureCriterion, ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, State, Workspace, World};
use std::sync::Arc;

/// A box of tetrahedra that breaks at a stress, with its lowest corner at the origin.
fn brittle(cells: [usize; 3], size: DVec3, young: f64, limit: f64) -> BodyDescription {
    let mesh = block(cells, size, Division::FiveTetrahedra).unwrap();
    let material = ElasticMaterial::new(young, 0.3, 1000.0).unwrap();
    let model = Arc::new(SolidModel::new(SolidStrain::Corotated, material));
    let settings = MeshSettings::breakable(&mesh, model.clone()).unwrap();
    let masses = model.masses(&settings.mesh).unwrap();
    let mut description = BodyDescription::of_mesh("brittle", settings, masses);
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    description.forces.push(BoundForce { force, node: None });
    let process = ProcessKind::Fracture(Fracture {
        criterion: FractureCriterion::Stress,
        limit,
        spread: 0.2,
        seed: 7,
        at_once: 20,
        order: 0,
    });
    description.processes.push(Scheduled::always(process));
    description.rayleigh = [1.0, 0.002];
    description
}

fn placed(description: BodyDescription, shift: DVec3) -> Body {
    let positions = description.rest_positions.iter().map(|x| *x + shift);
    let state = State {
        positions: positions.collect(),
        velocities: vec![DVec3::ZERO; description.rest_positions.len()],
        ..State::default()
    };
    Body::with_state(description, state).unwrap()
}

fn world(bodies: Vec<Body>, obstacles: Vec<Obstacle>, thickness: f64) -> World {
    World {
        bodies,
        obstacles,
        contact: Some(PairContactSettings {
            thickness,
            friction: 0.3,
            ..PairContactSettings::default()
        }),
        ..World::default()
    }
}

/// Steps a world; nothing may cross and nothing may be frozen. Returns how many links or faces are broken.
fn run(world: &mut World, steps: usize) -> usize {
    let mut workspace = Workspace::new(world);
    let mut broken = 0;
    for step in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!(crossings(world), 0, "step {step}");
        let why = world.bodies.iter().find_map(|body| body.quarantine.clone());
        assert_eq!(report.quarantined, 0, "step {step}: {why:?}");
        assert!(report.smallest_distance > 0.0, "step {step}");
        broken = report.broken_links;
    }
    broken
}

fn floor() -> Obstacle {
    Obstacle::new(
        "floor",
        Box::new(Plane::new(DVec3::Z, DVec3::ZERO).unwrap()),
    )
}

/// The upper half of a block that is cut through lies on the lower one, as before.
#[test]
fn a_block_that_is_cut_through_lies_on_itself() {
    let size = DVec3::new(0.2, 0.2, 0.2);
    let mut description = brittle([2, 2, 4], size, 1e5, 1e9);
    description.collides_with = vec![0];
    description.time_step = 0.01;
    let mut world = world(
        vec![placed(description, DVec3::new(0.0, 0.0, 1e-3))],
        vec![floor()],
        2e-3,
    );
    run(&mut world, 30);
    let upper: Vec<usize> = (0..world.bodies[0].node_count())
        .filter(|&node| world.bodies[0].description().rest_positions[node].z > 0.149)
        .collect();
    let height = |world: &World| {
        let places = upper
            .iter()
            .map(|&node| world.bodies[0].state.positions[node].z);
        places.fold(f64::INFINITY, f64::min)
    };
    let before = height(&world);
    let blade = |corners| Command::Cut {
        body: 0,
        blade: Blade { corners },
    };
    let z = 0.5 * before + 0.024;
    let corner = |x, y| DVec3::new(x, y, z);
    let cuts = [
        [corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)],
        [corner(3.0, 3.0), corner(3.0, -1.0), corner(-1.0, 3.0)],
    ];
    for corners in cuts {
        world.command(blade(corners)).unwrap();
    }
    let broken = run(&mut world, 60);
    assert!(broken >= 8, "{broken} faces are broken");
    let after = height(&world);
    assert!((after - before).abs() < 2e-3, "{before} m, then {after} m");
}

/// A bar falls across an edge, breaks, and its pieces fall on the floor and on each other.
#[test]
fn pieces_of_a_bar_that_breaks_meet_each_other() {
    let size = DVec3::new(0.6, 0.1, 0.1);
    let mut description = brittle([9, 2, 2], size, 2e6, 2e4);
    description.collides_with = vec![0, 1];
    description.time_step = 0.005;
    let ends = [DVec3::new(0.28, -0.3, 0.1), DVec3::new(0.28, 0.4, 0.1)];
    let edge = Capsule::new(ends[0], ends[1], 0.02).unwrap();
    let obstacles = vec![floor(), Obstacle::new("edge", Box::new(edge))];
    let shift = DVec3::new(0.0, 0.0, 0.3);
    let mut world = world(vec![placed(description, shift)], obstacles, 2e-3);
    let broken = run(&mut world, 80);
    assert!(broken > 8, "{broken} faces are broken");
}

/// A heavy block falls on a brittle one and goes through what is left of it, piece by piece.
#[test]
fn a_block_crushes_a_brittle_one() {
    let mut lower = brittle([3, 3, 2], DVec3::new(0.3, 0.3, 0.1), 1e6, 8e3);
    lower.collides_with = vec![0];
    lower.time_step = 0.005;
    let mut upper = brittle([2, 2, 2], DVec3::splat(0.15), 5e6, 1e9);
    upper.collides_with = vec![0];
    upper.masses.iter_mut().for_each(|mass| *mass *= 5.0);
    upper.time_step = 0.005;
    let bodies = vec![
        placed(lower, DVec3::new(0.0, 0.0, 3e-3)),
        placed(upper, DVec3::new(0.07, 0.08, 0.4)),
    ];
    let mut world = world(bodies, vec![floor()], 2e-3);
    let broken = run(&mut world, 80);
    assert!(broken > 8, "{broken} faces are broken");
}
