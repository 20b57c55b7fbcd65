//! A membrane with Green's strain: the material of Saint Venant and Kirchhoff in plane stress.
//!
//! ```text
//! E = ½ (FᵀF - I),   W = μ |E|² + ½ λ (tr E)²,   S = 2 μ E + λ tr(E) I,   ∂W/∂f_i = Σ_l S_il f_l
//! ∂²W/∂f_i ∂f_j = S_ij I + μ (δ_ij Σ_l f_l f_lᵀ + f_j f_iᵀ) + λ f_i f_jᵀ
//! ```
//!
//! f₁ and f₂ are the columns of F, W an energy by area. All but the first term of the second
//! derivative are squares; the positive part takes that of S in the first.

use super::membrane::positive_part;
use crate::energy::Curvature;
use crate::math::outer;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// The constants of Lamé in plane stress times thickness, in newtons per metre.
#[derive(Clone, Copy, Debug)]
pub(super) struct GreenMembrane {
    pub(super) lambda: f64,
    pub(super) mu: f64,
}

fn strain(f: [DVec3; 2]) -> DMat2 {
    let mixed = 0.5 * f[0].dot(f[1]);
    DMat2::from_cols(
        DVec2::new(0.5 * (f[0].length_squared() - 1.0), mixed),
        DVec2::new(mixed, 0.5 * (f[1].length_squared() - 1.0)),
    )
}

impl GreenMembrane {
    /// S.
    #[inline]
    fn second_stress(&self, f: [DVec3; 2]) -> DMat2 {
        let e = strain(f);
        let pressure = self.lambda * (e.x_axis.x + e.y_axis.y);
        e * (2.0 * self.mu) + DMat2::from_diagonal(DVec2::splat(pressure))
    }

    /// W.
    #[inline]
    pub(super) fn density(&self, f: [DVec3; 2]) -> f64 {
        let e = strain(f);
        let trace = e.x_axis.x + e.y_axis.y;
        let squares = e.x_axis.length_squared() + e.y_axis.length_squared();
        self.mu * squares + 0.5 * self.lambda * trace * trace
    }

    /// ∂W/∂f.
    #[inline]
    pub(super) fn stress(&self, f: [DVec3; 2]) -> [DVec3; 2] {
        let s = self.second_stress(f);
        [s.x_axis, s.y_axis].map(|s| s.x * f[0] + s.y * f[1])
    }

    /// The second derivative: blocks 11, 12 and 22.
    #[inline]
    pub(super) fn column_hessian(&self, f: [DVec3; 2], curvature: Curvature) -> [DMat3; 3] {
        let (lambda, mu) = (self.lambda, self.mu);
        let mut s = self.second_stress(f);
        match curvature {
            Curvature::Full => {}
            Curvature::Positive => s = positive_part(s),
            Curvature::Material => s = DMat2::ZERO,
        }
        let scaled = |value: f64| DMat3::from_diagonal(DVec3::splat(value));
        let (f11, f22) = (outer(f[0], f[0]), outer(f[1], f[1]));
        let both = mu * (f11 + f22);
        [
            scaled(s.x_axis.x) + both + (mu + lambda) * f11,
            scaled(s.y_axis.x) + mu * outer(f[1], f[0]) + lambda * outer(f[0], f[1]),
            scaled(s.y_axis.y) + both + (mu + lambda) * f22,
        ]
    }
}
