//! Forces and stiffness of tetrahedra, eight at a time.
//!
//! With the edges e_a = x_a - x_0 and the shape gradients g_a of the other three nodes,
//!
//! ```text
//! F = Σ_a e_a ⊗ g_a,   ∂E/∂x_a = V P g_a,   ∂E/∂x_0 = -Σ_a ∂E/∂x_a
//! ```
//!
//! and every stiffness here is, with a = M g_a,
//!
//! ```text
//! K_ab = V (λ a bᵀ + µ b aᵀ + µ (g_a · g_b) N + (g_a · T g_b) I)
//! ```
//!
//! | law | M | N | T |
//! |---|---|---|---|
//! | small strain | I | I | 0 |
//! | corotated, its frame held | R | I | 0 |
//! | Green | F | F Fᵀ | the positive part of the stress 2µ E + λ tr E I |
//!
//! All three are positive semi-definite. Blocks of x_0 follow from those of the others, since rows
//! sum to zero. Frames are found by Newton's iteration R <- ½ (R + R⁻ᵀ); flat and inverted elements,
//! for which it fails, take theirs from [`nearest_rotation`].

use super::strain::LaneLaw;
use super::tetrahedra::Element;
use crate::linear::BlockMatrix;
use crate::math::nearest_rotation;
use crate::math::pack::{PACK, Pack};
use crate::math::positive_part;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// A vector in each of eight elements.
type Vectors = [Pack; 3];
/// A matrix in each of eight elements: `[row][column]`.
type Matrices = [Vectors; 3];

/// The elements of a mesh, eight at a time.
#[derive(Debug)]
pub(super) struct TetrahedronLanes {
    law: LaneLaw,
    packs: Vec<Elements>,
    count: usize,
}

/// Eight elements; where there are fewer, the last ones are weightless copies.
#[derive(Clone, Copy, Debug)]
struct Elements {
    nodes: [[u32; PACK]; 4],
    /// g_1, g_2 and g_3.
    gradients: [Vectors; 3],
    /// V λ.
    lambda: Pack,
    /// V µ.
    mu: Pack,
}

impl TetrahedronLanes {
    pub(super) fn new(law: LaneLaw, elements: &[Element]) -> Self {
        let packs = elements.chunks(PACK).map(|chunk| {
            let of = |lane: usize| &chunk[lane.min(chunk.len() - 1)];
            let weight = |lane: usize| {
                if lane < chunk.len() {
                    of(lane).volume
                } else {
                    0.0
                }
            };
            Elements {
                nodes: std::array::from_fn(|a| std::array::from_fn(|lane| of(lane).nodes[a])),
                gradients: std::array::from_fn(|a| {
                    std::array::from_fn(|c| Pack::from_fn(|lane| of(lane).gradients[a + 1][c]))
                }),
                lambda: Pack::from_fn(|lane| weight(lane) * of(lane).material.lambda),
                mu: Pack::from_fn(|lane| weight(lane) * of(lane).material.mu),
            }
        });
        Self {
            law,
            packs: packs.collect(),
            count: elements.len(),
        }
    }

    /// Adds V P g_a.
    pub(super) fn add_gradient(&self, positions: &[DVec3], gradient: &mut [DVec3]) {
        add_gradient(self.law, &self.packs, positions, gradient);
    }

    /// Adds K_ab; `slots` are those of each element, `[row][column]`.
    pub(super) fn add_stiffness(
        &self,
        positions: &[DVec3],
        slots: &[[u32; 16]],
        matrix: &mut BlockMatrix,
    ) {
        assert_eq!(slots.len(), self.count);
        add_stiffness(self.law, &self.packs, positions, slots, matrix.blocks_mut());
    }
}

const ZERO: Pack = Pack::ZERO;

#[inline(always)]
fn dot(a: Vectors, b: Vectors) -> Pack {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: Vectors, b: Vectors) -> Vectors {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline(always)]
fn times(m: &Matrices, v: Vectors) -> Vectors {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}

