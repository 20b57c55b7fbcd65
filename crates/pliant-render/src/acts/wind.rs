//! Wind as faint streaks.

use crate::color_map::Color;
use crate::draw_list::LineSet;
use glam::DVec3;

const WIND: Color = [0.60, 0.64, 0.68];

/// Streaks of wind in a picture.
pub(super) const STREAKS: usize = 26;

/// Short faint lines that drift with a stream through the box of a scene, always the same ones.
pub(super) fn streaks(
    velocity: DVec3,
    time: f64,
    middle: DVec3,
    size: f64,
    origin: DVec3,
) -> Option<LineSet> {
    let direction = velocity.try_normalize()?;
    let (side, up) = direction.any_orthonormal_pair();
    let number = |index: usize, salt: f64| {
        // A number between 0 and 1 by the golden ratio, far from its neighbours.
        (index as f64 * 0.618_034 + salt * 0.754_878).fract()
    };
    let way = 1.4 * size;
    let segments = (0..STREAKS).map(|index| {
        let start = number(index, 1.0 + index as f64 * 0.37);
        let along = (start + velocity.length() * time / way).fract() - 0.5;
        let across = number(index, 2.0) - 0.5;
        let high = number(index * 7 + 3, 5.0) - 0.5;
        let length = 0.05 + 0.05 * number(index, 3.0);
        let head = middle + way * along * direction + 0.9 * size * (across * side + high * up);
        [head, head - length * size * direction].map(|point| (point - origin).as_vec3().to_array())
    });
    Some(LineSet {
        segments: segments.collect(),
        colors: vec![WIND],
        width: 0.8,
        // Behind everything: streaks before a body look like scratches on it.
        lift: -0.3,
    })
}
