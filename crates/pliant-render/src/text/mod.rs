//! Text in pictures, with a font of our own: no file, no system font, the same everywhere.
//!
//! A letter is a set of strokes; how much of a pixel it covers follows from the distance to the
//! nearest stroke. A halo of a contrasting colour around the letters keeps them readable on any
//! background.

mod glyphs;

use crate::Picture;
use crate::raster::byte_of_light;
use glyphs::glyph;

/// Height of a line in units of the drawings of letters.
const LINE: f32 = 20.0;

/// Height of the baseline above the lower edge of a line.
const BASELINE: f32 = 4.9;

/// Width of a stroke in the same units.
const STROKE: f32 = 1.75;

/// Opacity of the halo.
const HALO: f32 = 0.8;

/// Width and height of a text in pixels, for lines of that height.
pub(crate) fn measure(text: &str, size: f32) -> [f32; 2] {
    let mut width = 0.0_f32;
    let mut count = 0;
    for line in text.split('\n') {
        width = width.max(line_width(line));
        count += 1;
    }
    [width * size / LINE, count as f32 * size]
}

fn line_width(line: &str) -> f32 {
    line.chars().map(|character| glyph(character).advance).sum()
}

/// Draws a text whose upper left corner lies at `place` (column and row in pixels), with lines of
/// height `size` in pixels. `align` shifts each line within the width of the text: 0 left, 0.5
/// middle, 1 right.
pub(crate) fn write(
    picture: &mut Picture,
    text: &str,
    place: [f32; 2],
    size: f32,
    align: f32,
    color: [f32; 3],
) {
    // Below three pixels nothing can be read; the upper bound keeps the work finite.
    if !(3.0..=4000.0).contains(&size) || !place.iter().all(|part| part.is_finite()) {
        return;
    }
    let unit = size / LINE;
    let [width, _] = measure(text, size);
    let mut letters = Vec::new();
    for (index, line) in text.split('\n').enumerate() {
        let mut pen = place[0] + (width - line_width(line) * unit) * align;
        // Horizontal strokes are sharpest when the baseline lies on the middle of a pixel.
        let baseline = place[1] + (index + 1) as f32 * size - BASELINE * unit;
        let baseline = baseline.floor() + 0.5;
        for character in line.chars() {
            let glyph = glyph(character);
            let start = pen + STROKE * 0.5 * unit;
            let strokes: Vec<[[f32; 2]; 2]> = glyph
                .pieces
                .iter()
                .map(|piece| piece.map(|[x, y]| [start + x * unit, baseline - y * unit]))
                .collect();
            pen += glyph.advance * unit;
            if !strokes.is_empty() {
                letters.push(strokes);
            }
        }
    }
    let half_width = (STROKE * 0.5 * unit).max(0.5);
    let halo_width = (size * 0.1).clamp(1.4, 6.0);
    let luminance = 0.21 * color[0] + 0.72 * color[1] + 0.07 * color[2];
    let halo_color = if luminance < 0.3 { [1.0; 3] } else { [0.01; 3] };
    let inks = [(halo_color, halo_width), (color, 0.0)];
    for (ink, spread) in inks {
        let ink = ink.map(byte_of_light);
        for strokes in &letters {
            stroke(picture, strokes, half_width, spread, ink);
        }
    }
}

/// Draws the strokes of one letter; with a `spread` only their soft surroundings.
fn stroke(
    picture: &mut Picture,
    strokes: &[[[f32; 2]; 2]],
    half_width: f32,
    spread: f32,
    ink: [u8; 3],
) {
    let reach = half_width + spread + 1.0;
    let mut low = [f32::INFINITY; 2];
    let mut high = [f32::NEG_INFINITY; 2];
    for end in strokes.iter().flatten() {
        for axis in 0..2 {
            low[axis] = low[axis].min(end[axis] - reach);
            high[axis] = high[axis].max(end[axis] + reach);
        }
    }
    let size = [picture.width(), picture.height()];
    // Casts of negative numbers give zero.
    let first = low.map(|edge| edge.floor() as usize);
    let end = [0, 1].map(|axis| (high[axis].ceil() as usize).min(size[axis]));
    for row in first[1]..end[1] {
        for column in first[0]..end[0] {
            let pixel = [column as f32 + 0.5, row as f32 + 0.5];
            let distance = strokes
                .iter()
                .map(|piece| squared_distance(pixel, *piece))
                .fold(f32::INFINITY, f32::min)
                .sqrt();
            let share = if spread > 0.0 {
                let fade = ((half_width + spread - distance) / spread).clamp(0.0, 1.0);
                fade * fade * (3.0 - 2.0 * fade) * HALO
            } else {
                (half_width + 0.5 - distance).clamp(0.0, 1.0)
            };
            if share > 0.0 {
                lay_ink(
                    &mut picture.pixels_mut()[row * size[0] + column],
                    ink,
                    share,
                );
            }
        }
    }
}

