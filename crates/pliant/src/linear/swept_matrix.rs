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
//! A row keeps the blocks with the rows after it; those with the rows before it are transposes, and are read there.
//! Sweeps take as long as memory needs to bring the blocks, of which there are so but half. Rows are stored and swept
//! in an order that gives the same sums as that of the nodes: first those that wait for no other, then those that wait
//! for these alone, and so on. So the processor works on several rows at a time instead of waiting for the last.

use super::LinearError;
use super::diagonal_blocks::{ENTRIES, LANES, Lanes, Line};
use super::half_blocks::HalfBlocks;
use super::node_directions::Held;
use super::row_lists::RowLists;
use super::wave_order::{in_order, wave_order};
use crate::math::processor::{for_this_processor, quads_kernel, single_kernel};
use crate::math::vector::{Quads, Single, TILE};
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
pub(super) struct Block([[f32; 4]; 3]);

impl Block {
    const ZERO: Self = Self([[0.0; 4]; 3]);

    fn of(matrix: &DMat3) -> Self {
        let [a, b, c] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        Self([a, b, c].map(|column| Quad::of(column).0))
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
}

/// The matrix; see the module.
#[derive(Clone, Debug)]
pub(crate) struct SweptMatrix {
    count: usize,
    /// Places in a field before the first row and after the last: zeros.
    room: usize,
    /// Where in the order of sweeps each row is.
    order: Vec<u32>,
    /// Of the rows in the order of sweeps the places in a field of the rows after each, and of those before it with
    /// the block that is its transpose.
    after: RowLists<u32>,
    before: RowLists<[u32; 2]>,
    /// Those with the rows after each, and two of zeros.
    blocks: Vec<Block>,
    /// W.
    scales: Vec<DMat3>,
    /// Its rows in `f32`, for meshes.
    roots: Vec<Block>,
    /// W by its entries, for grids; each entry with room after the last row.
    lanes: Vec<f32>,
    /// Offsets to the rows after a row; none if rows differ.
    offsets: Vec<usize>,
    /// For each block of a half matrix where it is among the blocks; nowhere on the diagonal.
    targets: Vec<u32>,
}

impl SweptMatrix {
    /// Room for matrices with the pattern of `matrix`.
    pub(crate) fn new(matrix: &HalfBlocks) -> Self {
        let count = matrix.node_count();
        let above = |row: usize| matrix.above(row).iter().map(|&[other, _]| other as usize);
        let order = wave_order(count, above);
        let rows = in_order(&order);
        let below = |row: usize| matrix.row_range(row).skip(1);
        let after = rows
            .iter()
            .map(|&row| below(row).map(|slot| order[matrix.column(slot)]));
        let after = RowLists::new(after.map(Iterator::collect));
        let mut targets = vec![u32::MAX; matrix.blocks().len()];
        for (place, &row) in rows.iter().enumerate() {
            for (slot, target) in below(row).zip(after.starts[place]..) {
                targets[slot] = target;
            }
        }
        let before = rows.iter().map(|&row| {
            let blocks = matrix.above(row).iter();
            let blocks =
                blocks.map(|&[other, slot]| [order[other as usize], targets[slot as usize]]);
            blocks.collect()
        });
        let before = RowLists::new(before);
        Self {
            blocks: vec![Block::ZERO; after.items.len() + 2],
            count,
            room: 0,
            order,
            before,
            after,
            scales: vec![DMat3::ZERO; count],
            roots: vec![Block::ZERO; count],
            lanes: Vec::new(),
            offsets: Vec::new(),
            targets,
        }
    }

    /// Room for matrices over a grid with rows of `width` nodes, coupled with those at the offsets before and
    /// after them that are no more than half a row away along it.
    pub(crate) fn with_offsets(count: usize, width: usize, offsets: &[usize]) -> Self {
        let offsets = offsets.to_vec();
        let room = offsets.iter().copied().max().unwrap_or(0);
        // What lies beyond an end of a row is the next one.
        let half = (width - 1) / 2;
        let is_near = |row: usize, other: usize, offset: usize| {
            other % width + half == row % width + (offset + half) % width
        };
        let below = |row: usize, offset: usize| {
            let other = row + offset;
            (other < count && is_near(row, other, offset)).then_some(other)
        };
        let above = |row: usize, offset: usize| {
            let other = row.checked_sub(offset)?;
            is_near(other, row, offset).then_some(other)
        };
        let order = wave_order(count, |row| {
            offsets.iter().filter_map(move |&offset| above(row, offset))
        });
        let rows = in_order(&order);
        // The first place is always zero, and so is what follows the last block.
        let place = |other: usize| room as u32 + order[other];
        let width = offsets.len();
        let after = |&row: &usize| {
            let others = offsets.iter().map(|&offset| below(row, offset));
            others.map(|other| other.map_or(0, place)).collect()
        };
        let before = |&row: &usize| {
            let others = offsets.iter().enumerate().map(|(k, &offset)| {
                above(row, offset).map_or([0, (width * count) as u32], |other| {
                    [place(other), order[other] * width as u32 + k as u32]
                })
            });
            others.collect()
        };
        Self {
            count,
            room,
            after: RowLists::new(rows.iter().map(after)),
            before: RowLists::new(rows.iter().map(before)),
            blocks: vec![Block::ZERO; width * count + 2],
            order,
            scales: vec![DMat3::ZERO; count],
            roots: Vec::new(),
            lanes: vec![0.0; ENTRIES * stride(count, room)],
            targets: Vec::new(),
            offsets,
        }
    }

