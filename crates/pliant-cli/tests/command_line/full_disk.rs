//! A disk that is full: a clear message, exit code 1, and what was simulated is kept.

#![cfg(unix)]

use crate::folder::Folder;
use std::process::Command;

/// Runs `pliant` where no file may become larger than this many blocks of 512 bytes.
fn limited(folder: &Folder, blocks: usize, arguments: &str) -> (Option<i32>, String) {
    let pliant = env!("CARGO_BIN_EXE_pliant");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {pliant} {arguments}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), message)
}

#[test]
fn a_cache_that_cannot_grow_ends_the_run_and_keeps_its_frames() {
    let folder = Folder::with_sheet("full", r#"timestep="0.01""#);
    folder
        .pliant(&["run", "sheet.xml", "--out", "w.pliant", "--stats", "w.json"])
        .exits(0);
    let (code, message) = limited(&folder, 60, "run sheet.xml --out r.pliant");
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("cannot write r.pliant"), "{message}");
    assert!(message.contains("is kept in r.pliant"), "{message}");
    // The disk has room again.
    let resume = ["run", "sheet.xml", "--resume", "--out", "r.pliant"];
    let ran = folder
        .pliant(&[&resume[..], &["--stats", "r.json"]].concat())
        .exits(0);
    assert!(ran.err.contains("going on after frame"), "{}", ran.err);
    let hash = |name: &str| folder.json(name)["state_hash"].to_string();
    assert_eq!(hash("r.json"), hash("w.json"));
}

#[test]
fn a_film_that_cannot_grow_leaves_no_half_film() {
    let folder = Folder::with_sheet("full-film", r#"timestep="0.01""#);
    let arguments = "run sheet.xml --size 128x96 --out film.mp4 --out frames/a_#.png";
    let (code, message) = limited(&folder, 2, arguments);
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("cannot write"), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    assert!(!folder.path("film.mp4").exists());
}
