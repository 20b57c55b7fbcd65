//! Notices when a scene file, or a file that it names, was saved.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What tells two versions of a file apart.
type Mark = Option<(SystemTime, u64)>;

/// Files and how they were when they were last looked at.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    files: Vec<(PathBuf, Mark)>,
}

impl Watch {
    /// Watches files as they are now.
    pub fn new(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let files = files.into_iter().map(|path| {
            let mark = mark(&path);
            (path, mark)
        });
        Self {
            files: files.collect(),
        }
    }

    /// Whether a file was saved since the last look. A file that is gone for a moment, as while an
    /// editor replaces it, has not been saved.
    pub fn look(&mut self) -> bool {
        let mut is_saved = false;
        for (path, known) in &mut self.files {
            let now = mark(path);
            if now.is_some() && now != *known {
                *known = now;
                is_saved = true;
            }
        }
        is_saved
    }
}

fn mark(path: &Path) -> Mark {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_saved_is_noticed_once() {
        let folder = std::env::temp_dir().join(format!("pliant-watch-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("scene.xml");
        fs::write(&path, "a").unwrap();
        let mut watch = Watch::new([path.clone()]);
        assert!(!watch.look());
        fs::write(&path, "another text").unwrap();
        assert!(watch.look());
        assert!(!watch.look());
        fs::remove_file(&path).unwrap();
        assert!(!watch.look());
        fs::write(&path, "back again").unwrap();
        assert!(watch.look());
        fs::remove_dir_all(&folder).unwrap();
    }
}
