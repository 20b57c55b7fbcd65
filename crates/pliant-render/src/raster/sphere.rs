//! A sphere drawn exactly: every sample asks where its ray meets it.
//!
//! With centre c and radius R in view space and a ray t r from the eye, the discriminant is
//! R² |r|² - |c x r|²; written with the cross product it keeps its digits for small, far spheres.

use super::triangle::{is_drawable, pixel_bounds};
use super::view::View;
use glam::DVec3;

/// A sphere made ready for one view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    /// Centre in view space, in metres.
    pub center: DVec3,
    /// Radius in metres.
    pub radius: f64,
    /// First column, first row, end of columns, end of rows that it may touch.
    pub bounds: [u32; 4],
    /// Which set, and which sphere of it.
    pub index: [u32; 2],
}

impl Sphere {
    /// The sphere in view space; `None` if it cannot be seen.
    pub fn new(view: &View, center: DVec3, radius: f64, index: [u32; 2]) -> Option<Self> {
        if !(is_drawable(center) && radius > 0.0 && radius < 1e30) {
            return None;
        }
        if view.perspective && center.z + radius < view.near {
            return None;
        }
        let mut low = [f64::NEG_INFINITY; 2];
        let mut high = [f64::INFINITY; 2];
        for axis in 0..2 {
            let middle = view.size[axis] as f64 * 0.5;
            if !view.perspective {
                low[axis] = middle + (center[axis] - radius) / view.pixel;
                high[axis] = middle + (center[axis] + radius) / view.pixel;
                continue;
            }
            // The tangents from the eye to the circle in the plane of this axis and z.
            let distance = center[axis].hypot(center.z);
            if distance <= radius {
                continue;
            }
            let angle = center[axis].atan2(center.z);
            let spread = (radius / distance).asin();
            let tangent = |angle: f64| middle + angle.tan() / view.pixel;
            let quarter = std::f64::consts::FRAC_PI_2 - 1e-6;
            if angle - spread > quarter || angle + spread < -quarter {
                return None;
            }
            if angle - spread > -quarter {
                low[axis] = tangent(angle - spread);
            }
            if angle + spread < quarter {
                high[axis] = tangent(angle + spread);
            }
        }
        let bounds = pixel_bounds(view, low, high)?;
        Some(Self {
            center,
            radius,
            bounds,
            index,
        })
    }

    /// The point in view space where the ray of a place in the picture first meets the sphere in
    /// front of the near plane.
    pub fn hit(&self, view: &View, column: f64, row: f64) -> Option<DVec3> {
        let ray = view.ray(column, row);
        if !view.perspective {
            let (dx, dy) = (ray.x - self.center.x, ray.y - self.center.y);
            let height = self.radius * self.radius - dx * dx - dy * dy;
            return (height >= 0.0)
                .then(|| DVec3::new(ray.x, ray.y, self.center.z - height.sqrt()));
        }
        let squared = ray.length_squared();
        let discriminant =
            self.radius * self.radius * squared - self.center.cross(ray).length_squared();
        if discriminant < 0.0 {
            return None;
        }
        let (middle, half) = (
            ray.dot(self.center) / squared,
            discriminant.sqrt() / squared,
        );
        [middle - half, middle + half]
            .into_iter()
            .find(|z| *z >= view.near)
            .map(|z| ray * z)
    }
}
