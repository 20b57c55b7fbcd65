//! Contact with obstacles by every method, adaptive steps, and what happens when steps fail.

mod support;

use glam::{DMat3, DVec3};
use pliant::contact::{ContactMethod, ContactSettings};
use pliant::force::{BoundForce, Gravity, Spring};
use pliant::linear::{SolverKind, SolverSettings};
use pliant::obstacle::{Obstacle, Plane, Sphere};
use pliant::{
    Body, BodyDescription, EnergyVariant, IntegratorKind, State, StepReport, Workspace, World,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::{line, sheet};

const G: f64 = 9.81;

fn gravity() -> BoundForce {
    BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z * G,
        }),
        node: None,
    }
}

fn floor() -> Obstacle {
    Obstacle::new(
        "floor",
        Box::new(Plane::new(DVec3::Z, DVec3::ZERO).unwrap()),
    )
}

/// A description of a sheet at a height, in gravity, that collides with obstacle 0.
fn falling_sheet(height: f64) -> BodyDescription {
    let mut description = sheet([5, 5], [1.0, 1.0], 5.0, 0.05);
    for position in &mut description.rest_positions {
        position.z = height;
    }
    description.solver = SolverSettings {
        kind: SolverKind::Cholesky,
        ..SolverSettings::default()
    };
    description.forces.push(gravity());
    description.collides_with.push(0);
    description
}

fn run(world: &mut World, steps: usize) -> Vec<StepReport> {
    let mut workspace = Workspace::new(world);
    (0..steps).map(|_| world.step(&mut workspace)).collect()
}

/// At rest the penalty of each node carries its weight: (c/ε) exp(-d/ε) = m g, c (d/ε)² = m g.
#[test]
fn penalties_carry_the_weight_at_the_depth_theory_says() {
    let (strength, epsilon, mass) = (2.0, 0.05, 1.0);
    for (method, expected) in [
        (
            ContactMethod::Exponential,
            -epsilon * (mass * G * epsilon / strength).ln(),
        ),
        (
            ContactMethod::Quadratic,
            -epsilon * (mass * G / strength).sqrt(),
        ),
    ] {
        for integrator in [
            IntegratorKind::SemiImplicit,
            IntegratorKind::Implicit,
            IntegratorKind::Static,
        ] {
            let mut description = falling_sheet(0.05);
            description.integrator = integrator;
            description.dampings.fill(5.0);
            description.contact = ContactSettings {
                method,
                strength,
                ..ContactSettings::default()
            };
            let mut obstacle = floor();
            obstacle.epsilon = epsilon;
            let mut world = World {
                bodies: vec![Body::new(description).unwrap()],
                obstacles: vec![obstacle],
                ..World::default()
            };
            run(&mut world, 800);
            for position in &world.bodies[0].state.positions {
                assert!(
                    (position.z - expected).abs() < 1e-5,
                    "{method:?}, {integrator:?}: at {} instead of {expected}",
                    position.z
                );
            }
        }
    }
}

#[test]
fn projected_nodes_keep_the_thickness_and_are_counted() {
    let mut description = falling_sheet(0.3);
    description.contact.thickness = 0.02;
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        obstacles: vec![floor()],
        ..World::default()
    };
    let reports = run(&mut world, 200);
    let last = reports[199];
    assert_eq!(last.contacts, 25);
    // Nodes are kept outside by up to a thousandth of their spacing.
    assert!((0.02..0.0205).contains(&last.smallest_distance));
    let start = 0.3;
    let flight = (2.0 * (start - 0.02) / G).sqrt();
    let touched = reports.iter().position(|report| report.contacts > 0);
    let expected = (flight / 0.01) as usize;
    assert!(touched.is_some_and(|step| step.abs_diff(expected) <= 1));
}

