//! The Neo-Hookean solid of textbooks, which splits change of shape and change of volume.
//!
//! ```text
//! I = |F|²,  J = det F
//! Ψ = ½ µ (J^(-2/3) I - 3) + ¼ κ (J² - 1 - 2 ln J),     κ = λ + 2/3 µ
//! P = a F + p F⁻ᵀ,     a = µ J^(-2/3),   p = ½ κ (J² - 1) - a I / 3
//! ```
//!
//! Implements: \[Miehe1994\], the law that published values of finite elasticity are often given for. Its energy
//! grows without bound as J goes to zero, and there is none beyond: a step that would turn an element inside out
//! is refused, where that of `neo_hookean.rs` is not. Small strains feel λ and µ in both; beyond, it is softer.

use super::linear::squared;
use super::{Lame, Linearisation, Strain};
use crate::energy::Curvature;
use crate::math::{SignedSvd, outer};
use glam::{DMat3, DVec3};

/// A Neo-Hookean solid that splits shape and volume.
#[derive(Clone, Copy, Debug, Default)]
pub struct SplitNeoHookean;

/// κ, a and p.
fn factors(material: Lame, i: f64, j: f64) -> [f64; 3] {
    let bulk = material.lambda + material.mu / 1.5;
    let a = material.mu * j.cbrt().powi(-2);
    [bulk, a, 0.5 * bulk * (j * j - 1.0) - a * i / 3.0]
}

impl Strain for SplitNeoHookean {
    fn energy(&self, gradient: DMat3, material: Lame) -> f64 {
        let (i, j) = (squared(gradient), gradient.determinant());
        if j <= 0.0 {
            return f64::INFINITY;
        }
        let [bulk, a, _] = factors(material, i, j);
        0.5 * (a * i - 3.0 * material.mu) + 0.25 * bulk * (j * j - 1.0 - 2.0 * j.ln())
    }

    fn stress(&self, gradient: DMat3, material: Lame) -> DMat3 {
        let [x, y, z] = [gradient.x_axis, gradient.y_axis, gradient.z_axis];
        let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
        let j = x.dot(cofactors.x_axis);
        let [_, a, p] = factors(material, squared(gradient), j);
        gradient * a + cofactors * (p / j)
    }

    fn linearise(&self, gradient: DMat3, material: Lame, curvature: Curvature) -> Linearisation {
        if curvature == Curvature::Material {
            return Linearisation::of_rate(gradient, material);
        }
        let svd = SignedSvd::new(gradient);
        let s = svd.values;
        let (i, j) = (s.length_squared(), s.x * s.y * s.z);
        let [bulk, a, p] = factors(material, i, j);
        let inverse = s.recip();
        let areas = DVec3::new(s.y * s.z, s.z * s.x, s.x * s.y);
        let mixed = outer(s, inverse) + outer(inverse, s);
        let stretch = DMat3::from_diagonal(DVec3::splat(a) - p * inverse * inverse)
            + outer(inverse, inverse) * (bulk * j * j + a * i / 4.5)
            - mixed * (a / 1.5);
        let pressure = p / areas;
        Linearisation::of_principal(
            svd.left,
            svd.right,
            stretch,
            DVec3::splat(a) - pressure,
            DVec3::splat(a) + pressure,
            curvature,
        )
    }
}
