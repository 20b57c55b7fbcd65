//! Bodies of sticks and of ChainMail: what they promise as all bodies do, and what their methods say.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity, Spring};
use pliant::formulation::{ChainMail, Sticks};
use pliant::obstacle::{Obstacle, Plane, Sphere};
use pliant::{Body, BodyDescription, FrameMaker, Grid, Workspace, World};
use std::sync::Arc;

fn sheet(counts: [usize; 2], spacing: f64) -> BodyDescription {
    let grid = Grid::new(&counts, &[false, false]);
    let place = |[i, j, _]: [usize; 3]| spacing * DVec3::new(i as f64, j as f64, 0.0);
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let count = rest.len();
    BodyDescription::new("sheet", grid, rest, Weights::uniform(count, 1.0, 0.0, 0.0))
}

fn gravity() -> BoundForce {
    let acceleration = DVec3::new(0.0, 0.0, -10.0);
    BoundForce {
        force: Arc::new(Gravity { acceleration }),
        node: None,
    }
}

fn run(world: &mut World, steps: usize) {
    let mut workspace = Workspace::new(world);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.non_finite), (0, 0));
    }
}

fn hanging(iterations: usize) -> World {
    let mut cloth = sheet([12, 12], 0.1);
    cloth.make_sticks(Sticks {
        iterations,
        reach: 2,
    });
    cloth.time_step = 0.01;
    cloth.dampings.fill(0.5);
    cloth.fixed[0] = true;
    cloth.fixed[11] = true;
    cloth.forces.push(gravity());
    World {
        bodies: vec![Body::new(cloth).unwrap()],
        ..World::default()
    }
}

fn longest_strain(world: &World) -> f64 {
    let body = &world.bodies[0];
    let (rest, now) = (&body.description().rest_positions, &body.state.positions);
    let mut largest: f64 = 0.0;
    let formulation = &body.description().formulation;
    formulation.edges(body.description(), &mut |a, b| {
        let strain = now[a].distance(now[b]) / rest[a].distance(rest[b]) - 1.0;
        largest = largest.max(strain);
    });
    largest
}

/// What the thesis says of sticks: they stretch less the more rounds they are given.
#[test]
fn sticks_stretch_less_with_more_rounds() {
    let strains = [2, 10, 50].map(|iterations| {
        let mut world = hanging(iterations);
        run(&mut world, 300);
        longest_strain(&world)
    });
    assert!(
        strains[0] > 1.5 * strains[1] && strains[1] > 1.5 * strains[2],
        "{strains:?}"
    );
    assert!(strains[2] < 0.05, "{strains:?}");
}

/// Two particles and a stick: a pendulum, whose period for small swings is 2π √(l/g).
#[test]
fn a_stick_swings_as_a_pendulum() {
    let grid = Grid::new(&[2], &[false]);
    let rest = vec![DVec3::ZERO, DVec3::new(0.05, 0.0, -1.0)];
    let mut rod = BodyDescription::new("rod", grid, rest, Weights::uniform(2, 1.0, 0.0, 0.0));
    rod.make_sticks(Sticks::default());
    rod.time_step = 1e-3;
    rod.fixed[0] = true;
    rod.forces.push(gravity());
    let mut world = World {
        bodies: vec![Body::new(rod).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let mut crossings = Vec::new();
    let mut before = 0.05;
    for step in 1..=4000 {
        world.step(&mut workspace);
        let x = world.bodies[0].state.positions[1].x;
        if before > 0.0 && x <= 0.0 {
            crossings.push(1e-3 * (step as f64 - 1.0 + before / (before - x)));
        }
        before = x;
    }
    let period = crossings[1] - crossings[0];
    let length = (1.0_f64 + 0.05 * 0.05).sqrt();
    let expected = std::f64::consts::TAU * (length / 10.0).sqrt();
    assert!(
        (period / expected - 1.0).abs() < 2e-3,
        "{period} {expected}"
    );
}

#[test]
fn sticks_lie_on_obstacles_and_keep_their_lengths() {
    let mut world = hanging(30);
    let ball = Sphere::new(DVec3::new(0.55, 0.55, -0.6), 0.5).unwrap();
    let mut body = world.bodies[0].description().clone();
    body.fixed.fill(false);
    body.collides_with = vec![0, 1];
    let ground = Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, -1.1)).unwrap();
    world.bodies = vec![Body::new(body).unwrap()];
    world.obstacles = vec![
        Obstacle::new("ball", Box::new(ball)),
        Obstacle::new("ground", Box::new(ground)),
    ];
    run(&mut world, 200);
    for position in &world.bodies[0].state.positions {
        assert!(position.distance(DVec3::new(0.55, 0.55, -0.6)) > 0.5 - 1e-9);
        assert!(position.z > -1.1 - 1e-9);
    }
    assert!(longest_strain(&world) < 0.1);
}

