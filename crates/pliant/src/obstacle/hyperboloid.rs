//! A hyperboloid about the z axis: (x/a)² + (y/b)² - (z/c)² = κ; the distance is exact.
//!
//! One sheet (κ = 1) is a waisted column with the axis inside; two sheets (κ = -1) are a bowl above
//! and one below, each filled, with their tips at z = ±c. a, b and c are in metres. Both are
//! endless; drawn is the part with |z| <= 2.5 c. On the axis of one sheet the normal is across,
//! along the shorter of a and b; midway between two sheets it belongs to the upper one.

use super::error::{ObstacleError, finite, positive};
use super::quadric::Quadric;
use super::{ContactShape, ImplicitSurface, lathe};
use crate::frame::TriangleMesh;
use glam::{DVec2, DVec3};

/// Height |z| / c up to which the surface is drawn.
const DRAWN_HEIGHT: f64 = 2.5;

/// How many pieces a hyperboloid has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheets {
    /// A waisted column.
    One,
    /// Two bowls, tip to tip.
    Two,
}

/// A solid hyperboloid with its axis along z.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyperboloid {
    centre: DVec3,
    semi_axes: DVec3,
    sheets: Sheets,
    quadric: Quadric,
}

impl Hyperboloid {
    /// A hyperboloid about `centre` with the `semi_axes` a, b and c, in metres.
    pub fn new(centre: DVec3, semi_axes: DVec3, sheets: Sheets) -> Result<Self, ObstacleError> {
        let a = positive("the semi-axis of a hyperboloid along x", semi_axes.x)?;
        let b = positive("the semi-axis of a hyperboloid along y", semi_axes.y)?;
        let c = positive("the semi-axis of a hyperboloid along z", semi_axes.z)?;
        let level = match sheets {
            Sheets::One => 1.0,
            Sheets::Two => -1.0,
        };
        Ok(Self {
            centre: finite("the centre of a hyperboloid", centre)?,
            semi_axes,
            sheets,
            quadric: Quadric {
                alpha: [1.0 / (a * a), 1.0 / (b * b), -1.0 / (c * c)],
                level,
            },
        })
    }
}

impl ImplicitSurface for Hyperboloid {
    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        self.quadric.distance_and_normal(p - self.centre)
    }

    fn mesh(&self, scale: f64, resolution: usize) -> TriangleMesh {
        let stretch = scale * self.semi_axes;
        let intervals = (resolution / 2).max(2);
        let fraction = |step: usize| step as f64 / intervals as f64;
        match self.sheets {
            Sheets::One => {
                let reach = DRAWN_HEIGHT.asinh();
                let profile: Vec<DVec2> = (0..=intervals)
                    .map(|step| {
                        let v = reach * (2.0 * fraction(step) - 1.0);
                        DVec2::new(v.cosh(), v.sinh())
                    })
                    .collect();
                lathe::turn(&profile, false, resolution, stretch, self.centre)
            }
            Sheets::Two => {
                let reach = DRAWN_HEIGHT.acosh();
                let bowl: Vec<DVec2> = (0..=intervals)
                    .map(|step| {
                        let v = reach * fraction(step);
                        DVec2::new(v.sinh(), v.cosh())
                    })
                    .collect();
                let below: Vec<DVec2> = bowl
                    .iter()
                    .rev()
                    .map(|point| DVec2::new(point.x, -point.y))
                    .collect();
                let mut mesh = lathe::turn(&bowl, false, resolution, stretch, self.centre);
                let other = lathe::turn(&below, false, resolution, stretch, self.centre);
                lathe::append(&mut mesh, &other);
                mesh
            }
        }
    }

    fn contact_shape(&self) -> Option<ContactShape> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::*;

    const CENTRE: DVec3 = DVec3::new(0.3, 0.2, -1.0);

    #[test]
    fn one_sheet_keeps_the_contract() {
        for semi_axes in [DVec3::new(1.0, 0.7, 1.2), DVec3::new(0.5, 0.5, 0.5)] {
            let hyperboloid = Hyperboloid::new(CENTRE, semi_axes, Sheets::One).unwrap();
            Contract::exact(hyperboloid, CENTRE, 3.0)
                .inside(&[CENTRE, CENTRE + 5.0 * DVec3::Z])
                .outside(&[CENTRE + 1.01 * DVec3::X])
                .check();
        }
    }

    #[test]
    fn two_sheets_keep_the_contract() {
        for semi_axes in [DVec3::new(1.0, 0.7, 0.4), DVec3::new(0.5, 0.5, 0.5)] {
            let hyperboloid = Hyperboloid::new(CENTRE, semi_axes, Sheets::Two).unwrap();
            Contract::exact(hyperboloid, CENTRE, 3.0)
                .inside(&[CENTRE + 0.6 * DVec3::Z, CENTRE - 3.0 * DVec3::Z])
                .outside(&[CENTRE, CENTRE + DVec3::X, CENTRE + 0.39 * DVec3::Z])
                .check();
        }
    }

    #[test]
    fn refuses_bad_parameters() {
        let semi_axes = DVec3::new(1.0, -1.0, 1.0);
        let error = Hyperboloid::new(CENTRE, semi_axes, Sheets::One).unwrap_err();
        assert!(error.to_string().contains("along y"));
    }
}
