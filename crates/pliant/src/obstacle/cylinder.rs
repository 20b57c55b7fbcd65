//! An upright cylinder, open or capped.
//!
//! With ρ = |(x, y) - (cx, cy)| and a = (ρ - r, |z - cz| - h/2):
//! - capped, exact: d = min(max(a.x, a.y), 0) + |max(a, 0)|;
//! - open: d = a.x for a.y < 0, else |a|, the distance to the nearer rim.
//!
//! c is the centre, h the height and r the radius, in metres. An open cylinder is solid all the
//! same: what got inside is pushed out through the side, never through an end. Its distance
//! therefore jumps from a.x to |a.x| where a point below the rim leaves through an end; elsewhere
//! it is exact. On the axis the normal is +x.

use super::error::{ObstacleError, finite, positive};
use super::unit::{planar_unit_and_length, unit_and_length};
use super::{ContactShape, ImplicitSurface, lathe};
use crate::frame::TriangleMesh;
use glam::{DVec2, DVec3};

/// A solid cylinder with its axis along z.
#[derive(Clone, Debug, PartialEq)]
pub struct Cylinder {
    centre: DVec3,
    height: f64,
    radius: f64,
    capped: bool,
}

impl Cylinder {
    /// A cylinder without caps, the cylinder of the thesis. All lengths in metres.
    pub fn open(centre: DVec3, height: f64, radius: f64) -> Result<Self, ObstacleError> {
        Self::new(centre, height, radius, false)
    }

    /// A cylinder with caps at both ends. All lengths in metres.
    pub fn capped(centre: DVec3, height: f64, radius: f64) -> Result<Self, ObstacleError> {
        Self::new(centre, height, radius, true)
    }

    fn new(centre: DVec3, height: f64, radius: f64, capped: bool) -> Result<Self, ObstacleError> {
        Ok(Self {
            centre: finite("the centre of a cylinder", centre)?,
            height: positive("the height of a cylinder", height)?,
            radius: positive("the radius of a cylinder", radius)?,
            capped,
        })
    }
}

impl ImplicitSurface for Cylinder {
    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        let q = p - self.centre;
        let (radial, rho) = planar_unit_and_length(q.truncate(), DVec2::X);
        let side = rho - self.radius;
        let end = q.z.abs() - 0.5 * self.height;
        let axial = DVec3::Z * 1.0_f64.copysign(q.z);
        let radial = radial.extend(0.0);

        let beside = end < 0.0 && (side > 0.0 || side >= end || !self.capped);
        if beside {
            return (side, radial);
        }
        if self.capped && side <= 0.0 {
            return (end, axial);
        }
        let from_rim = side * radial + end * axial;
        let (normal, distance) = unit_and_length(from_rim, radial);
        (distance, normal)
    }

    fn mesh(&self, scale: f64, resolution: usize) -> TriangleMesh {
        let half_height = 0.5 * self.height;
        let mut profile = vec![
            DVec2::new(self.radius, -half_height),
            DVec2::new(self.radius, half_height),
        ];
        if self.capped {
            profile.insert(0, DVec2::new(0.0, -half_height));
            profile.push(DVec2::new(0.0, half_height));
        }
        let stretch = DVec3::splat(scale);
        lathe::turn(&profile, false, resolution, stretch, self.centre)
    }

    fn contact_shape_within(&self, depth: f64) -> Option<ContactShape> {
        let mesh = |resolution| self.mesh(1.0, resolution);
        Some(ContactShape::round(self.radius, depth, mesh))
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::*;

    const CENTRE: DVec3 = DVec3::new(2.0, 0.0, -0.5);

    #[test]
    fn the_capped_one_keeps_the_contract() {
        let cylinder = Cylinder::capped(CENTRE, 2.0, 0.7).unwrap();
        Contract::exact(cylinder, CENTRE, 2.0)
            .closed()
            .inside(&[CENTRE, CENTRE + 0.99 * DVec3::Z])
            .outside(&[CENTRE + 1.01 * DVec3::Z, CENTRE + 0.71 * DVec3::Y])
            .check();
    }

    #[test]
    fn the_open_one_keeps_the_contract() {
        let cylinder = Cylinder::open(CENTRE, 2.0, 0.7).unwrap();
        Contract::exact(cylinder, CENTRE, 2.0)
            .with_jumps()
            .inside(&[CENTRE, CENTRE + 0.99 * DVec3::Z])
            .outside(&[CENTRE + 1.01 * DVec3::Z, CENTRE + 0.71 * DVec3::Y])
            .check();
    }

    #[test]
    fn an_open_end_never_pushes_along_the_axis() {
        let cylinder = Cylinder::open(CENTRE, 2.0, 0.7).unwrap();
        let (distance, normal) = cylinder.distance_and_normal(CENTRE + DVec3::new(0.0, 0.1, 0.999));
        assert!((distance + 0.6).abs() < 1e-12);
        assert_eq!(normal, DVec3::Y);
        let above = cylinder.distance(CENTRE + DVec3::new(0.3, 0.0, 1.3));
        assert!((above - 0.5).abs() < 1e-12);
    }

    #[test]
    fn refuses_bad_parameters() {
        assert!(Cylinder::open(CENTRE, -1.0, 1.0).is_err());
        assert!(Cylinder::capped(CENTRE, 1.0, f64::NAN).is_err());
    }
}
