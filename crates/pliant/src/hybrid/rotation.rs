//! The rotation that brings one set of points nearest to another.
//!
//! ```text
//! R maximises tr(Rᵀ B),   B = Σ y_i s_iᵀ
//! S = Rᵀ B,  a = (S32 - S23, S13 - S31, S21 - S12),  (tr(S) 1 - sym S) φ = a,  R <- R exp φ
//! ```
//!
//! Newton's method on the rotations. For the products of deformation and elastic force that the
//! hybrid formulation puts into B, the maximum is the frame in which the elastic force has no
//! torque.
//!
//! Where B leaves a turn undetermined (about the axis of a straight curve; everything, if the
//! elastic force does not know the shape) the gradient a has no part along it, and the result
//! keeps that part of the start.

use glam::{DMat3, DQuat, DVec3};

/// Enough for the start that lies worst; near the maximum it takes three or four.
const MOST_ITERATIONS: usize = 60;

/// A gradient of this share of |B| is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The rotation with the largest tr(Rᵀ B) that is reached uphill from `start`.
pub(crate) fn nearest_rotation(b: &DMat3, start: DQuat) -> DQuat {
    let scale = norm(b);
    if !(scale > 0.0 && scale.is_finite()) {
        return start;
    }
    let mut rotation = start;
    let mut last = f64::INFINITY;
    for _ in 0..MOST_ITERATIONS {
        let s = DMat3::from_quat(rotation).transpose() * *b;
        let gradient = gradient(&s);
        let size = gradient.length();
        let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
        let hessian = DMat3::from_diagonal(DVec3::splat(trace)) - (s + s.transpose()) * 0.5;
        let (step, newton) = ascent(&hessian, gradient, scale);
        // At the end of its convergence Newton's method no longer halves the gradient.
        if size <= ROUNDING * scale || (newton && size < 1e-12 * scale && size > 0.5 * last) {
            break;
        }
        last = size;
        rotation = (rotation * DQuat::from_scaled_axis(step)).normalize();
    }
    rotation
}

/// Shares of |B|: a rotation where the gradient is below the first and the Hessian above the second is the best.
/// What its value lacks, half the square of the first by the second, is far less than what counts.
const AT_THE_TOP: [f64; 2] = [1e-9, 1e-6];

/// The rotation about the origin with the largest tr(Rᵀ B) of all.
pub(crate) fn best_rotation(b: &DMat3) -> DQuat {
    // From a saddle no way leads uphill: of four starts a half turn apart at most three are one.
    let starts = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mut best = (f64::NEG_INFINITY, DQuat::IDENTITY);
    for axis in starts {
        let start = DQuat::from_scaled_axis(axis * std::f64::consts::PI);
        let found = nearest_rotation(b, start);
        let product = DMat3::from_quat(found).transpose() * *b;
        let value = product.x_axis.x + product.y_axis.y + product.z_axis.z;
        if value > best.0 + 1e-9 * norm(b) {
            best = (value, found);
        }
        if is_maximum(&product, norm(b)) {
            break;
        }
    }
    best.1
}

/// Whether R is a maximum for certain, by S = Rᵀ B. In quaternions tr(Rᵀ B) is a quadratic form on the unit
/// sphere, so that every maximum that is one nearby is one of all, and no other start finds a better one.
fn is_maximum(s: &DMat3, scale: f64) -> bool {
    let [flat, curved] = AT_THE_TOP;
    let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
    let hessian =
        DMat3::from_diagonal(DVec3::splat(trace - curved * scale)) - (*s + s.transpose()) * 0.5;
    gradient(s).length() <= flat * scale && is_positive_definite(&hessian)
}

/// a.
fn gradient(s: &DMat3) -> DVec3 {
    DVec3::new(
        s.y_axis.z - s.z_axis.y,
        s.z_axis.x - s.x_axis.z,
        s.x_axis.y - s.y_axis.x,
    )
}

