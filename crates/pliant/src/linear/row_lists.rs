//! A list for each row, all of them one after the other.

use std::ops::Range;

#[derive(Clone, Debug)]
pub(super) struct RowLists<T> {
    /// Where the list of a row starts.
    pub(super) starts: Vec<u32>,
    pub(super) items: Vec<T>,
}

impl<T> RowLists<T> {
    pub(super) fn new(rows: impl Iterator<Item = Vec<T>>) -> Self {
        let (mut starts, mut items) = (vec![0], Vec::new());
        for row in rows {
            items.extend(row);
            starts.push(items.len() as u32);
        }
        Self { starts, items }
    }

    /// The items of a row.
    #[inline(always)]
    pub(super) fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }
}
