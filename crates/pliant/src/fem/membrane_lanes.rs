//! Energy, forces and positive stiffness of a membrane with Biot's strain, eight triangles at a time.
//!
//! The formulas are those of `membrane.rs`. With u_a = R ∇N_a, w_a = q ∇N_a and the matrix X of motions
//! across the triangle, the blocks of the stiffness are
//!
//! ```text
//! A_ab = A (2 μ g I + λ u_a u_bᵀ + (c / s) w_a w_bᵀ + (∇N_a·X ∇N_b - 2 μ g) n nᵀ),    g = ∇N_a·∇N_b
//! ```
//!
//! They are put into a matrix in single precision, where the numbers of a block lie side by side
//! ([`Quads`]). What they are made of is found in eight triangles at a time, in `f64`.

use super::assembly::Window;
use super::membrane::{Rest, SMALLEST};
use super::pack_assembly::{HalfAssembly, HalfWindow, PackAssembly};
use crate::linear::{BlockMatrix, HalfBlocks};
use crate::math::lane_matrix::{Vectors, cross, dot, minus, places};
use crate::math::parallel::ordered_sum;
use crate::math::processor::{for_this_processor, quads_kernel};
use crate::math::vector::{PACK, Pack, Quads};
use glam::{DVec2, DVec3};

/// The pairs of corners that have a block: the lower one first.
const PAIRS: [[usize; 2]; 6] = [[0, 0], [0, 1], [1, 1], [0, 2], [1, 2], [2, 2]];

/// A number of each of eight triangles, in single precision.
type Singles = [f32; PACK];

/// The triangles of a membrane, eight at a time.
#[derive(Clone, Debug)]
pub(super) struct MembraneLanes {
    packs: Vec<Triangles>,
    lame: Lame,
    by_nodes: PackAssembly,
    by_blocks: HalfAssembly,
}

/// λ and μ, in newtons per metre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lame {
    lambda: f64,
    mu: f64,
}

/// Eight triangles; where there are fewer, the last ones are copies without area.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangles {
    /// Nodes of the corners, ascending in each triangle.
    nodes: [[u32; PACK]; 3],
    /// ∇N of the corners 1 and 2.
    gradients: [[Pack; 2]; 2],
    area: Pack,
}

/// Triangles as they are: see `Stretch` in `membrane.rs`.
struct Stretches {
    f: [Vectors; 2],
    /// 11, 12 and 22 of S.
    s: [Pack; 3],
    trace: Pack,
    /// 11, 12 and 22 of S⁻¹.
    inverse: [Pack; 3],
    normal: Vectors,
}

/// What the blocks of eight triangles are made of.
struct Parts {
    /// u, w and n, each as one of eight: `[lane][vector]`.
    vectors: [[[f32; 4]; 7]; PACK],
    /// A 2 μ g of the pairs of corners, and the factor of n nᵀ.
    isotropic: [Singles; 6],
    across: [Singles; 6],
    /// A λ and A c / s.
    stretching: Singles,
    turning: Singles,
}

impl Parts {
    const ZERO: Self = Self {
        vectors: [[[0.0; 4]; 7]; PACK],
        isotropic: [[0.0; PACK]; 6],
        across: [[0.0; PACK]; 6],
        stretching: [0.0; PACK],
        turning: [0.0; PACK],
    };
}

impl MembraneLanes {
    pub(super) fn new(triangles: &[[u32; 3]], rests: &[Rest], lambda: f64, mu: f64) -> Self {
        let packs = triangles.chunks(PACK).zip(rests.chunks(PACK));
        let packs: Vec<Triangles> = packs
            .map(|(nodes, rests)| Triangles::new(nodes, rests))
            .collect();
        Self {
            by_nodes: PackAssembly::new(packs.len()),
            by_blocks: HalfAssembly::default(),
            lame: Lame { lambda, mu },
            packs,
        }
    }

    fn nodes(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.packs.iter().map(|pack| pack.nodes.as_flattened())
    }

    pub(super) fn attach(&mut self, matrix: &BlockMatrix) {
        let mut by_nodes = std::mem::take(&mut self.by_nodes);
        by_nodes.attach(matrix, self.nodes());
        self.by_nodes = by_nodes;
    }

