//! Pictures laid on things that have no material coordinates: where a file says, else from the side
//! that each triangle faces most.

use super::body_memory::bounds;
use glam::DVec3;
use pliant::frame::{Appearance, ImageCorners};
use std::sync::Arc;

/// How pictures lie on a body.
#[derive(Clone, Debug, Default)]
pub struct ImagePlace {
    /// Width of one picture, in metres.
    pub width: Option<f64>,
    /// Where they lie on the triangles of a file.
    corners: Option<Arc<ImageCorners>>,
}

impl ImagePlace {
    /// As the body looks.
    pub fn new(appearance: &Appearance) -> Self {
        Self {
            width: appearance.image_width,
            corners: appearance.image_corners.clone(),
        }
    }

    /// Texture coordinates of triangles as a file says, if it does for all of them and no width in metres
    /// is asked for. Pictures have their first row at the top.
    pub fn of_file(&self, triangles: &[[u32; 3]]) -> Option<Vec<[[f32; 2]; 3]>> {
        let corners = self.corners.as_ref().filter(|_| self.width.is_none())?;
        let place = |[u, v]: [f64; 2]| [u as f32, (1.0 - v) as f32];
        triangles
            .iter()
            .map(|triangle| Some(corners.of(*triangle)?.map(place)))
            .collect()
    }
}

/// Lays a picture on a thing from its six sides.
#[derive(Clone, Copy, Debug)]
pub struct BoxProjection {
    low: DVec3,
    /// Width of one picture, in metres.
    width: f64,
}

impl BoxProjection {
    /// For a thing with these points. One picture is as wide as the thing unless `width` (in
    /// metres) says otherwise.
    pub fn new(points: &[DVec3], width: Option<f64>) -> Self {
        let (low, high) = bounds(points.iter().copied());
        Self {
            low,
            width: width.unwrap_or((high - low).max_element()),
        }
    }

    /// Width of one picture, in metres.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Texture coordinates of the corners of a triangle.
    pub fn coordinates(&self, [a, b, c]: [DVec3; 3]) -> [[f32; 2]; 3] {
        let normal = (b - a).cross(c - a);
        let (across, up, mirrored) = match normal.abs().max_position() {
            0 => (1, 2, normal.x < 0.0),
            1 => (0, 2, normal.y > 0.0),
            _ => (0, 1, normal.z < 0.0),
        };
        [a, b, c].map(|corner| {
            let share = |axis: usize| {
                let share = (corner[axis] - self.low[axis]) / self.width;
                if share.is_finite() { share } else { 0.0 }
            };
            let u = if mirrored {
                1.0 - share(across)
            } else {
                share(across)
            };
            [u as f32, (1.0 - share(up)) as f32]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_where_a_picture_lies() {
        let mut corners = ImageCorners::default();
        corners.insert([0, 1, 2], [[0.0, 0.0], [1.0, 0.0], [0.0, 0.25]]);
        let mut appearance = Appearance {
            image_corners: Some(Arc::new(corners)),
            ..Appearance::texture("a.png")
        };
        let place = ImagePlace::new(&appearance);
        let expected = vec![[[1.0, 1.0], [0.0, 0.75], [0.0, 1.0]]];
        assert_eq!(place.of_file(&[[1, 2, 0]]), Some(expected));
        // A triangle that the file does not know, or a width: another way is taken for all.
        assert_eq!(place.of_file(&[[0, 1, 2], [1, 2, 3]]), None);
        appearance.image_width = Some(0.5);
        assert_eq!(ImagePlace::new(&appearance).of_file(&[[0, 1, 2]]), None);
    }
}
