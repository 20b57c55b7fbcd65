//! Where the frames of a run go: files of frames, films and pictures. The cache is kept apart
//! (`record.rs`), since it holds more than frames.

mod collisions;
mod patterns;
mod pictures;
mod target;

pub use collisions::Files;
pub use patterns::{pattern_files, write_patterns};
pub use pictures::PictureRequest;
pub use target::Targets;

use pictures::PictureThread;
use pliant::Frame;
use pliant_io::{AtomicFile, FrameSink, create_folder, sink_for};
use pliant_session::Failure;
use std::path::{Path, PathBuf};

/// All outputs of a run.
pub struct Outputs {
    sinks: Vec<(PathBuf, Box<dyn FrameSink>)>,
    pictures: Option<PictureThread>,
}

/// What one output has written.
#[derive(Debug)]
pub struct Written {
    /// The output as the user named it.
    pub output: PathBuf,
    /// Its files, the one to open first coming first.
    pub files: Vec<PathBuf>,
}

impl Outputs {
    /// Opens all outputs. Whatever would keep them from being written is an error here.
    pub fn open(targets: &Targets, pictures: Option<PictureRequest>) -> Result<Self, Failure> {
        let mut sinks: Vec<(PathBuf, Box<dyn FrameSink>)> = Vec::new();
        for path in &targets.frames {
            let sink = sink_for(path).map_err(Failure::Output)?;
            sinks.push((path.clone(), sink));
        }
        let pictures = match pictures {
            Some(request) => Some(PictureThread::start(request, targets)?),
            None => None,
        };
        Ok(Self { sinks, pictures })
    }

    /// Whether there is nothing to write frames to.
    pub fn is_empty(&self) -> bool {
        self.sinks.is_empty() && self.pictures.is_none()
    }

    /// Writes a frame to all of them.
    pub fn write(&mut self, frame: Frame) -> Result<(), Failure> {
        for (_, sink) in &mut self.sinks {
            sink.write(&frame).map_err(Failure::on_the_way)?;
        }
        match &mut self.pictures {
            Some(pictures) => pictures.add(vec![frame]),
            None => Ok(()),
        }
    }

    /// Draws frames of several runs beside each other.
    pub fn draw(&mut self, frames: Vec<Frame>) -> Result<(), Failure> {
        match &mut self.pictures {
            Some(pictures) => pictures.add(frames),
            None => Ok(()),
        }
    }

    /// Ends all of them, also when one fails; the first error is returned beside what was written.
    pub fn finish(mut self) -> (Vec<Written>, Result<(), Failure>) {
        let (mut written, mut result) = (Vec::new(), Ok(()));
        if let Some(pictures) = self.pictures {
            match pictures.finish() {
                Ok(files) => written.extend(files),
                Err(failure) => result = Err(failure),
            }
        }
        for (output, sink) in &mut self.sinks {
            match sink.finish() {
                Ok(files) => written.push(Written {
                    output: output.clone(),
                    files,
                }),
                Err(error) => result = result.and(Err(Failure::on_the_way(error))),
            }
        }
        (written, result)
    }
}

/// Finds out whether a single file can be written, and makes its folder if need be.
pub fn prepare_file(path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent()
        && !folder.as_os_str().is_empty()
    {
        create_folder(folder).map_err(Failure::Output)?;
    }
    AtomicFile::check_writable(path).map_err(Failure::Output)
}
