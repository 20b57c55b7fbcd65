//! What a world will have trouble with, before its first step.

use pliant::{Body, IntegratorKind, World};

/// Parts of a step from which on they are worth a word.
const MANY_PARTS: f64 = 200.0;

/// A body that begins deeper inside an obstacle than this many times its size is there by mistake.
const DEEP: f64 = 10.0;

/// One line for each trouble: explicit steps that are divided into very many parts, and bodies that
/// begin far inside of what they collide with. `steps` is the number of steps of the run.
pub fn foreseen(world: &World, steps: usize) -> Vec<String> {
    let mut troubles = Vec::new();
    for body in &world.bodies {
        troubles.extend(deep_inside(world, body));
        // Others divide no step, and what it takes to ask them is as large as their matrix.
        if body.description().scheme() == IntegratorKind::Explicit {
            let parts = body.parts_of_step(world.time_step());
            if parts > MANY_PARTS {
                troubles.push(many_parts(world, body, parts, steps));
            }
        }
    }
    troubles
}

fn many_parts(world: &World, body: &Body, parts: f64, steps: usize) -> String {
    let total = parts * steps as f64;
    format!(
        "body `{}`: to stay stable, each explicit step of {} s has to be divided into about {parts:.1e} \
         parts, {total:.1e} in the run\n  hint: integrator=\"Implicit\" takes whole steps; softer or \
         heavier particles need fewer parts",
        body.description().name,
        world.time_step(),
    )
}

fn deep_inside(world: &World, body: &Body) -> Vec<String> {
    let description = body.description();
    let mut troubles = Vec::new();
    for &index in &description.collides_with {
        let obstacle = &world.obstacles[index];
        let distances = body.state.positions.iter().map(|&at| obstacle.distance(at));
        let depth = -distances.fold(f64::INFINITY, f64::min);
        if depth.is_finite() && depth > DEEP * body.size() {
            troubles.push(format!(
                "body `{}` begins {depth:.1e} m inside of `{}`, with which it collides: it will be \
                 thrown out\n  hint: place one of them elsewhere, or turn the normal of the obstacle round",
                description.name, obstacle.name,
            ));
        }
    }
    troubles
}
