//! Where images lie on the triangles of bodies: one rule for pictures and for files.
//!
//! An image lies where a mesh file says; else over the material coordinates; else, and where its
//! width is given in metres, over the sides of the shape that the body had first. Places on an image
//! run from 0 to 1, from left to right and from the bottom up.

mod material;
mod projection;

pub use material::{Kind, Material, Side};
pub use projection::BoxProjection;

use crate::appearance::{Appearance, ImageCorners};
use glam::DVec3;
use std::sync::Arc;

/// How images lie on a body.
#[derive(Clone, Debug, Default)]
pub struct ImageLayout {
    /// Width of one image, in metres.
    width: Option<f64>,
    /// Where they lie on the triangles of a file.
    corners: Option<Arc<ImageCorners>>,
}

impl ImageLayout {
    /// As the body looks.
    pub fn new(appearance: &Appearance) -> Self {
        Self {
            width: appearance.image_width,
            corners: appearance.image_corners.clone(),
        }
    }

    /// Where triangles lie as a file says, if it does for all of them and no width in metres is asked
    /// for.
    pub fn of_file(&self, triangles: &[[u32; 3]]) -> Option<Vec<[[f64; 2]; 3]>> {
        let corners = self.corners.as_ref().filter(|_| self.width.is_none())?;
        let places = triangles.iter().map(|triangle| corners.of(*triangle));
        places.collect()
    }

    /// Where the corners of triangles lie on an image. `positions` are those that the nodes had first;
    /// all nodes of the triangles are among them.
    pub fn corners(
        &self,
        material: &Material,
        triangles: &[[u32; 3]],
        positions: &[DVec3],
    ) -> Vec<[[f64; 2]; 3]> {
        if let Some(filed) = self.of_file(triangles) {
            return filed;
        }
        if !material.is_empty() && self.width.is_none() {
            let place = |triangle: &[u32; 3]| material.image_corners(*triangle);
            return triangles.iter().map(place).collect();
        }
        let projection = BoxProjection::new(positions, self.width);
        let place = |triangle: &[u32; 3]| {
            projection.image_corners(triangle.map(|node| positions[node as usize]))
        };
        triangles.iter().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Topology;

    #[test]
    fn a_file_comes_first_unless_a_width_is_asked_for() {
        let mut corners = ImageCorners::default();
        corners.insert([0, 1, 2], [[0.0, 0.0], [1.0, 0.0], [0.0, 0.25]]);
        let mut appearance = Appearance {
            image_corners: Some(Arc::new(corners)),
            ..Appearance::texture("a.png")
        };
        let layout = ImageLayout::new(&appearance);
        let expected = vec![[[1.0, 0.0], [0.0, 0.25], [0.0, 0.0]]];
        assert_eq!(layout.of_file(&[[1, 2, 0]]), Some(expected.clone()));
        // A triangle that the file does not know, or a width: another way is taken for all.
        assert_eq!(layout.of_file(&[[0, 1, 2], [1, 2, 3]]), None);
        let topology = Topology::default();
        let material = Material::new(&topology, &[]);
        let positions = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let triangles = [[1, 2, 0]];
        let laid = |layout: &ImageLayout| layout.corners(&material, &triangles, &positions);
        assert_eq!(laid(&layout), expected);
        appearance.image_width = Some(0.5);
        let layout = ImageLayout::new(&appearance);
        assert_eq!(layout.of_file(&triangles), None);
        assert_eq!(laid(&layout), [[[2.0, 0.0], [0.0, 2.0], [0.0, 0.0]]]);
    }
}
