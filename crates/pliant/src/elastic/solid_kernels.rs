//! The primal energy of a cell of a solid, its eight corners side by side.
//!
//! Lane n is the corner of a cell whose bits say on which side it lies. Its three edges a_i lead to the
//! corners n ^ 2^i, and with them it has seven measures:
//!
//! ```text
//! edges:    G_ii = q_ii |a_i|²
//! pairs:    G_ij = σ q_ij a_i · a_j,     σ = -1 where the edges run against each other
//! volume:   J = v det(a_0, a_1, a_2)
//! E = Σ ½ k (s - s⁰)²
//! ```
//!
//! A measure that several corners or cells share has its stiffness k at one of them and zero at the
//! others. What the corner at the end of an edge gets is what it has in its lane there: lanes are
//! exchanged by one bit.

use crate::energy::Curvature;
use crate::math::lane_matrix::{Vectors, cross, dot};
use crate::math::vector::{PACK, Pack};
use glam::{DMat3, DVec3};

/// The pairs of edges of the measures 3, 4 and 5; measure 6 is the volume.
pub(super) const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];
/// Number of measures of a corner.
pub(super) const MEASURES: usize = 7;
/// Pairs of corners of a cell that are coupled, by the bits in which they differ.
pub(super) const MASKS: [usize; 7] = [0, 1, 2, 4, 3, 5, 6];

const ZERO: Pack = Pack::ZERO;

/// A cell of a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) nodes: [u32; PACK],
    /// k.
    pub(super) stiffnesses: [Pack; MEASURES],
    /// s⁰.
    pub(super) rests: [Pack; MEASURES],
    /// v, the inverse of det at rest.
    pub(super) scale: Pack,
}

/// q_ii, and q_ij of [`PAIRS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Scales {
    pub(super) edges: [f64; 3],
    pub(super) pairs: [f64; 3],
}

/// The lanes exchanged by a bit; the bit must be known to the compiler, or the lanes go one by one.
#[inline(always)]
fn other_end<const BIT: usize>(pack: Pack) -> Pack {
    Pack::from_fn(|lane| pack.lane(lane ^ (1 << BIT)))
}

#[inline(always)]
fn edge<const BIT: usize>(x: &Vectors) -> Vectors {
    [
        other_end::<BIT>(x[0]) - x[0],
        other_end::<BIT>(x[1]) - x[1],
        other_end::<BIT>(x[2]) - x[2],
    ]
}

#[inline(always)]
fn scaled(factor: Pack, v: Vectors) -> Vectors {
    [factor * v[0], factor * v[1], factor * v[2]]
}

