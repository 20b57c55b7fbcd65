//! Colours that are not in the palette, by mixing two that are.
//!
//! Each colour c is approached by the point of a segment between two palette colours p, q: p is
//! the nearest to c, q the one whose segment passes nearest to c (short segments preferred). A
//! pixel takes q when the fraction along the segment exceeds a threshold that depends on its
//! place only (an 8 x 8 matrix of Bayer). So a colour of the palette stays flat, and what does
//! not move in the film does not flicker, as it would if errors were passed to neighbours.

use super::palette::{CELLS, cell_centre, cell_of, distance, nearest};

/// How much a long segment is disliked: mixing distant colours shows as a pattern.
const LENGTH_PENALTY: f32 = 0.06;

/// Thresholds of an 8 x 8 matrix, in 1/64 and in the order of Bayer.
fn threshold(x: usize, y: usize) -> f32 {
    let mut value = 0;
    for bit in 0..3 {
        let (x, y) = (x >> bit & 1, y >> bit & 1);
        value = value << 2 | (x ^ y) << 1 | y;
    }
    (value as f32 + 0.5) / 64.0
}

/// Two palette colours that stand for those of a cell.
#[derive(Clone, Copy)]
struct Pair {
    near: u8,
    far: u8,
}

/// Turns colours into indices of a palette.
pub(super) struct Dither {
    palette: Vec<[f32; 3]>,
    pairs: Vec<Option<Pair>>,
    thresholds: [[f32; 8]; 8],
}

impl Dither {
    /// For a palette of 1 to 256 colours.
    pub fn new(palette: &[[u8; 3]]) -> Self {
        let mut thresholds = [[0.0; 8]; 8];
        for (y, row) in thresholds.iter_mut().enumerate() {
            for (x, value) in row.iter_mut().enumerate() {
                *value = threshold(x, y);
            }
        }
        Self {
            palette: palette.iter().map(|c| c.map(f32::from)).collect(),
            pairs: vec![None; CELLS * CELLS * CELLS],
            thresholds,
        }
    }

    /// The index for a colour at a place.
    pub fn index(&mut self, colour: [u8; 3], x: usize, y: usize) -> u8 {
        let cell = cell_of(colour);
        let pair = match self.pairs[cell] {
            Some(pair) => pair,
            None => {
                let pair = find_pair(&self.palette, cell_centre(cell));
                self.pairs[cell] = Some(pair);
                pair
            }
        };
        let near = self.palette[usize::from(pair.near)];
        let far = self.palette[usize::from(pair.far)];
        let fraction = fraction_along(near, far, colour.map(f32::from));
        if fraction > self.thresholds[y & 7][x & 7] {
            pair.far
        } else {
            pair.near
        }
    }
}

/// Where the point of the line a-b nearest to c lies: 0 at a, 1 at b.
fn fraction_along(a: [f32; 3], b: [f32; 3], c: [f32; 3]) -> f32 {
    let mut product = 0.0;
    let mut length = 0.0;
    for channel in 0..3 {
        let step = b[channel] - a[channel];
        product += step * (c[channel] - a[channel]);
        length += step * step;
    }
    if length > 0.0 { product / length } else { 0.0 }
}

/// The two palette colours that approach a colour best.
fn find_pair(palette: &[[f32; 3]], colour: [f32; 3]) -> Pair {
    let near = nearest(palette, colour);
    let from = palette[near];
    let mut best = (near, distance(from, colour));
    for (index, to) in palette.iter().enumerate() {
        let fraction = fraction_along(from, *to, colour).clamp(0.0, 1.0);
        let point =
            [0, 1, 2].map(|channel| from[channel] + fraction * (to[channel] - from[channel]));
        let fault = distance(point, colour) + LENGTH_PENALTY * fraction * distance(from, *to);
        if fault < best.1 {
            best = (index, fault);
        }
    }
    Pair {
        near: near as u8,
        far: best.0 as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_all_different() {
        let mut values: Vec<_> = (0..64)
            .map(|index| (threshold(index % 8, index / 8) * 128.0) as u32)
            .collect();
        values.sort_unstable();
        assert_eq!(values, (0..64).map(|v| 2 * v + 1).collect::<Vec<_>>());
    }

    #[test]
    fn a_colour_of_the_palette_stays_flat() {
        let palette = [[10, 20, 30], [12, 22, 33], [200, 100, 50]];
        let mut dither = Dither::new(&palette);
        for (expected, colour) in palette.iter().enumerate() {
            for place in 0..64 {
                assert_eq!(
                    usize::from(dither.index(*colour, place % 8, place / 8)),
                    expected
                );
            }
        }
    }

    #[test]
    fn a_mixture_has_the_right_mean() {
        let mut dither = Dither::new(&[[0, 0, 0], [40, 40, 40], [255, 0, 0]]);
        let sum: u32 = (0..64)
            .map(|place| u32::from(dither.index([10, 10, 10], place % 8, place / 8)) * 40)
            .sum();
        assert_eq!(sum / 64, 10);
    }
}
