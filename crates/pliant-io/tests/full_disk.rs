//! A disk that is full: the error names the file, and nothing half-written stands under a name.
#![cfg(target_os = "linux")]

mod frames;

use frames::{folder, frame};
use pliant_io::{FrameSink, IoError, sink_for};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the folder in the process that may not write large files.
const FOLDER: &str = "PLIANT_TEST_FULL_DISK";

const EXTENSIONS: [&str; 7] = ["vtu", "obj", "ply", "stl", "usda", "glb", "pc2"];

/// Writes three frames or fails.
fn write(sink: &mut dyn FrameSink) -> Result<Vec<PathBuf>, IoError> {
    for number in 0..3 {
        sink.write(&frame(number))?;
    }
    sink.finish()
}

fn check(error: &IoError, folder: &Path, extension: &str) {
    let IoError::Write { path, .. } = error else {
        panic!("{extension}: {error}");
    };
    assert!(path.starts_with(folder), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()));
}

/// A device that refuses every byte stands where the file is to be.
#[test]
fn a_full_device_is_reported_by_name() {
    let folder = folder("full-device");
    for (extension, file) in [
        ("usda", "a.usda"),
        ("glb", "a.glb"),
        ("stl", "a.stl"),
        ("pc2", "a_tube.pc2"),
        ("ply", "a_00000.ply"),
        ("vtu", "a_00000.vtu"),
        ("obj", "a_00000.obj"),
    ] {
        std::os::unix::fs::symlink("/dev/full", folder.join(file)).unwrap();
        let mut sink = sink_for(&folder.join("a").with_extension(extension)).unwrap();
        let error = write(&mut *sink).unwrap_err();
        check(&error, &folder, extension);
        assert!(error.to_string().contains(file), "{error}");
        fs::remove_file(folder.join(file)).unwrap();
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Runs this very test in a process whose files may hold no more than 512 bytes.
#[test]
fn a_full_disk_leaves_nothing_half_written() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return fill(Path::new(&folder));
    }
    let folder = folder("full-disk");
    for extension in EXTENSIONS {
        let whole = folder.join("whole").join(extension).join("a");
        write(&mut *sink_for(&whole.with_extension(extension)).unwrap()).unwrap();
    }
    let shell = "ulimit -f 1 && trap '' XFSZ && exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", shell, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "a_full_disk_leaves_nothing_half_written"])
        .args(["--nocapture", "--test-threads=1"])
        .env(FOLDER, &folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(text.contains("1 passed"), "{text}");
    fs::remove_dir_all(folder).unwrap();
}

/// The part in the process with little room.
fn fill(folder: &Path) {
    for extension in EXTENSIONS {
        let inside = folder.join(extension);
        let mut sink = sink_for(&inside.join("a").with_extension(extension)).unwrap();
        let error = write(&mut *sink).unwrap_err();
        check(&error, &inside, extension);
        drop(sink);
        // What was complete before the disk was full may stay.
        for entry in fs::read_dir(&inside).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            let whole = fs::read(folder.join("whole").join(extension).join(name));
            let whole = whole.unwrap_or_else(|_| panic!("{} was left", path.display()));
            assert!(fs::read(&path).unwrap() == whole, "{}", path.display());
        }
    }
}
