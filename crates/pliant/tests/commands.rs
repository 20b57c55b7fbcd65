//! Commands: what users do to a world while it runs is applied when a step begins, recorded, saved
//! and replayed to the bit.

mod support;

use glam::DVec3;
use pliant::command::{BodyValue, Command, CommandError, CommandForce, Stamped};
use pliant::fem::{
    CoreMotion, ElasticMaterial, MeshModel, MeshSettings, RigidCore, SolidModel, SolidStrain,
};
use pliant::force::Stencil;
use pliant::formulation::Hybrid;
use pliant::mesh::{Division, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::process::{Fracture, FractureCriterion, ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, FrameMaker, Workspace, World};
use std::sync::Arc;

/// A sheet, a hybrid block and a mesh over a floor.
fn world() -> World {
    let sheet = support::sheet([7, 7], [1.0, 1.0], 30.0, 0.01);
    let mut hybrid = support::block([4, 4, 3], DVec3::ONE, 5.0);
    hybrid.make_hybrid(Hybrid::default());
    let mesh = Arc::new(block([2, 2, 2], DVec3::ONE, Division::FiveTetrahedra).unwrap());
    let material = ElasticMaterial::new(2e4, 0.3, 200.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(mesh, Arc::new(model));
    let cube = BodyDescription::of_mesh("cube", settings, masses);
    let floor = Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, -0.3)).unwrap();
    let body = |mut description: BodyDescription| {
        description.time_step = 0.01;
        description.collides_with = vec![0];
        Body::new(description).unwrap()
    };
    World {
        bodies: [sheet, hybrid, cube].into_iter().map(body).collect(),
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        ..World::default()
    }
}

/// What a user does before a step.
fn commands_at(step: usize) -> Vec<Command> {
    let swing = |phase: f64| {
        let angle = 0.15 * step as f64 + phase;
        DVec3::new(0.4 * angle.cos(), 0.3 * angle.sin(), 0.5)
    };
    let spring = |constant| CommandForce::Spring {
        target: swing(0.0),
        constant,
    };
    let pull = |handle, body, node, constant| Command::AddForce {
        handle,
        body,
        node: Some(node),
        force: spring(constant),
    };
    match step {
        2 => vec![
            pull(1, 0, 24, 40.0),
            pull(2, 2, 3, 300.0),
            pull(3, 1, 5, 80.0),
            Command::AddForceAt {
                handle: 5,
                body: 0,
                stencil: MIDDLE,
                force: spring(25.0),
            },
            Command::AddForceAt {
                handle: 6,
                body: 2,
                stencil: MIDDLE,
                force: CommandForce::Push(DVec3::new(0.2, 0.0, 4.0)),
            },
        ],
        5 => vec![Command::AddForce {
            handle: 9,
            body: 2,
            node: None,
            force: CommandForce::Acceleration(DVec3::new(0.0, 0.0, -9.81)),
        }],
        8 => vec![
            Command::Fix { body: 0, node: 0 },
            Command::Fix { body: 2, node: 1 },
            Command::Fix { body: 1, node: 2 },
        ],
        12 => vec![
            Command::SetValue {
                body: 0,
                value: BodyValue::Stiffness,
                number: 3.0,
            },
            Command::SetValue {
                body: 2,
                value: BodyValue::Stiffness,
                number: 0.5,
            },
            Command::SetValue {
                body: 1,
                value: BodyValue::Friction,
                number: 0.7,
            },
        ],
        18 => vec![
            Command::Release { body: 0, node: 0 },
            Command::Release { body: 1, node: 2 },
            Command::RemoveForce { handle: 2 },
            Command::AddForce {
                handle: 4,
                body: 1,
                node: Some(0),
                force: CommandForce::Push(DVec3::new(0.3, 0.0, 0.1)),
            },
        ],
        step if step > 2 && step < 25 => vec![
            Command::MoveTarget {
                handle: 1,
                target: swing(0.2),
            },
            Command::MoveTarget {
                handle: 5,
                target: swing(0.5),
            },
            Command::MoveTarget {
                handle: 3,
                target: swing(0.9),
            },
        ],
        _ => Vec::new(),
    }
}

/// A point inside a triangle.
const MIDDLE: Stencil = Stencil {
    nodes: [8, 9, 15],
    weights: [0.5, 0.25, 0.25],
};

const STEPS: usize = 32;

/// Runs with commands; gives the hash after each step, snapshots before each, and the record.
fn run() -> (Vec<u64>, Vec<Vec<u8>>, Vec<Stamped>) {
    let mut world = world();
    let mut workspace = Workspace::new(&world);
    let (mut hashes, mut snapshots) = (Vec::new(), Vec::new());
    for step in 0..STEPS {
        snapshots.push(world.snapshot());
        for command in commands_at(step) {
            world.command(command).unwrap();
        }
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{step}");
        hashes.push(world.state_hash());
    }
    (hashes, snapshots, world.commands.take_record())
}

