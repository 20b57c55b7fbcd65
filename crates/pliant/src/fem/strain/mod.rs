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

pub use corotated::Corotated;
pub use green::Green;
pub use linear::Linear;
pub use neo_hookean::NeoHookean;

use crate::elastic::Curvature;
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
    /// C for the same pairs.
    pub mirrored: DVec3,
}

impl Linearisation {
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
            Curvature::Positive => (
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
        let (s, same, mirrored) = (&self.stretch, self.same, self.mirrored);
        let products = a * b;
        let entry = |i: usize, j: usize, pair: usize| {
            s.col(j)[i] * a[i] * b[j] + mirrored[pair] * a[j] * b[i]
        };
        let x = DVec3::new(
            s.x_axis.x * products.x + same.z * products.y + same.y * products.z,
            entry(1, 0, 2),
            entry(2, 0, 1),
        );
        let y = DVec3::new(
            entry(0, 1, 2),
            s.y_axis.y * products.y + same.z * products.x + same.x * products.z,
            entry(2, 1, 0),
        );
        let z = DVec3::new(
            entry(0, 2, 1),
            entry(1, 2, 0),
            s.z_axis.z * products.z + same.y * products.x + same.x * products.y,
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
    /// Ψ, in joules a cubic metre.
    fn energy(&self, gradient: DMat3, material: Lame) -> f64;

    /// P = ∂Ψ/∂F, in pascals.
    fn stress(&self, gradient: DMat3, material: Lame) -> DMat3;

    /// The same law for eight elements at a time, where there is one.
    fn lane_law(&self) -> Option<LaneLaw> {
        None
    }

    /// ∂P/∂F.
    fn linearise(&self, gradient: DMat3, material: Lame, curvature: Curvature) -> Linearisation;
}

/// The positive semi-definite part of a symmetric matrix.
pub(crate) fn positive_part(matrix: DMat3) -> DMat3 {
    // Diagonally dominant with a positive diagonal: nothing to clamp.
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let dominant = (0..3).all(|i| {
        let sum: f64 = columns[i].to_array().iter().map(|v| v.abs()).sum();
        2.0 * columns[i][i] >= sum
    });
    if dominant {
        return matrix;
    }
    let (values, vectors) = symmetric_eigen(matrix);
    if values.min_element() >= 0.0 {
        return matrix;
    }
    vectors * DMat3::from_diagonal(values.max(DVec3::ZERO)) * vectors.transpose()
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi rotations.
pub(crate) fn symmetric_eigen(matrix: DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut vectors = DMat3::IDENTITY.to_cols_array_2d();
    let size = a.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    for _ in 0..16 {
        let mut off = 0.0_f64;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            off = off.max(a[p][q].abs());
            if a[p][q].abs() <= 1e-300 {
                continue;
            }
            let zeta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = c * t;
            for row in &mut a {
                let (x, y) = (row[p], row[q]);
                (row[p], row[q]) = (c * x - s * y, s * x + c * y);
            }
            for column in 0..3 {
                let (x, y) = (a[p][column], a[q][column]);
                (a[p][column], a[q][column]) = (c * x - s * y, s * x + c * y);
                let (x, y) = (vectors[p][column], vectors[q][column]);
                (vectors[p][column], vectors[q][column]) = (c * x - s * y, s * x + c * y);
            }
        }
        if off <= 1e-15 * size {
            break;
        }
    }
    (
        DVec3::new(a[0][0], a[1][1], a[2][2]),
        DMat3::from_cols_array_2d(&vectors),
    )
}

#[cfg(test)]
mod tests;
