//! The potential that keeps two features apart, and smoothed friction between them.
//!
//! ```text
//! φ(d) = κ (r - d)² / 2                            for r/2 <= d < r, else 0 beyond
//! φ(d) = κ r²/4 (ln(r / 2d) + 1/2)                 for d < r/2
//! f(u) = μ N F(|u|),   F(y) = y²/ε - y³/(3 ε²) + ε/3   for y < ε, else y
//! ```
//!
//! d is the distance, r the range. φ is a spring at first, which Newton's method takes in one step, and
//! grows without bound as d goes to zero; it has two continuous derivatives within the range. u is the
//! tangential displacement of the stage, N = -φ'(d) the normal force of the iteration, and ε the
//! displacement below which a contact counts as sticking.
//!
//! Implements: \[Chen2025\] (the spring that becomes a barrier), \[LiFerguson2020\] (smoothed friction).

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
        let turn = 0.5 * range;
        if distance >= turn {
            let depth = range - distance;
            return Self {
                value: 0.5 * stiffness * depth * depth,
                slope: -stiffness * depth,
                curvature: stiffness,
            };
        }
        let scale = stiffness * turn * turn;
        Self {
            value: scale * ((turn / distance).ln() + 0.5),
            slope: -scale / distance,
            curvature: scale / (distance * distance),
        }
    }
}

/// The distance at which the force of a barrier is `force`, in metres.
pub(crate) fn distance_at(force: f64, range: f64, stiffness: f64) -> f64 {
    let turn = 0.5 * range;
    if force <= stiffness * turn {
        return range - force.max(0.0) / stiffness;
    }
    stiffness * turn * turn / force
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
        for share in [0.02, 0.3, 0.5, 0.7, 0.99] {
            let at = |d: f64| Barrier::new(d, 2.0, 3.0);
            let d = 2.0 * share;
            let [before, here, after] = [at(d - step), at(d), at(d + step)];
            let slope = (after.value - before.value) / (2.0 * step);
            let curvature = (after.slope - before.slope) / (2.0 * step);
            assert!((slope - here.slope).abs() < 1e-6 * here.slope.abs().max(1e-3));
            assert!(
                (curvature - here.curvature).abs() < 1e-6 * here.curvature.max(1e-2) + 3e-7 / share
            );
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
