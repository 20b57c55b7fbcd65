//! A scratch file beside an output, for formats that store by body what a run delivers by frame, or
//! that begin with numbers known only at the end.
//!
//! A run can be longer than memory, so what has to be regrouped waits on the disk: blocks of bytes
//! are appended, and read back in any order, or one after the other, when the run is over. The file lies in the folder of
//! the output, since the temporary folder of a machine is often in memory. It has no name on
//! systems that allow that, so a run that is killed leaves nothing behind.

use crate::IoError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tells scratch files of one process apart.
static NEXT_SPOOL: AtomicUsize = AtomicUsize::new(0);

/// Bytes that are gathered before they go to the disk.
const BUFFER: usize = 1 << 20;

/// Where a block lies in a spool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// First byte.
    pub start: u64,
    /// Number of bytes.
    pub length: u64,
}

/// The scratch file.
#[derive(Debug)]
pub struct Spool {
    file: File,
    /// The output it serves, for messages.
    output: PathBuf,
    /// `None` where the file has no name any more.
    name: Option<PathBuf>,
    buffer: Vec<u8>,
    /// Bytes on the disk; those of the buffer come after them.
    stored: u64,
}

impl Spool {
    /// An empty spool in the folder of the output, which must exist.
    pub fn create(output: &Path) -> Result<Self, IoError> {
        let failed = |source| IoError::Write {
            path: output.to_path_buf(),
            source,
        };
        let name = output.with_file_name(format!(
            ".pliant-{}-{}.spool",
            std::process::id(),
            NEXT_SPOOL.fetch_add(1, Ordering::Relaxed)
        ));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&name)
            .map_err(failed)?;
        // Unix keeps a file without a name for as long as it is open.
        let name = match cfg!(unix) && fs::remove_file(&name).is_ok() {
            true => None,
            false => Some(name),
        };
        Ok(Self {
            file,
            output: output.to_path_buf(),
            name,
            buffer: Vec::new(),
            stored: 0,
        })
    }

    /// Number of bytes appended so far.
    pub fn len(&self) -> u64 {
        self.stored + self.buffer.len() as u64
    }

    /// Appends a block.
    pub fn append(&mut self, bytes: &[u8]) -> Result<Block, IoError> {
        let start = self.len();
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush_all()?;
        }
        Ok(Block {
            start,
            length: bytes.len() as u64,
        })
    }

    /// Appends numbers as little-endian bytes.
    pub fn append_numbers(
        &mut self,
        numbers: impl IntoIterator<Item = f32>,
    ) -> Result<Block, IoError> {
        let start = self.len();
        for number in numbers {
            self.buffer.extend_from_slice(&number.to_le_bytes());
        }
        let length = self.len() - start;
        if self.buffer.len() >= BUFFER {
            self.flush_all()?;
        }
        Ok(Block { start, length })
    }

    /// Ends writing; gives the bytes from the beginning.
    pub fn into_reader(mut self) -> io::Result<SpoolReader> {
        self.store()?;
        self.file.seek(SeekFrom::Start(0))?;
        Ok(SpoolReader { spool: self })
    }

    /// Whether nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads numbers back.
    pub fn numbers(&mut self, block: Block) -> Result<Vec<f32>, IoError> {
        let bytes = self.read(block)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Ok(numbers.iter().copied().map(f32::from_le_bytes).collect())
    }

    /// Reads vectors back.
    pub fn vectors(&mut self, block: Block) -> Result<Vec<[f32; 3]>, IoError> {
        let numbers = self.numbers(block)?;
        let (vectors, _) = numbers.as_chunks::<3>();
        Ok(vectors.to_vec())
    }

    /// Reads a block back.
    pub fn read(&mut self, block: Block) -> Result<Vec<u8>, IoError> {
        self.flush_all()?;
        let mut bytes = vec![0; block.length as usize];
        self.file
            .seek(SeekFrom::Start(block.start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|source| self.failed(source))?;
        Ok(bytes)
    }

    /// Copies everything to a writer, from the beginning.
    pub fn copy_to(&mut self, writer: &mut impl Write) -> Result<(), IoError> {
        self.flush_all()?;
        self.file
            .seek(SeekFrom::Start(0))
            .and_then(|_| io::copy(&mut self.file, writer))
            .map_err(|source| self.failed(source))?;
        Ok(())
    }

    fn flush_all(&mut self) -> Result<(), IoError> {
        self.store().map_err(|source| self.failed(source))
    }

    /// Moves the buffer to the disk.
    fn store(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(self.stored))?;
        self.file.write_all(&self.buffer)?;
        self.stored += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn failed(&self, source: io::Error) -> IoError {
        IoError::Write {
            path: self.output.clone(),
            source,
        }
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.store()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.store()
    }
}

/// The bytes of a spool, one after the other.
#[derive(Debug)]
pub struct SpoolReader {
    spool: Spool,
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.spool.file.read(buffer)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing can be done about a failure here, and the name shows what the file is.
            let _ = fs::remove_file(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_in_any_order_and_no_file_stays() {
        let folder = std::env::temp_dir().join(format!("pliant-spool-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut spool = Spool::create(&folder.join("a.usda")).unwrap();
        let first = spool.append_numbers([1.5, -2.0, 1e-30]).unwrap();
        let large = vec![7; BUFFER + 3];
        let second = spool.append(&large).unwrap();
        assert_eq!(spool.read(second).unwrap(), large);
        let third = spool.append(b"end").unwrap();
        assert_eq!(spool.vectors(first).unwrap(), [[1.5, -2.0, 1e-30]]);
        assert_eq!(spool.read(third).unwrap(), b"end");
        assert_eq!(third.start, 12 + large.len() as u64);
        let mut copy = Vec::new();
        spool.copy_to(&mut copy).unwrap();
        assert_eq!(copy.len() as u64, spool.len());
        assert!(copy.ends_with(b"\x07end"));
        let mut read = Vec::new();
        spool.write_all(b"more").unwrap();
        spool.into_reader().unwrap().read_to_end(&mut read).unwrap();
        assert!(read.starts_with(&copy) && read.ends_with(b"more"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
