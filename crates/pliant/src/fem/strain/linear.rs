//! Small strain: right for small deformations, and only for those.
//!
//! ```text
//! ε = ½ (F + Fᵀ) - I,   Ψ = µ ε:ε + ½ λ (tr ε)²,   P = 2µ ε + λ tr ε I
//! ```
//!
//! A turned body is strained by it: it swells. Implements: \[Mueller2002\] eq. 6 (linear
//! elasticity).

use super::{FLAT, Lame, LaneLaw, Linearisation, Strain};
use crate::energy::Curvature;
use crate::math::SignedSvd;
use glam::{DMat3, DVec3};

/// Small strain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

fn small_strain(gradient: DMat3) -> DMat3 {
    0.5 * (gradient + gradient.transpose()) - DMat3::IDENTITY
}

pub(super) fn trace(matrix: DMat3) -> f64 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}

pub(super) fn squared(matrix: DMat3) -> f64 {
    matrix.x_axis.length_squared() + matrix.y_axis.length_squared() + matrix.z_axis.length_squared()
}

/// The stiffness at rest in the frames `left` and `right`.
pub(super) fn at_rest(left: DMat3, right: DMat3, material: Lame) -> Linearisation {
    let Lame { lambda, mu } = material;
    let row = DVec3::splat(lambda);
    Linearisation {
        left,
        right,
        stretch: DMat3::from_cols(row, row, row) + DMat3::from_diagonal(DVec3::splat(2.0 * mu)),
        same: DVec3::splat(mu),
        opposite: DVec3::splat(mu),
        mirrored: DVec3::splat(mu),
    }
}

impl Strain for Linear {
    fn energy(&self, gradient: DMat3, material: Lame) -> f64 {
        let strain = small_strain(gradient);
        material.mu * squared(strain) + 0.5 * material.lambda * trace(strain).powi(2)
    }

    fn stress(&self, gradient: DMat3, material: Lame) -> DMat3 {
        let strain = small_strain(gradient);
        strain * (2.0 * material.mu)
            + DMat3::from_diagonal(DVec3::splat(material.lambda * trace(strain)))
    }

    fn lane_law(&self) -> Option<LaneLaw> {
        Some(LaneLaw::Linear)
    }

    /// It takes turning for strain, so that this is what relaxes: F X = F - (1 - f) ε.
    fn relaxing(&self, gradient: DMat3, factor: f64) -> Option<DMat3> {
        let left = gradient - small_strain(gradient) * (1.0 - factor);
        let is_flat = |matrix: DMat3| {
            let values = SignedSvd::new(matrix).values;
            values.is_nan() || values.min_element() < FLAT
        };
        (!is_flat(gradient) && !is_flat(left)).then(|| gradient.inverse() * left)
    }

    fn linearise(&self, _gradient: DMat3, material: Lame, _: Curvature) -> Linearisation {
        at_rest(DMat3::IDENTITY, DMat3::IDENTITY, material)
    }
}
