//! The curvature of a surface: second differences along the unit normal.
//!
//! ```text
//! B_ij = n · x_ij,   n = N c / L,   N = a x b,   L² = |N|² + δ² L0²,   a = x_1,  b = x_2
//! dB   = n · dx_ij + h_a · da + h_b · db,
//!        t = (c x_ij - (B / L) N) / L,  h_a = b x t,  h_b = t x a
//! ```
//!
//! a, b and d = x_ij are sums of node positions with coefficients from a small table of patterns:
//! at a node B_11 and B_22 with central differences (one-sided at a free edge), at a cell B_12
//! with the differences of all four corners.
//!
//! L0 is the rest area of the cell, c = √(1 + δ²), so that n is the unit normal where the area is
//! that of the rest shape. With δ = 0 it is the unit normal everywhere, but then its derivative
//! grows without bound in a cell that is squeezed to a line, and crushed sheets fly apart; with
//! δ = 0.2 a cell stretched to twice its area has 1.015 times the curvature of eq. 5.
//!
//! Implements: \[Terzopoulos1988\] eq. 5, 6 and the curvature part of eq. 9, 25, 33, 34.
//! Departure: the gradient is the true derivative of (B - B⁰)², which points along n. Eq. 26 puts
//! β x_ij in its place; as β carries the sign of B - B⁰ and x_ij the sign of B, their product
//! loses the sign, and a curved rest shape is pushed away from itself.

use super::measure::{Measure, MeasureKind};
use crate::energy::Curvature;
use crate::math::{cross_matrix, outer};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Coefficients by which node positions give the tangents a, b and the second difference d.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalPattern<const N: usize> {
    /// What it measures.
    pub kind: MeasureKind,
    /// a = Σ first_i x_i.
    pub first: [f64; N],
    /// b = Σ second_i x_i.
    pub second: [f64; N],
    /// d = Σ difference_i x_i.
    pub difference: [f64; N],
    /// For each of the four edges (two of a, then two of b), c with |da|² <= Σ c |de|².
    pub edge_shares: [f64; 4],
    /// For each of the four edges, c with |dd|² <= Σ c |de|².
    pub difference_shares: [f64; 4],
    /// `difference` along the other direction.
    pub other_difference: [f64; N],
    /// `difference_shares` along the other direction.
    pub other_shares: [f64; 4],
    /// √2 / spacing over which d differs; weighs dn against dd in the majorant.
    pub balance: f64,
}

/// B_ij = n · d over N nodes, or B_11 + γ B_22.
#[derive(Clone, Debug)]
pub struct NormalCurvature<const N: usize> {
    /// The coefficients, shared by all terms of the same kind.
    pub pattern: Arc<NormalPattern<N>>,
    /// γ: how much of the second difference along the other direction is in d.
    pub coupling: f64,
    /// δ² L0²: see the equation above.
    pub smoothing: f64,
}

/// δ: how far, relative to its rest area, a cell is squeezed when its normal begins to fade.
pub(super) const SMOOTHING: f64 = 0.2;

/// c = √(1 + δ²).
pub(super) fn normalisation() -> f64 {
    (1.0 + SMOOTHING * SMOOTHING).sqrt()
}

/// Share of the bending stiffness beyond 1 that the majorant's constant part carries; the part
/// that comes from turning of the normal then needs the factor 1 + 1/share.
pub(super) const NORMAL_SHARE: f64 = 0.1;

struct Local {
    a: DVec3,
    b: DVec3,
    d: DVec3,
    /// N = a x b.
    area_vector: DVec3,
    /// L = √(|N|² + δ² L0²).
    area: f64,
}

impl<const N: usize> NormalCurvature<N> {
    /// The measure for a cell of given rest positions.
    pub fn new(pattern: Arc<NormalPattern<N>>, coupling: f64, rest: &[DVec3; N]) -> Self {
        let mut measure = Self {
            pattern,
            coupling,
            smoothing: 0.0,
        };
        measure.smoothing = (SMOOTHING * measure.local(rest).area).powi(2);
        measure
    }

    /// d = Σ difference(i) x_i.
    #[inline(always)]
    fn difference(&self, i: usize) -> f64 {
        self.pattern.difference[i] + self.coupling * self.pattern.other_difference[i]
    }

    #[inline(always)]
    fn local(&self, x: &[DVec3; N]) -> Local {
        let pattern = &*self.pattern;
        let (mut a, mut b, mut d) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (i, x) in x.iter().enumerate() {
            a += pattern.first[i] * *x;
            b += pattern.second[i] * *x;
            d += self.difference(i) * *x;
        }
        let area_vector = a.cross(b);
        let area = (area_vector.length_squared() + self.smoothing).sqrt();
        Local {
            a,
            b,
            d: d * normalisation(),
            area_vector,
            area,
        }
    }
}

impl Local {
    /// The value s, n / c, h_a and h_b.
    #[inline(always)]
    fn derivatives(&self) -> (f64, DVec3, DVec3, DVec3) {
        let n = self.area_vector / self.area;
        let s = n.dot(self.d);
        let t = (self.d - s * n) / self.area;
        (s, n, self.b.cross(t), t.cross(self.a))
    }

