//! What can go wrong when a film is made.

use pliant_io::IoError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a film could not be made.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// The file cannot be begun or completed.
    #[error(transparent)]
    File(#[from] IoError),
    /// A file could not be written or read back.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The film, by its final name.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A picture that is not of the film's size.
    #[error(
        "picture {picture} for {} has {found} bytes, and {width} x {height} pixels of four bytes \
         need {expected}",
        path.display()
    )]
    PictureSize {
        /// The film.
        path: PathBuf,
        /// Number of the picture, from 0.
        picture: usize,
        /// Bytes given.
        found: usize,
        /// Bytes needed.
        expected: usize,
        /// Width of the film in pixels.
        width: usize,
        /// Height of the film in pixels.
        height: usize,
    },
    /// A width or height that the format cannot hold.
    #[error(
        "a picture of {width} x {height} pixels cannot be written as {format}: each side must be \
         between {smallest} and {largest}"
    )]
    SizeOutOfRange {
        /// Name of the format.
        format: &'static str,
        /// Width in pixels.
        width: usize,
        /// Height in pixels.
        height: usize,
        /// Smallest side the format takes.
        smallest: usize,
        /// Largest side the format takes.
        largest: usize,
    },
    /// A frame rate that no film has.
    #[error("{frames_per_second} frames a second is no rate for a film: give 0.1 to 1000")]
    FrameRate {
        /// The rate as given.
        frames_per_second: f64,
    },
    /// A film without pictures.
    #[error("no picture was added to {}: no film was written", path.display())]
    Empty {
        /// The film.
        path: PathBuf,
    },
    /// More data than the format can hold.
    #[error("{} would be too large: {reason}", path.display())]
    TooLarge {
        /// The film.
        path: PathBuf,
        /// Which limit was met.
        reason: &'static str,
    },
    /// An encoder refused a picture.
    #[error("cannot encode picture {picture} of {}: {reason}", path.display())]
    Encode {
        /// The film.
        path: PathBuf,
        /// Number of the picture, from 0.
        picture: usize,
        /// What the encoder said.
        reason: String,
    },
    /// An extension that no film format has.
    #[error(
        "cannot tell what film to write to {}: {}; known are {known}",
        path.display(),
        match extension { Some(name) => format!("'.{name}' is no film"), None => "it has no extension".to_string() }
    )]
    UnknownFormat {
        /// The path as given.
        path: PathBuf,
        /// Its extension, without the dot, if it has one.
        extension: Option<String>,
        /// The known extensions, as a list to read.
        known: String,
    },
    /// The ffmpeg program is not there or cannot be started.
    #[error("cannot start the program 'ffmpeg' to write {}: {source}", path.display())]
    FfmpegMissing {
        /// The film.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The ffmpeg program gave up.
    #[error("ffmpeg could not write {}: {message}", path.display())]
    FfmpegFailed {
        /// The film.
        path: PathBuf,
        /// The last lines it wrote.
        message: String,
    },
    /// The thread that encodes ended by itself.
    #[error("the encoder of {} stopped: a fault in it, not in the pictures", path.display())]
    EncoderStopped {
        /// The film.
        path: PathBuf,
    },
}

impl FilmError {
    /// Names the film in an error of the operating system.
    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::Write {
            path: path.to_path_buf(),
            source,
        }
    }
}
