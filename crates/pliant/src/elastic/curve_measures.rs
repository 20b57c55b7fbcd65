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

use super::measure::{Measure, MeasureKind};
use crate::energy::Curvature;
use crate::math::{cross_matrix, outer};
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
            Curvature::Material => 0.0,
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

    /// The measure as a function of the two edges, and its first derivatives.
    fn slopes(&self, x: &[DVec3; 3]) -> (f64, [DVec3; 2]) {
        let fold = Fold::new(x, self.scale);
        let by = fold.factor_slopes();
        let phi = fold.factor;
        match self.part {
            CurvaturePart::Component(axis) => {
                let turn = fold.cross_slopes(axis);
                let c = fold.cross[axis];
                (c * phi, [0, 1].map(|i| c * by[i] + phi * turn[i]))
            }
            CurvaturePart::Length => {
                let (kappa, [e, f]) = fold.length(self.smoothing(), &by);
                (kappa, [e, f].map(|slope| slope * (0.5 / kappa)))
            }
        }
    }

    /// The second derivatives by the two edges: blocks ee, ef and ff.
    fn second_slopes(&self, x: &[DVec3; 3]) -> [DMat3; 3] {
        let fold = Fold::new(x, self.scale);
        let by = fold.factor_slopes();
        let second = fold.factor_second_slopes(&by);
        let phi = fold.factor;
        let pair = |i: usize| [(0, 0), (0, 1), (1, 1)][i];
        match self.part {
            CurvaturePart::Component(axis) => {
                let turn = fold.cross_slopes(axis);
                let across = cross_matrix(DVec3::AXES[axis]) * -phi;
                std::array::from_fn(|i| {
                    let (p, q) = pair(i);
                    let mixed = outer(turn[p], by[q]) + outer(by[p], turn[q]);
                    let of_cross = if i == 1 { across } else { DMat3::ZERO };
                    second[i] * fold.cross[axis] + mixed + of_cross
                })
            }
            CurvaturePart::Length => {
                let (kappa, slopes) = fold.length(self.smoothing(), &by);
                let (w, w_by, w_second) = fold.square();
                std::array::from_fn(|i| {
                    let (p, q) = pair(i);
                    let mixed = outer(w_by[p], by[q]) + outer(by[p], w_by[q]);
                    let of_square = w_second[i] * (phi * phi)
                        + mixed * (2.0 * phi)
                        + outer(by[p], by[q]) * (2.0 * w)
                        + second[i] * (2.0 * w * phi);
                    of_square * (0.5 / kappa)
                        - outer(slopes[p], slopes[q]) * (0.25 / (kappa * kappa * kappa))
                })
            }
        }
    }

    fn smoothing(&self) -> f64 {
        2.0 * self.scale * SMOOTHING
    }
}

/// Two edges in a row:
///
/// ```text
/// S = c |e||f| + e·f,   φ = 2 / (ℓ S),   κb = φ e x f
/// ```
struct Fold {
    e: DVec3,
    f: DVec3,
    /// e x f.
    cross: DVec3,
    /// S and φ.
    sum: f64,
    factor: f64,
    /// |e||f|; 0 for edges without length, whose derivatives are then taken for 0.
    product: f64,
}

/// c: a curve folded back on itself would be infinitely stiff; bounded instead.
const BOUND: f64 = 1.0 + 1e-6;

impl Fold {
    fn new(x: &[DVec3; 3], scale: f64) -> Self {
        let (e, f) = (x[1] - x[0], x[2] - x[1]);
        let product = (e.dot(e) * f.dot(f)).sqrt();
        let product = if product < 1e-150 { 0.0 } else { product };
        let sum = product * BOUND + e.dot(f);
        Self {
            cross: e.cross(f),
            factor: 2.0 * scale / sum,
            e,
            f,
            sum,
            product,
        }
    }

    /// |f| / |e| and |e| / |f|.
    fn ratios(&self) -> [f64; 2] {
        if self.product == 0.0 {
            return [0.0; 2];
        }
        [
            self.product / self.e.length_squared(),
            self.product / self.f.length_squared(),
        ]
    }

    /// ∇S.
    fn sum_slopes(&self) -> [DVec3; 2] {
        let [a, b] = self.ratios();
        [BOUND * a * self.e + self.f, BOUND * b * self.f + self.e]
    }

    /// ∇φ = -φ ∇S / S.
    fn factor_slopes(&self) -> [DVec3; 2] {
        let by = -self.factor / self.sum;
        self.sum_slopes().map(|slope| by * slope)
    }

    /// ∇²φ = 2 ∇φ ∇φᵀ / φ - φ ∇²S / S.
    fn factor_second_slopes(&self, by: &[DVec3; 2]) -> [DMat3; 3] {
        let [a, b] = self.ratios();
        let unit = DMat3::IDENTITY;
        let of_sum = if self.product == 0.0 {
            [DMat3::ZERO, unit, DMat3::ZERO]
        } else {
            let (ee, ff) = (self.e.length_squared(), self.f.length_squared());
            [
                (unit - outer(self.e, self.e) * (1.0 / ee)) * (BOUND * a),
                outer(self.e, self.f) * (BOUND / self.product) + unit,
                (unit - outer(self.f, self.f) * (1.0 / ff)) * (BOUND * b),
            ]
        };
        let (twice, once) = (2.0 / self.factor, self.factor / self.sum);
        let pairs = [(0, 0), (0, 1), (1, 1)];
        std::array::from_fn(|i| {
            let (p, q) = pairs[i];
            outer(by[p], by[q]) * twice - of_sum[i] * once
        })
    }

