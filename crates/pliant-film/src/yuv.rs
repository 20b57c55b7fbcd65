//! Pictures in the colours of video: BT.709, limited range, 4:2:0.
//!
//! With R, G, B in 0..1 (gamma-coded, as in the picture):
//!
//! ```text
//! Y  = 0.2126 R + 0.7152 G + 0.0722 B        luma    = 16  + 219 Y
//! Cb = (B - Y) / 1.8556                      chroma  = 128 + 224 Cb
//! Cr = (R - Y) / 1.5748                      chroma  = 128 + 224 Cr
//! ```
//!
//! Implements: ITU-R BT.709-6, items 3.2 to 3.5. A chroma sample stands for 2 x 2 pixels and lies
//! between the rows, level with the left column ("left" siting, what decoders assume): it is
//! averaged over two rows, and over three columns with weights 1, 2, 1.
//!
//! A picture of odd width or height is made even by repeating its last column or row.

/// Fraction bits of the coefficients.
const BITS: u32 = 16;
/// Chroma sums carry a weight of 8 (two rows times 1 + 2 + 1).
const CHROMA_BITS: u32 = BITS + 3;

/// Coefficients for luma, scaled by 2^BITS * 219 / 255. Their sum makes white exactly 235.
const LUMA: [i32; 3] = [11966, 40254, 4064];
/// Coefficients for Cb, scaled by 2^BITS * 224 / 255. Their sum is 0: grey has no colour.
const BLUE: [i32; 3] = [-6596, -22189, 28785];
/// Coefficients for Cr.
const RED: [i32; 3] = [28785, -26145, -2640];

/// A picture in three planes.
#[derive(Clone, Debug)]
pub(crate) struct Planes {
    /// Width, even.
    pub width: usize,
    /// Height, even.
    pub height: usize,
    /// Luma, `width * height`.
    pub luma: Vec<u8>,
    /// Cb, a quarter of that.
    pub blue: Vec<u8>,
    /// Cr, a quarter of that.
    pub red: Vec<u8>,
}

impl Planes {
    /// Planes for pictures of a size, which is made even.
    pub fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.next_multiple_of(2), height.next_multiple_of(2));
        Self {
            width,
            height,
            luma: vec![16; width * height],
            blue: vec![128; width * height / 4],
            red: vec![128; width * height / 4],
        }
    }

    /// Fills the planes from a picture of the size given to [`Planes::new`].
    pub fn convert(&mut self, rgba: &[u8], width: usize, height: usize) {
        for pair in 0..self.height / 2 {
            let upper = pair * 2;
            // The last row of a picture of odd height serves twice.
            let lower = (upper + 1).min(height - 1);
            let upper_row = &rgba[upper * width * 4..][..width * 4];
            let lower_row = &rgba[lower * width * 4..][..width * 4];
            luma_row(
                upper_row,
                &mut self.luma[upper * self.width..][..self.width],
            );
            luma_row(
                lower_row,
                &mut self.luma[(upper + 1) * self.width..][..self.width],
            );
            let half = self.width / 2;
            chroma_row(
                upper_row,
                lower_row,
                &mut self.blue[pair * half..][..half],
                &mut self.red[pair * half..][..half],
            );
        }
    }
}

/// Luma of a row; the last value is repeated when the row is one shorter.
fn luma_row(rgba: &[u8], luma: &mut [u8]) {
    let pixels = rgba.as_chunks::<4>().0;
    for (luma, pixel) in luma.iter_mut().zip(pixels) {
        let [red, green, blue, _] = pixel.map(i32::from);
        let sum = LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue;
        *luma = (((sum + (1 << (BITS - 1))) >> BITS) + 16) as u8;
    }
    if let Some((last, [.., before])) = luma.split_last_mut().filter(|_| pixels.len() % 2 == 1) {
        *last = *before;
    }
}

/// Chroma of two rows.
fn chroma_row(upper: &[u8], lower: &[u8], blue: &mut [u8], red: &mut [u8]) {
    let (upper, lower) = (upper.as_chunks::<4>().0, lower.as_chunks::<4>().0);
    // Sum of the two rows in one column.
    let sum = |above: [u8; 4], below: [u8; 4]| {
        [0, 1, 2].map(|channel| i32::from(above[channel]) + i32::from(below[channel]))
    };
    let (upper_pairs, lower_pairs) = (upper.as_chunks::<2>().0, lower.as_chunks::<2>().0);
    let mut left = sum(upper[0], lower[0]);
    let mut set = |index: usize, centre: [i32; 3], right: [i32; 3]| {
        let colour = [0, 1, 2].map(|channel| left[channel] + 2 * centre[channel] + right[channel]);
        blue[index] = chroma(&BLUE, &colour);
        red[index] = chroma(&RED, &colour);
        left = right;
    };
    for (index, (above, below)) in upper_pairs.iter().zip(lower_pairs).enumerate() {
        set(index, sum(above[0], below[0]), sum(above[1], below[1]));
    }
    if let (true, Some(above), Some(below)) = (upper.len() % 2 == 1, upper.last(), lower.last()) {
        let last = sum(*above, *below);
        set(upper_pairs.len(), last, last);
    }
}

