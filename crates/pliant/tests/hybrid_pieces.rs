//! Pieces of a torn hybrid body: each has a frame of its own, and what solidifies is one again.

mod support;

use glam::{DMat3, DVec3};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Hybrid;
use pliant::linear::SolverKind;
use pliant::process::{Fracture, FractureCriterion, Heat, Maxwell, ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use std::sync::Arc;
use support::block;

const COUNTS: [usize; 3] = [6, 3, 3];

fn bar(stiffness: f64) -> BodyDescription {
    let mut bar = block(COUNTS, DVec3::new(2.0, 0.8, 0.6), stiffness);
    bar.make_hybrid(Hybrid::default());
    bar.solver.kind = SolverKind::Cholesky;
    bar.masses.fill(0.05);
    bar
}

/// Cuts a bar in two in its middle.
fn cut(body: &mut Body) {
    let grid = body.description().grid().unwrap().clone();
    let across: Vec<(usize, usize)> = grid
        .nodes()
        .enumerate()
        .filter(|(_, at)| at[0] == 2)
        .map(|(node, _)| (node, 0))
        .collect();
    body.hybrid_mut().unwrap().cut(&grid, &across);
}

/// Momentum and angular momentum about its own centre of the nodes that are chosen.
fn momenta(body: &Body, chosen: impl Fn(usize) -> bool) -> (DVec3, DVec3, DVec3) {
    let masses = &body.description().masses;
    let State {
        positions,
        velocities,
        ..
    } = &body.state;
    let nodes: Vec<usize> = (0..masses.len()).filter(|&node| chosen(node)).collect();
    let mass: f64 = nodes.iter().map(|&n| masses[n]).sum();
    let centre = nodes
        .iter()
        .map(|&n| masses[n] * positions[n])
        .sum::<DVec3>()
        / mass;
    let momentum = nodes.iter().map(|&n| masses[n] * velocities[n]).sum();
    let turn = |&n: &usize| masses[n] * (positions[n] - centre).cross(velocities[n]);
    (centre, momentum, nodes.iter().map(turn).sum())
}

fn is_left(node: usize) -> bool {
    node % COUNTS[0] <= 2
}

#[test]
fn a_piece_turns_while_the_other_rests() {
    let angle_after = |dt: f64, integrator: IntegratorKind| {
        let mut description = bar(500.0);
        description.time_step = dt;
        description.integrator = integrator;
        let positions = description.rest_positions.clone();
        let mut body = Body::new(description).unwrap();
        cut(&mut body);
        let (centre, ..) = momenta(&body, |node| !is_left(node));
        let spin = 3.0 * DVec3::Z;
        for (node, position) in positions.iter().enumerate() {
            if !is_left(node) {
                body.state.velocities[node] = spin.cross(*position - centre);
            }
        }
        let before = [true, false].map(|left| momenta(&body, |node| is_left(node) == left));
        let mut world = World {
            bodies: vec![body],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let mut factorisations = 0;
        let steps = (1.0 / dt).round() as usize;
        for _ in 0..steps {
            factorisations += world.step(&mut workspace).factorisations;
        }
        assert_eq!(factorisations, 1);
        let body = &world.bodies[0];
        for (left, before) in [true, false].into_iter().zip(before) {
            let after = momenta(body, |node| is_left(node) == left);
            assert!((after.0 - before.0).length() < 1e-9, "the centre moves");
            assert!((after.1 - before.1).length() < 1e-12);
            assert!((after.2 - before.2).length() < 1e-12);
        }
        // The left piece has not moved, the right one is stretched by its spin a little.
        for node in (0..positions.len()).filter(|&node| is_left(node)) {
            assert!(body.state.positions[node].distance(positions[node]) < 1e-9);
        }
        let energies = workspace.energies(&world);
        assert!(energies.elastic < 0.01 * energies.kinetic, "{energies:?}");
        let edge = body.state.positions[5] - body.state.positions[3];
        let rest = positions[5] - positions[3];
        let angle = rest.cross(edge).z.atan2(rest.dot(edge));
        (angle - 3.0).abs()
    };
    // Momentum is kept exactly; the piece turns by ω t but for the little it is stretched.
    for (integrator, bound) in [
        (IntegratorKind::SemiImplicit, 0.02),
        (IntegratorKind::Midpoint, 0.02),
    ] {
        for dt in [0.01, 0.005] {
            let error = angle_after(dt, integrator);
            assert!(error < bound, "{integrator:?} {dt} {error}");
        }
    }
}

/// Pieces together have the energy of two bodies, whatever their places.
#[test]
fn pieces_that_move_rigidly_have_no_energy_and_feel_no_force() {
    let mut body = Body::new(bar(10.0)).unwrap();
    cut(&mut body);
    assert_eq!(body.hybrid().unwrap().pieces().count(), 2);
    let turn = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 1.1);
    for (node, position) in body.state.positions.iter_mut().enumerate() {
        if !is_left(node) {
            *position = turn * *position + DVec3::new(3.0, -1.0, 0.5);
        }
    }
    let world = World {
        bodies: vec![body],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    assert!(workspace.energies(&world).elastic < 1e-20);
    let (elastic, _) = workspace.forces(&world, 0);
    assert!(elastic.iter().all(|force| force.length() < 1e-10));
}

#[test]
fn a_part_that_tears_off_falls_freely_and_the_rest_stays() {
    let mut description = bar(20.0);
    description.time_step = 0.005;
    let force = Arc::new(Gravity {
        acceleration: 9.81 * DVec3::NEG_Z,
    });
    description.forces.push(BoundForce { force, node: None });
    for node in (0..54).filter(|&node| node % COUNTS[0] == 0) {
        description.fixed[node] = true;
    }
    let mut body = Body::new(description).unwrap();
    cut(&mut body);
    let mut world = World {
        bodies: vec![body],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let right = |world: &World| momenta(&world.bodies[0], |node| !is_left(node));
    let (start, ..) = right(&world);
    for _ in 0..100 {
        assert_eq!(world.step(&mut workspace).quarantined, 0);
    }
    let (centre, momentum, angular) = right(&world);
    let mass = 27.0 * 0.05;
    assert!((momentum - mass * 0.5 * 9.81 * DVec3::NEG_Z).length() < 1e-9);
    assert!(angular.length() < 1e-9);
    // Backward Euler falls ½ g t² (1 + dt/t).
    assert!((start.z - centre.z - 0.5 * 9.81 * 0.25 * 1.01).abs() < 1e-9);
    let (held, ..) = momenta(&world.bodies[0], is_left);
    assert!(held.z > 0.2 && held.z < 0.3, "{held}");
}

/// A hybrid bar that flies apart tears; then every piece keeps its momenta.
#[test]
fn pieces_of_a_burst_keep_momenta_and_a_restored_run_goes_on_bit_for_bit() {
    let fracture = Fracture {
        criterion: FractureCriterion::Elongation,
        limit: 0.1,
        spread: 0.3,
        seed: 5,
        at_once: 30,
        order: 0,
    };
    let mut description = bar(1.0);
    description.time_step = 0.01;
    description
        .processes
        .push(Scheduled::always(ProcessKind::Fracture(fracture)));
    let positions = description.rest_positions.clone();
    let fling = |x: &DVec3| DVec3::new(4.0 * (x.x - 1.0), x.z - 0.5, -2.0 * x.y + x.x);
    let state = State {
        velocities: positions.iter().map(fling).collect(),
        positions,
        ..State::default()
    };
    let make = || World {
        bodies: vec![Body::with_state(description.clone(), state.clone()).unwrap()],
        ..World::default()
    };
    let mut world = make();
    let mut workspace = Workspace::new(&world);
    let (momentum, angular) = (
        world.bodies[0].momentum(),
        world.bodies[0].angular_momentum(),
    );
    let mut energy = f64::INFINITY;
    for _ in 0..60 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        assert!(report.energies.total() <= energy * (1.0 + 1e-9));
        energy = report.energies.total();
    }
    let body = &world.bodies[0];
    let count = body.hybrid().unwrap().pieces().count();
    assert!(count >= 2, "{count} pieces");
    assert!((body.momentum() - momentum).length() < 1e-10);
    let lost = (body.angular_momentum() - angular).length();
    // Pieces of two nodes lose what a vibration carried about their axis, which has no inertia.
    assert!(
        lost < 1e-4 * angular.length(),
        "{lost} of {angular}, {count} pieces"
    );

    let mut restored = make();
    restored.restore(&world.snapshot()).unwrap();
    let mut fresh = Workspace::new(&restored);
    for _ in 0..20 {
        world.step(&mut workspace);
        restored.step(&mut fresh);
        assert_eq!(world.snapshot(), restored.snapshot());
    }
}

/// A block that melts at one end and solidifies where it is: no stress, no loose node is left.
#[test]
fn molten_hybrid_nodes_solidify_where_they_are() {
    let heat = Heat {
        // Hot beyond the melting point in the right half.
        temperatures: (0..54)
            .map(|node| if is_left(node) { 300.0 } else { 700.0 })
            .collect(),
        conductivities: vec![[2.0; 3]],
        melting: 500.0,
        air_exchange: 30.0,
        air_temperature: 300.0,
        capacity: 20.0,
        solidifies: true,
        ..Heat::insulated(300.0, 0.0, 20.0)
    };
    let mut description = bar(20.0);
    description.time_step = 0.01;
    description.dampings.fill(0.5);
    for kind in [
        ProcessKind::Heat(heat),
        ProcessKind::Maxwell(Maxwell::uniform(50.0)),
    ] {
        description.processes.push(Scheduled::always(kind));
    }
    let mut body = Body::new(description).unwrap();
    // Molten nodes drift a little; the solid half turns meanwhile.
    for (node, velocity) in body.state.velocities.iter_mut().enumerate() {
        let arm = body.state.positions[node] - DVec3::new(0.4, 0.4, 0.3);
        *velocity = if is_left(node) {
            (0.6 * DVec3::Z).cross(arm)
        } else {
            0.1 * DVec3::new(arm.y, -arm.z, arm.x)
        };
    }
    let mut world = World {
        bodies: vec![body],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let first = world.step(&mut workspace);
    assert!(first.molten >= 18, "{}", first.molten);
    let pieces = |world: &World| world.bodies[0].hybrid().unwrap().pieces().clone();
    assert!(!pieces(&world).is_whole());
    let mut largest: f64 = 0.0;
    let mut frozen_at = None;
    for step in 0..400 {
        let before = workspace.energies(&world).total();
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        // New links are free of stress: what little energy they bring is that of the strain of
        // their neighbours.
        largest = largest.max(report.energies.total() - before);
        if report.molten == 0 && report.broken_links == 0 && frozen_at.is_none() {
            frozen_at = Some(step);
        }
    }
    let thermal = &world.bodies[0].inelastic().unwrap().thermal;
    let left = world.bodies[0].broken_count();
    assert!(frozen_at.is_some(), "{left} {:?}", thermal.temperatures);
    let report = world.step(&mut workspace);
    assert_eq!((report.molten, report.broken_links), (0, 0));
    assert!(pieces(&world).is_whole());
    assert!(largest < 0.02, "{largest}");
    // It is one body again, in its new shape: pulled at one end, the other follows.
    let body = &mut world.bodies[0];
    body.state.velocities.fill(DVec3::ZERO);
    for node in (0..54).filter(|node| node % COUNTS[0] == 5) {
        body.state.velocities[node] = DVec3::X;
    }
    let (before, ..) = momenta(&world.bodies[0], is_left);
    for _ in 0..400 {
        world.step(&mut workspace);
    }
    // In the end every node has moved by the momentum over the damping: 9 m v / (54 c).
    let (after, ..) = momenta(&world.bodies[0], is_left);
    let moved = 9.0 * 0.05 / (54.0 * 0.5);
    assert!(
        ((after.x - before.x) / moved - 1.0).abs() < 0.3,
        "{before} {after}"
    );
}
