//! What a format is: a sink of frames, the extensions it answers to, and how its files are named.

use crate::{AtomicFile, IoError, create_folder};
use pliant::frame::Frame;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Receives the frames of a run in order and writes them.
pub trait FrameSink {
    /// Writes one frame. When a format of one file per frame returns without error, the files of the
    /// frame are complete and stay readable whatever happens to the run afterwards. A format that
    /// keeps the whole run in one file writes it in [`FrameSink::finish`].
    fn write(&mut self, frame: &Frame) -> Result<(), IoError>;

    /// Ends the output and names every file written, the one to open first coming first.
    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError>;
}

/// A format that frames can be written in.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// What the format is called.
    pub name: &'static str,
    /// The extensions that choose it, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Whether a folder given as output gets this format too. Formats that keep a whole run in one
    /// file are written only when asked for.
    pub in_folder: bool,
    /// Opens a sink for a series. The folder exists and can be written.
    pub open: fn(SeriesName) -> Result<Box<dyn FrameSink>, IoError>,
}

/// How the files of one run are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesName {
    folder: PathBuf,
    frame: String,
    index: String,
    obstacles: String,
}

impl SeriesName {
    /// Files in a folder of their own: `frames.pvd`, `frame_00000.vtu`, `obstacles.vtu` and so on.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            frame: "frame".to_owned(),
            index: "frames".to_owned(),
            obstacles: "obstacles".to_owned(),
        }
    }

    /// Files beside others, told apart by a stem x: `x.pvd`, `x_00000.vtu`, `x_obstacles.vtu`.
    pub fn with_stem(folder: &Path, stem: &str) -> Self {
        Self {
            folder: folder.to_path_buf(),
            frame: stem.to_owned(),
            index: stem.to_owned(),
            obstacles: format!("{stem}_obstacles"),
        }
    }

    /// The folder of the files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of one frame.
    pub fn frame_path(&self, number: usize, extension: &str) -> PathBuf {
        let stem = &self.frame;
        self.folder.join(format!("{stem}_{number:05}.{extension}"))
    }

    /// A file that belongs to the whole series.
    pub fn index_path(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.index))
    }

    /// A file of the obstacles; with a number if they changed at that frame.
    pub fn obstacles_path(&self, number: Option<usize>, extension: &str) -> PathBuf {
        let stem = &self.obstacles;
        self.folder.join(match number {
            None => format!("{stem}.{extension}"),
            Some(number) => format!("{stem}_{number:05}.{extension}"),
        })
    }

    /// Removes what an earlier, longer run has left of this series: the frames that follow the last
    /// one, up to the first gap. A file that was not written by Pliant ends the search.
    pub(crate) fn remove_frames_after(&self, last: usize, extension: &str) -> Result<(), IoError> {
        for number in last + 1.. {
            let path = self.frame_path(number, extension);
            if !was_written_by_us(&path) {
                break;
            }
            fs::remove_file(&path).map_err(|source| IoError::Write { path, source })?;
        }
        Ok(())
    }

    /// Makes the folder if need be, and finds out whether files can be written to it.
    pub(crate) fn prepare(&self) -> Result<(), IoError> {
        create_folder(&self.folder)?;
        AtomicFile::check_writable(&self.frame_path(0, "test"))
    }
}

/// The word in the first lines of every file of a series.
pub(crate) const SIGNATURE: &str = "Pliant";

/// Whether a file begins as ours do.
fn was_written_by_us(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(256).read_to_end(&mut start));
    let signature = SIGNATURE.as_bytes();
    read.is_ok() && start.windows(signature.len()).any(|part| part == signature)
}

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// The last part of a path, for references between files of one folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
