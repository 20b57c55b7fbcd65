//! Pictures put together to larger ones.

use crate::Picture;
use crate::raster::{byte_of_light, light_of_bytes};
use crate::text::write;

/// What shows between pictures.
const GAP_COLOR: [u8; 4] = [255; 4];
const LABEL_COLOR: [f32; 3] = [0.02; 3];

/// How faint the first of several moments is.
const FAINTEST: f32 = 0.18;
/// A colour that differs by this much from the empty picture, in steps of 255, is something.
const SOMETHING: f32 = 24.0;

/// Moments over each other. The first picture is what is there without them; each of the others is
/// laid over those before it wherever it differs from the first, early ones fainter, the last one
/// whole.
pub fn overlaid(pictures: &[Picture]) -> Picture {
    let Some((empty, moments)) = pictures.split_first() else {
        return Picture::new(0, 0, GAP_COLOR);
    };
    let mut whole = empty.clone();
    for (index, moment) in moments.iter().enumerate() {
        let age = (moments.len() - 1 - index) as f32 / moments.len().max(2) as f32;
        let opacity = 1.0 - (1.0 - FAINTEST) * age.sqrt();
        let opacity = if index + 1 == moments.len() {
            1.0
        } else {
            opacity * 0.7
        };
        let behind = empty.pixels().iter();
        for ((below, above), nothing) in whole
            .pixels_mut()
            .iter_mut()
            .zip(moment.pixels())
            .zip(behind)
        {
            let differs = |k: usize| (f32::from(above[k]) - f32::from(nothing[k])).abs();
            let difference = (0..4).map(differs).fold(0.0, f32::max);
            let share = (difference / SOMETHING).min(1.0) * opacity;
            for k in 0..4 {
                let (from, to) = (f32::from(below[k]), f32::from(above[k]));
                below[k] = (from + share * (to - from)).round() as u8;
            }
        }
    }
    whole
}

/// The mean of several pictures of one size, in linear light: what a film sees that is exposed to each of
/// them for the same time.
pub fn averaged(pictures: &[Picture]) -> Picture {
    let Some((first, others)) = pictures.split_first() else {
        return Picture::new(0, 0, GAP_COLOR);
    };
    let light = light_of_bytes();
    let share = 1.0 / pictures.len() as f32;
    let mut mean = first.clone();
    for (index, pixel) in mean.pixels_mut().iter_mut().enumerate() {
        let same = |other: &Picture| other.pixels().get(index) == Some(pixel);
        if others.iter().all(same) {
            continue;
        }
        let here = pictures.iter().filter_map(|one| one.pixels().get(index));
        let (mut sums, mut opacity) = ([0.0; 3], 0.0);
        for other in here {
            // What cannot be seen has no colour.
            let weight = f32::from(other[3]) / 255.0;
            opacity += weight;
            for (sum, byte) in sums.iter_mut().zip(other) {
                *sum += weight * light[usize::from(*byte)];
            }
        }
        if opacity > 0.0 {
            let [red, green, blue] = sums.map(|sum| byte_of_light(sum / opacity));
            *pixel = [red, green, blue, (opacity * share * 255.0 + 0.5) as u8];
        }
    }
    mean
}

/// Pictures in rows and columns with thin gaps, each with its label at the upper left; labels may
/// be fewer. Up to three stand in one row. Pictures of different sizes stand in the middle of
/// places as large as the largest.
pub fn side_by_side(pictures: &[Picture], labels: &[&str]) -> Picture {
    let width = pictures.iter().map(Picture::width).max().unwrap_or(0);
    let height = pictures.iter().map(Picture::height).max().unwrap_or(0);
    if width == 0 || height == 0 {
        return Picture::new(0, 0, GAP_COLOR);
    }
    let columns = columns_for(pictures.len());
    let rows = pictures.len().div_ceil(columns);
    let gap = (height / 180).max(2);
    let mut whole = Picture::new(
        columns * (width + gap) - gap,
        rows * (height + gap) - gap,
        GAP_COLOR,
    );
    for (index, picture) in pictures.iter().enumerate() {
        let column = index % columns * (width + gap);
        let row = index / columns * (height + gap);
        let place = [
            column + (width - picture.width()) / 2,
            row + (height - picture.height()) / 2,
        ];
        paste(&mut whole, picture, place);
        if let Some(label) = labels.get(index) {
            let size = (height as f32 / 22.0).max(11.0);
            let corner = [column as f32 + 0.6 * size, row as f32 + 0.4 * size];
            write(&mut whole, label, corner, size, 0.0, LABEL_COLOR);
        }
    }
    whole
}

