//! Adds frames to a cache.

use super::lock::open_locked;
use super::record::{END, HEADER, record};
use super::{CacheError, CacheHeader, CacheReader, CachedFrame, MAGIC, VERSION};
use crate::{AtomicFile, IoError};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A cache to which frames are added. No other writer can open it meanwhile.
#[derive(Debug)]
pub struct CacheWriter {
    path: PathBuf,
    file: File,
    /// Number of the next frame.
    next: usize,
}

impl CacheWriter {
    /// Begins a cache. An older one of the name is replaced, in one go, by one without frames,
    /// unless another run is writing to it.
    pub fn create(path: &Path, header: &CacheHeader) -> Result<Self, CacheError> {
        // Held until the new one is locked.
        let _older = match path.is_file() {
            true => Some(open_locked(path)?),
            false => None,
        };
        let mut start = MAGIC.to_vec();
        start.extend(VERSION.to_le_bytes());
        start.extend(record(HEADER, &header.encode()));
        AtomicFile::save(path, &start)?;
        // Opened again by its name: not every system lets an open file be renamed.
        Ok(Self {
            file: open_locked(path)?,
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
        let file = match read.take_lock() {
            Some(file) => file,
            None => open_locked(&path)?,
        };
        file.set_len(read.whole_length()).map_err(failed)?;
        let next = read.frame_count();
        Ok((Self { path, file, next }, copy))
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
        self.file
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