    pub(super) fn attach_half(&mut self, half: &HalfBlocks) {
        let mut by_blocks = std::mem::take(&mut self.by_blocks);
        by_blocks.attach(half, PACK, self.nodes(), |nodes, visit| {
            for lane in 0..PACK {
                for [a, b] in PAIRS {
                    visit([nodes[a * PACK + lane], nodes[b * PACK + lane]]);
                }
            }
        });
        self.by_blocks = by_blocks;
    }

    /// Σ A W.
    pub(super) fn energy(&self, positions: &[DVec3]) -> f64 {
        ordered_sum(self.packs.len(), |first, end| {
            let mut sum = 0.0;
            add_energy(self.lame, &self.packs[first..end], positions, &mut sum);
            sum
        })
    }

    pub(super) fn add_gradient(&self, positions: &[DVec3], gradient: &mut [DVec3]) {
        self.by_nodes.over_nodes(gradient, |packs, mut window| {
            add_gradient(self.lame, packs, &self.packs, positions, &mut window);
        });
    }

    /// Adds the positive Hessian.
    pub(super) fn add_half_hessian(&self, positions: &[DVec3], half: &mut HalfBlocks) {
        self.by_blocks.over_lines(half, |packs, window| {
            let (lame, slots) = (self.lame, &self.by_blocks.slots);
            add_blocks(packs, lame, (&self.packs, slots), positions, window);
        });
    }
}

impl Triangles {
    fn new(triangles: &[[u32; 3]], rests: &[Rest]) -> Self {
        let sorted: [([u32; 3], [DVec2; 3]); PACK] = std::array::from_fn(|lane| {
            let lane = lane.min(triangles.len() - 1);
            let [a, b] = rests[lane].gradients;
            let gradients = [-(a + b), a, b];
            let mut corners = [0, 1, 2];
            corners.sort_by_key(|&corner| triangles[lane][corner]);
            (
                corners.map(|corner| triangles[lane][corner]),
                corners.map(|corner| gradients[corner]),
            )
        });
        let areas = rests.iter().map(|rest| rest.area);
        let mut areas = areas.chain(std::iter::repeat(0.0));
        Self {
            nodes: std::array::from_fn(|a| sorted.map(|(nodes, _)| nodes[a])),
            gradients: [1, 2].map(|a| {
                let component = |c: usize| Pack::from_fn(|lane| sorted[lane].1[a][c]);
                [component(0), component(1)]
            }),
            area: Pack::from_fn(|_| areas.next().unwrap_or(0.0)),
        }
    }

    #[inline(always)]
    fn stretches(&self, positions: &[DVec3]) -> Stretches {
        let origin = places(positions, &self.nodes[0]);
        let a = minus(places(positions, &self.nodes[1]), origin);
        let b = minus(places(positions, &self.nodes[2]), origin);
        let [ga, gb] = self.gradients;
        let f = [combined(a, ga[0], b, gb[0]), combined(a, ga[1], b, gb[1])];
        let normal = cross(f[0], f[1]);
        let area = dot(normal, normal).sqrt();
        let (c11, c12, c22) = (dot(f[0], f[0]), dot(f[0], f[1]), dot(f[1], f[1]));
        let (smallest, one) = (Pack::splat(SMALLEST), Pack::splat(1.0));
        let trace = (c11 + c22 + (area + area)).sqrt().max(smallest);
        let by_trace = one / trace;
        let s = [
            (c11 + area) * by_trace,
            c12 * by_trace,
            (c22 + area) * by_trace,
        ];
        let by_area = one / area.max(smallest);
        Stretches {
            f,
            s,
            trace,
            inverse: [
                (trace - s[0]) * by_area,
                (Pack::ZERO - s[1]) * by_area,
                (trace - s[2]) * by_area,
            ],
            normal: [
                normal[0] * by_area,
                normal[1] * by_area,
                normal[2] * by_area,
            ],
        }
    }

