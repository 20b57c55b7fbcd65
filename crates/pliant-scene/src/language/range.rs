//! The bounds of a number.

/// The bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest number, and whether it is allowed itself.
    pub low: Option<(f64, bool)>,
    /// The largest number, and whether it is allowed itself.
    pub high: Option<(f64, bool)>,
}

impl Range {
    /// Any number.
    pub const ANY: Self = Self::new(None, None);
    /// Greater than zero.
    pub const POSITIVE: Self = Self::new(Some((0.0, false)), None);
    /// Zero or greater.
    pub const NOT_NEGATIVE: Self = Self::new(Some((0.0, true)), None);
    /// From 0 to 1.
    pub const UNIT: Self = Self::new(Some((0.0, true)), Some((1.0, true)));
    /// Greater than 0 and at most 1.
    pub const FRACTION: Self = Self::new(Some((0.0, false)), Some((1.0, true)));

    const fn new(low: Option<(f64, bool)>, high: Option<(f64, bool)>) -> Self {
        Self { low, high }
    }

    /// A number or greater.
    pub(super) const fn at_least(low: f64) -> Self {
        Self::new(Some((low, true)), None)
    }

    /// Greater than a number.
    pub(super) const fn above(low: f64) -> Self {
        Self::new(Some((low, false)), None)
    }

    /// From one number to another, both allowed.
    pub(super) const fn from_to(low: f64, high: f64) -> Self {
        Self::new(Some((low, true)), Some((high, true)))
    }

    /// Between two numbers that are not allowed themselves.
    pub(super) const fn between(low: f64, high: f64) -> Self {
        Self::new(Some((low, false)), Some((high, false)))
    }

    /// Whether a number lies within the bounds.
    pub fn contains(self, x: f64) -> bool {
        self.low
            .is_none_or(|(low, itself)| x > low || (itself && x == low))
            && self
                .high
                .is_none_or(|(high, itself)| x < high || (itself && x == high))
    }

    /// "greater than 0 and at most 1".
    pub fn describe(self) -> String {
        let low = self.low.map(|(low, itself)| match itself {
            true => format!("at least {low}"),
            false => format!("greater than {low}"),
        });
        let high = self.high.map(|(high, itself)| match itself {
            true => format!("at most {high}"),
            false => format!("less than {high}"),
        });
        match (low, high) {
            (Some(low), Some(high)) => format!("{low} and {high}"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert!(Range::FRACTION.contains(1.0) && !Range::FRACTION.contains(0.0));
        assert!(Range::UNIT.contains(0.0) && !Range::UNIT.contains(1.1));
        assert!(!Range::between(0.0, 2.0).contains(2.0));
        assert_eq!(
            Range::FRACTION.describe(),
            "greater than 0 and at most 1".to_owned()
        );
    }
}
