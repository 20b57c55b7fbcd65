//! The signed singular value decomposition of a 3x3 matrix, and its rotation.
//!
//! ```text
//! F = U diag(s) Vᵀ,   U and V rotations,   s0 >= s1 >= |s2|,   sign of s2 = sign of det F
//! R = U Vᵀ:  the rotation nearest to F
//! ```
//!
//! One-sided Jacobi: columns of F V are turned pair by pair until they are orthogonal. It is
//! accurate for flat, inverted and vanishing matrices, where FᵀF has lost half the digits; a column
//! of zeros leaves its direction free, and any rotation will do.
//!
//! Implements: \[Mueller2002\] eq. 14-15 (the rotation by a singular value decomposition).

use glam::{DMat3, DQuat, DVec3};

/// F = U diag(s) Vᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedSvd {
    /// U, a rotation.
    pub left: DMat3,
    /// s, in falling order of size; the last has the sign of the determinant.
    pub values: DVec3,
    /// V, a rotation.
    pub right: DMat3,
}

/// Columns count as orthogonal below this cosine.
const ORTHOGONAL: f64 = 1e-15;

impl SignedSvd {
    /// Decomposes a matrix.
    pub fn new(matrix: DMat3) -> Self {
        let mut b = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
        for _ in 0..12 {
            let mut turned = false;
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                turned |= make_orthogonal(&mut b, &mut v, p, q);
            }
            if !turned {
                break;
            }
        }
        let mut sizes = b.map(DVec3::length_squared);
        for (p, q) in [(0, 1), (1, 2), (0, 1)] {
            if sizes[p] < sizes[q] {
                // A swap with one sign changed is a rotation.
                (b[p], b[q]) = (b[q], -b[p]);
                (v[p], v[q]) = (v[q], -v[p]);
                sizes.swap(p, q);
            }
        }
        let first = if sizes[0] > 0.0 {
            b[0] / sizes[0].sqrt()
        } else {
            v[0]
        };
        let across = b[1] - b[1].dot(first) * first;
        let second = if across.length_squared() > (ORTHOGONAL * ORTHOGONAL) * sizes[0] {
            across.normalize()
        } else {
            // Flat in two directions: the rotation that turns v0 to u0 the short way.
            DQuat::from_rotation_arc(v[0], first) * v[1]
        };
        let third = first.cross(second);
        Self {
            left: DMat3::from_cols(first, second, third),
            values: DVec3::new(b[0].dot(first), b[1].dot(second), b[2].dot(third)),
            right: DMat3::from_cols(v[0], v[1], v[2]),
        }
    }

    /// R = U Vᵀ.
    pub fn rotation(&self) -> DMat3 {
        self.left * self.right.transpose()
    }
}

fn make_orthogonal(b: &mut [DVec3; 3], v: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let (alpha, beta) = (b[p].length_squared(), b[q].length_squared());
    let gamma = b[p].dot(b[q]);
    if gamma.abs() <= ORTHOGONAL * (alpha * beta).sqrt() {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    for columns in [b, v] {
        let (x, y) = (columns[p], columns[q]);
        columns[p] = cosine * x - sine * y;
        columns[q] = sine * x + cosine * y;
    }
    true
}

/// The rotation nearest to a matrix: by Newton's iteration where it converges at once, by the
/// singular values where the matrix is flat, inverted or far from a rotation.
///
/// ```text
/// R <- ½ (R + R⁻ᵀ)
/// ```
pub fn nearest_rotation(matrix: DMat3) -> DMat3 {
    let mut rotation = matrix;
    for _ in 0..10 {
        let [a, b, c] = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        let cofactors = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b));
        let determinant = a.dot(cofactors.x_axis);
        if !(1e-3..=1e3).contains(&determinant) {
            break;
        }
        let next = 0.5 * (rotation + cofactors * (1.0 / determinant));
        let change = next - rotation;
        rotation = next;
        let size = change.x_axis.length_squared()
            + change.y_axis.length_squared()
            + change.z_axis.length_squared();
        // Convergence is quadratic: the next change would be about the square of this one.
        if size < 1e-16 {
            return rotation;
        }
    }
    SignedSvd::new(matrix).rotation()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn samples() -> Vec<DMat3> {
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.7, -1.9, 0.4)));
        let other = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(-0.2, 0.9, 2.4)));
        let diagonals = [
            DVec3::ONE,
            DVec3::new(3.0, 2.0, 0.1),
            DVec3::new(2.0, 1.0, -0.7),
            DVec3::new(1.0, 1.0, -1.0),
            DVec3::new(1.0, 0.5, 0.0),
            DVec3::new(1.0, 1e-9, 1e-12),
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::ZERO,
            DVec3::new(1e8, 1.0, -1e-8),
        ];
        let of = |d: &DVec3| turn * DMat3::from_diagonal(*d) * other;
        diagonals
            .iter()
            .map(of)
            .chain([DMat3::ZERO, turn])
            .collect()
    }

    fn distance(a: DMat3, b: DMat3) -> f64 {
        (a - b)
            .to_cols_array()
            .map(f64::abs)
            .into_iter()
            .fold(0.0, f64::max)
    }

    #[test]
    fn factors_are_rotations_and_give_the_matrix_back() {
        for matrix in samples() {
            let svd = SignedSvd::new(matrix);
            let size = svd.values.x.max(1e-300);
            for turn in [svd.left, svd.right, svd.rotation()] {
                assert!(distance(turn * turn.transpose(), DMat3::IDENTITY) < 1e-13);
                assert!((turn.determinant() - 1.0).abs() < 1e-13);
            }
            let again = svd.left * DMat3::from_diagonal(svd.values) * svd.right.transpose();
            assert!(distance(again, matrix) < 1e-14 * size, "{matrix}");
            assert!(svd.values.x >= svd.values.y && svd.values.y >= svd.values.z.abs() * 0.999);
            let determinant = matrix.determinant();
            let known = determinant.abs() > 1e-14 * size.powi(3);
            assert!(!known || svd.values.z * determinant > 0.0, "{matrix}");
        }
    }

    #[test]
    fn both_ways_find_the_same_rotation() {
        for matrix in samples() {
            let svd = SignedSvd::new(matrix);
            if svd.values.z > 1e-3 {
                assert!(distance(nearest_rotation(matrix), svd.rotation()) < 1e-13);
            }
            let rotation = nearest_rotation(matrix);
            assert!((rotation.determinant() - 1.0).abs() < 1e-12);
        }
    }
}
