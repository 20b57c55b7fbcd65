//! Bézier curves, patches and solids of any order.
//!
//!   x(u) = Σ Bᵢⁿ(u₁) Bⱼⁿ(u₂) Bₖⁿ(u₃) pᵢⱼₖ,   Bᵢⁿ(u) = C(n, i) uⁱ (1 - u)ⁿ⁻ⁱ
//!
//! with the same order n in every direction and the control points numbered with the first
//! direction fastest: p has the index i + (n + 1) (j + (n + 1) k). Positions in metres, u between 0
//! and 1.
//!
//! The nodes lie evenly over u, from 0 to 1 in an open direction. In a periodic direction they do
//! so too if the two ends of the shape are apart: the gap is then bridged by the last interval. If
//! the ends coincide (a pipe whose edges meet) the nodes stop one interval short of u = 1, since the
//! last would otherwise lie on the first.

use super::check::size;
use super::{Shape, ShapeError};
use crate::grid::Grid;
use glam::DVec3;

/// Beyond this order, uneven control points already cost digits, and no scene needs it.
const LARGEST_ORDER: usize = 64;

/// Distance of two ends, as a part of the size, up to which they coincide.
const CLOSURE: f64 = 1e-9;

/// A Bézier curve, patch or solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Bezier {
    dimension: usize,
    order: usize,
    control_points: Vec<DVec3>,
}

impl Bezier {
    /// A shape with 1 to 3 directions, `order` at least 1 and (order + 1)^dimension control points
    /// in metres.
    pub fn new(
        dimension: usize,
        order: usize,
        control_points: Vec<DVec3>,
    ) -> Result<Self, ShapeError> {
        if !(1..=3).contains(&dimension) {
            return Err(ShapeError::Dimension {
                expected: "1, 2 or 3",
                given: dimension,
            });
        }
        if !(1..=LARGEST_ORDER).contains(&order) {
            return Err(ShapeError::Order {
                order,
                largest: LARGEST_ORDER,
            });
        }
        let expected = (order + 1).pow(dimension as u32);
        if control_points.len() != expected {
            return Err(ShapeError::ControlPointCount {
                order,
                dimension,
                expected,
                given: control_points.len(),
            });
        }
        if let Some(index) = control_points.iter().position(|point| !point.is_finite()) {
            return Err(ShapeError::NotFinite {
                what: "control point",
                index,
            });
        }
        Ok(Self {
            dimension,
            order,
            control_points,
        })
    }

    /// The point at the parameters `u`, between 0 and 1; unused ones are ignored.
    pub fn position(&self, u: [f64; 3]) -> DVec3 {
        let weights = u.map(|u| bernstein(self.order, u));
        self.weigh([&weights[0], &weights[1], &weights[2]])
    }

    fn weigh(&self, weights: [&[f64]; 3]) -> DVec3 {
        let row_length = self.order + 1;
        let mut position = DVec3::ZERO;
        for (row, points) in self.control_points.chunks_exact(row_length).enumerate() {
            let mut weight = 1.0;
            if self.dimension > 1 {
                weight *= weights[1][row % row_length];
            }
            if self.dimension > 2 {
                weight *= weights[2][row / row_length];
            }
            let along_row: DVec3 = points.iter().zip(weights[0]).map(|(&p, &w)| w * p).sum();
            position += weight * along_row;
        }
        position
    }

    /// Whether the first and last control points along `direction` coincide everywhere.
    fn closes(&self, direction: usize) -> bool {
        let stride = (self.order + 1).pow(direction as u32);
        let tolerance = CLOSURE * size(&self.control_points);
        (0..self.control_points.len())
            .filter(|index| (index / stride).is_multiple_of(self.order + 1))
            .all(|first| {
                let last = first + self.order * stride;
                self.control_points[first].distance(self.control_points[last]) <= tolerance
            })
    }

    /// Bernstein weights of every node along `direction`.
    fn weights(&self, grid: &Grid, direction: usize) -> Vec<Vec<f64>> {
        let count = grid.counts()[direction];
        let stops_short =
            direction < self.dimension && grid.periodic()[direction] && self.closes(direction);
        let intervals = if stops_short { count } else { count - 1 };
        (0..count)
            .map(|node| bernstein(self.order, node as f64 / intervals.max(1) as f64))
            .collect()
    }
}

impl Shape for Bezier {
    fn sample(&self, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
        if grid.dimension() != self.dimension {
            return Err(ShapeError::Dimension {
                expected: ["1", "2", "3"][self.dimension - 1],
                given: grid.dimension(),
            });
        }
        let weights: [_; 3] = std::array::from_fn(|direction| self.weights(grid, direction));
        Ok(grid
            .nodes()
            .map(|[i, j, k]| self.weigh([&weights[0][i], &weights[1][j], &weights[2][k]]))
            .collect())
    }
}

