//! Ellipsoids as surfaces and solids.
//!
//! Surface:  x = a cos θ sin φ,  y = b sin θ sin φ,  z = c cos φ  about a centre, with θ along the
//! first direction over a full turn and φ along the second from `opening` to π - `opening`. At a
//! pole a whole row of nodes would coincide, so the poles stay open by half an interval unless told
//! otherwise. The normal x₁ × x₂ points inwards.
//!
//! Solid: the material cube, taken as \[-1, 1\]³, goes smoothly onto the ball,
//!   x = a X √(1 - Y²/2 - Z²/2 + Y² Z²/3)  and so on in turn,
//! without a singular point inside. If the second direction is periodic the solid is a thick shell
//! in polar coordinates instead: the radius along the first direction from `core` to 1, θ along the
//! second, and the polar angle along the third, upwards from the lower opening so that the three
//! directions are right-handed.
//!
//! a, b, c: semi-axes in metres; angles in radians; core: a part of the radius.
//!
//! Departure: the thesis (its eq. 4.5.2) samples φ from 0 to π, with a singular metric at the poles.

use super::{Shape, ShapeError};
use crate::grid::Grid;
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Part of the radius that the hollow core of a polar solid takes up unless told otherwise.
const DEFAULT_CORE: f64 = 0.2;

/// An ellipsoid with its axes along x, y and z.
#[derive(Clone, Debug, PartialEq)]
pub struct Ellipsoid {
    semi_axes: DVec3,
    centre: DVec3,
    opening: Option<f64>,
    core: f64,
}

impl Ellipsoid {
    /// An ellipsoid with the `semi_axes` a, b and c about `centre`, in metres.
    pub fn new(semi_axes: DVec3, centre: DVec3) -> Result<Self, ShapeError> {
        for (parameter, value) in [
            ("the semi-axis a of an ellipsoid", semi_axes.x),
            ("the semi-axis b of an ellipsoid", semi_axes.y),
            ("the semi-axis c of an ellipsoid", semi_axes.z),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ShapeError::Parameter {
                    parameter,
                    expected: "positive and finite",
                    value,
                });
            }
        }
        for value in centre.to_array() {
            if !value.is_finite() {
                return Err(ShapeError::Parameter {
                    parameter: "the centre of an ellipsoid",
                    expected: "finite",
                    value,
                });
            }
        }
        Ok(Self {
            semi_axes,
            centre,
            opening: None,
            core: DEFAULT_CORE,
        })
    }

    /// Leaves out a cap at each pole up to the polar angle `opening`, in radians, between 0 and
    /// π/2. The default is half an interval, π / (2 count).
    pub fn with_opening(mut self, opening: f64) -> Result<Self, ShapeError> {
        if opening == 0.0 {
            return Err(ShapeError::Singular {
                node: [0; 3],
                reason: "all nodes of a row meet at the pole of the ellipsoid",
                remedy: "give the ellipsoid an opening greater than 0",
            });
        }
        if !(opening > 0.0 && opening < FRAC_PI_2) {
            return Err(ShapeError::Parameter {
                parameter: "the opening of an ellipsoid",
                expected: "an angle between 0 and π/2",
                value: opening,
            });
        }
        self.opening = Some(opening);
        Ok(self)
    }

    /// Sets the part of the radius, between 0 and 1, that is hollow in a polar solid. The default
    /// is 0.2.
    pub fn with_core(mut self, core: f64) -> Result<Self, ShapeError> {
        if !(core > 0.0 && core < 1.0) {
            return Err(ShapeError::Parameter {
                parameter: "the core of an ellipsoid",
                expected: "between 0 and 1",
                value: core,
            });
        }
        self.core = core;
        Ok(self)
    }

    fn place(&self, on_unit_ball: DVec3) -> DVec3 {
        self.centre + self.semi_axes * on_unit_ball
    }

    /// The polar angle of a node, from one opening to the other.
    fn polar_angle(&self, node: usize, count: usize) -> f64 {
        let opening = self.opening.unwrap_or(PI / (2.0 * count as f64));
        opening + (PI - 2.0 * opening) * fraction(node, count)
    }
}

impl Shape for Ellipsoid {
    fn sample(&self, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
        let counts = grid.counts();
        let azimuth = |direction: usize, node: usize| {
            if grid.periodic()[direction] {
                TAU * node as f64 / counts[direction] as f64
            } else {
                TAU * fraction(node, counts[direction])
            }
        };
        let place = |[i, j, k]: [usize; 3]| match grid.dimension() {
            2 => self.place(on_sphere(azimuth(0, i), self.polar_angle(j, counts[1]))),
            _ if grid.periodic()[1] => {
                let radius = self.core + (1.0 - self.core) * fraction(i, counts[0]);
                let polar_angle = PI - self.polar_angle(k, counts[2]);
                self.place(radius * on_sphere(azimuth(1, j), polar_angle))
            }
            _ => {
                let cube = DVec3::new(
                    fraction(i, counts[0]),
                    fraction(j, counts[1]),
                    fraction(k, counts[2]),
                );
                self.place(ball_from_cube(2.0 * cube - DVec3::ONE))
            }
        };
        match grid.dimension() {
            2 | 3 => Ok(grid.nodes().map(place).collect()),
            given => Err(ShapeError::Dimension {
                expected: "2 or 3",
                given,
            }),
        }
    }
}

/// How far along an open direction a node lies, from 0 to 1.
fn fraction(node: usize, count: usize) -> f64 {
    node as f64 / count.saturating_sub(1).max(1) as f64
}

/// The point of the unit sphere at an azimuth and a polar angle.
fn on_sphere(azimuth: f64, polar_angle: f64) -> DVec3 {
    let (sine, cosine) = polar_angle.sin_cos();
    DVec3::new(azimuth.cos() * sine, azimuth.sin() * sine, cosine)
}

