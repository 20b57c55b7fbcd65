//! Where a value between two bytes is rounded up: a fixed pattern of thresholds.
//!
//! A soft gradient has fewer bytes than pixels, and the eye sees each step as a band. Rounding by a
//! threshold that differs from pixel to pixel hides the steps. The pattern is interleaved gradient
//! noise (Jimenez, *Next generation post processing in Call of Duty*, 2014): no two neighbours are
//! alike, and it is the same in every frame, so that a film stays as small as it was.

use super::block::{BLOCK, PIXELS};
use crate::processor::whole;

/// A number between 0 and 1 that a fraction has to exceed to be rounded up.
pub(crate) fn threshold(column: usize, row: usize) -> f32 {
    // The pattern repeats, so that large numbers lose no digits.
    let (x, y) = ((column % 1024) as f32, (row % 1024) as f32);
    let inner = fraction(0.067_110_56 * x + 0.005_837_15 * y);
    // Values that are whole bytes already stay as they are, whatever their last digits.
    0.02 + 0.96 * fraction(52.982_918 * inner)
}

/// What exceeds a whole number, of small numbers that are not negative: without a call into a library.
#[inline(always)]
fn fraction(x: f32) -> f32 {
    x - whole(x) as f32
}

/// The thresholds of the pixels of a block, row by row.
#[inline(always)]
pub(crate) fn thresholds([column, row]: [usize; 2]) -> [f32; PIXELS] {
    let (first_column, first_row) = ((column % 1024) as i32, (row % 1024) as i32);
    let mut thresholds = [0.0; PIXELS];
    for (pixel, threshold) in thresholds.iter_mut().enumerate() {
        let x = ((first_column + (pixel % BLOCK) as i32) & 1023) as f32;
        let y = ((first_row + (pixel / BLOCK) as i32) & 1023) as f32;
        let inner = fraction(0.067_110_56 * x + 0.005_837_15 * y);
        *threshold = 0.02 + 0.96 * fraction(52.982_918 * inner);
    }
    thresholds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_those_of_single_ones() {
        for (column, row) in [(0, 0), (1020, 7), (3, 1023), (4096, 2000)] {
            let many = thresholds([column, row]);
            let single = |place| threshold(column + place % BLOCK, row + place / BLOCK);
            assert_eq!(many, std::array::from_fn(single));
        }
    }

    #[test]
    fn thresholds_are_even_and_neighbours_differ() {
        let side = 96;
        let mut counts = [0; 8];
        for row in 0..side {
            for column in 0..side {
                let here = threshold(column, row);
                assert!((0.02..=0.98).contains(&here));
                counts[((here - 0.02) / 0.96 * 8.0).min(7.0) as usize] += 1;
                assert!((here - threshold(column + 1, row)).abs() > 0.01);
            }
        }
        for count in counts {
            assert!(
                (count as f64 / (side * side) as f64 - 0.125).abs() < 0.01,
                "{counts:?}"
            );
        }
    }
}
