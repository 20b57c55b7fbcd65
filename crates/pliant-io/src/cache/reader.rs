//! Reads a cache: the header at once, frames when they are asked for.

use super::{CacheError, CacheHeader, CachedFrame, MAGIC, RECORD_HEAD, VERSION, checksum};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes before the record of the header: magic and version.
const START: usize = MAGIC.len() + 4;

/// A cache that was opened.
#[derive(Debug)]
pub struct CacheReader {
    path: PathBuf,
    file: File,
    header: CacheHeader,
    /// Where the content of each frame begins, and how long it is.
    frames: Vec<(u64, usize)>,
    whole_length: u64,
    torn_length: u64,
}

impl CacheReader {
    /// Opens a cache and finds its whole frames. Checksums are compared, so the file is read once.
    pub fn open(path: &Path) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Read {
            path: path.to_path_buf(),
            source,
        };
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        check_start(path, &mut file)?;
        let mut at = START as u64;
        let header = next_record(&mut file, length.saturating_sub(at)).map_err(failed)?;
        let Some(content) = header else {
            return Err(CacheError::Damaged {
                path: path.to_path_buf(),
                what: "its header is not whole",
            });
        };
        let header = CacheHeader::decode(&content).ok_or_else(|| CacheError::Damaged {
            path: path.to_path_buf(),
            what: "its header cannot be understood",
        })?;
        at += (RECORD_HEAD + content.len()) as u64;
        let mut frames = Vec::new();
        while let Some(content) =
            next_record(&mut file, length.saturating_sub(at)).map_err(failed)?
        {
            frames.push((at + RECORD_HEAD as u64, content.len()));
            at += (RECORD_HEAD + content.len()) as u64;
        }
        Ok(Self {
            path: path.to_path_buf(),
            file,
            header,
            frames,
            whole_length: at,
            torn_length: length.saturating_sub(at),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was simulated.
    pub fn header(&self) -> &CacheHeader {
        &self.header
    }

    /// Number of whole frames.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Length of the file up to the end of the last whole frame, in bytes.
    pub fn whole_length(&self) -> u64 {
        self.whole_length
    }

    /// Bytes after the last whole frame: what a run that was killed left of the next.
    pub fn torn_length(&self) -> u64 {
        self.torn_length
    }

    /// A frame by its number, counted from 0.
    pub fn frame(&mut self, number: usize) -> Result<CachedFrame, CacheError> {
        let Some(&(at, length)) = self.frames.get(number) else {
            return Err(CacheError::NoSuchFrame {
                path: self.path.clone(),
                number,
                count: self.frames.len(),
            });
        };
        let mut content = vec![0; length];
        self.file
            .seek(SeekFrom::Start(at))
            .and_then(|_| self.file.read_exact(&mut content))
            .map_err(|source| CacheError::Read {
                path: self.path.clone(),
                source,
            })?;
        CachedFrame::decode(&content).ok_or_else(|| CacheError::Damaged {
            path: self.path.clone(),
            what: "a frame cannot be understood",
        })
    }
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

/// The content of the next record, or nothing if it is not whole.
fn next_record(file: &mut File, rest: u64) -> io::Result<Option<Vec<u8>>> {
    if rest < RECORD_HEAD as u64 {
        return Ok(None);
    }
    let mut word = || -> io::Result<u64> {
        let mut word = [0; 8];
        file.read_exact(&mut word)?;
        Ok(u64::from_le_bytes(word))
    };
    let (length, expected) = (word()?, word()?);
    if length > rest - RECORD_HEAD as u64 {
        return Ok(None);
    }
    let Ok(length) = usize::try_from(length) else {
        return Ok(None);
    };
    let mut content = vec![0; length];
    file.read_exact(&mut content)?;
    Ok((checksum(&content) == expected).then_some(content))
}

#[cfg(test)]
mod tests {
    use super::super::{CacheWriter, StepSample};
    use super::*;
    use glam::DVec3;
    use std::fs;

    fn header() -> CacheHeader {
        CacheHeader {
            name: "flag".to_owned(),
            file: "flag.xml".to_owned(),
            text: "<EDMConfig id=\"ü\" />\n".to_owned(),
            folder: String::new(),
            overrides: vec![["Wind".to_owned(), "c".to_owned(), "4".to_owned()]],
            seconds: Some(0.1 + 0.2),
            frames: None,
        }
    }

    fn frame(step: usize) -> CachedFrame {
        let sample = StepSample {
            time: step as f64 / 3.0,
            external: -1e-300,
            momentum: DVec3::new(1.0, -0.0, f64::INFINITY),
            contacts: step,
            ..StepSample::default()
        };
        CachedFrame {
            step,
            time: sample.time,
            snapshot: vec![step as u8; 40 + step],
            samples: vec![sample; step],
            totals: vec![("steps".to_owned(), step as f64)],
        }
    }

    fn written(name: &str, frames: usize) -> PathBuf {
        let path = std::env::temp_dir().join(format!("pliant-cache-{}-{name}", std::process::id()));
        let mut writer = CacheWriter::create(&path, &header()).unwrap();
        for step in 0..frames {
            writer.append(&frame(step)).unwrap();
        }
        path
    }

    #[test]
    fn what_was_written_is_read() {
        let path = written("read.pliant", 3);
        let mut reader = CacheReader::open(&path).unwrap();
        assert_eq!(reader.header(), &header());
        assert_eq!((reader.frame_count(), reader.torn_length()), (3, 0));
        for step in [2, 0, 1] {
            assert_eq!(reader.frame(step).unwrap(), frame(step));
        }
        assert!(matches!(
            reader.frame(3),
            Err(CacheError::NoSuchFrame { count: 3, .. })
        ));
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_cache_cut_anywhere_keeps_its_whole_frames_and_can_be_continued() {
        let path = written("cut.pliant", 3);
        let whole = fs::read(&path).unwrap();
        let ends: Vec<u64> = (0..=3)
            .map(|frames| {
                let path = written("end.pliant", frames);
                let length = fs::metadata(&path).unwrap().len();
                fs::remove_file(path).unwrap();
                length
            })
            .collect();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let Ok(mut reader) = CacheReader::open(&path) else {
                assert!((length as u64) < ends[0], "cut at {length}");
                continue;
            };
            let expected = ends.iter().filter(|&&end| end <= length as u64).count() - 1;
            assert_eq!(reader.frame_count(), expected, "cut at {length}");
            let last = expected.checked_sub(1).map(|last| reader.frame(last));
            assert!(last.is_none_or(|last| last.is_ok()));
            let mut writer = CacheWriter::resume(&reader).unwrap();
            for step in expected..3 {
                writer.append(&frame(step)).unwrap();
            }
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {length}");
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_damaged_byte_never_becomes_a_frame() {
        let path = written("damaged.pliant", 2);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, &damaged).unwrap();
            if let Ok(mut reader) = CacheReader::open(&path) {
                assert!(reader.frame_count() < 2, "byte {at}");
                for number in 0..reader.frame_count() {
                    assert_eq!(reader.frame(number).unwrap(), frame(number));
                }
            }
        }
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let path = written("other.pliant", 0);
        fs::write(&path, "<EDMConfig />").unwrap();
        assert!(matches!(
            CacheReader::open(&path),
            Err(CacheError::NotACache { .. })
        ));
        let mut newer = MAGIC.to_vec();
        newer.extend(7_u32.to_le_bytes());
        fs::write(&path, newer).unwrap();
        assert!(matches!(
            CacheReader::open(&path),
            Err(CacheError::Version { found: 7, .. })
        ));
        fs::remove_file(&path).unwrap();
        assert!(matches!(
            CacheReader::open(&path),
            Err(CacheError::Read { .. })
        ));
    }
}
