//! How stiff the barrier between two features is, and how far it reaches.
//!
//! The stiffness of a pair is that of the nodes in the system at rest, the harmonic mean over both
//! features, so that contact does not spoil the matrix; no less than what carries the weight of the
//! heavier one, or stops what comes fast. What parts is met as if it were slow: a stiffness that grew with
//! its speed would throw it. The barrier grows beyond it where it must.
//!
//! What is soft presses with the force N that deforms it, whatever the range r. Where that is thin, a barrier with the
//! stiffness of the nodes alone would bear it only at d = κ r² / 4 N, a share of the range as small as the range
//! itself: so κ r does not fall below what it is at a share of the spacing.

use super::pair_contact::PairContact;
use glam::DVec3;
use pliant_proximity::{Pair, closest};

/// Largest range of a pair within a body, by their distance at rest.
pub(super) const REST_SHARE: f64 = 0.9;

/// The range below which a pair of which one body is soft becomes stiffer, by the spacing of the nodes.
const THIN: f64 = 0.05;

/// Smallest range of a pair of pieces that were one, by the gap with which they begin.
const GAP_SHARE: f64 = 0.5;

/// Acceleration that one pair withstands within half of its range, in m/s²: that of a body at rest on
/// another, however soft that is.
const WEIGHT: f64 = 10.0;

/// The mean of values at the nodes that give way; infinite if none does.
fn mean_of(nodes: &[u32], values: &[f64]) -> f64 {
    let values = nodes.iter().map(|&n| values[n as usize]);
    let (sum, count) = values
        .filter(|value| value.is_finite())
        .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 {
        sum / count
    } else {
        f64::INFINITY
    }
}

impl PairContact {
    /// The harmonic mean, halved, of values of both features: of the nodes that give way; zero where none
    /// does, since nothing is to be pushed there.
    fn both(&self, pair: &Pair, values: &[f64]) -> f64 {
        let [first, second] = pair.features();
        let sum = 1.0 / mean_of(first, values) + 1.0 / mean_of(second, values);
        if sum > 0.0 { 1.0 / sum } else { 0.0 }
    }

    /// The mass that a pair moves, in kilograms.
    pub(super) fn pair_mass(&self, pair: &Pair) -> f64 {
        self.both(pair, &self.masses)
    }

    /// The speed at which the features of a pair came near each other when the step began.
    fn approach_at_start(&self, pair: &Pair) -> f64 {
        let points = pair.gather(&self.origin);
        let near = closest(pair.kind, &points);
        let carried =
            |values: &[DVec3; 4]| -> DVec3 { (0..4).map(|k| near.weights[k] * values[k]).sum() };
        let away = carried(&points).normalize_or_zero();
        (-away.dot(carried(&pair.gather(&self.velocities)))).max(0.0)
    }

    /// κ and the range of a pair. κ is the stiffness of the nodes, or what stops them within the range
    /// if they come so fast that it would not.
    pub(super) fn law(&self, pair: &Pair) -> (f64, f64) {
        let [first, second] = pair.features();
        let ends = [first[0], second[0]].map(|node| self.features.body_of[node as usize] as usize);
        let mut range = self.settings.range_of(ends);
        let speed = self.approach_at_start(pair) / range;
        let are_rigid = ends.iter().all(|&end| self.features.is_rigid(end));
        let thin = if are_rigid {
            0.0
        } else {
            THIN * self.features.spacing
        };
        let slow = 2.0 * self.both(pair, &self.stiffness) * (thin / range).max(1.0);
        let stiffness = slow.max(self.pair_mass(pair) * speed * speed);
        let finite = |mass: f64| if mass.is_finite() { mass } else { 0.0 };
        let heavier = [first, second].map(|nodes| finite(mean_of(nodes, &self.masses)));
        let heavier = heavier[0].max(heavier[1]);
        let stiffness = stiffness.max(2.0 * heavier * WEIGHT / range);
        if ends[0] == ends[1] {
            let rest = closest(pair.kind, &pair.gather(&self.features.rest));
            let at_rest = REST_SHARE * rest.squared_distance.sqrt();
            if at_rest < self.settings.thickness {
                // What is close at rest has that range, whatever else of the body has begun close.
                let least = GAP_SHARE * self.features.gap(ends[0]);
                range = at_rest.max(least).min(self.settings.thickness);
            }
        }
        (stiffness, range)
    }
}
