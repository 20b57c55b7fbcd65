//! A point and an edge.
//!
//! The closest point of the edge a + t (b - a) has t = (p - a) . (b - a) / |b - a|^2, clamped to
//! [0, 1]. An edge of zero length is its first end.

use super::Closest;
use glam::DVec3;

/// Where on the edge from the origin to `along` the point `p` is closest, and the vector from there to `p`.
pub(super) fn parameter(p: DVec3, along: DVec3) -> (f64, DVec3) {
    let length_squared = along.length_squared();
    let t = p.dot(along) / length_squared;
    // A comparison with NaN is false: the first end.
    let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
    let offset = if t < 1.0 { p - t * along } else { p - along };
    (t, offset)
}

pub(super) fn closest(p: DVec3, [a, b]: [DVec3; 2]) -> Closest {
    let (t, offset) = parameter(p - a, b - a);
    Closest {
        squared_distance: offset.length_squared(),
        weights: [1.0, t - 1.0, -t, 0.0],
    }
}
