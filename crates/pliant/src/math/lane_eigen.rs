//! Eigenvalues and eigenvectors of symmetric 3x3 matrices, eight at a time, by Jacobi rotations.
//!
//! ```text
//! A = Σ_i a_i v_i v_iᵀ,     f(A) = Σ_i f(a_i) v_i v_iᵀ
//! ```

use super::lane_matrix::{Matrices, matrices, matrix};
use super::processor::for_this_processor;
use super::vector::{PACK, Pack};
use glam::DMat3;

/// Sweeps over the three pairs of axes; four are enough for rounding, nearly always.
const SWEEPS: usize = 8;

/// Off-diagonal entries by the size of the matrix, squared, that count as zero.
const DIAGONAL: f64 = 1e-30;

/// Turns the axes p and q so that a_pq vanishes. They must be known to the compiler, or the matrices go
/// through memory.
#[inline(always)]
fn turn<const P: usize, const Q: usize, const R: usize>(a: &mut Matrices, v: &mut Matrices) {
    let one = Pack::splat(1.0);
    let twice = a[P][Q] + a[P][Q];
    let difference = a[Q][Q] - a[P][P];
    let root = (difference * difference + twice * twice).sqrt();
    let below = difference.abs() + root + Pack::splat(f64::MIN_POSITIVE);
    let tangent = twice * one.with_sign_of(difference) / below;
    let cosine = one / (one + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    let shift = tangent * a[P][Q];
    a[P][P] = a[P][P] - shift;
    a[Q][Q] = a[Q][Q] + shift;
    let (x, y) = (a[P][R], a[Q][R]);
    a[P][R] = cosine * x - sine * y;
    a[Q][R] = sine * x + cosine * y;
    a[R][P] = a[P][R];
    a[R][Q] = a[Q][R];
    a[P][Q] = Pack::ZERO;
    a[Q][P] = Pack::ZERO;
    let (first, second) = (v[P], v[Q]);
    for (column, (x, y)) in first.into_iter().zip(second).enumerate() {
        v[P][column] = cosine * x - sine * y;
        v[Q][column] = sine * x + cosine * y;
    }
}

/// f of eight symmetric matrices, of which the lower triangle is read.
#[inline(always)]
pub(crate) fn map_eigenvalues(of: &Matrices, f: impl Fn(Pack) -> Pack) -> Matrices {
    let one = Pack::splat(1.0);
    let mut a = *of;
    a[0][1] = a[1][0];
    a[0][2] = a[2][0];
    a[1][2] = a[2][1];
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
        turn::<0, 1, 2>(&mut a, &mut v);
        turn::<0, 2, 1>(&mut a, &mut v);
        turn::<1, 2, 0>(&mut a, &mut v);
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

for_this_processor! {
    /// Replaces eight symmetric matrices by their positive semi-definite parts.
    pub(crate) fn take_positive_parts(of: &mut [DMat3; PACK]) {
        let positive = map_eigenvalues(&matrices(of), |value| value.max(Pack::ZERO));
        for (lane, part) in of.iter_mut().enumerate() {
            *part = matrix(&positive, lane);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::symmetric_eigen;
    use glam::{DQuat, DVec3};

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
        let mut positive = given;
        take_positive_parts(&mut positive);
        for (positive, given) in positive.into_iter().zip(given) {
            let (values, vectors) = symmetric_eigen(given);
            let clamped = DMat3::from_diagonal(values.max(DVec3::ZERO));
            let error = positive - vectors * clamped * vectors.transpose();
            let size = values.abs().max_element().max(1.0);
            let error = error.to_cols_array().map(f64::abs);
            assert!(
                error.iter().all(|&e| e < 1e-14 * size),
                "{given}: {error:?}"
            );
        }
    }
}
