//! A segment of a line with a width in pixels and round ends.

use super::prepared::{one_or_each, sound_lift};
use super::tile::{TILE, clip_bounds};
use super::triangle::{is_drawable, pixel_bounds};
use super::view::View;
use crate::LineSet;
use glam::{DVec2, Vec3};

/// A segment made ready for one view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    from: DVec2,
    to: DVec2,
    /// Depth at both ends, moved towards the eye.
    depth: [f64; 2],
    half_width: f64,
    /// Lines thinner than a pixel are drawn one pixel wide and fainter.
    opacity: f32,
    /// Its colour.
    pub color: Vec3,
    /// Distance of its middle from the eye, in metres.
    pub distance: f64,
    /// First column, first row, end of columns, end of rows that it may touch.
    pub bounds: [u32; 4],
}

/// How a segment touches a pixel.
pub(crate) struct Touch {
    /// Share of the pixel that is covered.
    pub coverage: f32,
    /// The nearest point of the segment, column and row.
    pub place: [f64; 2],
    /// Its depth.
    pub depth: f32,
}

impl Segment {
    /// One segment of a set; `None` if it cannot be seen.
    pub fn new(view: &View, set: &LineSet, index: usize) -> Option<Self> {
        let [mut from, mut to] = set.segments.get(index)?.map(|point| view.place(point));
        if !is_drawable(from) || !is_drawable(to) {
            return None;
        }
        if from.z < view.near && to.z < view.near {
            return None;
        }
        let (start, end) = (from, to);
        if from.z < view.near {
            from = start.lerp(end, (view.near - start.z) / (end.z - start.z));
            from.z = view.near;
        }
        if to.z < view.near {
            to = start.lerp(end, (view.near - start.z) / (end.z - start.z));
            to.z = view.near;
        }
        let wide = f64::from(set.width) * view.size[1] as f64 / 720.0;
        if !(wide > 0.0 && wide < 1e6) {
            return None;
        }
        let half_width = wide.max(1.0) * 0.5;
        let ends = [from, to].map(|end| DVec2::from(view.pixel_of(end)));
        let reach = half_width + 1.0;
        let low = ends[0].min(ends[1]) - reach;
        let high = ends[0].max(ends[1]) + reach;
        let bounds = pixel_bounds(view, low.to_array(), high.to_array())?;
        let nearer = 1.0 + f64::from(sound_lift(set.lift));
        Some(Self {
            from: ends[0],
            to: ends[1],
            depth: [from, to].map(|end| view.depth_of(end) * nearer),
            half_width,
            opacity: wide.min(1.0) as f32,
            color: Vec3::from(one_or_each(&set.colors, index).unwrap_or([0.1; 3])),
            distance: (from.z + to.z) * 0.5 / nearer,
            bounds,
        })
    }

    /// Calls `visit` with column and row (in the tile) of each pixel that the segment touches.
    pub fn each_pixel(&self, origin: [usize; 2], mut visit: impl FnMut(usize, usize, Touch)) {
        let [x0, y0, x1, y1] = clip_bounds(self.bounds, origin);
        let along = self.to - self.from;
        let squared = along.length_squared();
        for y in y0..y1 {
            for x in x0..x1.min(TILE) {
                let pixel = DVec2::new((origin[0] + x) as f64 + 0.5, (origin[1] + y) as f64 + 0.5);
                let share = if squared > 0.0 {
                    ((pixel - self.from).dot(along) / squared).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let nearest = self.from + along * share;
                let coverage = self.half_width + 0.5 - pixel.distance(nearest);
                if coverage <= 0.0 {
                    continue;
                }
                let depth = self.depth[0] + (self.depth[1] - self.depth[0]) * share;
                visit(
                    x,
                    y,
                    Touch {
                        coverage: coverage.min(1.0) as f32 * self.opacity,
                        place: nearest.to_array(),
                        depth: depth as f32,
                    },
                );
            }
        }
    }
}
