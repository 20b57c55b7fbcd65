//! Plasticity of tetrahedra: von Mises' criterion, radial return, isotropic hardening.
//!
//! ```text
//! F = F_e F_p,      det F_p = 1,      F_e = U diag(s) Vᵀ,      ε = ln s
//! q = √(3/2) |dev τ|,   τ_i = s_i ∂Ψ/∂s_i                      Kirchhoff's principal stresses
//! q <= y + H E α                                               elastic
//! dev ε <- (1 - θ) dev ε,   α <- α + √(2/3) θ |dev ε|           else, so that q = y + H E α
//! F_p⁻¹ <- F_p⁻¹ V diag(exp(-θ dev ε)) Vᵀ
//! ```
//!
//! | symbol | what | unit |
//! |---|---|---|
//! | y | yield stress in tension | Pa |
//! | H | hardening modulus by Young's modulus E | 1 |
//! | α | accumulated plastic strain | 1 |
//! | θ | share of the deviatoric strain that becomes permanent | 1 |
//!
//! A bar in tension yields at y and goes on with the slope E H/(1 + H), as the three units of the
//! grid do (`crate::inelastic`, Fig. 6). q is that of the element's own law, so θ is the root of a
//! falling function of one variable; for the small strains of metals it is the classical
//! Δα = (q - y - H E α) / (3µ + H E). A viscoplastic time lets only 1 - exp(-dt/time) of it flow.
//!
//! A yield on deformation compares |dev ε| with its limit, which is the same with y = √6 µ limit.
//! Elements that are inside out do not flow: they have no logarithmic strain.
//!
//! Departures: hardening is isotropic here, where on grids a second spring beside the slip unit
//! makes it kinematic; it is explicit, after each step, so a step must be short against the time
//! in which a load rises.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.2.

use super::elements::in_frame;
use crate::fem::strain::{Lame, Strain};
use crate::math::SignedSvd;
use crate::process::{Plastic, YieldCriterion};
use glam::{DMat3, DVec3};

/// Stretches count as at least this much, so that the strain of a crushed element is finite.
const FLAT: f64 = 0.05;

/// Less than this share of the strain does not flow.
const SMALLEST_SHARE: f64 = 1e-3;

/// What an element has flowed so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flow {
    /// F_p⁻¹.
    pub(super) inverse: DMat3,
    /// α.
    pub(super) strain: f64,
}

/// How an element yields.
#[derive(Clone, Copy, Debug)]
pub(super) struct YieldLimit<'a> {
    pub(super) law: &'a dyn Strain,
    pub(super) material: Lame,
    /// What is left of the stiffness.
    pub(super) share: f64,
    /// y, in pascals.
    pub(super) stress: f64,
    /// H E, in pascals.
    pub(super) hardening: f64,
}

impl<'a> YieldLimit<'a> {
    pub(super) fn new(
        plastic: &Plastic,
        law: &'a dyn Strain,
        material: Lame,
        young: f64,
        share: f64,
    ) -> Self {
        Self {
            law,
            material,
            share,
            stress: match plastic.criterion {
                YieldCriterion::Deformation => 6.0_f64.sqrt() * material.mu * share * plastic.limit,
                YieldCriterion::VonMises | YieldCriterion::Tresca => plastic.limit,
            },
            hardening: plastic.hardening * young * share,
        }
    }

    /// q of principal stretches, in pascals.
    fn equivalent(&self, stretches: DVec3) -> f64 {
        let stress = self
            .law
            .stress(DMat3::from_diagonal(stretches), self.material);
        let principal = DVec3::new(stress.x_axis.x, stress.y_axis.y, stress.z_axis.z);
        let kirchhoff = self.share * stretches * principal;
        let deviator = kirchhoff - DVec3::splat(kirchhoff.element_sum() / 3.0);
        1.5_f64.sqrt() * deviator.length()
    }

    /// Lets `portion` of what is beyond the limit flow; nothing where the element is elastic.
    pub(super) fn flow(&self, deformation: DMat3, before: Flow, portion: f64) -> Option<Flow> {
        let svd = SignedSvd::new(deformation * before.inverse);
        if svd.values.z.is_nan() || svd.values.z <= 0.0 {
            return None;
        }
        let stretches = svd.values.max(DVec3::splat(FLAT));
        let logarithms = DVec3::from_array(stretches.to_array().map(f64::ln));
        let mean = DVec3::splat(logarithms.element_sum() / 3.0);
        let deviator = logarithms - mean;
        let rate = (2.0_f64 / 3.0).sqrt() * deviator.length();
        let excess = |theta: f64| {
            let stretches = (mean + (1.0 - theta) * deviator).exp();
            let limit = self.stress + self.hardening * (before.strain + theta * rate);
            self.equivalent(stretches) - limit
        };
        let first = excess(0.0);
        if first.is_nan() || first <= 0.0 {
            return None;
        }
        // Far from rest a flow that keeps the volume may cost energy, since the laws are not made of
        // logarithms: then less of it flows, or nothing.
        let energy = |theta: f64| {
            let stretches = svd.values * (-theta * deviator).exp();
            self.law
                .energy(DMat3::from_diagonal(stretches), self.material)
        };
        let mut theta = portion * root(excess, first);
        while energy(theta) > energy(0.0) {
            theta *= 0.5;
            if theta < SMALLEST_SHARE {
                return None;
            }
        }
        let inverse = before.inverse * in_frame(svd.right, (-theta * deviator).exp());
        Some(Flow {
            // The product of many flows keeps the volume to rounding.
            inverse: inverse * inverse.determinant().cbrt().recip(),
            strain: before.strain + theta * rate,
        })
    }
}

