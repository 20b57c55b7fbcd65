//! The pixels of a block of a smooth surface, worked out side by side: light, colour, and what is shown of
//! both.

use super::block::{BLOCK, write_bytes};
use super::dither::thresholds;
use super::tone::{between_roots, compress, root_place, shown_values};
use crate::processor::for_this_processor;

/// Pixels of a block.
pub(super) const PIXELS: usize = BLOCK * BLOCK;

/// Light that the pixels of a block send, part by part: by the colour of the surface, and whatever its colour.
pub(super) struct Lit {
    pub by_color: [[f32; PIXELS]; 3],
    pub plain: [[f32; PIXELS]; 3],
    pub color: [[f32; PIXELS]; 3],
}

impl Default for Lit {
    fn default() -> Self {
        Self {
            by_color: [[0.0; PIXELS]; 3],
            plain: [[0.0; PIXELS]; 3],
            color: [[0.0; PIXELS]; 3],
        }
    }
}

/// Six numbers at each corner of a square: left and right above, left and right below.
pub(super) type Corners = [[f32; 6]; 4];

for_this_processor! {
    /// Spreads the light at the corners of a square with `SIDE` pixels per side over its pixels; `first` is the
    /// pixel of the block at which it begins.
    pub(super) fn spread<const SIDE: usize>(corners: &Corners, first: usize, lit: &mut Lit) {
        let last = (SIDE - 1) as f32;
        for part in 0..6 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|corner: usize| corners[corner][part]);
            let target = if part < 3 { &mut lit.by_color[part] } else { &mut lit.plain[part - 3] };
            for y in 0..SIDE {
                let down = y as f32 / last;
                let (start, end) = (a + (c - a) * down, b + (d - b) * down);
                let Some(line) = target[first + y * BLOCK..].first_chunk_mut::<SIDE>() else {
                    continue;
                };
                for x in 0..SIDE {
                    line[x] = start + (end - start) * (x as f32 / last);
                }
            }
        }
    }
}

for_this_processor! {
    /// Writes what is shown of the pixels of a block; its left upper corner is at a column and row of the
    /// picture, and at the beginning of `pixels`, which have `width` per row.
    pub(super) fn write(
        lit: &Lit,
        exposure: f32,
        corner: [usize; 2],
        pixels: &mut [[u8; 4]],
        width: usize,
    ) {
        let table = shown_values();
        for y in 0..BLOCK {
            let thresholds = thresholds::<BLOCK>(corner[0], corner[1] + y);
            let Some(line) = pixels[y * width..].first_chunk_mut::<BLOCK>() else {
                continue;
            };
            let mut bytes = [0xff00_0000_u32; BLOCK];
            for part in 0..3 {
                let row = |values: &[[f32; PIXELS]; 3]| {
                    let mut line = [0.0_f32; BLOCK];
                    line.copy_from_slice(&values[part][y * BLOCK..][..BLOCK]);
                    line
                };
                let (by_color, plain, color) = (row(&lit.by_color), row(&lit.plain), row(&lit.color));
                let mut places = [0.0_f32; BLOCK];
                for x in 0..BLOCK {
                    places[x] = root_place(compress((by_color[x] * color[x] + plain[x]) * exposure));
                }
                for x in 0..BLOCK {
                    let shown = between_roots(table, places[x]) + thresholds[x];
                    // What is shown lies between 0 and 255, so it fits.
                    bytes[x] |= (shown as i32 as u32) << (8 * part);
                }
            }
            write_bytes(&bytes, line);
        }
    }
}
