//! Eigenvalues and eigenvectors of symmetric 3x3 matrices, eight at a time, by Jacobi rotations.
//!
//! ```text
//! A = Σ_i a_i v_i v_iᵀ,     f(A) = Σ_i f(a_i) v_i v_iᵀ
//! ```

use super::lane_matrix::Matrices;
use super::pack::Pack;

/// Sweeps over the three pairs of axes; four are enough for rounding, nearly always.
const SWEEPS: usize = 8;

/// Off-diagonal entries by the size of the matrix, squared, that count as zero.
const DIAGONAL: f64 = 1e-30;

/// f of eight symmetric matrices, of which the lower triangle is read.
#[inline(always)]
pub(crate) fn map_eigenvalues(of: &Matrices, f: impl Fn(Pack) -> Pack) -> Matrices {
    let one = Pack::splat(1.0);
    let mut a = *of;
    for row in 0..3 {
        for column in row + 1..3 {
            a[row][column] = a[column][row];
        }
    }
    // Rows are eigenvectors.
    let mut v = [[Pack::ZERO; 3]; 3];
    for (i, row) in v.iter_mut().enumerate() {
        row[i] = one;
    }
    for _ in 0..SWEEPS {
        let off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        let size = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        let bound = (size * Pack::splat(DIAGONAL)).to_array();
        let mut lanes = off.to_array().into_iter().zip(bound);
        if lanes.all(|(off, bound)| off <= bound) {
            break;
        }
        for [p, q, r] in [[0, 1, 2], [0, 2, 1], [1, 2, 0]] {
            // The tangent of the angle that makes a_pq vanish.
            let twice = a[p][q] + a[p][q];
            let difference = a[q][q] - a[p][p];
            let root = (difference * difference + twice * twice).sqrt();
            let below = difference.abs() + root + Pack::splat(f64::MIN_POSITIVE);
            let tangent = twice * one.with_sign_of(difference) / below;
            let cosine = one / (one + tangent * tangent).sqrt();
            let sine = cosine * tangent;
            let shift = tangent * a[p][q];
            a[p][p] = a[p][p] - shift;
            a[q][q] = a[q][q] + shift;
            let (x, y) = (a[p][r], a[q][r]);
            a[p][r] = cosine * x - sine * y;
            a[q][r] = sine * x + cosine * y;
            a[r][p] = a[p][r];
            a[r][q] = a[q][r];
            a[p][q] = Pack::ZERO;
            a[q][p] = Pack::ZERO;
            for column in 0..3 {
                let (x, y) = (v[p][column], v[q][column]);
                v[p][column] = cosine * x - sine * y;
                v[q][column] = sine * x + cosine * y;
            }
        }
    }
    let values = [f(a[0][0]), f(a[1][1]), f(a[2][2])];
    let mut result = [[Pack::ZERO; 3]; 3];
    for row in 0..3 {
        for column in 0..=row {
            let mut sum = Pack::ZERO;
            for i in 0..3 {
                sum = sum + values[i] * v[i][row] * v[i][column];
            }
            result[row][column] = sum;
            result[column][row] = sum;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lane_matrix::{matrices, matrix};
    use crate::math::symmetric_eigen;
    use glam::{DMat3, DQuat, DVec3};

    #[test]
    fn functions_of_matrices_are_those_of_their_eigenvalues() {
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.7, -1.9, 0.4)));
        let values = [
            DVec3::new(1.0, 2.0, 3.0),
            DVec3::new(-1.0, 2.0, 2.0),
            DVec3::ONE,
            DVec3::ZERO,
            DVec3::new(1e8, -1.0, 1e-8),
            DVec3::new(1.0, 1.0 + 1e-9, -1.0),
            DVec3::new(-5.0, -4.0, 0.0),
            DVec3::new(2.0, 2.0 - 1e-15, 2.0),
        ];
        let given = values.map(|d| turn * DMat3::from_diagonal(d) * turn.transpose());
        let positive = map_eigenvalues(&matrices(&given), |value| value.max(Pack::ZERO));
        for (lane, given) in given.into_iter().enumerate() {
            let (values, vectors) = symmetric_eigen(given);
            let clamped = DMat3::from_diagonal(values.max(DVec3::ZERO));
            let error = matrix(&positive, lane) - vectors * clamped * vectors.transpose();
            let size = values.abs().max_element().max(1.0);
            let error = error.to_cols_array().map(f64::abs);
            assert!(error.iter().all(|&e| e < 1e-14 * size), "{lane}: {error:?}");
        }
    }
}
