//! A box along the axes: with a = |p - c| - s/2 for each component,
//! d = |max(a, 0)| + min(max(a.x, a.y, a.z), 0), exact.
//!
//! c is the centre and s the side lengths, in metres. Where several faces are equally near from
//! inside, the normal is that of the first in the order x, y, z.

use super::ImplicitSurface;
use super::error::{ObstacleError, finite, positive};
use super::unit::unit_and_length;
use crate::frame::TriangleMesh;
use glam::DVec3;

/// A solid box.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuboid {
    centre: DVec3,
    half_size: DVec3,
}

impl Cuboid {
    /// A box about `centre` with side lengths `size`, in metres.
    pub fn new(centre: DVec3, size: DVec3) -> Result<Self, ObstacleError> {
        let size = DVec3::new(
            positive("the size of a box along x", size.x)?,
            positive("the size of a box along y", size.y)?,
            positive("the size of a box along z", size.z)?,
        );
        Ok(Self {
            centre: finite("the centre of a box", centre)?,
            half_size: 0.5 * size,
        })
    }
}

impl ImplicitSurface for Cuboid {
    fn distance(&self, p: DVec3) -> f64 {
        let a = (p - self.centre).abs() - self.half_size;
        a.max(DVec3::ZERO).length() + a.max_element().min(0.0)
    }

    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        let q = p - self.centre;
        let a = q.abs() - self.half_size;
        let outside = a.max(DVec3::ZERO);
        let largest = a.max_element();
        let face = if largest == a.x {
            DVec3::X
        } else if largest == a.y {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let (normal, length) = unit_and_length(outside, face);
        (length + largest.min(0.0), normal * DVec3::ONE.copysign(q))
    }

    fn mesh(&self, scale: f64, _: usize) -> TriangleMesh {
        let positions = (0..8)
            .map(|corner| {
                let side = |bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
                let towards = DVec3::new(side(1), side(2), side(4));
                self.centre + scale * self.half_size * towards
            })
            .collect();
        let faces: [[u32; 4]; 6] = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let triangles = faces
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect();
        TriangleMesh {
            positions,
            triangles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::contract::Contract;
    use super::*;

    #[test]
    fn keeps_the_contract() {
        let centre = DVec3::new(-1.0, 2.0, 0.5);
        let cuboid = Cuboid::new(centre, DVec3::new(2.0, 1.0, 3.0)).unwrap();
        Contract::exact(cuboid, centre, 3.0)
            .closed()
            .inside(&[centre, centre + DVec3::new(0.99, -0.49, 1.49)])
            .outside(&[centre + DVec3::new(0.99, -0.51, 1.49)])
            .check();
    }

    #[test]
    fn refuses_a_flat_box() {
        let error = Cuboid::new(DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0)).unwrap_err();
        assert!(error.to_string().contains("along y"));
    }
}
