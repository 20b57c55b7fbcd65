//! A symmetric matrix of 3x3 blocks over the nodes of a mesh, in `f32`, by its upper half.
//!
//! ```text
//! (A x)_i = D_i x_i + Σ over neighbours j of A_ij (x_j - x_i),    A_ij = A_jiᵀ
//! ```
//!
//! A block lies on one line of the cache: its three columns with a zero after each. So it is added to as a
//! whole, and kernels work on the numbers of a block side by side ([`Quads`]). Elasticity answers to
//! differences alone, so that D, the sum of a row, is what inertia, loads and contact add; taking differences
//! first loses no digits to stiffness.

use super::diagonal_blocks::Line;
use super::node_directions::Held;
use super::stencil_blocks::NodeBlocks;
use super::swept_matrix::{Quad, SweptMatrix};
use super::{BlockMatrix, LinearError};
use crate::math::processor::quads_kernel;
use crate::math::vector::Quads;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// The matrix; see the module.
#[derive(Clone, Debug)]
pub struct HalfBlocks {
    /// Where the blocks of a row start: that with itself, then those with the nodes after it.
    starts: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<Line>,
    /// Where the blocks above a row start in `above`: the other row and the slot of each.
    above_starts: Vec<u32>,
    above: Vec<[u32; 2]>,
    /// Blocks of nodes with themselves, with what is added to elasticity.
    diagonal: Vec<DMat3>,
    /// D.
    added: Vec<DMat3>,
    /// x, and the sums of a product.
    x: Vec<Quad>,
    sums: Vec<Line>,
}

impl Line {
    /// The columns of a block.
    pub(crate) fn of(block: &DMat3) -> Self {
        let mut line = Self::ZERO;
        for (column, entries) in line.0.chunks_exact_mut(4).zip(block.to_cols_array_2d()) {
            for (to, from) in column.iter_mut().zip(entries) {
                *to = from as f32;
            }
        }
        line
    }

    /// The block.
    pub(crate) fn block(&self) -> DMat3 {
        let column = |c: usize| DVec3::from_array([0, 1, 2].map(|r| f64::from(self.0[4 * c + r])));
        DMat3::from_cols(column(0), column(1), column(2))
    }

    /// One of the groups of four.
    #[inline(always)]
    pub(crate) fn group(&self, group: usize) -> &[f32; 4] {
        &self.0.as_chunks::<4>().0[group]
    }
}

