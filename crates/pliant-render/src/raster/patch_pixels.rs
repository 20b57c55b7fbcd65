//! The pixels of a block of a smooth surface, worked out side by side: light, colour, and what is shown of
//! both.

use super::block::{BLOCK, PIXELS, Place, write_shown};
use super::tone::{compress, shown_of_many};
use crate::processor::for_this_processor;

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
    /// Writes what is shown of the pixels of a block at its place in the picture.
    pub(super) fn write(lit: &Lit, exposure: f32, place: Place, pixels: &mut [[u8; 4]]) {
        let mut values = [[0.0; PIXELS]; 3];
        for part in 0..3 {
            let (by_color, plain) = (&lit.by_color[part], &lit.plain[part]);
            let mut light = lit.color[part];
            for pixel in 0..PIXELS {
                let sent = light[pixel] * by_color[pixel] + plain[pixel];
                light[pixel] = compress(sent * exposure);
            }
            values[part] = shown_of_many(&light);
        }
        write_shown(&values, place, pixels);
    }
}
