//! A triangle as linear functions over the picture.
//!
//! With the corners v0, v1, v2 in homogeneous coordinates (view space with perspective, (x, y, 1)
//! without) and the homogeneous point r of a pixel, the edge functions are
//!
//! ```text
//! e0 = r . (v1 x v2)    e1 = r . (v2 x v0)    e2 = r . (v0 x v1)    det = v0 . (v1 x v2)
//! ```
//!
//! The pixel is inside where all have the sign of det; e_i / (e0 + e1 + e2) are its barycentric
//! coordinates, correct in perspective, and depth is linear too. Nothing is divided by the z of a
//! corner, so triangles that pass through the plane of the eye need no clipping.
//!
//! Edges shared by two triangles have exactly opposite functions, since swapping the factors of a
//! cross product swaps exactly the sign of its rounded value: neighbours leave no gap.
//!
//! The method is that of Olano and Greer, "Triangle scan conversion using 2D homogeneous
//! coordinates", 1997.

use super::view::View;
use glam::DVec3;

/// A triangle made ready for one view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// Edge functions, positive inside: factors of column and row, value at the upper left corner
    /// of the picture.
    pub edges: [[f64; 3]; 3],
    /// Depth, in the same form.
    pub depth: [f64; 3],
    /// Least and greatest depth of the corners.
    pub depth_range: [f32; 2],
    /// First column, first row, end of columns, end of rows that it may touch.
    pub bounds: [u32; 4],
    /// Geometric normal in view space, of unit length, turned to the eye.
    pub normal: [f32; 3],
    /// Whether its front is seen: the corners run counter-clockwise.
    pub front: bool,
    /// Vertices in the mesh.
    pub corners: [u32; 3],
    /// Which mesh.
    pub mesh: u32,
}

/// Coordinates beyond this overflow the products; nothing sensible is that far, in metres.
const FARTHEST: f64 = 1e30;

impl Triangle {
    /// The triangle with these corners in view space; `None` if it cannot be seen (outside the
    /// picture, edge-on, not finite, or facing away when `cull` is set).
    #[inline]
    pub fn new(
        view: &View,
        points: [DVec3; 3],
        corners: [u32; 3],
        mesh: u32,
        cull: bool,
    ) -> Option<Self> {
        if !points.into_iter().all(is_drawable) {
            return None;
        }
        let [v0, v1, v2] = if view.perspective {
            points
        } else {
            points.map(|point| DVec3::new(point.x, point.y, 1.0))
        };
        let sides = [v1.cross(v2), v2.cross(v0), v0.cross(v1)];
        let determinant = v0.dot(sides[0]);
        if determinant == 0.0 || !determinant.is_finite() || (cull && determinant > 0.0) {
            return None;
        }
        let bounds = bounds(view, points)?;
        let sign = determinant.signum();
        let half = view.size.map(|count| count as f64 * 0.5);
        let edges = sides.map(|side| {
            let across = side.x * view.pixel;
            let along = side.y * view.pixel;
            [
                sign * across,
                sign * along,
                sign * (side.z - across * half[0] - along * half[1]),
            ]
        });
        let mut depth = [0.0; 3];
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for (edge, point) in edges.iter().zip(points) {
            let weight = if view.perspective { 1.0 } else { -point.z };
            for (sum, part) in depth.iter_mut().zip(edge) {
                *sum += weight * part / determinant.abs();
            }
            let corner_depth = if view.perspective && point.z < view.near {
                view.nearest_depth()
            } else {
                view.depth_of(point)
            };
            range = [range[0].min(corner_depth), range[1].max(corner_depth)];
        }
        let normal = (points[1] - points[0])
            .cross(points[2] - points[0])
            .try_normalize()?
            * -sign;
        Some(Self {
            edges,
            depth,
            depth_range: range.map(|depth| depth as f32),
            bounds,
            normal: normal.as_vec3().to_array(),
            front: sign < 0.0,
            corners,
            mesh,
        })
    }

    /// Perspective-correct barycentric coordinates at a place in the picture.
    pub fn barycentric(&self, column: f64, row: f64) -> [f32; 3] {
        let values = self
            .edges
            .map(|[across, along, fixed]| across * column + along * row + fixed);
        let sum = values[0] + values[1] + values[2];
        let scale = if sum != 0.0 { 1.0 / sum } else { 0.0 };
        values.map(|value| (value * scale) as f32)
    }

    /// Depth at a place in the picture, kept within that of the corners.
    pub fn depth_at(&self, column: f64, row: f64) -> f32 {
        let [across, along, fixed] = self.depth;
        let depth = (across * column + along * row + fixed) as f32;
        depth.clamp(self.depth_range[0], self.depth_range[1])
    }
}

/// The pixels that the part of the triangle in front of the near plane may touch.
fn bounds(view: &View, points: [DVec3; 3]) -> Option<[u32; 4]> {
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    let mut include = |point: DVec3| {
        let pixel = view.pixel_of(point);
        for axis in 0..2 {
            low[axis] = low[axis].min(pixel[axis]);
            high[axis] = high[axis].max(pixel[axis]);
        }
    };
    if view.perspective {
        for index in 0..3 {
            let (from, to) = (points[index], points[(index + 1) % 3]);
            if from.z >= view.near {
                include(from);
            }
            if (from.z >= view.near) != (to.z >= view.near) {
                let share = (view.near - from.z) / (to.z - from.z);
                let mut crossing = from.lerp(to, share);
                crossing.z = view.near;
                include(crossing);
            }
        }
    } else {
        points.into_iter().for_each(&mut include);
    }
    pixel_bounds(view, low, high)
}

/// Whether a point is finite and near enough to compute with.
pub(crate) fn is_drawable(point: DVec3) -> bool {
    point.is_finite() && point.abs().max_element() < FARTHEST
}

/// Whole pixels around a rectangle, within the picture; `None` if there are none.
pub(crate) fn pixel_bounds(view: &View, low: [f64; 2], high: [f64; 2]) -> Option<[u32; 4]> {
    let mut bounds = [0; 4];
    // Middles that lie on the rim count as inside, whatever the rounding.
    let margin = if view.middles_alone { 0.499_999 } else { 0.0 };
    for axis in 0..2 {
        let limit = view.size[axis] as f64;
        let first = (low[axis] + margin).clamp(0.0, limit);
        let end = (high[axis] - margin).clamp(0.0, limit);
        if first.is_nan() || end.is_nan() {
            return None;
        }
        // Casts cut off the fraction, which needs no library.
        bounds[axis] = first as u32;
        bounds[axis + 2] = end as u32 + u32::from(f64::from(end as u32) < end);
        if bounds[axis] >= bounds[axis + 2] {
            return None;
        }
    }
    Some(bounds)
}