impl Elements {
    #[inline(always)]
    fn deformation(&self, positions: &[DVec3]) -> Matrices {
        let place = |a: usize| -> Vectors {
            let nodes = self.nodes[a].map(|node| positions[node as usize]);
            [
                Pack::from_fn(|lane| nodes[lane].x),
                Pack::from_fn(|lane| nodes[lane].y),
                Pack::from_fn(|lane| nodes[lane].z),
            ]
        };
        let origin = place(0);
        let mut f = [[ZERO; 3]; 3];
        for a in 0..3 {
            let end = place(a + 1);
            for (row, line) in f.iter_mut().enumerate() {
                let edge = end[row] - origin[row];
                for (entry, gradient) in line.iter_mut().zip(&self.gradients[a]) {
                    *entry = *entry + edge * *gradient;
                }
            }
        }
        f
    }
}

/// The rotations nearest to eight matrices.
#[inline(always)]
fn rotations(f: &Matrices) -> Matrices {
    let half = Pack::splat(0.5);
    let mut r = *f;
    for _ in 0..10 {
        let cofactors = [cross(r[1], r[2]), cross(r[2], r[0]), cross(r[0], r[1])];
        let determinant = dot(r[0], cofactors[0]);
        let range = determinant.to_array();
        if range.iter().any(|d| !(1e-3..=1e3).contains(d)) {
            break;
        }
        let inverse = half / determinant;
        let mut change = ZERO;
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
            return r;
        }
    }
    one_by_one(f)
}

/// The rotations of eight matrices some of which are far from one.
#[cold]
#[inline(never)]
fn one_by_one(f: &Matrices) -> Matrices {
    let rotations: [DMat3; PACK] = std::array::from_fn(|lane| nearest_rotation(matrix(f, lane)));
    matrices(&rotations)
}

fn matrix(of: &Matrices, lane: usize) -> DMat3 {
    let entry = |row: usize, column: usize| of[row][column].lane(lane);
    let column = |c: usize| DVec3::new(entry(0, c), entry(1, c), entry(2, c));
    DMat3::from_cols(column(0), column(1), column(2))
}

fn matrices(of: &[DMat3; PACK]) -> Matrices {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| Pack::from_fn(|lane| of[lane].col(column)[row]))
    })
}