/// Maps the cube \[-1, 1\]³ onto the unit ball, its faces onto the sphere.
///
/// With a = 1 - x² and so on, the shrunken cube has 1 - r² = a b c. Near a corner that is the
/// product of three distances: cells there would lose their depth, and on fine grids turn inside
/// out. So r is replaced by that of
///
/// ```text
/// 1 - r² = 1 / (1/a + 1/b + 1/c - 2)
/// ```
///
/// which is the same on the faces and to second order at the centre, and falls with the nearest
/// distance at edges and corners.
fn ball_from_cube(cube: DVec3) -> DVec3 {
    let DVec3 { x, y, z } = cube * cube;
    let shrink = |p: f64, q: f64| (1.0 - 0.5 * (p + q) + p * q / 3.0).sqrt();
    let shrunken = cube * DVec3::new(shrink(y, z), shrink(z, x), shrink(x, y));
    let (a, b, c) = (1.0 - x, 1.0 - y, 1.0 - z);
    let product = a * b * c;
    let pairs = a * b + b * c + c * a - 2.0 * product;
    let squared = 1.0 - product;
    // On the sphere nothing changes; at the centre there is no direction.
    if product <= 0.0 || squared <= 0.0 {
        return shrunken;
    }
    shrunken * ((1.0 - product / pairs) / squared).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEMI_AXES: DVec3 = DVec3::new(1.5, 1.0, 0.5);
    const CENTRE: DVec3 = DVec3::new(3.0, -2.0, 1.0);

    fn ellipsoid() -> Ellipsoid {
        Ellipsoid::new(SEMI_AXES, CENTRE).unwrap()
    }

    /// |(x/a, y/b, z/c)|: 1 on the surface.
    fn level(position: DVec3) -> f64 {
        ((position - CENTRE) / SEMI_AXES).length()
    }

    #[test]
    fn surface_nodes_satisfy_the_equation() {
        for periodic in [true, false] {
            let grid = Grid::new(&[12, 7], &[periodic, false]);
            let positions = ellipsoid().rest_positions(&grid).unwrap();
            assert!(positions.iter().all(|&p| (level(p) - 1.0).abs() < 1e-14));
        }
    }

    #[test]
    fn azimuth_and_polar_angle_run_as_described() {
        let grid = Grid::new(&[8, 5], &[true, false]);
        let positions = ellipsoid().rest_positions(&grid).unwrap();
        // θ = π/2 at i = 2, φ = π/2 at j = 2.
        let side = positions[grid.index([2, 2, 0])];
        assert!(side.distance(CENTRE + DVec3::Y) < 1e-14);
        let top = positions[grid.index([0, 0, 0])] - CENTRE;
        assert!((top.z - 0.5 * (PI / 10.0).cos()).abs() < 1e-14 && top.x > 0.0);
        // Open, the seam closes with a second row at the same place.
        let open = Grid::new(&[9, 5], &[false, false]);
        let positions = ellipsoid().rest_positions(&open).unwrap();
        let [first, last] = [0, 8].map(|i| positions[open.index([i, 2, 0])]);
        assert!(first.distance(last) < 1e-14);
    }

    #[test]
    fn the_opening_can_be_set_but_not_to_nothing() {
        let grid = Grid::new(&[8, 5], &[true, false]);
        let open = ellipsoid().with_opening(0.3).unwrap();
        let top = open.rest_positions(&grid).unwrap()[0] - CENTRE;
        assert!((top.z - 0.5 * 0.3_f64.cos()).abs() < 1e-14);
        assert!(matches!(
            ellipsoid().with_opening(0.0),
            Err(ShapeError::Singular { .. })
        ));
        for opening in [-0.1, FRAC_PI_2, f64::NAN] {
            assert!(matches!(
                ellipsoid().with_opening(opening),
                Err(ShapeError::Parameter { .. })
            ));
        }
    }

    #[test]
    fn the_cube_fills_the_ball_and_keeps_its_orientation() {
        for count in [2, 3, 6, 15, 25, 40] {
            // `rest_positions` refuses a shape with a cell that is flat or inside out.
            let grid = Grid::new(&[count; 3], &[false; 3]);
            let positions = ellipsoid().rest_positions(&grid).unwrap();
            for (node, &position) in grid.nodes().zip(&positions) {
                let on_face = node.iter().any(|&i| i == 0 || i == count - 1);
                assert!(level(position) < 1.0 + 1e-14);
                assert_eq!(on_face, (level(position) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_polar_solid_is_a_right_handed_shell() {
        let grid = Grid::new(&[4, 9, 6], &[false, true, false]);
        let positions = ellipsoid().rest_positions(&grid).unwrap();
        for ([i, ..], &position) in grid.nodes().zip(&positions) {
            let radius = 0.2 + 0.8 * i as f64 / 3.0;
            assert!((level(position) - radius).abs() < 1e-14);
        }
        let thin = ellipsoid().with_core(0.9).unwrap();
        assert!((level(thin.sample(&grid).unwrap()[0]) - 0.9).abs() < 1e-14);
        assert!(ellipsoid().with_core(1.0).is_err());
    }

    #[test]
    fn impossible_ellipsoids_are_refused() {
        assert!(Ellipsoid::new(DVec3::new(1.0, 0.0, 1.0), CENTRE).is_err());
        assert!(Ellipsoid::new(SEMI_AXES, DVec3::NAN).is_err());
        assert!(ellipsoid().sample(&Grid::new(&[5], &[false])).is_err());
        // A ball has no direction that could be joined end to end but θ.
        let wrapped = Grid::new(&[5, 5, 5], &[true, false, false]);
        assert!(ellipsoid().rest_positions(&wrapped).is_err());
    }
}
