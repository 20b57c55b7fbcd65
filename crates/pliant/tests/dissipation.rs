//! What was dissipated, by cause: damping, friction and inelastic processes against closed forms; the rest closes
//! the ledger.

#[path = "support/processes.rs"]
mod processes;
mod support;

use glam::{DQuat, DVec3};
use pliant::contact::PairContactSettings;
use pliant::fem::{CoreMotion, ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::{GlobalDeformation, Hybrid, Modal, Rigid};
use pliant::mesh::{Division, block as mesh_block};
use pliant::obstacle::{Cuboid, Obstacle, Plane, Pose};
use pliant::process::{Maxwell, ProcessKind, Prony, PronyBranch, Scheduled, Voigt};
use pliant::report::Dissipation;
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use processes::processes;
use std::sync::Arc;
use support::{block, line, sheet};

const INTEGRATORS: [IntegratorKind; 6] = [
    IntegratorKind::TwoStage,
    IntegratorKind::Implicit,
    IntegratorKind::Midpoint,
    IntegratorKind::Newmark,
    IntegratorKind::SemiImplicit,
    IntegratorKind::Explicit,
];

const G: f64 = 9.81;

fn moving(description: BodyDescription, velocity: impl Fn(DVec3) -> DVec3) -> Option<Body> {
    let positions = description.rest_positions.clone();
    let velocities = positions.iter().map(|x| velocity(*x)).collect();
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    Body::with_state(description, state).ok()
}

fn world(body: Body) -> World {
    World {
        bodies: vec![body],
        ..World::default()
    }
}

/// What steps have taken by cause, with the ledger closed in each of them.
fn run(world: &mut World, seconds: f64, what: &str) -> Dissipation {
    let mut workspace = Workspace::new(world);
    let mut sums = Dissipation::default();
    while world.time < seconds - 1e-9 {
        let report = world.step(&mut workspace);
        let why = &world.bodies[0].quarantine;
        assert_eq!(report.quarantined, 0, "{what}: {why:?}");
        let causes: f64 = report.dissipation.causes().iter().sum();
        let missing = report.dissipated - report.energy_created;
        let scale = report.energies.total().abs() + missing.abs() + report.dissipation.friction;
        assert!((causes - missing).abs() <= 1e-12 * scale.max(1.0), "{what}");
        sums.add(&report.dissipation);
    }
    sums
}

fn near(found: f64, exact: f64, share: f64, what: &str) {
    println!(
        "{what}: {found:.6} for {exact:.6} ({:+.3} %)",
        100.0 * (found / exact - 1.0)
    );
    assert!(
        (found / exact - 1.0).abs() < share,
        "{what}: {found} for {exact}"
    );
}

fn solid(cells: [usize; 3], size: DVec3, young: f64) -> BodyDescription {
    let mesh = Arc::new(mesh_block(cells, size, Division::FiveTetrahedra).unwrap());
    let material = ElasticMaterial::new(young, 0.3, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    BodyDescription::of_mesh("box", MeshSettings::new(mesh, Arc::new(model)), masses)
}

/// One of each kind of time rule: name, body.
fn all_rules() -> Vec<(String, BodyDescription)> {
    let mut all = Vec::new();
    let mut grid = block([4, 3, 3], DVec3::new(0.4, 0.3, 0.3), 500.0);
    grid.masses.fill(0.1);
    let mesh = solid([3, 2, 2], DVec3::new(0.4, 0.3, 0.3), 1e5);
    for (name, of) in [("grid", &grid), ("mesh", &mesh)] {
        for integrator in INTEGRATORS {
            let mut body = of.clone();
            body.integrator = integrator;
            all.push((format!("{name} {integrator:?}"), body));
        }
    }
    for midpoint in [false, true] {
        let mut hybrid = grid.clone();
        hybrid.make_hybrid(Hybrid::default());
        if midpoint {
            hybrid.integrator = IntegratorKind::Midpoint;
        }
        all.push((format!("hybrid {midpoint}"), hybrid));
    }
    let mut modal = mesh.clone();
    modal.make_modal(Modal::new(8));
    all.push(("modal".to_owned(), modal));
    let mut global = mesh.clone();
    global.make_global(GlobalDeformation { degree: 1 });
    all.push(("global".to_owned(), global));
    all
}

/// A free body whose damping is 2 γ of its mass: what it has lost after t is ½ m v² (1 - exp(-4 γ t)).
#[test]
fn damping_takes_what_the_formula_says_of_a_free_flight() {
    let mut rigid = cuboid(DVec3::new(0.4, 0.3, 0.3), DVec3::ZERO);
    rigid.integrator = IntegratorKind::TwoStage;
    let mut all = all_rules();
    all.push(("rigid".to_owned(), rigid));
    for (name, mut body) in all {
        let (gamma, time) = (1.0, 0.5);
        let nodes = body.dampings.iter_mut().zip(&body.masses);
        nodes.for_each(|(damping, mass)| *damping = 2.0 * gamma * mass);
        body.time_step = 0.005;
        let mass: f64 = body.masses.iter().sum();
        let velocity = DVec3::new(1.0, 2.0, -0.5);
        let exact = 0.5 * mass * velocity.length_squared() * (1.0 - (-4.0 * gamma * time).exp());
        let mut world = world(moving(body, |_| velocity).unwrap());
        let found = run(&mut world, time, &name);
        // Backward Euler is of first order: 2 γ h.
        let is_first = name.contains(" Implicit") || name == "mesh SemiImplicit";
        near(
            found.damping,
            exact,
            if is_first { 0.015 } else { 1e-3 },
            &name,
        );
        assert_eq!([found.friction, found.processes], [0.0; 2], "{name}");
    }
}

/// A bar that vibrates along itself, damped by mass and by stiffness, held at one end: nothing but damping takes
/// energy if steps are short, so that it takes all that is missing.
#[test]
fn damping_takes_all_that_a_vibration_loses() {
    for (name, mut body) in all_rules() {
        if name.contains("grid") || name.contains("hybrid") {
            let nodes = body.dampings.iter_mut().zip(&body.masses);
            nodes.for_each(|(damping, mass)| *damping = 4.0 * mass);
        } else {
            body.rayleigh = [2.0, 2e-3];
        }
        let rest = body.rest_positions.clone();
        body.fixed = rest.iter().map(|x| x.x < 1e-9).collect();
        body.time_step = 2e-4;
        let body = moving(body, |x| DVec3::X * x.x).unwrap();
        let kinetic = body.kinetic_energy();
        let mut world = world(body);
        let mut found = run(&mut world, 0.002, &name);
        // Few modes cannot show the motion that the first step begins with.
        if name == "modal" {
            found.rest = 0.0;
        }
        found.add(&run(&mut world, 0.2, &name));
        println!("{name}: {found:?} of {kinetic}");
        assert!(found.damping > 0.3 * kinetic, "{name}: {found:?}");
        // What rules of first order damp by themselves falls with the step.
        let first_order = ["Implicit", "Explicit", "hybrid false", "global"];
        let is_first = first_order.iter().any(|rule| name.contains(rule));
        let most = if is_first { 0.2 } else { 0.01 };
        assert!(found.rest.abs() < most * found.damping, "{name}: {found:?}");
    }
}

fn cuboid(size: DVec3, place: DVec3) -> BodyDescription {
    let pose = Pose {
        rotation: DQuat::IDENTITY,
        translation: place,
    };
    let shape = Cuboid::new(DVec3::ZERO, size).unwrap();
    let (shape, mass) = Rigid::of_shape(&shape, &pose, 1000.0).unwrap();
    BodyDescription::rigid("rigid", shape, mass, CoreMotion::Free).unwrap()
}

fn floor(friction: f64) -> Obstacle {
    let plane = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut floor = Obstacle::new("floor", Box::new(plane));
    floor.friction = friction;
    floor
}

fn fall(body: &mut BodyDescription) {
    let acceleration = DVec3::NEG_Z * G;
    let force = Arc::new(Gravity { acceleration });
    body.forces.push(BoundForce { force, node: None });
}

/// Bodies that can slide on a floor: flat ones, so that they do not tip over.
fn sliders() -> Vec<(String, BodyDescription)> {
    let size = DVec3::new(0.4, 0.4, 0.05);
    let mut all = Vec::new();
    let mut grid = block([4, 4, 2], size, 2e3);
    grid.masses.fill(0.1);
    let mesh = solid([3, 3, 1], size, 1e6);
    for (name, of) in [("grid", &grid), ("mesh", &mesh)] {
        for integrator in INTEGRATORS {
            let mut body = of.clone();
            body.integrator = integrator;
            all.push((format!("{name} {integrator:?}"), body));
        }
    }
    let mut cloth = sheet([4, 4], [0.4, 0.4], 100.0, 0.0);
    cloth.masses.fill(0.1);
    for integrator in INTEGRATORS {
        let mut body = cloth.clone();
        body.integrator = integrator;
        all.push((format!("sheet {integrator:?}"), body));
    }
    let mut hybrid = grid.clone();
    hybrid.make_hybrid(Hybrid::default());
    all.push(("hybrid".to_owned(), hybrid));
    let mut modal = mesh.clone();
    modal.make_modal(Modal::new(6));
    all.push(("modal".to_owned(), modal));
    let mut global = mesh.clone();
    global.make_global(GlobalDeformation { degree: 1 });
    all.push(("global".to_owned(), global));
    let rigid = cuboid(size, DVec3::Z * 0.5 * size.z);
    for integrator in [IntegratorKind::TwoStage, IntegratorKind::Implicit] {
        let mut body = rigid.clone();
        body.integrator = integrator;
        all.push((format!("rigid {integrator:?}"), body));
    }
    all
}

/// The way of the centre of a body since it was at rest, along x.
fn way(body: &Body) -> f64 {
    let description = body.description();
    let moved = body.state.positions.iter().zip(&description.rest_positions);
    let sum = moved
        .zip(&description.masses)
        .map(|((now, rest), m)| m * (now.x - rest.x));
    sum.sum::<f64>() / description.masses.iter().sum::<f64>()
}

/// A body slides to rest on a floor with Coulomb's friction, which takes μ m g times its way.
#[test]
fn friction_takes_the_energy_of_a_slide() {
    for (name, mut body) in sliders() {
        let (friction, speed) = (0.3, 1.0);
        fall(&mut body);
        body.collides_with.push(0);
        body.time_step = 0.005;
        let mass: f64 = body.masses.iter().sum();
        let mut world = World {
            obstacles: vec![floor(friction)],
            ..world(moving(body, |_| speed * DVec3::X).unwrap())
        };
        let found = run(&mut world, 0.6, &name);
        println!("{name}: {found:?}");
        // Pushes that a hybrid body answers to are shared out before it does.
        let share = if name == "hybrid" { 0.05 } else { 0.02 };
        let exact = friction * mass * G * way(&world.bodies[0]);
        near(found.friction, exact, share, &name);
        assert!(way(&world.bodies[0]) > 0.9 * speed * speed / (2.0 * friction * G));
        assert_eq!([found.damping, found.processes], [0.0; 2], "{name}");
    }
}

/// A body slides to rest on another one that is held: friction takes all of ½ m v².
#[test]
fn friction_between_bodies_takes_the_energy_of_a_slide() {
    let (friction, speed, thickness) = (0.3, 1.0, 0.002);
    let size = DVec3::new(0.2, 0.2, 0.04);
    let soft = solid([2, 2, 1], size, 1e6);
    let rigid = cuboid(size, 0.5 * size);
    for (what, of) in [("soft", soft), ("rigid", rigid)] {
        for integrator in [IntegratorKind::TwoStage, IntegratorKind::Implicit] {
            let name = format!("{what} {integrator:?}");
            let mut lower = solid([6, 3, 1], DVec3::new(1.2, 0.6, 0.05), 1e7);
            lower.fixed.fill(true);
            let mut upper = of.clone();
            fall(&mut upper);
            for body in [&mut lower, &mut upper] {
                body.integrator = integrator;
                body.time_step = 0.004;
            }
            let mass: f64 = upper.masses.iter().sum();
            let shift = DVec3::new(0.2, 0.2, 0.05 + 0.95 * thickness);
            let mut upper = moving(upper, |_| speed * DVec3::X).unwrap();
            for place in &mut upper.state.positions {
                *place += shift;
            }
            for place in &mut upper.state.controls {
                *place += shift;
            }
            let mut world = World {
                bodies: vec![moving(lower, |_| DVec3::ZERO).unwrap(), upper],
                contact: Some(PairContactSettings {
                    thickness,
                    friction,
                    ..PairContactSettings::default()
                }),
                ..World::default()
            };
            let found = run(&mut world, 0.5, &name);
            println!("{name}: {found:?}");
            near(found.friction, 0.5 * mass * speed * speed, 0.03, &name);
            assert_eq!([found.damping, found.processes], [0.0; 2], "{name}");
        }
    }
}

/// A body at rest on a slope that friction holds: nothing slides, so that friction takes nothing.
#[test]
fn friction_that_holds_takes_nothing() {
    let down = DQuat::from_rotation_y(0.2) * DVec3::NEG_Z;
    for (name, mut body) in sliders() {
        let acceleration = G * down;
        let force = Arc::new(Gravity { acceleration });
        body.forces.push(BoundForce { force, node: None });
        body.collides_with.push(0);
        body.time_step = 0.005;
        let mass: f64 = body.masses.iter().sum();
        let mut world = World {
            obstacles: vec![floor(0.6)],
            ..world(Body::new(body).unwrap())
        };
        run(&mut world, 1.0, &name);
        let found = run(&mut world, 2.0, &name);
        println!("{name}: {found:?}");
        // A body that slid down the slope with no friction would lose so much in a second.
        let scale = 0.5 * mass * (G * 0.2).powi(2);
        assert!(found.friction.abs() < 1e-3 * scale, "{name}: {found:?}");
    }
}

/// A bar of four links, or of tetrahedra, that is stretched and held: all that it loses, processes take.
#[test]
fn processes_take_what_a_held_body_loses() {
    let series = Prony {
        branches: vec![PronyBranch {
            share: 0.5,
            time: 0.1,
        }],
    };
    let mut kinds: Vec<ProcessKind> = processes();
    kinds.push(ProcessKind::Prony(series));
    let curve = line(5, 1.0, [8.0, 0.0, 0.0]);
    let mut hybrid = curve.clone();
    hybrid.make_hybrid(Hybrid::default());
    let mesh = solid([3, 1, 1], DVec3::new(0.3, 0.1, 0.1), 1e5);
    for (name, of) in [("curve", curve), ("hybrid", hybrid), ("mesh", mesh)] {
        for kind in &kinds {
            let name = format!("{name} {kind:?}");
            let mut body = of.clone();
            body.processes.push(Scheduled::always(kind.clone()));
            body.fixed.fill(true);
            body.time_step = 0.02;
            let Ok(mut body) = Body::new(body) else {
                continue;
            };
            for place in &mut body.state.positions {
                place.x *= 1.03;
            }
            let mut world = world(body);
            let first = Workspace::new(&world).energies(&world).elastic;
            let found = run(&mut world, 0.4, &name);
            let last = Workspace::new(&world).energies(&world).elastic;
            println!("{name}: {found:?}, from {first} to {last}");
            let lost = first - last;
            assert!((found.processes - lost).abs() < 1e-9 * first, "{name}");
            assert!(found.rest.abs() < 1e-9 * first, "{name}: {found:?}");
        }
    }
}

/// A vibration that dashpots damp: steps are short, so that they take all that is missing.
#[test]
fn dashpots_take_all_that_a_vibration_loses() {
    let maxwell = ProcessKind::Maxwell(Maxwell::uniform(0.2));
    let voigt = ProcessKind::Voigt(Voigt { times: vec![0.01] });
    let mut curve = line(5, 1.0, [40.0, 0.0, 0.0]);
    curve.masses.fill(0.1);
    let mut hybrid = curve.clone();
    hybrid.make_hybrid(Hybrid::default());
    let mesh = solid([3, 1, 1], DVec3::new(0.3, 0.1, 0.1), 1e5);
    for (name, of) in [("curve", curve), ("hybrid", hybrid), ("mesh", mesh)] {
        for kind in [&maxwell, &voigt] {
            let name = format!("{name} {kind:?}");
            let mut body = of.clone();
            body.processes.push(Scheduled::always(kind.clone()));
            body.fixed = body.rest_positions.iter().map(|x| x.x < 1e-9).collect();
            body.time_step = 1e-4;
            let Some(body) = moving(body, |x| 0.2 * DVec3::X * x.x) else {
                continue;
            };
            let kinetic = body.kinetic_energy();
            let mut world = world(body);
            let found = run(&mut world, 0.3, &name);
            println!("{name}: {found:?} of {kinetic}");
            assert!(found.processes > 0.2 * kinetic, "{name}: {found:?}");
            assert!(
                found.rest.abs() < 0.1 * found.processes,
                "{name}: {found:?}"
            );
        }
    }
}
