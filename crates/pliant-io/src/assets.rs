//! Where the files that a scene names come from: meshes, pictures, textures.
//!
//! Everything that loads a scene reads through [`Assets`], so that a program without a file system,
//! such as one in a browser, can serve the files itself.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Why a file that a scene names cannot be had. The text is the rest of a sentence that begins with
/// the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    /// There is no such file.
    #[error("is not there")]
    Missing,
    /// The name is that of a folder.
    #[error("is a folder, and a file is needed")]
    IsFolder,
    /// The name is that of a pipe, a socket or a device.
    #[error("is a pipe or a device, and a regular file is needed")]
    NotAFile,
    /// The operating system does not give the file.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
}

impl From<AssetError> for io::Error {
    fn from(error: AssetError) -> Self {
        match error {
            AssetError::Unreadable(source) => source,
            AssetError::Missing => Self::new(io::ErrorKind::NotFound, "it is not there"),
            other => Self::other(format!("it {other}")),
        }
    }
}

/// A source of files.
pub trait Assets: Debug {
    /// The full name of a file that a scene names.
    fn locate(&self, name: &str) -> Result<String, AssetError>;

    /// The bytes of a file by its full name.
    fn read(&self, full_name: &str) -> Result<Vec<u8>, AssetError>;
}

/// Files of the file system. A name is relative to the folder of the scene or else, as published,
/// to the working folder.
#[derive(Clone, Debug)]
pub struct FolderAssets {
    folder: PathBuf,
}

impl FolderAssets {
    /// Files named by a scene in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }
}

impl Assets for FolderAssets {
    fn locate(&self, name: &str) -> Result<String, AssetError> {
        let mut found = AssetError::Missing;
        for candidate in [self.folder.join(name), PathBuf::from(name)] {
            match regular_file(&candidate) {
                Ok(()) => return Ok(candidate.to_string_lossy().replace('\\', "/")),
                // The first candidate that is there says what is wrong.
                Err(error) if matches!(found, AssetError::Missing) => found = error,
                Err(_) => {}
            }
        }
        Err(found)
    }

    fn read(&self, full_name: &str) -> Result<Vec<u8>, AssetError> {
        let path = Path::new(full_name);
        // Reading a pipe or a device might never end.
        regular_file(path)?;
        Ok(fs::read(path)?)
    }
}

fn regular_file(path: &Path) -> Result<(), AssetError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(metadata) if metadata.is_dir() => Err(AssetError::IsFolder),
        Ok(_) => Err(AssetError::NotAFile),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Err(AssetError::Missing),
            _ => Err(AssetError::Unreadable(error)),
        },
    }
}

/// Files in memory, by the names that scenes give them.
///
/// ```
/// use pliant_io::{Assets, MemoryAssets};
/// let assets = MemoryAssets::default().with("meshes/a.obj", b"v 0 0 0".to_vec());
/// assert_eq!(assets.read(&assets.locate("meshes/a.obj")?)?, b"v 0 0 0");
/// assert!(assets.locate("b.obj").is_err());
/// # Ok::<(), pliant_io::AssetError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryAssets {
    files: BTreeMap<String, Vec<u8>>,
}

impl MemoryAssets {
    /// The same with one more file.
    pub fn with(mut self, name: impl Into<String>, content: Vec<u8>) -> Self {
        self.files.insert(name.into(), content);
        self
    }
}

impl Assets for MemoryAssets {
    fn locate(&self, name: &str) -> Result<String, AssetError> {
        match self.files.contains_key(name) {
            true => Ok(name.to_owned()),
            false => Err(AssetError::Missing),
        }
    }

    fn read(&self, full_name: &str) -> Result<Vec<u8>, AssetError> {
        self.files
            .get(full_name)
            .cloned()
            .ok_or(AssetError::Missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_beside_the_scene_and_others_are_named_for_what_they_are() {
        let folder = std::env::temp_dir().join(format!("pliant-assets-{}", std::process::id()));
        fs::create_dir_all(folder.join("folder.obj")).unwrap();
        fs::write(folder.join("a.obj"), "v").unwrap();
        let assets = FolderAssets::new(&folder);
        let full = assets.locate("a.obj").unwrap();
        assert_eq!(assets.read(&full).unwrap(), b"v");
        assert!(matches!(
            assets.locate("folder.obj"),
            Err(AssetError::IsFolder)
        ));
        assert!(matches!(assets.locate("b.obj"), Err(AssetError::Missing)));
        assert!(matches!(
            assets.locate("a.obj/b.obj"),
            Err(AssetError::Missing)
        ));
        if cfg!(unix) {
            let null = assets.locate("/dev/null").unwrap_err();
            assert!(matches!(null, AssetError::NotAFile));
            assert!(assets.read("/dev/null").is_err());
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
