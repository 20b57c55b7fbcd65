//! The legend of a field: a strip of colours with round numbers beside it.

use super::tone::byte_of_light;
use crate::text::{lay_ink, measure, write};
use crate::{ColorBar, Picture};

/// Colour of numbers and title.
const INK: [f32; 3] = [0.02, 0.02, 0.025];

/// Fewest intervals between numbers that are aimed at.
const INTERVALS: f64 = 4.0;

/// Draws a bar left of the column `right` and returns the column where the next one may end.
pub(crate) fn draw(picture: &mut Picture, bar: &ColorBar, right: f32) -> f32 {
    let scale = picture.height() as f32 / 720.0;
    if bar.colors.is_empty() {
        return right;
    }
    let size = 17.0 * scale;
    let margin = 22.0 * scale;
    let (ticks, factor) = ticks(bar.low, bar.high);
    let title = match factor {
        Some(factor) => format!("{} {factor}", bar.title),
        None => bar.title.clone(),
    };
    let widest = ticks
        .iter()
        .map(|tick| measure(&tick.text, size)[0])
        .fold(0.0, f32::max);
    let strip = [18.0 * scale, 300.0 * scale].map(f32::round);
    let gap = 8.0 * scale;
    let left = (right - margin - widest - gap - strip[0]).round();
    let top = ((picture.height() as f32 - strip[1]) * 0.5 + size).round();
    let rows = strip[1].max(1.0);
    let columns = picture.width();
    let frame = scale.max(1.0).round();
    let count = picture.height() as f32;
    let first = [left - frame, top - frame].map(|edge| edge.max(0.0) as usize);
    let end_row = (top + rows + frame).clamp(0.0, count) as usize;
    let end_column = (left + strip[0] + frame).clamp(0.0, columns as f32) as usize;
    for row in first[1]..end_row {
        let down = row as f32 + 0.5 - top;
        let color = color_at(&bar.colors, 1.0 - down / rows).map(byte_of_light);
        for column in first[0]..end_column {
            let across = column as f32 + 0.5 - left;
            let is_inside = across > 0.0 && across < strip[0] && down > 0.0 && down < rows;
            let ink = if is_inside { color } else { [70, 70, 72] };
            lay_ink(&mut picture.pixels_mut()[row * columns + column], ink, 1.0);
        }
    }
    for tick in &ticks {
        let row = top + rows * (1.0 - tick.share as f32);
        let place = [left + strip[0] + gap, row - size * 0.58];
        write(picture, &tick.text, place, size, 0.0, INK);
    }
    let [width, height] = measure(&title, size);
    let title_right = (left + strip[0] + gap + widest).max(left + width.min(strip[0]));
    let place = [
        (title_right - width).max(4.0 * scale),
        top - height - 9.0 * scale,
    ];
    write(picture, &title, place, size, 1.0, INK);
    left.min(place[0])
}

/// A number beside the bar.
#[derive(Debug, PartialEq)]
struct Tick {
    /// Where, from 0 at the lower to 1 at the upper end.
    share: f64,
    text: String,
}

/// Round numbers between two values, and the power of ten they are to be multiplied with.
fn ticks(low: f64, high: f64) -> (Vec<Tick>, Option<String>) {
    let span = high - low;
    if !(low.is_finite() && high.is_finite() && span > 0.0 && span.is_finite()) {
        let text = if low.is_finite() {
            format!("{low:.3}")
        } else {
            String::new()
        };
        return (vec![Tick { share: 0.5, text }], None);
    }
    let largest = low.abs().max(high.abs());
    let power = largest.log10().floor() as i32;
    let power = if (-2..5).contains(&power) { 0 } else { power };
    let unit = 10.0_f64.powi(power);
    let rough = span / unit / INTERVALS;
    let decade = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * decade)
        .rev()
        .find(|step| *step <= rough * 1.000_001)
        .unwrap_or(decade);
    // As many decimals as the step has; values too close for their size are not told apart.
    let decimals = (0..12)
        .find(|count| {
            let scaled = step * 10.0_f64.powi(*count);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        })
        .unwrap_or(12) as usize;
    let first = (low / unit / step - 1e-9).ceil();
    let last = (high / unit / step + 1e-9).floor();
    let count = (last - first).clamp(0.0, 20.0) as usize;
    let ticks = (0..=count)
        .map(|index| {
            let value = (first + index as f64) * step;
            let value = if value.abs() < step * 1e-6 {
                0.0
            } else {
                value
            };
            Tick {
                share: ((value * unit - low) / span).clamp(0.0, 1.0),
                text: format!("{value:.decimals$}").replace('-', "\u{2212}"),
            }
        })
        .collect();
    (ticks, (power != 0).then(|| power_text(power)))
}

/// `×10³`
fn power_text(power: i32) -> String {
    let digits = power.to_string();
    let raised = digits.chars().map(|digit| match digit {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        other => char::from_u32(0x2070 + other.to_digit(10).unwrap_or(0)).unwrap_or(other),
    });
    format!("\u{d7}10{}", raised.collect::<String>())
}

/// The colour between evenly spaced ones.
fn color_at(colors: &[[f32; 3]], share: f32) -> [f32; 3] {
    let place = share.clamp(0.0, 1.0) * (colors.len() - 1) as f32;
    let lower = (place as usize).min(colors.len() - 1);
    let upper = (lower + 1).min(colors.len() - 1);
    let rest = place - lower as f32;
    [0, 1, 2].map(|channel| colors[lower][channel] * (1.0 - rest) + colors[upper][channel] * rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64) -> Vec<String> {
        ticks(low, high)
            .0
            .into_iter()
            .map(|tick| tick.text)
            .collect()
    }

    #[test]
    fn numbers_are_round_and_lie_within() {
        assert_eq!(texts(0.0, 1.0), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
        assert_eq!(texts(0.0, 8.3), ["0", "2", "4", "6", "8"]);
        assert_eq!(
            texts(-1.0, 1.0),
            ["\u{2212}1.0", "\u{2212}0.5", "0.0", "0.5", "1.0"]
        );
        for (low, high) in [(3.0, 3.7), (-2e7, 5e6), (1e-9, 4e-9), (999.0, 1001.0)] {
            let (ticks, _) = ticks(low, high);
            assert!((3..=12).contains(&ticks.len()), "{ticks:?}");
            for pair in ticks.windows(2) {
                assert!(pair[0].share < pair[1].share);
                assert_ne!(pair[0].text, pair[1].text);
            }
        }
    }

    #[test]
    fn large_and_small_values_share_a_power_of_ten() {
        assert_eq!(ticks(0.0, 3e6).1.unwrap(), "\u{d7}10\u{2076}");
        assert_eq!(ticks(0.0, 2e-13).1.unwrap(), "\u{d7}10\u{207b}\u{b9}\u{b3}");
        assert_eq!(ticks(0.0, 300.0).1, None);
    }

    #[test]
    fn odd_ranges_do_not_panic() {
        for (low, high) in [
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
            (1.0, 1.0),
            (2.0, 1.0),
            (-f64::MAX, f64::MAX),
            (0.0, 1e-320),
            (1e300, 1.0001e300),
        ] {
            let _ = ticks(low, high);
        }
    }
}
