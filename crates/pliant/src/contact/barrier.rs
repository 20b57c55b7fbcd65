//! The potential that keeps two features apart, and smoothed friction between them.
//!
//! ```text
//! φ(d) = -κ (d - r)² ln(d / r)   for d < r, else 0            f(u) = μ N F(|u|)
//! F(y) = y²/ε - y³/(3 ε²) + ε/3  for y < ε, else y
//! ```
//!
//! d is the distance, r the range; φ grows without bound as d goes to zero. u is the tangential
//! displacement of the stage, N = -φ'(d) the normal force of the iteration, and ε the displacement
//! below which a contact counts as sticking.
//!
//! Implements: \[Li2020\] eq. 6, 11 to 13, with the distance in place of its square.

/// φ, φ' and φ'' of a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Barrier {
    /// In joules.
    pub(crate) value: f64,
    /// In newtons, negative.
    pub(crate) slope: f64,
    /// In newtons per metre.
    pub(crate) curvature: f64,
}

impl Barrier {
    /// Of a distance below the range, with the stiffness κ in newtons per metre.
    pub(crate) fn new(distance: f64, range: f64, stiffness: f64) -> Self {
        if distance >= range {
            return Self::default();
        }
        let (depth, share) = (distance - range, distance / range);
        let log = share.ln();
        Self {
            value: -stiffness * depth * depth * log,
            slope: -stiffness * depth * (2.0 * log + depth / distance),
            curvature: -stiffness
                * (2.0 * log + 4.0 * depth / distance - depth * depth / (distance * distance)),
        }
    }
}

/// F, F' and F'' of a displacement.
pub(crate) fn smoothed_length(length: f64, smoothing: f64) -> [f64; 3] {
    if length >= smoothing {
        return [length, 1.0, 0.0];
    }
    let share = length / smoothing;
    [
        smoothing * (share * share * (1.0 - share / 3.0) + 1.0 / 3.0),
        share * (2.0 - share),
        2.0 * (1.0 - share) / smoothing,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        let step = 1e-7;
        for share in [0.02, 0.3, 0.7, 0.99] {
            let at = |d: f64| Barrier::new(d, 2.0, 3.0);
            let d = 2.0 * share;
            let [before, here, after] = [at(d - step), at(d), at(d + step)];
            let slope = (after.value - before.value) / (2.0 * step);
            let curvature = (after.slope - before.slope) / (2.0 * step);
            assert!((slope - here.slope).abs() < 1e-6 * here.slope.abs().max(1e-3));
            assert!((curvature - here.curvature).abs() < 1e-6 * here.curvature.max(1e-2));
            assert!(here.slope < 0.0 && here.curvature > 0.0);
        }
        for length in [0.1, 0.5, 0.9, 1.5] {
            let at = |y: f64| smoothed_length(y, 1.0);
            let [before, here, after] = [at(length - step), at(length), at(length + step)];
            assert!(((after[0] - before[0]) / (2.0 * step) - here[1]).abs() < 1e-6);
            assert!(((after[1] - before[1]) / (2.0 * step) - here[2]).abs() < 1e-6);
        }
    }

    #[test]
    fn nothing_acts_beyond_the_range_and_everything_near_zero() {
        assert_eq!(Barrier::new(2.0, 2.0, 3.0), Barrier::default());
        assert_eq!(Barrier::new(5.0, 2.0, 3.0), Barrier::default());
        assert!(Barrier::new(1e-12, 2.0, 3.0).slope < -1e12);
    }
}
