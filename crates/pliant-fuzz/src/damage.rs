//! Damage to bytes: bits, numbers, lengths, repetitions, pieces of another sample.

use crate::{Random, Sample};

/// Texts that readers stumble over.
pub const HARD_WORDS: &[&str] = &[
    "",
    "0",
    "-1",
    "nan",
    "inf",
    "1e308",
    "-1e400",
    "1e-320",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "[",
    "]",
    "[]",
    "<",
    ">",
    "/>",
    "\"",
    "&",
    "&#0;",
    "\u{0}",
    "\u{feff}",
    "é漢",
    "1/(u-u)",
    "((((u",
    "u^v^w",
    "e",
    "..",
    "/dev/zero",
];

/// A sample with one to four pieces of damage.
pub fn damaged(samples: &[Sample], random: &mut Random) -> Sample {
    let mut sample = random.pick(samples).clone();
    for _ in 0..=random.below(4) {
        damage(&mut sample.bytes, samples, random);
    }
    sample
}

fn damage(bytes: &mut Vec<u8>, samples: &[Sample], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(64)).min(bytes.len());
    match random.below(10) {
        0 => bytes.truncate(at),
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.number() as u8;
            }
        }
        // A length or count becomes another.
        3 => {
            let width = *random.pick(&[1, 2, 4, 8]);
            let number = match random.below(4) {
                0 => u64::MAX,
                1 => 0,
                2 => 1 << random.below(64),
                _ => random.number(),
            };
            for (byte, new) in bytes
                .iter_mut()
                .skip(at)
                .take(width)
                .zip(number.to_le_bytes())
            {
                *byte = new;
            }
        }
        4 => drop(bytes.drain(at..end)),
        5 => {
            let piece = bytes[at..end].to_vec();
            let times = 1 + random.below(20);
            bytes.splice(at..at, piece.repeat(times));
        }
        6 => {
            let word = *random.pick(HARD_WORDS);
            bytes.splice(at..at, word.bytes());
        }
        // A word between spaces or quotes becomes another.
        7 | 8 => {
            let is_edge = |byte: &u8| byte.is_ascii_whitespace() || b"\"'=,;<>".contains(byte);
            let start = bytes[..at]
                .iter()
                .rposition(is_edge)
                .map_or(0, |edge| edge + 1);
            let stop = bytes[at..].iter().position(is_edge);
            let stop = stop.map_or(bytes.len(), |edge| at + edge);
            let word = *random.pick(HARD_WORDS);
            bytes.splice(start..stop, word.bytes());
        }
        _ => {
            let other = &random.pick(samples).bytes;
            let from = random.below(other.len() + 1);
            let to = (from + random.below(400)).min(other.len());
            let piece = other[from..to].to_vec();
            bytes.splice(at..end, piece);
        }
    }
}
