//! Friction between features that touch.
//!
//! Friction acts where surfaces meet. For a feature without radius that is the nearest point of the
//! feature itself. A ball is a point with a radius: its surface turns about that point, so that friction
//! goes by the place of the surface in the frame of the rigid body, which four of its nodes carry.

use super::pair_contact::{PairContact, Touching};
use crate::contact::smoothed_length;
use crate::math::outer;
use glam::{DMat3, DVec3};
use pliant_proximity::Pair;

/// The most nodes that friction goes by: a frame for each of two bodies.
pub(super) const WIDEST: usize = 8;

/// Acceleration by a normal force that is none, in m/s²: what has only just come into range.
const NOTHING: f64 = 1e-3;

/// Finds pairs in a list, one after the other in ascending order.
pub(super) struct Walk<'a> {
    list: &'a [Touching],
    place: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(list: &'a [Touching]) -> Self {
        Self { list, place: 0 }
    }

    /// The entry of a pair that is not below the one before, as [`PairContact::find_known`] finds it.
    pub(super) fn find(&mut self, contact: &PairContact, pair: &Pair) -> Option<&'a Touching> {
        let ahead = &self.list[self.place..];
        self.place += ahead.iter().take_while(|other| other.pair < *pair).count();
        match self.list.get(self.place) {
            Some(other) if other.pair == *pair => Some(other),
            _ => contact.find_mate(self.list, pair),
        }
    }
}

/// Nodes and weights: a place of one body less a place of another.
pub(super) type Stencil = ([u32; WIDEST], [f64; WIDEST]);

impl PairContact {
    /// Takes the pairs last evaluated for those that friction goes by.
    pub(super) fn freeze(&mut self) {
        self.frozen.clone_from(&self.touching);
        self.stencils.clear();
        if self.takes_mean {
            let mut frozen = std::mem::take(&mut self.frozen);
            let mut started = Walk::new(&self.started);
            for touch in &mut frozen {
                let known = started.find(self, &touch.pair);
                touch.at_start = known.map_or(0.0, |known| known.force);
            }
            self.frozen = frozen;
        }
        for index in 0..self.frozen.len() {
            if let Some(stencil) = self.round_stencil(&self.frozen[index]) {
                self.frozen[index].arm = Some(self.stencils.len() as u32);
                self.stencils.push(stencil);
            }
        }
    }

    /// Nodes and weights of the places that touch, where a feature is round and turns.
    pub(super) fn round_stencil(&self, touch: &Touching) -> Option<Stencil> {
        let split = touch.pair.kind.first_count();
        let count = touch.pair.kind.node_count();
        let sides = [0..split, split..count];
        let frames = sides.clone().map(|side| {
            let node = touch.pair.nodes[side.start];
            self.features.round_frame(node)
        });
        if frames.iter().all(Option::is_none) {
            return None;
        }
        let mut stencil = ([touch.pair.nodes[0]; WIDEST], [0.0; WIDEST]);
        for (number, (side, frame)) in sides.into_iter().zip(frames).enumerate() {
            let sign = [1.0, -1.0][number];
            let places = 4 * number..4 * number + 4;
            let (nodes, weights) = (&mut stencil.0[places.clone()], &mut stencil.1[places]);
            if let Some((frame, radius)) = frame {
                let mut place = -sign * radius * touch.normal;
                for k in side {
                    let node = touch.pair.nodes[k] as usize;
                    place += sign * touch.weights[k] * self.places[node];
                }
                let [a, b, c, d] = frame.map(|node| self.places[node as usize]);
                let shares = DMat3::from_cols(b - a, c - a, d - a).inverse() * (place - a);
                nodes.copy_from_slice(&frame);
                let barycentric = [1.0 - shares.element_sum(), shares.x, shares.y, shares.z];
                weights.copy_from_slice(&barycentric.map(|share| sign * share));
            } else {
                for (slot, k) in side.enumerate() {
                    nodes[slot] = touch.pair.nodes[k];
                    weights[slot] = touch.weights[k];
                }
            }
        }
        Some(stencil)
    }

    /// Nodes and weights that friction of a pair goes by.
    pub(super) fn stencil(&self, touch: &Touching) -> Stencil {
        if let Some(arm) = touch.arm {
            return self.stencils[arm as usize];
        }
        let mut stencil = ([touch.pair.nodes[0]; WIDEST], [0.0; WIDEST]);
        stencil.0[..4].copy_from_slice(&touch.pair.nodes);
        stencil.1[..4].copy_from_slice(&touch.weights);
        stencil
    }