fn mail(cut: bool) -> World {
    let grid = Grid::new(&[9, 9, 3], &[false; 3]);
    let place = |at: [usize; 3]| 0.1 * DVec3::from(at.map(|i| i as f64));
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let count = rest.len();
    let corner = grid.index([8, 8, 2]);
    let mut slab = BodyDescription::new("slab", grid, rest, Weights::uniform(count, 1.0, 0.0, 0.0));
    for node in 0..81 {
        slab.fixed[node] = true;
    }
    let start = slab.rest_positions[corner];
    slab.forces.push(BoundForce {
        force: Arc::new(Spring {
            constant: 1.0,
            start,
            end: start + DVec3::new(0.3, 0.2, 0.5),
            from: 0.0,
            until: 1.0,
        }),
        node: Some(corner),
    });
    let low = DVec3::new(0.0, 0.0, 0.12);
    slab.make_chain_mail(ChainMail {
        cut: cut.then_some([low, DVec3::ONE]),
        cut_time: 0.3,
        ..ChainMail::default()
    });
    slab.time_step = 0.02;
    World {
        bodies: vec![Body::new(slab).unwrap()],
        ..World::default()
    }
}

/// A dragged corner goes as far as the chain to the fixed layer lets it, and no limit is violated.
#[test]
fn chain_mail_follows_a_spring_within_its_limits() {
    let mut world = mail(false);
    run(&mut world, 49);
    let positions = &world.bodies[0].state.positions;
    let grid = world.bodies[0].description().grid().unwrap();
    let corner = positions[grid.index([8, 8, 2])];
    // Two links up: 1.3 times their length along z, 0.4 times across.
    let reach = DVec3::new(0.8 + 0.08, 0.8 + 0.08, 0.26);
    assert!((corner - reach).length() < 1e-9, "{corner}");
    for at in grid.nodes() {
        for d in 0..3 {
            let mut step = [0; 3];
            step[d] = 1;
            let Some(next) = grid.neighbour(at, step) else {
                continue;
            };
            let offset = positions[next] - positions[grid.index(at)];
            for c in 0..3 {
                let [low, high] = if c == d { [0.07, 0.13] } else { [-0.04, 0.04] };
                assert!(offset[c] > low - 1e-12 && offset[c] < high + 1e-12);
            }
        }
    }
}

#[test]
fn cut_links_let_go_and_show() {
    let mut world = mail(true);
    run(&mut world, 49);
    let body = &world.bodies[0];
    // Links with their middle above 0.12: 81 upwards, 2 · 8 · 9 in the upper layer.
    assert_eq!(body.broken_count(), 81 + 144);
    let corner = body.state.positions[body.description().grid().unwrap().index([8, 8, 2])];
    let target = DVec3::new(0.8, 0.8, 0.2) + 0.98 * DVec3::new(0.3, 0.2, 0.5);
    assert!(corner.distance(target) < 1e-9, "{corner} {target}");
    assert!(body.formulation().topology_version(body) > 0);
}

/// A run that is restored goes on with the same bits, and frames can be made.
#[test]
fn snapshots_go_on_with_the_same_bits() {
    for make in [|| hanging(5), || mail(true)] {
        let mut whole = make();
        run(&mut whole, 30);
        let mut first = make();
        run(&mut first, 12);
        let mut second = make();
        second.restore(&first.snapshot()).unwrap();
        run(&mut second, 18);
        assert_eq!(second.bodies[0].state, whole.bodies[0].state);
        assert_eq!(
            second.bodies[0].broken_count(),
            whole.bodies[0].broken_count()
        );
        let mut workspace = Workspace::new(&second);
        let frame = FrameMaker::new(&second).frame(&second, &mut workspace);
        assert_eq!(frame.bodies[0].positions, second.bodies[0].state.positions);
    }
}

#[test]
fn what_they_cannot_do_is_refused() {
    let mut slab = sheet([4, 4], 0.1);
    slab.make_chain_mail(ChainMail::default());
    slab.forces.push(gravity());
    assert!(Body::new(slab.clone()).is_err());
    slab.forces.clear();
    assert!(Body::new(slab.clone()).is_ok());
    slab.rest_positions[3].z += 0.05;
    assert!(Body::new(slab.clone()).is_err());
    let mut cloth = sheet([4, 4], 0.1);
    cloth.make_sticks(Sticks {
        iterations: 0,
        reach: 1,
    });
    assert!(Body::new(cloth).is_err());
}