/// One chroma value from a colour of weight 8.
fn chroma(coefficients: &[i32; 3], colour: &[i32; 3]) -> u8 {
    let sum: i32 = coefficients.iter().zip(colour).map(|(c, v)| c * v).sum();
    (((sum + (1 << (CHROMA_BITS - 1))) >> CHROMA_BITS) + 128) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(rgba: &[u8], width: usize, height: usize) -> Planes {
        let mut planes = Planes::new(width, height);
        planes.convert(rgba, width, height);
        planes
    }

    /// The definition in floating point.
    fn reference(colour: [u8; 3]) -> [f64; 3] {
        let [red, green, blue] = colour.map(|value| f64::from(value) / 255.0);
        let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        [
            16.0 + 219.0 * luma,
            128.0 + 224.0 * (blue - luma) / 1.8556,
            128.0 + 224.0 * (red - luma) / 1.5748,
        ]
    }

    #[test]
    fn coefficients_follow_from_the_definition() {
        let unit = f64::from(1 << BITS);
        for channel in 0..3 {
            let mut colour = [0; 3];
            colour[channel] = 255;
            let [luma, blue, red] = reference(colour);
            assert!((f64::from(LUMA[channel]) - (luma - 16.0) / 255.0 * unit).abs() < 1.0);
            assert!((f64::from(BLUE[channel]) - (blue - 128.0) / 255.0 * unit).abs() < 1.0);
            assert!((f64::from(RED[channel]) - (red - 128.0) / 255.0 * unit).abs() < 1.0);
        }
        assert_eq!(BLUE.iter().sum::<i32>(), 0);
        assert_eq!(RED.iter().sum::<i32>(), 0);
    }

    #[test]
    fn known_colours() {
        let cases = [
            ([0, 0, 0], [16, 128, 128]),
            ([255, 255, 255], [235, 128, 128]),
            ([128, 128, 128], [126, 128, 128]),
            ([255, 0, 0], [63, 102, 240]),
            ([0, 255, 0], [173, 42, 26]),
            ([0, 0, 255], [32, 240, 118]),
        ];
        for (colour, expected) in cases {
            let picture = [colour[0], colour[1], colour[2], 255].repeat(4);
            let planes = convert(&picture, 2, 2);
            assert_eq!(
                [planes.luma[0], planes.blue[0], planes.red[0]],
                expected,
                "{colour:?}"
            );
        }
    }

    #[test]
    fn every_colour_is_within_rounding_of_the_definition() {
        for code in (0..1 << 24).step_by(4099) {
            let colour = [code as u8, (code >> 8) as u8, (code >> 16) as u8];
            let planes = convert(&[colour[0], colour[1], colour[2], 0].repeat(4), 2, 2);
            let found = [planes.luma[0], planes.blue[0], planes.red[0]];
            for (found, expected) in found.iter().zip(reference(colour)) {
                assert!((f64::from(*found) - expected).abs() < 0.52, "{colour:?}");
            }
        }
    }

    #[test]
    fn an_odd_picture_repeats_its_edge() {
        // 3 x 1: black, white, red.
        let picture = [0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 255];
        let planes = convert(&picture, 3, 1);
        assert_eq!((planes.width, planes.height), (4, 2));
        assert_eq!(planes.luma, [16, 235, 63, 63, 16, 235, 63, 63]);
        assert_eq!(planes.blue.len(), 2);
        // Left sample: 1/4 black (edge), 1/2 black, 1/4 white: grey.
        assert_eq!((planes.blue[0], planes.red[0]), (128, 128));
        // Right sample: 1/4 white, 3/4 red.
        assert_eq!(planes.red[1], (128.0 + 0.75 * 112.0) as u8);
    }

    #[test]
    fn a_single_pixel_is_a_picture() {
        let planes = convert(&[255, 0, 0, 255], 1, 1);
        assert_eq!(planes.luma, [63; 4]);
        assert_eq!((planes.blue[0], planes.red[0]), (102, 240));
    }
}