fn columns_for(count: usize) -> usize {
    match count {
        0..=3 => count.max(1),
        _ => (count as f64).sqrt().ceil() as usize,
    }
}

/// Copies a picture into a larger one, its upper left corner at the column and row of `place`.
fn paste(whole: &mut Picture, picture: &Picture, place: [usize; 2]) {
    let (stride, width) = (whole.width(), picture.width());
    if width == 0 {
        return;
    }
    for (row, pixels) in picture.pixels().chunks(width).enumerate() {
        let start = (place[1] + row) * stride + place[0];
        whole.pixels_mut()[start..start + width].copy_from_slice(pixels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_taken_of_light() {
        let black = Picture::new(2, 1, [0, 0, 0, 255]);
        let mut grey = black.clone();
        grey.pixels_mut()[1] = [255, 255, 255, 255];
        let mean = averaged(&[black.clone(), grey.clone()]);
        // Half the light of white is brighter than half its number.
        assert_eq!(mean.pixels(), [[0, 0, 0, 255], [188, 188, 188, 255]]);
        // What is not there has no colour.
        let nothing = Picture::new(2, 1, [0; 4]);
        let mean = averaged(&[nothing, grey]);
        assert_eq!(mean.pixels()[1], [255, 255, 255, 128]);
    }

    #[test]
    fn moments_lie_over_each_other_and_early_ones_are_fainter() {
        let paper = Picture::new(3, 1, [200, 200, 200, 255]);
        let with = |place: usize| {
            let mut picture = paper.clone();
            picture.pixels_mut()[place] = [0, 0, 0, 255];
            picture
        };
        let whole = overlaid(&[paper.clone(), with(0), with(1), with(2)]);
        let shades: Vec<u8> = whole.pixels().iter().map(|pixel| pixel[0]).collect();
        assert!(shades[0] > shades[1] && shades[1] > shades[2], "{shades:?}");
        assert_eq!(shades[2], 0);
        assert!(shades[0] < 200);
        assert_eq!(overlaid(std::slice::from_ref(&paper)), paper);
        assert_eq!(overlaid(&[]).width(), 0);
    }

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];

    fn at(picture: &Picture, column: usize, row: usize) -> [u8; 4] {
        picture.pixels()[row * picture.width() + column]
    }

    #[test]
    fn two_pictures_stand_beside_each_other_with_a_gap() {
        let whole = side_by_side(
            &[Picture::new(40, 30, RED), Picture::new(40, 30, BLUE)],
            &[],
        );
        assert_eq!((whole.width(), whole.height()), (82, 30));
        assert_eq!(at(&whole, 39, 15), RED);
        assert_eq!(at(&whole, 40, 15), GAP_COLOR);
        assert_eq!(at(&whole, 42, 15), BLUE);
    }

    #[test]
    fn more_stand_in_rows_and_smaller_ones_in_the_middle() {
        let mut pictures = vec![Picture::new(20, 20, RED); 4];
        pictures.push(Picture::new(10, 10, BLUE));
        let whole = side_by_side(&pictures, &[]);
        assert_eq!((whole.width(), whole.height()), (64, 42));
        assert_eq!(at(&whole, 22 + 10, 22 + 10), BLUE);
        assert_eq!(at(&whole, 22 + 2, 22 + 2), GAP_COLOR);
    }

    #[test]
    fn labels_are_written_and_nothing_gives_nothing() {
        let plain = side_by_side(&[Picture::new(90, 60, RED)], &[]);
        let labelled = side_by_side(&[Picture::new(90, 60, RED)], &["exact", "spare"]);
        assert_ne!(plain, labelled);
        assert_eq!(side_by_side(&[], &["a"]).pixels().len(), 0);
        assert_eq!(
            side_by_side(&[Picture::new(0, 5, RED)], &[]).pixels().len(),
            0
        );
    }
}
