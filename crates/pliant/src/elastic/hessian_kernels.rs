//! Kernels of the positive Hessian of open surfaces: see `surface_hessian.rs`.

use super::lanes::{
    Read, Vectors, Write, at, combine, difference_of, dot, packs, plus_scaled, scaled,
};
use super::surface_hessian::{METRIC_VECTORS, NOWHERE, STAR_VECTORS, Sources, TWIST_VECTORS};
use super::surface_kernels::{bend, frame};
use crate::linear::{ENTRIES, LANES, StencilTarget};
use crate::math::processor::for_this_processor;
use crate::math::vector::{PACK, Pack};
use glam::{DMat3, DVec3};

/// Writes a vector whose components are in three lanes that follow each other.
#[inline(always)]
fn put_vector<const N: usize>(lanes: &mut Write<N>, vector: usize, i: usize, value: Vectors) {
    value[0].store(lanes[3 * vector], i);
    value[1].store(lanes[3 * vector + 1], i);
    value[2].store(lanes[3 * vector + 2], i);
}

/// Three lanes from a given one on.
#[inline(always)]
fn three<const N: usize>(lanes: &Read<N>, first: usize, i: usize) -> [Pack; 3] {
    [
        Pack::load(lanes[first], i),
        Pack::load(lanes[first + 1], i),
        Pack::load(lanes[first + 2], i),
    ]
}

/// Four vectors. No array is mapped in these kernels: the compiler would leave that outside of the
/// function that has the wide instructions.
#[inline(always)]
fn four(lanes: &[Read<3>; 4], i: usize) -> [Vectors; 4] {
    [
        at(&lanes[0], i),
        at(&lanes[1], i),
        at(&lanes[2], i),
        at(&lanes[3], i),
    ]
}

