//! A force that begins and ends within steps gives every body its impulse, in the very steps in which it acts.

#[path = "support/kinds.rs"]
mod kinds;
mod support;

use glam::DVec3;
use kinds::kinds;
use pliant::force::{BoundForce, Thruster};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::sync::Arc;

const STEP: f64 = 0.01;
const FROM: f64 = 0.013;
const UNTIL: f64 = 0.027;

fn thrust(body: &mut BodyDescription) -> DVec3 {
    let force = DVec3::new(0.01, 0.0, 0.02);
    body.forces = vec![BoundForce {
        force: Arc::new(Thruster {
            force,
            from: FROM,
            until: UNTIL,
        }),
        node: None,
    }];
    body.touching_count() as f64 * force
}

/// How much of the impulse is missing or too much after a step, at most, by the whole impulse.
fn error(body: BodyDescription, force: DVec3) -> Option<f64> {
    let mut world = World {
        bodies: vec![Body::new(body).ok()?],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let mut largest = 0.0_f64;
    for _ in 0..4 {
        world.step(&mut workspace);
        let body = &world.bodies[0];
        assert!(body.quarantine.is_none(), "{:?}", body.quarantine);
        let masses = body.description().masses.iter();
        let momentum: DVec3 = masses
            .zip(&body.state.velocities)
            .map(|(m, v)| *m * *v)
            .sum();
        let acted = world.time.clamp(FROM, UNTIL) - FROM;
        let missing = momentum - acted * force;
        largest = largest.max(missing.length() / ((UNTIL - FROM) * force.length()));
    }
    Some(largest)
}

#[test]
fn a_force_gives_its_impulse_when_it_acts() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (name, body) in kinds() {
        // A snake and a film move without inertia or are held, chain mail and fits have no momentum.
        if ["snake", "film", "chainmail", "superquadric", "condensed"].contains(&name) {
            continue;
        }
        for &integrator in IntegratorKind::ALL {
            let mut body = body.clone();
            if integrator == IntegratorKind::Static || body.fixed.contains(&true) {
                continue;
            }
            body.integrator = integrator;
            body.time_step = STEP;
            body.dampings.fill(0.0);
            body.collides_with.clear();
            let force = thrust(&mut body);
            if let Some(error) = error(body, force) {
                count += 1;
                if error > 1e-6 {
                    wrong.push(format!("{name}, {integrator:?}: {error:.2e}"));
                }
            }
        }
    }
    assert!(count > 40, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
