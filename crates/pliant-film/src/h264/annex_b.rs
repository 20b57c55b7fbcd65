//! The encoder's stream taken apart: units between start codes.
//!
//! Implements: ITU-T H.264, 7.3.1 and annex B.

/// A slice of a picture that needs others.
pub(super) const PICTURE: u8 = 1;
/// A slice of a picture that stands alone.
pub(super) const KEY_PICTURE: u8 = 5;
/// Sequence parameter set.
pub(super) const SEQUENCE_PARAMETERS: u8 = 7;
/// Picture parameter set.
pub(super) const PICTURE_PARAMETERS: u8 = 8;

/// The type of a unit.
pub(super) fn kind(unit: &[u8]) -> u8 {
    unit.first().map_or(0, |header| header & 0x1f)
}

/// Whether a slice is the first of its picture: `first_mb_in_slice` is 0, coded as a single 1.
pub(super) fn begins_picture(unit: &[u8]) -> bool {
    unit.get(1).is_some_and(|byte| byte & 0x80 != 0)
}

/// The units of a stream, without start codes and without the zeros that may follow a unit.
pub(super) fn units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = after_start_code(stream);
    std::iter::from_fn(move || {
        let data = rest?;
        let end = start_code(data).unwrap_or(data.len());
        rest = after_start_code(&data[end..]);
        let zeros = data[..end].iter().rev().take_while(|b| **b == 0).count();
        Some(&data[..end - zeros])
    })
    .filter(|unit| !unit.is_empty())
}

/// Where the next start code (0, 0, 1) begins.
fn start_code(data: &[u8]) -> Option<usize> {
    data.windows(3).position(|window| window == [0, 0, 1])
}

fn after_start_code(data: &[u8]) -> Option<&[u8]> {
    start_code(data).map(|at| &data[at + 3..])
}

/// A unit's content without the bytes that keep start codes from appearing in it.
pub(super) fn unescape(unit: &[u8]) -> Vec<u8> {
    let mut content = Vec::with_capacity(unit.len());
    let mut zeros = 0;
    for byte in unit {
        if zeros >= 2 && *byte == 3 {
            zeros = 0;
            continue;
        }
        zeros = if *byte == 0 { zeros + 1 } else { 0 };
        content.push(*byte);
    }
    content
}

/// The reverse of [`unescape`].
pub(super) fn escape(content: &[u8]) -> Vec<u8> {
    let mut unit = Vec::with_capacity(content.len() + 4);
    let mut zeros = 0;
    for byte in content {
        if zeros >= 2 && *byte <= 3 {
            unit.push(3);
            zeros = 0;
        }
        zeros = if *byte == 0 { zeros + 1 } else { 0 };
        unit.push(*byte);
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_falls_into_its_units() {
        let stream = [
            0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3, 0, 0, 0, 1, 0x65, 0x88, 0,
        ];
        let found: Vec<_> = units(&stream).collect();
        assert_eq!(found, [&[0x67, 1, 2][..], &[0x68, 3], &[0x65, 0x88]]);
        assert_eq!(kind(found[0]), SEQUENCE_PARAMETERS);
        assert_eq!(kind(found[2]), KEY_PICTURE);
        assert!(begins_picture(found[2]));
        assert_eq!(units(&[]).count(), 0);
        assert_eq!(units(&[1, 2, 3]).count(), 0);
    }

    #[test]
    fn escaping_hides_start_codes_and_is_undone() {
        let content = [0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4];
        let unit = escape(&content);
        assert!(!unit.windows(3).any(|w| w[..2] == [0, 0] && w[2] < 3));
        assert_eq!(unescape(&unit), content);
    }
}
