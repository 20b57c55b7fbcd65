//! B-spline and NURBS curves, patches and solids.
//!
//! ```text
//! x(u) = Σ N_i(u₁) N_j(u₂) N_k(u₃) w_ijk c_ijk / Σ N_i N_j N_k w_ijk
//! ```
//!
//! N are B-splines ([`SplineBasis`]), c control points in metres, w positive weights. With equal weights
//! it is a B-spline. Implements: \[Gibson1997\] sect. 2.1 and 5.4 (NURBS as Terzopoulos and Qin have
//! them). A direction that is periodic wraps its control points: the first ones follow the last.

use super::{Shape, ShapeError};
use crate::grid::Grid;
use crate::math::{KnotError, SplineBasis};
use glam::DVec3;
use thiserror::Error;

/// A NURBS curve, patch or solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Nurbs {
    /// One for each direction.
    bases: Vec<SplineBasis>,
    control_points: Vec<DVec3>,
    weights: Vec<f64>,
}

/// What is wrong with a NURBS shape.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum NurbsError {
    /// Degrees and knots that do not fit.
    #[error(transparent)]
    Knots(#[from] KnotError),
    /// Another number of control points or weights than the directions have.
    #[error("expected {expected} {what}, found {found}")]
    Count {
        /// Control points or weights.
        what: &'static str,
        /// Number that belongs to the directions.
        expected: usize,
        /// Number that was given.
        found: usize,
    },
    /// A weight that is not positive.
    #[error("expected positive, finite weights; that of control point {index} is {value}")]
    Weight {
        /// Which control point.
        index: usize,
        /// Its weight.
        value: f64,
    },
}

impl Nurbs {
    /// A shape with one basis for each of its 1 to 3 directions; control points and weights run fastest
    /// along the first.
    pub fn new(
        bases: Vec<SplineBasis>,
        control_points: Vec<DVec3>,
        weights: Vec<f64>,
    ) -> Result<Self, NurbsError> {
        let expected = bases.iter().map(SplineBasis::count).product();
        for (what, found) in [
            ("control points", control_points.len()),
            ("weights", weights.len()),
        ] {
            if found != expected {
                return Err(NurbsError::Count {
                    what,
                    expected,
                    found,
                });
            }
        }
        let wrong = |weight: &f64| !(weight.is_finite() && *weight > 0.0);
        if let Some(index) = weights.iter().position(wrong) {
            let value = weights[index];
            return Err(NurbsError::Weight { index, value });
        }
        Ok(Self {
            bases,
            control_points,
            weights,
        })
    }

    /// A periodic basis of even knots, for control points of which the first `degree` are repeated
    /// behind the last.
    pub fn periodic_basis(count: usize, degree: usize) -> Result<SplineBasis, KnotError> {
        let knots: Vec<f64> = (0..count + 2 * degree + 1).map(|n| n as f64).collect();
        SplineBasis::with_knots(count + degree, degree, &knots)
    }

    /// One basis for each direction.
    pub fn bases(&self) -> &[SplineBasis] {
        &self.bases
    }

    /// Its control points, in metres, fastest along the first direction.
    pub fn control_points(&self) -> &[DVec3] {
        &self.control_points
    }

    /// Their weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The same shape with one more knot along a direction, at a coordinate from 0 to 1. Not for periodic
    /// directions.
    ///
    /// # Panics
    /// If there is no such direction.
    pub fn with_knot(&self, direction: usize, s: f64) -> Self {
        let (basis, shares) = self.bases[direction].with_knot(s);
        let counts: Vec<usize> = self.bases.iter().map(SplineBasis::count).collect();
        let stride: usize = counts[..direction].iter().product();
        let (old, new) = (counts[direction], counts[direction] + 1);
        let total = self.control_points.len() / old * new;
        let (mut control_points, mut weights) = (Vec::new(), Vec::new());
        for place in 0..total {
            let (low, i, high) = (place % stride, place / stride % new, place / stride / new);
            let control = |i: usize| low + stride * (i + old * high);
            let mut weight = 0.0;
            let mut sum = DVec3::ZERO;
            let parts = [(i, shares[i]), (i.wrapping_sub(1), 1.0 - shares[i])];
            for (i, share) in parts.into_iter().filter(|part| part.1 != 0.0) {
                let added = share * self.weights[control(i)];
                weight += added;
                sum += added * self.control_points[control(i)];
            }
            weights.push(weight);
            control_points.push(sum / weight);
        }
        let mut bases = self.bases.clone();
        bases[direction] = basis;
        Self {
            bases,
            control_points,
            weights,
        }
    }

    /// The place of material coordinates from 0 to 1.
    pub fn at(&self, u: [f64; 3]) -> DVec3 {
        let values: Vec<_> = self
            .bases
            .iter()
            .zip(u)
            .map(|(basis, u)| basis.at(u))
            .collect();
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        let counts: Vec<usize> = values.iter().map(|values| values.values.len()).collect();
        for n in 0..counts.iter().product() {
            let (mut rest, mut control, mut stride, mut value) = (n, 0, 1, 1.0);
            for (d, values) in values.iter().enumerate() {
                let i = rest % counts[d];
                rest /= counts[d];
                control += stride * (values.first + i);
                stride *= self.bases[d].count();
                value *= values.values[i];
            }
            let weight = value * self.weights[control];
            sum += weight * self.control_points[control];
            total += weight;
        }
        sum / total
    }
}

