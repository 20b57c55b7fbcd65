//! Contact of bodies with each other and with themselves: nothing passes through anything, momenta and
//! energy are kept, friction is Coulomb's, and what a step finds depends on the world alone.

use crossings::crossings;
use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::fem::{
    ClothModel, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings, SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Hybrid;
use pliant::hybrid::DeformationEnergy;
use pliant::mesh::{Division, ElementKind, block, rectangle};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, State, StepReport, Workspace, World};
use std::sync::Arc;

#[path = "support/crossings.rs"]
mod crossings;
mod support;

/// A box of tetrahedra with its lowest corner at the origin.
fn solid(cells: [usize; 3], size: DVec3, young: f64) -> BodyDescription {
    let mesh = Arc::new(block(cells, size, Division::FiveTetrahedra).unwrap());
    let material = ElasticMaterial::new(young, 0.33, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    BodyDescription::of_mesh("box", MeshSettings::new(mesh, Arc::new(model)), masses)
}

fn with_gravity(mut description: BodyDescription, acceleration: DVec3) -> BodyDescription {
    let force = Arc::new(Gravity { acceleration });
    description.forces.push(BoundForce { force, node: None });
    description
}

fn body(description: BodyDescription, shift: DVec3, velocity: DVec3) -> Body {
    let positions: Vec<DVec3> = description
        .rest_positions
        .iter()
        .map(|x| *x + shift)
        .collect();
    let velocities = vec![velocity; positions.len()];
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    Body::with_state(description, state).unwrap()
}

fn world(bodies: Vec<Body>, thickness: f64, friction: f64) -> World {
    World {
        bodies,
        contact: Some(PairContactSettings {
            thickness,
            friction,
            ..PairContactSettings::default()
        }),
        ..World::default()
    }
}

/// Steps a world and sees to it that nothing crosses and nothing is frozen.
fn run(world: &mut World, steps: usize) -> Vec<StepReport> {
    run_named(world, steps, "")
}

fn run_named(world: &mut World, steps: usize, what: &str) -> Vec<StepReport> {
    let mut workspace = Workspace::new(world);
    (0..steps)
        .map(|step| {
            let report = world.step(&mut workspace);
            assert_eq!(crossings(world), 0, "{what} step {step}");
            let why = &world.bodies[0].quarantine;
            assert_eq!(report.quarantined, 0, "{what}: {why:?}");
            report
        })
        .collect()
}

fn centre(body: &Body) -> DVec3 {
    let masses = &body.description().masses;
    let sum: DVec3 = masses
        .iter()
        .zip(&body.state.positions)
        .map(|(m, x)| *m * *x)
        .sum();
    sum / masses.iter().sum::<f64>()
}

/// A tower of twelve blocks of eight nodes: a force goes through all of it in one linear iteration, since small
/// bodies share one factor. With a factor each it took as many iterations as there are blocks, and more.
#[test]
fn a_tower_of_small_blocks_needs_few_linear_iterations() {
    let block = || {
        let block = solid([1; 3], DVec3::new(0.4, 0.4, 0.1), 1e7);
        with_gravity(block, DVec3::new(0.0, 0.0, -9.81))
    };
    let blocks = (0..12).map(|floor| {
        let mut block = block();
        block.fixed.fill(floor == 0);
        body(block, 0.1019 * f64::from(floor) * DVec3::Z, DVec3::ZERO)
    });
    let mut world = world(blocks.collect(), 0.002, 0.5);
    let reports = run(&mut world, 10);
    let newton: usize = reports.iter().map(|report| report.newton_iterations).sum();
    let linear: usize = reports.iter().map(|report| report.linear_iterations).sum();
    assert!(reports.iter().all(|report| report.active_pairs > 50));
    assert!(linear <= 2 * newton, "{linear} for {newton}");
}

#[test]
fn soft_cubes_come_to_rest_on_each_other() {
    let down = DVec3::new(0.0, 0.0, -9.81);
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let cubes = (0..3).map(|level| {
        let mut cube = with_gravity(solid([3; 3], DVec3::splat(0.2), 1e5), down);
        cube.rayleigh = [1.0, 0.01];
        cube.collides_with = vec![0];
        cube.contact.friction = 0.5;
        let shift = DVec3::new(
            0.02 * f64::from(level % 2),
            0.0,
            0.01 + 0.21 * f64::from(level),
        );
        body(cube, shift, DVec3::ZERO)
    });
    let mut world = world(cubes.collect(), 0.004, 0.5);
    world
        .obstacles
        .push(Obstacle::new("floor", Box::new(floor)));
    let reports = run(&mut world, 200);
    let created: f64 = reports.iter().map(|report| report.energy_created).sum();
    assert!(created < 0.05, "{created} J of about 60");
    let last = reports.last().unwrap();
    let centres: Vec<DVec3> = world.bodies.iter().map(centre).collect();
    assert!(last.active_pairs > 0, "{centres:?} {last:?}");
    assert!(last.energies.kinetic < 1e-3, "{} J", last.energies.kinetic);
    for (level, body) in world.bodies.iter().enumerate() {
        let height = centre(body).z;
        let least = 0.08 + 0.18 * level as f64;
        assert!(
            height > least && height < 0.11 + 0.205 * level as f64,
            "{level}: {height}"
        );
    }
}

#[test]
fn bodies_that_collide_in_space_keep_their_momenta() {
    for friction in [0.0, 0.3] {
        let cube = || solid([2; 3], DVec3::splat(0.2), 1e5);
        let left = body(cube(), DVec3::ZERO, DVec3::new(1.5, 0.0, 0.2));
        let right = body(
            cube(),
            DVec3::new(0.23, 0.07, 0.05),
            DVec3::new(-1.0, 0.1, 0.0),
        );
        let mut world = world(vec![left, right], 0.004, friction);
        let momentum = |world: &World| world.bodies.iter().map(Body::momentum).sum::<DVec3>();
        let spin = |world: &World| {
            world
                .bodies
                .iter()
                .map(Body::angular_momentum)
                .sum::<DVec3>()
        };
        let (before, spin_before) = (momentum(&world), spin(&world));
        let energy: f64 = world.bodies.iter().map(Body::kinetic_energy).sum();
        let reports = run(&mut world, 20);
        assert!(reports.iter().any(|report| report.active_pairs > 0));
        let size = 8.0 * 2.5;
        assert!((momentum(&world) - before).length() < 1e-9 * size);
        let turned = (spin(&world) - spin_before).length() / spin_before.length();
        assert!(turned < 2e-2, "{turned}");
        let highest = reports.iter().map(|report| report.energies.total());
        let highest = highest.fold(0.0, f64::max);
        assert!(highest < 1.01 * energy, "{energy} J became {highest} J");
        // They have parted again.
        let [a, b] = [0, 1].map(|index| world.bodies[index].momentum().x);
        assert!(a < 0.5 * 8.0 * 1.5 && b > -0.5 * 8.0, "{a} {b}");
    }
}

/// How far a block slides on a slab under gravity tilted by arctan 0.5, and how fast it is, after so many steps of
/// 0.01 s that it has landed and after as many again as are asked for.
fn slide(friction: f64, steps: usize) -> [(f64, f64); 2] {
    let tilt = 0.5_f64.atan();
    let down = 9.81 * DVec3::new(tilt.sin(), 0.0, -tilt.cos());
    let mut slab = solid([8, 2, 1], DVec3::new(1.6, 0.4, 0.1), 1e7);
    slab.fixed.fill(true);
    let slab = body(slab, DVec3::new(-0.2, -0.1, -0.1), DVec3::ZERO);
    let block = with_gravity(solid([2, 2, 1], DVec3::new(0.2, 0.2, 0.1), 1e6), down);
    let block = body(block, DVec3::new(0.0, 0.0, 0.004), DVec3::ZERO);
    let mut world = world(vec![slab, block], 0.004, friction);
    let start = centre(&world.bodies[1]);
    [LANDING, steps].map(|steps| {
        run(&mut world, steps);
        let block = &world.bodies[1];
        let speed = block.momentum().x / block.description().masses.iter().sum::<f64>();
        (centre(block).x - start.x, speed)
    })
}

/// Steps in which a block lands.
const LANDING: usize = 15;

#[test]
fn friction_between_bodies_is_that_of_coulomb() {
    // g (sin a - mu cos a): 0.0878 m/s² for 0.49, 2.63 for 0.2.
    let tilt = 0.5_f64.atan();
    for (friction, steps) in [(0.2, 35), (0.4, 45)] {
        let acceleration = 9.81 * (tilt.sin() - friction * tilt.cos());
        let time = 0.01 * steps as f64;
        let [(before, landed), (distance, speed)] = slide(friction, steps);
        let exact = landed * time + 0.5 * acceleration * time * time;
        assert!(
            ((distance - before) / exact - 1.0).abs() < 0.02,
            "{friction}: {before} {distance} {exact}"
        );
        // The small difference of two forces: friction that is off by 0.75 % makes 3 % of it.
        assert!(
            ((speed - landed) / (acceleration * time) - 1.0).abs() < 0.03,
            "{friction}: {landed} {speed}"
        );
        // While it lands friction acts as much as it does later, but for what a step does not resolve.
        let whole = acceleration * 0.01 * (LANDING + steps) as f64;
        assert!((speed / whole - 1.0).abs() < 0.04, "{friction}: {speed}");
    }
    let (distance, speed) = slide(0.55, 100 - LANDING)[1];
    assert!(
        speed.abs() < 2e-3 && distance < 3e-3,
        "{distance} m, {speed} m/s"
    );
}

#[test]
fn nothing_is_too_fast_to_be_stopped() {
    // A cube meets a plate of one layer, 2 cm thick: 1 m per step of 10 ms.
    let wall = solid([6, 6, 1], DVec3::new(0.6, 0.6, 0.02), 1e6);
    let wall = body(wall, DVec3::new(-0.3, -0.3, 0.0), DVec3::ZERO);
    let cube = solid([2; 3], DVec3::splat(0.1), 1e6);
    let cube = body(
        cube,
        DVec3::new(-0.05, -0.05, 0.3),
        DVec3::new(0.0, 0.0, -100.0),
    );
    let mut world = world(vec![wall, cube], 0.004, 0.0);
    run(&mut world, 3);
    assert!(centre(&world.bodies[1]).z > centre(&world.bodies[0]).z);
}

#[test]
fn a_sheet_that_falls_on_its_edge_does_not_cross_itself() {
    let down = DVec3::new(0.0, 0.0, -9.81);
    let mut sheet = with_gravity(support::sheet([17, 17], [0.5, 0.5], 20.0, 1e-4), down);
    sheet.masses.fill(1e-3);
    sheet.collides_with = vec![0];
    let positions: Vec<DVec3> = sheet
        .rest_positions
        .iter()
        .map(|x| DVec3::new(x.x, 0.05 * (9.0 * x.x).sin() + 0.01 * x.y, x.y + 0.26))
        .collect();
    let velocities = vec![DVec3::ZERO; positions.len()];
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    let sheet = Body::with_state(sheet, state).unwrap();
    let mut world = world(vec![sheet], 0.01, 0.05);
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    world
        .obstacles
        .push(Obstacle::new("floor", Box::new(floor)));
    let reports = run(&mut world, 80);
    let most = reports.iter().map(|report| report.active_pairs).max();
    assert!(most > Some(10), "{most:?}");
    let created: f64 = reports.iter().map(|report| report.energy_created).sum();
    assert!(created < 0.01, "{created} J of about 0.7");
}

#[test]
fn a_restored_pile_goes_on_with_the_same_bits() {
    let down = DVec3::new(0.0, 0.0, -9.81);
    let make = || {
        let cubes = (0..2).map(|level| {
            let cube = with_gravity(solid([2; 3], DVec3::splat(0.2), 1e5), down);
            let shift = DVec3::new(0.03 * f64::from(level), 0.01, 0.21 * f64::from(level));
            body(cube, shift, DVec3::ZERO)
        });
        let mut bodies: Vec<Body> = cubes.collect();
        let mut slab = solid([4, 4, 1], DVec3::new(0.6, 0.6, 0.1), 1e7);
        slab.fixed.fill(true);
        bodies.push(body(slab, DVec3::new(-0.2, -0.2, -0.11), DVec3::ZERO));
        world(bodies, 0.004, 0.4)
    };
    let mut whole = make();
    run(&mut whole, 8);
    let snapshot = whole.snapshot();
    run(&mut whole, 8);
    let mut restored = make();
    restored.restore(&snapshot).unwrap();
    run(&mut restored, 8);
    assert_eq!(restored.state_hash(), whole.state_hash());
}

/// A body of every kind, about half a metre across, its middle at the origin.
fn kinds() -> Vec<(&'static str, BodyDescription)> {
    let middle = |mut description: BodyDescription| {
        let rest = &mut description.rest_positions;
        let sum: DVec3 = rest.iter().sum();
        let centre = sum / rest.len() as f64;
        rest.iter_mut().for_each(|x| *x -= centre);
        description
    };
    let mut rope = support::line(13, 0.5, [50.0, 1e-3, 0.0]);
    rope.masses.fill(2e-3);
    let mut sheet = support::sheet([9, 9], [0.5, 0.5], 20.0, 1e-4);
    sheet.masses.fill(1e-3);
    let mut jelly = support::block([4, 4, 4], DVec3::splat(0.3), 200.0);
    jelly.masses.fill(0.05);
    let mesh = rectangle(ElementKind::Triangle3, [6, 6], [0.5, 0.5]).unwrap();
    let mesh = Arc::new(mesh);
    let model = ClothModel {
        material: ElasticMaterial::new(1e5, 0.3, 300.0).unwrap(),
        thickness: 0.001,
        rigidity: Some(1e-5),
        strain: MembraneStrain::Green,
    };
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(mesh, Arc::new(model));
    let cloth = BodyDescription::of_mesh("cloth", settings, masses);
    let brick = middle(solid([2, 2, 2], DVec3::splat(0.3), 1e5));
    let hybrid = |description: &BodyDescription, deformation| {
        let mut description = description.clone();
        description.make_hybrid(Hybrid {
            deformation,
            ..Hybrid::default()
        });
        middle(description)
    };
    use DeformationEnergy::{Linearised, Spline};
    vec![
        ("hybrid rope", hybrid(&rope, Spline)),
        ("hybrid sheet", hybrid(&sheet, Spline)),
        ("hybrid jelly", hybrid(&jelly, Spline)),
        ("linearised jelly", hybrid(&jelly, Linearised)),
        ("rope", middle(rope)),
        ("sheet", sheet),
        ("jelly", middle(jelly)),
        ("cloth", middle(cloth)),
        ("brick", brick),
    ]
}

#[test]
fn bodies_of_every_kind_meet_each_other() {
    let down = DVec3::new(0.0, 0.0, -9.81);
    for (row, (lower_name, lower)) in kinds().into_iter().enumerate() {
        for (column, (upper_name, upper)) in kinds().into_iter().enumerate() {
            let friction = [0.0, 0.5][(row + column) % 2];
            {
                let what = format!("{upper_name} on {lower_name}, friction {friction}");
                let mut lower = lower.clone();
                // What is below hangs by its farthest nodes.
                let reach = |x: &DVec3| x.x.abs() + x.y.abs();
                let farthest = lower.rest_positions.iter().map(reach).fold(0.0, f64::max);
                for (fixed, x) in lower.fixed.iter_mut().zip(&lower.rest_positions) {
                    *fixed = reach(x) > 0.95 * farthest;
                }
                let lower = body(with_gravity(lower, down), DVec3::ZERO, DVec3::ZERO);
                let upper = with_gravity(upper.clone(), down);
                let top = lower
                    .state
                    .positions
                    .iter()
                    .map(|x| x.z)
                    .fold(0.0, f64::max);
                let lowest = upper.rest_positions.iter().map(|x| x.z).fold(0.0, f64::min);
                // Ropes cross at right angles; nothing is exactly above anything.
                let shift = DVec3::new(0.013, 0.007, top - lowest + 0.015);
                let mut upper = body(upper, shift, DVec3::new(0.0, 0.0, -1.0));
                for x in &mut upper.state.positions {
                    *x = DVec3::new(-x.y, x.x, x.z);
                }
                let mut world = world(vec![lower, upper], 0.006, friction);
                let reports = run_named(&mut world, 10, &what);
                // Contact has slowed the fall, whether or not it lasts until the end of a step.
                let upper = &world.bodies[1];
                let mass: f64 = upper.description().masses.iter().sum();
                let fall = upper.momentum().z / mass;
                assert!(fall > -1.0 - 9.81 * world.time + 1e-4, "{what}: {fall}");
                let created: f64 = reports.iter().map(|report| report.energy_created).sum();
                let kinetic = reports.iter().map(|report| report.energies.kinetic);
                let most = kinetic.fold(0.0, f64::max);
                assert!(created < 0.03 * most, "{what}: {created} J of {most}");
            }
        }
    }
}

/// Two pairs of cubes that collide far from each other: what happens to one does not change the other.
#[test]
fn bodies_that_are_apart_move_as_if_they_were_alone() {
    let pair = |place: f64, speed: f64| {
        let cube = || solid([2; 3], DVec3::splat(0.2), 1e5);
        let left = body(cube(), DVec3::new(place, 0.0, 0.0), DVec3::X * speed);
        let right = body(cube(), DVec3::new(place + 0.22, 0.01, 0.02), -DVec3::X);
        [left, right]
    };
    let mut alone = world(pair(0.0, 1.0).into(), 0.004, 0.2);
    run(&mut alone, 20);
    let mut both = world(
        pair(0.0, 1.0).into_iter().chain(pair(10.0, 30.0)).collect(),
        0.004,
        0.2,
    );
    run(&mut both, 20);
    for (a, b) in alone.bodies.iter().zip(&both.bodies) {
        // Bodies in flight end their iterations together.
        for (a, b) in a.state.positions.iter().zip(&b.state.positions) {
            assert!(a.distance(*b) < 1e-5, "{a} {b}");
        }
    }
    // A fast body that nothing is foreseen to meet is stopped all the same.
    let wall = body(
        solid([1, 4, 4], DVec3::new(0.02, 0.8, 0.8), 1e7),
        DVec3::ZERO,
        DVec3::ZERO,
    );
    let bullet = solid([1; 3], DVec3::splat(0.05), 1e7);
    let bullet = body(bullet, DVec3::new(-0.3, 0.4, 0.4), DVec3::X * 20.0);
    let mut world = world(vec![wall, bullet], 0.004, 0.0);
    run(&mut world, 10);
    assert!(centre(&world.bodies[1]).x < centre(&world.bodies[0]).x);
    assert!(world.bodies[0].momentum().x > 0.0);
}
