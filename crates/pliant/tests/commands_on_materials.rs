//! Commands that change a material while it runs: cutting, heating and cooling. They are saved and
//! replayed to the bit as all commands are.

mod support;

use glam::DVec3;
use pliant::body::Blade;
use pliant::command::{BodyValue, Command, CommandError, CommandForce, Stamped};
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::formulation::Hybrid;
use pliant::mesh::{Division, block};
use pliant::process::{
    Fracture, FractureCriterion, Heat, Maxwell, ProcessKind, Prony, PronyBranch, Scheduled,
};
use pliant::{Body, BodyDescription, Workspace, World};
use std::sync::Arc;

/// A fracture that never happens by itself.
fn tough() -> Scheduled {
    Scheduled::always(ProcessKind::Fracture(Fracture {
        criterion: FractureCriterion::Elongation,
        limit: 1e9,
        spread: 0.0,
        seed: 1,
        at_once: 1,
        order: 0,
    }))
}

fn made(mut description: BodyDescription) -> Body {
    description.time_step = 0.01;
    Body::new(description).unwrap()
}

/// A sheet of 9 x 9 nodes, a hybrid one beside it, and a cube of tetrahedra. All are 1 m high, from
/// y = -0.5 to 0.5, and held at their upper ends.
fn bodies() -> Vec<Body> {
    let sheet = support::sheet([9, 9], [1.0, 1.0], 60.0, 0.01);
    let mut hybrid = support::sheet([9, 9], [1.0, 1.0], 60.0, 0.01);
    hybrid.make_hybrid(Hybrid::default());
    let mut whole = block([3, 3, 3], DVec3::ONE, Division::FiveTetrahedra).unwrap();
    let middle = DVec3::splat(0.5);
    whole
        .positions
        .iter_mut()
        .for_each(|place| *place -= middle);
    let material = ElasticMaterial::new(1e5, 0.3, 200.0).unwrap();
    let model: Arc<dyn MeshModel> = Arc::new(SolidModel::new(SolidStrain::Corotated, material));
    let settings = MeshSettings::breakable(&whole, Arc::clone(&model)).unwrap();
    let masses = model.masses(&settings.mesh).unwrap();
    let cube = BodyDescription::of_mesh("cube", settings, masses);
    let held = |mut description: BodyDescription| {
        description.processes.push(tough());
        let rest = description.rest_positions.iter();
        description.fixed = rest.map(|place| place.y > 0.49).collect();
        made(description)
    };
    [sheet, hybrid, cube].map(held).into()
}

fn world(bodies: Vec<Body>) -> World {
    World {
        bodies,
        ..World::default()
    }
}

/// A blade that is level at a height, from one x to another.
fn level(height: f64, from: f64, to: f64) -> Blade {
    let corner = |x: f64, z: f64| DVec3::new(x, height, z);
    Blade {
        corners: [
            corner(from, -3.0),
            corner(to, -3.0),
            corner(0.5 * (from + to), 60.0),
        ],
    }
}

fn gravity(body: usize) -> Command {
    Command::AddForce {
        handle: 100 + body as u32,
        body,
        node: None,
        force: CommandForce::Acceleration(DVec3::new(0.0, -9.81, 0.0)),
    }
}

/// Runs a world with commands at steps; gives the hashes, the snapshots before each step, the record.
fn run(
    world: &mut World,
    steps: usize,
    commands: impl Fn(usize) -> Vec<Command>,
) -> (Vec<u64>, Vec<Vec<u8>>, Vec<Stamped>) {
    let mut workspace = Workspace::new(world);
    let (mut hashes, mut snapshots) = (Vec::new(), Vec::new());
    for step in 0..steps {
        snapshots.push(world.snapshot());
        for command in commands(step) {
            world.command(command).unwrap();
        }
        assert_eq!(world.step(&mut workspace).quarantined, 0, "{step}");
        hashes.push(world.state_hash());
    }
    (hashes, snapshots, world.commands.take_record())
}

/// The record, replayed from some of the snapshots, gives the same bits.
fn check_replay(
    fresh: impl Fn() -> World,
    (hashes, snapshots, record): &(Vec<u64>, Vec<Vec<u8>>, Vec<Stamped>),
) {
    for start in [0, hashes.len() / 3, hashes.len() / 2] {
        let mut replayed = fresh();
        replayed.restore(&snapshots[start]).unwrap();
        replayed.replay(record).unwrap();
        let mut workspace = Workspace::new(&replayed);
        for (step, hash) in hashes.iter().enumerate().skip(start) {
            replayed.step(&mut workspace);
            assert_eq!(replayed.state_hash(), *hash, "step {step} from {start}");
        }
    }
}

