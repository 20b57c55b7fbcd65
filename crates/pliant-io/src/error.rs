//! What can go wrong when frames are written.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Makes a folder with all that it is in, if it is not there yet.
pub fn create_folder(path: &Path) -> Result<(), IoError> {
    fs::create_dir_all(path).map_err(|source| {
        // The operating system does not say what is in the way.
        let in_the_way = path
            .ancestors()
            .find(|part| part.exists() && !part.is_dir());
        match in_the_way {
            Some(part) => IoError::IsFile {
                path: part.to_path_buf(),
            },
            None => IoError::CreateFolder {
                path: path.to_path_buf(),
                source,
            },
        }
    })
}

/// Why frames could not be written.
#[derive(Debug, thiserror::Error)]
pub enum IoError {
    /// A folder could not be made.
    #[error("cannot create the folder {}: {source}", path.display())]
    CreateFolder {
        /// The folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file, by its final name.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A folder is needed where a file stands.
    #[error("{} is a file, and a folder is needed there: give another name", path.display())]
    IsFile {
        /// The file in the way.
        path: PathBuf,
    },
    /// A file is needed where a folder stands.
    #[error("{} is a folder, and a file is to be written there", path.display())]
    IsFolder {
        /// The folder in the way.
        path: PathBuf,
    },
    /// A path that no file can have.
    #[error("'{}' cannot be written to: {reason}", path.display())]
    InvalidPath {
        /// The path as given.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An extension that no format has.
    #[error(
        "cannot tell what to write to {}: '.{extension}' is not a known extension{}; known are \
         {known}; a name without extension, or one that ends with '/', is a folder for VTU and OBJ",
        path.display(),
        hint.as_ref().map(|near| format!(" (did you mean '.{near}'?)")).unwrap_or_default()
    )]
    UnknownFormat {
        /// The path as given.
        path: PathBuf,
        /// Its extension, without the dot.
        extension: String,
        /// The known extensions, as a list to read.
        known: String,
        /// The known extension nearest to the given one, if one is near.
        hint: Option<String>,
    },
    /// More than a file of the format can hold.
    #[error("{} would be larger than {limit}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit, in words.
        limit: &'static str,
    },
    /// Frames that a format has no words for.
    #[error("nothing can be written to {}: {reason}", path.display())]
    NothingToWrite {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// A number that is infinite or not a number.
    #[error("frame {frame}: the {quantity} of '{owner}' at index {index} is not finite")]
    NonFinite {
        /// Number of the frame.
        frame: usize,
        /// Name of the body or obstacle, or "frame".
        owner: String,
        /// Which quantity.
        quantity: &'static str,
        /// Index of the node or vertex.
        index: usize,
    },
    /// A frame whose parts contradict each other.
    #[error("frame {frame}: '{owner}' is inconsistent: {reason}")]
    Inconsistent {
        /// Number of the frame.
        frame: usize,
        /// Name of the body or obstacle.
        owner: String,
        /// What does not fit.
        reason: String,
    },
}
