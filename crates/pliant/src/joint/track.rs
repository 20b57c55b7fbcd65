//! A line through places, on which a joint slides: smooth, or straight from place to place.
//!
//! The smooth one is a cubic between every two places. At each place it has the direction of the parabola
//! through it and its neighbours, so that its direction never jumps. Where a line is straight from place to
//! place, every corner takes away the share of a speed that goes across the next piece.

use glam::DVec3;

/// Pieces of a cubic whose chords are looked at before the nearest place is found on the cubic itself.
const CHORDS: usize = 6;

/// Halvings and Newton steps to the nearest place of a cubic.
const REFINEMENTS: usize = 60;

/// A line through places.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    places: Vec<DVec3>,
    /// Velocities at the places, where a piece takes one second; none of a line that is straight between them.
    slopes: Vec<[DVec3; 2]>,
    is_closed: bool,
}

/// The nearest place of a track.
pub(crate) struct Nearest {
    pub(crate) place: DVec3,
    /// The direction there: none at a corner or an end.
    pub(crate) along: Option<DVec3>,
    /// How fast the direction turns, per metre.
    pub(crate) curvature: DVec3,
}

impl Track {
    /// A line that is straight from place to place.
    pub fn straight(places: &[DVec3]) -> Self {
        Self {
            is_closed: is_closed(places),
            places: places.to_vec(),
            slopes: Vec::new(),
        }
    }

    /// A smooth line. It is a ring if its last place is its first.
    pub fn smooth(places: &[DVec3]) -> Self {
        let mut track = Self::straight(places);
        let count = places.len();
        if count < 3 {
            return track;
        }
        let lengths: Vec<f64> = places.windows(2).map(|p| p[0].distance(p[1])).collect();
        // Change per metre over each piece.
        let rate = |k: usize| (places[k + 1] - places[k]) / lengths[k].max(f64::MIN_POSITIVE);
        let mean = |before: usize, after: usize| {
            let (a, b) = (lengths[before], lengths[after]);
            (b * rate(before) + a * rate(after)) / (a + b).max(f64::MIN_POSITIVE)
        };
        let last = count - 2;
        let direction = |k: usize| match k {
            _ if 0 < k && k <= last => mean(k - 1, k),
            _ if track.is_closed => mean(last, 0),
            0 => 2.0 * rate(0) - mean(0, 1),
            _ => 2.0 * rate(last) - mean(last - 1, last),
        };
        track.slopes = (0..=last)
            .map(|k| [lengths[k] * direction(k), lengths[k] * direction(k + 1)])
            .collect();
        track
    }

    /// The places it goes through.
    pub fn places(&self) -> &[DVec3] {
        &self.places
    }

    /// Place, velocity and acceleration on a piece, from 0 to 1.
    fn at(&self, piece: usize, t: f64) -> [DVec3; 3] {
        let (a, b) = (self.places[piece], self.places[piece + 1]);
        let Some([from, to]) = self.slopes.get(piece) else {
            return [a + t * (b - a), b - a, DVec3::ZERO];
        };
        let (c, d) = (
            3.0 * (b - a) - 2.0 * *from - *to,
            *from + *to - 2.0 * (b - a),
        );
        [
            a + t * (*from + t * (c + t * d)),
            *from + t * (2.0 * c + 3.0 * t * d),
            2.0 * c + 6.0 * t * d,
        ]
    }

    /// The place on a piece within a range that is nearest to a place.
    fn refine(&self, piece: usize, [mut low, mut high]: [f64; 2], at: DVec3) -> f64 {
        // Where it is nearest, the way to it is square to the line.
        let slope = |t: f64| {
            let [place, velocity, acceleration] = self.at(piece, t);
            let from = place - at;
            (
                from.dot(velocity),
                velocity.length_squared() + from.dot(acceleration),
            )
        };
        if slope(low).0 >= 0.0 {
            return low;
        }
        if slope(high).0 <= 0.0 {
            return high;
        }
        let mut t = 0.5 * (low + high);
        for _ in 0..REFINEMENTS {
            let (value, change) = slope(t);
            if value > 0.0 {
                high = t;
            } else {
                low = t;
            }
            let next = t - value / change;
            let next = match change > 0.0 && low < next && next < high {
                true => next,
                false => 0.5 * (low + high),
            };
            if (next - t).abs() <= 1e-15 {
                return next;
            }
            t = next;
        }
        t
    }

