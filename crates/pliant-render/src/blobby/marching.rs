//! Marching cubes over blocks of samples.

use super::Kernel;
use super::cases::{EDGE_CORNERS, cases};
use super::samples::{Block, BlockKey, SIDE, Samples};
use crate::color_map::Color;
use crate::draw_list::{Mesh, Paint};
use glam::Vec3;
use rayon::prelude::*;

/// Side of a block with a sample before it and two after it: what its vertices need.
const PADDED: usize = SIDE + 3;

/// The vertices of a block: those on edges that begin at its samples.
#[derive(Default)]
struct Piece {
    /// Three times the sample plus the direction, ascending.
    edges: Vec<u16>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    colors: Vec<Color>,
}

/// The surface where the samples cross the threshold.
pub fn march(samples: &Samples, kernel: &Kernel, colors: &[Color]) -> Mesh {
    let pieces: Vec<Piece> = samples
        .blocks
        .par_iter()
        .map(|block| vertices(samples, block, kernel, colors))
        .collect();
    let mut firsts = Vec::with_capacity(pieces.len());
    let mut count = 0;
    for piece in &pieces {
        firsts.push(count);
        count += piece.positions.len() as u32;
    }
    let triangles: Vec<Vec<[u32; 3]>> = samples
        .blocks
        .par_iter()
        .map(|block| triangles(samples, block, kernel, &pieces, &firsts))
        .collect();
    let mut mesh = Mesh {
        paint: match colors {
            [] => Paint::default(),
            [color] => Paint::Color(*color),
            _ => Paint::Vertices,
        },
        triangles: triangles.concat(),
        ..Mesh::default()
    };
    for piece in pieces {
        mesh.positions.extend(piece.positions);
        mesh.normals.extend(piece.normals);
        mesh.colors.extend(piece.colors);
    }
    mesh
}

/// The samples of a block and of a margin round it. Where there is no block the sum is zero.
fn padded(samples: &Samples, block: &Block) -> Vec<f32> {
    let mut values = vec![0.0; PADDED * PADDED * PADDED];
    let side = SIDE as i32;
    // For each neighbour the range of the padded block it fills, and its own first sample there.
    let ranges = [
        (-1, 0..1, side - 1),
        (0, 1..side + 1, 0),
        (1, side + 1..side + 3, 0),
    ];
    for (z, z_range, z_first) in &ranges {
        for (y, y_range, y_first) in &ranges {
            for (x, x_range, x_first) in &ranges {
                let Some(neighbour) = neighbour(samples, block.key, [*x, *y, *z]) else {
                    continue;
                };
                let length = x_range.len();
                for (k, row) in z_range.clone().enumerate() {
                    for (j, column) in y_range.clone().enumerate() {
                        let to = x_range.start as usize
                            + PADDED * (column as usize + PADDED * row as usize);
                        let from = *x_first as usize
                            + SIDE * (*y_first as usize + j + SIDE * (*z_first as usize + k));
                        values[to..to + length]
                            .copy_from_slice(&neighbour.values[from..from + length]);
                    }
                }
            }
        }
    }
    values
}

/// For each row of a padded block the samples inside, one bit each, the first one lowest.
fn insides(values: &[f32], threshold: f32) -> Vec<u32> {
    let bits = |row: &[f32]| {
        let mut bits = 0;
        for (x, value) in row.iter().enumerate() {
            bits |= u32::from(*value >= threshold) << x;
        }
        bits
    };
    values.chunks_exact(PADDED).map(bits).collect()
}

fn neighbour(samples: &Samples, key: BlockKey, step: [i32; 3]) -> Option<&Block> {
    samples.block(std::array::from_fn(|d| key[d] + step[d]))
}

fn vertices(samples: &Samples, block: &Block, kernel: &Kernel, colors: &[Color]) -> Piece {
    let mut piece = Piece::default();
    let threshold = kernel.threshold;
    if !is_crossed(samples, block, threshold) {
        return piece;
    }
    let values = padded(samples, block);
    let strides = [1, PADDED, PADDED * PADDED];
    let insides = insides(&values, threshold);
    for row in 0..SIDE * SIDE {
        // Where the surface crosses the edges that begin in this row, along x, y and z.
        let first = (row % SIDE + 1) + PADDED * (row / SIDE + 1);
        let here = insides[first];
        let crossed = [
            here ^ here >> 1,
            here ^ insides[first + 1],
            here ^ insides[first + PADDED],
        ];
        let mut left = (crossed[0] | crossed[1] | crossed[2]) & ((1 << SIDE) - 1) << 1;
        while left != 0 {
            let column = left.trailing_zeros() as usize;
            left &= left - 1;
            let at = PADDED * first + column;
            let place = [column - 1, row % SIDE, row / SIDE];
            let sample = SIDE * row + column - 1;
            for (d, stride) in strides.into_iter().enumerate() {
                if crossed[d] & 1 << column != 0 {
                    let edge = Edge { at, stride, d };
                    piece.edges.push((3 * sample + d) as u16);
                    add_vertex(
                        samples,
                        block,
                        kernel,
                        colors,
                        (&values, place, edge),
                        &mut piece,
                    );
                }
            }
        }
    }
    piece
}

/// An edge of the lattice in a padded block: where it begins, how far away it ends, its direction.
#[derive(Clone, Copy)]
struct Edge {
    at: usize,
    stride: usize,
    d: usize,
}

