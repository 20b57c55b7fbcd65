//! Colours for numbers, and colours between colour spaces.
//!
//! The maps are drawn as curves in OKLab, a space in which equal distances look equally far apart
//! (B. Ottosson, 2020), so that equal steps of a field look like equal steps of colour. Lightness
//! runs straight; chroma is reduced where the screen cannot show it.

use std::f64::consts::TAU;

/// Linear red, green and blue.
pub type Color = [f32; 3];

/// Which colours stand for numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorMap {
    /// From dark violet over teal to yellow, ever lighter: for what grows from nothing.
    #[default]
    Rising,
    /// Blue, white, red: for what has a sign.
    Diverging,
}

impl ColorMap {
    /// The colour at `share` of the way from low to high; beyond the ends the colour of the end,
    /// grey for what is no number.
    pub fn color(self, share: f64) -> Color {
        if share.is_nan() {
            return [0.35; 3];
        }
        let t = share.clamp(0.0, 1.0);
        let (lightness, chroma, hue) = match self {
            Self::Rising => (
                0.27 + 0.65 * t,
                0.13 + 0.04 * t * t - 0.12 * t * (1.0 - t) * (1.0 - t),
                // Degrees: violet, blue, teal, green, yellow.
                308.0 - 203.0 * t,
            ),
            Self::Diverging => {
                let side = 2.0 * t - 1.0;
                let far = side.abs();
                let hue = if side < 0.0 { 255.0 } else { 28.0 };
                (0.94 - 0.49 * far, 0.19 * far.powf(0.85), hue)
            }
        };
        shown(lightness, chroma, hue / 360.0 * TAU)
    }

    /// `count` colours from low to high, evenly spaced.
    pub fn strip(self, count: usize) -> Vec<Color> {
        let last = count.max(2) - 1;
        (0..count)
            .map(|k| self.color(k as f64 / last as f64))
            .collect()
    }
}

/// The colour of an OKLab lightness, chroma and hue, with as much of the chroma as a screen shows.
fn shown(lightness: f64, chroma: f64, hue: f64) -> Color {
    let at = |c: f64| linear_from_oklab([lightness, c * hue.cos(), c * hue.sin()]);
    let fits = |rgb: [f64; 3]| rgb.iter().all(|x| (0.0..=1.0).contains(x));
    let (mut low, mut high) = (0.0, chroma);
    if !fits(at(chroma)) {
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if fits(at(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return at(low).map(|x| x as f32);
    }
    at(chroma).map(|x| x as f32)
}

fn linear_from_oklab([l, a, b]: [f64; 3]) -> [f64; 3] {
    let long = (l + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let medium = (l - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (l - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
    ]
}

/// Linear value of an sRGB value, both between 0 and 1; what is no number is 0.
pub fn linear_from_srgb(value: f64) -> f32 {
    let value = if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 1.0)
    };
    let linear = if value <= 0.040_45 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    };
    linear as f32
}

/// A colour `share` of the way from `a` to `b`.
pub fn mix(a: Color, b: Color, share: f32) -> Color {
    std::array::from_fn(|k| a[k] + share * (b[k] - a[k]))
}

/// A colour times a factor, at most white.
pub fn scaled(color: Color, factor: f32) -> Color {
    color.map(|x| (x * factor).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance([r, g, b]: Color) -> f32 {
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn the_rising_map_grows_lighter_in_even_steps() {
        let strip = ColorMap::Rising.strip(64);
        for pair in strip.windows(2) {
            assert!(luminance(pair[1]) > luminance(pair[0]), "{pair:?}");
        }
        // CIE lightness is nearly straight, though the map is made in another space.
        let lightness: Vec<f32> = strip
            .iter()
            .map(|&color| 116.0 * luminance(color).cbrt() - 16.0)
            .collect();
        let mean = (lightness[63] - lightness[0]) / 63.0;
        for pair in lightness.windows(2) {
            assert!((pair[1] - pair[0]) / mean > 0.6 && (pair[1] - pair[0]) / mean < 1.5);
        }
        assert!(lightness[63] - lightness[0] > 60.0);
    }

    #[test]
    fn the_diverging_map_is_lightest_in_the_middle_and_blue_below() {
        let strip = ColorMap::Diverging.strip(65);
        for k in 0..32 {
            assert!(luminance(strip[k + 1]) > luminance(strip[k]));
            assert!(luminance(strip[33 + k]) < luminance(strip[32 + k]));
        }
        assert!(strip[0][2] > 2.0 * strip[0][0] && strip[64][0] > 2.0 * strip[64][2]);
    }

    #[test]
    fn colours_are_always_between_black_and_white() {
        for map in [ColorMap::Rising, ColorMap::Diverging] {
            for share in [f64::NAN, f64::INFINITY, -1e300, -0.1, 0.0, 0.3, 1.0, 7.0] {
                assert!(map.color(share).iter().all(|x| (0.0..=1.0).contains(x)));
            }
        }
        assert_eq!(linear_from_srgb(1.0), 1.0);
        assert!((linear_from_srgb(0.5) - 0.2140).abs() < 1e-3);
    }
}
