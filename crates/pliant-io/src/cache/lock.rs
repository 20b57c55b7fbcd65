//! One writer for one cache. The lock is advisory and ends with the process.
//!
//! Where locks keep others from reading too (Windows), and a cache may be drawn while it grows, it is
//! not the cache that is locked but an empty file beside it, `.NAME.lock`, which stays.

use super::CacheError;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// A cache that this process alone adds to.
#[derive(Debug)]
pub(super) struct LockedCache {
    /// The cache, to add to it.
    pub(super) file: File,
    /// The file beside it, where that is what is locked.
    beside: Option<File>,
}

impl LockedCache {
    /// Lets `replace` put another file in the place of the cache, and opens that.
    pub(super) fn replaced(
        self,
        path: &Path,
        replace: impl FnOnce() -> Result<(), CacheError>,
    ) -> Result<Self, CacheError> {
        let Self { file, beside } = self;
        match beside {
            // The lock stays; not every system lets an open file be replaced.
            Some(beside) => {
                drop(file);
                replace()?;
                let file = append(path, false)?;
                let beside = Some(beside);
                Ok(Self { file, beside })
            }
            // The old lock is held until there is a new one.
            None => {
                replace()?;
                let new = open_locked(path);
                drop(file);
                new
            }
        }
    }
}

/// Opens a cache to add to it, or says that another run is doing so.
pub(super) fn open_locked(path: &Path) -> Result<LockedCache, CacheError> {
    open(path, false, cfg!(windows))
}

/// The same; an empty file is made if there is none, so that of two runs that begin a cache one waits for
/// the other.
pub(super) fn open_or_create_locked(path: &Path) -> Result<LockedCache, CacheError> {
    open(path, true, cfg!(windows))
}

fn open(path: &Path, create: bool, beside: bool) -> Result<LockedCache, CacheError> {
    let file = append(path, create)?;
    let beside = match beside {
        true => Some(append(&path_beside(path), true)?),
        false => None,
    };
    let busy = || CacheError::Busy {
        path: path.to_path_buf(),
    };
    match beside.as_ref().unwrap_or(&file).try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(busy()),
        // A file system without locks is no reason not to simulate.
        Err(TryLockError::Error(_)) => {}
    }
    // While it was opened, another run may have put its own in its place.
    if !is_still_at(&file, path) {
        return Err(busy());
    }
    Ok(LockedCache { file, beside })
}

/// Opens a file to add to it.
fn append(path: &Path, create: bool) -> Result<File, CacheError> {
    let mut options = OpenOptions::new();
    let opened = options.append(true).create(create).open(path);
    opened.map_err(|source| CacheError::Write {
        path: path.to_path_buf(),
        source,
    })
}

/// The file that is locked in the place of a cache.
fn path_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".lock");
    path.with_file_name(name)
}

/// Whether an open file still has its name.
#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |data: std::fs::Metadata| (data.dev(), data.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}

/// Whether an open file still has its name: here an open file cannot be replaced.
#[cfg(not(unix))]
fn is_still_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn one_writer_at_a_time_and_any_number_of_readers() {
        let folder = std::env::temp_dir().join(format!("pliant-lock-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for beside in [false, true] {
            let path = folder.join(format!("a{beside}.pliant"));
            let is_busy =
                |create| matches!(open(&path, create, beside), Err(CacheError::Busy { .. }));
            let first = open(&path, true, beside).unwrap();
            assert!(is_busy(false) && is_busy(true));
            assert!(fs::read(&path).unwrap().is_empty());
            let new = first.replaced(&path, || {
                fs::write(path.with_extension("new"), "new").unwrap();
                fs::rename(path.with_extension("new"), &path).unwrap();
                Ok(())
            });
            assert!(is_busy(false) && is_busy(true));
            assert_eq!(fs::read(&path).unwrap(), b"new");
            drop(new.unwrap());
            assert!(!is_busy(false));
            fs::remove_file(&path).unwrap();
            assert!(matches!(
                open(&path, false, beside),
                Err(CacheError::Write { .. })
            ));
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_cache_that_was_replaced_is_not_written_to() {
        let folder = std::env::temp_dir().join(format!("pliant-replaced-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, other) = (folder.join("a.pliant"), folder.join("b.pliant"));
        fs::write(&path, "a").unwrap();
        fs::write(&other, "b").unwrap();
        let file = File::open(&path).unwrap();
        assert!(is_still_at(&file, &path));
        fs::rename(&other, &path).unwrap();
        assert!(!is_still_at(&file, &path));
        fs::remove_dir_all(&folder).unwrap();
    }
}
