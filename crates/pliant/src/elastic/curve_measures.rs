//! Length and curvature of a curve.
//!
//! ```text
//! length:     s = |x_u| = |Δx| / h
//! curvature:  κ = |κb|,  κb = (2/ℓ) e x f / (|e||f| + e·f),  |κb| = 2 tan(φ/2) / ℓ
//! ```
//!
//! e and f are two edges in a row, φ the angle between them, ℓ their mean rest length.
//!
//! Implements: \[Terzopoulos1988\] eq. 8 (its torsion is in `volume.rs`).
//! Departure: where the rest shape is straight, the three components of κb are three measures with
//! rest value 0: the same energy, without the kink that |κb| has at 0. Where it is curved, κ is
//! smoothed near zero, √(κ² + (10⁻⁴/ℓ)²), since the plane in which a straight piece should bend is
//! not determined.

use super::jet::Jet;
use super::measure::{Measure, MeasureKind};
use crate::energy::Curvature;
use glam::{DMat3, DVec3};

/// |x_u| of one edge.
#[derive(Clone, Copy, Debug)]
pub struct EdgeLength {
    /// 1 / h.
    pub scale: f64,
}

impl Measure<2, 1> for EdgeLength {
    fn kind(&self) -> MeasureKind {
        MeasureKind::Length
    }

    fn gradient(&self, [start, end]: &[DVec3; 2]) -> (f64, [DVec3; 2]) {
        let edge = *end - *start;
        let direction = edge.normalize_or_zero() * self.scale;
        (self.scale * edge.length(), [-direction, direction])
    }

    fn second_derivative(
        &self,
        [start, end]: &[DVec3; 2],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; 2]; 2] {
        let edge = *end - *start;
        let length = edge.length();
        let residual = match curvature {
            Curvature::Full => residual,
            Curvature::Positive => residual.max(0.0),
        };
        if length <= f64::MIN_POSITIVE {
            return [[DMat3::ZERO; 2]; 2];
        }
        let direction = edge / length;
        let along = DMat3::from_cols(
            direction * direction.x,
            direction * direction.y,
            direction * direction.z,
        );
        let block = (DMat3::IDENTITY - along) * (self.scale * residual / length);
        [[block, -block], [-block, block]]
    }

    fn majorant(&self, [start, end]: &[DVec3; 2], residual: f64) -> [f64; 1] {
        let length = (*end - *start).length().max(f64::MIN_POSITIVE);
        [self.scale * (self.scale + residual.max(0.0) / length)]
    }
}

/// κ at a node of a curve, from the node before to the node after.
#[derive(Clone, Copy, Debug)]
pub struct CurveCurvature {
    /// 1 / ℓ, the mean rest length of the two edges.
    pub scale: f64,
    /// One component of κb, or its smoothed length.
    pub part: CurvaturePart,
    /// 1 / (rest length) of the two edges, for the majorant.
    pub edge_scales: [f64; 2],
}

/// What of the curvature vector is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurvaturePart {
    /// The length κ of κb: for curved rest shapes.
    Length,
    /// One component of κb: for straight rest shapes.
    Component(usize),
}

/// Smoothing of tan(φ/2) at a straight piece of a curved rest shape.
const SMOOTHING: f64 = 0.5e-4;

impl CurveCurvature {
    /// Share of the scalar stiffness this measure carries: the three components of κb together
    /// are as stiff as its length.
    fn share(&self) -> f64 {
        match self.part {
            CurvaturePart::Length => 1.0,
            CurvaturePart::Component(_) => 1.0 / 3.0,
        }
    }

