//! Angles of eight directions at a time.
//!
//! The angle of (x, y) is found in the first eighth of a turn, where its tangent is at most tan(π/8) after a
//! further eighth has been taken off; there the arc tangent is a quotient of polynomials, accurate to two units
//! of rounding (Cephes, S. L. Moshier, `atan.c`).

use super::vector::Pack;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// tan(π/8).
const SPLIT: f64 = 0.414_213_562_373_095_03;

const NUMERATOR: [f64; 5] = [
    -8.750_608_600_031_904e-1,
    -1.615_753_718_733_365e1,
    -7.500_855_792_314_705e1,
    -1.228_866_684_490_136_1e2,
    -6.485_021_904_942_025e1,
];

/// After a leading one.
const DENOMINATOR: [f64; 5] = [
    2.485_846_490_142_306_3e1,
    1.650_270_098_316_988_5e2,
    4.328_810_604_912_902_6e2,
    4.853_903_996_359_137e2,
    1.945_506_571_482_614e2,
];

/// The angles of directions, from -π to π; zero where both numbers are.
#[inline(always)]
pub(crate) fn angles(y: Pack, x: Pack) -> Pack {
    let (across, along) = (y.abs(), x.abs());
    let least = across.min(along);
    let most = across.max(along).max(Pack::splat(f64::MIN_POSITIVE));
    let split = Pack::splat(SPLIT) * most;
    let above = least.choose_above(split, least - most, least);
    let below = least.choose_above(split, least + most, most);
    let tangent = above / below;
    let square = tangent * tangent;
    let mut numerator = Pack::splat(NUMERATOR[0]);
    for coefficient in &NUMERATOR[1..] {
        numerator = numerator * square + Pack::splat(*coefficient);
    }
    let mut denominator = square + Pack::splat(DENOMINATOR[0]);
    for coefficient in &DENOMINATOR[1..] {
        denominator = denominator * square + Pack::splat(*coefficient);
    }
    let angle = tangent + tangent * (square * numerator / denominator);
    let eighth = Pack::splat(FRAC_PI_4) + angle;
    let angle = least.choose_above(split, eighth, angle);
    let angle = across.choose_above(along, Pack::splat(FRAC_PI_2) - angle, angle);
    let angle = Pack::ZERO.choose_above(x, Pack::splat(PI) - angle, angle);
    // What is not finite has no angle; comparisons would have hidden it.
    angle.with_sign_of(y) + (y * Pack::ZERO + x * Pack::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vector::PACK;

    #[test]
    fn angles_are_those_of_the_standard_library() {
        for step in 0..4000 {
            let y = Pack::from_fn(|lane| (1e-3 * (step * PACK + lane) as f64).sin());
            let x = Pack::from_fn(|lane| (1.7e-2 * (step * PACK + lane) as f64).cos());
            let found = angles(y, x).to_array();
            for (lane, found) in found.into_iter().enumerate() {
                let wanted = y.lane(lane).atan2(x.lane(lane));
                assert!(
                    (found - wanted).abs() <= 4.0 * f64::EPSILON * wanted.abs(),
                    "{found} {wanted}"
                );
            }
        }
    }

    #[test]
    fn axes_and_tiny_and_huge_numbers_have_angles_too() {
        let pairs = [
            (0.0, 1.0),
            (0.0, -1.0),
            (1.0, 0.0),
            (-1.0, 0.0),
            (0.0, 0.0),
            (1e-300, 1e-300),
            (-1e300, 1e299),
            (1e-12, -1.0),
        ];
        let found = angles(
            Pack::from_fn(|lane| pairs[lane].0),
            Pack::from_fn(|lane| pairs[lane].1),
        );
        for (lane, (y, x)) in pairs.into_iter().enumerate() {
            let (found, wanted) = (found.lane(lane), y.atan2(x));
            assert!(
                (found - wanted).abs() <= 1e-15 * wanted.abs(),
                "{y} {x} {found}"
            );
        }
        assert!(
            angles(Pack::splat(f64::NAN), Pack::splat(1.0))
                .lane(0)
                .is_nan()
        );
    }
}
