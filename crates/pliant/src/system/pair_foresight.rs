//! The stiffness of a barrier by the force that is foreseen there.
//!
//! ```text
//! k = (N' - N(d)) / (d - d'),   N(d') = N',   N' = N(d) - k_before n · Δ
//! ```
//!
//! N is the normal force of a pair at the distance d, N' what the last linear solve foresaw for the end of its
//! way Δ. The barrier is so curved that its tangent at d says little: where d is far too small, Newton's step
//! by it opens the gap to twice its width and no farther, and where d is too large, it leads through what it meets.
//! The secant leads right to the distance at which the pair bears what is foreseen. The gradient is what it
//! is, and at the end of the search the secant is the tangent. Interior point methods with multipliers as
//! unknowns of their own have the same matrix (the secant of a logarithm is N' / d), and do not let a multiplier fall
//! to nothing at once: a pair that is foreseen to part may be held by others that the solve did not know, and without
//! stiffness it would be led through what it meets. The thinner the range, the more steps would fail by that.

use super::pair_contact::{PairContact, STEEPEST};
use super::pair_friction::Walk;
use crate::contact::distance_at;

/// The least share of the tangent that a secant has.
const LEAST: f64 = 1e-4;

/// The least force that is foreseen, by the force at hand.
const RELEASED: f64 = 0.05;

/// Distances that differ by less than this share are the same.
const SAME: f64 = 1e-3;

/// The stiffness of a pair of a range and κ, whose force and curvature are those at a distance, for which another
/// force is foreseen.
fn secant(
    [stiffness, range]: [f64; 2],
    [distance, force, curvature]: [f64; 3],
    foreseen: f64,
) -> f64 {
    if stiffness <= 0.0 {
        return curvature;
    }
    let there = distance_at(foreseen, range, stiffness);
    let way = distance - there;
    if way.abs() <= SAME * distance {
        return curvature;
    }
    let secant = (foreseen.max(0.0) - force) / way;
    secant.clamp(LEAST * curvature, STEEPEST * stiffness)
}

impl PairContact {
    /// Takes note of the forces that are foreseen at the end of the way from `self.places` to `self.trial`, made
    /// `longer` by a factor, for the pairs last linearised.
    pub(super) fn foresee(&mut self, longer: f64) {
        self.foreseen.clone_from(&self.touching);
        for touch in &mut self.foreseen {
            let (from, to) = (
                touch.pair.gather(&self.places),
                touch.pair.gather(&self.trial),
            );
            let ways = (0..4).map(|k| touch.weights[k] * touch.normal.dot(to[k] - from[k]));
            touch.force -= touch.curvature * longer * ways.sum::<f64>();
        }
    }

    /// Gives the pairs last evaluated the stiffness by what was foreseen for them.
    pub(super) fn use_foreseen(&mut self) {
        let mut touching = std::mem::take(&mut self.touching);
        let mut foreseen = Walk::new(&self.foreseen);
        for touch in &mut touching {
            if let Some(known) = foreseen.find(self, &touch.pair) {
                let here = [touch.distance, touch.force, touch.curvature];
                let foreseen = known.force.max(RELEASED * touch.force);
                touch.curvature = secant(touch.law, here, foreseen);
            }
        }
        self.touching = touching;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Barrier;

    #[test]
    fn one_step_leads_to_where_the_foreseen_force_is_borne() {
        let (stiffness, range) = (3.0, 2.0);
        for distance in [1e-3, 0.1, 0.7, 1.5] {
            let here = Barrier::new(distance, range, stiffness);
            let at = [distance, -here.slope, here.curvature];
            for foreseen in [0.0, 0.5, 2.9, 7.0, 400.0] {
                let way = (foreseen + here.slope) / secant([stiffness, range], at, foreseen);
                let there = Barrier::new((distance - way).min(range), range, stiffness);
                let error = (there.slope + foreseen).abs();
                assert!(
                    error <= 3e-3 * foreseen.max(-here.slope),
                    "{distance} {foreseen} {error}"
                );
            }
        }
        // What pulls apart is let go, what is where it should be has the tangent.
        let here = Barrier::new(0.5, range, stiffness);
        let at = [0.5, -here.slope, here.curvature];
        assert_eq!(secant([stiffness, range], at, -here.slope), here.curvature);
        assert_eq!(secant([stiffness, range], at, -5.0), -here.slope / 1.5);
    }
}
