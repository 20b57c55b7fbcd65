//! What was dissipated, by cause, over every kind of body and every time rule: what has no cause has none, and the
//! causes take no more than is missing.

#[path = "support/kinds.rs"]
mod kinds;
mod support;

use glam::DVec3;
use kinds::kinds;
use pliant::obstacle::{Obstacle, Plane};
use pliant::report::Dissipation;
use pliant::{Body, IntegratorKind, Workspace, World};

const INTEGRATORS: [IntegratorKind; 6] = [
    IntegratorKind::TwoStage,
    IntegratorKind::Implicit,
    IntegratorKind::Midpoint,
    IntegratorKind::Newmark,
    IntegratorKind::SemiImplicit,
    IntegratorKind::Explicit,
];

const G: f64 = 9.81;

/// A body on a floor.
fn world(body: Body, friction: f64) -> World {
    let plane = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut floor = Obstacle::new("floor", Box::new(plane));
    floor.friction = friction;
    World {
        bodies: vec![body],
        obstacles: vec![floor],
        ..World::default()
    }
}

/// What is elastic, without damping, friction and processes, loses by impacts and time rules alone.
#[test]
fn what_is_passive_and_elastic_has_no_other_cause() {
    for (name, of) in kinds() {
        for integrator in INTEGRATORS {
            let name = format!("{name} {integrator:?}");
            let mut body = of.clone();
            body.integrator = integrator;
            body.dampings.fill(0.0);
            body.time_step = 0.01;
            let Ok(body) = Body::new(body) else { continue };
            let mut world = world(body, 0.0);
            let mut workspace = Workspace::new(&world);
            for _ in 0..60 {
                let report = world.step(&mut workspace);
                let Dissipation {
                    damping,
                    friction,
                    processes,
                    rest,
                } = report.dissipation;
                assert_eq!([damping, friction, processes], [0.0; 3], "{name}");
                let missing = report.dissipated - report.energy_created;
                assert_eq!(rest, missing, "{name}");
            }
        }
    }
}

/// Every kind of body with every rule, damped, on a rough floor: causes take no more than is missing but for what
/// the rule has created.
#[test]
fn no_cause_takes_more_than_is_missing() {
    for (name, of) in kinds() {
        for integrator in INTEGRATORS {
            let name = format!("{name} {integrator:?}");
            let mut body = of.clone();
            body.integrator = integrator;
            let nodes = body.dampings.iter_mut().zip(&body.masses);
            nodes.for_each(|(damping, mass)| *damping = 0.5 * mass);
            body.time_step = 0.005;
            let height = body.masses.iter().sum::<f64>() * G * 0.5;
            let Ok(body) = Body::new(body) else { continue };
            let mut world = world(body, 0.4);
            let mut workspace = Workspace::new(&world);
            let (mut sums, mut created) = (Dissipation::default(), 0.0);
            for _ in 0..160 {
                let report = world.step(&mut workspace);
                sums.add(&report.dissipation);
                created += report.energy_created;
            }
            println!("{name}: {sums:?}, created {created}, of {height}");
            assert!(sums.damping >= 0.0, "{name}: {sums:?}");
            assert!(sums.friction > -1e-3 * height, "{name}: {sums:?}");
            assert!(sums.rest > -created - 0.005 * height, "{name}: {sums:?}");
        }
    }
}
