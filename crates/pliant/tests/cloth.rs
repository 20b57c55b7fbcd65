//! Cloth: the work that a frame takes, friction on a slope, corners between obstacles, statics on an
//! obstacle.

use glam::{DQuat, DVec3};
use pliant::elastic::GridMaterial;
use pliant::fem::{ClothModel, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{ElementKind, rectangle};
use pliant::obstacle::{Obstacle, Plane, Sphere};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, StepReport, Workspace, World};
use std::sync::Arc;

/// Young's modulus times thickness in N/m, thickness in metres, mass per area in kg/m².
const STRETCHING: f64 = 2500.0;
const THICKNESS: f64 = 1e-3;
const MASS_PER_AREA: f64 = 0.2;

/// A square sheet round the origin, of so many nodes and metres a side, moved by `place`.
fn grid_cloth(
    side: usize,
    length: f64,
    rigidity: f64,
    place: impl Fn(DVec3) -> DVec3,
) -> BodyDescription {
    let grid = Grid::new(&[side, side], &[false; 2]);
    let flat = |node| {
        let [u, v, _] = grid.material_coordinates(node);
        place(length * DVec3::new(u - 0.5, v - 0.5, 0.0))
    };
    let rest: Vec<DVec3> = grid.nodes().map(flat).collect();
    let material = GridMaterial {
        young: STRETCHING / THICKNESS,
        poisson: 0.3,
        density: MASS_PER_AREA / THICKNESS,
        thickness: THICKNESS,
        stretching: None,
        rigidity: Some(rigidity),
    };
    let weights = material.weights(&grid, &rest);
    let masses = material.masses(&grid, &rest);
    let mut cloth = BodyDescription::new("cloth", grid, rest, weights);
    cloth.masses = masses;
    cloth
}

/// The same as a mesh of triangles.
fn mesh_cloth(
    side: usize,
    length: f64,
    rigidity: f64,
    place: impl Fn(DVec3) -> DVec3,
) -> BodyDescription {
    let cells = [side - 1; 2];
    let mut mesh = rectangle(ElementKind::Triangle3, cells, [length; 2]).unwrap();
    let middle = mesh.positions.iter().sum::<DVec3>() / mesh.positions.len() as f64;
    for position in &mut mesh.positions {
        *position = place(*position - middle);
    }
    let density = MASS_PER_AREA / THICKNESS;
    let model = ClothModel {
        material: ElasticMaterial::new(STRETCHING / THICKNESS, 0.3, density).unwrap(),
        thickness: THICKNESS,
        strain: MembraneStrain::default(),
        rigidity: Some(rigidity),
    };
    let mesh = Arc::new(mesh);
    let masses = model.masses(&mesh).unwrap();
    BodyDescription::of_mesh("cloth", MeshSettings::new(mesh, Arc::new(model)), masses)
}

fn gravity(acceleration: DVec3) -> BoundForce {
    BoundForce {
        force: Arc::new(Gravity { acceleration }),
        node: None,
    }
}

fn plane(normal: DVec3) -> Obstacle {
    let plane = Plane::new(normal.normalize(), DVec3::ZERO).unwrap();
    Obstacle::new("plane", Box::new(plane))
}

fn world_of(mut cloth: BodyDescription, down: DVec3, obstacles: Vec<Obstacle>) -> World {
    cloth.forces.push(gravity(down));
    cloth.collides_with.extend(0..obstacles.len());
    World {
        bodies: vec![Body::new(cloth).unwrap()],
        obstacles,
        ..World::default()
    }
}

fn run(world: &mut World, frames: usize) -> Vec<StepReport> {
    let mut workspace = Workspace::new(world);
    let reports: Vec<_> = (0..frames).map(|_| world.step(&mut workspace)).collect();
    assert_eq!(world.bodies[0].quarantine, None);
    reports
}

/// The cloth of `pliant bench cloth`: 2 x 2 m, held at two corners, over a ball.
fn draped(mut cloth: BodyDescription) -> World {
    for (fixed, place) in cloth.fixed.iter_mut().zip(&cloth.rest_positions) {
        *fixed = (place.x.abs() - 1.0).abs() < 1e-9 && place.y < -1.0 + 1e-9;
    }
    assert_eq!(cloth.fixed.iter().filter(|fixed| **fixed).count(), 2);
    cloth.time_step = 1.0 / 60.0;
    cloth.contact.friction = 0.1;
    let ball = Sphere::new(DVec3::new(0.0, 0.0, -0.6), 0.5).unwrap();
    let down = DVec3::new(0.0, 0.0, -9.81);
    world_of(cloth, down, vec![Obstacle::new("ball", Box::new(ball))])
}

/// The work of a frame bounds its time: what Newton's method and conjugate gradients needed when this
/// was written, with a quarter more.
#[test]
fn a_frame_of_cloth_takes_few_iterations() {
    let cloths = [
        ("grid", grid_cloth(32, 2.0, 1e-5, |x| x), GRID_WORK),
        ("mesh", mesh_cloth(32, 2.0, 1e-5, |x| x), MESH_WORK),
    ];
    for (name, cloth, [most_newton, most_linear]) in cloths {
        let mut world = draped(cloth);
        let reports = run(&mut world, 60);
        let total = |count: fn(&StepReport) -> usize| reports.iter().map(count).sum::<usize>();
        let frames = reports.len() as f64;
        let newton = total(|report| report.newton_iterations) as f64 / frames;
        let linear = total(|report| report.linear_iterations) as f64 / frames;
        println!("{name}: {newton:.1} Newton, {linear:.0} linear iterations a frame");
        assert!(newton <= most_newton, "{name}: {newton}");
        assert!(linear <= most_linear, "{name}: {linear}");
        assert_eq!(total(|report| report.shortened_steps), 0, "{name}");
        assert_eq!(total(|report| report.unconverged_solves), 0, "{name}");
        let created: f64 = reports.iter().map(|report| report.energy_created).sum();
        assert!(created < 1e-3, "{name}: {created} J");
    }
}