    /// ∇²s in the blocks of (a, b, d c).
    fn second_derivatives(&self) -> [[DMat3; 3]; 3] {
        let Local {
            a,
            b,
            d,
            area_vector,
            area,
        } = *self;
        // s = q / L with q = N·d, L² = |N|² + const, N = a x b; m = N / L.
        let m = area_vector / area;
        let q = area_vector.dot(d);
        let by_q = [b.cross(d), d.cross(a), area_vector];
        let by_l = [b.cross(m), m.cross(a), DVec3::ZERO];
        let jacobian = [cross_matrix(-b), cross_matrix(a), DMat3::ZERO];
        let turning = DMat3::IDENTITY - outer(m, m);
        let mut of_q = [[DMat3::ZERO; 3]; 3];
        of_q[0][1] = cross_matrix(-d);
        of_q[0][2] = cross_matrix(b);
        of_q[1][2] = cross_matrix(-a);
        let mut of_l = [[DMat3::ZERO; 3]; 3];
        of_l[0][1] = cross_matrix(-m);
        for i in 0..3 {
            for j in 0..i {
                of_q[i][j] = of_q[j][i].transpose();
                of_l[i][j] = of_l[j][i].transpose();
            }
        }
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let of_length =
                    of_l[i][j] + jacobian[i].transpose() * turning * jacobian[j] * (1.0 / area);
                of_q[i][j] * (1.0 / area)
                    - (outer(by_q[i], by_l[j]) + outer(by_l[i], by_q[j])) * (1.0 / (area * area))
                    - of_length * (q / (area * area))
                    + outer(by_l[i], by_l[j]) * (2.0 * q / (area * area * area))
            })
        })
    }
}

impl<const N: usize> Measure<N, 4> for NormalCurvature<N> {
    fn kind(&self) -> MeasureKind {
        self.pattern.kind
    }

    #[inline]
    fn gradient(&self, x: &[DVec3; N]) -> (f64, [DVec3; N]) {
        let local = self.local(x);
        let (s, n, by_a, by_b) = local.derivatives();
        let normal = n * normalisation();
        let pattern = &*self.pattern;
        let mut gradient = [DVec3::ZERO; N];
        for (i, by_node) in gradient.iter_mut().enumerate() {
            *by_node =
                pattern.first[i] * by_a + pattern.second[i] * by_b + self.difference(i) * normal;
        }
        (s, gradient)
    }

    #[inline]
    fn value(&self, x: &[DVec3; N]) -> f64 {
        let local = self.local(x);
        (local.area_vector / local.area).dot(local.d)
    }

    fn second_derivative(
        &self,
        x: &[DVec3; N],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; N]; N] {
        if curvature != Curvature::Full {
            return [[DMat3::ZERO; N]; N];
        }
        let blocks = self.local(x).second_derivatives();
        let pattern = &*self.pattern;
        let difference = std::array::from_fn(|i| self.difference(i) * normalisation());
        let coefficients = [&pattern.first, &pattern.second, &difference];
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let mut sum = DMat3::ZERO;
                for (p, row) in blocks.iter().enumerate() {
                    for (q, block) in row.iter().enumerate() {
                        sum += *block * (residual * coefficients[p][i] * coefficients[q][j]);
                    }
                }
                sum
            })
        })
    }

    #[inline]
    fn majorant(&self, x: &[DVec3; N], residual: f64) -> [f64; 4] {
        let local = self.local(x);
        let (_, _, by_a, by_b) = local.derivatives();
        let factor = 2.0 * (1.0 + 1.0 / NORMAL_SHARE);
        let mut of_a = factor * by_a.length_squared();
        let mut of_b = factor * by_b.length_squared();
        // r ∇²s: |d²s| <= (2/L) P |dd| + |d| (2 |da||db| / L + 3 P² / L²) with
        // P = |b||da| + |a||db|. Products of lengths are split into squares; ρ balances the first.
        let r = residual.abs();
        let (a, b, area) = (local.a.length(), local.b.length(), local.area);
        let pattern = &*self.pattern;
        let rho = pattern.balance / a.max(b).max(f64::MIN_POSITIVE);
        let of_product = r * (2.0 * rho / area + 6.0 * local.d.length() / (area * area));
        of_a += of_product * b * b;
        of_b += of_product * a * a;
        let mixed = r * local.d.length() / area;
        of_a += mixed;
        of_b += mixed;
        let of_difference = r / (area * rho);
        let of_edges = [of_a, of_a, of_b, of_b];
        // |d1 + γ d2|² <= (1 + |γ|) (|d1|² + |γ| |d2|²).
        let coupling = self.coupling.abs();
        std::array::from_fn(|edge| {
            let shares = pattern.difference_shares[edge] + coupling * pattern.other_shares[edge];
            of_edges[edge] * pattern.edge_shares[edge] + of_difference * (1.0 + coupling) * shares
        })
    }

    fn constant_majorant(&self) -> Option<[f64; N]> {
        let root = (1.0 + NORMAL_SHARE).sqrt() * normalisation();
        Some(std::array::from_fn(|i| root * self.difference(i)))
    }
}
