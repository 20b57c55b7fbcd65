//! Animated PNG: without loss, with transparency.
//!
//! Each picture is compressed by the `png` crate as a picture of its own, and its data are put
//! into the chunks of an animation. After the first picture only what changed is stored.
//!
//! Implements: PNG, third edition, 11.3.6 (`acTL`, `fcTL`, `fdAT`). The number of pictures
//! stands in front, so the data wait in a [`Spool`].

use crate::change::Change;
use crate::frame_rate::FrameRate;
use crate::png_film::encode_samples;
use crate::{FilmError, FilmSettings, FilmWriter, Quality};
use pliant_io::AtomicFile;
use pliant_io::Spool;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// The largest side the format holds.
const LARGEST_SIDE: usize = i32::MAX as usize;
const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

/// Begins an animated PNG.
pub(crate) fn open(path: &Path, settings: &FilmSettings) -> Result<Box<dyn FilmWriter>, FilmError> {
    settings.check("apng", 1, LARGEST_SIDE)?;
    Ok(Box::new(Apng {
        path: path.to_path_buf(),
        file: AtomicFile::create(path)?,
        spool: Spool::create(path)?,
        settings: settings.clone(),
        rate: FrameRate::new(settings.frames_per_second),
        before: None,
        picture_count: 0,
        chunk_count: 0,
    }))
}

/// An animated PNG in the making.
struct Apng {
    path: PathBuf,
    file: AtomicFile,
    spool: Spool,
    settings: FilmSettings,
    rate: FrameRate,
    before: Option<Vec<u8>>,
    picture_count: usize,
    /// Numbered chunks so far.
    chunk_count: u32,
}

impl Apng {
    /// Adds the chunks of one picture to the spool.
    fn store(&mut self, change: &Change, data: &[Vec<u8>]) -> io::Result<()> {
        let control = self.control(change);
        write_chunk(&mut self.spool, b"fcTL", &control)?;
        for part in data {
            if self.picture_count == 0 {
                write_chunk(&mut self.spool, b"IDAT", part)?;
            } else {
                let number = self.next_number();
                write_chunk(&mut self.spool, b"fdAT", &[&number[..], part].concat())?;
            }
        }
        Ok(())
    }

    fn next_number(&mut self) -> [u8; 4] {
        let number = self.chunk_count;
        self.chunk_count += 1;
        number.to_be_bytes()
    }

    /// Where, how long and how a picture is shown.
    fn control(&mut self, change: &Change) -> Vec<u8> {
        let place = &change.rectangle;
        let mut control = self.next_number().to_vec();
        for value in [place.width, place.height, place.left, place.top] {
            control.extend((value as u32).to_be_bytes());
        }
        let (time, unit) = self.delay();
        control.extend(time.to_be_bytes());
        control.extend(unit.to_be_bytes());
        control.extend([0, u8::from(change.is_over)]); // leave it there afterwards
        control
    }

    /// How long the picture is shown: a number, and how many of it make a second.
    fn delay(&self) -> (u16, u16) {
        let exact = (
            u16::try_from(self.rate.denominator),
            u16::try_from(self.rate.numerator),
        );
        if let (Ok(time), Ok(unit)) = exact {
            return (time, unit);
        }
        let next = self.rate.thousandths(self.picture_count + 1);
        let time = next - self.rate.thousandths(self.picture_count);
        (time.min(u64::from(u16::MAX)) as u16, 1000)
    }

    fn write(self) -> io::Result<AtomicFile> {
        let mut file = self.file;
        file.write_all(SIGNATURE)?;
        let mut head = Vec::new();
        head.extend((self.settings.width as u32).to_be_bytes());
        head.extend((self.settings.height as u32).to_be_bytes());
        head.extend([8, 6, 0, 0, 0]); // eight bits, colour and alpha
        write_chunk(&mut file, b"IHDR", &head)?;
        write_chunk(&mut file, b"sRGB", &[0])?;
        let mut animation = (self.picture_count as u32).to_be_bytes().to_vec();
        animation.extend([0; 4]); // for ever
        write_chunk(&mut file, b"acTL", &animation)?;
        io::copy(&mut BufReader::new(self.spool.into_reader()?), &mut file)?;
        write_chunk(&mut file, b"IEND", &[])?;
        Ok(file)
    }
}

impl FilmWriter for Apng {
    fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
        self.settings
            .check_picture(&self.path, self.picture_count, rgba)?;
        let change = match &self.before {
            Some(before) => Change::between(before, rgba, self.settings.width),
            None => Change::whole(rgba, self.settings.width),
        };
        let compression = match self.settings.quality {
            Quality::Draft | Quality::Good => png::Compression::Fast,
            Quality::Best => png::Compression::Balanced,
        };
        let data = encode_samples(
            change.rectangle.width as u32,
            change.rectangle.height as u32,
            png::ColorType::Rgba,
            compression,
            &change.pixels,
        )
        .map_err(|error| FilmError::Encode {
            path: self.path.clone(),
            picture: self.picture_count,
            reason: error.to_string(),
        })?;
        self.store(&change, &data_chunks(&data))
            .map_err(FilmError::write(&self.path))?;
        self.before = Some(rgba.to_vec());
        self.picture_count += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, FilmError> {
        if self.picture_count == 0 {
            return Err(FilmError::Empty { path: self.path });
        }
        let path = self.path.clone();
        self.write().map_err(FilmError::write(&path))?.commit()?;
        Ok(vec![path])
    }
}

/// Writes a chunk: length, kind, content, check sum.
fn write_chunk(writer: &mut impl Write, kind: &[u8; 4], content: &[u8]) -> io::Result<()> {
    let length = u32::try_from(content.len()).map_err(io::Error::other)?;
    let mut sum = crc32fast::Hasher::new();
    sum.update(kind);
    sum.update(content);
    writer.write_all(&length.to_be_bytes())?;
    writer.write_all(kind)?;
    writer.write_all(content)?;
    writer.write_all(&sum.finalize().to_be_bytes())
}

/// The contents of the `IDAT` chunks of a PNG file.
fn data_chunks(file: &[u8]) -> Vec<Vec<u8>> {
    let mut chunks = Vec::new();
    let mut rest = &file[SIGNATURE.len()..];
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let end = 4 + u32::from_be_bytes(*length) as usize;
        let Some(content) = after.get(4..end) else {
            break;
        };
        if after.starts_with(b"IDAT") {
            chunks.push(content.to_vec());
        }
        rest = after.get(end + 4..).unwrap_or_default();
    }
    chunks
}
