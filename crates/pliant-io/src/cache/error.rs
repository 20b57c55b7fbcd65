//! What can go wrong with a cache.

use crate::IoError;
use std::io;
use std::path::PathBuf;

/// Why a cache cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CacheError {
    #[error("cannot read the cache {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write the cache {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    File(#[from] IoError),
    #[error("{} {what}, and the cache of a run is a regular file", path.display())]
    NotAFile { path: PathBuf, what: &'static str },
    #[error("{} is not a cache of a run", path.display())]
    NotACache { path: PathBuf },
    #[error(
        "another run is writing to the cache {}\n  hint: wait for its end, or give another --out",
        path.display()
    )]
    Busy { path: PathBuf },
    #[error(
        "the cache {} is of version {found}, this program reads version {known}",
        path.display()
    )]
    Version {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error("the cache {} is damaged: {what}", path.display())]
    Damaged { path: PathBuf, what: &'static str },
    #[error("frame {number} of the cache {} is damaged and lost", path.display())]
    LostFrame { path: PathBuf, number: usize },
    #[error("the cache {} has {count} frames and none with the number {number}", path.display())]
    NoSuchFrame {
        path: PathBuf,
        number: usize,
        count: usize,
    },
}
