//! Bodies that touch each other or obstacles where they are: contact cannot push apart what has no gap.

use super::pair_contact::PairContact;
use crate::body::Body;
use crate::contact::PairContactSettings;
use crate::obstacle::Obstacle;
use glam::DVec3;
use pliant_proximity::closest;

/// What counts as no gap, by the thickness of contact.
const NO_GAP: f64 = 1e-6;

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
    let mut contact = PairContact::new(settings, bodies, obstacles);
    for (index, body) in bodies.iter().enumerate() {
        let range = contact.range_of(index);
        contact.places[range].copy_from_slice(&body.state.positions);
    }
    let reach = NO_GAP * settings.thickness;
    let PairContact {
        features,
        places,
        candidates,
        ..
    } = &mut contact;
    features.find([places, places], reach, candidates);
    let mut found = Vec::new();
    for pair in &contact.candidates {
        let points = pair.gather(&contact.places);
        let near = closest(pair.kind, &points);
        let radius = contact.features.radius_and_friction(pair).0;
        let gap = near.squared_distance.sqrt() - radius;
        if gap > NO_GAP * settings.thickness {
            continue;
        }
        let split = pair.kind.first_count();
        let who = [0, split].map(|k| contact.features.body_of[pair.nodes[k] as usize] as usize);
        let place = (0..split).map(|k| near.weights[k] * points[k]).sum();
        let who = [who[0].min(who[1]), who[0].max(who[1])];
        found.push(Overlap { who, place, gap });
    }
    found
}
