//! What can go wrong when a mesh is read.

use crate::AssetError;
use pliant::mesh::MeshError;
use std::fmt;
use std::path::PathBuf;

/// Where in a file something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text, counted from 1.
    Line(usize),
    /// A byte of a binary file, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(out, "line {line}"),
            Self::Byte(byte) => write!(out, "byte {byte}"),
        }
    }
}

/// Why a mesh could not be read.
#[derive(Debug, thiserror::Error)]
pub enum MeshReadError {
    /// The file cannot be had.
    #[error("the mesh {} {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why it cannot be had.
        source: AssetError,
    },
    /// Neither the extension nor the content says what the file is.
    #[error(
        "cannot tell what kind of mesh {} is: neither its extension nor its first bytes are known; \
         known extensions are {known}",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// The known extensions, as a list to read.
        known: String,
    },
    /// Something else stands where the format asks for a certain thing.
    #[error(
        "{file}, {place}: expected {expected}, found {found}{}",
        after("; ", hint)
    )]
    Malformed {
        /// The file, or the name of the format for data in memory.
        file: String,
        /// Where the unexpected thing begins.
        place: Place,
        /// What the format asks for.
        expected: String,
        /// What stands there.
        found: String,
        /// What might help; may be empty.
        hint: &'static str,
    },
    /// A sound file with something that Pliant has no use for.
    #[error("{file}, {place}: {what} cannot be used{}", after("; ", hint))]
    Unsupported {
        /// The file, or the name of the format for data in memory.
        file: String,
        /// Where it stands.
        place: Place,
        /// What it is.
        what: String,
        /// What might help; may be empty.
        hint: &'static str,
    },
    /// The file was read, but the mesh in it makes no sense.
    #[error("{file}: {source}")]
    Inconsistent {
        /// The file, or the name of the format for data in memory.
        file: String,
        /// What is wrong with the mesh.
        source: MeshError,
    },
    /// A mesh that consists of several files, and only one was given.
    #[error("{file}: {reason}")]
    Incomplete {
        /// The file, or the name of the format for data in memory.
        file: String,
        /// What is missing.
        reason: String,
    },
}

fn after(separator: &str, text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{separator}{text}")
    }
}

/// A fault that does not know yet in which file it is.
#[derive(Debug)]
pub(super) enum Fault {
    Malformed {
        place: Place,
        expected: String,
        found: String,
        hint: &'static str,
    },
    Unsupported {
        place: Place,
        what: String,
        hint: &'static str,
    },
    Inconsistent(MeshError),
}

impl Fault {
    /// Something else was expected.
    pub(super) fn malformed(place: Place, expected: &str, found: impl Into<String>) -> Self {
        Self::Malformed {
            place,
            expected: expected.to_string(),
            found: found.into(),
            hint: "",
        }
    }

    /// The error for the user.
    pub(super) fn in_file(self, file: &str) -> MeshReadError {
        let file = file.to_string();
        match self {
            Self::Malformed {
                place,
                expected,
                found,
                hint,
            } => MeshReadError::Malformed {
                file,
                place,
                expected,
                found,
                hint,
            },
            Self::Unsupported { place, what, hint } => MeshReadError::Unsupported {
                file,
                place,
                what,
                hint,
            },
            Self::Inconsistent(source) => MeshReadError::Inconsistent { file, source },
        }
    }

    /// The same fault with a hint, if it has none yet.
    pub(super) fn or_hint(mut self, new: &'static str) -> Self {
        if let Self::Malformed { hint, .. } | Self::Unsupported { hint, .. } = &mut self
            && hint.is_empty()
        {
            *hint = new;
        }
        self
    }

    /// The same fault somewhere else: for data that were unpacked from another place.
    pub(super) fn at(mut self, new: Place) -> Self {
        if let Self::Malformed { place, .. } | Self::Unsupported { place, .. } = &mut self {
            *place = new;
        }
        self
    }
}
