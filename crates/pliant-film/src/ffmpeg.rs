//! Films by the `ffmpeg` program, for those who have it and want what it can do.
//!
//! Pictures go to its standard input as they are; it converts, encodes (H.264 unless the
//! extension says otherwise) and writes a temporary file in the folder of the film.

use crate::{FilmError, FilmSettings, FilmWriter, Quality};
use pliant_io::AtomicFile;
use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// The largest side ffmpeg's H.264 takes.
const LARGEST_SIDE: usize = 16384;
/// How much of its complaints is shown, bytes.
const MESSAGE_LENGTH: usize = 800;

/// Begins a film that the `ffmpeg` program writes. The extension must be one that it knows.
/// Missing, it is an error at once.
pub fn ffmpeg_film(path: &Path, settings: &FilmSettings) -> Result<Box<dyn FilmWriter>, FilmError> {
    with_program("ffmpeg", path, settings)
}

fn with_program(
    program: &str,
    path: &Path,
    settings: &FilmSettings,
) -> Result<Box<dyn FilmWriter>, FilmError> {
    settings.check("ffmpeg's film", 1, LARGEST_SIDE)?;
    AtomicFile::check_writable(path)?;
    let temporary = temporary_name(path);
    let mut child = Command::new(program)
        .args(arguments(settings))
        .arg(&temporary)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| FilmError::FfmpegMissing {
            path: path.to_path_buf(),
            source,
        })?;
    // Read all the time: a program whose complaints nobody reads stands still.
    let complaints = child.stderr.take().map(|mut stream| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stream.read_to_end(&mut text);
            String::from_utf8_lossy(&text).trim().to_string()
        })
    });
    Ok(Box::new(FfmpegFilm {
        path: path.to_path_buf(),
        temporary,
        settings: settings.clone(),
        child,
        complaints,
        picture_count: 0,
    }))
}

/// A name beside the film. The extension stays: ffmpeg chooses the format by it.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(format!(".{}.part.", std::process::id()));
    name.push(path.file_name().unwrap_or_default());
    path.with_file_name(name)
}

fn arguments(settings: &FilmSettings) -> Vec<String> {
    let (preset, factor) = match settings.quality {
        Quality::Draft => ("veryfast", "28"),
        Quality::Good => ("medium", "18"),
        Quality::Best => ("slow", "12"),
    };
    let (width, height) = even_size(settings);
    let size = format!("{width}x{height}");
    let rate = settings.frames_per_second.to_string();
    let words = [
        "-hide_banner -loglevel error -nostdin -y -f rawvideo -pixel_format rgba -video_size",
        &size,
        "-framerate",
        &rate,
        "-i pipe:0 -an -vf scale=out_color_matrix=bt709:out_range=tv -pix_fmt yuv420p -crf",
        factor,
        "-preset",
        preset,
        "-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv \
         -movflags +faststart",
    ];
    words
        .iter()
        .flat_map(|part| part.split_whitespace())
        .map(str::to_string)
        .collect()
}

/// The size of the film: even, since colours are stored for 2 x 2 pixels.
fn even_size(settings: &FilmSettings) -> (usize, usize) {
    (
        settings.width.next_multiple_of(2),
        settings.height.next_multiple_of(2),
    )
}

/// A picture of even size: an odd one repeats its last column or row.
fn even_picture<'a>(settings: &FilmSettings, rgba: &'a [u8]) -> Cow<'a, [u8]> {
    let (width, height) = even_size(settings);
    if (width, height) == (settings.width, settings.height) {
        return Cow::Borrowed(rgba);
    }
    let mut even = Vec::with_capacity(width * height * 4);
    for row in rgba.chunks_exact(settings.width * 4) {
        even.extend(row);
        if width > settings.width {
            even.extend(&row[row.len() - 4..]);
        }
    }
    if height > settings.height {
        even.extend_from_within(even.len() - width * 4..);
    }
    Cow::Owned(even)
}

/// A film in the hands of ffmpeg.
struct FfmpegFilm {
    path: PathBuf,
    temporary: PathBuf,
    settings: FilmSettings,
    child: Child,
    complaints: Option<JoinHandle<String>>,
    picture_count: usize,
}

impl FfmpegFilm {
    /// What ffmpeg complained about, once it has ended.
    fn failure(&mut self) -> FilmError {
        let text = self
            .complaints
            .take()
            .and_then(|thread| thread.join().ok())
            .filter(|text| !text.is_empty())
            .unwrap_or_else(|| "it ended without a word".to_string());
        let mut start = text.len().saturating_sub(MESSAGE_LENGTH);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        FilmError::FfmpegFailed {
            path: self.path.clone(),
            message: text[start..].to_string(),
        }
    }
}

impl FilmWriter for FfmpegFilm {
    fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
        self.settings
            .check_picture(&self.path, self.picture_count, rgba)?;
        let written = match &mut self.child.stdin {
            Some(pipe) => pipe.write_all(&even_picture(&self.settings, rgba)).is_ok(),
            None => false,
        };
        if !written {
            // A broken pipe only says that ffmpeg ended; why, it said itself.
            self.child.stdin = None;
            let _ = self.child.wait();
            return Err(self.failure());
        }
        self.picture_count += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, FilmError> {
        if self.picture_count == 0 {
            return Err(FilmError::Empty {
                path: self.path.clone(),
            });
        }
        self.child.stdin = None;
        let status = self.child.wait().map_err(FilmError::write(&self.path))?;
        if !status.success() {
            return Err(self.failure());
        }
        fs::rename(&self.temporary, &self.path).map_err(FilmError::write(&self.path))?;
        Ok(vec![self.path.clone()])
    }
}

impl Drop for FfmpegFilm {
    fn drop(&mut self) {
        // After a finished film all of this finds nothing to do.
        self.child.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_picture_repeats_its_edge() {
        let settings = FilmSettings::new(1, 3, 30.0);
        let rgba = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];
        let even = even_picture(&settings, &rgba);
        let columns: Vec<_> = even.chunks_exact(4).map(|pixel| pixel[0]).collect();
        assert_eq!(columns, [1, 1, 2, 2, 3, 3, 3, 3]);
    }

    #[test]
    fn a_missing_program_is_named() {
        let path = std::env::temp_dir().join("pliant-no-ffmpeg.mp4");
        let settings = FilmSettings::new(16, 16, 30.0);
        let Err(error) = with_program("pliant-no-such-program", &path, &settings) else {
            panic!("there is no such program");
        };
        assert!(matches!(error, FilmError::FfmpegMissing { .. }));
        assert!(error.to_string().contains("ffmpeg"));
        assert!(!path.exists());
    }
}
