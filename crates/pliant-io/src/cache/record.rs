//! Records: how they are written, and how they are found again in a file that may be damaged.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// What every record begins with. It is no text and no small number, so that it hardly ever stands
/// inside a content; where it does, the checksum of the head tells.
const MARK: [u8; 8] = *b"\x93\xf1REC\r\n\x1a";

/// Bytes before the content of a record.
pub(super) const RECORD_HEAD: usize = 40;

/// Number of the record of the header.
pub(super) const HEADER: u64 = 0;

/// Number of the record that says that a run came to its end.
pub(super) const END: u64 = u64::MAX;

/// FNV-1a: finds what was torn or changed by accident, which is all that is asked of it.
pub fn checksum(content: &[u8]) -> u64 {
    continued(START_OF_SUM, content)
}

const START_OF_SUM: u64 = 0xcbf2_9ce4_8422_2325;

fn continued(sum: u64, content: &[u8]) -> u64 {
    content.iter().fold(sum, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A content with its head before it.
pub(super) fn record(number: u64, content: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(RECORD_HEAD + content.len());
    record.extend(MARK);
    record.extend(number.to_le_bytes());
    record.extend((content.len() as u64).to_le_bytes());
    record.extend(checksum(content).to_le_bytes());
    record.extend(checksum(&record).to_le_bytes());
    record.extend(content);
    record
}

/// What stands before a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    number: u64,
    length: u64,
    checksum: u64,
}

impl Head {
    fn read(bytes: &[u8; RECORD_HEAD]) -> Option<Self> {
        let word = |at: usize| {
            let word = bytes[at..at + 8].iter().rev();
            word.fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte))
        };
        let is_sound = bytes.starts_with(&MARK) && word(32) == checksum(&bytes[..32]);
        is_sound.then(|| Self {
            number: word(8),
            length: word(16),
            checksum: word(24),
        })
    }
}

/// What is found at a place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A whole record.
    Whole {
        number: u64,
        /// Where its content begins.
        at: u64,
        length: u64,
    },
    /// A record whose content was changed.
    Changed { number: u64, next: u64 },
    /// No record, but one further on.
    Gap { next: u64 },
    /// A record that the end of the file cuts short.
    Unfinished,
    /// No record here or further on.
    Nothing,
}

/// Looks for a record at a place of a file of this length.
pub(super) fn find(file: &mut File, at: u64, file_length: u64) -> io::Result<Found> {
    let rest = file_length.saturating_sub(at);
    let mut head = [0; RECORD_HEAD];
    let known = &mut head[..RECORD_HEAD.min(usize::try_from(rest).unwrap_or(RECORD_HEAD))];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(known)?;
    if rest < RECORD_HEAD as u64 {
        let begins = known.len().min(MARK.len());
        return Ok(match known[..begins] == MARK[..begins] {
            true => Found::Unfinished,
            false => Found::Nothing,
        });
    }
    let Some(head) = Head::read(&head) else {
        return Ok(match next_mark(file, at + 1, file_length)? {
            Some(next) => Found::Gap { next },
            None => Found::Nothing,
        });
    };
    if head.length > rest - RECORD_HEAD as u64 {
        return Ok(match next_mark(file, at + 1, file_length)? {
            // Frames follow: it is not the end of the file that is missing.
            Some(next) => Found::Gap { next },
            None => Found::Unfinished,
        });
    }
    let content = at + RECORD_HEAD as u64;
    let next = content + head.length;
    Ok(match sum_of(file, content, head.length)? == head.checksum {
        true => Found::Whole {
            number: head.number,
            at: content,
            length: head.length,
        },
        false => Found::Changed {
            number: head.number,
            next,
        },
    })
}

/// The checksum of a part of a file, without holding it in memory.
fn sum_of(file: &mut File, at: u64, length: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(at))?;
    let mut sum = START_OF_SUM;
    let mut buffer = vec![0; 1 << 16];
    let mut left = length;
    while left > 0 {
        let part = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        file.read_exact(&mut buffer[..part])?;
        sum = continued(sum, &buffer[..part]);
        left -= part as u64;
    }
    Ok(sum)
}

/// The next place, from `from` on, where a sound head stands.
fn next_mark(file: &mut File, from: u64, file_length: u64) -> io::Result<Option<u64>> {
    const PART: usize = 1 << 20;
    let mut start = from;
    while start + (RECORD_HEAD as u64) <= file_length {
        let length = (file_length - start).min((PART + RECORD_HEAD) as u64) as usize;
        let mut bytes = vec![0; length];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        let sound = bytes.windows(RECORD_HEAD).position(|window| {
            let head: Option<&[u8; RECORD_HEAD]> = window.try_into().ok();
            window.starts_with(&MARK) && head.is_some_and(|head| Head::read(head).is_some())
        });
        if let Some(offset) = sound {
            return Ok(Some(start + offset as u64));
        }
        // The next part begins with what was too short for a head in this one.
        start += (length - RECORD_HEAD + 1) as u64;
    }
    Ok(None)
}
