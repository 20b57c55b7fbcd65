//! Superquadric ellipsoids and toroids as surfaces and solids.
//!
//! ```text
//! ellipsoid  (|x/a|^(2/e₂) + |y/b|^(2/e₂))^(e₂/e₁) + |z/c|^(2/e₁) = 1
//! toroid     | (|x/a|^(2/e₂) + |y/b|^(2/e₂))^(e₂/2) - r |^(2/e₁) + |z/c|^(2/e₁) = 1
//! ```
//!
//! e₁ squares them from pole to pole (of the toroid: round the tube), e₂ round the axis: 1 is round,
//! towards 0 square, 2 pinched to a bevel. a, b, c are semi-axes in metres; r is the radius of the ring
//! as a multiple of the tube, so that the toroid reaches to (r + 1) a. Implements: \[Barr1981\].
//!
//! Departure: Barr's angles crowd the nodes at corners when e is small. Here the nodes of the
//! [`Ellipsoid`] move along their rays from the centre (of the tube) onto the surface, so that cells
//! stay of similar size and solids have no singular point inside.

use super::{Ellipsoid, Shape, ShapeError};
use crate::grid::Grid;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Exponents below this leave edges that no grid resolves.
pub const SHARPEST: f64 = 0.05;
/// Exponents above this leave spikes.
pub const MOST_PINCHED: f64 = 2.0;

/// A superquadric with its axes along x, y and z.
#[derive(Clone, Debug, PartialEq)]
pub struct Superquadric {
    ball: Ellipsoid,
    semi_axes: DVec3,
    centre: DVec3,
    exponents: [f64; 2],
    /// Radius of the ring by that of the tube, for a toroid.
    ring: Option<f64>,
}

impl Superquadric {
    /// An ellipsoid with semi-axes and centre in metres, squared by e₁ and e₂.
    pub fn ellipsoid(
        semi_axes: DVec3,
        centre: DVec3,
        exponents: [f64; 2],
    ) -> Result<Self, ShapeError> {
        Ellipsoid::new(semi_axes, centre)?;
        for value in exponents {
            if !(SHARPEST..=MOST_PINCHED).contains(&value) {
                return Err(ShapeError::Parameter {
                    parameter: "an exponent of a superquadric",
                    expected: "between 0.05 and 2",
                    value,
                });
            }
        }
        Ok(Self {
            ball: Ellipsoid::new(DVec3::ONE, DVec3::ZERO)?,
            semi_axes,
            centre,
            exponents,
            ring: None,
        })
    }

    /// A toroid about z whose ring has `ring` (more than 1) times the radius of the tube. A surface has
    /// the ring along its first direction and the way round the tube along its second; a solid has the
    /// square cross section of the tube along its first two and the ring along its third. Directions
    /// that go round are periodic.
    pub fn toroid(
        semi_axes: DVec3,
        centre: DVec3,
        exponents: [f64; 2],
        ring: f64,
    ) -> Result<Self, ShapeError> {
        if !(ring.is_finite() && ring > 1.0) {
            return Err(ShapeError::Parameter {
                parameter: "the radius of the ring of a toroid, by that of its tube,",
                expected: "more than 1",
                value: ring,
            });
        }
        Ok(Self {
            ring: Some(ring),
            ..Self::ellipsoid(semi_axes, centre, exponents)?
        })
    }

    /// Leaves holes at the poles of an ellipsoid: see [`Ellipsoid::with_opening`].
    pub fn with_opening(self, opening: f64) -> Result<Self, ShapeError> {
        Ok(Self {
            ball: self.ball.with_opening(opening)?,
            ..self
        })
    }

    /// From a place in the unit ball to one in the superquadric of unit axes, along its ray.
    fn squared(&self, p: DVec3) -> DVec3 {
        let length = p.length();
        if length == 0.0 {
            return p;
        }
        let [e1, e2] = self.exponents;
        let d = p / length;
        let across = superellipse(DVec2::new(d.x, d.y), e2);
        p / superellipse(DVec2::new(across, d.z), e1)
    }

