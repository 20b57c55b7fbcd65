//! Vectors and matrices in eight elements at a time, and their rotations.
//!
//! Rotations nearest to matrices are found by Newton's iteration R <- ½ (R + R⁻ᵀ) (Higham). Flat and
//! inverted matrices, for which it fails, take theirs from [`nearest_rotation`].

use super::nearest_rotation;
use super::vector::{PACK, Pack};
use glam::{DMat3, DVec3};

/// A vector in each of eight elements.
pub(crate) type Vectors = [Pack; 3];
/// A matrix in each of eight elements: `[row][column]`.
pub(crate) type Matrices = [Vectors; 3];

const ZERO: Pack = Pack::ZERO;

/// Where eight nodes are.
#[inline(always)]
pub(crate) fn places(positions: &[DVec3], nodes: &[u32; PACK]) -> Vectors {
    let mut axes = [[0.0; PACK]; 3];
    for (lane, &node) in nodes.iter().enumerate() {
        let place = positions[node as usize];
        axes[0][lane] = place.x;
        axes[1][lane] = place.y;
        axes[2][lane] = place.z;
    }
    [
        Pack::load(&axes[0], 0),
        Pack::load(&axes[1], 0),
        Pack::load(&axes[2], 0),
    ]
}

#[inline(always)]
pub(crate) fn minus(a: Vectors, b: Vectors) -> Vectors {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn dot(a: Vectors, b: Vectors) -> Pack {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: Vectors, b: Vectors) -> Vectors {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// M v.
#[inline(always)]
pub(crate) fn times(m: &Matrices, v: Vectors) -> Vectors {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}

/// One of eight matrices.
pub(crate) fn matrix(of: &Matrices, lane: usize) -> DMat3 {
    let entry = |row: usize, column: usize| of[row][column].lane(lane);
    let column = |c: usize| DVec3::new(entry(0, c), entry(1, c), entry(2, c));
    DMat3::from_cols(column(0), column(1), column(2))
}

/// Eight matrices.
pub(crate) fn matrices(of: &[DMat3; PACK]) -> Matrices {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| Pack::from_fn(|lane| of[lane].col(column)[row]))
    })
}

/// Newton's iterations after which a matrix is left to its singular values.
const ITERATIONS: usize = 10;

/// The rotations nearest to eight matrices.
#[inline(always)]
pub(crate) fn rotations(f: &Matrices) -> Matrices {
    let half = Pack::splat(0.5);
    let determinants = dot(f[0], cross(f[1], f[2])).to_array();
    let near = determinants.map(|d| (1e-3..=1e3).contains(&d));
    let all_near = near.iter().all(|&near| near);
    let mut r = if all_near {
        *f
    } else {
        identity_unless(&near, f)
    };
    let mut change = ZERO;
    for _ in 0..ITERATIONS {
        let cofactors = [cross(r[1], r[2]), cross(r[2], r[0]), cross(r[0], r[1])];
        let inverse = half / dot(r[0], cofactors[0]);
        change = ZERO;
        for row in 0..3 {
            for column in 0..3 {
                let next = half * r[row][column] + cofactors[row][column] * inverse;
                let step = next - r[row][column];
                change = change + step * step;
                r[row][column] = next;
            }
        }
        // Convergence is quadratic: the next change would be about the square of this one.
        if change.to_array().iter().all(|&change| change < 1e-16) {
            break;
        }
    }
    let change = change.to_array();
    let found: [bool; PACK] = std::array::from_fn(|lane| near[lane] && change[lane] < 1e-16);
    if found.iter().all(|&found| found) {
        r
    } else {
        with_single_rotations(&found, &r, f)
    }
}

/// The matrices, with the identity in lanes that Newton's iteration must not see.
#[cold]
#[inline(never)]
fn identity_unless(near: &[bool; PACK], f: &Matrices) -> Matrices {
    matrices(&std::array::from_fn(|lane| match near[lane] {
        true => matrix(f, lane),
        false => DMat3::IDENTITY,
    }))
}

/// The rotations `r`, with those found one by one in lanes where Newton's iteration has failed.
#[cold]
#[inline(never)]
fn with_single_rotations(found: &[bool; PACK], r: &Matrices, f: &Matrices) -> Matrices {
    matrices(&std::array::from_fn(|lane| match found[lane] {
        true => matrix(r, lane),
        false => nearest_rotation(matrix(f, lane)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SignedSvd;
    use glam::DQuat;

    #[test]
    fn rotations_are_those_of_the_singular_values() {
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.7, -1.9, 0.4)));
        let other = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(-0.2, 0.9, 2.4)));
        let stretches = [
            DVec3::ONE,
            DVec3::new(3.0, 2.0, 0.1),
            DVec3::new(2.0, 1.0, -0.7),
            DVec3::new(30.0, 20.0, 2e-3),
            DVec3::new(1.0, 0.5, 0.0),
            DVec3::new(1.01, 0.99, 1.02),
            DVec3::new(1e3, 1.0, 0.7),
            DVec3::new(0.2, 0.3, 0.1),
        ];
        let f = stretches.map(|s| turn * DMat3::from_diagonal(s) * other);
        let found = rotations(&matrices(&f));
        for (lane, f) in f.into_iter().enumerate() {
            let error = matrix(&found, lane) - SignedSvd::new(f).rotation();
            let error = error.to_cols_array().map(f64::abs);
            assert!(error.iter().all(|&e| e < 1e-12), "{lane}: {error:?}");
        }
    }
}
