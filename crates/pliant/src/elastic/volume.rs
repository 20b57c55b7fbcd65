//! The signed volume spanned by three edges of four nodes.
//!
//! ```text
//! s = c det(x1 - x0, x2 - x0, x3 - x0)
//! ```
//!
//! Used for two things. **At the corners of a solid's cells**, with c = 1 / (rest determinant), it
//! is the volume ratio J: the metric of a solid cannot tell it from its mirror image, so without
//! it a corner that is pushed inside stays there (\[Thesis2004\] sect. 6.1.4). **Along a curve**,
//! over four nodes in a row, it measures torsion: τ = det(x', x'', x''') / |x' x x''|², taken at
//! the rest curvature because a straight piece has no torsion and the quotient would be singular.
//!
//! Implements: \[Terzopoulos1988\] eq. 8 (torsion), eq. 10 (completed by volume).

use super::measure::{Measure, MeasureKind};
use crate::energy::Curvature;
use crate::math::cross_matrix;
use glam::{DMat3, DVec3};

/// Scaled determinant of three edges that leave the first node.
#[derive(Clone, Copy, Debug)]
pub struct SignedVolume {
    /// The factor c.
    pub scale: f64,
    /// The three edges run from the first node to the others (`false`), or from each node to the
    /// next (`true`): what the majorant's edges are.
    pub chain: bool,
}

impl SignedVolume {
    /// Derivatives of det(a, b, c) by a, b and c for the edges of the majorant.
    fn edge_derivatives(&self, x: &[DVec3; 4]) -> [DVec3; 3] {
        let (a, b, c) = if self.chain {
            (x[1] - x[0], x[2] - x[1], x[3] - x[2])
        } else {
            (x[1] - x[0], x[2] - x[0], x[3] - x[0])
        };
        [b.cross(c), c.cross(a), a.cross(b)]
    }
}

impl Measure<4, 3> for SignedVolume {
    fn kind(&self) -> MeasureKind {
        if self.chain {
            MeasureKind::Torsion
        } else {
            MeasureKind::Volume
        }
    }

    #[inline]
    fn gradient(&self, x: &[DVec3; 4]) -> (f64, [DVec3; 4]) {
        let (a, b, c) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let by_a = self.scale * b.cross(c);
        let by_b = self.scale * c.cross(a);
        let by_c = self.scale * a.cross(b);
        (a.dot(by_a), [-(by_a + by_b + by_c), by_a, by_b, by_c])
    }

    fn second_derivative(
        &self,
        x: &[DVec3; 4],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; 4]; 4] {
        let mut hessian = [[DMat3::ZERO; 4]; 4];
        if curvature != Curvature::Full {
            return hessian;
        }
        let factor = self.scale * residual;
        let (a, b, c) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        // da·(db x c), da·(b x dc), db·(dc x a)
        let blocks = [
            (1, 2, cross_matrix(-c)),
            (1, 3, cross_matrix(b)),
            (2, 3, cross_matrix(-a)),
        ];
        for (i, j, block) in blocks {
            hessian[i][j] += block * factor;
            hessian[j][i] += block.transpose() * factor;
        }
        // Translation changes nothing: rows and columns sum to zero.
        let sum = |blocks: &[DMat3]| blocks.iter().fold(DMat3::ZERO, |sum, block| sum + *block);
        let rows = [1, 2, 3].map(|i: usize| (i, sum(&hessian[i][1..])));
        for (i, row) in rows {
            hessian[i][0] = -row;
            hessian[0][i] = -row.transpose();
        }
        hessian[0][0] = -sum(&hessian[0][1..]);
        hessian
    }

    fn majorant(&self, x: &[DVec3; 4], residual: f64) -> [f64; 3] {
        let derivatives = self.edge_derivatives(x).map(|d| self.scale * d);
        let lengths = derivatives.map(DVec3::length);
        let total: f64 = lengths.iter().sum();
        // |d²det(z, z)| <= 2 (|da||db||c| + ...) bounds what r ∇²s can add.
        let (a, b, c) = if self.chain {
            (x[1] - x[0], x[2] - x[1], x[3] - x[2])
        } else {
            (x[1] - x[0], x[2] - x[0], x[3] - x[0])
        };
        let bend = (self.scale * residual).abs();
        let (a, b, c) = (a.length(), b.length(), c.length());
        [
            total * lengths[0] + bend * (b + c),
            total * lengths[1] + bend * (a + c),
            total * lengths[2] + bend * (a + b),
        ]
    }
}
