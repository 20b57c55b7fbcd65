//! A symmetric matrix of 3x3 blocks over nodes, in compressed block rows.
//!
//! Both triangles are stored, so that a product only gathers: y_i = sum over j of A_ij x_j.

use crate::math::parallel::for_each_chunk_mut;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// A symmetric matrix of 3x3 blocks; see the module.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    row_starts: Vec<usize>,
    columns: Vec<u32>,
    blocks: Vec<DMat3>,
    diagonal: Vec<usize>,
}

impl BlockMatrix {
    /// A zero matrix over `node_count` nodes with the given couplings, their mirror images and the
    /// diagonal. Couplings may be given any number of times.
    ///
    /// # Panics
    /// If a coupling names a node beyond the last.
    pub fn new(node_count: usize, couplings: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        // First one more than there are rows, to count; then where each row begins.
        let mut starts = vec![0_usize; node_count + 1];
        for (row, column) in couplings {
            assert!(row < node_count && column < node_count, "no such node");
            pairs.push((row as u32, column as u32));
            starts[row + 1] += 1;
            starts[column + 1] += 1;
        }
        for row in 0..node_count {
            starts[row + 1] += starts[row];
        }
        let mut neighbours = vec![0_u32; 2 * pairs.len()];
        let mut next = starts.clone();
        for &(a, b) in &pairs {
            for (row, column) in [(a, b), (b, a)] {
                neighbours[next[row as usize]] = column;
                next[row as usize] += 1;
            }
        }
        drop(pairs);
        let (mut row_starts, mut columns) = (vec![0], Vec::new());
        let mut diagonal = Vec::with_capacity(node_count);
        let mut row_columns = Vec::new();
        for row in 0..node_count {
            row_columns.clear();
            row_columns.push(row as u32);
            row_columns.extend_from_slice(&neighbours[starts[row]..starts[row + 1]]);
            row_columns.sort_unstable();
            row_columns.dedup();
            let place = row_columns.partition_point(|&column| column < row as u32);
            diagonal.push(columns.len() + place);
            columns.extend_from_slice(&row_columns);
            row_starts.push(columns.len());
        }
        Self {
            row_starts,
            blocks: vec![DMat3::ZERO; columns.len()],
            columns,
            diagonal,
        }
    }

    /// Number of nodes: block rows and columns.
    pub fn node_count(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of stored blocks.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The slots of a row.
    #[inline]
    pub fn row_range(&self, row: usize) -> Range<usize> {
        self.row_starts[row]..self.row_starts[row + 1]
    }

    /// The column of a slot.
    #[inline]
    pub fn column(&self, slot: usize) -> usize {
        self.columns[slot] as usize
    }

    /// The slot of a block, by binary search: callers that fill the same blocks again keep it.
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.row_range(row);
        let found = self.columns[range.clone()].binary_search(&(column as u32));
        found.ok().map(|position| range.start + position)
    }

