//! Proof that a pair stays apart: a direction and the part of the motion over which it divides.
//!
//! All points move along straight lines, p_k(t) = (1 - t) from_k + t to_k. For a unit direction n
//! the separation n . (p_i(t) - q_j(t)) of a point p_i of the first feature from a point q_j of the
//! second is linear in t. Both features are the convex hulls of their points, so where all these
//! separations are at least `level`, so is the distance. Each direction therefore proves a closed
//! interval of t, whose ends are quotients of a few numbers. The proof holds however the direction
//! was found, and nothing accumulates when several directions prove one interval after the other.
//!
//! Rounding (u = 2^-53; L = the largest component of all p_k - p_0 at both ends). The differences
//! x_k = fl(p_k - p_0) are off by u |x_k|, |x_k| <= sqrt(3) L. A product n . x_k with |n| <= 1 + 8 u
//! adds at most 3 u |n| |x_k| (1 + 3 u), so each is off by less than 4.1 u |x_k|; the difference of
//! two adds u times its size, at most 2 u |x_k|. Together less than 10.2 sqrt(3) u L < 18 u L.
//! Underflow of products adds less than 2^-1070, which is below u L since L is at least 2^-201.
//! `evaluation_error` = 20 u L covers both.
//!
//! A direction that turns, w(r) = (1 - r) v + r w over a part [a, b] of the motion, r = (t - a) / (b - a),
//! has a separation that is quadratic in r, with the Bernstein coefficients v . x(a),
//! (v . x(b) + w . x(a)) / 2 and w . x(b). If all three are at least `level`, so is the separation, and
//! the distance too since w(r) is no longer than 1. When a pair turns, the two terms of the middle one
//! cancel to first order, so such a proof reaches much farther than a fixed direction. Its values at
//! a and b are interpolated between the ends of the motion, which adds 5 u |x_k| to each: less than
//! 38 u L together, covered by twice `evaluation_error`.
//!
//! Rounding of the positions themselves: whoever moves the points computes
//! fl(from + fl(t fl(to - from))), off by u |to - from| t twice and by u |x| once: at most 5 u C for
//! a component, where C is the largest coordinate, hence 5 sqrt(3) u C for a point and twice that
//! between two convex combinations: 17.4 u C. `position_error` = 20 u C covers it.

use crate::{Closest, PairKind, closest};
use glam::DVec3;

/// Unit roundoff of f64.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Sizes outside [1 / LARGE, LARGE] are brought near 1 by a power of two, so that no product of
/// four lengths overflows or underflows.
const LARGE: f64 = 1.606_938_044_258_990_3e60; // 2^200

/// Larger coordinates may overflow when the points are moved.
const LARGEST: f64 = 1e307;

/// A part of the motion over which the pair is proved to be apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub begin: f64,
    pub end: f64,
}

/// The motion of a pair relative to its first point, scaled by a power of two.
pub(crate) struct Motion {
    kind: PairKind,
    from: [DVec3; 4],
    to: [DVec3; 4],
    /// What lengths of the caller are multiplied with.
    pub scale: f64,
    /// Bound of the error of a computed separation.
    pub evaluation_error: f64,
    /// Bound of the change of the distance when moved positions are rounded.
    pub position_error: f64,
}

impl Motion {
    /// Nothing if a coordinate is not finite or above [`LARGEST`], or if the whole pair is one point all the time.
    #[inline]
    pub fn new(kind: PairKind, from: &[DVec3; 4], to: &[DVec3; 4]) -> Option<Self> {
        let count = kind.node_count();
        let mut coordinate = 0.0_f64;
        let mut extent = 0.0_f64;
        let mut motion = Self {
            kind,
            from: [DVec3::ZERO; 4],
            to: [DVec3::ZERO; 4],
            scale: 1.0,
            evaluation_error: 0.0,
            position_error: 0.0,
        };
        for (points, relative) in [(from, &mut motion.from), (to, &mut motion.to)] {
            for (point, relative) in points[..count].iter().zip(relative) {
                *relative = *point - points[0];
                coordinate = coordinate.max(point.abs().max_element());
                extent = extent.max(relative.abs().max_element());
                if !relative.is_finite() {
                    return None;
                }
            }
        }
        if extent == 0.0 || coordinate > LARGEST {
            return None;
        }
        if !(1.0 / LARGE..=LARGE).contains(&extent) {
            motion.rescale(extent);
        }
        motion.evaluation_error = 20.0 * UNIT * (extent * motion.scale);
        motion.position_error = 20.0 * UNIT * (coordinate * motion.scale);
        Some(motion)
    }

    #[cold]
    fn rescale(&mut self, extent: f64) {
        // Two factors: the reciprocal of the smallest numbers is beyond the largest.
        let exponent = (-extent.log2().floor()).clamp(-1000.0, 1000.0);
        self.scale = exponent.exp2();
        for point in self.from.iter_mut().chain(&mut self.to) {
            *point *= self.scale;
        }
    }

