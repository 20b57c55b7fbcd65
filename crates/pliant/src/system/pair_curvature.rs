//! What turns about something round: the stiffness by which a barrier resists the tilting of a face or an edge whose
//! distance from a point is large.
//!
//! ```text
//! D̈ = -D |g|² - 2 g · v,    g = Σ_k ∇b_k (n · ẋ_k)
//! ```
//!
//! D is the distance of the point from the plane of a triangle with corners x_k, b_k their barycentric coordinates, n
//! the normal and v the motion of the point along the plane, seen from the triangle. The distance from the middle of a
//! ball is far larger than a gap: a face that tilts there comes nearer, and what pushes it away with a force N resists
//! with the stiffness N D of the tilt g. Along an edge g is (n · ẋ_b - n · ẋ_a) / |x_b - x_a|. The part with v has no sign
//! and is small where D is large; it is left out, and so is all of it where D is smaller than the sides are long.

use super::pair_contact::{PairContact, Touching};
use crate::math::outer;
use glam::DVec3;

/// The weights of n · ẋ_k in each component of g, times the longest side, and that side squared; of the corners of a
/// triangle or the ends of an edge.
fn tilts(corners: &[DVec3]) -> ([[f64; 3]; 2], f64) {
    match *corners {
        [a, b] => ([[-1.0, 1.0, 0.0], [0.0; 3]], a.distance_squared(b)),
        [a, b, c] => {
            let sides = [c - b, a - c, b - a];
            let longest = sides.map(DVec3::length_squared);
            let longest = longest.into_iter().fold(0.0, f64::max);
            let normal = sides[0].cross(sides[1]);
            let size = longest.sqrt() / normal.length_squared();
            if !size.is_finite() {
                return ([[0.0; 3]; 2], longest);
            }
            let (first, second) = normal.normalize().any_orthonormal_pair();
            let slopes = sides.map(|side| normal.cross(side) * size);
            let along = |axis: DVec3| slopes.map(|slope| slope.dot(axis));
            ([along(first), along(second)], longest)
        }
        _ => ([[0.0; 3]; 2], 0.0),
    }
}

impl PairContact {
    /// Adds the stiffness against tilting about the point of a pair; see the module.
    pub(super) fn resist_tilting(&mut self, touch: &Touching) {
        let pair = &touch.pair;
        if pair.kind.first_count() != 1 {
            return;
        }
        let points = pair.gather(&self.places);
        let (mut nodes, mut corners, mut count) = ([0; 3], [DVec3::ZERO; 3], 0);
        for k in (1..pair.kind.node_count()).filter(|&k| touch.weights[k] != 0.0) {
            (nodes[count], corners[count]) = (pair.nodes[k], points[k]);
            count += 1;
        }
        let gap: DVec3 = (0..4).map(|k| touch.weights[k] * points[k]).sum();
        let (tilts, side) = tilts(&corners[..count]);
        if side == 0.0 || gap.length_squared() <= side {
            return;
        }
        let stiffness = touch.force * gap.length() / side;
        let block = outer(touch.normal, touch.normal) * stiffness;
        for weights in tilts.iter().filter(|weights| **weights != [0.0; 3]) {
            let stencil = nodes.into_iter().zip(*weights).take(count);
            self.links.push(stencil, block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_proximity::{PairKind, closest};

    #[test]
    fn the_distance_bends_by_its_length_times_the_square_of_the_tilt() {
        let triangle = [
            DVec3::new(0.3, 0.1, 0.0),
            DVec3::new(-0.2, 0.25, 0.0),
            DVec3::new(-0.1, -0.3, 0.0),
        ];
        for (kind, count) in [(PairKind::PointTriangle, 3), (PairKind::PointEdge, 2)] {
            let middle = triangle[..count].iter().sum::<DVec3>() / count as f64;
            let normal = DVec3::Z;
            let (tilts, side) = tilts(&triangle[..count]);
            for heights in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.4, -0.7, 0.9]] {
                let distance = |step: f64| {
                    let mut points = [middle + 2.0 * normal; 4];
                    for k in 0..count {
                        points[k + 1] = triangle[k] + step * heights[k] * normal;
                    }
                    closest(kind, &points).squared_distance.sqrt()
                };
                let step = 1e-4;
                let bend = (distance(step) - 2.0 * distance(0.0) + distance(-step)) / (step * step);
                let along = |weights: &[f64; 3]| -> f64 {
                    let terms = weights.iter().zip(heights).take(count);
                    terms.map(|(w, h)| w * h).sum()
                };
                let square: f64 = tilts.iter().map(|w| along(w).powi(2) / side).sum();
                assert!(
                    (bend + 2.0 * square).abs() < 1e-5 * (1.0 + square),
                    "{bend} {square}"
                );
            }
        }
    }
}