    /// From angle round the axis and a place in the unit disc of the tube to a place in the toroid of
    /// unit axes.
    fn on_ring(&self, angle: f64, tube: DVec2, ring: f64) -> DVec3 {
        let [e1, e2] = self.exponents;
        let length = tube.length();
        let tube = if length == 0.0 {
            tube
        } else {
            tube / superellipse(tube / length, e1)
        };
        let direction = DVec2::from_angle(angle);
        let radius = (ring + tube.x) / superellipse(direction, e2);
        DVec3::new(radius * direction.x, radius * direction.y, tube.y)
    }
}

/// (|x|^(2/e) + |y|^(2/e))^(e/2): 1 on the superellipse, in proportion along rays.
pub(crate) fn superellipse(p: DVec2, e: f64) -> f64 {
    // Relative to the larger one, so that high powers stay within range.
    let (x, y) = (p.x.abs(), p.y.abs());
    let (large, small) = (x.max(y), x.min(y));
    if large == 0.0 {
        return 0.0;
    }
    large * (1.0 + (small / large).powf(2.0 / e)).powf(0.5 * e)
}

/// The same, with its derivatives by p and by e.
pub(crate) fn superellipse_slopes(p: DVec2, e: f64) -> (f64, DVec2, f64) {
    let (x, y) = (p.x.abs(), p.y.abs());
    let (large, small) = (x.max(y), x.min(y));
    if large == 0.0 {
        return (0.0, DVec2::ZERO, 0.0);
    }
    // With t = small / large and S = 1 + t^(2/e) the value is large S^(e/2), of degree one in p.
    let t = small / large;
    let power = t.powf(2.0 / e);
    let sum = 1.0 + power;
    let root = sum.powf(0.5 * e);
    let by_large = root / sum;
    let (by_small, turned) = match t > 0.0 {
        true => (by_large * power / t, power * t.ln()),
        false => (0.0, 0.0),
    };
    let by_p = match x >= y {
        true => DVec2::new(by_large, by_small),
        false => DVec2::new(by_small, by_large),
    };
    let value = large * root;
    let by_e = value * (0.5 * sum.ln() - turned / (e * sum));
    (value, by_p * p.signum(), by_e)
}

/// The unit disc from a square, smoothly and without a singular point inside.
fn disc_from_square(p: DVec2) -> DVec2 {
    DVec2::new(
        p.x * (1.0 - 0.5 * p.y * p.y).sqrt(),
        p.y * (1.0 - 0.5 * p.x * p.x).sqrt(),
    )
}

