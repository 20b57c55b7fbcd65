//! Whether bodies that touch have gone through or round each other within a step.
//!
//! Every line that places move along while Newton's method looks for the end of a stage is proved free. But these
//! lines are not the way of the bodies: where they are fast, a hundred iterations may lead two bars round each other,
//! sideways and back, to an end at which nothing touches and nothing was felt. So the straight way from the
//! beginning of the step to its end is looked at once more. A feature that comes to lie on the other side of what
//! it meets on that way has passed it, and the step is repeated shorter. One that dips into the other and comes out on
//! the same side has only been led round a curve in a straight line, and where the bodies touch in the end, on the sides
//! on which they were, they have met.

use super::island::{Island, Member};
use super::pair_contact::PairContact;
use crate::body::StepFailure;
use glam::DVec3;
use pliant_proximity::{Clearance, Pair, PairKind, free_fraction_with};

/// How often a proof that has come near goes on from there: each time it covers all but a thousandth of the distance
/// that was left.
const PROOFS: usize = 4;

/// Nothing need be left of a distance, only the sides must stay.
const APART: Clearance = Clearance {
    thickness: 0.0,
    keep: 0.0,
    enough: f64::INFINITY,
};

/// The least sine of the angle between edges that have sides: of parallel ones rounding alone would say which.
const ASKEW: f64 = 1e-3;

/// On which side of a triangle a point is, or of an edge another: a signed volume; none for what has no sides.
fn side(kind: PairKind, [a, b, c, d]: &[DVec3; 4]) -> Option<f64> {
    match kind {
        PairKind::PointTriangle => Some((*b - *a).dot((*c - *b).cross(*d - *b))),
        PairKind::EdgeEdge => {
            let (first, second) = (*b - *a, *d - *c);
            let across = first.cross(second);
            let is_askew = across.length() > ASKEW * first.length() * second.length();
            is_askew.then(|| (*c - *a).dot(across))
        }
        PairKind::PointEdge | PairKind::PointPoint => None,
    }
}

/// Whether a pair meets on straight ways and lies on the other side at their end.
fn passes(kind: PairKind, from: &[DVec3; 4], to: &[DVec3; 4]) -> bool {
    let sides = [from, to].map(|places| side(kind, places));
    let [Some(before), Some(after)] = sides else {
        return false;
    };
    if before * after >= 0.0 {
        return false;
    }
    let mut from = *from;
    for _ in 0..PROOFS {
        let free = free_fraction_with(kind, &from, to, &APART);
        if free >= 1.0 {
            return false;
        }
        for (from, to) in from.iter_mut().zip(to) {
            *from = from.lerp(*to, free);
        }
    }
    true
}

impl PairContact {
    /// Whether a pair passes on the straight way from `self.places` to `self.trial`.
    fn has_passing(&mut self) -> bool {
        self.search();
        self.measure(true, true);
        let candidates = self.candidates.iter().enumerate();
        let near = candidates.filter(|(index, _)| !self.is_beyond(*index, 0.0));
        let mut pairs = near.map(|(_, pair)| pair);
        pairs.any(|pair| {
            let [from, to] = self.ways(pair);
            passes(pair.kind, &from, &to) && !self.have_met(self.ends_of(pair))
        })
    }

    fn ways(&self, pair: &Pair) -> [[DVec3; 4]; 2] {
        [&self.places, &self.trial].map(|places| pair.gather(places))
    }

    /// The bodies of a pair, the lower one first.
    fn ends_of(&self, pair: &Pair) -> [u32; 2] {
        let ends = [0, pair.kind.first_count()];
        let mut ends = ends.map(|k| self.features.body_of[pair.nodes[k] as usize]);
        ends.sort_unstable();
        ends
    }

    /// Whether two bodies touch where the step ends, with features that are on the same side as before: then they have
    /// met, and what has changed sides has gone by a corner, which the straight way cuts.
    fn have_met(&self, ends: [u32; 2]) -> bool {
        let mut touching = self.touching.iter().map(|touch| &touch.pair);
        touching.any(|pair| {
            let [from, to] = self.ways(pair).map(|places| side(pair.kind, &places));
            let is_same = from.zip(to).is_some_and(|(from, to)| from * to > 0.0);
            is_same && self.ends_of(pair) == ends
        })
    }
}

impl Island {
    /// An error if something has passed something else on the way from where the members are to their candidates.
    pub(super) fn refuse_passing(&mut self, members: &[Member]) -> Result<(), StepFailure> {
        let contact = &mut self.contact;
        contact.trial.copy_from_slice(&contact.places);
        for member in members {
            let range = contact.range_of(member.body);
            let ends = &member.candidate.positions;
            contact.trial[range.clone()].copy_from_slice(ends);
            let starts = &member.problem.body.state.positions;
            contact.places[range].copy_from_slice(starts);
        }
        let has_passing = contact.has_passing();
        contact.places.copy_from_slice(&contact.trial);
        match has_passing {
            true => Err(StepFailure::Formulation {
                what: "bodies would pass through each other within one step",
            }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    fn above(x: f64, y: f64, z: f64) -> [DVec3; 4] {
        let [a, b, c] = TRIANGLE;
        [DVec3::new(x, y, z), a, b, c]
    }

    #[test]
    fn a_point_passes_a_triangle_only_through_it_and_to_the_other_side() {
        let passes = |from, to| passes(PairKind::PointTriangle, &from, &to);
        assert!(passes(above(0.2, 0.2, 1.0), above(0.2, 0.3, -1.0)));
        assert!(passes(above(0.2, 0.2, 1e-9), above(0.2, 0.2, -1e-9)));
        // Beside it, or no farther than all but to it.
        assert!(!passes(above(0.8, 0.8, 1.0), above(0.8, 0.8, -1.0)));
        assert!(!passes(above(0.2, 0.2, 1.0), above(0.2, 0.2, 1e-9)));
    }

    #[test]
    fn edges_pass_each_other_where_they_cross() {
        let edges = |z: f64, turned: f64| {
            let across = DVec3::new(turned.cos(), turned.sin(), 0.0);
            let up = DVec3::new(0.0, 0.0, z);
            [-DVec3::X, DVec3::X, up - across, up + across]
        };
        let passes = |from, to| passes(PairKind::EdgeEdge, &from, &to);
        assert!(passes(edges(0.1, 1.0), edges(-0.3, 1.2)));
        assert!(!passes(edges(0.1, 1.0), edges(1e-6, 1.0)));
        // One turns past the other at a distance: its side changes and nothing has met.
        assert!(!passes(edges(0.1, 0.3), edges(0.1, -0.3)));
    }
}
