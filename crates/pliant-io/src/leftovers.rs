//! Temporary files of programs that were killed.
//!
//! A temporary file has the number of its process in its name (`.flag.mp4.4711-0.part`) and is
//! locked as long as that process has it open. One that is not locked belongs to nobody.

use std::fs::{self, File};
use std::path::Path;

/// Marks an open temporary file as in use.
pub(crate) fn claim(file: &File) {
    // Locks of Windows keep the file from being renamed; without one, nothing is ever removed.
    if !cfg!(windows) {
        // A file system without locks has no leftovers removed.
        let _ = file.try_lock();
    }
}

/// Removes the temporary files in a folder that no process has open. What cannot be removed stays:
/// it is in nobody's way.
pub(crate) fn remove(folder: &Path) {
    if cfg!(windows) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(process_of);
        let is_ours = process.is_none_or(|process| process == std::process::id());
        if is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let file = File::options().write(true).open(entry.path());
        if file.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process in the name of a temporary file; `None` for all other files.
fn process_of(name: &str) -> Option<u32> {
    let inner = name.strip_prefix('.')?;
    let inner = inner
        .strip_suffix(".part")
        .or_else(|| inner.strip_suffix(".spool"))?;
    let (before, count) = inner.rsplit_once('-')?;
    let digits = before.rfind(|c: char| !c.is_ascii_digit())?;
    let is_separated = before[digits..].starts_with(['.', '-']);
    let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    let process = before[digits + 1..].parse().ok()?;
    (is_separated && is_count).then_some(process)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AtomicFile;

    #[test]
    fn names_of_temporary_files_are_told_from_others() {
        assert_eq!(process_of(".flag.mp4.4711-0.part"), Some(4711));
        assert_eq!(process_of(".pliant-12-3.spool"), Some(12));
        for other in [
            "flag.mp4.4711-0.part",
            ".flag.part",
            ".a-1.part",
            ".x4711-0.part",
            ".notes.txt",
        ] {
            assert_eq!(process_of(other), None, "{other}");
        }
    }

    #[cfg(not(windows))]
    #[test]
    fn what_a_dead_process_left_is_removed_and_what_is_open_stays() {
        let folder = std::env::temp_dir().join(format!("pliant-left-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = |name: &str| folder.join(name);
        for name in [".a.mp4.1-0.part", ".b.mp4.1-0.part", ".keep.part"] {
            fs::write(path(name), "").unwrap();
        }
        let open = File::create(path(".b.mp4.1-0.part")).unwrap();
        claim(&open);
        AtomicFile::check_writable(&path("a.mp4")).unwrap();
        assert!(!path(".a.mp4.1-0.part").exists());
        assert!(path(".b.mp4.1-0.part").exists() && path(".keep.part").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
