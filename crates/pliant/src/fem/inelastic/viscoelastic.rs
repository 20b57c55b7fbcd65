//! Viscoelasticity of tetrahedra: every Maxwell unit is a layer of elements with a rest shape of
//! its own.
//!
//! ```text
//! E = (1 - Σ p_i) V Ψ(F) + Σ_i p_i V Ψ(F F_i⁻¹),     F F_i⁻¹ = U diag(s) Vᵀ,   e_i = s - 1
//! e_i⁺ = exp(-z) e_i + β Δε,      z = dt/τ_i,   β = (1 - exp(-z))/z
//! ```
//!
//! p_i share, τ_i time (s) and F_i viscous deformation of unit i. The second line is exact for a
//! strain that changes at a constant rate over the step. It equals β times the elastic strain
//! κ e_i + Δε with κ = z/(exp(z) - 1), so that within a step the layer is elastic with the
//! stiffness β p_i and a rest shape in which it is strained by κ e_i at the beginning: the step is
//! implicit and may be longer than the times of relaxation. Relaxing multiplies strains by numbers
//! below 1, so the stored energy falls; a law says what its strain is (`Strain::relaxing`), since linear
//! strain is not that of the stretches. Elements that are crushed or inside out wait until they are
//! not.
//!
//! All of the stress relaxes, that of volume too: Poisson's ratio stays as it is.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.1.

use super::elements::MATRIX;
use crate::fem::strain::Strain;
use crate::process::{ProcessKind, Prony, Scheduled};
use glam::DMat3;
use std::ops::Range;

/// A unit that relaxes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    /// p.
    pub(super) share: f64,
    /// τ at each node or once, in seconds.
    pub(super) times: Vec<f64>,
    /// Which process of the body it belongs to.
    pub(super) process: usize,
    /// Which unit of the process it is.
    pub(super) unit: usize,
}

impl Branch {
    /// Where F_i⁻¹ of its elements stands among the numbers that its process remembers.
    pub(super) fn place(&self, element_count: usize) -> Range<usize> {
        let length = MATRIX * element_count;
        self.unit * length..(self.unit + 1) * length
    }
}

/// All units of the processes of a body.
pub(super) fn branches_of(processes: &[Scheduled]) -> Vec<Branch> {
    let mut branches = Vec::new();
    for (process, scheduled) in processes.iter().enumerate() {
        let mut add = |series: &Prony| {
            let units = series.branches.iter().enumerate();
            branches.extend(units.map(|(unit, branch)| Branch {
                share: branch.share,
                times: vec![branch.time],
                process,
                unit,
            }));
        };
        match &scheduled.kind {
            ProcessKind::Prony(series) => add(series),
            ProcessKind::FourUnit(units) => add(&Prony::of_four_units(units)),
            ProcessKind::Maxwell(maxwell) => branches.push(Branch {
                share: 1.0,
                times: maxwell.times.clone(),
                process,
                unit: 0,
            }),
            _ => {}
        }
    }
    branches
}

/// β of a step that lasts `z` times of relaxation: the mean of exp(-t/τ) over it.
pub(super) fn mean_decay(z: f64) -> f64 {
    if z > 0.0 { -(-z).exp_m1() / z } else { 1.0 }
}

/// κ = exp(-z)/β.
pub(super) fn kept_by_mean(z: f64) -> f64 {
    if z > 0.0 { z / z.exp_m1() } else { 1.0 }
}

/// F_i⁻¹ after the elastic strain of a deformation F F_i⁻¹ has been multiplied by a factor between
/// 0 and 1.
pub(super) fn relax(law: &dyn Strain, inverse: DMat3, deformation: DMat3, factor: f64) -> DMat3 {
    if factor == 1.0 {
        return inverse;
    }
    let relaxing = law.relaxing(deformation, factor);
    relaxing.map_or(inverse, |relaxing| inverse * relaxing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fem::strain::{Corotated, Lame, Linear};
    use crate::math::SignedSvd;
    use glam::DVec3;

    /// Else what relaxes would gain energy: linear strain takes turning for strain, which stretches do not see.
    #[test]
    fn relaxing_leaves_a_factor_of_linear_strain() {
        let turned = DMat3::from_rotation_z(0.6) * DMat3::from_diagonal(DVec3::new(1.1, 0.9, 1.0));
        let material = Lame {
            lambda: 2.0,
            mu: 1.0,
        };
        let energy = |matrix: DMat3| Linear.energy(matrix, material);
        for factor in [0.0, 0.3, 0.9] {
            let inverse = relax(&Linear, DMat3::IDENTITY, turned, factor);
            let exact = factor * factor * energy(turned);
            let found = energy(turned * inverse);
            assert!(
                (found - exact).abs() < 1e-13,
                "{factor}: {found} for {exact}"
            );
        }
    }

    #[test]
    fn relaxing_leaves_a_factor_of_the_strain_in_any_frame() {
        let deformation = DMat3::from_cols(
            DVec3::new(1.2, 0.3, 0.1),
            DVec3::new(-0.4, 0.9, 0.2),
            DVec3::new(0.0, -0.1, 1.1),
        );
        let before = SignedSvd::new(deformation).values - DVec3::ONE;
        for factor in [0.0, 0.3, 1.0] {
            let inverse = relax(&Corotated, DMat3::IDENTITY, deformation, factor);
            let after = SignedSvd::new(deformation * inverse).values - DVec3::ONE;
            assert!((after - factor * before).length() < 1e-14);
        }
    }

    /// Else a crushed element would be shrunk again and again, and its energy would grow without end.
    #[test]
    fn what_is_crushed_or_inside_out_does_not_relax() {
        for stretch in [0.01, 0.0, -0.3] {
            let crushed = DMat3::from_diagonal(DVec3::new(1.3, 0.9, stretch));
            assert_eq!(
                relax(&Corotated, DMat3::IDENTITY, crushed, 0.5),
                DMat3::IDENTITY
            );
        }
    }

    #[test]
    fn factors_of_short_and_endless_steps() {
        for z in [1e-12_f64, 0.1, 3.0, 50.0] {
            let product = mean_decay(z) * kept_by_mean(z);
            assert!((product / (-z).exp() - 1.0).abs() < 1e-12, "{z}");
        }
        assert_eq!((mean_decay(0.0), kept_by_mean(0.0)), (1.0, 1.0));
        assert_eq!((mean_decay(1e9), kept_by_mean(1e9)), (1e-9, 0.0));
    }
}
