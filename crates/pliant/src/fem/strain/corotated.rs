//! Small strain in a frame that turns with the element.
//!
//! ```text
//! F = R S,   Ψ = µ |F - R|² + ½ λ (tr S - 3)²,   P = 2µ (F - R) + λ (tr S - 3) R
//! ```
//!
//! P is the exact derivative: R moves at a right angle to F - R and to itself. In stretches,
//! flip_ij = 2µ and twist_ij = 2µ + (2λ (Σ s - 3) - 4µ) / (s_i + s_j). With R held instead, the
//! stiffness is R K Rᵀ, the constant one in the turned frame. Flat and inverted elements take R from
//! the signed singular values.
//!
//! Implements: the corotated linear elements that \[Mueller2002\] eq. 9 leads to, with one
//! rotation per element instead of one per vertex, so that forces sum to zero.

use super::linear::{at_rest, squared, trace};
use super::{Lame, LaneLaw, Linearisation, Strain};
use crate::energy::Curvature;
use crate::math::{SignedSvd, nearest_rotation};
use glam::{DMat3, DVec3};

/// Small strain in a turned frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Corotated;

impl Strain for Corotated {
    fn energy(&self, gradient: DMat3, material: Lame) -> f64 {
        let rotation = nearest_rotation(gradient);
        let excess = trace(rotation.transpose() * gradient) - 3.0;
        material.mu * squared(gradient - rotation) + 0.5 * material.lambda * excess * excess
    }

    fn stress(&self, gradient: DMat3, material: Lame) -> DMat3 {
        let rotation = nearest_rotation(gradient);
        let excess = trace(rotation.transpose() * gradient) - 3.0;
        (gradient - rotation) * (2.0 * material.mu) + rotation * (material.lambda * excess)
    }

    fn lane_law(&self) -> Option<LaneLaw> {
        Some(LaneLaw::Corotated)
    }

    fn linearise(&self, gradient: DMat3, material: Lame, curvature: Curvature) -> Linearisation {
        if curvature == Curvature::Material {
            return Linearisation::of_rate(gradient, material);
        }
        let Lame { lambda, mu } = material;
        let svd = SignedSvd::new(gradient);
        let s = svd.values;
        let excess = s.x + s.y + s.z - 3.0;
        // Zero where an element is flat in two directions: its rotation is free there.
        let sums = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y).max(DVec3::splat(1e-9));
        let twist = 2.0 * mu + (2.0 * lambda * excess - 4.0 * mu) / sums;
        let rest = at_rest(svd.left, svd.right, material);
        let flip = DVec3::splat(2.0 * mu);
        Linearisation::of_principal(svd.left, svd.right, rest.stretch, flip, twist, curvature)
    }
}