#[test]
fn a_record_is_replayed_to_the_bit_from_the_start_and_from_every_snapshot() {
    let (hashes, snapshots, record) = run();
    assert!(record.len() > 40);
    assert!(record.windows(2).all(|pair| pair[0].step <= pair[1].step));
    assert_eq!(record[0].step, 2);
    assert!((record[0].time - 0.02).abs() < 1e-12);
    for start in [0, 3, 9, 13, 20] {
        let mut replayed = world();
        replayed.restore(&snapshots[start]).unwrap();
        replayed.replay(&record).unwrap();
        let mut workspace = Workspace::new(&replayed);
        for (step, hash) in hashes.iter().enumerate().skip(start) {
            replayed.step(&mut workspace);
            assert_eq!(replayed.state_hash(), *hash, "step {step} from {start}");
        }
        let again = replayed.commands.record();
        assert_eq!(again, &record[record.len() - again.len()..]);
    }
}

#[test]
fn a_world_goes_back_to_what_it_was_before_commands() {
    let (hashes, snapshots, record) = run();
    // The same world and the same workspace, back and forth.
    let mut world = world();
    let mut workspace = Workspace::new(&world);
    for start in [20, 0, 9] {
        world.restore(&snapshots[start]).unwrap();
        assert_eq!(world.snapshot(), snapshots[start]);
        world.replay(&record).unwrap();
        for (step, hash) in hashes.iter().enumerate().skip(start) {
            world.step(&mut workspace);
            assert_eq!(world.state_hash(), *hash, "step {step} from {start}");
        }
    }
    world.restore(&snapshots[0]).unwrap();
    assert!(world.commands.effect().is_empty());
    assert!(
        world
            .bodies
            .iter()
            .all(|b| b.description().forces.is_empty())
    );
    assert!(!world.bodies[0].description().fixed.contains(&true));
}

#[test]
fn commands_do_what_they_say() {
    let mut world = world();
    let mut workspace = Workspace::new(&world);
    let mut maker = FrameMaker::new(&world);
    let target = DVec3::new(0.5, 0.5, 0.4);
    let pull = Command::AddForce {
        handle: 7,
        body: 0,
        node: Some(24),
        force: CommandForce::Spring {
            target,
            constant: 500.0,
        },
    };
    world.command(pull).unwrap();
    world.command(Command::Fix { body: 0, node: 0 }).unwrap();
    let held = world.bodies[0].state.positions[0];
    let far = |world: &World| (world.bodies[0].state.positions[24] - target).length();
    let before = far(&world);
    let mut nearest = before;
    for _ in 0..150 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        nearest = nearest.min(far(&world));
    }
    // The sheet is heavy and fixed at a corner: it has come some of the way.
    assert!(nearest < 0.7 * before, "{nearest} {before}");
    assert_eq!(world.bodies[0].state.positions[0], held);
    assert!(maker.frame(&world, &mut workspace).bodies[0].fixed[0]);
    world
        .command(Command::Release { body: 0, node: 0 })
        .unwrap();
    world.command(Command::RemoveForce { handle: 7 }).unwrap();
    let report = world.step(&mut workspace);
    // The energy of the spring goes as work.
    assert!(report.energy_created < 1e-2, "{report:?}");
    assert!(!maker.frame(&world, &mut workspace).bodies[0].fixed[0]);
    assert!(world.bodies[0].description().forces.is_empty());
}