    /// Calls `visit` with the row and column of every block below the diagonal.
    pub fn visit_couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for row in 0..self.node_count() {
            let columns = self.row_range(row).map(|slot| self.column(slot));
            columns
                .filter(|&column| column < row)
                .for_each(|column| visit(row, column));
        }
    }

    /// The slots in another matrix of the blocks of this one.
    ///
    /// # Panics
    /// If the other matrix has not all blocks of this one.
    pub fn slots_in(&self, other: &BlockMatrix) -> Vec<u32> {
        let rows = 0..self.node_count();
        let slots = rows.flat_map(|row| {
            self.row_range(row).map(move |place| {
                let column = self.column(place);
                match other.slot(row, column) {
                    Some(slot) => slot as u32,
                    None => panic!("nodes {row} and {column} are not coupled"),
                }
            })
        });
        slots.collect()
    }

    /// The slot of a diagonal block.
    #[inline]
    pub fn diagonal_slot(&self, row: usize) -> usize {
        self.diagonal[row]
    }

    /// The block at a slot.
    #[inline]
    pub fn block(&self, slot: usize) -> &DMat3 {
        &self.blocks[slot]
    }

    /// All blocks, in the order of the slots.
    pub fn blocks(&self) -> &[DMat3] {
        &self.blocks
    }

    /// All blocks, in the order of the slots; the caller keeps the matrix symmetric.
    pub fn blocks_mut(&mut self) -> &mut [DMat3] {
        &mut self.blocks
    }

    /// Sets all blocks to zero.
    pub fn clear(&mut self) {
        self.blocks.fill(DMat3::ZERO);
    }

    /// Adds to the block at a slot. The caller adds the mirrored block too.
    #[inline]
    pub fn add_at(&mut self, slot: usize, block: DMat3) {
        self.blocks[slot] += block;
    }

    /// Adds to a block. The caller adds the mirrored (transposed) block too.
    ///
    /// # Panics
    /// If the two nodes are not coupled.
    pub fn add(&mut self, row: usize, column: usize, block: DMat3) {
        match self.slot(row, column) {
            Some(slot) => self.blocks[slot] += block,
            None => panic!("nodes {row} and {column} are not coupled"),
        }
    }

    /// Turns the rows and columns of fixed nodes into those of the identity.
    ///
    /// # Panics
    /// If there is not one flag per node.
    pub fn pin(&mut self, fixed: &[bool]) {
        assert_eq!(fixed.len(), self.node_count());
        for row in 0..fixed.len() {
            for slot in self.row_range(row) {
                let column = self.column(slot);
                if fixed[row] || fixed[column] {
                    self.blocks[slot] = if row == column {
                        DMat3::IDENTITY
                    } else {
                        DMat3::ZERO
                    };
                }
            }
        }
    }

    /// y = A x.
    ///
    /// # Panics
    /// If the fields have not one vector a node.
    pub fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        assert!(x.len() == self.node_count() && y.len() == self.node_count());
        for_each_chunk_mut(y, |first, rows| {
            for (index, y) in rows.iter_mut().enumerate() {
                *y = self.row_product(first + index, x);
            }
        });
    }

    /// One row of a product.
    #[inline]
    pub(crate) fn row_product(&self, row: usize, x: &[DVec3]) -> DVec3 {
        let range = self.row_range(row);
        let mut sum = DVec3::ZERO;
        for (block, &column) in self.blocks[range.clone()].iter().zip(&self.columns[range]) {
            sum += *block * x[column as usize];
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::{block_noise, noise_vectors};

    #[test]
    fn pattern_is_symmetric_ascending_and_has_a_diagonal() {
        let matrix = BlockMatrix::new(4, [(0, 3), (3, 0), (2, 1), (0, 3)].into_iter());
        assert_eq!(matrix.block_count(), 8);
        assert!(matrix.slot(1, 2).is_some() && matrix.slot(3, 0).is_some());
        assert_eq!(matrix.slot(0, 1), None);
        for row in 0..4 {
            let columns: Vec<usize> = matrix.row_range(row).map(|s| matrix.column(s)).collect();
            assert!(columns.is_sorted());
            assert_eq!(matrix.column(matrix.diagonal_slot(row)), row);
        }
    }

    #[test]
    fn product_sums_blocks_times_vectors() {
        let mut matrix = BlockMatrix::new(3, [(0, 2)].into_iter());
        let a = block_noise(1);
        matrix.add(0, 2, a);
        matrix.add(2, 0, a.transpose());
        matrix.add(1, 1, DMat3::IDENTITY * 2.0);
        let x = noise_vectors(3);
        let mut y = vec![DVec3::NAN; 3];
        matrix.multiply(&x, &mut y);
        assert_eq!(y, [a * x[2], x[1] * 2.0, a.transpose() * x[0]]);
        matrix.pin(&[true, false, false]);
        matrix.multiply(&x, &mut y);
        assert_eq!(y, [x[0], x[1] * 2.0, DVec3::ZERO]);
        matrix.clear();
        matrix.multiply(&x, &mut y);
        assert_eq!(y, [DVec3::ZERO; 3]);
    }
}
