//! Laws of solids for eight elements of constant strain at a time: energy, stress and stiffness.
//!
//! With the shape gradients g_a and m_a = M g_a, every stiffness here is
//!
//! ```text
//! K_ab = V (λ m_a m_bᵀ + µ m_b m_aᵀ + µ (g_a · g_b) N + (g_a · T g_b) I + [m_a]ᵀ Q [m_b])
//! ```
//!
//! | law | M | N | T | Q |
//! |---|---|---|---|---|
//! | small strain | I | I | 0 | 0 |
//! | corotated, its frame held | R | I | 0 | 0 |
//! | corotated | R | I | 0 | µ I + (λ tr(S - I) - 2µ) (tr S I - F Rᵀ)⁻¹ |
//! | Green | F | F Fᵀ | the stress 2µ E + λ tr E I | 0 |
//!
//! where [m] is the matrix of the cross product with m. These are the true Hessians; with the positive
//! parts of Q and T they are positive semi-definite. For the corotated law that is the projection of
//! the Hessian, and it needs no singular values: a change dF turns the frame by w, with
//! (tr S I - F Rᵀ) w the axis of dF Rᵀ - R dFᵀ; of the eigenvalues of the Hessian those of the three
//! twists alone can be negative, and they are twice those of Q.

use super::strain::LaneLaw;
use crate::energy::Curvature;
use crate::math::lane_eigen::map_eigenvalues;
use crate::math::lane_matrix::{Matrices, Vectors, cross, dot, matrices, matrix, times};
use crate::math::positive_part;
use crate::math::vector::{PACK, Pack};
use glam::DMat3;

/// Blocks of eight elements, by [`PAIRS`], each by columns.
pub(super) type Blocks = [[Pack; 9]; 6];

/// Pairs of the last three nodes, counted from the second node.
pub(super) const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1], [2, 2]];

/// The constants of eight elements by their volumes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// V λ.
    pub(super) lambda: Pack,
    /// V µ.
    pub(super) mu: Pack,
}

/// Whether the frames of elements turn when they are differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frames {
    /// The stiffness of a step of one solve.
    Held,
    /// The true Hessian, or what of it is positive.
    Turning(Curvature),
}

const ZERO: Pack = Pack::ZERO;

/// tr S - 3.
#[inline(always)]
fn excess(f: &Matrices, r: &Matrices) -> Pack {
    dot(r[0], f[0]) + dot(r[1], f[1]) + dot(r[2], f[2]) - Pack::splat(3.0)
}

/// E, or ½ (F + Fᵀ) - I, and its trace.
#[inline(always)]
fn strain(law: LaneLaw, f: &Matrices) -> (Matrices, Pack) {
    let half = Pack::splat(0.5);
    let mut strain = [[ZERO; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            let mut twice = match law {
                LaneLaw::Green => f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j],
                _ => f[i][j] + f[j][i],
            };
            if i == j {
                let rest = if law == LaneLaw::Green { 1.0 } else { 2.0 };
                twice = twice - Pack::splat(rest);
            }
            strain[i][j] = half * twice;
            strain[j][i] = strain[i][j];
        }
    }
    (strain, strain[0][0] + strain[1][1] + strain[2][2])
}

/// 2 V µ ε + V λ tr ε I.
#[inline(always)]
fn linear_stress((strain, trace): (Matrices, Pack), weights: Weights) -> Matrices {
    let mut stress = strain;
    for (i, row) in stress.iter_mut().enumerate() {
        for entry in row.iter_mut() {
            *entry = (weights.mu + weights.mu) * *entry;
        }
        row[i] = row[i] + weights.lambda * trace;
    }
    stress
}

/// V Ψ.
#[inline(always)]
pub(super) fn energies(law: LaneLaw, f: &Matrices, r: &Matrices, weights: Weights) -> Pack {
    let (squares, trace) = match law {
        LaneLaw::Corotated => {
            let mut sum = ZERO;
            for (f, r) in f.iter().flatten().zip(r.iter().flatten()) {
                let difference = *f - *r;
                sum = sum + difference * difference;
            }
            (sum, excess(f, r))
        }
        LaneLaw::Linear | LaneLaw::Green => {
            let (strain, trace) = strain(law, f);
            let mut sum = ZERO;
            for entry in strain.iter().flatten() {
                sum = sum + *entry * *entry;
            }
            (sum, trace)
        }
    };
    weights.mu * squares + Pack::splat(0.5) * weights.lambda * trace * trace
}

