//! From light to what a screen shows: exposure, a gentle shoulder, sRGB.

use std::sync::OnceLock;

/// Below this, light is shown as it is; above, it is compressed so that 1 is never passed.
const SHOULDER: f32 = 0.72;

/// Compresses bright light so that highlights keep their shape instead of being cut off.
pub(crate) fn compress(light: f32) -> f32 {
    if light <= SHOULDER {
        return light.max(0.0);
    }
    // Joins the straight part with slope 1 and tends to 1.
    let room = 1.0 - SHOULDER;
    1.0 - room * room / (light - SHOULDER + room)
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

/// The sRGB value of a share of light, from 0 to 255, not rounded.
pub(crate) fn shown_value(light: f32) -> f32 {
    static TABLE: OnceLock<Vec<f32>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        (0..=STEPS + 1)
            .map(|step| srgb_from_linear((step as f32 / STEPS as f32).min(1.0)) * 255.0)
            .collect()
    });
    // The cast turns what is no number into zero.
    let place = (light * STEPS as f32).clamp(0.0, STEPS as f32);
    let step = place as usize;
    table[step] + (table[step + 1] - table[step]) * (place - step as f32)
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