/// 2 V µ E + V λ tr E I.
#[inline(always)]
fn green_stress(f: &Matrices, elements: &Elements) -> Matrices {
    let columns: Matrices = std::array::from_fn(|c| std::array::from_fn(|r| f[r][c]));
    let mut stress = [[ZERO; 3]; 3];
    let half = Pack::splat(0.5);
    let mut trace = ZERO;
    for i in 0..3 {
        for j in 0..=i {
            let product = dot(columns[i], columns[j]);
            let strain = if i == j {
                half * (product - Pack::splat(1.0))
            } else {
                half * product
            };
            if i == j {
                trace = trace + strain;
            }
            stress[i][j] = (elements.mu + elements.mu) * strain;
            stress[j][i] = stress[i][j];
        }
    }
    for (i, row) in stress.iter_mut().enumerate() {
        row[i] = row[i] + elements.lambda * trace;
    }
    stress
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

/// V P.
#[inline(always)]
fn stress(law: LaneLaw, f: &Matrices, elements: &Elements) -> Matrices {
    let (lambda, mu) = (elements.lambda, elements.mu);
    let one = Pack::splat(1.0);
    let mut p = [[ZERO; 3]; 3];
    match law {
        LaneLaw::Linear => {
            let trace = f[0][0] + f[1][1] + f[2][2] - Pack::splat(3.0);
            for i in 0..3 {
                for j in 0..3 {
                    p[i][j] = mu * (f[i][j] + f[j][i]);
                }
                p[i][i] = p[i][i] - (mu + mu) * one + lambda * trace;
            }
        }
        LaneLaw::Corotated => {
            let r = rotations(f);
            let trace = dot(r[0], f[0]) + dot(r[1], f[1]) + dot(r[2], f[2]);
            let pressure = lambda * (trace - Pack::splat(3.0));
            for i in 0..3 {
                for j in 0..3 {
                    p[i][j] = (mu + mu) * (f[i][j] - r[i][j]) + pressure * r[i][j];
                }
            }
        }
        LaneLaw::Green => {
            let inner = green_stress(f, elements);
            for i in 0..3 {
                for j in 0..3 {
                    p[i][j] = f[i][0] * inner[0][j] + f[i][1] * inner[1][j] + f[i][2] * inner[2][j];
                }
            }
        }
    }
    p
}

for_this_processor! {
    fn add_gradient(law: LaneLaw, packs: &[Elements], positions: &[DVec3], gradient: &mut [DVec3]) {
        for elements in packs {
            let p = stress(law, &elements.deformation(positions), elements);
            let forces = elements.gradients.map(|g| times(&p, g));
            for lane in 0..PACK {
                let mut sum = DVec3::ZERO;
                for a in 0..3 {
                    let [x, y, z] = forces[a].map(|component| component.lane(lane));
                    let force = DVec3::new(x, y, z);
                    sum += force;
                    gradient[elements.nodes[a + 1][lane] as usize] += force;
                }
                gradient[elements.nodes[0][lane] as usize] -= sum;
            }
        }
    }
}

/// The blocks K_ab of the last three nodes.
#[inline(always)]
fn take_stiffness(law: LaneLaw, f: &Matrices, elements: &Elements, blocks: &mut Blocks) {
    let (lambda, mu, g) = (elements.lambda, elements.mu, &elements.gradients);
    let moved = match law {
        LaneLaw::Linear => *g,
        LaneLaw::Corotated => {
            let r = rotations(f);
            g.map(|g| times(&r, g))
        }
        LaneLaw::Green => g.map(|g| times(f, g)),
    };
    let mut squares = [[ZERO; 3]; 3];
    let mut geometric = [[ZERO; 3]; 3];
    if law == LaneLaw::Green {
        geometric = positive(green_stress(f, elements));
        for i in 0..3 {
            for j in 0..3 {
                squares[i][j] = dot(f[i], f[j]);
            }
        }
    } else {
        for (i, row) in squares.iter_mut().enumerate() {
            row[i] = Pack::splat(1.0);
        }
    }
    for ([a, b], block) in PAIRS.into_iter().zip(blocks) {
        let shear = mu * dot(g[a], g[b]);
        for column in 0..3 {
            for row in 0..3 {
                let mut value = lambda * moved[a][row] * moved[b][column]
                    + mu * moved[b][row] * moved[a][column];
                if law == LaneLaw::Green || row == column {
                    value = value + shear * squares[row][column];
                }
                block[row + 3 * column] = value;
            }
        }
        if law == LaneLaw::Green {
            let pull = dot(g[a], times(&geometric, g[b]));
            for entry in [0, 4, 8] {
                block[entry] = block[entry] + pull;
            }
        }
    }
}

/// Blocks of eight elements, by [`PAIRS`], each by columns.
type Blocks = [[Pack; 9]; 6];

/// Pairs of the last three nodes, counted from the second node.
const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1], [2, 2]];

for_this_processor! {
    fn add_stiffness(law: LaneLaw, packs: &[Elements], positions: &[DVec3], slots: &[[u32; 16]], matrix: &mut [DMat3]) {
        let mut blocks = [[ZERO; 9]; 6];
        for (elements, slots) in packs.iter().zip(slots.chunks(PACK)) {
            let f = elements.deformation(positions);
            take_stiffness(law, &f, elements, &mut blocks);
            for (lane, slots) in slots.iter().enumerate() {
                scatter(&blocks, lane, slots, matrix);
            }
        }
    }
}

/// Adds the sixteen blocks of one element.
#[inline(always)]
fn scatter(blocks: &Blocks, lane: usize, slots: &[u32; 16], matrix: &mut [DMat3]) {
    let block = |pair: usize| {
        let entries: [f64; 9] = std::array::from_fn(|entry| blocks[pair][entry].lane(lane));
        DMat3::from_cols_array(&entries)
    };
    let mut add = |a: usize, b: usize, block: DMat3| matrix[slots[4 * a + b] as usize] += block;
    let own: [DMat3; 6] = [block(0), block(1), block(2), block(3), block(4), block(5)];
    let mut sums = [own[0], own[2], own[5]];
    for (pair, [a, b]) in PAIRS.into_iter().enumerate() {
        add(a + 1, b + 1, own[pair]);
        if a != b {
            let mirrored = own[pair].transpose();
            add(b + 1, a + 1, mirrored);
            sums[a] += own[pair];
            sums[b] += mirrored;
        }
    }
    let mut corner = DMat3::ZERO;
    for (a, sum) in sums.into_iter().enumerate() {
        add(a + 1, 0, -sum);
        add(0, a + 1, -sum.transpose());
        corner += sum;
    }
    add(0, 0, corner);
}
