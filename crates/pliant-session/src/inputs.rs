//! Which files a scene was made from, each with a checksum, so that a change is noticed.

use pliant_io::cache::{InputFile, checksum};
use pliant_io::{AssetError, Assets};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that a scene was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it was found.
    pub path: PathBuf,
    /// What the scene calls it, and its checksum.
    pub file: InputFile,
}

/// Hands files on and remembers which ones.
#[derive(Debug)]
pub(crate) struct WatchedAssets {
    assets: Arc<dyn Assets + Send + Sync>,
    /// By full name: what the scene calls it, and the checksum of those that were read.
    seen: Mutex<BTreeMap<String, (String, Option<u64>)>>,
}

impl WatchedAssets {
    pub(crate) fn new(assets: Arc<dyn Assets + Send + Sync>) -> Self {
        Self {
            assets,
            seen: Mutex::default(),
        }
    }

    /// All files that were read or found so far. One that cannot be read any more has the checksum
    /// of no bytes.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        let input = |(full, (name, sum)): (&String, &(String, Option<u64>))| Input {
            path: PathBuf::from(full),
            file: InputFile {
                name: name.clone(),
                checksum: sum
                    .unwrap_or_else(|| checksum(&self.assets.read(full).unwrap_or_default())),
            },
        };
        self.seen().iter().map(input).collect()
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, (String, Option<u64>)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Assets for WatchedAssets {
    fn locate(&self, name: &str) -> Result<String, AssetError> {
        let found = self.assets.locate(name)?;
        let unread = || (name.to_owned(), None);
        self.seen().entry(found.clone()).or_insert_with(unread);
        Ok(found)
    }

    fn read(&self, full_name: &str) -> Result<Vec<u8>, AssetError> {
        let bytes = self.assets.read(full_name)?;
        let mut seen = self.seen();
        let name = match seen.get(full_name) {
            Some((name, _)) => name.clone(),
            None => name_beside(&seen, full_name),
        };
        seen.insert(full_name.to_owned(), (name, Some(checksum(&bytes))));
        Ok(bytes)
    }
}

/// How a scene would call a file that belongs to one that it names: by the way from that one.
fn name_beside(seen: &BTreeMap<String, (String, Option<u64>)>, full_name: &str) -> String {
    let beside = seen.iter().find_map(|(full, (name, _))| {
        let rest = Path::new(full_name).strip_prefix(Path::new(full).parent()?);
        Some(Path::new(name).parent()?.join(rest.ok()?))
    });
    beside.map_or_else(
        || full_name.to_owned(),
        |name| name.to_string_lossy().replace('\\', "/"),
    )
}

/// The files that are not what they were, with what has become of them.
pub fn changed_files(then: &[InputFile], now: &[InputFile]) -> Vec<String> {
    let mut changes = Vec::new();
    for old in then {
        match now.iter().find(|new| new.name == old.name) {
            None => changes.push(format!("`{}` is not used any more", old.name)),
            Some(new) if new.checksum != old.checksum => {
                changes.push(format!("`{}` has changed", new.name));
            }
            Some(_) => {}
        }
    }
    for new in now {
        if !then.iter().any(|old| old.name == new.name) {
            changes.push(format!("`{}` was not used then", new.name));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_io::MemoryAssets;

    fn file(name: &str, checksum: u64) -> InputFile {
        InputFile {
            name: name.to_owned(),
            checksum,
        }
    }

    #[test]
    fn files_that_were_read_or_found_are_remembered() {
        let files = MemoryAssets::default()
            .with("m/a.node", b"a".to_vec())
            .with("m/a.ele", b"e".to_vec())
            .with("b.png", b"b".to_vec())
            .with("c.png", b"c".to_vec());
        let watched = WatchedAssets::new(Arc::new(files));
        watched.locate("m/a.node").unwrap();
        watched.read("m/a.node").unwrap();
        watched.read("m/a.ele").unwrap();
        watched.locate("b.png").unwrap();
        assert!(watched.locate("d.png").is_err());
        let inputs = watched.inputs();
        let files: Vec<InputFile> = inputs.into_iter().map(|input| input.file).collect();
        let expected = [("b.png", b"b"), ("m/a.ele", b"e"), ("m/a.node", b"a")];
        assert_eq!(
            files,
            expected.map(|(name, bytes)| file(name, checksum(bytes)))
        );
    }

    #[test]
    fn a_file_that_comes_with_another_is_named_as_the_scene_would() {
        let seen = BTreeMap::from([("/x/m/a.node".to_owned(), ("m/a.node".to_owned(), None))]);
        assert_eq!(name_beside(&seen, "/x/m/a.ele"), "m/a.ele");
        assert_eq!(name_beside(&seen, "/x/m/parts/b.veg"), "m/parts/b.veg");
        assert_eq!(name_beside(&seen, "/y/b.veg"), "/y/b.veg");
    }

    #[test]
    fn changes_are_named() {
        let then = [file("a.obj", 1), file("b.png", 2), file("c.png", 3)];
        let now = [file("a.obj", 1), file("b.png", 7), file("d.png", 3)];
        assert_eq!(
            changed_files(&then, &now),
            [
                "`b.png` has changed",
                "`c.png` is not used any more",
                "`d.png` was not used then"
            ]
        );
        assert!(changed_files(&then, &then).is_empty());
    }
}
