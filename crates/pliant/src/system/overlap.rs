//! Bodies that touch each other or obstacles where they are, or are much closer than the thickness of contact.
//!
//! Contact cannot push apart what has no gap, and would throw what begins deep within its range: the
//! energy of a barrier is that of nothing that has been done. The range of such pairs is lowered.

use super::pair_contact::PairContact;
use super::pair_law::REST_SHARE;
use crate::body::Body;
use crate::contact::PairContactSettings;
use crate::obstacle::Obstacle;
use glam::DVec3;
use pliant_proximity::{Pair, closest};
use std::collections::BTreeMap;

/// What counts as no gap, by the thickness of contact.
const NO_GAP: f64 = 1e-6;

/// What counts as close, by the thickness: what lies farther apart is pushed by a spring, not thrown by a barrier.
const CLOSE: f64 = 0.5;

/// The range of bodies that begin so close, by their gap.
const RANGE_SHARE: f64 = 0.9;

/// The least range that is given to them, by the thickness.
const LEAST_RANGE: f64 = 1e-3;

/// Two features without a gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Which two: bodies by their places in the world, then obstacles.
    pub who: [usize; 2],
    /// Where, in metres.
    pub place: DVec3,
    /// The distance of their surfaces, in metres: zero, or negative for round shapes.
    pub gap: f64,
}

/// Features of bodies that are to meet and have no gap: points, edges and triangles that touch, and round
/// shapes that others enter.
pub fn overlaps(
    settings: &PairContactSettings,
    bodies: &[Body],
    obstacles: &[Obstacle],
) -> Vec<Overlap> {
    let reach = NO_GAP * settings.thickness;
    let mut found = Vec::new();
    let contact = near(settings, bodies, obstacles, reach);
    for_each_gap(&contact, reach, |_, overlap| found.push(overlap));
    found
}

/// The ranges of pairs of bodies, and of bodies with obstacles, that are closer than half of the thickness where they
/// are, for [`PairContactSettings::lowered`]. Of parts of one body only those count that are not as close at
/// rest.
pub fn lowered_ranges(
    settings: &PairContactSettings,
    bodies: &[Body],
    obstacles: &[Obstacle],
) -> Vec<([usize; 2], f64)> {
    let thickness = settings.thickness;
    let mut gaps: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    let contact = near(settings, bodies, obstacles, thickness);
    for_each_gap(
        &contact,
        CLOSE * thickness,
        |pair, Overlap { who, gap, .. }| {
            let at_rest = || {
                let rest = closest(pair.kind, &pair.gather(&contact.features.rest));
                rest.squared_distance.sqrt()
            };
            if who[0] != who[1] || REST_SHARE * at_rest() >= thickness {
                let least = gaps.entry(who).or_insert(gap);
                *least = least.min(gap);
            }
        },
    );
    let range = |gap: f64| (RANGE_SHARE * gap).max(LEAST_RANGE * thickness);
    let lowered = gaps.into_iter().map(|(who, gap)| (who, range(gap)));
    lowered.collect()
}

/// Contact of bodies where they are, with the pairs that are within a distance.
fn near(
    settings: &PairContactSettings,
    bodies: &[Body],
    obstacles: &[Obstacle],
    reach: f64,
) -> PairContact {
    let mut contact = PairContact::new(settings, bodies, obstacles);
    for (index, body) in bodies.iter().enumerate() {
        let range = contact.range_of(index);
        contact.places[range].copy_from_slice(&body.state.positions);
    }
    let PairContact {
        features,
        places,
        candidates,
        ..
    } = &mut contact;
    features.find([places, places], reach, candidates);
    contact
}

/// Visits the pairs that are no farther apart than a distance.
fn for_each_gap(contact: &PairContact, most: f64, mut visit: impl FnMut(&Pair, Overlap)) {
    for pair in &contact.candidates {
        let points = pair.gather(&contact.places);
        let near = closest(pair.kind, &points);
        let radius = contact.features.radius_and_friction(pair).0;
        let gap = near.squared_distance.sqrt() - radius;
        if gap > most {
            continue;
        }
        let split = pair.kind.first_count();
        let who = [0, split].map(|k| contact.features.body_of[pair.nodes[k] as usize] as usize);
        let place = (0..split).map(|k| near.weights[k] * points[k]).sum();
        let who = [who[0].min(who[1]), who[0].max(who[1])];
        visit(pair, Overlap { who, place, gap });
    }
}