fn squared_distance([x, y]: [f32; 2], [from, to]: [[f32; 2]; 2]) -> f32 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let offset = [x - from[0], y - from[1]];
    let squared = along[0] * along[0] + along[1] * along[1];
    let share = if squared > 0.0 {
        ((offset[0] * along[0] + offset[1] * along[1]) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let away = [offset[0] - along[0] * share, offset[1] - along[1] * share];
    away[0] * away[0] + away[1] * away[1]
}

/// Lays ink over a pixel. The mixture is one of shown values, not of light: dark letters on a
/// bright ground keep their weight.
pub(crate) fn lay_ink(pixel: &mut [u8; 4], ink: [u8; 3], share: f32) {
    let under = f32::from(pixel[3]) / 255.0;
    let opacity = share + under * (1.0 - share);
    if opacity <= 0.0 {
        return;
    }
    for (shown, ink) in pixel.iter_mut().zip(ink) {
        let mixed = f32::from(ink) * share + f32::from(*shown) * under * (1.0 - share);
        *shown = (mixed / opacity).round() as u8;
    }
    pixel[3] = (opacity * 255.0).round() as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dark_pixels(picture: &Picture) -> usize {
        picture
            .pixels()
            .iter()
            .filter(|pixel| pixel[0] < 100)
            .count()
    }

    #[test]
    fn letters_leave_ink_within_their_measure() {
        let mut picture = Picture::new(120, 40, [200, 200, 200, 255]);
        write(&mut picture, "Ag8", [30.0, 10.0], 20.0, 0.0, [0.0; 3]);
        let [width, height] = measure("Ag8", 20.0);
        assert!(width > 20.0 && width < 60.0 && height == 20.0);
        assert!(dark_pixels(&picture) > 40);
        for (index, pixel) in picture.pixels().iter().enumerate() {
            let (column, row) = ((index % 120) as f32, (index / 120) as f32);
            if pixel[0] < 150 {
                assert!(column >= 29.0 && column <= 31.0 + width);
                assert!((9.0..=31.0).contains(&row));
            }
        }
    }

    #[test]
    fn a_capital_i_is_as_dark_as_its_stroke_is_wide() {
        // One stroke, 14 units high and STROKE wide with round ends, at one pixel a unit.
        let mut picture = Picture::new(40, 40, [255, 255, 255, 255]);
        write(&mut picture, "I", [15.0, 5.0], LINE, 0.0, [0.0; 3]);
        let ink: f32 = picture
            .pixels()
            .iter()
            .map(|pixel| 1.0 - f32::from(pixel[0]) / 255.0)
            .sum();
        let expected = 14.0 * STROKE + std::f32::consts::PI * STROKE * STROKE / 4.0;
        assert!((ink - expected).abs() < 0.1 * expected, "{ink} {expected}");
    }

    #[test]
    fn light_text_gets_a_dark_halo() {
        let mut picture = Picture::new(60, 30, [230, 230, 230, 255]);
        write(&mut picture, "HH", [10.0, 5.0], 20.0, 0.0, [1.0; 3]);
        assert!(dark_pixels(&picture) > 20);
    }

    #[test]
    fn transparent_pictures_become_opaque_where_there_is_ink() {
        let mut picture = Picture::new(30, 30, [0; 4]);
        write(&mut picture, "I", [10.0, 5.0], 20.0, 0.0, [0.5, 0.0, 0.0]);
        assert!(picture.pixels().iter().any(|pixel| pixel[3] == 255));
        assert_eq!(picture.pixels()[0], [0; 4]);
    }

    #[test]
    fn odd_places_and_sizes_draw_nothing_and_do_not_panic() {
        let mut picture = Picture::new(10, 10, [9; 4]);
        let before = picture.clone();
        for (place, size) in [
            ([f32::NAN, 0.0], 12.0),
            ([0.0, 0.0], f32::NAN),
            ([0.0, 0.0], -4.0),
            ([-1e9, 5.0], 12.0),
            ([1e9, 5.0], 12.0),
        ] {
            write(&mut picture, "Text\n", place, size, 0.5, [0.0; 3]);
        }
        assert_eq!(picture, before);
        write(
            &mut Picture::new(0, 0, [0; 4]),
            "x",
            [0.0; 2],
            12.0,
            0.0,
            [0.0; 3],
        );
    }
}
