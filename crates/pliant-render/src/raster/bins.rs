//! Which things may touch which tile of the picture.

use super::tile::TILE;

/// For each tile, the things that may touch it, in their order.
pub(crate) struct Bins {
    /// Number of tiles in a row.
    columns: usize,
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Bins {
    /// Sorts things with these numbers and bounds (first column, first row, end of columns, end of rows)
    /// into the tiles of a picture of that size.
    pub fn new(size: [usize; 2], things: impl Iterator<Item = (u32, [u32; 4])> + Clone) -> Self {
        let columns = size[0].div_ceil(TILE);
        let rows = size[1].div_ceil(TILE);
        let mut starts = vec![0_u32; columns * rows + 1];
        for (_, bounds) in things.clone() {
            each_tile(bounds, columns, |tile| starts[tile + 1] += 1);
        }
        for tile in 0..columns * rows {
            starts[tile + 1] += starts[tile];
        }
        let mut ends = starts.clone();
        let mut items = vec![0; starts[columns * rows] as usize];
        for (number, bounds) in things {
            each_tile(bounds, columns, |tile| {
                items[ends[tile] as usize] = number;
                ends[tile] += 1;
            });
        }
        Self {
            columns,
            starts,
            items,
        }
    }

    /// The things that may touch a tile.
    pub fn of_tile(&self, column: usize, row: usize) -> &[u32] {
        let tile = row * self.columns + column;
        &self.items[self.starts[tile] as usize..self.starts[tile + 1] as usize]
    }
}

fn each_tile(bounds: [u32; 4], columns: usize, mut visit: impl FnMut(usize)) {
    let [first_column, first_row, end_column, end_row] = bounds.map(|edge| edge as usize);
    for row in first_row / TILE..end_row.div_ceil(TILE) {
        for column in first_column / TILE..end_column.div_ceil(TILE) {
            visit(row * columns + column);
        }
    }
}
