//! A symmetric matrix of 3x3 blocks in `f32`, scaled so that its diagonal blocks are the identity, for
//! sweeps over the rows in their order and back.
//!
//! ```text
//! Â = Wᵀ A W = L + I + Lᵀ,    W_iᵀ A_ii W_i = I
//! ```
//!
//! W_i is the inverse of a Cholesky factor of A_ii. A node that is held along some directions has
//! P_i W_i in its place, where P_i projects them out: what is left of it there stands alone.
//!
//! A row keeps the blocks with the rows before it and after it, the nearest last: a sweep needs its
//! result first, so that the others are ready when it comes.

use super::diagonal_blocks::{ENTRIES, LANES, Lanes, Line};
use super::node_directions::Held;
use super::{BlockMatrix, LinearError};
use crate::math::processor::{for_this_processor, single_kernel};
use crate::math::vector::{Single, TILE};
use glam::{DMat3, DVec3};

/// Three numbers of a node and one that stays zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub(super) struct Quad(pub(super) [f32; 4]);

impl Quad {
    pub(super) const ZERO: Self = Self([0.0; 4]);

    pub(super) fn of(v: DVec3) -> Self {
        Self([v.x as f32, v.y as f32, v.z as f32, 0.0])
    }

    pub(super) fn vector(self) -> DVec3 {
        let [x, y, z, _] = self.0.map(f64::from);
        DVec3::new(x, y, z)
    }
}

/// The columns of a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
struct Block([[f32; 4]; 3]);

impl Block {
    const ZERO: Self = Self([[0.0; 4]; 3]);

    fn of(matrix: &DMat3) -> Self {
        let [a, b, c] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        Self([a, b, c].map(|column| Quad::of(column).0))
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        let mut product = Self::ZERO;
        for (target, factors) in product.0.iter_mut().zip(&other.0) {
            for (column, factor) in self.0.iter().zip(factors) {
                for (target, entry) in target.iter_mut().zip(column) {
                    *target += entry * factor;
                }
            }
        }
        product
    }

    #[inline(always)]
    fn transpose(&self) -> Self {
        let [a, b, c] = &self.0;
        Self([
            [a[0], b[0], c[0], 0.0],
            [a[1], b[1], c[1], 0.0],
            [a[2], b[2], c[2], 0.0],
        ])
    }

    /// The first three quarters of a line.
    #[inline(always)]
    fn at(line: &Lanes) -> Self {
        let mut block = Self::ZERO;
        for (column, entries) in block.0.iter_mut().zip(line.chunks_exact(4)) {
            column.copy_from_slice(entries);
        }
        block
    }

    /// sum -= block v
    #[inline(always)]
    fn subtract(&self, v: &Quad, sum: &mut [f32; 4]) {
        for (column, v) in self.0.iter().zip(&v.0) {
            for (sum, entry) in sum.iter_mut().zip(column) {
                *sum -= entry * v;
            }
        }
    }
}

/// The blocks of the rows with those on one side of them.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Where the blocks of a row start.
    starts: Vec<u32>,
    /// Places of the other rows in a field.
    places: Vec<u32>,
    blocks: Vec<Block>,
}

impl Side {
    fn new(rows: impl Iterator<Item = Vec<u32>>) -> Self {
        let (mut starts, mut places) = (vec![0], Vec::new());
        for row in rows {
            places.extend(row);
            starts.push(places.len() as u32);
        }
        Self {
            blocks: vec![Block::ZERO; places.len()],
            starts,
            places,
        }
    }

    /// sum -= the products of the blocks of a row with a field.
    #[inline(always)]
    pub(super) fn subtract(&self, row: usize, field: &[Quad], sum: &mut [f32; 4]) {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        for (block, &place) in self.blocks[range.clone()].iter().zip(&self.places[range]) {
            block.subtract(&field[place as usize], sum);
        }
    }
}

/// The matrix; see the module.
#[derive(Clone, Debug)]
pub(crate) struct SweptMatrix {
    count: usize,
    /// Places in a field before the first row and after the last: zeros.
    room: usize,
    pub(super) before: Side,
    pub(super) after: Side,
    /// W.
    scales: Vec<DMat3>,
    /// W in `f32`, for meshes.
    roots: Vec<Block>,
    /// W by its entries, for grids; each entry with room after the last row.
    lanes: Vec<f32>,
    /// Offsets to the rows after a row, the farthest first; none if rows differ.
    offsets: Vec<usize>,
    /// Where the blocks of `after` are in a matrix, and their transposes in `before`, if rows differ.
    sources: Vec<[u32; 2]>,
}

