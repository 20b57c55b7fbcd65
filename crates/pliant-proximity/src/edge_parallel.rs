//! A factor that takes the barrier between two edges smoothly to zero where they are parallel.
//!
//! c = |(a1 - a0) x (b1 - b0)|^2, c_x = 1e-3 |A1 - A0|^2 |B1 - B0|^2 with the rest edges A, B;
//! value = (2 - c / c_x) c / c_x for c < c_x, else 1.
//! Implements: \[LiFerguson2020\], the mollifier of the barrier between edges.
//!
//! The distance of two edges has a kink where they are parallel. Edges of surfaces are held apart there by the pairs of
//! points with triangles; edges of no triangle need pairs of their ends with the other edge.

use glam::DVec3;

/// The part of the product of the squared rest lengths below which edges count as nearly parallel.
const PARALLEL: f64 = 1e-3;

/// The factor and its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeParallel {
    /// 0 for parallel edges, 1 for edges that are clearly not parallel.
    pub value: f64,
    /// Derivative of the factor by the four points.
    pub gradient: [DVec3; 4],
}

impl EdgeParallel {
    /// The factor at these positions, for edges with these lengths at rest.
    pub fn new(points: &[DVec3; 4], rest_lengths: [f64; 2]) -> Self {
        let [a0, a1, b0, b1] = *points;
        let (u, v) = (a1 - a0, b1 - b0);
        let cross = u.cross(v);
        let [first, second] = rest_lengths;
        let limit = PARALLEL * (first * first) * (second * second);
        let share = cross.length_squared() / limit;
        // Rest edges of zero length give NaN or infinity: no edge to be parallel to.
        if share.is_nan() || share >= 1.0 {
            return Self {
                value: 1.0,
                gradient: [DVec3::ZERO; 4],
            };
        }
        // d|u x v|^2 = 2 (v x (u x v)) . du + 2 ((u x v) x u) . dv
        let slope = (2.0 - 2.0 * share) / limit;
        let by_u = 2.0 * slope * v.cross(cross);
        let by_v = 2.0 * slope * cross.cross(u);
        Self {
            value: (2.0 - share) * share,
            gradient: [-by_u, by_u, -by_v, by_v],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bent(angle: f64) -> [DVec3; 4] {
        let a1 = DVec3::new(1.1, 0.1, -0.2);
        let b0 = DVec3::new(0.1, 0.3, 0.2);
        let b1 = b0 + 1.05 * a1 + angle * DVec3::new(0.1, 1.0, -0.3);
        [DVec3::ZERO, a1, b0, b1]
    }

    #[test]
    fn parallel_edges_have_none_of_the_barrier_and_crossed_ones_all() {
        let along = DVec3::new(1.0, 2.0, 3.0);
        let points = [DVec3::ZERO, along, DVec3::Y, DVec3::Y + along];
        assert_eq!(EdgeParallel::new(&points, [1.0, 1.0]).value, 0.0);
        let crossed = [DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::Z + DVec3::Y];
        assert_eq!(EdgeParallel::new(&crossed, [1.0, 1.0]).value, 1.0);
        assert_eq!(EdgeParallel::new(&crossed, [0.0, 1.0]).value, 1.0);
    }

    #[test]
    fn gradient_is_the_derivative() {
        for angle in [0.0, 0.01, 0.02, 0.03, 0.5] {
            let points = bent(angle);
            let at = EdgeParallel::new(&points, [1.3, 1.1]);
            assert_eq!(
                at.value < 1.0,
                angle < 0.2,
                "both branches are met: {angle}"
            );
            for node in 0..4 {
                for axis in 0..3 {
                    let step = 1e-6;
                    let value = |sign: f64| {
                        let mut moved = points;
                        moved[node][axis] += sign * step;
                        EdgeParallel::new(&moved, [1.3, 1.1]).value
                    };
                    let difference = (value(1.0) - value(-1.0)) / (2.0 * step);
                    let slope = at.gradient[node][axis];
                    assert!((difference - slope).abs() < 1e-6 * (1.0 + slope.abs()));
                }
            }
        }
    }
}