#[test]
fn a_cut_severs_what_it_crosses_and_the_rest_falls() {
    let mut cut = world(bodies());
    let commands = |step: usize| match step {
        0 => (0..3).map(gravity).collect(),
        // Half of the way, then the other half; a triangle becomes narrow with its height.
        5 => cuts(-2.0, 0.06),
        9 => cuts(-0.3, 2.0),
        _ => Vec::new(),
    };
    fn cuts(from: f64, to: f64) -> Vec<Command> {
        let blade = level(0.19, from, to);
        (0..3).map(|body| Command::Cut { body, blade }).collect()
    }
    let ran = run(&mut cut, 40, commands);
    for (index, body) in cut.bodies.iter().enumerate() {
        let name = &body.description().name;
        let rest = &body.description().rest_positions;
        // A sheet has nine links at that height.
        if index < 2 {
            assert_eq!(body.broken_count(), 9, "{name}");
        } else {
            assert!(body.broken_count() > 10, "{name}");
        }
        let fallen = |below: bool| {
            let nodes = (0..rest.len()).filter(|&node| (rest[node].y < 0.1) == below);
            let (count, sum) = nodes.fold((0, 0.0), |(count, sum), node| {
                (count + 1, sum + rest[node].y - body.state.positions[node].y)
            });
            sum / f64::from(count)
        };
        // 0.3 s of free fall are 0.44 m; what was stretched snaps back in addition.
        let (lower, upper) = (fallen(true), fallen(false));
        assert!((0.3..1.2).contains(&lower), "{name}: {lower}");
        assert!(upper < 0.5 * lower, "{name}: {upper} {lower}");
    }
    check_replay(|| world(bodies()), &ran);
}

#[test]
fn a_cut_beside_a_body_changes_no_bit() {
    let mut cut = world(bodies());
    let mut whole = world(bodies());
    let blade = level(0.19, 5.0, 9.0);
    let cuts = |step: usize| match step {
        3 => (0..3).map(|body| Command::Cut { body, blade }).collect(),
        _ => Vec::new(),
    };
    let (cut, _, record) = run(&mut cut, 12, cuts);
    let (whole, ..) = run(&mut whole, 12, |_| Vec::new());
    assert_eq!(record.len(), 3);
    assert_eq!(cut, whole);
}

#[test]
fn a_cut_creates_no_energy() {
    let mut world = world(bodies());
    let mut workspace = Workspace::new(&world);
    for body in 0..3 {
        world.command(gravity(body)).unwrap();
    }
    for _ in 0..20 {
        world.step(&mut workspace);
    }
    let elastic = workspace.energies(&world).elastic;
    for body in 0..3 {
        let blade = level(0.19, -2.0, 2.0);
        world.command(Command::Cut { body, blade }).unwrap();
    }
    let report = world.step(&mut workspace);
    // The energy of the links that are gone is work that the blade takes out.
    assert!(report.work < 0.0 && report.work > -elastic, "{report:?}");
    assert!(report.energy_created < 0.02 * elastic, "{report:?}");
}

#[test]
fn heat_reaches_what_is_near_and_spares_what_is_held() {
    let build = || {
        let mut block = support::block([7, 5, 5], DVec3::ONE, 300.0);
        let heat = Heat {
            held: vec![(0, 290.0)],
            softening: 350.0,
            melting: 1e4,
            ..Heat::insulated(300.0, 1e-9, 500.0)
        };
        block
            .processes
            .push(Scheduled::always(ProcessKind::Heat(heat)));
        world(vec![made(block)])
    };
    let mut world = build();
    let place = DVec3::new(0.1, 0.1, 0.1);
    let touch = |kelvin| Command::Heat {
        body: 0,
        place,
        radius: 0.5,
        kelvin,
    };
    let ran = run(&mut world, 9, |step| match step {
        2 => vec![touch(400.0)],
        5 => vec![touch(-100.0), touch(-100.0)],
        _ => Vec::new(),
    });
    let body = &world.bodies[0];
    for (node, place_of) in body.description().rest_positions.iter().enumerate() {
        let share = (1.0 - place_of.distance_squared(place) / 0.25).max(0.0);
        let expected = match node {
            0 => 290.0,
            _ => 300.0 + 200.0 * share * share,
        };
        let found = body.temperatures()[node];
        assert!(
            (found - expected).abs() < 0.01,
            "{node}: {found} {expected}"
        );
    }
    check_replay(build, &ran);
}

