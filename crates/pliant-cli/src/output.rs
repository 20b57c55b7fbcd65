//! Where the frames of a run go.

use crate::failure::Failure;
use pliant::Frame;
use pliant_io::{AtomicFile, FrameSink, IoError, sink_for};
use std::fs;
use std::path::{Path, PathBuf};

/// All outputs of a run.
pub struct Outputs {
    sinks: Vec<(PathBuf, Box<dyn FrameSink>)>,
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
    pub fn open(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut sinks: Vec<(PathBuf, Box<dyn FrameSink>)> = Vec::new();
        for path in paths {
            if sinks.iter().all(|(known, _)| known != path) {
                let sink = sink_for(path).map_err(Failure::Output)?;
                sinks.push((path.clone(), sink));
            }
        }
        Ok(Self { sinks })
    }

    /// Writes a frame to all of them.
    pub fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        self.sinks
            .iter_mut()
            .try_for_each(|(_, sink)| sink.write(frame))
    }

    /// Ends all of them, also when one fails; the first error is returned beside what was written.
    pub fn finish(mut self) -> (Vec<Written>, Result<(), IoError>) {
        let (mut written, mut result) = (Vec::new(), Ok(()));
        for (output, sink) in &mut self.sinks {
            match sink.finish() {
                Ok(files) => written.push(Written {
                    output: output.clone(),
                    files,
                }),
                Err(error) => result = result.and(Err(error)),
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
        fs::create_dir_all(folder).map_err(|source| {
            Failure::Output(IoError::CreateFolder {
                path: folder.to_path_buf(),
                source,
            })
        })?;
    }
    AtomicFile::check_writable(path).map_err(Failure::Output)
}
