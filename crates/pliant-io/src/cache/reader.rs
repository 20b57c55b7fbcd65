//! Reads a cache: the header at once, frames when they are asked for.

use super::lock::{LockedCache, open_locked};
use super::record::{END, Found, HEADER, find};
use super::{CacheError, CacheHeader, CachedFrame, MAGIC, START, VERSION};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A cache that was opened.
#[derive(Debug)]
pub struct CacheReader {
    path: PathBuf,
    file: File,
    lock: Option<LockedCache>,
    header: CacheHeader,
    /// Where the content of each whole frame begins, and how long it is.
    frames: BTreeMap<usize, (u64, u64)>,
    lost: Vec<usize>,
    whole_length: u64,
    unfinished_length: u64,
    has_damage: bool,
    has_damaged_end: bool,
    is_finished: bool,
}

impl CacheReader {
    /// Opens a cache and finds its whole frames. Checksums are compared, so the file is read once.
    pub fn open(path: &Path) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Read {
            path: path.to_path_buf(),
            source,
        };
        check_regular(path).map_err(failed)??;
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        check_start(path, &mut file)?;
        let damaged = |what| CacheError::Damaged {
            path: path.to_path_buf(),
            what,
        };
        let found = find(&mut file, START as u64, length).map_err(failed)?;
        let Found::Whole {
            number: HEADER,
            at,
            length: header_length,
        } = found
        else {
            return Err(damaged("its header is not whole"));
        };
        let content = read_content(&mut file, at, header_length).map_err(failed)?;
        let header = CacheHeader::decode(&content)
            .ok_or_else(|| damaged("its header cannot be understood"))?;
        let mut reader = Self {
            path: path.to_path_buf(),
            file,
            lock: None,
            header,
            frames: BTreeMap::new(),
            lost: Vec::new(),
            whole_length: at + header_length,
            unfinished_length: 0,
            has_damage: false,
            has_damaged_end: false,
            is_finished: false,
        };
        reader.find_frames(length).map_err(failed)?;
        Ok(reader)
    }

    /// Opens a cache to continue it. No other run can write to it meanwhile.
    pub fn open_locked(path: &Path) -> Result<Self, CacheError> {
        let lock = open_locked(path)?;
        let reader = Self::open(path)?;
        Ok(Self {
            lock: Some(lock),
            ..reader
        })
    }

    fn find_frames(&mut self, length: u64) -> std::io::Result<()> {
        let mut at = self.whole_length;
        let mut damaged_numbers = BTreeSet::new();
        // Whether something is wrong between the last whole frame and here.
        let mut is_damaged_since = false;
        while at < length {
            match find(&mut self.file, at, length)? {
                Found::Whole { number: END, .. } => {
                    self.is_finished = true;
                    break;
                }
                Found::Whole {
                    number,
                    at: content,
                    length,
                } => {
                    at = content + length;
                    let number = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
                    let expected = self.frame_count();
                    match number {
                        Some(number) if number >= expected => {
                            self.frames.insert(number, (content, length));
                            self.whole_length = at;
                            is_damaged_since = false;
                        }
                        // A frame that was there already: not what one run writes.
                        _ => is_damaged_since = true,
                    }
                }
                Found::Changed { number, next } => {
                    at = next;
                    is_damaged_since = true;
                    let number = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
                    damaged_numbers.extend(number);
                }
                Found::Gap { next } => {
                    at = next;
                    is_damaged_since = true;
                }
                Found::Unfinished => {
                    self.unfinished_length = length - at;
                    break;
                }
                Found::Nothing => {
                    is_damaged_since = true;
                    break;
                }
            }
            self.has_damage |= is_damaged_since;
        }
        self.has_damage |= is_damaged_since;
        self.has_damaged_end = is_damaged_since;
        let missing = (0..self.frame_count()).filter(|number| !self.frames.contains_key(number));
        let last = self.frame_count();
        let at_end = damaged_numbers.into_iter().filter(|&number| number >= last);
        self.lost = missing.chain(at_end).collect();
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was simulated.
    pub fn header(&self) -> &CacheHeader {
        &self.header
    }

    /// Number of frames up to the last whole one, those that are lost included.
    pub fn frame_count(&self) -> usize {
        self.frames.keys().next_back().map_or(0, |last| last + 1)
    }

    /// The numbers of the whole frames.
    pub fn whole_frames(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.frames.keys().copied()
    }

    /// The numbers of frames that are known to be damaged, or missing between others.
    pub fn lost_frames(&self) -> &[usize] {
        &self.lost
    }

    /// Whether anything but an unfinished end is wrong with the file.
    pub fn has_damage(&self) -> bool {
        self.has_damage
    }

    /// Whether what follows the last whole frame is damaged, not only unfinished.
    pub fn has_damaged_end(&self) -> bool {
        self.has_damaged_end
    }

    /// Whether the run came to its end.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Length of the file up to the end of the last whole frame, in bytes.
    pub fn whole_length(&self) -> u64 {
        self.whole_length
    }

    /// Bytes of a frame that the end of the file cuts short: what a run that was killed left of it.
    pub fn unfinished_length(&self) -> u64 {
        self.unfinished_length
    }

    pub(super) fn take_lock(&mut self) -> Option<LockedCache> {
        self.lock.take()
    }

    /// A frame by its number, counted from 0.
    pub fn frame(&mut self, number: usize) -> Result<CachedFrame, CacheError> {
        let path = || self.path.clone();
        let Some(&(at, length)) = self.frames.get(&number) else {
            return Err(match number < self.frame_count() {
                true => CacheError::LostFrame {
                    path: path(),
                    number,
                },
                false => CacheError::NoSuchFrame {
                    path: path(),
                    number,
                    count: self.frame_count(),
                },
            });
        };
        let content = read_content(&mut self.file, at, length);
        let content = content.map_err(|source| CacheError::Read {
            path: self.path.clone(),
            source,
        })?;
        CachedFrame::decode(&content).ok_or_else(|| CacheError::Damaged {
            path: self.path.clone(),
            what: "a frame cannot be understood",
        })
    }
}

fn read_content(file: &mut File, at: u64, length: u64) -> std::io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let length = usize::try_from(length).map_err(std::io::Error::other)?;
    let mut content = vec![0; length];
    file.read_exact(&mut content)?;
    Ok(content)
}

/// Refuses what cannot be read from the beginning to the end and back; to open a pipe would wait for a
/// writer.
fn check_regular(path: &Path) -> std::io::Result<Result<(), CacheError>> {
    let kind = std::fs::metadata(path)?.file_type();
    let what = match (kind.is_file(), kind.is_dir()) {
        (true, _) => return Ok(Ok(())),
        (_, true) => "is a folder",
        _ => "is a pipe or a device",
    };
    let path = path.to_path_buf();
    Ok(Err(CacheError::NotAFile { path, what }))
}

fn check_start(path: &Path, file: &mut File) -> Result<(), CacheError> {
    let mut start = [0; START];
    let no_cache = || CacheError::NotACache {
        path: path.to_path_buf(),
    };
    file.read_exact(&mut start)
        .map_err(|source| match source.kind() {
            ErrorKind::UnexpectedEof => no_cache(),
            _ => CacheError::Read {
                path: path.to_path_buf(),
                source,
            },
        })?;
    let (magic, version) = start.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(no_cache());
    }
    let found = version
        .iter()
        .rev()
        .fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    if found != VERSION {
        return Err(CacheError::Version {
            path: path.to_path_buf(),
            found,
            known: VERSION,
        });
    }
    Ok(())
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
