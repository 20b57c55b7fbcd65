//! Boxes with sides along the axes, in single precision and rounded outwards.
//!
//! Single precision halves the memory that a search goes through. Positions are taken relative to a
//! point nearby, so that scenes far from the origin lose nothing.

use glam::{DVec3, Vec3};

/// A closed box that is not empty, or [`Bounds::NOTHING`]. No lower end is plus infinity and no
/// upper end minus infinity, so that differences are numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(super) struct Bounds {
    /// The fourth entries are zero: four numbers are compared at once.
    low: [f32; 4],
    high: [f32; 4],
}

impl Bounds {
    /// The box around nothing. It must not be compared with others.
    pub const NOTHING: Self = Self {
        low: [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0],
        high: [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0],
    };

    const EVERYTHING: Self = Self {
        low: [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0],
        high: [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0],
    };

    /// The box around a point that moves along a line, relative to `origin`, enlarged by `margin`
    /// on all sides and rounded outwards. A point that is not finite may be anywhere.
    ///
    /// The two sums in double precision are off by less than 2^-51 (|result| + margin). A step to the
    /// next number in single precision is at least 2^-25 of the result, and the margin is enlarged
    /// by 2^-40 of itself: both are much more. The second step covers the conversion.
    pub fn swept(from: DVec3, to: DVec3, origin: DVec3, margin: f64) -> Self {
        let margin = margin * (1.0 + 1e-12);
        if !(from.is_finite() && to.is_finite()) {
            return Self::EVERYTHING;
        }
        let low = (from.min(to) - origin - margin).to_array();
        let high = (from.max(to) - origin + margin).to_array();
        let [a, b, c] = low.map(|value| value as f32);
        let [d, e, f] = high.map(|value| value as f32);
        let are_ordinary = is_ordinary(a)
            & is_ordinary(b)
            & is_ordinary(c)
            & is_ordinary(d)
            & is_ordinary(e)
            & is_ordinary(f);
        if are_ordinary {
            return Self {
                low: [-two_up(-a), -two_up(-b), -two_up(-c), 0.0],
                high: [two_up(d), two_up(e), two_up(f), 0.0],
            };
        }
        let [below, above] = [[a, b, c], [d, e, f]];
        let below = below.map(|value| value.next_down().next_down());
        let above = above.map(|value| value.next_up().next_up());
        Self {
            low: [below[0], below[1], below[2], 0.0],
            high: [above[0], above[1], above[2], 0.0],
        }
    }

    #[inline]
    pub fn union(self, other: Self) -> Self {
        let mut all = self;
        for k in 0..4 {
            // No `min` and `max`: there are no NaN to care for.
            all.low[k] = if other.low[k] < self.low[k] {
                other.low[k]
            } else {
                self.low[k]
            };
            all.high[k] = if other.high[k] > self.high[k] {
                other.high[k]
            } else {
                self.high[k]
            };
        }
        all
    }

    /// Whether the boxes have a point in common.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        // A difference is negative if and only if its sign bit is set: equal numbers give +0.
        let mut bits = [0; 4];
        for (k, bits) in bits.iter_mut().enumerate() {
            let one = self.high[k] - other.low[k];
            let two = other.high[k] - self.low[k];
            *bits = one.to_bits() | two.to_bits();
        }
        (bits[0] | bits[1] | bits[2] | bits[3]) >> 31 == 0
    }

    pub fn low_x(&self) -> f32 {
        self.low[0]
    }

    pub fn high_x(&self) -> f32 {
        self.high[0]
    }

    /// Twice the centre; zero where the box is infinite.
    pub fn twice_centre(&self) -> Vec3 {
        let sum = [0, 1, 2].map(|k| self.low[k] + self.high[k]);
        let sum = Vec3::from(sum);
        if sum.is_finite() { sum } else { Vec3::ZERO }
    }

    /// The sum of the three side lengths: larger for boxes that are met more often, and not zero
    /// for flat ones.
    pub fn size(&self) -> f64 {
        (0..3).map(|k| f64::from(self.high[k] - self.low[k])).sum()
    }
}

/// Whether two steps to neighbouring numbers lead neither to zero nor to infinity.
#[inline(always)]
fn is_ordinary(value: f32) -> bool {
    (f32::MIN_POSITIVE..1e38).contains(&value.abs())
}

/// Two numbers higher, without the branches that `next_up` takes for what is not ordinary.
#[inline(always)]
fn two_up(value: f32) -> f32 {
    let bits = value.to_bits();
    // Away from zero where it is positive, towards zero where it is negative.
    let away = 2_u32.wrapping_sub((bits >> 31) << 2);
    f32::from_bits(bits.wrapping_add(away))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_up_are_those_of_the_library() {
        for value in [
            1.0_f32,
            -1.0,
            0.1,
            -0.3,
            1.999_999_9,
            -2.0,
            3e-38,
            -1.2e-38,
            9e37,
        ] {
            assert!(is_ordinary(value));
            assert_eq!(two_up(value), value.next_up().next_up(), "{value}");
            assert_eq!(-two_up(-value), value.next_down().next_down(), "{value}");
        }
        for value in [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1e-40, f32::MAX] {
            assert!(!is_ordinary(value), "{value}");
        }
    }
}
