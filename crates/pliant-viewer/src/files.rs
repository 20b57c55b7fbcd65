//! Files that came along with a scene, such as those that were dropped on a page with it.

use pliant_io::{AssetError, Assets};
use std::collections::BTreeMap;

/// Files in memory. A browser tells the names of files without their folders, so that a scene that
/// names `meshes/a.obj` gets the file `a.obj`.
#[derive(Clone, Debug, Default)]
pub struct FilesAtHand(BTreeMap<String, Vec<u8>>);

impl FilesAtHand {
    /// With names and contents.
    pub fn new(files: &[(String, Vec<u8>)]) -> Self {
        let named =
            |(name, content): &(String, Vec<u8>)| (last_part(name).to_owned(), content.clone());
        Self(files.iter().map(named).collect())
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

impl Assets for FilesAtHand {
    fn locate(&self, name: &str) -> Result<String, AssetError> {
        match self.0.contains_key(last_part(name)) {
            true => Ok(name.to_owned()),
            false => Err(AssetError::Missing),
        }
    }

    fn read(&self, full_name: &str) -> Result<Vec<u8>, AssetError> {
        let found = self.0.get(last_part(full_name));
        found.cloned().ok_or(AssetError::Missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_its_name_whatever_its_folder() {
        let files = FilesAtHand::new(&[("a.obj".to_owned(), b"v 0 0 0".to_vec())]);
        let full = files.locate("meshes/a.obj").unwrap();
        assert_eq!(files.read(&full).unwrap(), b"v 0 0 0");
        assert!(matches!(files.locate("b.obj"), Err(AssetError::Missing)));
    }
}
