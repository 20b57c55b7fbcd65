//! The part of a stress that pulls: its projection on the positive eigenvalues, by Jacobi rotations.

use crate::math::outer;
use glam::{DMat3, DVec3};

/// Most sweeps: convergence is quadratic, and 5 are usual.
const SWEEPS: usize = 8;

/// Σ max(0, s_i) v_i v_iᵀ over the eigenvalues s_i and eigenvectors v_i of a symmetric matrix.
pub(super) fn positive_stress(stress: DMat3) -> DMat3 {
    if is_definite(stress) {
        return stress;
    }
    if is_definite(-stress) {
        return DMat3::ZERO;
    }
    let mut a = stress.to_cols_array_2d();
    let mut vectors = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..SWEEPS {
        let (mixed, pure) = (
            a[0][1].abs() + a[0][2].abs() + a[1][2].abs(),
            a[0][0].abs() + a[1][1].abs() + a[2][2].abs(),
        );
        if mixed <= f64::EPSILON * pure {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut vectors, p, q);
        }
    }
    let part = |i: usize| {
        let vector = DVec3::from_array(vectors[i]);
        outer(a[i][i].max(0.0) * vector, vector)
    };
    part(0) + part(1) + part(2)
}

/// Whether all eigenvalues are positive, by the signs of the leading minors.
fn is_definite(a: DMat3) -> bool {
    let plane = a.x_axis.x * a.y_axis.y - a.x_axis.y * a.x_axis.y;
    a.x_axis.x > 0.0 && plane > 0.0 && a.determinant() > 0.0
}

/// Turns the axes p and q so that the entry between them vanishes. `vectors[i]` is axis i.
fn rotate(a: &mut [[f64; 3]; 3], vectors: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let half = 0.5 * (a[q][q] - a[p][p]);
    let tangent = a[p][q] / (half.abs() + (half * half + a[p][q] * a[p][q]).sqrt()) * half.signum();
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    for row in a.iter_mut() {
        (row[p], row[q]) = (
            cosine * row[p] - sine * row[q],
            sine * row[p] + cosine * row[q],
        );
    }
    for i in 0..3 {
        (a[p][i], a[q][i]) = (
            cosine * a[p][i] - sine * a[q][i],
            sine * a[p][i] + cosine * a[q][i],
        );
        (vectors[p][i], vectors[q][i]) = (
            cosine * vectors[p][i] - sine * vectors[q][i],
            sine * vectors[p][i] + cosine * vectors[q][i],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_are_clamped_and_the_rest_is_kept() {
        let turn = DMat3::from_rotation_x(0.4) * DMat3::from_rotation_z(1.1);
        for values in [
            DVec3::new(3.0, -2.0, 0.5),
            DVec3::new(1.0, 1.0, -1.0),
            DVec3::new(2.0, 1e-9, 4.0),
            DVec3::new(-1.0, -2.0, -3.0),
            DVec3::new(0.0, 0.0, 0.0),
        ] {
            let stress = turn * DMat3::from_diagonal(values) * turn.transpose();
            let clamped = values.max(DVec3::ZERO);
            let expected = turn * DMat3::from_diagonal(clamped) * turn.transpose();
            let found = positive_stress(stress);
            assert!(found.abs_diff_eq(expected, 1e-14), "{values}: {found}");
        }
    }
}