/// V P.
#[inline(always)]
pub(super) fn stress(law: LaneLaw, f: &Matrices, r: &Matrices, weights: Weights) -> Matrices {
    match law {
        LaneLaw::Linear => linear_stress(strain(law, f), weights),
        LaneLaw::Corotated => {
            let pressure = weights.lambda * excess(f, r);
            let mut p = [[ZERO; 3]; 3];
            for i in 0..3 {
                for j in 0..3 {
                    p[i][j] = (weights.mu + weights.mu) * (f[i][j] - r[i][j]) + pressure * r[i][j];
                }
            }
            p
        }
        LaneLaw::Green => {
            let inner = linear_stress(strain(law, f), weights);
            let mut p = [[ZERO; 3]; 3];
            for i in 0..3 {
                for j in 0..3 {
                    p[i][j] = f[i][0] * inner[0][j] + f[i][1] * inner[1][j] + f[i][2] * inner[2][j];
                }
            }
            p
        }
    }
}

/// Smallest s_i + s_j that counts: an element flat in two directions is free to turn.
const FLAT: f64 = 1e-9;

/// Product of the three sums of two stretches, above which the matrix of the sums is simply inverted; it is
/// 8 at rest.
const INVERTIBLE: f64 = 0.1;

/// V Q.
#[inline(always)]
fn twists(f: &Matrices, r: &Matrices, weights: Weights, curvature: Curvature) -> Matrices {
    let Weights { lambda, mu } = weights;
    let pull = lambda * excess(f, r) - (mu + mu);
    // tr S I - F Rᵀ, whose eigenvalues are the sums of two stretches; the lower triangle.
    let mut sums = [[ZERO; 3]; 3];
    let trace = dot(r[0], f[0]) + dot(r[1], f[1]) + dot(r[2], f[2]);
    for i in 0..3 {
        for j in 0..=i {
            sums[i][j] = ZERO - dot(f[i], r[j]);
        }
        sums[i][i] = trace + sums[i][i];
    }
    if curvature == Curvature::Full {
        sums[0][1] = sums[1][0];
        sums[0][2] = sums[2][0];
        sums[1][2] = sums[2][1];
        let cofactors = [
            cross(sums[1], sums[2]),
            cross(sums[2], sums[0]),
            cross(sums[0], sums[1]),
        ];
        let determinant = dot(sums[0], cofactors[0]);
        if determinant.to_array().iter().all(|&d| d > INVERTIBLE) {
            let factor = pull / determinant;
            let row = |r: Vectors| [factor * r[0], factor * r[1], factor * r[2]];
            let mut q = [row(cofactors[0]), row(cofactors[1]), row(cofactors[2])];
            q[0][0] = q[0][0] + mu;
            q[1][1] = q[1][1] + mu;
            q[2][2] = q[2][2] + mu;
            return q;
        }
    }
    map_eigenvalues(&sums, |sum| {
        let twist = mu + pull / sum.max(Pack::splat(FLAT));
        match curvature {
            Curvature::Full => twist,
            Curvature::Positive | Curvature::Material => twist.max(ZERO),
        }
    })
}

/// The positive parts of eight symmetric matrices.
#[inline(always)]
fn positive(stress: Matrices) -> Matrices {
    let least = |i: usize| {
        let [j, k] = [(i + 1) % 3, (i + 2) % 3];
        stress[i][i] - stress[i][j].abs() - stress[i][k].abs()
    };
    let least = least(0).min(least(1)).min(least(2));
    if least.to_array().iter().all(|&least| least >= 0.0) {
        return stress;
    }
    positive_one_by_one(&stress)
}

#[inline(never)]
fn positive_one_by_one(stress: &Matrices) -> Matrices {
    let parts: [DMat3; PACK] = std::array::from_fn(|lane| positive_part(matrix(stress, lane)));
    matrices(&parts)
}

