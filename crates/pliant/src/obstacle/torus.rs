//! A torus in the xy plane: d(p) = |(ρ - r, z - cz)| - a, exact, with ρ = |(x, y) - (cx, cy)|.
//!
//! c is the centre, r the radius of the ring (from the middle of the hole to the middle of the
//! tube) and a < r the radius of the tube, in metres. On the axis the radial direction is taken as
//! +x, and inside the tube on its middle line the normal is +z.

use super::error::{ObstacleError, finite, positive};
use super::unit::planar_unit_and_length;
use super::{ImplicitSurface, lathe};
use crate::frame::TriangleMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// A solid ring.
#[derive(Clone, Debug, PartialEq)]
pub struct Torus {
    centre: DVec3,
    ring_radius: f64,
    tube_radius: f64,
}

impl Torus {
    /// A torus about `centre` with a ring of `ring_radius` and a thinner tube of `tube_radius`, in
    /// metres.
    pub fn new(centre: DVec3, ring_radius: f64, tube_radius: f64) -> Result<Self, ObstacleError> {
        let ring_radius = positive("the ring radius of a torus", ring_radius)?;
        let tube_radius = positive("the tube radius of a torus", tube_radius)?;
        if tube_radius >= ring_radius {
            return Err(ObstacleError::TubeFillsRing {
                ring: ring_radius,
                tube: tube_radius,
            });
        }
        Ok(Self {
            centre: finite("the centre of a torus", centre)?,
            ring_radius,
            tube_radius,
        })
    }
}

impl ImplicitSurface for Torus {
    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        let q = p - self.centre;
        let (radial, rho) = planar_unit_and_length(q.truncate(), DVec2::X);
        let in_section = DVec2::new(rho - self.ring_radius, q.z);
        let (direction, length) = planar_unit_and_length(in_section, DVec2::Y);
        (
            length - self.tube_radius,
            (direction.x * radial).extend(direction.y),
        )
    }

    fn mesh(&self, scale: f64, resolution: usize) -> TriangleMesh {
        let tube_segments = (resolution / 2).max(3);
        let profile: Vec<DVec2> = (0..tube_segments)
            .map(|segment| {
                let angle = TAU * segment as f64 / tube_segments as f64;
                DVec2::new(self.ring_radius, 0.0) + self.tube_radius * DVec2::from_angle(angle)
            })
            .collect();
        let stretch = DVec3::splat(scale);
        lathe::turn(&profile, true, resolution, stretch, self.centre)
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::*;

    #[test]
    fn keeps_the_contract() {
        let centre = DVec3::new(2.0, 0.0, 4.0);
        Contract::exact(Torus::new(centre, 1.1, 0.4).unwrap(), centre, 2.0)
            .closed()
            .inside(&[centre + 1.1 * DVec3::X, centre - 1.49 * DVec3::Y])
            .outside(&[centre, centre + DVec3::new(0.0, 1.1, 0.41)])
            .check();
    }

    #[test]
    fn refuses_a_tube_that_fills_the_ring() {
        let error = Torus::new(DVec3::ZERO, 1.0, 1.0).unwrap_err();
        assert_eq!(
            error,
            ObstacleError::TubeFillsRing {
                ring: 1.0,
                tube: 1.0
            }
        );
        assert!(Torus::new(DVec3::ZERO, -1.0, -2.0).is_err());
    }
}
