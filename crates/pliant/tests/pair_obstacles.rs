//! Obstacles that bodies meet with faces and edges: no face lies inside where no node does.

use glam::{DQuat, DVec3};
use pliant::contact::PairContactSettings;
use pliant::elastic::Weights;
use pliant::fem::{
    ClothModel, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings, SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, ElementKind, block, rectangle};
use pliant::obstacle::{
    Capsule, Cuboid, Cylinder, Ellipsoid, ImplicitSurface, Obstacle, Plane, Pose, Sphere, Torus,
};
use pliant::process::{Fracture, FractureCriterion, ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, Grid, State, Workspace, World};
use std::sync::Arc;

/// A coarse sheet with cells of 0.25 m, half a metre above the origin, with the origin below the middle
/// of a triangle.
fn sheet(friction: f64) -> Body {
    let mesh = Arc::new(rectangle(ElementKind::Triangle3, [4, 4], [1.0, 1.0]).unwrap());
    let material = ElasticMaterial::new(2e5, 0.3, 300.0).unwrap();
    let model = ClothModel {
        material,
        thickness: 0.002,
        rigidity: Some(1e-4),
        strain: MembraneStrain::Green,
    };
    let masses = model.masses(&mesh).unwrap();
    let mut description =
        BodyDescription::of_mesh("sheet", MeshSettings::new(mesh, Arc::new(model)), masses);
    fall(&mut description);
    description.contact.friction = friction;
    let middle = DVec3::new(0.55, 0.45, 0.0);
    let place = |x: &DVec3| *x - middle + 0.5 * DVec3::Z;
    let positions: Vec<DVec3> = description.rest_positions.iter().map(place).collect();
    let state = State {
        velocities: vec![DVec3::ZERO; positions.len()],
        positions,
        ..State::default()
    };
    Body::with_state(description, state).unwrap()
}

fn fall(description: &mut BodyDescription) {
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    description.forces.push(BoundForce { force, node: None });
    description.collides_with = vec![0];
}

/// The smallest distance of points all over the surface of a body from an obstacle.
fn smallest(body: &Body, obstacle: &Obstacle) -> f64 {
    let x = &body.state.positions;
    let topology = body.formulation().topology(body);
    let mut least = f64::INFINITY;
    let n = 12;
    for [a, b, c] in topology.triangles.iter().map(|t| t.map(|v| x[v as usize])) {
        for i in 0..=n {
            for j in 0..=n - i {
                let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                least = least.min(obstacle.distance(a + s * (b - a) + t * (c - a)));
            }
        }
    }
    for [a, b] in topology.lines.iter().map(|l| l.map(|v| x[v as usize])) {
        for i in 0..=n {
            let t = f64::from(i) / f64::from(n);
            least = least.min(obstacle.distance(a + t * (b - a)));
        }
    }
    least
}