    /// What the blocks are made of.
    #[inline(always)]
    fn take_parts(&self, lame: Lame, positions: &[DVec3], parts: &mut Parts) {
        let stretch = self.stretches(positions);
        let (lambda, mu) = (Pack::splat(lame.lambda), Pack::splat(lame.mu));
        let c = lambda * (stretch.trace - Pack::splat(2.0)) - (mu + mu);
        let turning = (c / stretch.trace).max(Pack::ZERO - mu);
        let across = positive_part([
            mu + mu + c * stretch.inverse[0],
            c * stretch.inverse[1],
            mu + mu + c * stretch.inverse[2],
        ]);
        let r = stretch.rotation();
        let [ga, gb] = self.gradients;
        let g = [
            [Pack::ZERO - ga[0] - gb[0], Pack::ZERO - ga[1] - gb[1]],
            ga,
            gb,
        ];
        for (corner, [x, y]) in g.into_iter().enumerate() {
            put(combined(r[0], x, r[1], y), corner, &mut parts.vectors);
            let turned = combined(r[0], y, r[1], Pack::ZERO - x);
            put(turned, 3 + corner, &mut parts.vectors);
        }
        put(stretch.normal, 6, &mut parts.vectors);
        for (pair, [a, b]) in PAIRS.into_iter().enumerate() {
            let (a, b) = (g[a], g[b]);
            let isotropic = self.area * (mu + mu) * (a[0] * b[0] + a[1] * b[1]);
            let bent = [
                across[0] * b[0] + across[1] * b[1],
                across[1] * b[0] + across[2] * b[1],
            ];
            let across = self.area * (a[0] * bent[0] + a[1] * bent[1]) - isotropic;
            parts.isotropic[pair] = single(isotropic);
            parts.across[pair] = single(across);
        }
        parts.stretching = single(self.area * lambda);
        parts.turning = single(self.area * turning);
    }
}

/// a x + b y.
#[inline(always)]
fn combined(a: Vectors, x: Pack, b: Vectors, y: Pack) -> Vectors {
    [
        a[0] * x + b[0] * y,
        a[1] * x + b[1] * y,
        a[2] * x + b[2] * y,
    ]
}

#[inline(always)]
fn single(pack: Pack) -> Singles {
    let mut singles = [0.0; PACK];
    for (single, value) in singles.iter_mut().zip(pack.to_array()) {
        *single = value as f32;
    }
    singles
}

/// Puts a vector of each triangle among those of each.
#[inline(always)]
fn put(vectors: Vectors, place: usize, of: &mut [[[f32; 4]; 7]; PACK]) {
    let (x, y, z) = (single(vectors[0]), single(vectors[1]), single(vectors[2]));
    for lane in 0..PACK {
        of[lane][place] = [x[lane], y[lane], z[lane], 0.0];
    }
}

impl Stretches {
    /// The columns of R = F S⁻¹.
    #[inline(always)]
    fn rotation(&self) -> [Vectors; 2] {
        let ([f0, f1], [xx, xy, yy]) = (self.f, self.inverse);
        [combined(f0, xx, f1, xy), combined(f0, xy, f1, yy)]
    }
}

/// The projection of symmetric matrices (11, 12 and 22) on their positive eigenvalues: with the lower and the
/// higher one, A - min(low, 0) I times the share of the higher one in what is left.
#[inline(always)]
fn positive_part([a, b, c]: [Pack; 3]) -> [Pack; 3] {
    let half = Pack::splat(0.5);
    let (mean, difference) = (half * (a + c), half * (a - c));
    let radius = (difference * difference + b * b).sqrt();
    let high = (mean + radius).max(Pack::ZERO);
    let low = (mean - radius).min(Pack::ZERO);
    let share = high / (high - low).max(Pack::splat(f64::MIN_POSITIVE));
    [(a - low) * share, b * share, (c - low) * share]
}

for_this_processor! {
    fn add_energy(lame: Lame, packs: &[Triangles], positions: &[DVec3], energy: &mut f64) {
        let (one, half) = (Pack::splat(1.0), Pack::splat(0.5));
        let (lambda, mu) = (Pack::splat(lame.lambda), Pack::splat(lame.mu));
        let mut sum = Pack::ZERO;
        for pack in packs {
            let stretch = pack.stretches(positions);
            let [s11, s12, s22] = stretch.s;
            let growth = stretch.trace - (one + one);
            let (x, y) = (s11 - one, s22 - one);
            let squared = x * x + y * y + (s12 + s12) * s12;
            sum = sum + pack.area * (mu * squared + half * lambda * growth * growth);
        }
        *energy = sum.to_array().iter().sum();
    }
}