/// All B₀ⁿ(u) … Bₙⁿ(u), raised from order 0 by convex combinations only, so that nothing cancels.
fn bernstein(order: usize, u: f64) -> Vec<f64> {
    let mut values = vec![0.0; order + 1];
    values[0] = 1.0;
    for raised in 1..=order {
        for i in (1..=raised).rev() {
            values[i] = (1.0 - u) * values[i] + u * values[i - 1];
        }
        values[0] *= 1.0 - u;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    /// A quadratic patch over [0, 2]² with its middle raised.
    fn dome() -> Vec<DVec3> {
        (0..9)
            .map(|index| {
                let (i, j) = (index % 3, index / 3);
                let height = if i == 1 && j == 1 { 4.0 } else { 0.0 };
                DVec3::new(i as f64, j as f64, height)
            })
            .collect()
    }

    #[test]
    fn control_points_are_numbered_with_the_first_direction_fastest() {
        // The square of the thesis, sect. 4.4.5.1.
        let corners = [[-2.0, -2.0], [2.0, -2.0], [-2.0, 2.0], [2.0, 2.0]];
        let points = corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
        let grid = Grid::new(&[5, 3], &[false, false]);
        let positions = Bezier::new(2, 1, points)
            .unwrap()
            .rest_positions(&grid)
            .unwrap();
        assert_eq!(positions[1], DVec3::new(-1.0, -2.0, 0.0));
        assert_eq!(positions[5], DVec3::new(-2.0, 0.0, 0.0));
        assert_eq!(positions[14], DVec3::new(2.0, 2.0, 0.0));
    }

    #[test]
    fn a_solid_has_its_corners_at_the_corner_control_points() {
        let points: Vec<DVec3> = (0..27)
            .map(|index: usize| {
                let place = DVec3::new(
                    (index % 3) as f64,
                    (index / 3 % 3) as f64,
                    (index / 9) as f64,
                );
                place + 0.1 * (index as f64).sin() * DVec3::ONE
            })
            .collect();
        let grid = Grid::new(&[4, 3, 5], &[false; 3]);
        let positions = Bezier::new(3, 2, points.clone())
            .unwrap()
            .rest_positions(&grid)
            .unwrap();
        for corner in 0..8 {
            let at = |count: usize, bit: usize| if corner & bit == 0 { 0 } else { count - 1 };
            let node = grid.index([at(4, 1), at(3, 2), at(5, 4)]);
            let point = at(3, 1) + 3 * (at(3, 2) + 3 * at(3, 4));
            assert!(positions[node].distance(points[point]) < 1e-14);
        }
    }

    #[test]
    fn the_quadratic_patch_has_known_values() {
        let patch = Bezier::new(2, 2, dome()).unwrap();
        // B₁²(u) = 2 u (1 - u): at the middle 1/4 of the raised point's height, at u = 1/4, v = 1/2
        // 4 · 3/8 · 1/2.
        let middle = patch.position([0.5, 0.5, 0.0]);
        assert!(middle.distance(DVec3::new(1.0, 1.0, 1.0)) < 1e-15);
        let quarter = patch.position([0.25, 0.5, 0.0]);
        assert!(quarter.distance(DVec3::new(0.5, 1.0, 0.75)) < 1e-15);
    }

    #[test]
    fn moving_the_control_points_moves_the_shape() {
        let rotation = DQuat::from_axis_angle(DVec3::new(0.0, 0.6, 0.8), 0.9);
        let shift = DVec3::new(3.0, -1.0, 0.5);
        let motion = |p: DVec3| rotation * (p * DVec3::new(2.0, 1.0, 0.5)) + shift;
        let plain = Bezier::new(2, 2, dome()).unwrap();
        let moved = Bezier::new(2, 2, dome().into_iter().map(motion).collect()).unwrap();
        let grid = Grid::new(&[6, 5], &[false, false]);
        let expected = plain.sample(&grid).unwrap();
        for (p, q) in expected.into_iter().zip(moved.sample(&grid).unwrap()) {
            assert!(motion(p).distance(q) < 1e-13);
        }
    }

    #[test]
    fn bernstein_weights_sum_to_one_at_high_order() {
        for step in 0..=10 {
            let weights = bernstein(LARGEST_ORDER, f64::from(step) / 10.0);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            assert!(weights.iter().all(|&weight| weight >= 0.0));
        }
    }

    #[test]
    fn a_periodic_direction_whose_ends_meet_stops_one_interval_short() {
        let loop_points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ZERO];
        let curve = Bezier::new(1, 3, loop_points).unwrap();
        let ring = Grid::new(&[8], &[true]);
        let positions = curve.rest_positions(&ring).unwrap();
        assert!(positions[4].distance(curve.position([0.5, 0.0, 0.0])) < 1e-15);
        let arc = vec![DVec3::ZERO, 3.0 * DVec3::X, 3.0 * DVec3::Y, 0.1 * DVec3::Y];
        let nearly = Bezier::new(1, 3, arc.clone()).unwrap();
        assert_eq!(nearly.rest_positions(&ring).unwrap()[7], arc[3]);
        // An open direction reaches its end even if it meets the beginning.
        let open = Grid::new(&[8], &[false]);
        assert_eq!(curve.rest_positions(&open).unwrap()[7], DVec3::ZERO);
    }

    #[test]
    fn bad_descriptions_are_refused() {
        let error = Bezier::new(2, 2, vec![DVec3::ZERO; 4]).unwrap_err();
        assert!(matches!(
            error,
            ShapeError::ControlPointCount {
                expected: 9,
                given: 4,
                ..
            }
        ));
        assert!(Bezier::new(1, 0, vec![DVec3::ZERO]).is_err());
        assert!(Bezier::new(3, usize::MAX, Vec::new()).is_err());
        assert!(Bezier::new(4, 1, vec![DVec3::ZERO; 16]).is_err());
        assert!(Bezier::new(1, 1, vec![DVec3::ZERO, DVec3::INFINITY]).is_err());
        let patch = Bezier::new(2, 2, dome()).unwrap();
        assert!(patch.sample(&Grid::new(&[4], &[false])).is_err());
    }

    #[test]
    fn a_patch_on_a_line_is_no_rest_shape_but_may_be_an_initial_one() {
        let points = [0.0, 1.0, 2.0, 3.0]
            .map(|x| DVec3::new(x, 0.0, 0.0))
            .to_vec();
        let patch = Bezier::new(2, 1, points).unwrap();
        let grid = Grid::new(&[4, 4], &[false, false]);
        assert!(patch.sample(&grid).is_ok());
        assert!(matches!(
            patch.rest_positions(&grid),
            Err(ShapeError::Singular { .. })
        ));
    }
}
