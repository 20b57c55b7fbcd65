//! From light to what a screen shows: exposure, a gentle shoulder, sRGB.

use crate::processor::whole;
use std::sync::OnceLock;

/// Below this, light is shown as it is; above, it is compressed so that 1 is never passed.
const SHOULDER: f32 = 0.72;

/// Compresses bright light so that highlights keep their shape instead of being cut off.
#[inline(always)]
pub(crate) fn compress(light: f32) -> f32 {
    // Joins the straight part with slope 1 and tends to 1. Both are worked out, so that there is no branch.
    let room = 1.0 - SHOULDER;
    let bright = 1.0 - room * room / (light - SHOULDER + room);
    let plain = if light > 0.0 { light } else { 0.0 };
    if light > SHOULDER { bright } else { plain }
}

/// The share of light (0 to 1) that an sRGB value (0 to 1) stands for.
pub(crate) fn linear_from_srgb(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// The sRGB value (0 to 1) of a share of light (0 to 1).
pub(crate) fn srgb_from_linear(light: f32) -> f32 {
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    }
}

/// The light of each sRGB byte.
pub(crate) fn light_of_bytes() -> &'static [f32; 256] {
    static TABLE: OnceLock<[f32; 256]> = OnceLock::new();
    TABLE.get_or_init(|| std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0)))
}

/// Steps of the table of [`byte_of_light`].
const STEPS: usize = 16384;

/// The sRGB byte nearest to a share of light.
pub(crate) fn byte_of_light(light: f32) -> u8 {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        (0..=STEPS)
            .map(|step| (srgb_from_linear(step as f32 / STEPS as f32) * 255.0).round() as u8)
            .collect()
    });
    // The cast turns what is no number into zero.
    table[((light * STEPS as f32 + 0.5) as usize).min(STEPS)]
}

/// One of the two sRGB bytes next to a share of light: the upper one if what exceeds the lower one
/// exceeds `1 - threshold`.
pub(crate) fn dithered_byte_of_light(light: f32, threshold: f32) -> u8 {
    (shown_value(light) + threshold) as u8
}

/// Steps of the table of [`shown_value`].
const ROOT_STEPS: usize = 2048;

/// The sRGB value of a share of light, from 0 to 255, not rounded. The table is over the square root of light, where
/// the curve is nearly straight, so that it is small enough to stay near the processor.
pub(crate) fn shown_value(light: f32) -> f32 {
    between_roots(shown_values(), root_place(light))
}

/// The table of [`shown_value`].
fn shown_values() -> &'static ShownValues {
    static TABLE: OnceLock<ShownValues> = OnceLock::new();
    TABLE.get_or_init(|| {
        let value = |step: usize| {
            let root = (step as f32 / ROOT_STEPS as f32).min(1.0);
            srgb_from_linear(root * root) * 255.0
        };
        std::array::from_fn(|step| [value(step), value(step + 1) - value(step)])
    })
}

/// Values at equal steps of the root of light, and how much the next one exceeds each.
type ShownValues = [[f32; 2]; ROOT_STEPS + 1];

/// Where a share of light lies in that table.
#[inline(always)]
fn root_place(light: f32) -> f32 {
    // What is no number is zero.
    let light = if light > 0.0 { light } else { 0.0 };
    (if light < 1.0 { light } else { 1.0 }).sqrt() * ROOT_STEPS as f32
}

/// The value at a place of that table.
#[inline(always)]
fn between_roots(table: &ShownValues, place: f32) -> f32 {
    let step = (place as i32 as usize).min(ROOT_STEPS);
    let [value, change] = table[step];
    value + change * (place - step as f32)
}

/// The values of many shares of light, as [`shown_value`] gives them one by one.
#[inline(always)]
pub(crate) fn shown_of_many<const COUNT: usize>(light: &[f32; COUNT]) -> [f32; COUNT] {
    let table = shown_values();
    let (mut steps, mut shares) = ([0_i32; COUNT], [0.0_f32; COUNT]);
    for index in 0..COUNT {
        let place = root_place(light[index]);
        steps[index] = whole(place);
        shares[index] = place - steps[index] as f32;
    }
    let (mut values, mut changes) = ([0.0_f32; COUNT], [0.0_f32; COUNT]);
    for index in 0..COUNT {
        [values[index], changes[index]] = table[(steps[index] as usize).min(ROOT_STEPS)];
    }
    for index in 0..COUNT {
        values[index] += changes[index] * shares[index];
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_way_to_light_and_back() {
        for byte in 0..=255_u8 {
            assert_eq!(byte_of_light(light_of_bytes()[byte as usize]), byte);
        }
        for byte in 0..=255_u8 {
            for threshold in [0.02, 0.5, 0.98] {
                let light = light_of_bytes()[byte as usize];
                assert_eq!(dithered_byte_of_light(light, threshold), byte);
            }
        }
        assert_eq!(dithered_byte_of_light(f32::NAN, 0.9), 0);
        assert_eq!(byte_of_light(f32::NAN), 0);
        assert_eq!(byte_of_light(-3.0), 0);
        assert_eq!(byte_of_light(f32::INFINITY), 255);
    }

    #[test]
    fn many_are_those_of_single_ones() {
        let light: [f32; 40] = std::array::from_fn(|step| step as f32 * 0.031 - 0.1);
        assert_eq!(shown_of_many(&light), light.map(shown_value));
        let odd = [f32::NAN, f32::INFINITY];
        assert_eq!(shown_of_many(&odd), odd.map(shown_value));
        assert_eq!(shown_of_many(&odd).map(f32::round), [0.0, 255.0]);
    }

    #[test]
    fn the_shoulder_rises_smoothly_and_stays_below_one() {
        let mut last = 0.0;
        for step in 1..400 {
            let light = step as f32 * 0.01;
            let shown = compress(light);
            assert!(shown > last && shown < 1.0 && shown <= light + 1e-6);
            assert!(shown - last < 0.0101);
            last = shown;
        }
    }
}
