//! Whether two closed segments have a point in common, in the plane and in space.

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

/// The sign of twice the area of a triangle in the plane: positive if it turns left.
pub(crate) fn turn(a: DVec2, b: DVec2, c: DVec2) -> i32 {
    let coordinate = |p: DVec2| Coord { x: p.x, y: p.y };
    sign(robust::orient2d(
        coordinate(a),
        coordinate(b),
        coordinate(c),
    ))
}

/// On which side of the plane through a, b and c the point d is: 0 on it.
pub(crate) fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i32 {
    let coordinate = |p: DVec3| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    let [a, b, c, d] = [a, b, c, d].map(coordinate);
    sign(robust::orient3d(a, b, c, d))
}

fn sign(value: f64) -> i32 {
    i32::from(value > 0.0) - i32::from(value < 0.0)
}

/// A point without the coordinate of an axis. Nothing is rounded.
pub(crate) fn without_axis(point: DVec3, axis: usize) -> DVec2 {
    DVec2::new(point[(axis + 1) % 3], point[(axis + 2) % 3])
}

/// Whether two segments in the plane have a point in common. Segments may be points.
pub(crate) fn meet_in_plane([a, b]: [DVec2; 2], [p, q]: [DVec2; 2]) -> bool {
    let (p_of_ab, q_of_ab) = (turn(a, b, p), turn(a, b, q));
    let (a_of_pq, b_of_pq) = (turn(p, q, a), turn(p, q, b));
    if p_of_ab * q_of_ab < 0 && a_of_pq * b_of_pq < 0 {
        return true;
    }
    let on = |turns: i32, from: DVec2, to: DVec2, point: DVec2| {
        turns == 0 && from.min(to).cmple(point).all() && point.cmple(from.max(to)).all()
    };
    on(p_of_ab, a, b, p) || on(q_of_ab, a, b, q) || on(a_of_pq, p, q, a) || on(b_of_pq, p, q, b)
}

/// Whether two segments in space have a point in common. Segments may be points.
pub(crate) fn meet_in_space([a, b]: [DVec3; 2], [p, q]: [DVec3; 2]) -> bool {
    if side(a, b, p, q) != 0 {
        return false;
    }
    // The four points lie in a plane. If three of them stay apart from a line when an axis is left
    // out, the plane does not collapse, and nothing is lost without that axis.
    for axis in 0..3 {
        let [a, b, p, q] = [a, b, p, q].map(|point| without_axis(point, axis));
        let triples = [(a, b, p), (a, b, q), (p, q, a), (p, q, b)];
        if triples.iter().any(|&(i, j, k)| turn(i, j, k) != 0) {
            return meet_in_plane([a, b], [p, q]);
        }
    }
    // All on one line: the intervals overlap along each axis, or do not along the line.
    a.min(b).cmple(p.max(q)).all() && p.min(q).cmple(a.max(b)).all()
}
