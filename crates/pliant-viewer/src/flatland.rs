//! Planar scenes: whether a scene lives in a plane, how it has moved, and where its bodies go.

use crate::request::Shown;
use glam::DVec3;
use pliant::frame::Topology;
use pliant::{Body, Frame};
use std::collections::VecDeque;
use std::sync::Arc;

/// The middle of a body and how it moves: momentum by mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Centre {
    /// The centre of mass, in metres.
    pub place: DVec3,
    /// Its velocity, in metres per second.
    pub velocity: DVec3,
}

impl Centre {
    /// Of a body.
    pub fn of(body: &Body) -> Self {
        let masses = &body.description().masses;
        let mass: f64 = masses.iter().sum();
        let places = masses.iter().zip(&body.state.positions);
        let moment: DVec3 = places.map(|(mass, place)| *mass * *place).sum();
        match mass > 0.0 {
            true => Self {
                place: moment / mass,
                velocity: body.momentum() / mass,
            },
            false => Self::default(),
        }
    }
}

/// The axis along which nothing lies and nothing moves, if the bodies of a frame are curves in a plane.
pub fn plane_normal(frame: &Frame) -> Option<DVec3> {
    let is_curve = |topology: &Topology| topology.triangles.is_empty();
    let bodies = &frame.bodies;
    if bodies.is_empty() || !bodies.iter().all(|body| is_curve(&body.topology)) {
        return None;
    }
    let places = || bodies.iter().flat_map(|body| &body.positions);
    let low = places().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = places().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (high - low).length();
    let moves = |axis: DVec3| {
        let mut velocities = bodies.iter().flat_map(|body| &body.velocities);
        velocities.any(|velocity| velocity.dot(axis).abs() > 1e-9 * size)
    };
    // What is level is seen from the front, or from above.
    let axes = [-DVec3::Y, DVec3::X, DVec3::Z];
    let mut flat = axes
        .into_iter()
        .filter(|axis| (high - low).dot(*axis).abs() <= 1e-9 * size);
    flat.find(|axis| size > 0.0 && !moves(*axis))
}

/// Simulated seconds between two moments of a trail.
const INTERVAL: f64 = 0.1;

/// The most moments of a trail.
const MOST_MOMENTS: usize = 16;

/// A moment of a trail: the bodies as they were.
#[derive(Clone, Debug)]
pub struct Past {
    /// When it was, in seconds.
    pub time: f64,
    /// Nodes and how they were connected.
    pub bodies: Vec<(Vec<DVec3>, Arc<Topology>)>,
}

/// Where bodies were, at equal times apart.
#[derive(Clone, Debug, Default)]
pub struct Trail(pub VecDeque<Past>);

impl Trail {
    /// Takes in a frame.
    pub fn follow(&mut self, shown: &Shown) {
        // Going back leaves the future.
        while self.0.back().is_some_and(|past| past.time > shown.time) {
            self.0.pop_back();
        }
        let last = self.0.back().map_or(f64::NEG_INFINITY, |past| past.time);
        if shown.time < last + INTERVAL - 1e-9 {
            return;
        }
        let bodies = shown.frame.bodies.iter();
        self.0.push_back(Past {
            time: shown.time,
            bodies: bodies
                .map(|body| (body.positions.clone(), Arc::clone(&body.topology)))
                .collect(),
        });
        if self.0.len() > MOST_MOMENTS {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HISTORY_BYTES, Player};

    #[test]
    fn flatland_is_flat_and_a_flag_is_not() {
        for (name, expected) in [
            ("flatland-elastic", Some(-DVec3::Y)),
            ("flatland-mould", Some(-DVec3::Y)),
            ("flag", None),
            ("tube-drop", None),
        ] {
            let mut player = Player::open(name, &[], HISTORY_BYTES).unwrap();
            assert_eq!(plane_normal(&player.frame()), expected, "{name}");
        }
    }

    #[test]
    fn the_centre_of_a_thrown_body_moves_as_it_was_thrown() {
        let player = Player::open("flatland-elastic", &[], HISTORY_BYTES).unwrap();
        let centre = Centre::of(&player.world().bodies[0]);
        assert!((centre.velocity - 3.0 * DVec3::X).length() < 1e-12);
        let places = &player.world().bodies[0].state.positions;
        let mean = places.iter().sum::<DVec3>() / places.len() as f64;
        assert!((centre.place - mean).length() < 1e-12);
    }
}