impl HalfBlocks {
    /// Zeros with the pattern of a matrix.
    pub(crate) fn new(matrix: &BlockMatrix) -> Self {
        let count = matrix.node_count();
        let (mut starts, mut columns) = (vec![0], Vec::new());
        let mut above: Vec<Vec<[u32; 2]>> = vec![Vec::new(); count];
        for row in 0..count {
            for slot in matrix.diagonal_slot(row)..matrix.row_range(row).end {
                let column = matrix.column(slot);
                if column != row {
                    above[column].push([row as u32, columns.len() as u32]);
                }
                columns.push(column as u32);
            }
            starts.push(columns.len() as u32);
        }
        let mut above_starts = vec![0];
        for above in &above {
            above_starts.push(above_starts[above_starts.len() - 1] + above.len() as u32);
        }
        Self {
            blocks: vec![Line::ZERO; columns.len()],
            starts,
            columns,
            above_starts,
            above: above.concat(),
            diagonal: vec![DMat3::ZERO; count],
            added: vec![DMat3::ZERO; count],
            x: vec![Quad::ZERO; count],
            sums: vec![Line::ZERO; count],
        }
    }

    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.diagonal.len()
    }

    /// The slots of a row: the block with itself, then those with the nodes after it, ascending.
    pub(crate) fn row_range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The column of a slot.
    pub(crate) fn column(&self, slot: usize) -> usize {
        self.columns[slot] as usize
    }

    /// The other rows and the slots of the blocks above a row.
    pub(super) fn above(&self, row: usize) -> &[[u32; 2]] {
        &self.above[self.above_starts[row] as usize..self.above_starts[row + 1] as usize]
    }

    /// The slot of a block on the diagonal or above it.
    pub(crate) fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.row_range(row);
        let found = self.columns[range.clone()].binary_search(&(column as u32));
        found.ok().map(|position| range.start + position)
    }

    /// Sets all blocks to zero.
    pub(crate) fn clear(&mut self) {
        self.blocks.fill(Line::ZERO);
    }

    /// All blocks, by their slots.
    pub(crate) fn blocks(&self) -> &[Line] {
        &self.blocks
    }

    /// All blocks, by their slots, to be added to.
    pub(crate) fn blocks_mut(&mut self) -> &mut [Line] {
        &mut self.blocks
    }

    /// Adds to a block on the diagonal or above it.
    ///
    /// # Panics
    /// If the two nodes are not coupled.
    pub(crate) fn add(&mut self, row: usize, column: usize, block: &DMat3) {
        match self.slot(row, column) {
            Some(slot) => {
                let sum = &mut self.blocks[slot].0;
                for (sum, value) in sum.iter_mut().zip(Line::of(block).0) {
                    *sum += value;
                }
            }
            None => panic!("nodes {row} and {column} are not coupled"),
        }
    }

    /// Takes in the upper half of a matrix whose pattern it has.
    pub(super) fn copy_from(&mut self, matrix: &BlockMatrix) {
        for row in 0..self.node_count() {
            let sources = matrix.diagonal_slot(row)..matrix.row_range(row).end;
            let range = self.row_range(row);
            for (target, block) in self.blocks[range].iter_mut().zip(&matrix.blocks()[sources]) {
                *target = Line::of(block);
            }
        }
    }

    /// Says what is added to the elasticity of a node, once after that is complete.
    pub(crate) fn set_added(&mut self, node: usize, block: DMat3) {
        self.diagonal[node] = self.blocks[self.starts[node] as usize].block() + block;
        self.added[node] = block;
    }

    /// Σ_i tr A_ii / Σ_ij tr A_ij; infinite where there is no inertia.
    pub(crate) fn stiffness_ratio(&self) -> f64 {
        let trace = |block: &DMat3| block.x_axis.x + block.y_axis.y + block.z_axis.z;
        let of_diagonal: f64 = self.diagonal.iter().map(trace).sum();
        let all: f64 = self.added.iter().map(trace).sum();
        if all > 0.0 {
            of_diagonal / all
        } else {
            f64::INFINITY
        }
    }

    /// Calls `visit` with every other node that a node is coupled with and Aᵀ v for the block in the
    /// row of `node`.
    pub(crate) fn visit_row(&self, node: usize, v: DVec3, mut visit: impl FnMut(usize, DVec3)) {
        for slot in self.row_range(node).skip(1) {
            visit(self.column(slot), self.blocks[slot].block().transpose() * v);
        }
        for &[other, slot] in self.above(node) {
            visit(other as usize, self.blocks[slot as usize].block() * v);
        }
    }

    /// Copies the matrix, of which some nodes are held.
    pub(crate) fn copy_to(
        &self,
        swept: &mut SweptMatrix,
        held: &[Held],
    ) -> Result<(), LinearError> {
        swept.scale_by(|node| self.diagonal[node], held)?;
        swept.fill(self);
        Ok(())
    }

    /// y = A x.
    pub(crate) fn multiply(&mut self, x: &[DVec3], y: &mut [DVec3]) {
        for (single, x) in self.x.iter_mut().zip(x) {
            *single = Quad::of(*x);
        }
        self.sums.fill(Line::ZERO);
        let rows = [&self.starts[..], &self.columns];
        multiply(rows, &self.blocks, &self.x, &mut self.sums);
        for (node, (y, x)) in y.iter_mut().zip(x).enumerate() {
            let sum = Quad(*self.sums[node].group(0)).vector();
            *y = self.added[node] * *x + sum;
        }
    }
}

impl NodeBlocks for HalfBlocks {
    fn diagonal_block(&self, node: usize) -> DMat3 {
        self.diagonal[node]
    }

    fn add_to_diagonal(&mut self, node: usize, block: DMat3) {
        self.diagonal[node] += block;
        self.added[node] += block;
    }
}

quads_kernel! {
    /// Puts Σ A_ij (x_j - x_i) of each row into the first four numbers of its sums, which come in as zeros. `rows` are where the
    /// blocks of the rows start and their columns.
    multiply, multiply_at, multiply_body, <>,
    (rows: [&[u32]; 2], blocks: &[Line], x: &[Quad], sums: &mut [Line]) -> ()
}

