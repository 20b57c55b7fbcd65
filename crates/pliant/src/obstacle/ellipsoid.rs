//! An ellipsoid: (x/a)² + (y/b)² + (z/c)² = 1 about a centre; the distance is exact.
//!
//! a, b and c are the semi-axes in metres. At the centre the normal is along the shortest axis.

use super::error::{ObstacleError, finite, positive};
use super::quadric::Quadric;
use super::{ImplicitSurface, lathe};
use crate::frame::TriangleMesh;
use glam::DVec3;

/// A solid ellipsoid with its axes along x, y and z.
#[derive(Clone, Debug, PartialEq)]
pub struct Ellipsoid {
    centre: DVec3,
    semi_axes: DVec3,
    quadric: Quadric,
}

impl Ellipsoid {
    /// An ellipsoid about `centre` with the `semi_axes` a, b and c, in metres.
    pub fn new(centre: DVec3, semi_axes: DVec3) -> Result<Self, ObstacleError> {
        let a = positive("the semi-axis of an ellipsoid along x", semi_axes.x)?;
        let b = positive("the semi-axis of an ellipsoid along y", semi_axes.y)?;
        let c = positive("the semi-axis of an ellipsoid along z", semi_axes.z)?;
        Ok(Self {
            centre: finite("the centre of an ellipsoid", centre)?,
            semi_axes,
            quadric: Quadric {
                alpha: [a, b, c].map(|axis| 1.0 / (axis * axis)),
                level: 1.0,
            },
        })
    }
}

impl ImplicitSurface for Ellipsoid {
    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        self.quadric.distance_and_normal(p - self.centre)
    }

    fn mesh(&self, scale: f64, resolution: usize) -> TriangleMesh {
        lathe::turn(
            &lathe::half_circle(resolution),
            false,
            resolution,
            scale * self.semi_axes,
            self.centre,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::*;

    #[test]
    fn keeps_the_contract() {
        let centre = DVec3::new(0.5, -1.0, 2.0);
        for semi_axes in [
            DVec3::new(1.5, 1.0, 0.5),
            DVec3::new(0.2, 2.0, 2.0),
            DVec3::new(1.0, 1.0, 3.0),
            DVec3::splat(1.3),
        ] {
            let ellipsoid = Ellipsoid::new(centre, semi_axes).unwrap();
            Contract::exact(ellipsoid, centre, 3.0)
                .closed()
                .inside(&[centre, centre + 0.99 * semi_axes * DVec3::X])
                .outside(&[centre + 1.01 * semi_axes * DVec3::Y])
                .check();
        }
    }

    #[test]
    fn refuses_a_flat_ellipsoid() {
        assert!(Ellipsoid::new(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0)).is_err());
    }
}