for_this_processor! {
    fn add_gradient(
        lame: Lame,
        packs: &[u32],
        all: &[Triangles],
        positions: &[DVec3],
        window: &mut Window<DVec3>,
    ) {
        let (lambda, mu) = (Pack::splat(lame.lambda), Pack::splat(lame.mu));
        for &pack in packs {
            let pack = &all[pack as usize];
            let stretch = pack.stretches(positions);
            let r = stretch.rotation();
            let c = lambda * (stretch.trace - Pack::splat(2.0));
            let (stiffness, pressure) = (pack.area * (mu + mu), pack.area * c);
            let first = stress(stretch.f[0], r[0], stiffness, pressure);
            let second = stress(stretch.f[1], r[1], stiffness, pressure);
            let [ga, gb] = pack.gradients;
            let a = combined(first, ga[0], second, ga[1]);
            let b = combined(first, gb[0], second, gb[1]);
            for lane in 0..PACK {
                let a = DVec3::new(a[0].lane(lane), a[1].lane(lane), a[2].lane(lane));
                let b = DVec3::new(b[0].lane(lane), b[1].lane(lane), b[2].lane(lane));
                window.add(pack.nodes[0][lane], -(a + b));
                window.add(pack.nodes[1][lane], a);
                window.add(pack.nodes[2][lane], b);
            }
        }
    }
}

/// A ∂W/∂f of a column of F.
#[inline(always)]
fn stress(f: Vectors, r: Vectors, stiffness: Pack, pressure: Pack) -> Vectors {
    [
        stiffness * (f[0] - r[0]) + pressure * r[0],
        stiffness * (f[1] - r[1]) + pressure * r[1],
        stiffness * (f[2] - r[2]) + pressure * r[2],
    ]
}

quads_kernel! {
    /// Adds the blocks of packs of triangles; `all` are all packs, and the slots of their blocks.
    add_blocks, add_blocks_at, add_blocks_body, <>,
    (packs: &[u32], lame: Lame, all: (&[Triangles], &[u32]), positions: &[DVec3], window: HalfWindow) -> ()
}

#[inline(always)]
unsafe fn add_blocks_body<V: Quads>(
    packs: &[u32],
    lame: Lame,
    (all, slots): (&[Triangles], &[u32]),
    positions: &[DVec3],
    mut window: HalfWindow,
) {
    let slots = slots.as_chunks::<{ 6 * PACK }>().0;
    let mut identity = [0.0; 16];
    for axis in 0..3 {
        identity[5 * axis] = 1.0;
    }
    let mut parts = Parts::ZERO;
    for &pack in packs {
        all[pack as usize].take_parts(lame, positions, &mut parts);
        for (lane, slots) in slots[pack as usize].as_chunks::<6>().0.iter().enumerate() {
            let [u0, u1, u2, w0, w1, w2, n] = &parts.vectors[lane];
            // SAFETY: the kernel promises the instructions; the identity has sixteen numbers, as a line has.
            unsafe {
                let identity = V::load(identity.as_ptr());
                let across = V::repeat(n).mul(V::spread(n));
                let stretching = V::splat(parts.stretching[lane]);
                let turning = V::splat(parts.turning[lane]);
                let rows = [
                    [V::repeat(u0).mul(stretching), V::repeat(w0).mul(turning)],
                    [V::repeat(u1).mul(stretching), V::repeat(w1).mul(turning)],
                    [V::repeat(u2).mul(stretching), V::repeat(w2).mul(turning)],
                ];
                let columns = [
                    [V::spread(u0), V::spread(w0)],
                    [V::spread(u1), V::spread(w1)],
                    [V::spread(u2), V::spread(w2)],
                ];
                for (pair, [a, b]) in PAIRS.into_iter().enumerate() {
                    let Some(line) = window.line(slots[pair]) else {
                        continue;
                    };
                    let sum = V::load(line.0.as_ptr())
                        .add(identity.mul(V::splat(parts.isotropic[pair][lane])))
                        .add(across.mul(V::splat(parts.across[pair][lane])))
                        .add(rows[a][0].mul(columns[b][0]))
                        .add(rows[a][1].mul(columns[b][1]));
                    sum.store(line.0.as_mut_ptr());
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "membrane_lanes_tests.rs"]
mod tests;