/// A bar that is stretched by a tenth, with a process.
fn stretched(kind: ProcessKind, schedule: [f64; 2]) -> World {
    let mut bar = support::line(5, 1.0, [50.0, 0.0, 0.0]);
    bar.processes.push(Scheduled {
        kind,
        from: schedule[0],
        until: schedule[1],
    });
    bar.fixed[0] = true;
    bar.fixed[4] = true;
    let mut world = world(vec![made(bar)]);
    let positions = &mut world.bodies[0].state.positions;
    positions.iter_mut().for_each(|place| place.x *= 1.1);
    world
}

fn warm(number: f64) -> Command {
    Command::SetValue {
        body: 0,
        value: BodyValue::Warmth,
        number,
    }
}

#[test]
fn what_is_twice_as_warm_flows_as_with_half_the_time_and_what_is_cold_not_at_all() {
    let maxwell = |time| ProcessKind::Maxwell(Maxwell::uniform(time));
    let prony = |time| {
        let branches = vec![PronyBranch { share: 0.5, time }];
        ProcessKind::Prony(Prony { branches })
    };
    let always = [f64::NEG_INFINITY, f64::INFINITY];
    let never = [f64::INFINITY; 2];
    let flows = |mut world: World, command: Option<Command>| {
        let ran = run(&mut world, 15, |step| match step {
            0 => command.into_iter().collect(),
            _ => Vec::new(),
        });
        let flows = world.bodies[0].inelastic().unwrap().clone();
        (flows, ran)
    };
    for kind in [&maxwell as &dyn Fn(f64) -> ProcessKind, &prony] {
        let (twice, ran) = flows(stretched(kind(0.4), always), Some(warm(2.0)));
        let (half, _) = flows(stretched(kind(0.2), always), None);
        assert_eq!(twice, half);
        check_replay(|| stretched(kind(0.4), always), &ran);
        // Warmth holds whatever the schedule says.
        let (woken, _) = flows(stretched(kind(0.2), never), Some(warm(1.0)));
        assert_eq!(woken, half);
        let (cold, _) = flows(stretched(kind(0.2), always), Some(warm(0.0)));
        let (elastic, _) = flows(stretched(kind(0.2), never), None);
        assert_eq!(cold, elastic);
        assert_ne!(cold, half);
    }
}

#[test]
fn a_shape_that_was_moulded_warm_and_cooled_stays() {
    let always = [f64::NEG_INFINITY, f64::INFINITY];
    let end_after = |cold: bool| {
        let mut world = stretched(ProcessKind::Maxwell(Maxwell::uniform(0.05)), always);
        run(&mut world, 120, |step| match step {
            0 if cold => vec![warm(0.0)],
            // Moulded: cooled, then released.
            40 => vec![warm(0.0), Command::Release { body: 0, node: 4 }],
            _ => Vec::new(),
        });
        let links = &world.bodies[0].state.positions;
        (links[4] - links[0]).length()
    };
    // Half of a second is ten times of relaxation; the rest swings about its length.
    let (moulded, elastic) = (end_after(false), end_after(true));
    assert!((moulded - 1.1).abs() < 0.02, "{moulded}");
    assert!(elastic < 1.08 || (elastic - 1.1).abs() > 0.02, "{elastic}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut plain = world(vec![made(support::sheet([4, 4], [1.0, 1.0], 30.0, 0.01))]);
    let blade = level(0.0, -1.0, 1.0);
    let heat = |radius, kelvin| Command::Heat {
        body: 0,
        place: DVec3::ZERO,
        radius,
        kelvin,
    };
    let refused = |world: &mut World, command| world.command(command).unwrap_err();
    assert!(matches!(
        refused(&mut plain, Command::Cut { body: 0, blade }),
        CommandError::NoCut { .. }
    ));
    assert!(matches!(
        refused(&mut plain, heat(1.0, 10.0)),
        CommandError::NoHeat { .. }
    ));
    assert!(matches!(
        refused(&mut plain, warm(1.0)),
        CommandError::NotViscoelastic { .. }
    ));
    let mut world = world(bodies());
    let crooked = Blade {
        corners: [DVec3::ZERO, DVec3::NAN, DVec3::X],
    };
    let wrong = [
        Command::Cut { body: 7, blade },
        Command::Cut {
            body: 0,
            blade: crooked,
        },
        heat(0.0, 1.0),
        heat(f64::INFINITY, 1.0),
        heat(1.0, f64::NAN),
        heat(1.0, 1e9),
    ];
    for command in wrong {
        refused(&mut world, command);
    }
    let mut bar = stretched(ProcessKind::Maxwell(Maxwell::uniform(1.0)), [0.0, 1.0]);
    for number in [-1.0, f64::NAN, 1e7] {
        refused(&mut bar, warm(number));
    }
}
