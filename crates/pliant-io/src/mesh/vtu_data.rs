//! Data blocks of VTK XML files: a header that says how long they are, then the numbers, perhaps
//! compressed; all that perhaps in base64.

use super::cursor::{Cursor, Encoding, Scalar};
use super::error::{Fault, Place};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use std::cell::Cell;

/// How the data of a file are stored.
pub(super) struct Storage<'a> {
    pub(super) encoding: Encoding,
    /// The numbers of the header of each block.
    header: Scalar,
    /// Whether with zlib.
    compressed: bool,
    /// The data at the end of the file, after the mark `_`.
    pub(super) appended: &'a [u8],
    pub(super) appended_base64: bool,
    /// Bytes of the file that may still be decoded. Each is used once in a sound file; without the
    /// limit, a short file could name the same data a thousand times.
    budget: Cell<usize>,
    /// Bytes of numbers, eight each, that may still be unpacked from compressed data.
    unpacked: Cell<usize>,
}

/// Numbers take at most this many times the length of the file, eight bytes each. Meshes of real
/// shapes stay below 30; zlib could reach 8,000.
const MOST_EXPANSION: usize = 64;

/// A small file may expand more: it does no harm.
const HARMLESS: usize = 1 << 24;

impl<'a> Storage<'a> {
    pub(super) fn new(
        encoding: Encoding,
        header: Scalar,
        compressed: bool,
        appended: &'a [u8],
        appended_base64: bool,
        file_length: usize,
    ) -> Self {
        Self {
            encoding,
            header,
            compressed,
            appended,
            appended_base64,
            budget: Cell::new(file_length),
            unpacked: Cell::new(file_length.saturating_mul(MOST_EXPANSION).max(HARMLESS)),
        }
    }
}

/// Bytes, perhaps in base64, that are read only as far as they are needed.
struct Source<'a, 's> {
    rest: &'a [u8],
    base64: bool,
    storage: &'s Storage<'s>,
    /// Decoded bytes that were not asked for yet.
    ahead: Vec<u8>,
}

impl Source<'_, '_> {
    fn fault(&self, expected: &str, found: impl Into<String>) -> Fault {
        // The caller knows the line of the array.
        Fault::malformed(Place::Byte(0), expected, found)
    }

    /// The next bytes.
    fn next_bytes(&mut self, count: usize) -> Result<Vec<u8>, Fault> {
        if count > self.rest.len() + self.ahead.len() {
            let expected = "as many bytes of data as their header says";
            return Err(self.fault(expected, "the end of the data"));
        }
        let before = self.rest.len();
        let mut taken = std::mem::take(&mut self.ahead);
        taken.reserve_exact(count.saturating_sub(taken.len()));
        if self.base64 {
            while taken.len() < count {
                self.take_group(&mut taken)?;
            }
            self.ahead = taken.split_off(count);
        } else {
            let (now, later) = self.rest.split_at(count.min(self.rest.len()));
            taken.extend_from_slice(now);
            self.rest = later;
        }
        let used = before - self.rest.len();
        let left = self.storage.budget.get().checked_sub(used);
        let left = left.ok_or_else(|| self.fault("data that are used once", "more"))?;
        self.storage.budget.set(left);
        Ok(taken)
    }

    /// Decodes four letters of base64. Padding may stand in the middle: a header may be encoded
    /// apart from the data that follow it.
    fn take_group(&mut self, bytes: &mut Vec<u8>) -> Result<(), Fault> {
        let mut bits = 0_u32;
        let mut letters = 0;
        let mut padding = 0;
        while letters + padding < 4 {
            let Some((&letter, rest)) = self.rest.split_first() else {
                return Err(self.fault("data in base64", "the end of the data"));
            };
            self.rest = rest;
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' => {
                    padding += 1;
                    continue;
                }
                _ if letter.is_ascii_whitespace() => continue,
                _ => {
                    let found = super::cursor::shown(&[letter]);
                    return Err(self.fault("a letter of base64", found));
                }
            };
            if padding > 0 {
                return Err(self.fault("the end of a group of base64", "a letter"));
            }
            bits = bits << 6 | u32::from(value);
            letters += 1;
        }
        if letters < 2 {
            return Err(self.fault("two letters of base64 or more", "fewer"));
        }
        let decoded = (bits << (6 * padding)).to_be_bytes();
        bytes.extend_from_slice(&decoded[1..letters]);
        Ok(())
    }

    /// A number of the header.
    fn header_number(&mut self) -> Result<usize, Fault> {
        let scalar = self.storage.header;
        let bytes = self.next_bytes(scalar.size())?;
        let mut cursor = Cursor::new(&bytes, self.storage.encoding);
        let number = cursor.integer(scalar, "a length of data")?;
        usize::try_from(number).map_err(|_| self.fault("a length of data", number.to_string()))
    }
}

