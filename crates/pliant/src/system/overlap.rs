//! Bodies that touch each other or obstacles where they are, or are much closer than the thickness of contact.
//!
//! Contact cannot push apart what has no gap. What begins within its range would be thrown: the energy of a
//! barrier is that of nothing that has been done. So the range of two bodies that begin closer than the thickness is
//! the gap with which they begin, where nothing pushes yet, and it grows with their gap as they part:
//!
//! ```text
//! r₀ = min over all pairs of features of (d, T),   r' = max(r, min(d, T))
//! ```
//!
//! r is the range of the two bodies, d the distance of two features at the end of a step, T the thickness. No pair
//! pushes where r has just grown, so that this creates no energy; and what rests on something, and keeps a gap below
//! r, rests on it for ever.

use super::island::Island;
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

/// The least range of bodies that begin close, by the thickness.
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

/// The ranges of pairs of bodies, and of bodies with obstacles, that are closer than the thickness where they are, for
/// [`PairContactSettings::lowered`]. Of parts of one body only those count that are not as close at rest.
pub fn lowered_ranges(
    settings: &PairContactSettings,
    bodies: &[Body],
    obstacles: &[Obstacle],
) -> Vec<([usize; 2], f64)> {
    near(settings, bodies, obstacles, settings.thickness).close_ranges()
}

impl PairContact {
    /// The ranges of what is closer than the thickness, by the pairs last found.
    fn close_ranges(&self) -> Vec<([usize; 2], f64)> {
        let thickness = self.settings.thickness;
        let mut ranges: BTreeMap<[usize; 2], f64> = BTreeMap::new();
        for_each_gap(self, thickness, |pair, Overlap { who, gap, .. }| {
            if gap < thickness && self.counts(pair, who) {
                let range = ranges.entry(who).or_insert(thickness);
                *range = range.min(gap.max(LEAST_RANGE * thickness));
            }
        });
        ranges.into_iter().collect()
    }

    /// Whether two features are not as close at rest already, as parts of one body.
    fn counts(&self, pair: &Pair, [a, b]: [usize; 2]) -> bool {
        let at_rest = || closest(pair.kind, &pair.gather(&self.features.rest)).squared_distance;
        a != b || REST_SHARE * at_rest().sqrt() >= self.settings.thickness
    }

    /// Lets lowered ranges grow to the gaps there are, by the pairs last found.
    fn grow_ranges(&self, lowered: &mut Vec<([usize; 2], f64)>, gaps: &mut Vec<f64>) {
        let thickness = self.settings.thickness;
        gaps.clear();
        gaps.resize(lowered.len(), thickness);
        for_each_gap(self, thickness, |pair, Overlap { who, gap, .. }| {
            if let Ok(place) = lowered.binary_search_by_key(&who, |known| known.0)
                && gap < gaps[place]
                && self.counts(pair, who)
            {
                gaps[place] = gap;
            }
        });
        for ((_, range), gap) in lowered.iter_mut().zip(&*gaps) {
            *range = range.max(*gap);
        }
        lowered.retain(|(_, range)| *range < thickness);
    }
}

impl Island {
    /// Takes the ranges of what has begun close, as they are known or as the bodies are.
    pub(crate) fn take_ranges(&mut self, settings: &PairContactSettings, bodies: &[Body]) {
        let known = &mut self.contact.settings.lowered;
        match &settings.lowered {
            Some(_) if *known == settings.lowered => {}
            Some(_) => known.clone_from(&settings.lowered),
            None => {
                self.stand(bodies);
                self.contact.settings.lowered = Some(self.contact.close_ranges());
            }
        }
    }

    /// The first step of a world: what has begun close is known from now on.
    pub(crate) fn hand_out_ranges(&self, settings: &mut PairContactSettings) {
        if settings.lowered.is_none() {
            settings.lowered.clone_from(&self.contact.settings.lowered);
        }
    }

    /// The end of a step: ranges of what has begun close grow with the gaps.
    pub(crate) fn grow_ranges(&mut self, settings: &mut PairContactSettings, bodies: &[Body]) {
        if let Some(lowered) = &mut settings.lowered
            && !lowered.is_empty()
        {
            self.stand(bodies);
            self.contact.grow_ranges(lowered, &mut self.gaps);
        }
    }

    /// Finds all pairs of bodies as they stand.
    pub(super) fn stand(&mut self, bodies: &[Body]) {
        self.contact.awake(0..bodies.len());
        self.take_places(bodies);
        self.contact.begin_step();
        self.contact.stay();
    }
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