    /// The points at a fraction of the motion, approximately.
    #[inline]
    pub fn at(&self, t: f64) -> [DVec3; 4] {
        let mut points = self.from;
        for (point, to) in points.iter_mut().zip(&self.to) {
            *point += t * (*to - *point);
        }
        points
    }

    /// The smallest separation along a direction at the start.
    pub fn separation_at_start(&self, direction: DVec3) -> f64 {
        let from = along(direction, &self.from);
        let mut smallest = f64::INFINITY;
        self.for_each_combination(|i, j| smallest = smallest.min(from[i] - from[j]));
        smallest
    }

    /// The interval over which a direction proves a separation of `level`, rounding included.
    pub fn proved_by(&self, direction: DVec3, level: f64) -> Option<Interval> {
        let from = along(direction, &self.from);
        let to = along(direction, &self.to);
        let mut interval = Interval {
            begin: 0.0,
            end: 1.0,
        };
        let mut empty = false;
        self.for_each_combination(|i, j| {
            let first = from[i] - from[j] - level;
            let last = to[i] - to[j] - level;
            // Each quotient is off by at most 4 u of itself.
            if first < 0.0 {
                if last < 0.0 {
                    empty = true;
                } else {
                    let entered = first / (first - last) * (1.0 + 8.0 * UNIT);
                    interval.begin = interval.begin.max(entered);
                }
            } else if last < 0.0 {
                let left = first / (first - last) * (1.0 - 8.0 * UNIT);
                interval.end = interval.end.min(left);
            }
        });
        (!empty && interval.begin <= interval.end).then_some(interval)
    }

    /// Whether the directions `first` at the beginning and `last` at the end of a part of the motion
    /// prove a separation of `level` over that part.
    pub fn proved_by_turning(&self, part: Interval, first: DVec3, last: DVec3, level: f64) -> bool {
        let level = level + self.evaluation_error;
        // The separations from the first point at the beginning and at the end of the part.
        let values = |direction: DVec3| {
            let from = along(direction, &self.from);
            let to = along(direction, &self.to);
            let at = |t: f64| std::array::from_fn(|k| from[k] + t * (to[k] - from[k]));
            (at(part.begin), at(part.end))
        };
        let (first_begin, first_end): ([f64; 4], [f64; 4]) = values(first);
        let (last_begin, last_end): ([f64; 4], [f64; 4]) = values(last);
        let mut proved = true;
        self.for_each_combination(|i, j| {
            let begin = first_begin[i] - first_begin[j];
            let twice_middle = (first_end[i] - first_end[j]) + (last_begin[i] - last_begin[j]);
            let end = last_end[i] - last_end[j];
            proved &= begin >= level && twice_middle >= 2.0 * level && end >= level;
        });
        proved
    }

    /// Whether a direction that divides the pair at the start proves that it stays farther apart
    /// than a distance of the caller over the whole motion.
    pub fn stays_beyond(&self, distance: f64) -> bool {
        let level = distance * self.scale * (1.0 + 8.0 * f64::EPSILON) + self.evaluation_error;
        let (_, directions) = self.directions_at(0.0);
        directions
            .into_iter()
            .flatten()
            .any(|direction| self.separation_of_ends(direction) >= level)
    }

    /// The smallest separation along a direction at the start and at the end, hence on the way.
    #[inline]
    fn separation_of_ends(&self, direction: DVec3) -> f64 {
        let from = along(direction, &self.from);
        let to = along(direction, &self.to);
        let mut smallest = f64::INFINITY;
        self.for_each_combination(|i, j| {
            smallest = smallest.min(from[i] - from[j]).min(to[i] - to[j]);
        });
        smallest
    }

    /// Calls `work` with each point of the first feature and each of the second.
    #[inline(always)]
    fn for_each_combination(&self, mut work: impl FnMut(usize, usize)) {
        match self.kind {
            PairKind::PointTriangle => (1..4).for_each(|j| work(0, j)),
            PairKind::EdgeEdge => {
                for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
                    work(i, j);
                }
            }
            PairKind::PointEdge => (1..3).for_each(|j| work(0, j)),
            PairKind::PointPoint => work(0, 1),
        }
    }

    /// The closest points at a fraction of the motion, and two unit directions that may divide the
    /// pair there: the one that the shape of the closest features gives, and the closest vector.
    pub fn directions_at(&self, t: f64) -> (f64, [Option<DVec3>; 2]) {
        let points = self.at(t);
        let found = closest(self.kind, &points);
        let terms = found.weights.iter().zip(&points);
        let vector: DVec3 = terms.map(|(&weight, &point)| weight * point).sum();
        let shaped = unit(perpendicular(self.kind, &points, &found, vector));
        (found.squared_distance.sqrt(), [shaped, unit(vector)])
    }
}