/// A restitution e makes the first rebound e² as high as the fall.
#[test]
fn restitution_gives_the_height_of_the_rebound() {
    for restitution in [0.5, 0.8] {
        let mut description = falling_sheet(0.5);
        description.time_step = 0.001;
        description.contact.restitution = restitution;
        let mut world = World {
            bodies: vec![Body::new(description).unwrap()],
            obstacles: vec![floor()],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let mut bounced = false;
        let mut highest: f64 = 0.0;
        for _ in 0..900 {
            let report = world.step(&mut workspace);
            if report.contacts > 0 && bounced {
                break;
            }
            bounced |= report.contacts > 0;
            if bounced {
                highest = highest.max(world.bodies[0].state.positions[12].z);
            }
        }
        let expected = 0.5 * restitution * restitution;
        assert!(
            (highest / expected - 1.0).abs() < 0.02,
            "{highest} instead of {expected}"
        );
    }
}

/// A sheet so fast that it would pass a small ball within one step: the ball is met whether steps are
/// adaptive or not.
#[test]
fn fast_nodes_do_not_pass_an_obstacle_unseen() {
    for adaptive in [false, true] {
        let mut description = falling_sheet(1.0);
        description.adaptive = adaptive;
        description.time_step = 0.02;
        description.forces.clear();
        let positions = description.rest_positions.clone();
        let velocities = vec![DVec3::NEG_Z * 70.0; positions.len()];
        let ball = Sphere::new(DVec3::ZERO, 0.2).unwrap();
        let mut world = World {
            bodies: vec![
                Body::with_state(
                    description,
                    State {
                        positions,
                        velocities,
                        ..State::default()
                    },
                )
                .unwrap(),
            ],
            obstacles: vec![Obstacle::new("ball", Box::new(ball))],
            ..World::default()
        };
        let reports = run(&mut world, 3);
        let contacts: usize = reports.iter().map(|report| report.contacts).sum();
        let shortened: usize = reports.iter().map(|report| report.shortened_steps).sum();
        assert!(contacts > 0 && shortened > 0, "{contacts}, {shortened}");
        assert_eq!(reports[2].quarantined, 0);
    }
}

/// The scheme as printed explodes; the body is frozen at its last good state and says why.
#[test]
fn a_body_that_explodes_is_frozen_and_reported() {
    let mut description = sheet([20, 20], [4.0, 4.0], 1e4, 0.5);
    description.change_grid(|on_grid| on_grid.energy = EnergyVariant::AsPrinted);
    description.time_step = 0.1;
    description.shortest_step = 0.5;
    description.forces.push(gravity());
    description.fixed[0] = true;
    let calm = sheet([3, 3], [1.0, 1.0], 1.0, 0.0);
    let mut world = World {
        bodies: vec![Body::new(description).unwrap(), Body::new(calm).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    workspace.bounds = 100.0;
    let mut last = StepReport::default();
    for _ in 0..400 {
        last = world.step(&mut workspace);
        if last.quarantined > 0 {
            break;
        }
    }
    assert_eq!(last.quarantined, 1);
    assert!(
        world.bodies[1].quarantine.is_none(),
        "the calm body goes on"
    );
    let reason = world.bodies[0].quarantine.clone().unwrap();
    assert!(reason.contains("frozen at"), "{reason}");
    let frozen = world.bodies[0].state.clone();
    assert!(frozen.positions.iter().all(|x| x.is_finite()));
    world.step(&mut workspace);
    assert_eq!(world.bodies[0].state, frozen);
}

/// A spring that moves takes its node along and lets go.
#[test]
fn a_moving_spring_pulls_and_lets_go() {
    let mut description = line(5, 1.0, [100.0, 0.0, 0.0]);
    description.integrator = IntegratorKind::Implicit;
    description.solver.kind = SolverKind::Cholesky;
    description.dampings.fill(5.0);
    let end = description.rest_positions[4];
    description.forces.push(BoundForce {
        force: Arc::new(Spring {
            constant: 1e4,
            start: end,
            end: end + DVec3::Z,
            from: 0.5,
            until: 2.0,
        }),
        node: Some(4),
    });
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let mut height = |world: &mut World, until: f64| {
        while world.time < until {
            world.step(&mut workspace);
        }
        world.bodies[0].state.positions[4].z
    };
    assert_eq!(height(&mut world, 0.45), 0.0);
    assert!((height(&mut world, 1.95) - 0.967).abs() < 0.05);
    let released = height(&mut world, 2.1);
    assert!((height(&mut world, 6.0) - released).abs() < 0.2);
}

/// A step ten times longer than a careful one: projection moves nodes one by one and so stretches
/// the links between them, but never without bounds where steps are adaptive: those in which it would are shortened.
#[test]
fn projection_adds_little_energy_at_long_steps() {
    fn ball() -> Obstacle {
        Obstacle::new("ball", Box::new(Sphere::new(DVec3::ZERO, 0.4).unwrap()))
    }
    let bodies = || {
        let mut lifted = Vec::new();
        for body in [
            support::sheet([9, 9], [1.0, 1.0], 5.0, 0.01),
            support::block([5, 5, 4], DVec3::ONE, 5.0),
            support::line(15, 1.0, [20.0, 0.05, 0.0]),
        ] {
            for (formulation, integrator) in [
                ("Primal", IntegratorKind::SemiImplicit),
                ("Primal", IntegratorKind::Implicit),
                ("Hybrid", IntegratorKind::SemiImplicit),
            ] {
                let mut body = body.clone();
                assert!(body.reformulate(formulation));
                body.integrator = integrator;
                lifted.push(body);
            }
        }
        lifted
    };
    let mut worst: Vec<String> = Vec::new();
    for (place, mut description) in bodies().into_iter().enumerate() {
        for (make, drop) in [(floor as fn() -> Obstacle, 0.8), (ball, 1.0)] {
            for friction in [0.0, 0.5] {
                for dt in [0.02, 0.05] {
                    description.time_step = dt;
                    description.adaptive = true;
                    description.contact.friction = friction;
                    description.collides_with = vec![0];
                    description.masses.fill(0.02);
                    description.forces = vec![gravity()];
                    let mut body = Body::new(description.clone()).unwrap();
                    let tilt = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 0.0).normalize(), 0.6);
                    for x in &mut body.state.positions {
                        *x = tilt * *x + (drop + 0.6) * DVec3::Z;
                    }
                    let mut world = World {
                        bodies: vec![body],
                        obstacles: vec![make()],
                        ..World::default()
                    };
                    let mut workspace = Workspace::new(&world);
                    let start = workspace.energies(&world).total();
                    let mut highest = f64::NEG_INFINITY;
                    for _ in 0..(1.2 / dt) as usize {
                        let report = world.step(&mut workspace);
                        highest = highest.max(report.energies.total());
                    }
                    if highest > 1.25 * start {
                        worst.push(format!(
                            "{place} {} {friction} {dt}: {start} {highest}",
                            world.obstacles[0].name
                        ));
                    }
                }
            }
        }
    }
    assert!(worst.is_empty(), "{worst:#?}");
}

#[test]
fn whoever_stops_a_step_stops_it_at_once() {
    for integrator in [
        IntegratorKind::TwoStage,
        IntegratorKind::Implicit,
        IntegratorKind::SemiImplicit,
        IntegratorKind::Explicit,
        IntegratorKind::Static,
    ] {
        let mut description = falling_sheet(1.0);
        description.integrator = integrator;
        // Thousands of explicit parts.
        description.time_step = 100.0;
        let mut world = World {
            bodies: vec![Body::new(description).unwrap()],
            obstacles: vec![floor()],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let stop = Arc::new(AtomicBool::new(true));
        workspace.stop = Some(stop.clone());
        let hash = world.state_hash();
        let report = world.step(&mut workspace);
        assert!(report.is_stopped, "{integrator:?}");
        assert_eq!((world.step_count, world.time), (0, 0.0));
        assert_eq!(world.state_hash(), hash, "{integrator:?}");
        assert!(world.bodies[0].quarantine.is_none(), "{integrator:?}");
        stop.store(false, Ordering::Relaxed);
        assert!(!world.step(&mut workspace).is_stopped, "{integrator:?}");
        assert_eq!(world.step_count, 1);
    }
}

#[test]
fn the_parts_of_explicit_steps_are_known_before() {
    let mut description = falling_sheet(1.0);
    description.integrator = IntegratorKind::Explicit;
    description.time_step = 10.0;
    description.collides_with.clear();
    let body = Body::new(description).unwrap();
    let (whole, half) = (body.parts_of_step(10.0), body.parts_of_step(5.0));
    // Twice as long a step has twice as many parts, each rounded up.
    assert!(
        whole > 10.0 && (whole - 2.0 * half).abs() <= 2.0,
        "{whole} {half}"
    );
    let mut world = World {
        bodies: vec![body.clone()],
        ..World::default()
    };
    // As it falls freely it is not strained, so that the number stays.
    let report = world.step(&mut Workspace::new(&world));
    let counted = report.shortened_steps as f64 + 1.0;
    assert!((counted - whole).abs() <= 2.0, "{counted} {whole}");
    let mut other = body.description().clone();
    other.integrator = IntegratorKind::Implicit;
    assert_eq!(Body::new(other).unwrap().parts_of_step(10.0), 1.0);
}

/// There is nothing to look for: the first step says so, without a search.
#[test]
fn statics_of_a_free_body_in_gravity_is_refused_at_once() {
    let mut description = sheet([5, 5], [1.0, 1.0], 5.0, 0.05);
    description.integrator = IntegratorKind::Static;
    let world_of = |description: &BodyDescription| World {
        bodies: vec![Body::new(description.clone()).unwrap()],
        ..World::default()
    };
    // Free and without forces it is in balance.
    let mut world = world_of(&description);
    let report = world.step(&mut Workspace::new(&world));
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    description.forces.push(gravity());
    let mut world = world_of(&description);
    let report = world.step(&mut Workspace::new(&world));
    assert_eq!((report.quarantined, report.newton_iterations), (1, 0));
    let reason = world.bodies[0].quarantine.clone().unwrap();
    assert!(reason.contains("nothing holds the body"), "{reason}");
    // A spring holds it.
    description.forces.push(BoundForce {
        force: Arc::new(Spring::to_point(100.0, DVec3::ZERO)),
        node: Some(12),
    });
    let mut world = world_of(&description);
    world.step(&mut Workspace::new(&world));
    let reason = world.bodies[0].quarantine.clone().unwrap_or_default();
    assert!(!reason.contains("nothing holds the body"), "{reason}");
}