/// The numbers of an array as bytes.
pub(super) fn decode(
    storage: &Storage,
    data: &[u8],
    base64: bool,
    scalar: Scalar,
) -> Result<Vec<u8>, Fault> {
    let mut source = Source {
        rest: data,
        base64,
        storage,
        ahead: Vec::new(),
    };
    let first = source.header_number()?;
    if !storage.compressed {
        return source.next_bytes(first);
    }
    let block_size = source.header_number()?;
    let last_size = source.header_number()?;
    if first > source.rest.len() {
        return Err(source.fault("as many blocks as the file has room for", first.to_string()));
    }
    let mut lengths = Vec::with_capacity(first);
    for _ in 0..first {
        lengths.push(source.header_number()?);
    }
    let mut decoded = Vec::new();
    for (block, length) in lengths.into_iter().enumerate() {
        let last = block + 1 == first && last_size > 0;
        let size = if last { last_size } else { block_size };
        let numbers = size / scalar.size().max(1);
        let left = storage
            .unpacked
            .get()
            .checked_sub(numbers.saturating_mul(8));
        let left = left.ok_or_else(|| {
            source.fault(
                "compressed data that take less than 64 times the length of the file",
                "more",
            )
        })?;
        storage.unpacked.set(left);
        let compressed = source.next_bytes(length)?;
        let plain = decompress_to_vec_zlib_with_limit(&compressed, size);
        let plain = plain.ok().filter(|plain| plain.len() == size);
        let plain = plain.ok_or_else(|| {
            source.fault(
                "a block compressed with zlib of the length it claims",
                "another",
            )
        })?;
        decoded.extend_from_slice(&plain);
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(appended: &[u8]) -> Storage<'_> {
        Storage::new(Encoding::Little, Scalar::U32, false, appended, true, 40)
    }

    #[test]
    fn base64_is_decoded_with_its_header_apart_or_not() {
        // Length 4, then the bytes 1 to 4.
        for text in [&b"BAAAAA== AQIDBA=="[..], b"BAAAAAECAwQ="] {
            assert_eq!(
                decode(&plain(&[]), text, true, Scalar::U8).unwrap(),
                [1, 2, 3, 4]
            );
        }
        for text in [
            &b"BAAAAA==AQID"[..],
            b"BAAAA",
            b"B===",
            b"BA=A",
            b"BAAAAA==AQI?BA==",
        ] {
            assert!(decode(&plain(&[]), text, true, Scalar::U8).is_err());
        }
    }

    #[test]
    fn what_would_unpack_to_a_thousand_times_its_length_is_refused() {
        // 32 MB of zeros in 32 kB.
        let zeros = vec![0; 32 << 20];
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&zeros, 6);
        let mut data: Vec<u8> = Vec::new();
        for number in [1, zeros.len(), 0, packed.len()] {
            data.extend((number as u32).to_le_bytes());
        }
        data.extend(&packed);
        let storage = Storage::new(Encoding::Little, Scalar::U32, true, &[], false, data.len());
        let error = decode(&storage, &data, false, Scalar::U8).unwrap_err();
        assert!(format!("{error:?}").contains("64 times"), "{error:?}");
        // A long file may hold them.
        let storage = Storage::new(Encoding::Little, Scalar::U32, true, &[], false, 8 << 20);
        assert_eq!(decode(&storage, &data, false, Scalar::U8).unwrap(), zeros);
    }

    #[test]
    fn the_same_data_cannot_be_used_again_and_again() {
        let storage = plain(&[]);
        let uses = (0..9).map(|_| decode(&storage, b"BAAAAAECAwQ=", true, Scalar::U8).is_ok());
        assert_eq!(uses.filter(|used| *used).count(), 3);
    }
}