/// Adds the vertex where the surface crosses an edge that begins at `place` in the block.
fn add_vertex(
    samples: &Samples,
    block: &Block,
    kernel: &Kernel,
    colors: &[Color],
    (values, place, edge): (&[f32], [usize; 3], Edge),
    piece: &mut Piece,
) {
    let Edge { at, stride, d } = edge;
    let gradient = |at: usize| {
        let strides = [1, PADDED, PADDED * PADDED];
        Vec3::from(strides.map(|stride| 0.5 * (values[at + stride] - values[at - stride])))
    };
    let [start, end] = [at, at + stride].map(|at| values[at] - kernel.threshold);
    let (before, after) = (gradient(at), gradient(at + stride));
    let share = crossing(start, end, before[d], after[d]);
    let mut local = Vec3::from(place.map(|x| x as f32));
    local[d] += share;
    let normal = -before.lerp(after, share).normalize_or(Vec3::NEG_Z);
    let corner = block.corner();
    let position = (corner + local.as_dvec3()) * samples.spacing;
    piece.positions.push(position.as_vec3().to_array());
    piece.normals.push(normal.to_array());
    if colors.len() > 1 {
        let place = corner.as_vec3() + local;
        let reach = (kernel.reach / samples.spacing) as f32;
        piece
            .colors
            .push(color_at(samples, block, place, reach, colors));
    }
}

/// Whether some sample of a block, or just beyond its upper ends, is inside and some other outside.
fn is_crossed(samples: &Samples, block: &Block, threshold: f32) -> bool {
    let (mut highest, mut lowest) = (block.highest, block.lowest);
    for k in 1..8 {
        match neighbour(samples, block.key, [k & 1, k >> 1 & 1, k >> 2]) {
            Some(next) => {
                highest = highest.max(next.highest);
                lowest = lowest.min(next.lowest);
            }
            None => lowest = 0.0,
        }
    }
    highest >= threshold && lowest < threshold
}

/// Where a cubic with these values and slopes at 0 and 1 is zero.
fn crossing(start: f32, end: f32, start_slope: f32, end_slope: f32) -> f32 {
    let mut t = start / (start - end);
    let bend = 3.0 * (end - start) - 2.0 * start_slope - end_slope;
    let twist = 2.0 * (start - end) + start_slope + end_slope;
    for _ in 0..2 {
        let value = start + t * (start_slope + t * (bend + t * twist));
        let slope = start_slope + t * (2.0 * bend + 3.0 * t * twist);
        let better = t - value / slope;
        if better.is_finite() {
            t = better.clamp(0.0, 1.0);
        }
    }
    if t.is_finite() {
        t.clamp(0.0, 1.0)
    } else {
        0.5
    }
}

/// The colours of the particles near a place (in spacings), each as much as its kernel counts.
fn color_at(samples: &Samples, block: &Block, place: Vec3, reach: f32, colors: &[Color]) -> Color {
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for &particle in &block.particles {
        let distance = (samples.particles[particle as usize] - place).length_squared();
        let weight = (1.0 - distance / (reach * reach)).max(0.0).powi(3);
        if weight > 0.0 {
            let color = colors.get(particle as usize).copied().unwrap_or([0.35; 3]);
            sum += weight * Vec3::from(color);
            total += weight;
        }
    }
    if total > 0.0 {
        (sum / total).to_array()
    } else {
        [0.35; 3]
    }
}

fn triangles(
    samples: &Samples,
    block: &Block,
    kernel: &Kernel,
    pieces: &[Piece],
    firsts: &[u32],
) -> Vec<[u32; 3]> {
    let mut found = Vec::new();
    let threshold = kernel.threshold;
    if !is_crossed(samples, block, threshold) {
        return found;
    }
    let values = padded(samples, block);
    // Blocks that begin at the upper ends of this one, itself included.
    let places: [Option<u32>; 8] = std::array::from_fn(|k| {
        let step = [k & 1, k >> 1 & 1, k >> 2];
        let key = std::array::from_fn(|d| block.key[d] + step[d] as i32);
        samples.places.get(&key).copied()
    });
    let vertex = |cell: [usize; 3], edge: usize| -> Option<u32> {
        let corner = EDGE_CORNERS[edge][0];
        let (mut home, mut sample, mut stride) = (0, 0, 1);
        for (d, &start) in cell.iter().enumerate() {
            let mut place = start + (corner >> d & 1);
            if place == SIDE {
                place = 0;
                home |= 1 << d;
            }
            sample += place * stride;
            stride *= SIDE;
        }
        let block = places[home]? as usize;
        let id = (3 * sample + edge / 4) as u16;
        let index = pieces[block].edges.binary_search(&id).ok()?;
        Some(firsts[block] + index as u32)
    };
    let table = cases();
    let insides = insides(&values, threshold);
    for z in 0..SIDE {
        for y in 0..SIDE {
            let first = (y + 1) + PADDED * (z + 1);
            // The rows of samples along the four edges of a row of cells, from their first cell on.
            let rows = [0, 1, PADDED, PADDED + 1].map(|step| insides[first + step] >> 1);
            let all = (1 << (SIDE + 1)) - 1;
            let [some, every] = [
                rows.iter().fold(0, |some, row| some | row) & all,
                rows.iter().fold(all, |every, row| every & row),
            ];
            if some == 0 || every == all {
                continue;
            }
            // The four corners of a cell with the same x are shared with the cell before it.
            let corners = |x: usize| {
                let bits = rows.iter().enumerate();
                bits.fold(0, |case, (k, row)| {
                    case | ((row >> x & 1) as usize) << (2 * k)
                })
            };
            let mut left = corners(0);
            for x in 0..SIDE {
                let right = corners(x + 1);
                let case = left | right << 1;
                left = right;
                for triangle in &table[case] {
                    let corners = triangle.map(|edge| vertex([x, y, z], usize::from(edge)));
                    if let [Some(a), Some(b), Some(c)] = corners {
                        found.push([a, b, c]);
                    }
                }
            }
        }
    }
    found
}
