//! Animated GIF, with one palette for the whole film.
//!
//! The palette is known only when the last picture is, so pictures wait on the disk (compressed
//! without loss) and are turned into indices at the end. One palette, and dithering that depends
//! on the place only, make everything that rests look the same in every picture: it is coded once
//! and does not flicker.
//!
//! GIF counts time in hundredths of a second, and players slow down what is shorter than two:
//! above 50 pictures a second some are left out, so that the film keeps its speed.

mod dither;
mod palette;

use crate::change::Rectangle;
use crate::frame_rate::FrameRate;
use crate::png_film::{encode_samples, without_alpha};
use crate::{FilmError, FilmSettings, FilmWriter};
use dither::Dither;
use gif::{DisposalMethod, Frame, Repeat};
use palette::Histogram;
use pliant_io::AtomicFile;
use pliant_io::{Spool, SpoolReader};
use std::borrow::Cow;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The largest side the format holds.
const LARGEST_SIDE: usize = u16::MAX as usize;
/// Colours of the film; one index of the 256 means "as before".
const COLOURS: usize = 255;
/// The index that leaves a pixel as it was.
const UNCHANGED: u8 = 255;
/// Shortest time a picture can be shown, hundredths of a second.
const SHORTEST: u64 = 2;

/// Begins a GIF film.
pub(crate) fn open(path: &Path, settings: &FilmSettings) -> Result<Box<dyn FilmWriter>, FilmError> {
    settings.check("gif", 1, LARGEST_SIDE)?;
    Ok(Box::new(GifFilm {
        path: path.to_path_buf(),
        file: AtomicFile::create(path)?,
        spool: Spool::create(path)?,
        settings: settings.clone(),
        rate: FrameRate::new(settings.frames_per_second),
        histogram: Histogram::new(),
        picture_count: 0,
        starts: Vec::new(),
    }))
}

/// A GIF film in the making.
struct GifFilm {
    path: PathBuf,
    file: AtomicFile,
    spool: Spool,
    settings: FilmSettings,
    rate: FrameRate,
    histogram: Histogram,
    /// Pictures given.
    picture_count: usize,
    /// When the pictures that were kept begin, hundredths of a second.
    starts: Vec<u64>,
}

impl FilmWriter for GifFilm {
    fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
        self.settings
            .check_picture(&self.path, self.picture_count, rgba)?;
        let start = self.rate.hundredths(self.picture_count);
        let picture = self.picture_count;
        self.picture_count += 1;
        if self
            .starts
            .last()
            .is_some_and(|last| start < last + SHORTEST)
        {
            return Ok(());
        }
        self.starts.push(start);
        self.histogram.add(rgba);
        let data = encode_samples(
            self.settings.width as u32,
            self.settings.height as u32,
            png::ColorType::Rgb,
            png::Compression::Fastest,
            &without_alpha(rgba),
        )
        .map_err(|error| FilmError::Encode {
            path: self.path.clone(),
            picture,
            reason: error.to_string(),
        })?;
        let length = (data.len() as u64).to_le_bytes();
        self.spool
            .write_all(&length)
            .and_then(|()| self.spool.write_all(&data))
            .map_err(FilmError::write(&self.path))
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

impl GifFilm {
    /// The second pass: pictures become indices.
    fn write(self) -> io::Result<AtomicFile> {
        let (width, height) = (self.settings.width, self.settings.height);
        let end = self.rate.hundredths(self.picture_count);
        let palette = self.histogram.palette(COLOURS);
        let mut dither = Dither::new(&palette);
        let mut bytes = palette.concat();
        bytes.resize(256 * 3, 0);
        let mut encoder =
            gif::Encoder::new(self.file, width as u16, height as u16, &bytes).map_err(io_error)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io_error)?;
        let mut reader = BufReader::new(self.spool.into_reader()?);
        let mut before: Option<Vec<u8>> = None;
        for (index, start) in self.starts.iter().enumerate() {
            let next = self.starts.get(index + 1).copied().unwrap_or(end);
            let rgb = read_picture(&mut reader)?;
            let indices = dither_picture(&mut dither, &rgb, width);
            let (rectangle, pixels) = match &before {
                Some(before) => changed(before, &indices, width),
                None => (Rectangle::whole(width, height), indices.clone()),
            };
            encoder
                .write_frame(&Frame {
                    delay: (next.max(start + SHORTEST) - start).min(u64::from(u16::MAX)) as u16,
                    dispose: DisposalMethod::Keep,
                    transparent: Some(UNCHANGED),
                    left: rectangle.left as u16,
                    top: rectangle.top as u16,
                    width: rectangle.width as u16,
                    height: rectangle.height as u16,
                    buffer: Cow::Owned(pixels),
                    ..Frame::default()
                })
                .map_err(io_error)?;
            before = Some(indices);
        }
        encoder.into_inner().map_err(io_error)
    }
}

/// The error of the operating system in an error of the encoder.
fn io_error(error: gif::EncodingError) -> io::Error {
    match error {
        gif::EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// Reads the next picture of the spool: three bytes per pixel.
fn read_picture(reader: &mut BufReader<SpoolReader>) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    reader.read_exact(&mut length)?;
    let mut data = Vec::new();
    reader
        .take(u64::from_le_bytes(length))
        .read_to_end(&mut data)?;
    let mut decoder = png::Decoder::new(io::Cursor::new(data)).read_info()?;
    let size = decoder
        .output_buffer_size()
        .ok_or_else(|| io::Error::other("a picture too large for memory"))?;
    let mut rgb = vec![0; size];
    decoder.next_frame(&mut rgb)?;
    Ok(rgb)
}

fn dither_picture(dither: &mut Dither, rgb: &[u8], width: usize) -> Vec<u8> {
    rgb.chunks_exact(3)
        .enumerate()
        .map(|(at, pixel)| dither.index([pixel[0], pixel[1], pixel[2]], at % width, at / width))
        .collect()
}

/// The part of a picture that differs from the one before, with equal pixels left out.
fn changed(before: &[u8], after: &[u8], width: usize) -> (Rectangle, Vec<u8>) {
    let rectangle = Rectangle::of_change(before, after, width, 1);
    let mut pixels = Vec::with_capacity(rectangle.width * rectangle.height);
    for y in rectangle.top..rectangle.top + rectangle.height {
        let row = y * width + rectangle.left..y * width + rectangle.left + rectangle.width;
        pixels.extend(
            before[row.clone()]
                .iter()
                .zip(&after[row])
                .map(|(old, new)| if old == new { UNCHANGED } else { *new }),
        );
    }
    (rectangle, pixels)
}