#[inline(always)]
unsafe fn multiply_body<V: Quads>(
    [starts, columns]: [&[u32]; 2],
    blocks: &[Line],
    x: &[Quad],
    sums: &mut [Line],
) {
    // SAFETY: the kernel promises the instructions; addresses are those of whole lines.
    unsafe {
        for (row, here) in x.iter().enumerate() {
            // The first block is that with itself.
            let range = starts[row] as usize + 1..starts[row + 1] as usize;
            // Rows add products of columns; what the other rows get is added by its numbers.
            let mut sum = V::splat(0.0);
            for (block, &column) in blocks[range.clone()].iter().zip(&columns[range]) {
                let there = &x[column as usize].0;
                let mut difference = [0.0; 4];
                for (difference, (there, here)) in
                    difference.iter_mut().zip(there.iter().zip(&here.0))
                {
                    *difference = there - here;
                }
                let block = V::load(block.0.as_ptr());
                sum = sum.add(block.mul(V::spread(&difference)));
                let other = &mut sums[column as usize].0;
                let product = block.mul(V::repeat(&difference));
                V::load(other.as_ptr())
                    .sub(product)
                    .store(other.as_mut_ptr());
            }
            let row_sum = &mut sums[row].0;
            let sum = V::load(row_sum.as_ptr()).turned().add(sum).fold();
            row_sum[..4].copy_from_slice(&sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::{block_noise, noise_vectors};
    use crate::math::processor::Level;

    /// Elasticity of differences and something on the diagonal, and its upper half.
    fn system() -> (BlockMatrix, HalfBlocks) {
        let count = 23;
        let pairs = (0..count).flat_map(|i| [1, 4, 9].map(|offset| (i, (i + offset) % count)));
        let mut matrix = BlockMatrix::new(count, pairs);
        for row in 0..count {
            for slot in matrix.row_range(row) {
                let column = matrix.column(slot);
                if column > row {
                    let block = block_noise(7 * row + column);
                    matrix.add(row, column, block);
                    matrix.add(column, row, block.transpose());
                    matrix.add(row, row, -block);
                    matrix.add(column, column, -block.transpose());
                }
            }
        }
        let mut half = HalfBlocks::new(&matrix);
        half.copy_from(&matrix);
        for node in 0..count {
            let added = DMat3::from_diagonal(DVec3::new(9.0, 8.0, 7.0 + node as f64));
            matrix.add(node, node, added);
            half.set_added(node, added);
        }
        (matrix, half)
    }

    #[test]
    fn products_are_those_of_the_matrix() {
        let (matrix, mut half) = system();
        let x = noise_vectors(matrix.node_count());
        let [mut wanted, mut found] = [x.clone(), x.clone()];
        matrix.multiply(&x, &mut wanted);
        half.multiply(&x, &mut found);
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((*found - *wanted).length() < 1e-5, "{found} {wanted}");
        }
    }

    #[test]
    fn products_have_the_same_bits_on_every_processor() {
        let (matrix, mut half) = system();
        let x = noise_vectors(matrix.node_count());
        half.multiply(&x, &mut x.clone());
        for level in Level::all_of_this_processor() {
            let mut sums = vec![Line::ZERO; x.len()];
            let rows = [&half.starts[..], &half.columns];
            multiply_at(level, rows, &half.blocks, &half.x, &mut sums);
            for (found, wanted) in sums.iter().zip(&half.sums) {
                assert_eq!(found.group(0), wanted.group(0), "{level:?}");
            }
        }
    }

    #[test]
    fn rows_are_those_of_the_matrix() {
        let (matrix, half) = system();
        let v = DVec3::new(0.3, -0.8, 0.5);
        for node in 0..matrix.node_count() {
            let wanted = matrix.block(matrix.diagonal_slot(node));
            assert!((half.diagonal_block(node) - *wanted).abs_diff_eq(DMat3::ZERO, 1e-5));
            let mut count = 1;
            half.visit_row(node, v, |other, found| {
                let slot = matrix.slot(node, other).unwrap();
                let wanted = matrix.block(slot).transpose() * v;
                assert!((found - wanted).length() < 1e-6, "{found} {wanted}");
                count += 1;
            });
            assert_eq!(count, matrix.row_range(node).len());
        }
    }
}
