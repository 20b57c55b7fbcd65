//! How points in space become pixels: for the eye, and for the light that throws shadows.
//!
//! View space has x to the right, y down and z forward, in metres. A pixel (column, row) belongs
//! to the homogeneous point r = ((column - width / 2) k, (row - height / 2) k, 1), where k is the
//! size of a pixel. With perspective r is the direction of a ray from the eye; without, a ray along
//! z passes through the point (r.x, r.y).
//!
//! Depth is larger for what is nearer: 1 / z with perspective, -z without. Both are linear over
//! the picture along a plane, and 1 / z in single precision resolves the same share of the
//! distance everywhere.

use crate::Camera;
use glam::DVec3;

/// A point of view, in coordinates relative to the origin of the draw list.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Where view space has its origin.
    pub eye: DVec3,
    /// Directions right, down and forward.
    pub axes: [DVec3; 3],
    /// Whether rays leave from the eye.
    pub perspective: bool,
    /// Size of a pixel: its tangent with perspective, in metres without.
    pub pixel: f64,
    /// Number of columns and rows.
    pub size: [usize; 2],
    /// With perspective nothing nearer than this is drawn, in metres.
    pub near: f64,
    /// Whether each pixel is looked at in its middle alone.
    pub middles_alone: bool,
}

impl View {
    /// The view of a camera; `bounds` are those of the scene.
    pub fn of_camera(
        camera: &Camera,
        origin: DVec3,
        size: [usize; 2],
        bounds: Option<[DVec3; 2]>,
    ) -> Self {
        let eye = camera.eye - origin;
        let eye = if eye.is_finite() { eye } else { DVec3::ZERO };
        let focus = (camera.target - camera.eye).length();
        let focus = if focus.is_finite() && focus > 0.0 {
            focus
        } else {
            1.0
        };
        let near = match bounds {
            Some([lowest, highest]) => {
                camera.depth_range(lowest + origin, highest + origin)[0].min(focus * 1e-3)
            }
            None => focus * 1e-3,
        };
        Self {
            eye,
            axes: camera.axes(),
            perspective: true,
            pixel: 1.0 / camera.pixels_per_tangent(size[1]),
            size,
            near,
            middles_alone: false,
        }
    }

    /// A position of the draw list in view space.
    pub fn place(&self, point: [f32; 3]) -> DVec3 {
        let offset = DVec3::from(point.map(f64::from)) - self.eye;
        DVec3::new(
            offset.dot(self.axes[0]),
            offset.dot(self.axes[1]),
            offset.dot(self.axes[2]),
        )
    }

    /// The homogeneous point of a place in the picture.
    pub fn ray(&self, column: f64, row: f64) -> DVec3 {
        DVec3::new(
            (column - self.size[0] as f64 * 0.5) * self.pixel,
            (row - self.size[1] as f64 * 0.5) * self.pixel,
            1.0,
        )
    }

    /// Column and row, in pixels, of a point in view space (in front of the eye).
    pub fn pixel_of(&self, point: DVec3) -> [f64; 2] {
        let scale = if self.perspective {
            1.0 / (point.z * self.pixel)
        } else {
            1.0 / self.pixel
        };
        [
            self.size[0] as f64 * 0.5 + point.x * scale,
            self.size[1] as f64 * 0.5 + point.y * scale,
        ]
    }

    /// Depth of a point in view space.
    pub fn depth_of(&self, point: DVec3) -> f64 {
        if self.perspective {
            1.0 / point.z
        } else {
            -point.z
        }
    }

    /// The depth of the nearest thing that is drawn.
    pub fn nearest_depth(&self) -> f64 {
        if self.perspective {
            1.0 / self.near
        } else {
            f64::INFINITY
        }
    }

    /// Depth in the plane through `point` with that `normal` (both in view space), as a linear
    /// function of column and row: `[per column, per row, at column 0 and row 0]`. `None` if the
    /// plane is seen exactly edge-on.
    pub fn depth_plane(&self, point: DVec3, normal: DVec3) -> Option<[f64; 3]> {
        let offset = normal.dot(point);
        let [along_x, along_y, fixed] = if self.perspective {
            [normal.x / offset, normal.y / offset, normal.z / offset]
        } else {
            [normal.x / normal.z, normal.y / normal.z, -offset / normal.z]
        };
        let plane = [
            along_x * self.pixel,
            along_y * self.pixel,
            fixed
                - along_x * self.pixel * self.size[0] as f64 * 0.5
                - along_y * self.pixel * self.size[1] as f64 * 0.5,
        ];
        plane.iter().all(|part| part.is_finite()).then_some(plane)
    }
}
