//! Summaries of a map of depths by blocks of pixels, so that most places need no closer look.

use super::{BLOCK, SIDE};
use crate::processor::for_this_processor;
use crate::raster::tile::TILE;

/// What is known of a band of the map, as high as a tile, besides its depths.
pub(super) struct Summaries<'a> {
    /// Every other pixel of every other row.
    pub sparse: &'a mut [f32],
    /// The nearest depth of each block of four by four pixels.
    pub nearest: &'a mut [f32],
    /// Nearest and farthest depth of each block.
    pub extremes: &'a mut [[f32; 2]],
}

for_this_processor! {
    /// Sums up the depths of a tile that begins at a column.
    pub(super) fn summarise(depths: &[f32], column: usize, summaries: Summaries<'_>) {
        for row in 0..TILE / 2 {
            let from = &depths[2 * row * TILE..][..TILE];
            let to = &mut summaries.sparse[row * SIDE / 2 + column / 2..][..TILE / 2];
            for (to, from) in to.iter_mut().zip(from.chunks_exact(2)) {
                *to = from[0];
            }
        }
        for block_row in 0..TILE / BLOCK {
            let rows = &depths[block_row * BLOCK * TILE..][..BLOCK * TILE];
            let (upper, lower) = rows.split_at(BLOCK / 2 * TILE);
            let [near_above, far_above] = extremes_of_columns(upper);
            let [near_below, far_below] = extremes_of_columns(lower);
            for (half, near) in [near_above, near_below].into_iter().enumerate() {
                let row = 2 * block_row + half;
                let to = &mut summaries.nearest[row * SIDE / 4 + column / 4..][..TILE / 4];
                for (to, from) in to.iter_mut().zip(near.chunks_exact(4)) {
                    *to = larger(larger(from[0], from[1]), larger(from[2], from[3]));
                }
            }
            let start = block_row * (SIDE / BLOCK) + column / BLOCK;
            for block in 0..TILE / BLOCK {
                let mut found = [f32::MIN, f32::MAX];
                for place in block * BLOCK..(block + 1) * BLOCK {
                    let near = larger(near_above[place], near_below[place]);
                    let far = smaller(far_above[place], far_below[place]);
                    found = [larger(found[0], near), smaller(found[1], far)];
                }
                summaries.extremes[start + block] = found;
            }
        }
    }
}

/// Nearest and farthest depth of each column of some rows of a tile.
#[inline(always)]
fn extremes_of_columns(rows: &[f32]) -> [[f32; TILE]; 2] {
    let mut found = [[f32::MIN; TILE], [f32::MAX; TILE]];
    for row in rows.chunks_exact(TILE) {
        for place in 0..TILE {
            found[0][place] = larger(found[0][place], row[place]);
            found[1][place] = smaller(found[1][place], row[place]);
        }
    }
    found
}

/// The larger of two numbers: one instruction, since none is missing.
#[inline(always)]
fn larger(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// The smaller of two numbers.
#[inline(always)]
fn smaller(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// The extremes of each block and its neighbours, so that one look tells about every window that
/// has its middle in the block.
pub(super) fn spread_extremes(blocks: &[[f32; 2]]) -> Vec<[f32; 2]> {
    const COUNT: usize = SIDE / BLOCK;
    let around = |index: usize| index.saturating_sub(2)..(index + 3).min(COUNT);
    let widest =
        |one: [f32; 2], other: [f32; 2]| [larger(one[0], other[0]), smaller(one[1], other[1])];
    let nothing = [f32::MIN, f32::MAX];
    let mut across = Vec::with_capacity(COUNT * COUNT);
    for row in blocks.chunks_exact(COUNT) {
        across.extend((0..COUNT).map(|column| {
            let near = row[around(column)].iter();
            near.fold(nothing, |found, block| widest(found, *block))
        }));
    }
    let mut spread = Vec::with_capacity(COUNT * COUNT);
    for row in 0..COUNT {
        let mut found = [nothing; COUNT];
        for line in across[around(row).start * COUNT..around(row).end * COUNT].chunks_exact(COUNT) {
            for (found, block) in found.iter_mut().zip(line) {
                *found = widest(*found, *block);
            }
        }
        spread.extend(found);
    }
    spread
}
