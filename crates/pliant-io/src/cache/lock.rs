//! One writer for one cache. The lock is advisory and ends with the process.

use super::CacheError;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// Opens a cache to add to it, or says that another run is doing so.
pub(super) fn open_locked(path: &Path) -> Result<File, CacheError> {
    let failed = |source| CacheError::Write {
        path: path.to_path_buf(),
        source,
    };
    let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
    // Locks of Windows keep others from reading too, and a cache may be drawn while it grows.
    if cfg!(windows) {
        return Ok(file);
    }
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CacheError::Busy {
            path: path.to_path_buf(),
        }),
        // A file system without locks is no reason not to simulate.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}
