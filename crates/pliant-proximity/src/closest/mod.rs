//! Closest points of two features.
//!
//! Each file compares the interior solution with those on the boundary wherever the features are
//! close to degenerate, so that zero lengths, slivers and parallel edges need no tolerance: the
//! smallest of the distances that were found is the answer.

mod edge_edge;
mod point_edge;
mod point_triangle;

use crate::{Pair, PairKind};
use glam::DVec3;

/// The closest points of two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Square of the distance.
    pub squared_distance: f64,
    /// The sum of `weights[k] * points[k]` is the vector from the closest point of the second
    /// feature to that of the first. The weights of the first feature are not negative and sum to
    /// 1; those of the second are not positive and sum to -1; those of repeated nodes are zero.
    pub weights: [f64; 4],
}

/// The closest points of the features with these nodes. The unused points are not looked at.
///
/// Lengths between 1e-70 and 1e70 keep clear of overflow and underflow.
pub fn closest(kind: PairKind, points: &[DVec3; 4]) -> Closest {
    let [a, b, c, d] = *points;
    match kind {
        PairKind::PointTriangle => point_triangle::closest(a, [b, c, d]),
        PairKind::EdgeEdge => edge_edge::closest([a, b], [c, d]),
        PairKind::PointEdge => point_edge::closest(a, [b, c]),
        PairKind::PointPoint => Closest {
            squared_distance: (a - b).length_squared(),
            weights: [1.0, -1.0, 0.0, 0.0],
        },
    }
}

/// The pair with the smallest distance and that distance; nothing if there are no pairs. Of equal
/// distances the first counts.
pub fn smallest_distance(pairs: &[Pair], positions: &[DVec3]) -> Option<(Pair, f64)> {
    let mut best: Option<(Pair, f64)> = None;
    for pair in pairs {
        let squared = closest(pair.kind, &pair.gather(positions)).squared_distance;
        if best.is_none_or(|(_, smallest)| squared < smallest) {
            best = Some((*pair, squared));
        }
    }
    best.map(|(pair, squared)| (pair, squared.sqrt()))
}
