//! Boxes with sides along the axes.

use glam::DVec3;

/// A closed box. A box around nothing has `low` above `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub low: DVec3,
    pub high: DVec3,
}

impl Bounds {
    pub const NOTHING: Self = Self {
        low: DVec3::INFINITY,
        high: DVec3::NEG_INFINITY,
    };

    const EVERYTHING: Self = Self {
        low: DVec3::NEG_INFINITY,
        high: DVec3::INFINITY,
    };

    /// The box around a point that moves along a line, enlarged by `margin` on all sides and
    /// rounded outwards. A point that is not finite may be anywhere.
    pub fn swept(from: DVec3, to: DVec3, margin: f64) -> Self {
        if !(from.is_finite() && to.is_finite()) {
            return Self::EVERYTHING;
        }
        Self {
            low: (from.min(to) - margin).map(f64::next_down),
            high: (from.max(to) + margin).map(f64::next_up),
        }
    }

    pub fn union(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        // No early exit: six comparisons cost less than a branch that is guessed wrong.
        (self.low.x <= other.high.x)
            & (self.low.y <= other.high.y)
            & (self.low.z <= other.high.z)
            & (other.low.x <= self.high.x)
            & (other.low.y <= self.high.y)
            & (other.low.z <= self.high.z)
    }

    /// Twice the centre; zero where the box is infinite.
    pub fn twice_centre(&self) -> DVec3 {
        let sum = self.low + self.high;
        if sum.is_finite() { sum } else { DVec3::ZERO }
    }

    /// The sum of the three side lengths: larger for boxes that are met more often, and not zero
    /// for flat ones.
    pub fn size(&self) -> f64 {
        (self.high - self.low).element_sum()
    }
}