impl SweptMatrix {
    /// Room for matrices with the pattern of `matrix`.
    pub(crate) fn new(matrix: &BlockMatrix) -> Self {
        let count = matrix.node_count();
        let columns = |row| matrix.row_range(row).map(|slot| matrix.column(slot) as u32);
        let side = |is_after: bool| {
            Side::new((0..count as u32).map(|row| {
                let mut places: Vec<u32> = columns(row as usize)
                    .filter(|&column| column != row && (column > row) == is_after)
                    .collect();
                places.sort_unstable_by_key(|&place| std::cmp::Reverse(place.abs_diff(row)));
                places
            }))
        };
        let (before, after) = (side(false), side(true));
        let mut sources = Vec::with_capacity(after.places.len());
        for row in 0..count {
            for k in after.starts[row]..after.starts[row + 1] {
                let other = after.places[k as usize] as usize;
                let mut slots = matrix.row_range(row);
                let slot = slots.find(|&slot| matrix.column(slot) == other);
                let mut mirrors = before.starts[other]..before.starts[other + 1];
                let mirror = mirrors.find(|&k| before.places[k as usize] as usize == row);
                sources.push([slot.unwrap_or_default() as u32, mirror.unwrap_or_default()]);
            }
        }
        Self {
            count,
            room: 0,
            before,
            after,
            scales: vec![DMat3::ZERO; count],
            roots: vec![Block::ZERO; count],
            lanes: Vec::new(),
            offsets: Vec::new(),
            sources,
        }
    }

    /// Room for matrices whose rows are coupled with those at the offsets before and after them.
    pub(crate) fn with_offsets(count: usize, offsets: &[usize]) -> Self {
        let mut offsets = offsets.to_vec();
        offsets.sort_unstable_by(|a, b| b.cmp(a));
        let room = offsets.first().copied().unwrap_or(0);
        let side = |sign: isize| {
            Side::new((0..count).map(|row| {
                let places = offsets.iter();
                let places = places.map(|&o| (room + row).wrapping_add_signed(sign * o as isize));
                places.map(|place| place as u32).collect()
            }))
        };
        Self {
            count,
            room,
            before: side(-1),
            after: side(1),
            scales: vec![DMat3::ZERO; count],
            roots: Vec::new(),
            lanes: vec![0.0; ENTRIES * stride(count, room)],
            sources: Vec::new(),
            offsets,
        }
    }

    /// Number of rows.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Where the first row is in a field.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// A field of zeros.
    pub(super) fn field(&self) -> Vec<Quad> {
        vec![Quad::ZERO; self.count + 2 * self.room]
    }

    /// W of a row.
    pub(super) fn scale(&self, row: usize) -> &DMat3 {
        &self.scales[row]
    }

    /// Takes in the diagonal blocks, and along which directions rows are held.
    pub(crate) fn scale_by(
        &mut self,
        diagonal: impl Fn(usize) -> DMat3,
        held: &[Held],
    ) -> Result<(), LinearError> {
        for row in 0..self.count {
            self.scales[row] = inverse_root(&diagonal(row), row)?;
        }
        for &(row, free) in held {
            let row = row as usize;
            let block = diagonal(row);
            let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
            let taken = (DMat3::IDENTITY - free) * (trace / 3.0);
            self.scales[row] = free * inverse_root(&(free * block * free + taken), row)?;
        }
        for (root, scale) in self.roots.iter_mut().zip(&self.scales) {
            *root = Block::of(scale);
        }
        if !self.offsets.is_empty() {
            let stride = stride(self.count, self.room);
            for (row, scale) in self.scales.iter().enumerate() {
                for (entry, value) in scale.to_cols_array().into_iter().enumerate() {
                    self.lanes[entry * stride + row] = value as f32;
                }
            }
        }
        Ok(())
    }

    /// Takes in the blocks of a matrix whose pattern it was made for, after `scale_by`.
    pub(crate) fn fill(&mut self, matrix: &BlockMatrix) {
        for row in 0..self.count {
            let scale = self.roots[row].transpose();
            for k in self.after.starts[row] as usize..self.after.starts[row + 1] as usize {
                let [slot, mirror] = self.sources[k].map(|index| index as usize);
                let other = self.after.places[k] as usize;
                let block = Block::of(matrix.block(slot));
                let block = scale.times(&block.times(&self.roots[other]));
                self.after.blocks[k] = block;
                self.before.blocks[mirror] = block.transpose();
            }
        }
    }