fn run(body: Body, obstacle: Obstacle, seconds: f64) -> (World, f64) {
    let mut world = World {
        bodies: vec![body],
        obstacles: vec![obstacle],
        contact: Some(PairContactSettings {
            thickness: 0.005,
            ..PairContactSettings::default()
        }),
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let mut least = f64::INFINITY;
    let mut created = 0.0;
    while world.time < seconds {
        let report = world.step(&mut workspace);
        let why = &world.bodies[0].quarantine;
        assert_eq!(report.quarantined, 0, "{why:?}");
        least = least.min(smallest(&world.bodies[0], &world.obstacles[0]));
        created += report.energy_created;
    }
    assert!(created < 0.1, "{created} J");
    (world, least)
}

#[test]
fn faces_and_edges_of_a_sheet_stay_outside_of_every_obstacle() {
    let shapes: Vec<(&str, Box<dyn ImplicitSurface>, f64)> = vec![
        (
            "ball",
            Box::new(Sphere::new(DVec3::ZERO, 0.08).unwrap()),
            0.0,
        ),
        (
            "capsule",
            Box::new(Capsule::new(-0.2 * DVec3::X, 0.2 * DVec3::X, 0.06).unwrap()),
            0.0,
        ),
        (
            "box",
            Box::new(Cuboid::new(DVec3::ZERO, DVec3::splat(0.1)).unwrap()),
            0.0,
        ),
        (
            "cylinder",
            Box::new(Cylinder::capped(DVec3::ZERO, 0.2, 0.1).unwrap()),
            2e-4,
        ),
        (
            "ellipsoid",
            Box::new(Ellipsoid::new(DVec3::ZERO, DVec3::new(0.1, 0.15, 0.2)).unwrap()),
            1e-3,
        ),
        (
            "torus",
            Box::new(Torus::new(DVec3::ZERO, 0.12, 0.04).unwrap()),
            5e-4,
        ),
    ];
    for (name, shape, inside) in shapes {
        let mut obstacle = Obstacle::new(name, shape);
        obstacle.friction = 0.3;
        obstacle.place(Pose {
            rotation: DQuat::from_rotation_y(0.4),
            translation: DVec3::new(0.01, 0.02, 0.1),
        });
        let (world, least) = run(sheet(0.0), obstacle, 0.5);
        assert!(least > -inside, "{name}: {least} m");
        assert!(least < 0.02, "{name}: {least} m, nothing was met");
        let x = &world.bodies[0].state.positions;
        let highest = x.iter().map(|x| x.z).fold(f64::MIN, f64::max);
        assert!(highest > 0.0, "{name}: the sheet fell past it");
    }
}

#[test]
fn a_rope_hangs_over_a_thin_bar_between_its_nodes() {
    let grid = Grid::new(&[6], &[false]);
    let place = |node: usize| DVec3::new(0.2 * node as f64 - 0.5, 0.0, 0.3);
    let rest: Vec<DVec3> = (0..6).map(place).collect();
    let mut rope = BodyDescription::new("rope", grid, rest, Weights::uniform(6, 400.0, 0.0, 0.0));
    rope.masses.fill(0.02);
    // It whips, and comes to rest.
    rope.dampings.fill(0.1);
    fall(&mut rope);
    rope.contact.friction = 0.5;
    let bar = Capsule::new(-DVec3::Y, DVec3::Y, 0.01).unwrap();
    let (world, least) = run(
        Body::new(rope).unwrap(),
        Obstacle::new("bar", Box::new(bar)),
        2.0,
    );
    assert!(least > 0.0, "{least} m");
    let x = &world.bodies[0].state.positions;
    assert!(x[2].z > -0.3 && x[3].z > -0.3, "{x:?}");
    assert!(x[0].z < -0.1 && x[5].z < -0.1, "{x:?}");
}

#[test]
fn what_can_break_stays_above_a_plane() {
    // Its nodes share unknowns where it has not broken: they are held by multipliers.
    let whole = block([2, 2, 2], DVec3::splat(0.2), Division::FiveTetrahedra).unwrap();
    let material = ElasticMaterial::new(1e5, 0.3, 1000.0).unwrap();
    let model: Arc<dyn MeshModel> = Arc::new(SolidModel::new(SolidStrain::Corotated, material));
    let settings = MeshSettings::breakable(&whole, Arc::clone(&model)).unwrap();
    let masses = model.masses(&settings.mesh).unwrap();
    let mut description = BodyDescription::of_mesh("cube", settings, masses);
    let fracture = Fracture {
        criterion: FractureCriterion::Stress,
        limit: 1e9,
        spread: 0.0,
        seed: 1,
        at_once: 1,
        order: 0,
    };
    let fracture = ProcessKind::Fracture(fracture);
    description.processes.push(Scheduled::always(fracture));
    fall(&mut description);
    let positions: Vec<DVec3> = description
        .rest_positions
        .iter()
        .map(|x| *x + 0.3 * DVec3::Z)
        .collect();
    let state = State {
        velocities: vec![DVec3::ZERO; positions.len()],
        positions,
        ..State::default()
    };
    let plane = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut world = World {
        bodies: vec![Body::with_state(description, state).unwrap()],
        obstacles: vec![Obstacle::new("floor", Box::new(plane))],
        contact: Some(PairContactSettings::default()),
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for step in 0..100 {
        let report = world.step(&mut workspace);
        let why = &world.bodies[0].quarantine;
        assert_eq!(report.quarantined, 0, "{why:?}");
        let heights = world.bodies[0].state.positions.iter().map(|x| x.z);
        let lowest = heights.fold(f64::INFINITY, f64::min);
        assert!(lowest > -1e-6, "step {step}: {lowest} m");
    }
}
