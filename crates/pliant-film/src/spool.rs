//! Film data on its way: a file beside the film that is read back when the film is completed.
//!
//! Several formats begin with numbers known only at the end (how many pictures, how long, where
//! they are). The data wait on the disk, so that a long film needs no more memory than a short
//! one, and the finished file has its tables in front, where players that load while playing want
//! them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tells the spools of one process apart.
static NEXT_SPOOL: AtomicUsize = AtomicUsize::new(0);

/// A temporary file that vanishes when it is dropped.
#[derive(Debug)]
pub(crate) struct Spool {
    writer: BufWriter<File>,
    remover: Remover,
    length: u64,
}

/// Removes its file when dropped.
#[derive(Debug)]
struct Remover(PathBuf);

impl Drop for Remover {
    fn drop(&mut self) {
        // Nothing can be done about a failure here, and the name shows what the file is.
        let _ = fs::remove_file(&self.0);
    }
}

impl Spool {
    /// Begins a spool in the folder of the film.
    pub fn create(film: &Path) -> io::Result<Self> {
        let name = film
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let path = film.with_file_name(format!(
            ".{name}.{}-{}.spool",
            std::process::id(),
            NEXT_SPOOL.fetch_add(1, Ordering::Relaxed)
        ));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)?;
        Ok(Self {
            writer: BufWriter::with_capacity(1 << 16, file),
            remover: Remover(path),
            length: 0,
        })
    }

    /// Bytes written.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Ends writing; gives the data from the beginning.
    pub fn into_reader(self) -> io::Result<SpoolReader> {
        let mut file = self
            .writer
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(SpoolReader {
            reader: BufReader::with_capacity(1 << 16, file),
            _remover: self.remover,
        })
    }
}

impl Write for Spool {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(buffer)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// The data of a spool, from the beginning. The file is closed before it is removed, as some
/// systems demand.
#[derive(Debug)]
pub(crate) struct SpoolReader {
    reader: BufReader<File>,
    _remover: Remover,
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_comes_back_and_the_file_goes() {
        let folder = std::env::temp_dir().join(format!("pliant-spool-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut spool = Spool::create(&folder.join("a.mp4")).unwrap();
        spool.write_all(b"abc").unwrap();
        assert_eq!(spool.len(), 3);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let mut reader = spool.into_reader().unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "abc");
        drop(reader);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
