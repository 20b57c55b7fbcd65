//! A place in a file that moves forward: words and numbers of text, numbers of binary data.
//!
//! The same reader serves the text and the binary form of a format: [`Cursor::integer`] and
//! [`Cursor::real`] read a word or some bytes, as [`Cursor::encoding`] says.

use super::error::{Fault, Place};

/// How a binary file stores a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Bytes of a number.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As words between white space.
    Text,
    /// As bytes, the lowest first.
    Little,
    /// As bytes, the highest first.
    Big,
}

/// A place in a file.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How the numbers that follow are written.
    pub(super) encoding: Encoding,
}

enum Number {
    Integer(i64),
    /// An unsigned number too large for an `i64`.
    Huge,
    Real(f64),
}

const END: &str = "the end of the data";

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], encoding: Encoding) -> Self {
        let at = 0;
        Self {
            bytes,
            at,
            encoding,
        }
    }

    /// Bytes from the start.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Moves on, at most to the end.
    pub(super) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }

    /// Moves back.
    pub(super) fn step_back(&mut self, count: usize) {
        self.at = self.at.saturating_sub(count);
    }

    /// Where an offset is, for people.
    pub(super) fn place(&self, offset: usize) -> Place {
        match self.encoding {
            Encoding::Text => Place::Line(line_of(self.bytes, offset)),
            Encoding::Little | Encoding::Big => Place::Byte(offset),
        }
    }

    /// Where the next word or number begins, for people.
    pub(super) fn here(&self) -> Place {
        self.place(self.at)
    }

    /// Something else was expected at an offset.
    pub(super) fn fault(&self, offset: usize, expected: &str, found: impl Into<String>) -> Fault {
        Fault::malformed(self.place(offset), expected, found)
    }

    pub(super) fn skip_space(&mut self) {
        let space = |byte: &u8| byte.is_ascii_whitespace();
        self.at += self.rest().iter().take_while(|byte| space(byte)).count();
    }

    /// The next word, if there is one.
    pub(super) fn next_word(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let rest = self.rest();
        let length = rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The next word.
    pub(super) fn word(&mut self, expected: &str) -> Result<&'a [u8], Fault> {
        let word = self.next_word();
        word.ok_or_else(|| self.fault(self.at, expected, END))
    }

    /// The next word, as text.
    pub(super) fn text(&mut self, expected: &str) -> Result<&'a str, Fault> {
        let word = self.word(expected)?;
        std::str::from_utf8(word)
            .map_err(|_| self.fault(self.at - word.len(), expected, shown(word)))
    }

    /// The rest of the line, without its end, and the step over the end. Nothing at the end of the
    /// file.
    pub(super) fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|&byte| byte == b'\n');
        self.skip(length.map_or(rest.len(), |length| length + 1));
        let line = &rest[..length.unwrap_or(rest.len())];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// A whole number written as a word, also in a binary file.
    pub(super) fn integer_word(&mut self, expected: &str) -> Result<i64, Fault> {
        let word = self.word(expected)?;
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
        number.ok_or_else(|| self.fault(self.at - word.len(), expected, shown(word)))
    }

    fn real_word(&mut self, expected: &str) -> Result<f64, Fault> {
        let word = self.word(expected)?;
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
        let finite = number.filter(|x: &f64| x.is_finite());
        finite.ok_or_else(|| self.fault(self.at - word.len(), expected, shown(word)))
    }

    /// The next bytes.
    pub(super) fn next_bytes(&mut self, count: usize, expected: &str) -> Result<&'a [u8], Fault> {
        let taken = self.rest().get(..count);
        let taken = taken.ok_or_else(|| self.fault(self.at, expected, END))?;
        self.at += count;
        Ok(taken)
    }

    fn binary(&mut self, scalar: Scalar, expected: &str) -> Result<Number, Fault> {
        let bytes = self.next_bytes(scalar.size(), expected)?;
        let mut word = [0; 8];
        for (place, &byte) in bytes.iter().enumerate() {
            let place = match self.encoding {
                Encoding::Big => bytes.len() - 1 - place,
                Encoding::Little | Encoding::Text => place,
            };
            word[place] = byte;
        }
        let bits = u64::from_le_bytes(word);
        Ok(match scalar {
            Scalar::I8 => Number::Integer((bits as i8).into()),
            Scalar::I16 => Number::Integer((bits as i16).into()),
            Scalar::I32 => Number::Integer((bits as i32).into()),
            Scalar::I64 => Number::Integer(bits as i64),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
                i64::try_from(bits).map_or(Number::Huge, Number::Integer)
            }
            Scalar::F32 => Number::Real(f32::from_bits(bits as u32).into()),
            Scalar::F64 => Number::Real(f64::from_bits(bits)),
        })
    }

    /// A whole number.
    pub(super) fn integer(&mut self, scalar: Scalar, expected: &str) -> Result<i64, Fault> {
        if self.encoding == Encoding::Text {
            return self.integer_word(expected);
        }
        let start = self.at;
        match self.binary(scalar, expected)? {
            Number::Integer(number) => Ok(number),
            Number::Huge => Err(self.fault(start, expected, "a number above 2^63")),
            Number::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                Ok(number as i64)
            }
            Number::Real(number) => Err(self.fault(start, expected, number.to_string())),
        }
    }

    /// A finite number.
    pub(super) fn real(&mut self, scalar: Scalar, expected: &str) -> Result<f64, Fault> {
        if self.encoding == Encoding::Text {
            return self.real_word(expected);
        }
        let start = self.at;
        match self.binary(scalar, expected)? {
            Number::Integer(number) => Ok(number as f64),
            Number::Real(number) if number.is_finite() => Ok(number),
            Number::Real(number) => Err(self.fault(start, expected, number.to_string())),
            Number::Huge => Err(self.fault(start, expected, "a number above 2^63")),
        }
    }

    /// Passes over numbers.
    pub(super) fn skip_numbers(
        &mut self,
        count: usize,
        scalar: Scalar,
        expected: &str,
    ) -> Result<(), Fault> {
        if self.encoding == Encoding::Text {
            for _ in 0..count {
                self.word(expected)?;
            }
            return Ok(());
        }
        let bytes = count.checked_mul(scalar.size());
        let bytes = bytes.ok_or_else(|| self.fault(self.at, expected, END))?;
        self.next_bytes(bytes, expected).map(|_| ())
    }

    /// The fewest bytes that a number takes in the file.
    pub(super) fn least_size(&self, scalar: Scalar) -> usize {
        match self.encoding {
            Encoding::Text => 2,
            Encoding::Little | Encoding::Big => scalar.size(),
        }
    }

    /// Checks that a number of things, as claimed by a file, could stand in what follows, so that
    /// no memory is asked for that the file cannot fill.
    pub(super) fn count(
        &self,
        claimed: i64,
        least_size: usize,
        what: &str,
    ) -> Result<usize, Fault> {
        let room = self.rest().len() as u128 + 1;
        let fits = |count: &u32| u128::from(*count) * least_size as u128 <= room;
        let count = u32::try_from(claimed).ok().filter(fits);
        count.map(|count| count as usize).ok_or_else(|| {
            let expected = format!("as many {what} as the file has room for");
            self.fault(self.at, &expected, claimed.to_string())
                .or_hint("the file is cut off, or its header is wrong")
        })
    }
}

