//! Bodies that cannot meet themselves, since they are nearly as they are at rest.
//!
//! If every vertex lies within δ of where a rigid motion takes its place at rest, two features that are h
//! apart at rest are at least h - 2 δ apart. With one rigid motion for both ends of a way this holds on all
//! of the way, since δ of a point between is no more than the larger one. A solid that is bent or squeezed
//! by less than its cells is therefore never searched for contact with itself.

use crate::math::{nearest_rotation, outer};
use glam::{DMat3, DVec3};
use pliant_proximity::{Search, closest};
use std::ops::Range;

/// Distances of features at rest, up to so much of the mean length of edges, are told apart.
const FARTHEST: f64 = 1.0;

/// How near the features of each body are to each other at rest.
pub(super) struct SelfDistances {
    /// The smallest distance of two features of each body that share no vertex, in metres, or some
    /// lower bound of it.
    at_rest: Vec<f64>,
}

impl SelfDistances {
    /// Of bodies whose vertices are ranges of `rest`.
    pub(super) fn new(
        search: &mut Search,
        body_of: &[u32],
        rest: &[DVec3],
        bodies: usize,
        spacing: f64,
    ) -> Self {
        let reach = FARTHEST * spacing;
        let mut pairs = Vec::new();
        search.update(rest, rest, reach, &mut pairs);
        let mut at_rest = vec![reach; bodies];
        for pair in &pairs {
            let ends = [0, pair.kind.first_count()].map(|k| body_of[pair.nodes[k] as usize]);
            if ends[0] == ends[1] && (ends[0] as usize) < bodies {
                let distance = closest(pair.kind, &pair.gather(rest))
                    .squared_distance
                    .sqrt();
                let least = &mut at_rest[ends[0] as usize];
                *least = least.min(distance);
            }
        }
        Self { at_rest }
    }

    /// Whether features of a body may come within `reach` of each other on the way between two places.
    pub(super) fn may_meet(
        &self,
        body: usize,
        range: Range<usize>,
        reach: f64,
        rest: &[DVec3],
        ways: [&[DVec3]; 2],
    ) -> bool {
        let allowed = 0.5 * (self.at_rest[body] - reach);
        if allowed <= 0.0 || range.is_empty() {
            return true;
        }
        let rest = &rest[range.clone()];
        let [from, to] = ways.map(|places| &places[range.clone()]);
        let count = rest.len() as f64;
        let mean = |places: &[DVec3]| places.iter().sum::<DVec3>() / count;
        let (before, now) = (mean(rest), mean(from));
        let (mut moment, mut size) = (DMat3::ZERO, 0.0);
        for (x, r) in from.iter().zip(rest) {
            moment += outer(*x - now, *r - before);
            size += (*r - before).length_squared();
        }
        if !(size > 0.0 && moment.is_finite()) {
            return true;
        }
        let turn = nearest_rotation(moment * (3.0 / size));
        // A common shift changes no distance.
        let shift = mean(to) - now;
        let far = |places: &[DVec3], centre: DVec3| {
            let pairs = places.iter().zip(rest);
            let away =
                |(x, r): (&DVec3, &DVec3)| (*x - centre - turn * (*r - before)).length_squared();
            !pairs.map(away).all(|square| square <= allowed * allowed)
        };
        far(from, now) || far(to, now + shift)
    }
}