    /// Lets friction go by the pairs last evaluated.
    pub(super) fn renew_friction(&mut self, share: f64) {
        std::mem::swap(&mut self.frozen, &mut self.last);
        self.freeze();
        let mut frozen = std::mem::take(&mut self.frozen);
        let mut last = Walk::new(&self.last);
        for touch in &mut frozen {
            let same = last.find(self, &touch.pair);
            let before = same.map_or(0.0, |same| same.pressing);
            touch.pressing = before + share * (touch.force - before);
        }
        self.frozen = frozen;
    }

    /// The entry of a pair in a list. A point that has come from one triangle of a flat face to the next, or lies
    /// right between them, is known by either.
    fn find_known<'a>(&self, list: &'a [Touching], pair: &Pair) -> Option<&'a Touching> {
        find(list, pair).or_else(|| self.find_mate(list, pair))
    }

    /// The entry of the same point with a triangle next to its own in the same flat face.
    fn find_mate<'a>(&self, list: &'a [Touching], pair: &Pair) -> Option<&'a Touching> {
        let mut mates = self.features.mates_of(pair);
        mates.find_map(|mate| find(list, &mate))
    }

    /// Whether friction acts between features that touch.
    pub(super) fn has_friction(&self) -> bool {
        self.frozen.iter().any(|touch| touch.friction > 0.0)
    }

    /// μ N, in newtons. Friction does not act at the beginning of a step, where it has no displacement to
    /// go by; if the rule takes the mean of both ends it makes up for that in the stage.
    pub(super) fn friction_limit(&self, touch: &Touching) -> f64 {
        touch.friction * (touch.pressing + touch.at_start)
    }

    /// N at the beginning of the step, if the rule takes the mean of that and N in the stage; else zero.
    pub(super) fn force_at_start(&self, touch: &Touching) -> f64 {
        if !self.takes_mean {
            return 0.0;
        }
        let known = self.find_known(&self.started, &touch.pair);
        known.map_or(0.0, |known| known.force)
    }

    /// How much normal forces have changed from the beginning of the iteration to the places last
    /// evaluated, by their sum; zero without friction, which alone goes by those of the beginning.
    pub(super) fn force_change(&self) -> f64 {
        if !self.has_friction() {
            return 0.0;
        }
        let (mut change, mut sum) = (0.0, 0.0);
        let mut frozen = Walk::new(&self.frozen);
        for now in &self.touching {
            let before = frozen.find(self, &now.pair);
            change += (now.force - before.map_or(0.0, |before| before.pressing)).abs();
            sum += now.force + NOTHING * self.pair_mass(&now.pair);
        }
        let mut touching = Walk::new(&self.touching);
        let is_gone = |touch: &&Touching| touching.find(self, &touch.pair).is_none();
        let gone = self.frozen.iter().filter(is_gone);
        change += gone.map(|gone| gone.pressing).sum::<f64>();
        if change > 0.0 && !self.touching.is_empty() {
            change / sum
        } else {
            0.0
        }
    }

    /// Tangential displacement of a pair in the stage, in metres.
    pub(super) fn slip(&self, touch: &Touching, places: &[DVec3]) -> DVec3 {
        let (nodes, weights) = self.stencil(touch);
        let moved: DVec3 = nodes
            .iter()
            .zip(&weights)
            .map(|(&node, weight)| {
                *weight * (places[node as usize] - self.reference[node as usize])
            })
            .sum();
        moved - touch.normal * touch.normal.dot(moved)
    }

    /// Gradient and Hessian of friction by the slip of a pair.
    pub(super) fn friction(&self, touch: &Touching) -> Option<(DVec3, DMat3)> {
        let limit = self.friction_limit(touch);
        if limit == 0.0 || self.duration == 0.0 {
            return None;
        }
        let smoothing = self.settings.smoothing_speed * self.duration;
        let slip = self.slip(touch, &self.places);
        let length = slip.length();
        let [_, slope, curvature] = smoothed_length(length, smoothing);
        let tangents = DMat3::IDENTITY - outer(touch.normal, touch.normal);
        if length <= 1e-12 * smoothing {
            return Some((DVec3::ZERO, tangents * (limit * curvature)));
        }
        // F has hardly any curvature along a slide, and a kink where it ends: Newton's step would
        // leap over it. The parabola that touches F from above does not.
        let stiffness = limit * slope / length;
        Some((stiffness * slip, tangents * stiffness))
    }
}

/// The entry of a pair in a list.
fn find<'a>(list: &'a [Touching], pair: &Pair) -> Option<&'a Touching> {
    let place = list.binary_search_by(|other| other.pair.cmp(pair));
    place.ok().map(|place| &list[place])
}