#[inline(always)]
fn sum(a: Vectors, b: Vectors) -> Vectors {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// f a_0 + g a_1 + h a_2.
#[inline(always)]
fn mix([f, g, h]: [Pack; 3], a: &[Vectors; 3]) -> Vectors {
    sum(sum(scaled(f, a[0]), scaled(g, a[1])), scaled(h, a[2]))
}

/// What a corner has along an axis of what its edges have: its ends get it, and it gets the opposite.
#[inline(always)]
fn at_corner(by_edges: &[Vectors; 3], axis: usize) -> Pack {
    let [by_0, by_1, by_2] = [by_edges[0][axis], by_edges[1][axis], by_edges[2][axis]];
    let ends = other_end::<0>(by_0) + other_end::<1>(by_1) + other_end::<2>(by_2);
    ends - (by_0 + by_1 + by_2)
}

/// σ q_ij of [`PAIRS`].
#[inline(always)]
fn pair_scales(scales: &Scales) -> [Pack; 3] {
    let [q01, q02, q12] = scales.pairs;
    let signed = |q: f64, same: [bool; PACK]| Pack::from_fn(|lane| if same[lane] { q } else { -q });
    let (yes, no) = (true, false);
    [
        signed(q01, [yes, no, no, yes, yes, no, no, yes]),
        signed(q02, [yes, no, yes, no, no, yes, no, yes]),
        signed(q12, [yes, yes, no, no, no, no, yes, yes]),
    ]
}

/// The edges and measures of the corners of a cell.
pub(super) struct Deformed {
    /// a_i.
    edges: [Vectors; 3],
    /// v a_j × a_k.
    areas: [Vectors; 3],
    /// s.
    measures: [Pack; MEASURES],
}

impl Cell {
    #[inline(always)]
    pub(super) fn deformed(&self, scales: &Scales, positions: &[DVec3]) -> Deformed {
        let mut places = [DVec3::ZERO; PACK];
        for (place, &node) in places.iter_mut().zip(&self.nodes) {
            *place = positions[node as usize];
        }
        let x: Vectors = [
            Pack::from_fn(|lane| places[lane].x),
            Pack::from_fn(|lane| places[lane].y),
            Pack::from_fn(|lane| places[lane].z),
        ];
        let a = [edge::<0>(&x), edge::<1>(&x), edge::<2>(&x)];
        let areas = [
            scaled(self.scale, cross(a[1], a[2])),
            scaled(self.scale, cross(a[2], a[0])),
            scaled(self.scale, cross(a[0], a[1])),
        ];
        let [q01, q02, q12] = pair_scales(scales);
        let measures = [
            Pack::splat(scales.edges[0]) * dot(a[0], a[0]),
            Pack::splat(scales.edges[1]) * dot(a[1], a[1]),
            Pack::splat(scales.edges[2]) * dot(a[2], a[2]),
            q01 * dot(a[0], a[1]),
            q02 * dot(a[0], a[2]),
            q12 * dot(a[1], a[2]),
            dot(a[0], areas[0]),
        ];
        Deformed {
            edges: a,
            areas,
            measures,
        }
    }

    /// k (s - s⁰).
    #[inline(always)]
    fn pull(&self, deformed: &Deformed, measure: usize) -> Pack {
        self.stiffnesses[measure] * (deformed.measures[measure] - self.rests[measure])
    }

    /// E of each corner.
    #[inline(always)]
    pub(super) fn energy(&self, deformed: &Deformed) -> Pack {
        let mut sum = ZERO;
        for measure in 0..MEASURES {
            let residual = deformed.measures[measure] - self.rests[measure];
            sum = sum + self.pull(deformed, measure) * residual;
        }
        Pack::splat(0.5) * sum
    }

    /// ∂E/∂x of each corner.
    #[inline(always)]
    pub(super) fn gradient(&self, scales: &Scales, deformed: &Deformed) -> Vectors {
        let pull = |measure: usize| self.pull(deformed, measure);
        let along = |i: usize| Pack::splat(2.0 * scales.edges[i]) * pull(i);
        let [q01, q02, q12] = pair_scales(scales);
        let (p01, p02, p12) = (q01 * pull(3), q02 * pull(4), q12 * pull(5));
        let swelling = pull(6);
        let [w0, w1, w2] = deformed.areas;
        let swollen = [
            scaled(swelling, w0),
            scaled(swelling, w1),
            scaled(swelling, w2),
        ];
        let by_edges = [
            sum(mix([along(0), p01, p02], &deformed.edges), swollen[0]),
            sum(mix([p01, along(1), p12], &deformed.edges), swollen[1]),
            sum(mix([p02, p12, along(2)], &deformed.edges), swollen[2]),
        ];
        [
            at_corner(&by_edges, 0),
            at_corner(&by_edges, 1),
            at_corner(&by_edges, 2),
        ]
    }

    /// The coefficients of the majorant of each edge, at both of its ends.
    #[inline(always)]
    pub(super) fn majorant(&self, scales: &Scales, deformed: &Deformed) -> [Pack; 3] {
        let a = &deformed.edges;
        let mut weights = [ZERO; 3];
        for (i, weight) in weights.iter_mut().enumerate() {
            let (measure, rest) = (deformed.measures[i], self.rests[i]);
            let residual = (measure - rest).max(ZERO);
            let size = Pack::splat(4.0) * measure.max(rest) + residual + residual;
            *weight = self.stiffnesses[i] * Pack::splat(scales.edges[i]) * size;
        }
        let squares = [dot(a[0], a[0]), dot(a[1], a[1]), dot(a[2], a[2])];
        for (pair, [i, j]) in PAIRS.into_iter().enumerate() {
            let q = Pack::splat(scales.pairs[pair]);
            let stiffness = self.stiffnesses[3 + pair];
            let straight = (q * self.pull(deformed, 3 + pair)).abs();
            let squared = (q + q) * q * stiffness;
            weights[i] = weights[i] + squared * squares[j] + straight;
            weights[j] = weights[j] + squared * squares[i] + straight;
        }
        let lengths = [squares[0].sqrt(), squares[1].sqrt(), squares[2].sqrt()];
        let [w0, w1, w2] = deformed.areas;
        let areas = [dot(w0, w0).sqrt(), dot(w1, w1).sqrt(), dot(w2, w2).sqrt()];
        let total = self.stiffnesses[6] * (areas[0] + areas[1] + areas[2]);
        let bend = (self.scale * self.pull(deformed, 6)).abs();
        for i in 0..3 {
            let others = lengths[(i + 1) % 3] + lengths[(i + 2) % 3];
            weights[i] = weights[i] + total * areas[i] + bend * others;
        }
        [
            weights[0] + other_end::<0>(weights[0]),
            weights[1] + other_end::<1>(weights[1]),
            weights[2] + other_end::<2>(weights[2]),
        ]
    }
}

/// Blocks of a cell: `[mask][3 * column + row]`, in lane n that of the corners n and n ^ mask.
pub(super) type Blocks = [[Pack; 9]; MASKS.len()];

/// Blocks by two edges: those of an edge with itself, and those of [`PAIRS`].
struct EdgeBlocks {
    edges: [[Pack; 9]; 3],
    pairs: [[Pack; 9]; 3],
}

#[inline(always)]
fn add_outer(block: &mut [Pack; 9], factor: Pack, u: Vectors, v: Vectors) {
    for column in 0..3 {
        let scaled = factor * v[column];
        for row in 0..3 {
            let entry = &mut block[3 * column + row];
            *entry = *entry + scaled * u[row];
        }
    }
}

#[inline(always)]
fn add_diagonal(block: &mut [Pack; 9], value: Pack) {
    for entry in [0, 4, 8] {
        block[entry] = block[entry] + value;
    }
}

/// Adds the matrix of the cross product with v.
#[inline(always)]
fn add_cross(block: &mut [Pack; 9], v: Vectors) {
    // Entries (row, column) of [v]: (2, 1) = v_x, (0, 2) = v_y, (1, 0) = v_z.
    for (row, column, value) in [(2, 1, v[0]), (0, 2, v[1]), (1, 0, v[2])] {
        block[3 * column + row] = block[3 * column + row] + value;
        block[3 * row + column] = block[3 * row + column] - value;
    }
}

impl Cell {
    /// The second derivatives by the edges of each corner.
    #[inline(always)]
    fn edge_blocks(
        &self,
        scales: &Scales,
        deformed: &Deformed,
        curvature: Curvature,
    ) -> EdgeBlocks {
        let (a, w) = (&deformed.edges, &deformed.areas);
        let mut blocks = EdgeBlocks {
            edges: [[ZERO; 9]; 3],
            pairs: [[ZERO; 9]; 3],
        };
        for i in 0..3 {
            let q = Pack::splat(2.0 * scales.edges[i]);
            let pull = match curvature {
                Curvature::Full => self.pull(deformed, i),
                Curvature::Positive => self.pull(deformed, i).max(ZERO),
                Curvature::Material => ZERO,
            };
            add_outer(
                &mut blocks.edges[i],
                self.stiffnesses[i] * q * q,
                a[i],
                a[i],
            );
            add_outer(&mut blocks.edges[i], self.stiffnesses[6], w[i], w[i]);
            add_diagonal(&mut blocks.edges[i], q * pull);
        }
        let signed = pair_scales(scales);
        for (pair, [i, j]) in PAIRS.into_iter().enumerate() {
            let q = signed[pair];
            let stiffness = self.stiffnesses[3 + pair] * q * q;
            add_outer(&mut blocks.edges[i], stiffness, a[j], a[j]);
            add_outer(&mut blocks.edges[j], stiffness, a[i], a[i]);
            add_outer(&mut blocks.pairs[pair], stiffness, a[j], a[i]);
            add_outer(&mut blocks.pairs[pair], self.stiffnesses[6], w[i], w[j]);
            // 2 f da·db = f/2 (|da + db|² - |da - db|²): of the two squares one is positive.
            let mut straight = q * self.pull(deformed, 3 + pair);
            match curvature {
                Curvature::Full => {}
                Curvature::Positive => {
                    straight = Pack::splat(0.5) * straight;
                    add_diagonal(&mut blocks.edges[i], straight.abs());
                    add_diagonal(&mut blocks.edges[j], straight.abs());
                }
                Curvature::Material => straight = ZERO,
            }
            add_diagonal(&mut blocks.pairs[pair], straight);
        }
        if curvature == Curvature::Full {
            // da·(db × c), da·(b × dc), db·(dc × a)
            let pull = self.scale * self.pull(deformed, 6);
            add_cross(&mut blocks.pairs[0], scaled(ZERO - pull, a[2]));
            add_cross(&mut blocks.pairs[1], scaled(pull, a[1]));
            add_cross(&mut blocks.pairs[2], scaled(ZERO - pull, a[0]));
        }
        blocks
    }

    /// The second derivatives by the corners.
    #[inline(always)]
    pub(super) fn take_blocks(
        &self,
        scales: &Scales,
        deformed: &Deformed,
        curvature: Curvature,
        blocks: &mut Blocks,
    ) {
        let EdgeBlocks { edges, pairs } = self.edge_blocks(scales, deformed, curvature);
        for at in 0..9 {
            // The same entry of the mirrored block.
            let mirror = 3 * (at % 3) + at / 3;
            let [h00, h11, h22] = [edges[0][at], edges[1][at], edges[2][at]];
            let [h01, h02, h12] = [pairs[0][at], pairs[1][at], pairs[2][at]];
            let [h10, h20, h21] = [pairs[0][mirror], pairs[1][mirror], pairs[2][mirror]];
            // Rows of an end, columns of the corner; and the other way round.
            let ends = [h00 + h01 + h02, h10 + h11 + h12, h20 + h21 + h22];
            let corners = [h00 + h10 + h20, h01 + h11 + h21, h02 + h12 + h22];
            let across = other_end::<0>(h00) + other_end::<1>(h11) + other_end::<2>(h22);
            blocks[0][at] = ends[0] + ends[1] + ends[2] + across;
            blocks[1][at] = ZERO - corners[0] - other_end::<0>(ends[0]);
            blocks[2][at] = ZERO - corners[1] - other_end::<1>(ends[1]);
            blocks[3][at] = ZERO - corners[2] - other_end::<2>(ends[2]);
            blocks[4][at] = other_end::<0>(h01) + other_end::<1>(h10);
            blocks[5][at] = other_end::<0>(h02) + other_end::<2>(h20);
            blocks[6][at] = other_end::<1>(h12) + other_end::<2>(h21);
        }
    }
}

/// The block of a lane.
#[inline(always)]
pub(super) fn block(of: &[Pack; 9], lane: usize) -> DMat3 {
    let entries: [f64; 9] = std::array::from_fn(|entry| of[entry].lane(lane));
    DMat3::from_cols_array(&entries)
}
