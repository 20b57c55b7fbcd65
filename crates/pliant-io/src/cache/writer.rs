//! Adds frames to a cache.

use super::lock::{LockedCache, open_locked, open_or_create_locked};
use super::record::{END, HEADER, record};
use super::{CacheError, CacheHeader, CacheReader, CachedFrame, MAGIC, VERSION};
use crate::{AtomicFile, IoError};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A cache to which frames are added. No other writer can open it meanwhile.
#[derive(Debug)]
pub struct CacheWriter {
    path: PathBuf,
    cache: LockedCache,
    /// Number of the next frame.
    next: usize,
}

impl CacheWriter {
    /// Begins a cache. An older one of the name is replaced, in one go, by one without frames,
    /// unless another run is writing to it.
    pub fn create(path: &Path, header: &CacheHeader) -> Result<Self, CacheError> {
        let older = open_or_create_locked(path)?;
        let mut start = MAGIC.to_vec();
        start.extend(VERSION.to_le_bytes());
        start.extend(record(HEADER, &header.encode()));
        let cache = older.replaced(path, || Ok(AtomicFile::save(path, &start)?))?;
        Ok(Self {
            cache,
            path: path.to_path_buf(),
            next: 0,
        })
    }

    /// Continues a cache that was opened by [`CacheReader::open_locked`] after its last whole
    /// frame. What follows that is cut off; if it is more than an unfinished frame, the file is
    /// copied first, and the copy is named.
    pub fn resume(read: &mut CacheReader) -> Result<(Self, Option<PathBuf>), CacheError> {
        let path = read.path().to_path_buf();
        let failed = |source| CacheError::Write {
            path: path.clone(),
            source,
        };
        let copy = match read.has_damaged_end() {
            true => {
                let copy = free_name(&path);
                fs::copy(&path, &copy).map_err(failed)?;
                Some(copy)
            }
            false => None,
        };
        let cache = match read.take_lock() {
            Some(cache) => cache,
            None => open_locked(&path)?,
        };
        let length = read.whole_length();
        cache.file.set_len(length).map_err(failed)?;
        let next = read.frame_count();
        Ok((Self { path, cache, next }, copy))
    }

    /// Adds a frame. It is with the operating system when this returns, so it survives the end of
    /// the program, however that comes.
    pub fn append(&mut self, frame: &CachedFrame) -> Result<(), IoError> {
        self.write(self.next as u64 + 1, &frame.encode())?;
        self.next += 1;
        Ok(())
    }

    /// Says that the run came to its end.
    pub fn finish(&mut self) -> Result<(), IoError> {
        self.write(END, &[])
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, number: u64, content: &[u8]) -> Result<(), IoError> {
        self.cache
            .file
            .write_all(&record(number, content))
            .map_err(|source| IoError::Write {
                path: self.path.clone(),
                source,
            })
    }
}

/// A name beside a cache that no file has yet.
fn free_name(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut names = (1..).map(|number| {
        let number = match number {
            1 => String::new(),
            _ => format!("-{number}"),
        };
        path.with_file_name(format!("{stem}.damaged{number}.pliant"))
    });
    names
        .find(|name| !name.exists())
        .unwrap_or_else(|| path.with_extension("damaged.pliant"))
}