    /// The measure as a function of the two edges, with derivatives.
    fn jet(&self, x: &[DVec3; 3]) -> Jet<6> {
        let (e, f) = (x[1] - x[0], x[2] - x[1]);
        let variables = [e.x, e.y, e.z, f.x, f.y, f.z];
        let v: [Jet<6>; 6] = std::array::from_fn(|i| Jet::variable(variables[i], i));
        let ee = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        let ff = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
        let ef = v[0] * v[3] + v[1] * v[4] + v[2] * v[5];
        let cross = [
            v[1] * v[5] - v[2] * v[4],
            v[2] * v[3] - v[0] * v[5],
            v[0] * v[4] - v[1] * v[3],
        ];
        // A curve folded back on itself (φ = π) would be infinitely stiff: bounded instead.
        let sum = (ee * ff).sqrt() * Jet::constant(1.0 + 1e-6) + ef;
        let factor = Jet::constant(2.0 * self.scale) / sum;
        match self.part {
            CurvaturePart::Component(axis) => cross[axis] * factor,
            CurvaturePart::Length => {
                let squared = cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2];
                let smoothing = 2.0 * self.scale * SMOOTHING;
                (squared * factor * factor + Jet::constant(smoothing * smoothing)).sqrt()
            }
        }
    }
}

impl Measure<3, 2> for CurveCurvature {
    fn kind(&self) -> MeasureKind {
        MeasureKind::Curvature
    }

    /// The value of `jet` without its derivatives.
    fn value(&self, x: &[DVec3; 3]) -> f64 {
        let (e, f) = (x[1] - x[0], x[2] - x[1]);
        let cross = e.cross(f);
        let sum = (e.dot(e) * f.dot(f)).sqrt() * (1.0 + 1e-6) + e.dot(f);
        let factor = 2.0 * self.scale / sum;
        match self.part {
            CurvaturePart::Component(axis) => cross[axis] * factor,
            CurvaturePart::Length => {
                let smoothing = 2.0 * self.scale * SMOOTHING;
                (cross.length_squared() * factor * factor + smoothing * smoothing).sqrt()
            }
        }
    }

    fn gradient(&self, x: &[DVec3; 3]) -> (f64, [DVec3; 3]) {
        let kappa = self.jet(x);
        let g = kappa.gradient;
        let by_e = DVec3::new(g[0], g[1], g[2]);
        let by_f = DVec3::new(g[3], g[4], g[5]);
        (kappa.value, [-by_e, by_e - by_f, by_f])
    }

    fn second_derivative(
        &self,
        x: &[DVec3; 3],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; 3]; 3] {
        if curvature == Curvature::Positive {
            return [[DMat3::ZERO; 3]; 3];
        }
        let kappa = self.jet(x);
        let block = |r: usize, c: usize| {
            DMat3::from_cols_array_2d(&std::array::from_fn(|column| {
                std::array::from_fn(|row| residual * kappa.hessian[3 * r + row][3 * c + column])
            }))
        };
        // x0 enters as -e, x1 as e - f, x2 as f.
        let signs = [[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]];
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let mut sum = DMat3::ZERO;
                for p in 0..2 {
                    for q in 0..2 {
                        sum += block(p, q) * (signs[i][p] * signs[j][q]);
                    }
                }
                sum
            })
        })
    }

    fn majorant(&self, x: &[DVec3; 3], _residual: f64) -> [f64; 2] {
        // Small angles are covered by the constant part; what remains is the growth of the
        // stiffness with the angle.
        let (first, second) = (x[1] - x[0], x[2] - x[1]);
        let product = (first.length() * second.length()).max(f64::MIN_POSITIVE);
        let cosine = (first.dot(second) / product).clamp(-1.0, 1.0);
        let tangent_squared = (1.0 - cosine) / (1.0 + cosine + 1e-6);
        let growth = 4.0 * tangent_squared * (2.0 + tangent_squared);
        let scale = self.scale * self.scale * growth * self.share();
        self.edge_scales.map(|inverse| scale * inverse * inverse)
    }

    fn constant_majorant(&self) -> Option<[f64; 3]> {
        let [first, second] = self.edge_scales;
        let scale = self.scale * (1.1 * self.share()).sqrt();
        Some([scale * first, -scale * (first + second), scale * second])
    }
}
