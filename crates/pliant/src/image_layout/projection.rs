//! Images laid on a thing from the side that each triangle faces most.

use glam::DVec3;

/// Lays an image on a thing from its six sides.
#[derive(Clone, Copy, Debug)]
pub struct BoxProjection {
    low: DVec3,
    /// Width of one image, in metres.
    width: f64,
}

impl BoxProjection {
    /// For a thing with these points. One image is as wide as the thing unless `width` (in metres)
    /// says otherwise.
    pub fn new(points: &[DVec3], width: Option<f64>) -> Self {
        let points = points.iter().filter(|point| point.is_finite());
        let (low, high) = points.fold(
            (DVec3::INFINITY, DVec3::NEG_INFINITY),
            |(low, high), point| (low.min(*point), high.max(*point)),
        );
        Self {
            low,
            width: width.unwrap_or((high - low).max_element()),
        }
    }

    /// Width of one image, in metres.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Where the corners of a triangle lie on the image.
    pub fn image_corners(&self, [a, b, c]: [DVec3; 3]) -> [[f64; 2]; 3] {
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
            [u, share(up)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_triangle_is_seen_from_the_side_it_faces() {
        let cube = [DVec3::ZERO, DVec3::new(2.0, 2.0, 2.0)];
        let projection = BoxProjection::new(&cube, None);
        assert_eq!(projection.width(), 2.0);
        let top = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| corner + 2.0 * DVec3::Z);
        assert_eq!(
            projection.image_corners(top),
            [[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]]
        );
        // From below, left and right change places.
        let bottom = [DVec3::ZERO, DVec3::Y, DVec3::X];
        assert_eq!(
            projection.image_corners(bottom),
            [[1.0, 0.0], [1.0, 0.5], [0.5, 0.0]]
        );
        let narrow = BoxProjection::new(&cube, Some(0.5));
        assert_eq!(narrow.image_corners(top)[1], [2.0, 0.0]);
    }
}