/// R - 1 of a rotation, without cancellation where R is near 1.
pub(crate) fn rotation_minus_identity(rotation: DQuat) -> DMat3 {
    let v = DVec3::new(rotation.x, rotation.y, rotation.z);
    let cross = DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    );
    (cross * rotation.w + cross * cross) * 2.0
}

fn norm(b: &DMat3) -> f64 {
    let columns = [b.x_axis, b.y_axis, b.z_axis];
    columns
        .iter()
        .map(|column| column.length_squared())
        .sum::<f64>()
        .sqrt()
}

/// A step uphill, and whether it is Newton's.
fn ascent(hessian: &DMat3, gradient: DVec3, scale: f64) -> (DVec3, bool) {
    // A little keeps the matrix regular along turns that are not determined; more makes it definite
    // far from the maximum.
    for shift in [1e-10, 0.05, 0.5, 4.0] {
        let more = DVec3::splat(shift * scale);
        let shifted = *hessian + DMat3::from_diagonal(more);
        if is_positive_definite(&shifted) {
            let step = shifted.inverse() * gradient;
            if step.is_finite() && step.length() < 1.5 {
                return (step, shift < 1e-9);
            }
        }
    }
    (gradient / (4.0 * scale), false)
}

fn is_positive_definite(m: &DMat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(angle: f64, axis: DVec3) -> DQuat {
        DQuat::from_axis_angle(axis.normalize(), angle)
    }

    fn distance(a: DQuat, b: DQuat) -> f64 {
        norm(&(DMat3::from_quat(a) - DMat3::from_quat(b)))
    }

    #[test]
    fn a_rotation_times_a_stretch_is_taken_apart() {
        let stretch = DMat3::from_cols(
            DVec3::new(3.0, 0.2, 0.1),
            DVec3::new(0.2, 1.0, -0.3),
            DVec3::new(0.1, -0.3, 0.5),
        );
        for angle in [0.0, 0.4, 2.0, 3.1, std::f64::consts::PI] {
            let rotation = turned(angle, DVec3::new(0.3, -1.0, 0.4));
            let b = DMat3::from_quat(rotation) * stretch;
            assert!(distance(best_rotation(&b), rotation) < 1e-13, "{angle}");
            let near = nearest_rotation(&b, rotation * turned(0.3, DVec3::ONE));
            assert!(distance(near, rotation) < 1e-13, "{angle}");
        }
    }

    #[test]
    fn what_is_not_determined_stays_as_it_was() {
        let start = turned(0.7, DVec3::new(1.0, 2.0, -0.5));
        assert_eq!(nearest_rotation(&DMat3::ZERO, start), start);
        // Only the direction of x is known.
        let b = DMat3::from_cols(DVec3::X * 2.0, DVec3::ZERO, DVec3::ZERO);
        let about_x = turned(0.9, DVec3::X);
        assert!(distance(nearest_rotation(&b, about_x), about_x) < 1e-13);
        let off = nearest_rotation(&b, turned(0.5, DVec3::Y) * about_x);
        assert!((off * DVec3::X - DVec3::X).length() < 1e-12);
    }

    #[test]
    fn a_flat_shape_determines_the_rotation() {
        let rotation = turned(1.2, DVec3::new(1.0, 1.0, 0.2));
        let flat = DMat3::from_diagonal(DVec3::new(2.0, 1.0, 0.0));
        let b = DMat3::from_quat(rotation) * flat;
        assert!(distance(best_rotation(&b), rotation) < 1e-12);
    }

    #[test]
    fn a_small_rotation_loses_no_digits() {
        let small = DQuat::from_scaled_axis(DVec3::new(0.0, 0.0, 1e-9));
        let moved = rotation_minus_identity(small) * DVec3::X;
        assert!((moved.y / 1e-9 - 1.0).abs() < 1e-15);
        assert_eq!(rotation_minus_identity(DQuat::IDENTITY), DMat3::ZERO);
    }
}
