//! How far a place is from the surface of a rigid body.

use crate::body::Body;
use glam::DVec3;
use pliant_proximity::{PairKind, closest};

/// The distance of a place from the features of a body, in metres; beneath a round one it is negative.
pub(super) fn distance(body: &Body, place: DVec3) -> f64 {
    let features = body.formulation().contact_features(body);
    let at = |node: u32| body.state.positions[node as usize];
    let radius = |node: u32| features.radii.get(node as usize).copied().unwrap_or(0.0);
    let mut least = f64::INFINITY;
    let mut take = |kind: PairKind, points: [DVec3; 4], node: u32| {
        let distance = closest(kind, &points).squared_distance.sqrt();
        least = least.min(distance - radius(node));
    };
    for &[a, b, c] in &features.triangles {
        take(PairKind::PointTriangle, [place, at(a), at(b), at(c)], a);
    }
    for &[a, b] in &features.lines {
        take(PairKind::PointEdge, [place, at(a), at(b), place], a);
    }
    for &a in &features.points {
        take(PairKind::PointPoint, [place, at(a), place, place], a);
    }
    least
}
