//! Rows of 3x3 blocks side by side, in the order in which they are swept over.

use glam::{DMat3, DVec3};

/// Rows of blocks with the unknowns that they belong to; see the module.
#[derive(Debug, Default)]
pub(super) struct SweepRows {
    /// Where each row ends.
    ends: Vec<u32>,
    unknowns: Vec<u32>,
    blocks: Vec<DMat3>,
}

impl SweepRows {
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.unknowns.clear();
        self.blocks.clear();
    }

    /// Adds a block to the row that has not ended, and gives its place.
    pub(super) fn push(&mut self, unknown: u32, block: DMat3) -> usize {
        self.unknowns.push(unknown);
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// Adds to a block.
    pub(super) fn add(&mut self, place: usize, block: DMat3) {
        self.blocks[place] += block;
    }

    pub(super) fn end_row(&mut self) {
        self.ends.push(self.blocks.len() as u32);
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// A row times a motion of all unknowns.
    #[inline(always)]
    pub(super) fn product(&self, row: usize, z: &[DVec3]) -> DVec3 {
        let first = row.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let range = first..self.ends[row] as usize;
        let mut sum = DVec3::ZERO;
        for (block, &unknown) in self.blocks[range.clone()].iter().zip(&self.unknowns[range]) {
            sum += *block * z[unknown as usize];
        }
        sum
    }
}
