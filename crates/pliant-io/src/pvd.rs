//! The `.pvd` list that makes files and times a series for ParaView.

use crate::format::file_name;
use crate::xml::{escape, write_header};
use crate::{AtomicFile, IoError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A list of files with the time of each, rewritten whenever a file is added: a run that is killed
/// leaves a list that can be read.
pub(crate) struct TimeSeries {
    path: PathBuf,
    entries: Vec<(f64, String)>,
}

impl TimeSeries {
    /// A list that will stand at the path.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            entries: Vec::new(),
        }
    }

    /// The path of the list.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Number of files in the list.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds a file of the same folder, without writing the list.
    pub(crate) fn push(&mut self, time: f64, file: &Path) {
        self.entries.push((time, file_name(file)));
    }

    /// Writes the list.
    pub(crate) fn save(&self) -> Result<(), IoError> {
        let mut file = AtomicFile::create(&self.path)?;
        self.write_to(&mut file).map_err(|source| IoError::Write {
            path: self.path.clone(),
            source,
        })?;
        file.commit()
    }

    fn write_to(&self, file: &mut impl Write) -> io::Result<()> {
        write_header(file, "Collection")?;
        writeln!(file, "<Collection>")?;
        for (time, name) in &self.entries {
            let name = escape(name);
            writeln!(
                file,
                "<DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{name}\"/>"
            )?;
        }
        writeln!(file, "</Collection>\n</VTKFile>")
    }
}
