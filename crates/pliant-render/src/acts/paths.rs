//! The ways along which things are led.

use crate::color_map::Color;
use glam::DVec3;

const PATH: Color = [0.33, 0.35, 0.40];

/// Radius and distance of the dots, as shares of the size of the scene.
const DOT: f64 = 0.0022;
const DOT_DISTANCE: f64 = 0.016;

/// Balls in a picture at most.
const MOST_BALLS: usize = 400;

/// A row of small balls along the way that something is led.
pub(super) fn add_dots(balls: &mut Vec<(DVec3, f64, Color)>, way: &[DVec3], size: f64) {
    let step = DOT_DISTANCE * size;
    // Distance to the next dot: dots stay where they are while the way gets shorter at its beginning.
    let length: f64 = way.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let mut left = length % step;
    for pair in way.windows(2) {
        let piece = pair[0].distance(pair[1]);
        while left < piece && balls.len() < MOST_BALLS {
            balls.push((pair[0].lerp(pair[1], left / piece), DOT * size, PATH));
            left += step;
        }
        left -= piece;
    }
}

/// Where on a path something is at a time.
pub(super) fn place_on(path: &[(f64, DVec3)], time: f64) -> Option<DVec3> {
    let after = path.partition_point(|(moment, _)| *moment <= time);
    let Some((end, to)) = path.get(after) else {
        return path.last().map(|(_, place)| *place);
    };
    match after.checked_sub(1).map(|k| path[k]) {
        Some((start, from)) => Some(from.lerp(*to, (time - start) / (end - start))),
        None => Some(*to),
    }
}

/// The value of a curve of straight pieces at a time.
pub(super) fn interpolated(curve: &[[f64; 2]], time: f64) -> f64 {
    let points: Vec<(f64, DVec3)> = curve
        .iter()
        .map(|[moment, value]| (*moment, DVec3::X * *value))
        .collect();
    place_on(&points, time).map_or(1.0, |value| value.x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stay_where_they_are_while_the_way_gets_shorter() {
        let dots = |from: f64| {
            let mut balls = Vec::new();
            let way = [DVec3::X * from, DVec3::X, DVec3::ONE];
            add_dots(&mut balls, &way, 2.0);
            balls
        };
        let (all, rest) = (dots(0.0), dots(0.5));
        assert!(rest.len() < all.len() && rest.len() > 40);
        for (one, other) in rest.iter().rev().zip(all.iter().rev()) {
            assert!(one.0.distance(other.0) < 1e-9);
        }
    }

    #[test]
    fn places_between_moments_are_interpolated() {
        let path = [(1.0, DVec3::ZERO), (3.0, DVec3::X)];
        assert_eq!(place_on(&path, 0.0), Some(DVec3::ZERO));
        assert_eq!(place_on(&path, 2.0), Some(0.5 * DVec3::X));
        assert_eq!(place_on(&path, 9.0), Some(DVec3::X));
        assert_eq!(interpolated(&[[0.0, 0.0], [4.0, 2.0]], 1.0), 0.5);
        assert_eq!(interpolated(&[], 1.0), 1.0);
    }
}