    /// Number of rows.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Where the first row of the order is in a field.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Where a row is in a field.
    pub(super) fn place(&self, row: usize) -> usize {
        self.room + self.order[row] as usize
    }

    /// Places of a field.
    pub(super) fn field_length(&self) -> usize {
        self.count + 2 * self.room
    }

    /// A field of zeros.
    pub(super) fn field(&self) -> Vec<Quad> {
        vec![Quad::ZERO; self.field_length()]
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
            *root = Block::of(&scale.transpose());
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
    pub(super) fn fill(&mut self, matrix: &HalfBlocks) {
        assert_eq!(self.targets.len(), matrix.blocks().len());
        scale_blocks(matrix, &self.roots, &self.targets, &mut self.blocks);
    }

    /// Takes in the blocks with the rows at an offset after each: nine lines for every sixteen rows,
    /// `step` lines from sixteen rows to the next. After `scale_by`.
    pub(crate) fn fill_offset(&mut self, offset: usize, lines: &[Line], step: usize) {
        let Some(k) = self.offsets.iter().position(|&o| o == offset) else {
            return;
        };
        let stride = stride(self.count, self.room);
        let (mut scaled, mut turned) = (Tile::ZERO, Tile::ZERO);
        let width = self.offsets.len();
        for (group, lines) in lines.chunks(step).enumerate() {
            let first = group * LANES;
            let places = [stride, first, first + offset];
            scale_lanes(&lines[..ENTRIES], &self.lanes, places, &mut scaled);
            turn(&scaled, &mut turned);
            let rows = self.order[first..].iter().zip(&turned.0);
            for (&row, block) in rows {
                self.blocks[row as usize * width + k] = Block::at(block);
            }
        }
    }

    /// The sum of the products of the blocks of a row of the order with the rows after it and a field.
    ///
    /// # Safety
    /// The processor must have the instructions of the vector; the field must be one of the matrix.
    #[inline(always)]
    pub(super) unsafe fn product_after<V: Quads>(&self, row: usize, field: &[Quad]) -> [f32; 4] {
        let range = self.after.range(row);
        let blocks = &self.blocks[range.start..range.end + 1];
        // SAFETY: the caller promises the instructions. All places are within the fields of the matrix. Sixteen numbers from the
        // start of a block on reach into the next one, which is there; a field has zeros for what is read of it.
        unsafe {
            let mut sum = V::splat(0.0);
            for (block, &place) in blocks.iter().zip(&self.after.items[range]) {
                let other = V::spread(&field.get_unchecked(place as usize).0);
                sum = sum.add(V::load(std::ptr::from_ref(block).cast()).mul(other));
            }
            sum.fold()
        }
    }

    /// The same for the rows before it.
    ///
    /// # Safety
    /// As for `product_after`.
    #[inline(always)]
    pub(super) unsafe fn product_before<V: Quads>(&self, row: usize, field: &[Quad]) -> [f32; 4] {
        // SAFETY: as above, and all blocks of the lists are there.
        unsafe {
            let mut sum = V::splat(0.0);
            for &[place, block] in &self.before.items[self.before.range(row)] {
                let other = V::repeat(&field.get_unchecked(place as usize).0);
                let block = self.blocks.as_ptr().add(block as usize);
                sum = sum.add(V::load(block.cast()).mul(other));
            }
            let [x, y, z, _] = sum.turned().fold();
            // The last group has to do with the block that follows.
            [x, y, z, 0.0]
        }
    }
}

quads_kernel! {
    /// W_iᵀ A_ij W_j of the blocks above the diagonal of a matrix.
    scale_blocks, scale_blocks_at, scale_blocks_body, <>,
    (matrix: &HalfBlocks, roots: &[Block], targets: &[u32], blocks: &mut [Block]) -> ()
}

#[inline(always)]
unsafe fn scale_blocks_body<V: Quads>(
    matrix: &HalfBlocks,
    roots: &[Block],
    targets: &[u32],
    blocks: &mut [Block],
) {
    // SAFETY: the kernel promises the instructions.
    unsafe {
        for (row, root) in roots.iter().enumerate() {
            let w0 = V::repeat(&root.0[0]);
            let w1 = V::repeat(&root.0[1]);
            let w2 = V::repeat(&root.0[2]);
            for slot in matrix.row_range(row).skip(1) {
                let (block, other) = (&matrix.blocks()[slot], &roots[matrix.column(slot)].0);
                // The columns of A, each times the numbers of W by which it is part of a column of A W.
                let product = V::repeat(block.group(0))
                    .mul(V::spread(&other[0]))
                    .add(V::repeat(block.group(1)).mul(V::spread(&other[1])))
                    .add(V::repeat(block.group(2)).mul(V::spread(&other[2])));
                let scaled = product
                    .pick::<0>()
                    .mul(w0)
                    .add(product.pick::<1>().mul(w1))
                    .add(product.pick::<2>().mul(w2));
                scaled.store_three(&mut blocks[targets[slot] as usize].0);
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
    /// W_iᵀ A W_j for sixteen blocks; `places` are the numbers from an entry of W to the next, and the first i and j.
    fn scale_lanes(
        blocks: &[Line],
        scales: &[f32],
        places: [usize; 3],
        scaled: &mut Tile,
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
                scaled.0[4 * column + row] = sum;
            }
        }
    }
}