impl Shape for Superquadric {
    fn sample(&self, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
        let place = |unit: DVec3| self.centre + self.semi_axes * unit;
        let Some(ring) = self.ring else {
            let ball = self.ball.sample(grid)?;
            return Ok(ball.iter().map(|p| place(self.squared(*p))).collect());
        };
        let turn = |direction: usize, node: usize| {
            let count = grid.counts()[direction];
            let intervals = if grid.periodic()[direction] {
                count
            } else {
                count - 1
            };
            TAU * node as f64 / intervals as f64
        };
        let side = |direction: usize, node: usize| {
            2.0 * node as f64 / (grid.counts()[direction] - 1) as f64 - 1.0
        };
        let node = |[i, j, k]: [usize; 3]| {
            place(if grid.dimension() == 2 {
                self.on_ring(turn(0, i), DVec2::from_angle(turn(1, j)), ring)
            } else {
                let square = DVec2::new(side(0, i), side(1, j));
                // Along the third direction the ring runs so that the directions are right-handed.
                self.on_ring(-turn(2, k), disc_from_square(square), ring)
            })
        };
        match grid.dimension() {
            2 | 3 => Ok(grid.nodes().map(node).collect()),
            given => Err(ShapeError::Dimension {
                expected: "2 or 3",
                given,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ellipsoid_value(p: DVec3, [e1, e2]: [f64; 2]) -> f64 {
        let across = p.x.abs().powf(2.0 / e2) + p.y.abs().powf(2.0 / e2);
        across.powf(e2 / e1) + p.z.abs().powf(2.0 / e1)
    }

    fn toroid_value(p: DVec3, [e1, e2]: [f64; 2], ring: f64) -> f64 {
        let across = (p.x.abs().powf(2.0 / e2) + p.y.abs().powf(2.0 / e2)).powf(0.5 * e2);
        (across - ring).abs().powf(2.0 / e1) + p.z.abs().powf(2.0 / e1)
    }

    #[test]
    fn nodes_lie_on_the_surface_and_cells_are_sound() {
        let grid = Grid::new(&[32, 17], &[true, false]);
        let torus = Grid::new(&[40, 24], &[true, true]);
        let (axes, centre) = (DVec3::new(2.0, 1.0, 1.5), DVec3::new(0.0, 3.0, -1.0));
        for exponents in [[1.0, 1.0], [0.2, 0.4], [1.7, 0.8], [0.3, 1.9]] {
            let shape = Superquadric::ellipsoid(axes, centre, exponents).unwrap();
            for position in shape.rest_positions(&grid).unwrap() {
                let value = ellipsoid_value((position - centre) / axes, exponents);
                assert!((value - 1.0).abs() < 1e-9, "{exponents:?} {value}");
            }
            let shape = Superquadric::toroid(axes, centre, exponents, 3.0).unwrap();
            for position in shape.rest_positions(&torus).unwrap() {
                let value = toroid_value((position - centre) / axes, exponents, 3.0);
                assert!((value - 1.0).abs() < 1e-9, "{exponents:?} {value}");
            }
        }
    }

    #[test]
    fn solids_have_positive_cells_and_the_volume_of_formulas() {
        // det of the cells at their middles, by the diagonals of faces.
        let volume = |grid: &Grid, positions: &[DVec3]| {
            let cells = grid.cells().map(|cell| {
                let at = |step: [i32; 3]| positions[grid.neighbour(cell, step).unwrap()];
                let mean = |d: usize| {
                    let mut sum = DVec3::ZERO;
                    for n in 0..4 {
                        let mut step = [0; 3];
                        step[(d + 1) % 3] = n & 1;
                        step[(d + 2) % 3] = n >> 1;
                        sum -= at(step);
                        step[d] = 1;
                        sum += at(step);
                    }
                    0.25 * sum
                };
                mean(0).cross(mean(1)).dot(mean(2))
            });
            cells.sum::<f64>()
        };
        let grid = Grid::new(&[41, 41, 41], &[false; 3]);
        let round = Superquadric::ellipsoid(DVec3::ONE, DVec3::ZERO, [1.0, 1.0]).unwrap();
        let found = volume(&grid, &round.rest_positions(&grid).unwrap());
        let ball = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((found / ball - 1.0).abs() < 2e-3, "{found}");
        // A bevelled one is an octahedron: 4/3. The corners of the cube lie in the middle of its faces,
        // so that it cannot be a rest shape.
        let bevelled = Superquadric::ellipsoid(DVec3::ONE, DVec3::ZERO, [2.0, 2.0]).unwrap();
        let found = volume(&grid, &bevelled.sample(&grid).unwrap());
        assert!((found / (4.0 / 3.0) - 1.0).abs() < 5e-3, "{found}");
        let ring = Grid::new(&[21, 21, 96], &[false, false, true]);
        let torus = Superquadric::toroid(DVec3::ONE, DVec3::ZERO, [1.0, 1.0], 3.0).unwrap();
        let found = volume(&ring, &torus.rest_positions(&ring).unwrap());
        let expected = 2.0 * std::f64::consts::PI.powi(2) * 3.0;
        assert!((found / expected - 1.0).abs() < 5e-3, "{found} {expected}");
    }

    #[test]
    fn wrong_numbers_are_refused() {
        let one = DVec3::ONE;
        assert!(Superquadric::ellipsoid(one, DVec3::ZERO, [0.0, 1.0]).is_err());
        assert!(Superquadric::ellipsoid(one, DVec3::ZERO, [1.0, 3.0]).is_err());
        assert!(Superquadric::ellipsoid(-one, DVec3::ZERO, [1.0, 1.0]).is_err());
        assert!(Superquadric::toroid(one, DVec3::ZERO, [1.0, 1.0], 0.9).is_err());
    }
}