/// The blocks V K_ab of the last three nodes; `[f, r]` are their deformations and rotations.
#[inline(always)]
pub(super) fn take_stiffness(
    (law, frames): (LaneLaw, Frames),
    [f, r]: [&Matrices; 2],
    weights: Weights,
    g: &[Vectors; 3],
    blocks: &mut Blocks,
) {
    let Weights { lambda, mu } = weights;
    // Viscosity resists the rate of Green's strain, as `Linearisation::of_rate` says.
    let law = match (law, frames) {
        (LaneLaw::Corotated, Frames::Turning(Curvature::Material)) => LaneLaw::Green,
        _ => law,
    };
    let moved = match law {
        LaneLaw::Linear => *g,
        LaneLaw::Corotated => [times(r, g[0]), times(r, g[1]), times(r, g[2])],
        LaneLaw::Green => [times(f, g[0]), times(f, g[1]), times(f, g[2])],
    };
    // Written out, since of loops the compiler makes lanes of pairs or rows where those of elements are best.
    let entries = |[a, b]: [usize; 2]| {
        let (to, from) = (moved[a], moved[b]);
        let at = |row: usize, column: usize| {
            lambda * to[row] * from[column] + mu * from[row] * to[column]
        };
        let shear = mu * dot(g[a], g[b]);
        let on = |row: usize| match law {
            LaneLaw::Green => at(row, row),
            _ => at(row, row) + shear,
        };
        [
            on(0),
            at(1, 0),
            at(2, 0),
            at(0, 1),
            on(1),
            at(2, 1),
            at(0, 2),
            at(1, 2),
            on(2),
        ]
    };
    let [p0, p1, p2, p3, p4, p5] = PAIRS;
    *blocks = [
        entries(p0),
        entries(p1),
        entries(p2),
        entries(p3),
        entries(p4),
        entries(p5),
    ];
    match (law, frames) {
        (LaneLaw::Green, _) => {
            let curvature = match frames {
                Frames::Held => Curvature::Positive,
                Frames::Turning(curvature) => curvature,
            };
            add_geometric(f, weights, curvature, g, blocks);
        }
        (LaneLaw::Corotated, Frames::Turning(curvature)) => {
            add_twists(&twists(f, r, weights, curvature), &moved, blocks);
        }
        _ => {}
    }
}

/// Adds V (µ (g_a · g_b) F Fᵀ + (g_a · T g_b) I).
#[inline(always)]
fn add_geometric(
    f: &Matrices,
    weights: Weights,
    curvature: Curvature,
    g: &[Vectors; 3],
    blocks: &mut Blocks,
) {
    let stress = linear_stress(strain(LaneLaw::Green, f), weights);
    let stress = match curvature {
        Curvature::Full => stress,
        Curvature::Positive => positive(stress),
        Curvature::Material => [[ZERO; 3]; 3],
    };
    let mut squares = [[ZERO; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            squares[i][j] = dot(f[i], f[j]);
        }
    }
    for ([a, b], block) in PAIRS.into_iter().zip(blocks) {
        let shear = weights.mu * dot(g[a], g[b]);
        let pull = dot(g[a], times(&stress, g[b]));
        for column in 0..3 {
            for row in 0..3 {
                let entry = &mut block[row + 3 * column];
                *entry = *entry + shear * squares[row][column];
            }
        }
        for entry in [0, 4, 8] {
            block[entry] = block[entry] + pull;
        }
    }
}

/// Adds [m_a]ᵀ Q [m_b].
#[inline(always)]
fn add_twists(q: &Matrices, moved: &[Vectors; 3], blocks: &mut Blocks) {
    // Rows of Q [m_b] are q_i × m_b; [m_a]ᵀ times a column c is c × m_a.
    let rows = |m: Vectors| [cross(q[0], m), cross(q[1], m), cross(q[2], m)];
    let turned = [rows(moved[0]), rows(moved[1]), rows(moved[2])];
    for ([a, b], block) in PAIRS.into_iter().zip(blocks) {
        let rows = &turned[b];
        for column in 0..3 {
            let entries = cross(
                [rows[0][column], rows[1][column], rows[2][column]],
                moved[a],
            );
            for (row, value) in entries.into_iter().enumerate() {
                let entry = &mut block[row + 3 * column];
                *entry = *entry + value;
            }
        }
    }
}
