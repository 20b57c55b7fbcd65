//! Unit vectors that are always defined.

use glam::{DVec2, DVec3};

/// Squared lengths below this have lost digits to underflow, and their direction with them.
const SMALLEST_SQUARE: f64 = 1e-290;

/// The direction and length of `v`; `fallback` and 0 where `v` has no direction.
pub(super) fn unit_and_length(v: DVec3, fallback: DVec3) -> (DVec3, f64) {
    let square = v.length_squared();
    if square > SMALLEST_SQUARE {
        let length = square.sqrt();
        (v / length, length)
    } else {
        (fallback, 0.0)
    }
}

/// The direction and length of `v` in a plane; `fallback` and 0 where `v` has no direction.
pub(super) fn planar_unit_and_length(v: DVec2, fallback: DVec2) -> (DVec2, f64) {
    let (unit, length) = unit_and_length(v.extend(0.0), fallback.extend(0.0));
    (unit.truncate(), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_vectors_have_a_unit_direction_or_the_fallback() {
        for exponent in -200..=-100 {
            let v = DVec3::new(3.0, 0.0, 4.0) * 10.0_f64.powi(exponent);
            let (unit, length) = unit_and_length(v, DVec3::Z);
            assert!((unit.length() - 1.0).abs() < 1e-14);
            assert!(unit == DVec3::Z && length == 0.0 || unit.x > 0.5);
        }
        assert_eq!(
            planar_unit_and_length(DVec2::ZERO, DVec2::Y),
            (DVec2::Y, 0.0)
        );
    }
}