/// The root between 0 and 1 of a function that is positive at 0 and not positive at 1, by the
/// secant that halves the side which stays (Illinois).
fn root(function: impl Fn(f64) -> f64, first: f64) -> f64 {
    let (mut low, mut at_low) = (0.0, first);
    let (mut high, mut at_high) = (1.0, function(1.0));
    let mut side = 0;
    for _ in 0..60 {
        let middle = (low * at_high - high * at_low) / (at_high - at_low);
        let value = function(middle);
        if value.abs() <= 1e-14 * first {
            return middle;
        }
        if value > 0.0 {
            (low, at_low) = (middle, value);
            at_high *= if side == 1 { 0.5 } else { 1.0 };
            side = 1;
        } else {
            (high, at_high) = (middle, value);
            at_low *= if side == -1 { 0.5 } else { 1.0 };
            side = -1;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fem::strain::{Corotated, Green, NeoHookean};
    use glam::DQuat;

    const STEEL: Lame = Lame {
        lambda: 1.15,
        mu: 0.77,
    };

    const START: Flow = Flow {
        inverse: DMat3::IDENTITY,
        strain: 0.0,
    };

    fn limit(law: &dyn Strain, stress: f64, hardening: f64) -> YieldLimit<'_> {
        YieldLimit {
            law,
            material: STEEL,
            share: 1.0,
            stress,
            hardening,
        }
    }

    #[test]
    fn after_the_return_the_stress_is_on_the_hardened_limit() {
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.4, -1.1, 0.8)));
        let strained = DMat3::from_cols(
            DVec3::new(1.3, 0.1, -0.2),
            DVec3::new(0.05, 0.8, 0.15),
            DVec3::new(-0.1, 0.2, 1.1),
        );
        let laws: [&dyn Strain; 3] = [&Corotated, &Green, &NeoHookean];
        for law in laws {
            let yields = limit(law, 0.1, 0.3);
            let flow = yields.flow(turn * strained, START, 1.0).unwrap();
            let stretches = SignedSvd::new(turn * strained * flow.inverse).values;
            let expected = 0.1 + 0.3 * flow.strain;
            let found = yields.equivalent(stretches);
            assert!((found / expected - 1.0).abs() < 1e-12, "{law:?}: {found}");
            assert!((flow.inverse.determinant() - 1.0).abs() < 1e-14);
            // What has returned does not flow again, and a turn does not matter.
            let again = yields.flow(turn * strained, flow, 1.0);
            assert!(again.is_none_or(|again| (again.strain - flow.strain).abs() < 1e-14));
            let unturned = yields.flow(strained, START, 1.0).unwrap();
            assert!((unturned.strain - flow.strain).abs() < 1e-14);
        }
    }

    #[test]
    fn pressure_never_flows_and_neither_does_what_is_below_the_limit_or_inside_out() {
        let yields = limit(&Corotated, 0.01, 0.0);
        let squeezed = DMat3::from_diagonal(DVec3::splat(0.7));
        assert_eq!(yields.flow(squeezed, START, 1.0), None);
        let inside_out = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -0.5));
        assert_eq!(yields.flow(inside_out, START, 1.0), None);
        // In shear, q = √3 µ γ for small γ.
        let shear = |g: f64| DMat3::from_cols(DVec3::X, DVec3::new(g, 1.0, 0.0), DVec3::Z);
        let gamma = 0.01 / (3.0_f64.sqrt() * STEEL.mu);
        assert_eq!(yields.flow(shear(0.999 * gamma), START, 1.0), None);
        assert!(yields.flow(shear(1.001 * gamma), START, 1.0).is_some());
    }

    #[test]
    fn flow_never_costs_energy_however_crushed_an_element_is() {
        let mut random = 1.0_f64;
        let mut number = || {
            random = (random * 16807.0) % 2_147_483_647.0;
            random / 2_147_483_647.0
        };
        let laws: [&dyn Strain; 3] = [&Corotated, &Green, &NeoHookean];
        let mut flowed = 0;
        for _ in 0..300 {
            let stretches = DVec3::new(1.5 * number(), 2.0 * number(), 0.3 * number());
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(
                number(),
                number(),
                number(),
            )));
            let deformation = turn * DMat3::from_diagonal(stretches) * turn.transpose();
            for law in laws {
                let energy = |inverse: DMat3| law.energy(deformation * inverse, STEEL);
                if let Some(flow) = limit(law, 1e-3, 0.1).flow(deformation, START, 1.0) {
                    flowed += 1;
                    let (before, after) = (energy(DMat3::IDENTITY), energy(flow.inverse));
                    assert!(after <= before * (1.0 + 1e-9), "{law:?} {stretches}");
                }
            }
        }
        assert!(flowed > 100, "{flowed}");
    }

    #[test]
    fn small_strains_follow_the_classical_return() {
        let yields = limit(&Corotated, 1e-7, 0.4);
        let shear = DMat3::from_cols(DVec3::X, DVec3::new(1e-6, 1.0, 0.0), DVec3::Z);
        let q = 3.0_f64.sqrt() * STEEL.mu * 1e-6;
        let expected = (q - 1e-7) / (3.0 * STEEL.mu + 0.4);
        let flow = yields.flow(shear, START, 1.0).unwrap();
        assert!((flow.strain / expected - 1.0).abs() < 1e-5);
        let half = yields.flow(shear, START, 0.5).unwrap();
        assert!((half.strain / flow.strain - 0.5).abs() < 1e-9);
    }
}