    /// Takes in the blocks with the rows at an offset after each: nine lines for every sixteen rows,
    /// `step` lines from sixteen rows to the next. After `scale_by`.
    pub(crate) fn fill_offset(&mut self, offset: usize, lines: &[Line], step: usize) {
        let Some(k) = self.offsets.iter().position(|&o| o == offset) else {
            return;
        };
        let stride = stride(self.count, self.room);
        let (mut scaled, mut turned) = ([Tile::ZERO; 2], Tile::ZERO);
        let width = self.offsets.len();
        for (group, lines) in lines.chunks(step).enumerate() {
            let first = group * LANES;
            let places = [stride, first, first + offset];
            scale_lanes(&lines[..ENTRIES], &self.lanes, places, &mut scaled);
            let rows = LANES.min(self.count - first);
            turn(&scaled[0], &mut turned);
            let targets = self.after.blocks[first * width..].chunks_mut(width);
            for (target, block) in targets.zip(&turned.0[..rows]) {
                target[k] = Block::at(block);
            }
            turn(&scaled[1], &mut turned);
            let mirrored = (first + offset) * width;
            let targets = self.before.blocks.get_mut(mirrored..).unwrap_or_default();
            for (target, block) in targets.chunks_mut(width).zip(&turned.0[..rows]) {
                target[k] = Block::at(block);
            }
        }
    }
}

/// Numbers from an entry of W to the next: whole groups of rows and what offsets reach beyond them.
fn stride(count: usize, room: usize) -> usize {
    count.next_multiple_of(LANES) + room
}

/// C⁻ᵀ where C Cᵀ is the block.
fn inverse_root(block: &DMat3, row: usize) -> Result<DMat3, LinearError> {
    let [a, b] = [block.x_axis, block.y_axis];
    let m11 = a.x.sqrt().recip();
    let (l21, l31) = (a.y * m11, a.z * m11);
    let m22 = (b.y - l21 * l21).sqrt().recip();
    let l32 = (b.z - l31 * l21) * m22;
    let m33 = (block.z_axis.z - l31 * l31 - l32 * l32).sqrt().recip();
    let m21 = -l21 * m11 * m22;
    let m32 = -l32 * m22 * m33;
    let m31 = -(l31 * m11 + l32 * m21) * m33;
    // The columns of C⁻ᵀ are the rows of C⁻¹.
    let root = DMat3::from_cols(
        DVec3::new(m11, 0.0, 0.0),
        DVec3::new(m21, m22, 0.0),
        DVec3::new(m31, m32, m33),
    );
    match root.is_finite() {
        true => Ok(root),
        false => Err(LinearError::NotPositiveDefinite { row }),
    }
}

/// Sixteen numbers of sixteen rows, or sixteen blocks: columns of three numbers and a zero.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Tile([Lanes; TILE]);

impl Tile {
    const ZERO: Self = Self([[0.0; LANES]; TILE]);
}

single_kernel! {
    /// Exchanges rows and columns.
    turn, turn_at, turn_body, <>,
    (source: &Tile, target: &mut Tile) -> ()
}

#[inline(always)]
unsafe fn turn_body<V: Single>(source: &Tile, target: &mut Tile) {
    let (source, target) = (source.0.as_ptr().cast(), target.0.as_mut_ptr().cast());
    // SAFETY: both are whole tiles.
    unsafe { V::turn_tile(source, target, [TILE, TILE]) }
}

for_this_processor! {
    /// W_iᵀ A W_j for sixteen blocks, and their transposes; `places` are the numbers from an entry of W to the next, and
    /// the first i and j.
    fn scale_lanes(
        blocks: &[Line],
        scales: &[f32],
        places: [usize; 3],
        scaled: &mut [Tile; 2],
    ) {
        let [stride, i, j] = places;
        let mut product = [[0.0; LANES]; ENTRIES];
        for column in 0..3 {
            for k in 0..3 {
                let w = &scales[(3 * column + k) * stride + j..][..LANES];
                for row in 0..3 {
                    let a = &blocks[3 * k + row].0;
                    let sum = &mut product[3 * column + row];
                    for lane in 0..LANES {
                        sum[lane] += a[lane] * w[lane];
                    }
                }
            }
        }
        for row in 0..3 {
            for column in 0..3 {
                let mut sum = [0.0; LANES];
                for k in 0..3 {
                    let w = &scales[(3 * row + k) * stride + i..][..LANES];
                    let a = &product[3 * column + k];
                    for lane in 0..LANES {
                        sum[lane] += w[lane] * a[lane];
                    }
                }
                scaled[0].0[4 * column + row] = sum;
                scaled[1].0[4 * row + column] = sum;
            }
        }
    }
}
