//! Summaries of a map of depths by blocks of pixels, so that most places need no closer look.

use super::{BLOCK, SIDE, ShadowMap, WIDEST};
use rayon::prelude::*;

/// Every other pixel of every other row.
pub(super) fn sparse(depth: &[f32]) -> Vec<f32> {
    depth
        .par_chunks(2 * SIDE)
        .flat_map_iter(|rows| rows[..SIDE].iter().step_by(2).copied())
        .collect()
}

/// The nearest depth of each block of four by four pixels.
pub(super) fn nearest(depth: &[f32]) -> Vec<f32> {
    depth
        .par_chunks(4 * SIDE)
        .flat_map_iter(|rows| {
            (0..SIDE / 4).map(|block| {
                (0..4)
                    .flat_map(|row| &rows[row * SIDE + 4 * block..][..4])
                    .fold(f32::MIN, |near, depth| near.max(*depth))
            })
        })
        .collect()
}

/// The extremes of each block and its neighbours, so that one look tells about every window that
/// has its middle in the block.
pub(super) fn spread_extremes(blocks: &[[f32; 2]]) -> Vec<[f32; 2]> {
    const COUNT: usize = SIDE / BLOCK;
    let around = |index: usize| index.saturating_sub(2)..(index + 3).min(COUNT);
    (0..COUNT * COUNT)
        .map(|index| {
            let mut found = [f32::MIN, f32::MAX];
            for row in around(index / COUNT) {
                for [nearest, farthest] in &blocks[row * COUNT..][around(index % COUNT)] {
                    found = [found[0].max(*nearest), found[1].min(*farthest)];
                }
            }
            found
        })
        .collect()
}

/// The nearest depth of each block and its surroundings.
pub(super) fn surroundings(blocks: &[[f32; 2]]) -> Vec<f32> {
    const COUNT: usize = SIDE / BLOCK;
    const AROUND: usize = 5;
    const {
        let reach = ShadowMap::CLEAR_REACH * 0.5 + WIDEST;
        assert!(
            (AROUND * BLOCK) as f32 >= reach,
            "windows between clear points are covered"
        );
    }
    let around = |index: usize| index.saturating_sub(AROUND)..(index + AROUND + 1).min(COUNT);
    let across: Vec<f32> = (0..COUNT * COUNT)
        .map(|index| {
            let row = &blocks[index / COUNT * COUNT..][..COUNT];
            let near = row[around(index % COUNT)].iter();
            near.fold(f32::MIN, |near, block| near.max(block[0]))
        })
        .collect();
    (0..COUNT * COUNT)
        .map(|index| {
            let rows = around(index / COUNT);
            rows.fold(f32::MIN, |near, row| {
                near.max(across[row * COUNT + index % COUNT])
            })
        })
        .collect()
}