/// Whether one of a few directions that cost little proves that a pair stays farther apart than
/// `distance` over the whole motion: the one between the centres, and for edges that one made
/// perpendicular to each of them. `extent` is no less than any component of a difference of two
/// points.
///
/// With r the differences between points of the two features, a separation w . r is off by less than
/// 5 u |w| |r| < 9 u |w| extent, and must be at least |w| distance. Squares are compared; 1e-9
/// covers their rounding.
pub(crate) fn cheap_directions_divide(
    kind: PairKind,
    from: &[DVec3; 4],
    to: &[DVec3; 4],
    distance: f64,
    extent: f64,
) -> bool {
    let level_squared = level_squared(distance, extent);
    let [a, b, c, d] = *from;
    let [p, q, r, s] = *to;
    match kind {
        PairKind::PointTriangle => {
            let differences = [a - b, a - c, a - d, p - q, p - r, p - s];
            divides(sum(&differences), &differences, level_squared)
        }
        PairKind::EdgeEdge => {
            let differences = [a - c, a - d, b - c, b - d, p - r, p - s, q - r, q - s];
            let centres = sum(&differences);
            // Neighbours in a sheet are divided across one of the two edges.
            let across =
                |along: DVec3| centres * along.length_squared() - centres.dot(along) * along;
            divides(centres, &differences, level_squared)
                || divides(across(b - a), &differences, level_squared)
                || divides(across(d - c), &differences, level_squared)
        }
        PairKind::PointEdge => {
            let differences = [a - b, a - c, p - q, p - r];
            divides(sum(&differences), &differences, level_squared)
        }
        PairKind::PointPoint => {
            let differences = [a - b, p - q];
            divides(sum(&differences), &differences, level_squared)
        }
    }
}

/// The square of what a separation must reach; see [`cheap_directions_divide`].
#[inline(always)]
pub(crate) fn level_squared(distance: f64, extent: f64) -> f64 {
    let level = (distance + 16.0 * UNIT * extent) * (1.0 + 1e-9);
    level * level
}

#[inline(always)]
fn sum(differences: &[DVec3]) -> DVec3 {
    differences.iter().sum()
}

/// Whether all separations along a direction of any length are beyond a level.
#[inline(always)]
fn divides(direction: DVec3, differences: &[DVec3], level_squared: f64) -> bool {
    let squared = direction.length_squared();
    let mut smallest = f64::INFINITY;
    for difference in differences {
        let separation = direction.dot(*difference);
        smallest = if separation < smallest {
            separation
        } else {
            smallest
        };
    }
    // Sizes at which nothing overflows or underflows. Where a difference is NaN, so is the direction.
    (1e-140..1e140).contains(&squared)
        && smallest > 0.0
        && smallest * smallest >= level_squared * squared
}

/// How far points are along a direction.
#[inline(always)]
fn along(direction: DVec3, points: &[DVec3; 4]) -> [f64; 4] {
    let [a, b, c, d] = points;
    [
        direction.dot(*a),
        direction.dot(*b),
        direction.dot(*c),
        direction.dot(*d),
    ]
}

/// A vector of length 1 up to 8 u; nothing if it is too short or too long to be normalised.
fn unit(vector: DVec3) -> Option<DVec3> {
    let squared = vector.length_squared();
    (1e-280..1e280)
        .contains(&squared)
        .then(|| vector / squared.sqrt())
}

/// The closest vector, made perpendicular to the features on which the closest points lie.
///
/// Close to touching, the closest vector is a small difference of large ones and points anywhere.
/// The normal of a face, or of two edges, keeps its accuracy; near an edge the part along it is
/// taken out.
fn perpendicular(kind: PairKind, points: &[DVec3; 4], found: &Closest, vector: DVec3) -> DVec3 {
    let count = kind.first_count();
    let mut edges = [DVec3::ZERO; 2];
    let mut edge_count = 0;
    for feature in [0..count, count..kind.node_count()] {
        let mut corners = feature.filter(|&k| found.weights[k] != 0.0);
        let Some(base) = corners.next() else { continue };
        for corner in corners {
            if edge_count < 2 {
                edges[edge_count] = points[corner] - points[base];
            }
            edge_count += 1;
        }
    }
    match edge_count {
        0 => vector,
        1 => {
            let along = edges[0];
            let once = vector - vector.dot(along) / along.length_squared() * along;
            once - once.dot(along) / along.length_squared() * along
        }
        _ => {
            let normal = edges[0].cross(edges[1]);
            let toward_first = normal.dot(points[0] - points[count]);
            if toward_first < 0.0 { -normal } else { normal }
        }
    }
}
