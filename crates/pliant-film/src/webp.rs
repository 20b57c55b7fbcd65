//! Animated WebP: without loss, with transparency.
//!
//! The `image-webp` crate compresses single pictures (`VP8L`); this file puts them in the
//! container of an animation. After the first picture only what changed is stored.
//!
//! ```text
//! RIFF length WEBP
//!   VP8X  flags, size
//!   ANIM  background, how often
//!   ANMF  place, size, milliseconds, how to lay it      one each picture
//!     VP8L  data
//! ```
//!
//! Implements: RFC 9649, 2.7. Lengths stand in front, so the data wait in a [`Spool`].

use crate::change::Change;
use crate::frame_rate::FrameRate;
use crate::{FilmError, FilmSettings, FilmWriter};
use image_webp::{ColorType, WebPEncoder};
use pliant_io::AtomicFile;
use pliant_io::Spool;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// The largest side the format holds.
const LARGEST_SIDE: usize = 16384;
/// Bytes of `WEBP`, `VP8X` and `ANIM` that the length of the file counts.
const HEADER_LENGTH: u64 = 4 + 18 + 14;
/// Flags of the file.
const HAS_ANIMATION: u8 = 0x02;
const HAS_ALPHA: u8 = 0x10;
/// Flag of a picture that takes the place of the old one and is not laid over it.
const IN_PLACE: u8 = 0x02;

/// Begins an animated WebP.
pub(crate) fn open(path: &Path, settings: &FilmSettings) -> Result<Box<dyn FilmWriter>, FilmError> {
    settings.check("webp", 1, LARGEST_SIDE)?;
    Ok(Box::new(WebpFilm {
        path: path.to_path_buf(),
        file: AtomicFile::create(path)?,
        spool: Spool::create(path)?,
        settings: settings.clone(),
        rate: FrameRate::new(settings.frames_per_second),
        before: None,
        picture_count: 0,
    }))
}

/// An animated WebP in the making.
struct WebpFilm {
    path: PathBuf,
    file: AtomicFile,
    spool: Spool,
    settings: FilmSettings,
    rate: FrameRate,
    before: Option<Vec<u8>>,
    picture_count: usize,
}

impl WebpFilm {
    /// Place, size, time and manner of a picture.
    fn control(&self, change: &Change) -> Vec<u8> {
        let place = &change.rectangle;
        let next = self.rate.thousandths(self.picture_count + 1);
        let time = next - self.rate.thousandths(self.picture_count);
        let mut control = Vec::new();
        for value in [
            place.left / 2,
            place.top / 2,
            place.width - 1,
            place.height - 1,
            time as usize,
        ] {
            control.extend(three_bytes(value));
        }
        control.push(if change.is_over { 0 } else { IN_PLACE });
        control
    }

    fn write(self) -> io::Result<AtomicFile> {
        let mut file = self.file;
        let length = (HEADER_LENGTH + self.spool.len()) as u32;
        let mut header = b"RIFF".to_vec();
        header.extend(length.to_le_bytes());
        header.extend(b"WEBPVP8X\x0a\0\0\0");
        header.extend([HAS_ANIMATION | HAS_ALPHA, 0, 0, 0]);
        header.extend(three_bytes(self.settings.width - 1));
        header.extend(three_bytes(self.settings.height - 1));
        // No background colour, for ever.
        header.extend(b"ANIM\x06\0\0\0\0\0\0\0\0\0");
        file.write_all(&header)?;
        io::copy(&mut BufReader::new(self.spool.into_reader()?), &mut file)?;
        Ok(file)
    }
}

impl FilmWriter for WebpFilm {
    fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
        self.settings
            .check_picture(&self.path, self.picture_count, rgba)?;
        let change = match &self.before {
            Some(before) => Change::between(before, rgba, self.settings.width),
            None => Change::whole(rgba, self.settings.width),
        };
        let failed = |reason: String| FilmError::Encode {
            path: self.path.clone(),
            picture: self.picture_count,
            reason,
        };
        let mut data = Vec::new();
        WebPEncoder::new(&mut data)
            .encode(
                &change.pixels,
                change.rectangle.width as u32,
                change.rectangle.height as u32,
                ColorType::Rgba8,
            )
            .map_err(|error| failed(error.to_string()))?;
        // Without metadata the file is "RIFF", a length, "WEBP" and one chunk, padded.
        let chunk = data
            .get(12..)
            .filter(|chunk| chunk.starts_with(b"VP8L"))
            .ok_or_else(|| failed("the encoder's output is unknown".to_string()))?;
        let control = self.control(&change);
        let length = (control.len() + chunk.len()) as u64;
        if HEADER_LENGTH + self.spool.len() + length + 8 >= u64::from(u32::MAX) {
            return Err(FilmError::TooLarge {
                path: self.path.clone(),
                reason: "WebP ends at 4 GiB",
            });
        }
        let parts = [b"ANMF", &(length as u32).to_le_bytes()[..], &control, chunk];
        for part in parts {
            self.spool
                .write_all(part)
                .map_err(FilmError::write(&self.path))?;
        }
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

/// The lower three bytes, the lowest first.
fn three_bytes(value: usize) -> [u8; 3] {
    [value as u8, (value >> 8) as u8, (value >> 16) as u8]
}