#[inline(always)]
fn less(a: Vectors, b: Vectors) -> Vectors {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn negated(a: Vectors) -> Vectors {
    scaled(a, Pack::splat(-1.0))
}

/// The positive part of the matrix of a, b and m beside the diagonal.
#[inline(always)]
fn positive_part([a, b, m]: [Pack; 3]) -> [Pack; 3] {
    let (zero, half) = (Pack::ZERO, Pack::splat(0.5));
    let (mean, difference) = (half * (a + b), half * (a - b));
    // Eigenvalues that are the same are taken to differ by next to nothing.
    let tiny = (a.abs() + b.abs()) * Pack::splat(1e-12) + Pack::splat(1e-300);
    let radius = (difference * difference + m * m).sqrt() + tiny;
    let (high, low) = (mean + radius, mean - radius);
    let (kept_high, kept_low) = (high.max(zero), low.max(zero));
    let inverse = half / radius;
    let factor = (kept_high - kept_low) * inverse;
    let shift = (kept_low * high - kept_high * low) * inverse;
    [factor * a + shift, factor * b + shift, factor * m]
}

for_this_processor! {
    /// Edges that leave a node and corners of its cell. `edge_roots` are √k of the edges, `side_values` k and G⁰ of
    /// the sides of the cell, `corner_values` √k, k and G⁰ of its corners; the edges of `cells` are those now and
    /// those from which stress is foreseen.
    ///
    /// The stress of a cell is that of its four corners: half of both sides that meet there, and the shear between
    /// them. It counts as far as it pulls.
    pub(super) fn metric_vectors(
        cells: [&[Read<3>; 4]; 2],
        inverse_spacing: [f64; 2],
        edge_roots: Read<2>,
        side_values: Read<8>,
        corner_values: Read<12>,
        numbers: Write<10>,
        vectors: Write<{ 3 * METRIC_VECTORS }>,
    ) {
        let (mut numbers, mut vectors) = (numbers, vectors);
        let spacing = inverse_spacing.map(Pack::splat);
        let area = inverse_spacing[0] * inverse_spacing[1];
        let (zero, two) = (Pack::ZERO, Pack::splat(2.0));
        for i in packs(numbers[0].len()) {
            let (sides, past) = (four(cells[0], i), four(cells[1], i));
            let moves = [
                less(sides[0], past[0]),
                less(sides[1], past[1]),
                less(sides[2], past[2]),
                less(sides[3], past[3]),
            ];
            let mut along = [zero; 4];
            for side in 0..4 {
                let k = Pack::load(side_values[2 * side], i);
                let rest = Pack::load(side_values[2 * side + 1], i);
                let (edge, moved) = (sides[side], moves[side]);
                let residual = dot(edge, edge) - rest - dot(moved, moved);
                along[side] = spacing[side / 2] * spacing[side / 2] * k * residual;
            }
            for d in 0..2 {
                let root = Pack::load(edge_roots[d], i);
                let by_end = scaled(sides[2 * d], two * spacing[d] * root);
                put_vector(&mut vectors, 2 * d, i, negated(by_end));
                put_vector(&mut vectors, 2 * d + 1, i, by_end);
            }
            let (mut a, mut b, mut m) = ([zero; 4], [zero; 4], [zero; 4]);
            for corner in 0..4 {
                let (right, top) = (corner % 2, corner / 2);
                // The signs with which the two edges leave the corner.
                let signs = [1.0 - 2.0 * right as f64, 1.0 - 2.0 * top as f64];
                let (first, second) = (sides[top], sides[2 + right]);
                let [root, k, rest] = three(&corner_values, 3 * corner, i);
                let residual =
                    dot(first, second) - rest - dot(moves[top], moves[2 + right]);
                let shear = Pack::splat(area * signs[0] * signs[1]) * k * residual;
                let part = positive_part([along[top], along[2 + right], shear]);
                (a[corner], b[corner], m[corner]) = (part[0], part[1], part[2]);
                let by_first = scaled(second, root * spacing[0] * Pack::splat(signs[0]));
                let by_second = scaled(first, root * spacing[1] * Pack::splat(signs[1]));
                let by_corner = combine(by_first, Pack::splat(-1.0), by_second, Pack::splat(-1.0));
                let vector = 4 + 3 * corner;
                put_vector(&mut vectors, vector, i, by_corner);
                put_vector(&mut vectors, vector + 1, i, by_first);
                put_vector(&mut vectors, vector + 2, i, by_second);
            }
            let by_first = [a[0] + m[0], a[1] + m[1], a[2] + m[2], a[3] + m[3]];
            let by_second = [b[0] + m[0], b[1] + m[1], b[2] + m[2], b[3] + m[3]];
            let values = [
                by_first[0] + by_second[0] + a[1] + b[2],
                by_first[1] + by_second[1] + a[0] + b[3],
                by_first[2] + by_second[2] + a[3] + b[0],
                by_first[3] + by_second[3] + a[2] + b[1],
                zero - by_first[0] - by_first[1],
                zero - by_first[2] - by_first[3],
                zero - by_second[0] - by_second[2],
                zero - by_second[1] - by_second[3],
                m[1] + m[2],
                m[0] + m[3],
            ];
            for (lane, value) in numbers.iter_mut().zip(values) {
                value.store(lane, i);
            }
        }
    }
}

for_this_processor! {
    /// B_12 in the cell of a node. `values` are √k, B⁰ and δ² L0².
    pub(super) fn twist_vectors(
        cell: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        values: Read<3>,
        vectors: Write<{ 3 * TWIST_VECTORS }>,
    ) {
        let mut vectors = vectors;
        let [i0, i1] = inverse_spacing;
        let half = Pack::splat(0.5);
        for i in packs(vectors[0].len()) {
            let [bottom, top, left, right] = four(cell, i);
            let [root, rest, smoothing] = three(&values, 0, i);
            let frame = frame(
                combine(bottom, half, top, half),
                combine(left, half, right, half),
                smoothing,
            );
            let bend = bend(&frame, difference_of(top, bottom, i1), root, rest, 1.0);
            let normal = scaled(bend.normal, Pack::splat(i0 * i1) * root);
            let by_a = scaled(bend.by_a, Pack::splat(0.5 * i0) * root);
            let by_b = scaled(bend.by_b, Pack::splat(0.5 * i1) * root);
            for (node, [a, b, d]) in [
                [-1.0, -1.0, 1.0],
                [1.0, -1.0, -1.0],
                [-1.0, 1.0, -1.0],
                [1.0, 1.0, 1.0],
            ]
            .into_iter()
            .enumerate()
            {
                let tangents = combine(by_a, Pack::splat(a), by_b, Pack::splat(b));
                let by_node = combine(tangents, Pack::splat(1.0), normal, Pack::splat(d));
                put_vector(&mut vectors, node, i, by_node);
            }
        }
    }
}

for_this_processor! {
    /// B_11 + γ B_22 and B_22 at a node. `values` are √k and B⁰ of each, then δ² L0² and γ.
    pub(super) fn star_vectors(
        edges: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        shares: Read<4>,
        values: Read<6>,
        vectors: Write<{ 3 * STAR_VECTORS }>,
    ) {
        let mut vectors = vectors;
        let minus = Pack::splat(-1.0);
        for i in packs(vectors[0].len()) {
            let sides = four(edges, i);
            let [share0, share1, share2] = three(&shares, 0, i);
            let share = [share0, share1, share2, Pack::load(shares[3], i)];
            let frame = frame(
                combine(sides[0], share[0], sides[1], share[1]),
                combine(sides[2], share[2], sides[3], share[3]),
                Pack::load(values[4], i),
            );
            let second = |d: usize| difference_of(sides[2 * d + 1], sides[2 * d], inverse_spacing[d]);
            let coupling = Pack::load(values[5], i);
            let differences = [plus_scaled(second(0), second(1), coupling), second(1)];
            // Shares of the two second differences in each measure.
            let of_differences = [[Pack::splat(1.0), coupling], [Pack::ZERO, Pack::splat(1.0)]];
            for d in 0..2 {
                let root = Pack::load(values[2 * d], i);
                let rest = Pack::load(values[2 * d + 1], i);
                let bend = bend(&frame, differences[d], root, rest, 1.0);
                let tangents = [bend.by_a, bend.by_b];
                let mut by_centre = [Pack::ZERO; 3];
                for side in 0..4 {
                    let (direction, sign) = (side / 2, [-1.0, 1.0][side % 2]);
                    let scale = Pack::splat(sign * inverse_spacing[direction]) * root;
                    let mut by_node = scaled(tangents[direction], share[side] * scale);
                    if direction >= d {
                        // A second difference grows with both neighbours.
                        let square = inverse_spacing[direction] * inverse_spacing[direction];
                        let second = Pack::splat(square) * root * of_differences[d][direction];
                        by_node = plus_scaled(by_node, bend.normal, second);
                    }
                    by_centre = combine(by_centre, Pack::splat(1.0), by_node, minus);
                    put_vector(&mut vectors, 5 * d + 1 + side, i, by_node);
                }
                put_vector(&mut vectors, 5 * d, i, by_centre);
            }
        }
    }
}

#[inline(always)]
fn vector(scratch: &[f64], stride: usize, place: usize) -> Vectors {
    [
        Pack::load(scratch, place),
        Pack::load(scratch, place + stride),
        Pack::load(scratch, place + 2 * stride),
    ]
}

/// The vector of one of the eight nodes.
#[inline(always)]
fn vector_of(a: &Vectors, lane: usize) -> DVec3 {
    DVec3::new(a[0].lane(lane), a[1].lane(lane), a[2].lane(lane))
}

/// The columns of the sum of the sources of a block, for eight nodes.
#[inline(always)]
fn sum_of(scratch: &[f64], stride: usize, sources: &Sources, i: usize) -> [Vectors; 3] {
    let mut columns = [[Pack::ZERO; 3]; 3];
    for &[u, v] in &sources.products {
        let (u, v) = (
            vector(scratch, stride, u + i),
            vector(scratch, stride, v + i),
        );
        columns = [
            plus_scaled(columns[0], u, v[0]),
            plus_scaled(columns[1], u, v[1]),
            plus_scaled(columns[2], u, v[2]),
        ];
    }
    for &number in &sources.numbers {
        let number = Pack::load(scratch, number + i);
        columns[0][0] = columns[0][0] + number;
        columns[1][1] = columns[1][1] + number;
        columns[2][2] = columns[2][2] + number;
    }
    columns
}

for_this_processor! {
    /// Adds the blocks of the nodes of a band.
    pub(super) fn gather_blocks(
        scratch: &[f64],
        stride: usize,
        sources: &[Sources; 7],
        slots: &[[[u32; 2]; 7]],
        blocks: &mut [DMat3],
    ) {
        for (pack, slots) in slots.chunks(PACK).enumerate() {
            let i = pack * PACK;
            for (offset, sources) in sources.iter().enumerate() {
                let columns = sum_of(scratch, stride, sources, i);
                for (lane, slots) in slots.iter().enumerate() {
                    let [slot, mirrored] = slots[offset];
                    if slot == NOWHERE {
                        continue;
                    }
                    let block = DMat3::from_cols(
                        vector_of(&columns[0], lane),
                        vector_of(&columns[1], lane),
                        vector_of(&columns[2], lane),
                    );
                    blocks[slot as usize] += block;
                    if mirrored != NOWHERE {
                        blocks[mirrored as usize] += block.transpose();
                    }
                }
            }
        }
    }
}

for_this_processor! {
    /// Puts the blocks of the nodes from `start` on with themselves into the diagonal of the target,
    /// those with the nodes after them into its lines.
    pub(super) fn gather_lines(
        scratch: &[f64],
        stride: usize,
        sources: &[Sources; 7],
        nodes: std::ops::Range<usize>,
        target: &mut StencilTarget,
    ) {
        let group = target.lines_per_group;
        for (pack, diagonal) in target.diagonal[nodes.clone()].chunks_mut(PACK).enumerate() {
            let i = pack * PACK;
            let row = nodes.start + i;
            let columns = sum_of(scratch, stride, &sources[0], i);
            for (lane, block) in diagonal.iter_mut().enumerate() {
                *block = DMat3::from_cols(
                    vector_of(&columns[0], lane),
                    vector_of(&columns[1], lane),
                    vector_of(&columns[2], lane),
                );
            }
            for (offset, sources) in sources[1..].iter().enumerate() {
                let columns = sum_of(scratch, stride, sources, i);
                let base = row / LANES * group + ENTRIES * offset;
                for entry in 0..ENTRIES {
                    let values = columns[entry / 3][entry % 3].to_array();
                    let line = &mut target.lines[base + entry].0[row % LANES..][..PACK];
                    for lane in 0..PACK {
                        line[lane] = values[lane] as f32;
                    }
                }
            }
        }
    }
}
