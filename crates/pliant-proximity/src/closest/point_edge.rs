//! A point and an edge.
//!
//! The closest point of the edge a + t (b - a) has t = (p - a) . (b - a) / |b - a|^2, clamped to
//! [0, 1]. An edge of zero length is its first end.

use super::Closest;
use glam::DVec3;

/// Where on the edge from the origin to `along` the point `p` is closest, and the vector from there to `p`.
#[inline(always)]
pub(super) fn parameter(p: DVec3, along: DVec3) -> (f64, DVec3) {
    let length_squared = along.length_squared();
    let t = p.dot(along) / length_squared;
    // Comparisons that need no branch, since nobody could foresee it; one with NaN is false: the first end.
    let t = if t > 0.0 { t } else { 0.0 };
    let t = if t < 1.0 { t } else { 1.0 };
    (t, p - t * along)
}

/// Which of some squares is smaller than a bound and all squares before it.
#[inline(always)]
pub(super) fn smallest<const N: usize>(squares: [f64; N], bound: f64) -> Option<usize> {
    let (mut best, mut place) = (bound, N);
    for (k, square) in squares.into_iter().enumerate() {
        place = if square < best { k } else { place };
        best = if square < best { square } else { best };
    }
    (place < N).then_some(place)
}

pub(super) fn closest(p: DVec3, [a, b]: [DVec3; 2]) -> Closest {
    let (t, offset) = parameter(p - a, b - a);
    Closest {
        squared_distance: offset.length_squared(),
        weights: [1.0, t - 1.0, -t, 0.0],
    }
}
