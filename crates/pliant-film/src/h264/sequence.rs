//! What a decoder must know before the first picture.
//!
//! The encoder's sequence parameters say nothing about colour and order. They end with a flag
//! "description follows" that is 0; this file sets it to 1 and appends the description (VUI):
//! square pixels, BT.709 colours of limited range, the frame rate, no pictures out of order. The
//! last keeps players from holding pictures back.
//!
//! Implements: ITU-T H.264, 7.3.2.1.1, E.1.1; ISO/IEC 14496-15, 5.3.3.1 (`avcC`).

use super::annex_b::{escape, unescape};
use crate::frame_rate::FrameRate;
use crate::mp4::{boxed, colour_box, visual_sample_entry};
use crate::yuv::Planes;

/// The description "BT.709" for primaries, transfer and matrix alike.
const BT709: u32 = 1;
/// Profiles from this one on carry a chroma format.
const HIGH_PROFILE: u8 = 100;

/// Bits in a row, the highest first.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    /// The bits of a content up to the 1 that ends it; `None` if there is none.
    fn of_content(content: &[u8]) -> Option<Self> {
        let mut bits = Self::default();
        for byte in content {
            bits.push(u32::from(*byte), 8);
        }
        let end = bits.0.iter().rposition(|bit| *bit)?;
        bits.0.truncate(end);
        Some(bits)
    }

    fn push(&mut self, value: u32, count: u32) {
        for shift in (0..count).rev() {
            self.0.push(value >> shift & 1 == 1);
        }
    }

    /// An unsigned Exp-Golomb number.
    fn push_golomb(&mut self, value: u32) {
        let code = value + 1;
        let length = 32 - code.leading_zeros();
        self.push(0, length - 1);
        self.push(code, length);
    }

    /// Appends the 1 that ends a content, and zeros up to a whole byte.
    fn into_content(mut self) -> Vec<u8> {
        self.0.push(true);
        self.0
            .chunks(8)
            .map(|byte| {
                byte.iter()
                    .enumerate()
                    .fold(0, |sum, (index, bit)| sum | u8::from(*bit) << (7 - index))
            })
            .collect()
    }
}

/// The sequence parameters with a description; `None` if they already have one.
pub(super) fn with_description(unit: &[u8], rate: FrameRate) -> Option<Vec<u8>> {
    let (header, content) = unit.split_first()?;
    let mut content = unescape(content);
    // The encoder claims that a film of High profile obeys Main as well; with the 8 x 8 transform
    // it does not, and a decoder may believe the claim.
    if let [profile, claims, ..] = &mut content[..]
        && *profile >= HIGH_PROFILE
    {
        *claims = 0;
    }
    let mut bits = Bits::of_content(&content)?;
    if bits.0.pop()? {
        return None;
    }
    bits.push(1, 1);
    bits.push(1, 1); // aspect ratio follows
    bits.push(1, 8); // square pixels
    bits.push(0, 1); // nothing about overscan
    bits.push(1, 1); // video signal follows
    bits.push(5, 3); // video format not specified
    bits.push(0, 1); // limited range
    bits.push(1, 1); // colour description follows
    bits.push(BT709, 8);
    bits.push(BT709, 8);
    bits.push(BT709, 8);
    bits.push(0, 1); // chroma siting: left, the default
    bits.push(1, 1); // timing follows: ticks are half pictures
    bits.push(rate.denominator, 32);
    bits.push(rate.numerator * 2, 32);
    bits.push(1, 1); // fixed rate
    bits.push(0, 1); // no buffer model of units
    bits.push(0, 1); // no buffer model of the stream
    bits.push(0, 1); // no picture structure messages
    bits.push(1, 1); // restrictions follow
    bits.push(1, 1); // motion may point outside the picture
    bits.push_golomb(0); // no bound on bytes of a picture
    bits.push_golomb(0); // no bound on bits of a macroblock
    bits.push_golomb(15); // longest motion, horizontal, log2
    bits.push_golomb(15); // longest motion, vertical, log2
    bits.push_golomb(0); // no picture out of order
    bits.push_golomb(super::REFERENCE_PICTURES); // pictures to keep
    let mut described = vec![*header];
    described.extend(escape(&bits.into_content()));
    Some(described)
}

/// The `avc1` entry of the sample table.
pub(super) fn sample_entry(planes: &Planes, sequence: &[u8], picture: &[u8]) -> Option<Vec<u8>> {
    let [_, profile, compatibility, level, ..] = *sequence else {
        return None;
    };
    let sequence_length = u16::try_from(sequence.len()).ok()?.to_be_bytes();
    let picture_length = u16::try_from(picture.len()).ok()?.to_be_bytes();
    let mut configuration = vec![1, profile, compatibility, level];
    configuration.push(0xfc | 3); // lengths of four bytes
    configuration.push(0xe0 | 1); // one sequence parameter set
    configuration.extend(sequence_length);
    configuration.extend(sequence);
    configuration.push(1); // one picture parameter set
    configuration.extend(picture_length);
    configuration.extend(picture);
    if profile >= HIGH_PROFILE {
        configuration.extend([0xfc | 1, 0xf8, 0xf8, 0]); // 4:2:0, 8 bits, 8 bits, no extensions
    }
    let parts = [
        boxed(b"avcC", &configuration),
        colour_box(),
        boxed(b"pasp", &[0, 0, 0, 1, 0, 0, 0, 1]),
    ];
    Some(visual_sample_entry(
        b"avc1",
        planes.width,
        planes.height,
        &parts.concat(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golomb_numbers() {
        let code = |value| {
            let mut bits = Bits::default();
            bits.push_golomb(value);
            bits.0.iter().map(|bit| u8::from(*bit)).collect::<Vec<_>>()
        };
        assert_eq!(code(0), [1]);
        assert_eq!(code(1), [0, 1, 0]);
        assert_eq!(code(3), [0, 0, 1, 0, 0]);
    }

    #[test]
    fn bits_come_back() {
        let content = [0x64, 0, 0x1f, 0xac, 0x80];
        let bits = Bits::of_content(&content).unwrap();
        assert_eq!(bits.0.len(), 32);
        assert_eq!(bits.into_content(), content);
        assert!(Bits::of_content(&[0, 0]).is_none());
    }

    #[test]
    fn a_second_description_is_refused() {
        let rate = FrameRate::new(30.0);
        // One flag, 0, then the bit that ends the content.
        let unit = [0x67, 0b0100_0000];
        let described = with_description(&unit, rate).unwrap();
        assert_eq!(described[0], 0x67);
        assert_eq!(described[1] >> 7, 1);
        assert!(with_description(&[0x67, 0b1100_0000], rate).is_none());
        assert!(with_description(&[0x67], rate).is_none());
        // High profile makes no claims about lower ones.
        let high = with_description(&[0x67, 100, 0x40, 30, 0b0100_0000], rate).unwrap();
        assert_eq!(high[1..4], [100, 0, 30]);
    }
}