/// A cube of tetrahedra that can come apart, under gravity.
fn breakable() -> World {
    let whole = block([2, 2, 2], DVec3::ONE, Division::FiveTetrahedra).unwrap();
    let material = ElasticMaterial::new(2e4, 0.3, 200.0).unwrap();
    let model: Arc<dyn MeshModel> = Arc::new(SolidModel::new(SolidStrain::Corotated, material));
    let settings = MeshSettings::breakable(&whole, Arc::clone(&model)).unwrap();
    let masses = model.masses(&settings.mesh).unwrap();
    let mut description = BodyDescription::of_mesh("cube", settings, masses);
    description
        .processes
        .push(Scheduled::always(ProcessKind::Fracture(Fracture {
            criterion: FractureCriterion::Stress,
            limit: 1e9,
            spread: 0.0,
            seed: 1,
            at_once: 1,
            order: 0,
        })));
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

#[test]
fn copies_of_a_vertex_are_held_together() {
    let mut world = breakable();
    let mut workspace = Workspace::new(&world);
    let fall = Command::AddForce {
        handle: 0,
        body: 0,
        node: None,
        force: CommandForce::Acceleration(DVec3::new(0.0, 0.0, -9.81)),
    };
    world.command(fall).unwrap();
    world.command(Command::Fix { body: 0, node: 17 }).unwrap();
    let held = world.bodies[0].state.positions[17];
    for _ in 0..20 {
        assert_eq!(world.step(&mut workspace).quarantined, 0);
    }
    let description = world.bodies[0].description();
    let rest = &description.rest_positions;
    let copies: Vec<usize> = (0..rest.len()).filter(|&n| rest[n] == rest[17]).collect();
    assert!(copies.len() > 1);
    for copy in copies {
        assert!(description.fixed[copy]);
        assert_eq!(world.bodies[0].state.positions[copy], held);
    }
    world
        .command(Command::Release { body: 0, node: 17 })
        .unwrap();
    for _ in 0..20 {
        world.step(&mut workspace);
    }
    assert!(world.bodies[0].state.positions[17].z < held.z - 0.05);
}

#[test]
fn a_node_of_a_rigid_core_is_not_held_by_itself() {
    let cube = world().bodies[2].description().clone();
    let mut settings = cube.mesh().unwrap().clone();
    settings.cores.push(RigidCore {
        nodes: vec![0, 1, 2, 3],
        motion: CoreMotion::Free,
    });
    let with_core = BodyDescription::of_mesh("cube", settings, cube.masses);
    let mut world = World {
        bodies: vec![Body::new(with_core).unwrap()],
        ..World::default()
    };
    let error = world
        .command(Command::Fix { body: 0, node: 2 })
        .unwrap_err();
    assert!(
        matches!(error, CommandError::InCore { node: 2, .. }),
        "{error}"
    );
    world.command(Command::Fix { body: 0, node: 4 }).unwrap();
}

#[test]
fn the_work_of_commands_closes_the_ledger() {
    let mut world = world();
    let mut workspace = Workspace::new(&world);
    let (mut work, mut gained) = (0.0, 0.0);
    for step in 0..STEPS {
        for command in commands_at(step) {
            world.command(command).unwrap();
        }
        let before = workspace.energies(&world).total();
        let report = world.step(&mut workspace);
        work += report.work.abs();
        gained += report.energy_created;
        let left = report.energies.total() - before - report.work + report.dissipated;
        assert!((left - report.energy_created).abs() < 1e-9 * work.max(1.0));
    }
    assert!(work > 1.0);
    assert!(gained < 0.02 * work, "{gained} {work}");
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let mut world = world();
    let hash = world.state_hash();
    let force = CommandForce::Push(DVec3::X);
    let add = |handle, body, node| Command::AddForce {
        handle,
        body,
        node,
        force,
    };
    let refused = |world: &mut World, command| world.command(command).unwrap_err();
    assert_eq!(
        refused(&mut world, add(1, 3, None)),
        CommandError::NoBody { body: 3, count: 3 }
    );
    let error = refused(&mut world, add(1, 0, Some(49)));
    assert!(matches!(error, CommandError::NoNode { node: 49, .. }));
    let unknown = Command::RemoveForce { handle: 1 };
    assert_eq!(
        refused(&mut world, unknown),
        CommandError::NoForce { handle: 1 }
    );
    world.command(add(1, 0, None)).unwrap();
    assert_eq!(
        refused(&mut world, add(1, 2, None)),
        CommandError::HandleInUse { handle: 1 }
    );
    let target = DVec3::ZERO;
    let moved = Command::MoveTarget { handle: 1, target };
    assert_eq!(
        refused(&mut world, moved),
        CommandError::NoSpring { handle: 1 }
    );
    let stiffer = |body, number| Command::SetValue {
        body,
        value: BodyValue::Stiffness,
        number,
    };
    for number in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
        let error = refused(&mut world, stiffer(0, number));
        assert!(matches!(error, CommandError::BadValue { .. }), "{number}");
    }
    let error = refused(&mut world, stiffer(1, 2.0)).to_string();
    assert!(error.contains("Hybrid"), "{error}");
    assert_eq!(world.state_hash(), hash);
    assert!(world.commands.record().is_empty());
}

#[test]
fn a_snapshot_whose_commands_do_not_fit_is_refused() {
    let mut with_force = world();
    let mut workspace = Workspace::new(&with_force);
    let force = CommandForce::Push(DVec3::X);
    let add = Command::AddForce {
        handle: 1,
        body: 2,
        node: Some(20),
        force,
    };
    with_force.command(add).unwrap();
    with_force.step(&mut workspace);
    let snapshot = with_force.snapshot();
    let mut other = world();
    let hash = other.state_hash();
    for end in (0..snapshot.len()).rev().take(200) {
        assert!(other.restore(&snapshot[..end]).is_err(), "{end}");
    }
    assert_eq!(other.state_hash(), hash);
    other.restore(&snapshot).unwrap();
    assert_eq!(other.state_hash(), with_force.state_hash());
    assert_eq!(other.commands.effect().force(1), Some(force));
}
