//! Fracture: where, when and what it leaves behind.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::process::{Fracture, FractureCriterion, ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, FrameMaker, Grid, IntegratorKind, Workspace, World};
use std::sync::Arc;

const STIFFNESS: f64 = 50.0;

fn fracture(limit: f64, spread: f64, seed: u64) -> Fracture {
    Fracture {
        criterion: FractureCriterion::Elongation,
        limit,
        spread,
        seed,
        at_once: 1,
        order: 0,
    }
}

fn world(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

/// A hanging strip of links of unit length, held at its first node.
fn strip(nodes: usize, process: Fracture, gravity: f64) -> BodyDescription {
    let grid = Grid::new(&[nodes], &[false]);
    let h = grid.spacing(0);
    let rest = (0..nodes).map(|i| -h * i as f64 * DVec3::Z).collect();
    let mut strip = BodyDescription::new(
        "strip",
        grid,
        rest,
        Weights::uniform(nodes, STIFFNESS, 0.0, 0.0),
    );
    strip.fixed[0] = true;
    strip.masses.fill(0.01);
    strip.dampings.fill(0.2);
    strip.integrator = IntegratorKind::Static;
    strip
        .processes
        .push(Scheduled::always(ProcessKind::Fracture(process)));
    let acceleration = -gravity * DVec3::Z;
    let force = Arc::new(Gravity { acceleration });
    strip.forces.push(BoundForce { force, node: None });
    strip
}

#[test]
fn a_strip_breaks_at_the_analytic_load_and_at_its_top() {
    // The first link bears the n - 1 masses below it: elongation w/h² times l = m g (n - 1).
    let nodes = 6;
    let h = 1.0 / 5.0;
    let limit = 0.02;
    let breaking = limit * h * STIFFNESS / (h * h) / (0.01 * (nodes - 1) as f64);
    for (share, broken) in [(0.99, 0), (1.01, 1)] {
        let mut world = world(strip(nodes, fracture(limit, 0.0, 0), share * breaking));
        let mut workspace = Workspace::new(&world);
        let report = world.step(&mut workspace);
        assert_eq!(report.broken_links, broken, "at {share} of the load");
        let inelastic = world.bodies[0].inelastic().unwrap();
        assert_eq!(inelastic.is_broken(0, 0), broken == 1);
    }
}

/// A sheet whose halves fly apart.
fn bursting_sheet(process: Fracture) -> World {
    let grid = Grid::new(&[12, 8], &[false; 2]);
    let count = grid.node_count();
    let place = |c| {
        let [u, v, _] = grid.material_coordinates(c);
        DVec3::new(2.0 * u, v, 0.0)
    };
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let velocities = rest
        .iter()
        .map(|x| DVec3::new(3.0 * (x.x - 1.0), 0.2, 0.4 * x.y))
        .collect();
    let weights = Weights::uniform(count, 0.01, 1e-6, 0.0);
    let mut sheet = BodyDescription::new("sheet", grid, rest.clone(), weights);
    sheet.masses.fill(0.05);
    sheet.time_step = 0.005;
    sheet.integrator = IntegratorKind::Implicit;
    sheet
        .processes
        .push(Scheduled::always(ProcessKind::Fracture(process)));
    let state = pliant::State {
        positions: rest,
        velocities,
        ..pliant::State::default()
    };
    World {
        bodies: vec![Body::with_state(sheet, state).unwrap()],
        ..World::default()
    }
}

#[test]
fn energy_never_rises_and_momentum_is_kept() {
    let mut world = bursting_sheet(fracture(0.3, 0.4, 7));
    let mut workspace = Workspace::new(&world);
    let momentum = world.bodies[0].momentum();
    let mut energy = workspace.energies(&world).total();
    let mut broken = 0;
    for _ in 0..300 {
        let report = world.step(&mut workspace);
        assert!(report.broken_links >= broken && report.broken_links <= broken + 1);
        broken = report.broken_links;
        let now = report.energies.total();
        assert!(now <= energy * (1.0 + 1e-6), "{now} {energy}");
        energy = now;
        assert!((report.momentum - momentum).length() < 1e-6 * momentum.length());
    }
    assert!(broken > 8, "{broken}");
}

#[test]
fn the_same_seed_gives_the_same_cracks_and_a_lower_limit_more_of_them() {
    let run = |limit, seed| {
        let mut world = bursting_sheet(fracture(limit, 0.4, seed));
        let mut workspace = Workspace::new(&world);
        for _ in 0..100 {
            world.step(&mut workspace);
        }
        let inelastic = world.bodies[0].inelastic().cloned().unwrap();
        let broken: Vec<(usize, usize)> = (0..96)
            .flat_map(|node| [(node, 0), (node, 1)])
            .filter(|&(node, direction)| inelastic.is_broken(node, direction))
            .collect();
        (broken, world.state_hash())
    };
    assert_eq!(run(0.3, 1), run(0.3, 1));
    assert_ne!(run(0.3, 1).0, run(0.3, 2).0);
    assert!(run(0.6, 1).0.len() < run(0.3, 1).0.len());
}

#[test]
fn no_triangle_is_drawn_across_a_broken_link_and_snapshots_remember_it() {
    let mut torn = bursting_sheet(fracture(0.3, 0.4, 7));
    let mut workspace = Workspace::new(&torn);
    for _ in 0..150 {
        torn.step(&mut workspace);
    }
    let mut maker = FrameMaker::new(&torn);
    let frame = maker.frame(&torn, &mut workspace);
    let topology = &frame.bodies[0].topology;
    let inelastic = torn.bodies[0].inelastic().unwrap();
    let broken = |a: u32, b: u32| {
        let (low, high) = (a.min(b) as usize, a.max(b) as usize);
        (high == low + 1 && low % 12 != 11 && inelastic.is_broken(low, 0))
            || (high == low + 12 && inelastic.is_broken(low, 1))
    };
    for &[a, b, c] in &topology.triangles {
        assert!(!broken(a, b) && !broken(b, c) && !broken(c, a));
    }
    assert!(topology.triangles.len() < 2 * 11 * 7);

    let mut restored = bursting_sheet(fracture(0.3, 0.4, 7));
    restored.restore(&torn.snapshot()).unwrap();
    let mut fresh = Workspace::new(&restored);
    for _ in 0..40 {
        torn.step(&mut workspace);
        restored.step(&mut fresh);
    }
    assert_eq!(torn.snapshot(), restored.snapshot());
}

#[test]
fn a_crease_keeps_links_and_loses_bending() {
    let grid = Grid::new(&[9], &[false]);
    let rest: Vec<DVec3> = (0..9).map(|i| f64::from(i) * 0.125 * DVec3::X).collect();
    let mut rod = BodyDescription::new("rod", grid, rest, Weights::uniform(9, 100.0, 0.01, 0.0));
    rod.fixed[0] = true;
    rod.fixed[1] = true;
    rod.masses.fill(0.02);
    rod.dampings.fill(0.1);
    rod.integrator = IntegratorKind::Implicit;
    let force = Arc::new(Gravity {
        acceleration: -9.81 * DVec3::Z,
    });
    rod.forces.push(BoundForce { force, node: None });
    let crease = Fracture {
        order: 1,
        ..fracture(0.05, 0.0, 0)
    };
    rod.processes
        .push(Scheduled::always(ProcessKind::Fracture(crease)));
    let mut world = world(rod);
    let mut workspace = Workspace::new(&world);
    for _ in 0..200 {
        let report = world.step(&mut workspace);
        assert_eq!((report.broken_links, report.quarantined), (0, 0));
    }
    let shares = &world.bodies[0].inelastic().unwrap().stiffness_shares;
    assert!(shares.contains(&0.0) && shares.contains(&1.0));
    // Folded at the clamp, it hangs down.
    assert!(world.bodies[0].state.positions[8].z < -0.7);
}
