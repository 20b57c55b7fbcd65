//! Symmetric 3x3 matrices: eigenvalues, and what of them is positive.

use glam::{DMat3, DVec3};

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

/// Turns the axes P and Q so that a_PQ vanishes; gives |a_PQ| before. The axes must be known to the compiler, or
/// the matrices go through memory.
#[inline(always)]
fn turn<const P: usize, const Q: usize>(a: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3]) -> f64 {
    let before = a[P][Q].abs();
    if before <= 1e-300 {
        return before;
    }
    let zeta = (a[Q][Q] - a[P][P]) / (2.0 * a[P][Q]);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for row in a.iter_mut() {
        let (x, y) = (row[P], row[Q]);
        (row[P], row[Q]) = (c * x - s * y, s * x + c * y);
    }
    for column in 0..3 {
        let (x, y) = (a[P][column], a[Q][column]);
        (a[P][column], a[Q][column]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (vectors[P][column], vectors[Q][column]);
        (vectors[P][column], vectors[Q][column]) = (c * x - s * y, s * x + c * y);
    }
    before
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi rotations.
pub(crate) fn symmetric_eigen(matrix: DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut vectors = DMat3::IDENTITY.to_cols_array_2d();
    let size = a.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    for _ in 0..16 {
        let mut off = 0.0_f64;
        off = off.max(turn::<0, 1>(&mut a, &mut vectors));
        off = off.max(turn::<0, 2>(&mut a, &mut vectors));
        off = off.max(turn::<1, 2>(&mut a, &mut vectors));
        if off <= 1e-15 * size {
            break;
        }
    }
    (
        DVec3::new(a[0][0], a[1][1], a[2][2]),
        DMat3::from_cols_array_2d(&vectors),
    )
}