impl Shape for Nurbs {
    fn sample(&self, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
        if grid.dimension() != self.bases.len() {
            let expected = ["1", "2", "3"][self.bases.len() - 1];
            let given = grid.dimension();
            return Err(ShapeError::Dimension { expected, given });
        }
        let nodes = grid.nodes().map(|at| grid.material_coordinates(at));
        Ok(nodes.map(|u| self.at(u)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Bezier;

    /// A full circle of degree 2 with nine control points, exact.
    #[test]
    fn a_circle_is_round() {
        let knots = [
            0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0,
        ];
        let basis = SplineBasis::with_knots(9, 2, &knots).unwrap();
        let corners = [
            [1, 0],
            [1, 1],
            [0, 1],
            [-1, 1],
            [-1, 0],
            [-1, -1],
            [0, -1],
            [1, -1],
            [1, 0],
        ];
        let points = corners.map(|[x, y]| DVec3::new(f64::from(x), f64::from(y), 0.0));
        let weights = (0..9).map(|n| if n % 2 == 0 { 1.0 } else { 0.5_f64.sqrt() });
        let circle = Nurbs::new(vec![basis], points.to_vec(), weights.collect()).unwrap();
        for n in 0..=60 {
            let place = circle.at([f64::from(n) / 60.0, 0.0, 0.0]);
            assert!((place.length() - 1.0).abs() < 1e-14, "{place}");
        }
    }

    #[test]
    fn without_inner_knots_and_with_equal_weights_it_is_a_bezier_patch() {
        let points: Vec<DVec3> = (0..16)
            .map(|n| DVec3::new((n % 4) as f64, (n / 4) as f64, (n as f64).sin()))
            .collect();
        let bases = vec![SplineBasis::bernstein(4).unwrap(); 2];
        let patch = Nurbs::new(bases, points.clone(), vec![2.5; 16]).unwrap();
        let bezier = Bezier::new(2, 3, points).unwrap();
        let grid = Grid::new(&[7, 9], &[false, false]);
        let (a, b) = (patch.sample(&grid).unwrap(), bezier.sample(&grid).unwrap());
        for (a, b) in a.iter().zip(&b) {
            assert!(a.distance(*b) < 1e-13);
        }
    }

    #[test]
    fn a_periodic_curve_closes_smoothly() {
        let basis = Nurbs::periodic_basis(6, 3).unwrap();
        let points: Vec<DVec3> = (0..9)
            .map(|n| {
                let angle = f64::from(n % 6) * std::f64::consts::TAU / 6.0;
                DVec3::new(angle.cos(), 2.0 * angle.sin(), 0.0)
            })
            .collect();
        let curve = Nurbs::new(vec![basis], points, vec![1.0; 9]).unwrap();
        let at = |u: f64| curve.at([u, 0.0, 0.0]);
        assert!(at(0.0).distance(at(1.0)) < 1e-14);
        let step = 1e-6;
        let ahead = (at(step) - at(0.0)) / step;
        let behind = (at(1.0) - at(1.0 - step)) / step;
        assert!(ahead.distance(behind) < 1e-4, "{ahead} {behind}");
    }

    #[test]
    fn a_knot_does_not_change_the_shape() {
        let bases = vec![
            SplineBasis::clamped(5, 3).unwrap(),
            SplineBasis::clamped(4, 2).unwrap(),
        ];
        let place = |n: usize| DVec3::new((n % 5) as f64, (n / 5) as f64, (n as f64).sin());
        let weights = (0..20).map(|n| 1.0 + 0.5 * f64::from(n).cos()).collect();
        let shape = Nurbs::new(bases, (0..20).map(place).collect(), weights).unwrap();
        let mut finer = shape.clone();
        for (direction, s) in [(0, 0.3), (1, 0.7), (0, 0.0), (1, 0.5), (0, 0.3)] {
            finer = finer.with_knot(direction, s);
        }
        assert_eq!(finer.control_points().len(), 8 * 6);
        for n in 0..=20 {
            let u = [f64::from(n) / 20.0, (0.37 * f64::from(n)).fract(), 0.0];
            assert!(finer.at(u).distance(shape.at(u)) < 1e-13, "{u:?}");
        }
    }

    #[test]
    fn wrong_counts_and_weights_are_refused() {
        let basis = || vec![SplineBasis::clamped(4, 2).unwrap()];
        assert!(Nurbs::new(basis(), vec![DVec3::ZERO; 3], vec![1.0; 3]).is_err());
        assert!(Nurbs::new(basis(), vec![DVec3::ZERO; 4], vec![1.0; 3]).is_err());
        let weights = vec![1.0, 0.0, 1.0, 1.0];
        assert!(Nurbs::new(basis(), vec![DVec3::ZERO; 4], weights).is_err());
    }
}
