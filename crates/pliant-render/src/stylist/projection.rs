//! Pictures laid on things that have no texture coordinates: from the side that each triangle faces
//! most.

use super::body_memory::bounds;
use glam::DVec3;

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
