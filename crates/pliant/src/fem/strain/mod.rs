//! How a solid answers to a deformation gradient F: its energy, stress and stiffness. One file a
//! strain.
//!
//! Every one of them is isotropic, so its second derivative is sparse in the frames U, V of the
//! singular values of F = U diag(s) Vᵀ. With dF̂ = Uᵀ dF V,
//!
//! ```text
//! dP̂_ii = Σ_j A_ij dF̂_jj,     dP̂_ij = B_ij dF̂_ij + C_ij dF̂_ji   (i ≠ j)
//! B = (flip + twist) / 2,   C = (flip - twist) / 2
//! flip_ij = (Ψ_i - Ψ_j) / (s_i - s_j),   twist_ij = (Ψ_i + Ψ_j) / (s_i + s_j)
//! ```
//!
//! where Ψ_i = ∂Ψ/∂s_i and A_ij = ∂²Ψ/∂s_i∂s_j. A, flip and twist have the eigenvalues of the whole,
//! so clamping them leaves the positive part.

mod corotated;
mod green;
mod linear;
mod neo_hookean;
mod split_neo_hookean;

pub use corotated::Corotated;
pub use green::Green;
pub use linear::Linear;
pub use neo_hookean::NeoHookean;
pub use split_neo_hookean::SplitNeoHookean;

use crate::energy::Curvature;
use crate::math::{SignedSvd, outer, positive_part};
use glam::{DMat3, DVec3};

/// The constants of an isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ, in pascals.
    pub lambda: f64,
    /// µ, the shear modulus, in pascals.
    pub mu: f64,
}

/// The second derivative of the energy density in the frames of F; see the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linearisation {
    /// U.
    pub left: DMat3,
    /// V.
    pub right: DMat3,
    /// A, symmetric.
    pub stretch: DMat3,
    /// B for the pairs (1, 2), (2, 0), (0, 1).
    pub same: DVec3,
    /// B for the pairs (2, 1), (0, 2), (1, 0): that of the others but for damping.
    pub opposite: DVec3,
    /// C for the same pairs.
    pub mirrored: DVec3,
}

impl Linearisation {
    /// What resists the rate of Green's strain, Ė = ½ (Fᵀ Ḟ + Ḟᵀ F), with the constants of the material:
    /// viscosity that brakes no turning, however a body is stretched.
    ///
    /// ```text
    /// A_ij = λ s_i s_j + 2 µ s_i² δ_ij,     B_ij = µ s_i²,     C_ij = µ s_i s_j
    /// ```
    fn of_rate(gradient: DMat3, material: Lame) -> Self {
        let Lame { lambda, mu } = material;
        let SignedSvd {
            left,
            right,
            values: s,
        } = SignedSvd::new(gradient);
        let (i, j) = (DVec3::new(s.y, s.z, s.x), DVec3::new(s.z, s.x, s.y));
        Self {
            left,
            right,
            stretch: outer(s, s) * lambda + DMat3::from_diagonal(2.0 * mu * s * s),
            same: mu * i * i,
            opposite: mu * j * j,
            mirrored: mu * i * j,
        }
    }

    /// From the principal derivatives, with or without their negative part.
    fn of_principal(
        left: DMat3,
        right: DMat3,
        stretch: DMat3,
        flip: DVec3,
        twist: DVec3,
        curvature: Curvature,
    ) -> Self {
        let (stretch, flip, twist) = match curvature {
            Curvature::Full => (stretch, flip, twist),
            Curvature::Positive | Curvature::Material => (
                positive_part(stretch),
                flip.max(DVec3::ZERO),
                twist.max(DVec3::ZERO),
            ),
        };
        Self {
            left,
            right,
            stretch,
            same: 0.5 * (flip + twist),
            opposite: 0.5 * (flip + twist),
            mirrored: 0.5 * (flip - twist),
        }
    }

    /// The block that couples two nodes with shape gradients `a` and `b` (rows of the derivative of
    /// F), for a unit volume: dP b = block dx if dF = dx ⊗ a … summed over directions.
    #[inline]
    pub fn block(&self, a: DVec3, b: DVec3) -> DMat3 {
        let (a, b) = (self.right.transpose() * a, self.right.transpose() * b);
        self.block_in_frame(a, b)
    }

    /// The same for gradients that are in the frame V already.
    #[inline]
    pub fn block_in_frame(&self, a: DVec3, b: DVec3) -> DMat3 {
        let (s, mirrored) = (&self.stretch, self.mirrored);
        let (same, opposite) = (self.same, self.opposite);
        let products = a * b;
        let entry = |i: usize, j: usize, pair: usize| {
            s.col(j)[i] * a[i] * b[j] + mirrored[pair] * a[j] * b[i]
        };
        let x = DVec3::new(
            s.x_axis.x * products.x + same.z * products.y + opposite.y * products.z,
            entry(1, 0, 2),
            entry(2, 0, 1),
        );
        let y = DVec3::new(
            entry(0, 1, 2),
            s.y_axis.y * products.y + opposite.z * products.x + same.x * products.z,
            entry(2, 1, 0),
        );
        let z = DVec3::new(
            entry(0, 2, 1),
            entry(1, 2, 0),
            s.z_axis.z * products.z + same.y * products.x + opposite.x * products.y,
        );
        self.left * DMat3::from_cols(x, y, z) * self.left.transpose()
    }
}

/// Laws that are written for eight elements at a time as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneLaw {
    /// That of [`Linear`].
    Linear,
    /// That of [`Corotated`].
    Corotated,
    /// That of [`Green`].
    Green,
}

/// An energy density Ψ(F).
pub trait Strain: Send + Sync + std::fmt::Debug {
    /// Ψ, in joules per cubic metre.
    fn energy(&self, gradient: DMat3, material: Lame) -> f64;

    /// P = ∂Ψ/∂F, in pascals.
    fn stress(&self, gradient: DMat3, material: Lame) -> DMat3;

    /// The same law for eight elements at a time, where there is one.
    fn lane_law(&self) -> Option<LaneLaw> {
        None
    }

    /// ∂P/∂F.
    fn linearise(&self, gradient: DMat3, material: Lame, curvature: Curvature) -> Linearisation;

    /// X for which F X has a factor between 0 and 1 of the strain of F, so that its energy is not larger;
    /// nothing where F is crushed or inside out. As it is here, the strain is that of the stretches.
    fn relaxing(&self, gradient: DMat3, factor: f64) -> Option<DMat3> {
        let svd = SignedSvd::new(gradient);
        if svd.values.is_nan() || svd.values.min_element() < FLAT {
            return None;
        }
        let left = DVec3::ONE + factor * (svd.values - DVec3::ONE);
        let stretches = DMat3::from_diagonal(left / svd.values);
        Some(svd.right * stretches * svd.right.transpose())
    }
}

/// An element with a stretch below this one does not relax: it is crushed or inside out, and a strain
/// less than 1 has no factor that brings it towards rest.
pub(super) const FLAT: f64 = 0.05;

#[cfg(test)]
mod tests;