/// Newton and linear iterations per frame.
const GRID_WORK: [f64; 2] = [11.0, 190.0];
const MESH_WORK: [f64; 2] = [13.0, 230.0];

/// On a slope of tan 0.5 a sheet slides with g (sin - μ cos), or stays where it lies.
#[test]
fn a_sheet_on_a_slope_slides_as_coulomb_says() {
    let slope = 0.5_f64.atan();
    let turn = DQuat::from_rotation_y(-slope);
    let lying = move |x: DVec3| turn * (x + DVec3::new(0.0, 0.0, 1e-5));
    for (mu, slides) in [(0.45, true), (0.55, false)] {
        for cloth in [
            grid_cloth(9, 0.4, 1e-3, lying),
            mesh_cloth(9, 0.4, 1e-3, lying),
        ] {
            let mut cloth = cloth;
            cloth.time_step = 0.01;
            cloth.contact.friction = mu;
            let mass: f64 = cloth.masses.iter().sum();
            let start = cloth.rest_positions.clone();
            let floor = plane(DVec3::new(-0.5, 0.0, 1.0));
            let mut world = world_of(cloth, DVec3::new(0.0, 0.0, -9.81), vec![floor]);
            run(&mut world, 100);
            let velocity = world.bodies[0].momentum() / mass;
            let along = turn * DVec3::NEG_X;
            let expected = if slides {
                9.81 * (slope.sin() - mu * slope.cos())
            } else {
                0.0
            };
            assert!(
                (velocity - expected * along).length() < 0.02,
                "mu {mu}: {velocity}, expected {expected} along {along}"
            );
            let ends = world.bodies[0].state.positions.iter().zip(&start);
            let moved = ends.map(|(x, start)| (*x - *start).length());
            let moved = moved.fold(0.0, f64::max);
            assert!(slides || moved < 1e-4, "mu {mu}: moved {moved}");
        }
    }
}

/// A sheet that slides along a floor against a wall: its edge ends in the corner, outside of both.
#[test]
fn nodes_rest_in_the_corner_of_two_planes() {
    let above = |x: DVec3| x + DVec3::new(0.25, 0.0, 0.02);
    for (name, cloth) in [
        ("grid", grid_cloth(9, 0.4, 1e-2, above)),
        ("mesh", mesh_cloth(9, 0.4, 1e-2, above)),
    ] {
        let mut cloth = cloth;
        cloth.time_step = 0.01;
        cloth.contact.friction = 0.2;
        let planes = vec![plane(DVec3::Z), plane(DVec3::X)];
        let mut world = world_of(cloth, DVec3::new(-6.0, 0.0, -6.0), planes);
        let reports = run(&mut world, 150);
        let mut created = 0.0;
        for (index, report) in reports.iter().enumerate() {
            assert_eq!(report.shortened_steps, 0, "{name}: step {index}");
            created += report.energy_created;
        }
        // The sheet meets the wall with some 10 mJ.
        assert!(created < 2e-5, "{created} J");
        let body = &world.bodies[0];
        let spacing = 0.4 / 8.0;
        let mut in_corner = 0;
        for x in &body.state.positions {
            assert!(x.x >= 0.0 && x.z >= 0.0, "{x}");
            in_corner += usize::from(x.x < 2e-3 * spacing && x.z < 2e-3 * spacing);
        }
        assert!(in_corner >= 5, "{in_corner} nodes are in the corner");
        assert!(body.kinetic_energy() < 1e-4, "{}", body.kinetic_energy());
    }
}

/// In statics bound nodes are pushed, never pulled, and the sheet rests where a damped motion ends.
#[test]
fn statics_rests_on_an_obstacle() {
    let above = |x: DVec3| x + DVec3::new(0.0, 0.0, 0.01);
    let mut heights = Vec::new();
    for integrator in [IntegratorKind::Static, IntegratorKind::Implicit] {
        let mut cloth = grid_cloth(9, 0.4, 2e-2, above);
        // Held at one edge above the floor.
        for node in 0..9 {
            cloth.fixed[node] = true;
        }
        cloth.integrator = integrator;
        cloth.time_step = 0.02;
        let moves = integrator != IntegratorKind::Static;
        if moves {
            cloth.dampings = cloth.masses.iter().map(|mass| 4.0 * mass).collect();
        }
        let down = DVec3::new(0.0, 0.0, -9.81);
        let mut world = world_of(cloth, down, vec![plane(DVec3::Z)]);
        let reports = run(&mut world, if moves { 300 } else { 1 });
        let last = &reports[reports.len() - 1];
        assert!(last.contacts > 0, "{integrator:?}");
        assert!(last.energies.kinetic < 1e-6, "{integrator:?}");
        let places = &world.bodies[0].state.positions;
        assert!(places.iter().all(|x| x.z >= 0.0), "{integrator:?}");
        let before = places.clone();
        run(&mut world, 1);
        let again = world.bodies[0].state.positions.iter().zip(&before);
        let moved = again.map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
        assert!(moved < 1e-5, "{integrator:?}: moves by {moved}");
        heights.push(before.iter().map(|x| x.z).collect::<Vec<f64>>());
    }
    let apart = heights[0].iter().zip(&heights[1]);
    let apart = apart.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 2e-4, "{apart} m between statics and rest");
}
