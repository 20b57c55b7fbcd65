//! A file that appears under its name only when it is complete.
//!
//! The content goes to a temporary file in the same folder, which takes the final name when the
//! content is complete. Whoever looks at the folder, even after the program was killed, sees the
//! old file or the new one. The data are not forced to the disk: that would cost more than many a
//! simulation step, and guards only against a loss of power.

use crate::format::folder_of;
use crate::{IoError, leftovers};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tells temporary files of one process apart.
static NEXT_TEMPORARY: AtomicUsize = AtomicUsize::new(0);

/// A file being written. [`AtomicFile::commit`] gives it its name; dropped without that, it
/// vanishes and leaves an older file of the name as it was.
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<File>,
    /// The path as given, for messages.
    path: PathBuf,
    /// The file to replace: `path` with symbolic links followed.
    target: PathBuf,
    /// `None` for devices and pipes, which are written to directly, and after the commit.
    temporary: Option<PathBuf>,
}

impl AtomicFile {
    /// Begins a file. The folder must exist.
    ///
    /// A device or a pipe (`/dev/null`, `/dev/stdout`) is written to directly: replacing it by a
    /// file is never what is wanted.
    pub fn create(path: &Path) -> Result<Self, IoError> {
        let failed = |source| IoError::Write {
            path: path.to_path_buf(),
            source,
        };
        if path.file_name().is_none() {
            return Err(IoError::InvalidPath {
                path: path.to_path_buf(),
                reason: "it does not name a file",
            });
        }
        let mut target = path.to_path_buf();
        if let Ok(metadata) = fs::metadata(path) {
            if metadata.is_dir() {
                return Err(IoError::IsFolder {
                    path: path.to_path_buf(),
                });
            }
            if !metadata.is_file() {
                let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
                return Ok(Self {
                    writer: BufWriter::new(file),
                    path: path.to_path_buf(),
                    target,
                    temporary: None,
                });
            }
            // A rename would bypass a read-only mark that was set to protect the file.
            if metadata.permissions().readonly() {
                return Err(failed(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "the file is read-only",
                )));
            }
            target = fs::canonicalize(path).map_err(failed)?;
        }
        let name = target
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let temporary = target.with_file_name(format!(
            ".{name}.{}-{}.part",
            std::process::id(),
            NEXT_TEMPORARY.fetch_add(1, Ordering::Relaxed)
        ));
        // Not `create_new`: a run that was killed may have had the same process number.
        let file = File::create(&temporary).map_err(failed)?;
        leftovers::claim(&file);
        Ok(Self {
            writer: BufWriter::new(file),
            path: path.to_path_buf(),
            target,
            temporary: Some(temporary),
        })
    }

    /// Completes the file and gives it its name.
    pub fn commit(mut self) -> Result<(), IoError> {
        let mut result = self.writer.flush();
        if let (Ok(()), Some(temporary)) = (&result, &self.temporary) {
            result = fs::rename(temporary, &self.target);
            if result.is_ok() {
                self.temporary = None;
            }
        }
        result.map_err(|source| IoError::Write {
            path: self.path.clone(),
            source,
        })
    }

    /// Writes a whole file at once.
    pub fn save(path: &Path, content: &[u8]) -> Result<(), IoError> {
        let mut file = Self::create(path)?;
        file.write_all(content).map_err(|source| IoError::Write {
            path: path.to_path_buf(),
            source,
        })?;
        file.commit()
    }

    /// Finds out, before hours of simulation, whether a file of this name can be written. An older
    /// file of the name stays as it is. What programs that were killed have left in the folder is
    /// removed.
    pub fn check_writable(path: &Path) -> Result<(), IoError> {
        leftovers::remove(folder_of(path));
        Self::create(path).map(drop)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.writer.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nothing can be done about a failure here, and the name shows what the file is.
            let _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder of its own for a test.
    fn folder(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("pliant-atomic-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_name_appears_only_with_the_commit() {
        let folder = folder("commit");
        let path = folder.join("a.json");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert!(!path.exists());
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&folder), ["a.json"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_dropped_file_leaves_the_old_one_and_no_trace() {
        let folder = folder("drop");
        let path = folder.join("a.json");
        AtomicFile::save(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        AtomicFile::check_writable(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(&folder), ["a.json"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn places_that_cannot_be_written_are_refused_at_once() {
        let folder = folder("refused");
        assert!(matches!(
            AtomicFile::check_writable(&folder),
            Err(IoError::IsFolder { .. })
        ));
        assert!(matches!(
            AtomicFile::check_writable(&folder.join("missing/a.json")),
            Err(IoError::Write { .. })
        ));
        assert!(matches!(
            AtomicFile::check_writable(Path::new("")),
            Err(IoError::InvalidPath { .. })
        ));
        let locked = folder.join("locked.json");
        fs::write(&locked, "keep").unwrap();
        let mut permissions = fs::metadata(&locked).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&locked, permissions).unwrap();
        assert!(AtomicFile::save(&locked, b"new").is_err());
        assert_eq!(fs::read(&locked).unwrap(), b"keep");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_survive() {
        use std::os::unix::fs::FileTypeExt;
        let folder = folder("links");
        let path = folder.join("real.json");
        let link = folder.join("link.json");
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        AtomicFile::save(&link, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        // A link of our own to the device: a mistake here must not harm the machine.
        let device = folder.join("device");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        AtomicFile::save(&device, b"gone").unwrap();
        assert!(fs::metadata(&device).unwrap().file_type().is_char_device());
        fs::remove_dir_all(folder).unwrap();
    }
}
