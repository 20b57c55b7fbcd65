//! A frame rate as a fraction, as containers want it.

/// `numerator / denominator` pictures a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameRate {
    /// Ticks in a second.
    pub numerator: u32,
    /// Ticks a picture lasts.
    pub denominator: u32,
}

impl FrameRate {
    /// The simplest fraction within a millionth of the rate, which must lie in 0.1 to 1000.
    /// Rates like 29.97 become the 30000/1001 that is meant by them.
    pub fn new(frames_per_second: f64) -> Self {
        let whole = frames_per_second.round();
        let broadcast = (frames_per_second * 1.001).round();
        let meant = broadcast * 1000.0 / 1001.0;
        if (frames_per_second - whole).abs() > 1e-6 && (frames_per_second - meant).abs() < 6e-3 {
            return Self {
                numerator: broadcast as u32 * 1000,
                denominator: 1001,
            };
        }
        let mut denominator = 1;
        while denominator < 1000 {
            let ticks = frames_per_second * f64::from(denominator);
            if (ticks - ticks.round()).abs() <= 1e-6 * ticks {
                break;
            }
            denominator += 1;
        }
        Self {
            numerator: (frames_per_second * f64::from(denominator)).round() as u32,
            denominator,
        }
    }

    /// The same rate in ticks fine enough for containers (10000 a second or more): some players
    /// do sums in the film's own ticks.
    pub fn in_fine_ticks(self) -> Self {
        let mut fine = self;
        while fine.numerator < 10_000 {
            fine.numerator *= 2;
            fine.denominator *= 2;
        }
        fine
    }

    /// The hundredth of a second nearest to the beginning of a picture. Delays taken as
    /// differences of it do not drift.
    pub fn hundredths(self, picture: usize) -> u64 {
        let (numerator, denominator) = (u64::from(self.numerator), u64::from(self.denominator));
        (picture as u64 * denominator * 100 + numerator / 2) / numerator
    }

    /// The thousandth of a second nearest to the beginning of a picture.
    pub fn thousandths(self, picture: usize) -> u64 {
        let (numerator, denominator) = (u64::from(self.numerator), u64::from(self.denominator));
        (picture as u64 * denominator * 1000 + numerator / 2) / numerator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(rate: f64) -> (u32, u32) {
        let rate = FrameRate::new(rate);
        (rate.numerator, rate.denominator)
    }

    #[test]
    fn rates_become_the_fractions_that_are_meant() {
        assert_eq!(fraction(30.0), (30, 1));
        assert_eq!(fraction(12.5), (25, 2));
        assert_eq!(fraction(29.97), (30000, 1001));
        assert_eq!(fraction(23.976), (24000, 1001));
        assert_eq!(fraction(0.1), (1, 10));
        assert_eq!(fraction(1000.0), (1000, 1));
        let (numerator, denominator) = fraction(std::f64::consts::PI * 7.0);
        let found = f64::from(numerator) / f64::from(denominator);
        assert!((found / (std::f64::consts::PI * 7.0) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn delays_do_not_drift() {
        let rate = FrameRate::new(30.0);
        let starts: Vec<_> = (0..4).map(|picture| rate.hundredths(picture)).collect();
        assert_eq!(starts, [0, 3, 7, 10]);
        assert_eq!(rate.hundredths(3000), 10_000);
        assert_eq!(rate.thousandths(1), 33);
        let fine = rate.in_fine_ticks();
        assert!(fine.numerator >= 10_000);
        assert_eq!(fine.numerator, 30 * fine.denominator);
    }
}
