//! A Prony series: a spring beside Maxwell units of many times of relaxation. What it does:
//! `inelastic/prony.rs` on grids, `fem/inelastic/viscoelastic.rs` over meshes.

use super::FourUnit;

/// A Maxwell unit of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PronyBranch {
    /// Share of the stiffness that relaxes, above 0 and up to 1.
    pub share: f64,
    /// Time of relaxation, in seconds.
    pub time: f64,
}

/// Relaxes in several times.
///
/// ```
/// use pliant::process::{Prony, PronyBranch};
/// let gel = Prony { branches: vec![PronyBranch { share: 0.5, time: 2.0 }] };
/// assert_eq!((gel.modulus(0.0), gel.modulus(f64::INFINITY)), (1.0, 0.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Prony {
    /// The units; their shares sum to 1 at most.
    pub branches: Vec<PronyBranch>,
}

impl Prony {
    /// G: stress under a strain that was put on `time` seconds ago, by that at once.
    pub fn modulus(&self, time: f64) -> f64 {
        let relaxed = |branch: &PronyBranch| branch.share * (1.0 - (-time / branch.time).exp());
        1.0 - self.branches.iter().map(relaxed).sum::<f64>()
    }

    /// The two Maxwell units side by side that relax as four units in series do.
    pub fn of_four_units(units: &FourUnit) -> Self {
        let (fast, slow) = (1.0 / units.relaxation, 1.0 / units.retardation);
        let drive = slow / units.stiffness;
        let (first, second) = (-(fast + drive), -slow);
        let mean = 0.5 * (first + second);
        let half = 0.5 * (first - second);
        let root = (half * half + drive * slow).sqrt();
        // a(t) of a' = M a from (1, 0): by the two eigenvalues mean ± root of M.
        let slowly = (half + root) / (2.0 * root);
        Self {
            branches: vec![
                PronyBranch {
                    share: 1.0 - slowly,
                    time: -1.0 / (mean - root),
                },
                PronyBranch {
                    share: slowly,
                    time: -1.0 / (mean + root),
                },
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_units_relax_as_two_branches() {
        let units = FourUnit {
            relaxation: 2.0,
            retardation: 0.3,
            stiffness: 1.7,
        };
        let series = Prony::of_four_units(&units);
        assert!((series.branches.iter().map(|b| b.share).sum::<f64>() - 1.0).abs() < 1e-15);
        // a' = -(1/τ₁ + 1/(κ τ₂)) a + δ/τ₂, δ' = a/(κ τ₂) - δ/τ₂, by many small steps.
        let (mut a, mut delta, steps, end) = (1.0, 0.0, 200_000, 0.9);
        let h = end / f64::from(steps);
        for _ in 0..steps {
            let exchange = a / (1.7 * 0.3) - delta / 0.3;
            (a, delta) = (a - h * (a / 2.0 + exchange), delta + h * exchange);
        }
        assert!((series.modulus(end) - a).abs() < 1e-5);
        assert!(series.modulus(1e9).abs() < 1e-15);
    }
}
