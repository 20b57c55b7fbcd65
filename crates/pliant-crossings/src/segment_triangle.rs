//! Whether a closed segment and a closed triangle have a point in common.
//!
//! If the ends are on different sides of the triangle's plane (or one is on it), the segment meets
//! the plane in one point. It is in the triangle if the line goes round the three sides in the
//! same sense: the signs of orient3d(p, q, a, b), (p, q, b, c), (p, q, c, a) do not contradict. A
//! segment in the plane is compared in the plane. A triangle without area is its three sides.

use crate::segment_segment::{meet_in_plane, meet_in_space, side, turn, without_axis};
use glam::{DVec2, DVec3};

/// Whether a closed segment and a closed triangle have a point in common, decided exactly. Both may
/// be degenerate.
pub fn segment_meets_triangle([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (p_side, q_side) = (side(a, b, c, p), side(a, b, c, q));
    if p_side * q_side > 0 {
        return false;
    }
    if p_side == 0 && q_side == 0 {
        return meet_in_common_plane([p, q], [a, b, c]);
    }
    // One end is off the plane, so the triangle has an area.
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    turns.iter().all(|&turn| turn >= 0) || turns.iter().all(|&turn| turn <= 0)
}

/// The same where no end is off the plane, or the triangle has no area.
fn meet_in_common_plane(segment: [DVec3; 2], triangle: [DVec3; 3]) -> bool {
    for axis in 0..3 {
        let flat = |point: DVec3| without_axis(point, axis);
        let [a, b, c] = triangle.map(flat);
        if turn(a, b, c) != 0 {
            return meet_flat(segment.map(flat), [a, b, c]);
        }
    }
    let [a, b, c] = triangle;
    [[a, b], [b, c], [c, a]]
        .into_iter()
        .any(|edge| meet_in_space(segment, edge))
}

/// Whether a segment and a triangle with an area have a point in common, in the plane.
fn meet_flat([p, q]: [DVec2; 2], [a, b, c]: [DVec2; 3]) -> bool {
    let turns = [turn(a, b, p), turn(b, c, p), turn(c, a, p)];
    let inside = turns.iter().all(|&turn| turn >= 0) || turns.iter().all(|&turn| turn <= 0);
    inside
        || [[a, b], [b, c], [c, a]]
            .into_iter()
            .any(|edge| meet_in_plane([p, q], edge))
}
