//! Green's strain with a linear law: the Saint Venant-Kirchhoff material.
//!
//! ```text
//! E = ½ (FᵀF - I),   Ψ = µ E:E + ½ λ (tr E)²,   P = F (2µ E + λ tr E I)
//! ```
//!
//! In stretches, with e_i = (s_i² - 1) / 2 and T = Σ e_i:
//! Ψ_i = s_i (2µ e_i + λ T), flip_ij = λ T + µ (s_i² + s_i s_j + s_j² - 1),
//! twist_ij = λ T + µ (s_i² - s_i s_j + s_j² - 1). It softens when pressed below 1/√3 of its length and
//! does not mind being turned inside out.
//!
//! Implements: \[Mueller2002\] eq. 5 (Green's strain), the non-linear case of its Fig. 6 and 7.

use super::linear::{squared, trace};
use super::{Lame, LaneLaw, Linearisation, Strain};
use crate::energy::Curvature;
use crate::math::{SignedSvd, outer};
use glam::{DMat3, DVec3};

/// Green's strain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Green;

fn green_strain(gradient: DMat3) -> DMat3 {
    0.5 * (gradient.transpose() * gradient - DMat3::IDENTITY)
}

impl Strain for Green {
    fn energy(&self, gradient: DMat3, material: Lame) -> f64 {
        let strain = green_strain(gradient);
        material.mu * squared(strain) + 0.5 * material.lambda * trace(strain).powi(2)
    }

    fn stress(&self, gradient: DMat3, material: Lame) -> DMat3 {
        let strain = green_strain(gradient);
        let inner = strain * (2.0 * material.mu)
            + DMat3::from_diagonal(DVec3::splat(material.lambda * trace(strain)));
        gradient * inner
    }

    fn lane_law(&self) -> Option<LaneLaw> {
        Some(LaneLaw::Green)
    }

    fn linearise(&self, gradient: DMat3, material: Lame, curvature: Curvature) -> Linearisation {
        if curvature == Curvature::Material {
            return Linearisation::of_rate(gradient, material);
        }
        let Lame { lambda, mu } = material;
        let svd = SignedSvd::new(gradient);
        let s = svd.values;
        let e = 0.5 * (s * s - 1.0);
        let pressure = lambda * (e.x + e.y + e.z);
        let diagonal = 2.0 * mu * (e + s * s) + pressure;
        let stretch = outer(s, s) * lambda + DMat3::from_diagonal(diagonal);
        let (i, j) = (DVec3::new(s.y, s.z, s.x), DVec3::new(s.z, s.x, s.y));
        let squares = i * i + j * j - 1.0;
        Linearisation::of_principal(
            svd.left,
            svd.right,
            stretch,
            mu * (squares + i * j) + pressure,
            mu * (squares - i * j) + pressure,
            curvature,
        )
    }
}
