//! The view from a light.

use super::{SIDE, WIDEST};
use crate::LightSource;
use crate::raster::view::View;
use glam::DVec3;

/// A view from the light that holds the box.
pub(super) fn fit(low: DVec3, high: DVec3, source: LightSource, origin: DVec3) -> Option<View> {
    let middle = (low + high) * 0.5;
    let radius = ((high - low).length() * 0.5).max(1e-9 * (1.0 + middle.length()));
    let usable = SIDE as f64 - 2.0 * (f64::from(WIDEST) + 6.0);
    if radius.is_nan() || radius >= 1e18 {
        return None;
    }
    let axes = |forward: DVec3| {
        let up = if forward.z.abs() > 0.99 {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let right = forward.cross(up).normalize();
        [right, forward.cross(right), forward]
    };
    match source {
        LightSource::Direction(direction) => {
            let axes = axes(direction.try_normalize()?);
            let half = (high - low) * 0.5;
            let extent = |axis: DVec3| half.dot(axis.abs()) * 2.0;
            let extent = extent(axes[0]).max(extent(axes[1])).max(radius * 1e-3);
            // Steps of size and place, so that the grid of the map stands still while things move.
            let extent = (((extent.log2() * 4.0).ceil()) / 4.0).exp2();
            let pixel = extent / usable;
            let snap = |axis: DVec3| (middle.dot(axis) / pixel).round() * pixel;
            let eye = axes[0] * snap(axes[0])
                + axes[1] * snap(axes[1])
                + axes[2] * (middle.dot(axes[2]) - radius);
            Some(View {
                eye,
                axes,
                perspective: false,
                pixel,
                size: [SIDE; 2],
                near: 0.0,
                middles_alone: true,
            })
        }
        LightSource::Position(position) => {
            let eye = position - origin;
            let offset = middle - eye;
            let distance = offset.length();
            let forward = offset.try_normalize().unwrap_or(DVec3::NEG_Z);
            // A lamp among the things sees only what lies before it.
            let tangent = if distance > radius * 1.1 {
                let sine = radius / distance;
                sine / (1.0 - sine * sine).sqrt()
            } else {
                2.4
            };
            let view = View {
                eye,
                axes: axes(forward),
                perspective: true,
                pixel: 2.0 * tangent / usable,
                size: [SIDE; 2],
                near: ((distance - radius) * 0.5).max(radius * 1e-3),
                middles_alone: true,
            };
            eye.is_finite().then_some(view)
        }
    }
}
