//! Commands at points between nodes: a pull is spread over the nodes of the triangle that was hit.

mod support;

use glam::DVec3;
use pliant::command::{Command, CommandError, CommandForce};
use pliant::force::Stencil;
use pliant::{Body, Workspace, World};

/// A point inside a triangle.
const MIDDLE: Stencil = Stencil {
    nodes: [8, 9, 15],
    weights: [0.5, 0.25, 0.25],
};

fn world() -> World {
    let mut sheet = support::sheet([7, 7], [1.0, 1.0], 30.0, 0.01);
    sheet.time_step = 0.01;
    World {
        bodies: vec![Body::new(sheet).unwrap()],
        ..World::default()
    }
}

#[test]
fn a_pull_inside_a_triangle_moves_its_nodes_by_their_weights() {
    let mut world = world();
    let mut workspace = Workspace::new(&world);
    let before = world.bodies[0].state.positions.clone();
    let target = MIDDLE.point(&before) + 0.5 * DVec3::Z;
    let force = CommandForce::Spring {
        target,
        constant: 1.0,
    };
    let pull = Command::AddForceAt {
        handle: 1,
        body: 0,
        stencil: MIDDLE,
        force,
    };
    world.command(pull).unwrap();
    world.command(Command::Fix { body: 0, node: 9 }).unwrap();
    world.step(&mut workspace);
    let moved = |world: &World, node: usize| world.bodies[0].state.positions[node] - before[node];
    // All nodes weigh the same, and a short step moves them as their forces go; one is fixed.
    let (half, quarter) = (moved(&world, 8).z, moved(&world, 15).z);
    assert!(
        half > 0.0 && (half / quarter - 2.0).abs() < 0.02,
        "{half} {quarter}"
    );
    assert_eq!(moved(&world, 9), DVec3::ZERO);
    // The point follows its target when the pull is strong.
    let strong = Command::AddForceAt {
        handle: 2,
        body: 0,
        stencil: MIDDLE,
        force: CommandForce::Spring {
            target,
            constant: 500.0,
        },
    };
    world.command(strong).unwrap();
    world
        .command(Command::Release { body: 0, node: 9 })
        .unwrap();
    let far = |world: &World| (MIDDLE.point(&world.bodies[0].state.positions) - target).length();
    let at_first = far(&world);
    let mut nearest = at_first;
    for _ in 0..100 {
        assert_eq!(world.step(&mut workspace).quarantined, 0);
        nearest = nearest.min(far(&world));
    }
    assert!(nearest < 0.8 * at_first, "{nearest} {at_first}");
}

#[test]
fn a_point_that_makes_no_sense_is_refused() {
    let mut world = world();
    let mut refused = |stencil, force| {
        let add = Command::AddForceAt {
            handle: 1,
            body: 0,
            stencil,
            force,
        };
        world.command(add).unwrap_err()
    };
    let push = CommandForce::Push(DVec3::X);
    let heavy = Stencil {
        weights: [1.0, 1.0, 0.0],
        ..MIDDLE
    };
    let error = refused(heavy, push);
    assert!(matches!(error, CommandError::BadPoint { .. }), "{error}");
    let error = refused(Stencil::node(49), push);
    assert!(
        matches!(error, CommandError::NoNode { node: 49, .. }),
        "{error}"
    );
    let error = refused(MIDDLE, CommandForce::Acceleration(DVec3::X));
    assert!(error.to_string().contains("whole nodes"), "{error}");
}
