//! The curvature of a surface: second differences along the unit normal.
//!
//! ```text
//! B_ij = n · x_ij,   n = (a x b) / |a x b|,   a = x_1,  b = x_2
//! dB   = n · dx_ij + h_a · da + h_b · db,
//!        t = x_ij - B n,  h_a = (b x t) / |a x b|,  h_b = (t x a) / |a x b|
//! ```
//!
//! a, b and d = x_ij are sums of node positions with coefficients from a small table of patterns:
//! at a node B_11 and B_22 with central differences (one-sided at a free edge), at a cell B_12
//! with the differences of all four corners.
//!
//! Implements: \[Terzopoulos1988\] eq. 5, 6 and the curvature part of eq. 9, 25, 33, 34.
//! Departure: the gradient is the true derivative of (B - B⁰)², which points along n. Eq. 26 puts
//! β x_ij in its place; as β carries the sign of B - B⁰ and x_ij the sign of B, their product
//! loses the sign, and a curved rest shape is pushed away from itself.

use super::measure::{Curvature, Measure};
use super::volume::cross_matrix;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Coefficients by which node positions give the tangents a, b and the second difference d.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalPattern<const N: usize> {
    /// a = Σ first[i] x_i.
    pub first: [f64; N],
    /// b = Σ second[i] x_i.
    pub second: [f64; N],
    /// d = Σ difference[i] x_i.
    pub difference: [f64; N],
    /// For each of the four edges (two of a, then two of b), c with |da|² <= Σ c |de|².
    pub edge_shares: [f64; 4],
}

/// B_ij = n · d over N nodes.
#[derive(Clone, Debug)]
pub struct NormalCurvature<const N: usize> {
    /// The coefficients, shared by all terms of the same kind.
    pub pattern: Arc<NormalPattern<N>>,
}

/// Share of the bending stiffness beyond 1 that the majorant's constant part carries; the part
/// that comes from turning of the normal then needs the factor 1 + 1/share.
const NORMAL_SHARE: f64 = 0.1;

struct Local {
    a: DVec3,
    b: DVec3,
    d: DVec3,
    area_vector: DVec3,
    area: f64,
    n: DVec3,
}

impl<const N: usize> NormalCurvature<N> {
    #[inline]
    fn local(&self, x: &[DVec3; N]) -> Local {
        let pattern = &*self.pattern;
        let (mut a, mut b, mut d) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for i in 0..N {
            a += pattern.first[i] * x[i];
            b += pattern.second[i] * x[i];
            d += pattern.difference[i] * x[i];
        }
        let area_vector = a.cross(b);
        // A sheet collapsed to a line has no normal: the term then exerts no force.
        let area = area_vector.length();
        let n = if area > f64::MIN_POSITIVE {
            area_vector / area
        } else {
            DVec3::ZERO
        };
        Local {
            a,
            b,
            d,
            area_vector,
            area,
            n,
        }
    }
}

impl Local {
    /// The value s, h_a and h_b.
    #[inline]
    fn derivatives(&self) -> (f64, DVec3, DVec3) {
        let s = self.n.dot(self.d);
        if self.area <= f64::MIN_POSITIVE {
            return (s, DVec3::ZERO, DVec3::ZERO);
        }
        let t = (self.d - s * self.n) / self.area;
        (s, self.b.cross(t), t.cross(self.a))
    }

    /// ∇²s in the blocks of (a, b, d).
    fn second_derivatives(&self) -> [[DMat3; 3]; 3] {
        let Local {
            a,
            b,
            d,
            area_vector,
            area,
            n,
        } = *self;
        let mut hessian = [[DMat3::ZERO; 3]; 3];
        if area <= f64::MIN_POSITIVE {
            return hessian;
        }
        // s = q / L with q = N·d, L = |N|, N = a x b.
        let q = area_vector.dot(d);
        let by_q = [b.cross(d), d.cross(a), area_vector];
        let by_l = [b.cross(n), n.cross(a), DVec3::ZERO];
        let jacobian = [cross_matrix(-b), cross_matrix(a), DMat3::ZERO];
        let tangential = DMat3::IDENTITY - outer(n, n);
        let mut of_q = [[DMat3::ZERO; 3]; 3];
        of_q[0][1] = cross_matrix(-d);
        of_q[0][2] = cross_matrix(b);
        of_q[1][2] = cross_matrix(-a);
        let mut of_l = [[DMat3::ZERO; 3]; 3];
        of_l[0][1] = cross_matrix(-n);
        for i in 0..3 {
            for j in 0..i {
                of_q[i][j] = of_q[j][i].transpose();
                of_l[i][j] = of_l[j][i].transpose();
            }
        }
        for i in 0..3 {
            for j in 0..3 {
                let of_length =
                    of_l[i][j] + jacobian[i].transpose() * tangential * jacobian[j] * (1.0 / area);
                hessian[i][j] = of_q[i][j] * (1.0 / area)
                    - (outer(by_q[i], by_l[j]) + outer(by_l[i], by_q[j])) * (1.0 / (area * area))
                    - of_length * (q / (area * area))
                    + outer(by_l[i], by_l[j]) * (2.0 * q / (area * area * area));
            }
        }
        hessian
    }
}

/// The matrix u vᵀ.
fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}

impl<const N: usize> Measure<N, 4> for NormalCurvature<N> {
    #[inline]
    fn gradient(&self, x: &[DVec3; N]) -> (f64, [DVec3; N]) {
        let local = self.local(x);
        let (s, by_a, by_b) = local.derivatives();
        let pattern = &*self.pattern;
        let gradient = std::array::from_fn(|i| {
            pattern.first[i] * by_a + pattern.second[i] * by_b + pattern.difference[i] * local.n
        });
        (s, gradient)
    }

    fn second_derivative(
        &self,
        x: &[DVec3; N],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; N]; N] {
        if curvature == Curvature::Positive {
            return [[DMat3::ZERO; N]; N];
        }
        let blocks = self.local(x).second_derivatives();
        let pattern = &*self.pattern;
        let coefficients = [&pattern.first, &pattern.second, &pattern.difference];
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
    fn majorant(&self, x: &[DVec3; N], _residual: f64) -> [f64; 4] {
        let (_, by_a, by_b) = self.local(x).derivatives();
        let factor = 2.0 * (1.0 + 1.0 / NORMAL_SHARE);
        let of_a = factor * by_a.length_squared();
        let of_b = factor * by_b.length_squared();
        let shares = self.pattern.edge_shares;
        [
            of_a * shares[0],
            of_a * shares[1],
            of_b * shares[2],
            of_b * shares[3],
        ]
    }

    fn constant_majorant(&self) -> Option<[f64; N]> {
        let root = (1.0 + NORMAL_SHARE).sqrt();
        Some(
            self.pattern
                .difference
                .map(|coefficient| root * coefficient),
        )
    }
}