    /// The place of the line that is nearest to a place.
    pub(crate) fn nearest(&self, at: DVec3) -> Nearest {
        let chords = if self.slopes.is_empty() { 1 } else { CHORDS };
        let (mut piece, mut t, mut least) = (0, 0.0, f64::INFINITY);
        for k in 0..self.places.len() - 1 {
            let mut from = self.places[k];
            for chord in 1..=chords {
                let end = chord as f64 / chords as f64;
                let to = self.at(k, end)[0];
                let along = to - from;
                let share = (at - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
                let share = share.clamp(0.0, 1.0);
                let distance = (from + share * along).distance_squared(at);
                if distance < least {
                    least = distance;
                    (piece, t) = (k, end - (1.0 - share) / chords as f64);
                }
                from = to;
            }
        }
        if !self.slopes.is_empty() {
            (piece, t) = self.walk(piece, t, at);
        }
        let is_end = match t {
            0.0 => !self.is_joined(piece, 0.0),
            1.0 => !self.is_joined(piece, 1.0),
            _ => false,
        };
        let [place, velocity, acceleration] = self.at(piece, t);
        let along = velocity.normalize_or_zero();
        let turning = acceleration.reject_from(along);
        let has_direction = !is_end && along != DVec3::ZERO;
        Nearest {
            place,
            along: has_direction.then_some(along),
            curvature: match has_direction {
                true => turning / velocity.length_squared(),
                false => DVec3::ZERO,
            },
        }
    }

    /// The nearest place near one on a chord, over the ends of pieces too.
    fn walk(&self, mut piece: usize, t: f64, at: DVec3) -> (usize, f64) {
        let reach = 1.5 / CHORDS as f64;
        let mut range = [(t - reach).max(0.0), (t + reach).min(1.0)];
        let last = self.places.len() - 2;
        let mut crossed = None;
        loop {
            let t = self.refine(piece, range, at);
            let next = match t {
                0.0 if piece > 0 => piece - 1,
                0.0 if self.is_closed => last,
                1.0 if piece < last => piece + 1,
                1.0 if self.is_closed => 0,
                _ => return (piece, t),
            };
            // Over an end once, not back and forth.
            if crossed.is_some() {
                return (piece, t);
            }
            crossed = Some(piece);
            range = match t {
                0.0 => [1.0 - reach, 1.0],
                _ => [0.0, reach],
            };
            piece = next;
        }
    }

    /// Whether the line goes on smoothly over an end of a piece.
    fn is_joined(&self, piece: usize, t: f64) -> bool {
        let last = self.places.len() - 2;
        let is_inner = (t == 0.0 && piece > 0) || (t == 1.0 && piece < last);
        !self.slopes.is_empty() && (is_inner || self.is_closed)
    }
}

fn is_closed(places: &[DVec3]) -> bool {
    places.len() > 3 && places.first() == places.last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn the_nearest_place_of_a_straight_track_is_known_with_its_direction() {
        let track = Track::straight(&[DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y]);
        let nearest = track.nearest(DVec3::new(0.3, -0.2, 0.1));
        assert!(nearest.place.distance(DVec3::new(0.3, 0.0, 0.0)) < 1e-15);
        assert_eq!(nearest.along, Some(DVec3::X));
        let nearest = track.nearest(DVec3::new(1.2, -0.2, 0.0));
        assert_eq!((nearest.place, nearest.along), (DVec3::X, None));
    }

    #[test]
    fn a_smooth_ring_is_near_a_circle_and_turns_as_it_does() {
        let places: Vec<DVec3> = (0..=24)
            .map(|k| {
                let angle = TAU * f64::from(k % 24) / 24.0;
                DVec3::new(angle.cos(), angle.sin(), 0.0)
            })
            .collect();
        let ring = Track::smooth(&places);
        for k in 0..1000 {
            let angle = TAU * f64::from(k) / 1000.0;
            let at = DVec3::new(angle.cos(), angle.sin(), 0.0);
            for radius in [0.7, 1.0, 1.3] {
                let nearest = ring.nearest(radius * at);
                assert!(nearest.place.distance(at) < 2e-3, "{k} {radius}");
                let along = nearest.along.unwrap();
                assert!((along.dot(at)).abs() < 0.02, "{k} {radius}: {along}");
                let from = radius * at - nearest.place;
                assert!(from.dot(along).abs() < 1e-9, "{k} {radius}");
            }
        }
    }

    #[test]
    fn a_smooth_line_ends_where_its_places_do() {
        let track = Track::smooth(&[
            DVec3::ZERO,
            DVec3::new(1.0, 0.2, 0.0),
            DVec3::new(2.0, 0.0, 0.0),
        ]);
        let nearest = track.nearest(DVec3::new(-1.0, -0.5, 0.0));
        assert_eq!((nearest.place, nearest.along), (DVec3::ZERO, None));
        let nearest = track.nearest(DVec3::new(3.0, 0.0, 0.0));
        assert!(nearest.place.distance(DVec3::new(2.0, 0.0, 0.0)) < 1e-15);
        assert_eq!(nearest.along, None);
        assert!(track.nearest(DVec3::new(1.0, 0.3, 0.0)).along.is_some());
    }
}
