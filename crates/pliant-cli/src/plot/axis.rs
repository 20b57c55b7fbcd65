//! Round numbers along an axis.

/// A range of values with ticks at round numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    /// Distance between two ticks.
    step: f64,
}

impl Axis {
    /// Covers all values with about `ticks` ticks; the ends are ticks too if `widen`.
    pub fn over(values: impl Iterator<Item = f64>, ticks: usize, widen: bool) -> Self {
        let (mut low, mut high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A curve that differs from a constant by rounding alone is a constant.
        let size = low.abs().max(high.abs());
        if high - low <= 1e-9 * size || high == low {
            // What is zero throughout lies on the axis, at its lower end.
            (low, high) = match size {
                0.0 => (0.0, 1.0),
                _ => (low - 0.05 * size, high + 0.05 * size),
            };
        }
        let step = round_step((high - low) / ticks.max(1) as f64);
        if widen {
            low = (low / step + 1e-9).floor() * step;
            high = (high / step - 1e-9).ceil() * step;
        }
        Self { low, high, step }
    }

    /// Where a value lies: 0 at the low end, 1 at the high end.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The ticks and what is written beside them.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let first = (self.low / self.step - 1e-9).ceil() as i64;
        let last = (self.high / self.step + 1e-9).floor() as i64;
        (first..=last)
            .map(|number| {
                let value = number as f64 * self.step;
                (value, self.label(value))
            })
            .collect()
    }

    fn label(&self, value: f64) -> String {
        let largest = self.low.abs().max(self.high.abs());
        if !(1e-3..1e5).contains(&largest) {
            if value == 0.0 {
                return "0".to_owned();
            }
            // As many digits as tell neighbours apart.
            let digits = (largest.log10().floor() - self.step.log10().floor()).clamp(0.0, 9.0);
            return format!("{value:.*e}", digits as usize);
        }
        let decimals = (-self.step.log10().floor()).clamp(0.0, 9.0);
        format!("{value:.*}", decimals as usize)
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least this.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0];
    let factor = round
        .into_iter()
        .find(|f| f * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: [f64; 2], widen: bool) -> Vec<String> {
        let axis = Axis::over(values.into_iter(), 5, widen);
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_cover_the_values() {
        assert_eq!(labels([0.0, 7.0], false), ["0", "2", "4", "6"]);
        assert_eq!(
            labels([-0.031, 0.052], true),
            ["-0.04", "-0.02", "0.00", "0.02", "0.04", "0.06"]
        );
        assert_eq!(
            labels([0.0, 4.1e6], true),
            ["0", "1e6", "2e6", "3e6", "4e6", "5e6"]
        );
    }

    #[test]
    fn constants_and_nothing_have_an_axis_too() {
        for values in [[0.0, 0.0], [3.0, 3.0], [1e-12, 1e-12], [f64::NAN, f64::NAN]] {
            let axis = Axis::over(values.into_iter(), 5, true);
            assert!(axis.high > axis.low && axis.ticks().len() >= 2, "{axis:?}");
        }
        let axis = Axis::over([5.0, 5.0 + 1e-13].into_iter(), 5, true);
        assert!(axis.high - axis.low > 0.1);
    }
}