    /// The derivatives of a component of e x f.
    fn cross_slopes(&self, axis: usize) -> [DVec3; 2] {
        let axis = DVec3::AXES[axis];
        [self.f.cross(axis), axis.cross(self.e)]
    }

    /// w = |e x f|², ∇w and ∇²w.
    fn square(&self) -> (f64, [DVec3; 2], [DMat3; 3]) {
        let (e, f) = (self.e, self.f);
        let unit = DMat3::IDENTITY;
        let slopes = [2.0 * f.cross(self.cross), 2.0 * self.cross.cross(e)];
        let second = [
            (unit * f.length_squared() - outer(f, f)) * 2.0,
            (outer(e, f) * 2.0 - outer(f, e) - unit * e.dot(f)) * 2.0,
            (unit * e.length_squared() - outer(e, e)) * 2.0,
        ];
        (self.cross.length_squared(), slopes, second)
    }

    /// κ = √(w φ² + m²), and the derivatives of κ².
    fn length(&self, smoothing: f64, by: &[DVec3; 2]) -> (f64, [DVec3; 2]) {
        let w = self.cross.length_squared();
        let phi = self.factor;
        let w_by = [
            2.0 * self.f.cross(self.cross),
            2.0 * self.cross.cross(self.e),
        ];
        let kappa = (w * phi * phi + smoothing * smoothing).sqrt();
        let slopes = [0, 1].map(|i| phi * phi * w_by[i] + 2.0 * w * phi * by[i]);
        (kappa, slopes)
    }
}

impl Measure<3, 2> for CurveCurvature {
    fn kind(&self) -> MeasureKind {
        MeasureKind::Curvature
    }

    fn value(&self, x: &[DVec3; 3]) -> f64 {
        let fold = Fold::new(x, self.scale);
        match self.part {
            CurvaturePart::Component(axis) => fold.cross[axis] * fold.factor,
            CurvaturePart::Length => {
                let smoothing = self.smoothing();
                let squared = fold.cross.length_squared() * fold.factor * fold.factor;
                (squared + smoothing * smoothing).sqrt()
            }
        }
    }

    fn gradient(&self, x: &[DVec3; 3]) -> (f64, [DVec3; 3]) {
        let (kappa, [by_e, by_f]) = self.slopes(x);
        (kappa, [-by_e, by_e - by_f, by_f])
    }

    fn second_derivative(
        &self,
        x: &[DVec3; 3],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; 3]; 3] {
        if curvature != Curvature::Full {
            return [[DMat3::ZERO; 3]; 3];
        }
        let [ee, ef, ff] = self.second_slopes(x).map(|block| block * residual);
        let fe = ef.transpose();
        // x0 enters as -e, x1 as e - f, x2 as f.
        [
            [ee, ef - ee, -ef],
            [fe - ee, ee - ef - fe + ff, ef - ff],
            [-fe, fe - ff, ff],
        ]
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

#[cfg(test)]
mod tests {
    use super::super::jet::Jet;
    use super::*;

    /// The same formulas by numbers that carry their derivatives.
    fn jet(measure: &CurveCurvature, x: &[DVec3; 3]) -> Jet<6> {
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
        let sum = (ee * ff).sqrt() * Jet::constant(BOUND) + ef;
        let factor = Jet::constant(2.0 * measure.scale) / sum;
        match measure.part {
            CurvaturePart::Component(axis) => cross[axis] * factor,
            CurvaturePart::Length => {
                let squared = cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2];
                let smoothing = measure.smoothing();
                (squared * factor * factor + Jet::constant(smoothing * smoothing)).sqrt()
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_jets() {
        let straight = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
        let bent = [
            DVec3::new(0.1, -0.2, 0.3),
            DVec3::new(1.0, 0.4, 0.2),
            DVec3::new(1.3, 1.5, -0.6),
        ];
        let folded = [
            DVec3::ZERO,
            DVec3::new(1.0, 0.1, 0.0),
            DVec3::new(0.2, 0.15, 0.1),
        ];
        let parts = [
            CurvaturePart::Length,
            CurvaturePart::Component(0),
            CurvaturePart::Component(1),
            CurvaturePart::Component(2),
        ];
        for (x, part) in [straight, bent, folded]
            .into_iter()
            .flat_map(|x| parts.map(|part| (x, part)))
        {
            let measure = CurveCurvature {
                scale: 1.7,
                part,
                edge_scales: [1.0; 2],
            };
            let wanted = jet(&measure, &x);
            let (value, [e, f]) = measure.slopes(&x);
            let close = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-12 * size.max(1.0);
            assert!(close(value, wanted.value, value.abs()), "{part:?}");
            assert_eq!(value, measure.value(&x), "{part:?}");
            let size = wanted.gradient.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            for (i, by) in e.to_array().into_iter().chain(f.to_array()).enumerate() {
                assert!(close(by, wanted.gradient[i], size), "{part:?} {i}");
            }
            let [ee, ef, ff] = measure.second_slopes(&x);
            let entries = wanted.hessian.as_flattened().iter();
            let size = entries.fold(0.0, |a: f64, b| a.max(b.abs()));
            for (row, column) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
                let block = match (row / 3, column / 3) {
                    (0, 0) => ee,
                    (0, 1) => ef,
                    (1, 0) => ef.transpose(),
                    _ => ff,
                };
                let found = block.col(column % 3)[row % 3];
                let wanted = wanted.hessian[row][column];
                assert!(close(found, wanted, size), "{part:?} {row} {column}");
            }
        }
    }
}
