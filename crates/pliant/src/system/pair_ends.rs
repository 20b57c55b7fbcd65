//! The ends of edges of no triangle, where they hold parallel edges apart.
//!
//! ```text
//! E = e φ(d) + (1 - e) ½ Σ over the four ends of φ(d_end)
//! ```
//!
//! The distance d of two edges has a kink where they are parallel, so that its barrier φ fades out there
//! (`EdgeParallel`, e). Of surfaces the pairs of points with triangles go on pushing; curves and capsules have none of
//! these. The distances d_end of the ends of each edge from the other edge have no kink there, and take
//! over what fades. Of two edges that overlap in part two ends are near, which is why each counts half.

use super::pair_contact::{PairContact, STEEPEST, Touching};
use crate::contact::Barrier;
use glam::DVec3;
use pliant_proximity::{EdgeParallel, Pair, PairKind, closest};

/// Share of the barrier of one end.
const SHARE: f64 = 0.5;

/// The direction between two features that are `length` apart.
pub(super) fn direction(weights: &[f64; 4], points: &[DVec3; 4], length: f64) -> DVec3 {
    let gap: DVec3 = (0..4).map(|k| weights[k] * points[k]).sum();
    gap / length
}

impl PairContact {
    /// e of a pair and its gradient: 1 for all but edges that are nearly parallel.
    pub(super) fn edge_factor(&self, pair: &Pair, points: &[DVec3; 4]) -> EdgeParallel {
        if pair.kind != PairKind::EdgeEdge {
            return EdgeParallel {
                value: 1.0,
                gradient: [DVec3::ZERO; 4],
            };
        }
        let [a, b, c, d] = pair.gather(&self.features.rest);
        EdgeParallel::new(points, [(b - a).length(), (d - c).length()])
    }

    /// Adds the ends of a pair of edges that are within their range, with `weight` 1 - e; returns ½ Σ φ, in joules.
    pub(super) fn add_ends(
        &self,
        pair: &Pair,
        places: &[DVec3],
        weight: f64,
        ends: &mut Vec<Touching>,
    ) -> f64 {
        let [a, b, c, d] = pair.nodes;
        let mut sum = 0.0;
        for (point, edge) in [(a, [c, d]), (b, [c, d]), (c, [a, b]), (d, [a, b])] {
            let pair = Pair::point_edge(point, edge);
            let points = pair.gather(places);
            let near = closest(pair.kind, &points);
            let (radius, friction) = self.features.radius_and_friction(&pair);
            let length = near.squared_distance.sqrt();
            let distance = length - radius;
            let (stiffness, range) = self.law(&pair);
            if distance >= range || distance <= 0.0 {
                continue;
            }
            let barrier = Barrier::new(distance, range, stiffness);
            sum += SHARE * barrier.value;
            let force = -SHARE * weight * barrier.slope;
            ends.push(Touching {
                pair,
                weights: near.weights,
                normal: direction(&near.weights, &points, length),
                distance,
                friction,
                force,
                pressing: force,
                at_start: 0.0,
                curvature: SHARE * weight * barrier.curvature.min(STEEPEST * stiffness),
                law: [SHARE * weight * stiffness, range],
                turning: [DVec3::ZERO; 4],
                arm: None,
            });
        }
        sum
    }
}

/// Adds ends to the pairs that touch, which stay sorted. An end of two edges is an end once.
pub(super) fn merge_ends(ends: &mut Vec<Touching>, touching: &mut Vec<Touching>) {
    if ends.is_empty() {
        return;
    }
    // Entries of one pair differ by their weights alone: their sums must not depend on the order.
    ends.sort_unstable_by(|a, b| a.pair.cmp(&b.pair).then(a.force.total_cmp(&b.force)));
    for end in ends.drain(..) {
        match touching.last_mut() {
            Some(last) if last.pair == end.pair => {
                last.force += end.force;
                last.pressing += end.pressing;
                last.curvature += end.curvature;
                last.law[0] += end.law[0];
            }
            _ => touching.push(end),
        }
    }
    touching.sort_unstable_by_key(|touch| touch.pair);
}