/// The line of an offset, counted from 1.
fn line_of(bytes: &[u8], offset: usize) -> usize {
    let before = &bytes[..offset.min(bytes.len())];
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}

/// Bytes of a file as they may stand in a message.
pub(super) fn shown(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(32)];
    let more = if bytes.len() > start.len() { "…" } else { "" };
    let text = String::from_utf8_lossy(start);
    let text: String = text.chars().flat_map(char::escape_debug).collect();
    format!("'{text}{more}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_each_encoding() {
        let mut text = Cursor::new(b" -7\n2.5 x", Encoding::Text);
        assert_eq!(text.integer(Scalar::I32, "a").unwrap(), -7);
        assert_eq!(text.real(Scalar::F32, "a").unwrap(), 2.5);
        let fault = text.real(Scalar::F64, "a number").unwrap_err().in_file("f");
        assert_eq!(fault.to_string(), "f, line 2: expected a number, found 'x'");
        let mut big = Cursor::new(&[0xff, 0xfe, 0x40, 0x20, 0, 0], Encoding::Big);
        assert_eq!(big.integer(Scalar::I16, "a").unwrap(), -2);
        assert_eq!(big.real(Scalar::F32, "a").unwrap(), 2.5);
        assert!(big.integer(Scalar::U8, "a").is_err());
        let mut little = Cursor::new(&[0xfe, 0xff], Encoding::Little);
        assert_eq!(little.integer(Scalar::U16, "a").unwrap(), 0xfffe);
        let mut huge = Cursor::new(&[0xff; 8], Encoding::Little);
        assert!(huge.integer(Scalar::U64, "a").is_err());
    }

    #[test]
    fn a_count_that_the_file_cannot_hold_is_refused() {
        let cursor = Cursor::new(&[0; 30], Encoding::Little);
        assert_eq!(cursor.count(3, 10, "nodes").unwrap(), 3);
        assert!(cursor.count(4, 10, "nodes").is_err());
        assert!(cursor.count(-1, 10, "nodes").is_err());
        assert!(cursor.count(i64::MAX, 10, "nodes").is_err());
    }
}
