//! Adds frames to a cache.

use super::{CacheError, CacheHeader, CacheReader, CachedFrame, MAGIC, VERSION, record};
use crate::{AtomicFile, IoError};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A cache to which frames are added.
#[derive(Debug)]
pub struct CacheWriter {
    path: PathBuf,
    file: File,
}

impl CacheWriter {
    /// Begins a cache. An older one of the name is replaced, in one go, by one without frames.
    pub fn create(path: &Path, header: &CacheHeader) -> Result<Self, IoError> {
        let mut start = MAGIC.to_vec();
        start.extend(VERSION.to_le_bytes());
        start.extend(record(&header.encode()));
        AtomicFile::save(path, &start)?;
        // Opened again by its name: not every system lets an open file be renamed.
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(|source| IoError::Write {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(Self {
            path: path.to_path_buf(),
            file,
        })
    }

    /// Continues a cache after its last whole frame; what follows that is cut off.
    pub fn resume(read: &CacheReader) -> Result<Self, CacheError> {
        let path = read.path().to_path_buf();
        let open = || {
            let file = OpenOptions::new().append(true).open(&path)?;
            file.set_len(read.whole_length())?;
            Ok(file)
        };
        match open() {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(CacheError::Write { path, source }),
        }
    }

    /// Adds a frame. It is with the operating system when this returns, so it survives the end of
    /// the program, however that comes.
    pub fn append(&mut self, frame: &CachedFrame) -> Result<(), IoError> {
        self.file
            .write_all(&record(&frame.encode()))
            .map_err(|source| IoError::Write {
                path: self.path.clone(),
                source,
            })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
