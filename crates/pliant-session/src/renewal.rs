//! A world put in the state of another one that was built from nearly the same scene.

use glam::DVec3;
use pliant::World;
use pliant::body::{Body, State};
use std::collections::HashMap;

/// Puts a new world in the state of an old one. Bodies with other nodes start anew; their names are
/// returned, and whether what commands had changed was carried over too.
pub(crate) fn carry_over(old: &World, fresh: &mut World) -> (Vec<String>, bool) {
    if fresh.restore(&old.snapshot()).is_ok() {
        return (Vec::new(), true);
    }
    fresh.time = old.time;
    fresh.step_count = old.step_count;
    let mut anew = Vec::new();
    for body in &mut fresh.bodies {
        let name = &body.description().name;
        let before = old
            .bodies
            .iter()
            .find(|past| past.description().name == *name);
        let moved =
            before.and_then(|before| restored(before, body).or_else(|| moved(before, body)));
        match moved {
            Some(moved) => *body = moved,
            None => anew.push(name.to_string()),
        }
    }
    (anew, false)
}

/// A body with all of the state of another, if that fits.
fn restored(old: &Body, fresh: &Body) -> Option<Body> {
    let alone = |body: &Body| World {
        bodies: vec![body.clone()],
        ..World::default()
    };
    let mut world = alone(fresh);
    world.restore(&alone(old).snapshot()).ok()?;
    world.bodies.pop()
}

/// A body with the positions and velocities of another that has the same nodes, or of which its nodes are
/// copies: a mesh that can break has a node for each corner of each element.
fn moved(old: &Body, fresh: &Body) -> Option<Body> {
    let key = |place: &DVec3| place.to_array().map(f64::to_bits);
    let sources: Vec<usize> = if old.node_count() == fresh.node_count() {
        (0..fresh.node_count()).collect()
    } else {
        let rest = old.description().rest_positions.iter().enumerate();
        let nodes: HashMap<_, _> = rest.map(|(node, place)| (key(place), node)).collect();
        let places = fresh.description().rest_positions.iter();
        let found = places.map(|place| nodes.get(&key(place)).copied());
        found.collect::<Option<_>>()?
    };
    let state = State {
        positions: sources
            .iter()
            .map(|&node| old.state.positions[node])
            .collect(),
        velocities: sources
            .iter()
            .map(|&node| old.state.velocities[node])
            .collect(),
        ..State::default()
    };
    Body::with_state(fresh.description().clone(), state).ok()
}
