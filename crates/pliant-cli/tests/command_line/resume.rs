//! A run that was broken off goes on to the same end, bit for bit.

use crate::folder::Folder;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What must be the same whether a run was broken off or not.
const SAME: [&str; 12] = [
    "state_hash",
    "frames",
    "steps",
    "simulated_seconds",
    "energy",
    "momentum",
    "angular_momentum",
    "contacts",
    "contacts_total",
    "smallest_distance",
    "linear_iterations",
    "linear_residual",
];

#[track_caller]
fn assert_same(folder: &Folder, whole: &str, resumed: &str, what: &str) {
    let (whole, resumed) = (folder.json(whole), folder.json(resumed));
    for name in SAME {
        assert_eq!(whole[name], resumed[name], "{what}: {name}");
    }
}

#[test]
fn a_killed_run_goes_on_to_the_same_state() {
    let folder = Folder::with_sheet("killed", r#"timestep="0.01""#);
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    fs::write(folder.path("sheet.xml"), text.replace("[9,9]", "[70,70]")).unwrap();
    folder
        .pliant(&["run", "sheet.xml", "--out", "w.pliant", "--stats", "w.json"])
        .exits(0);
    let frame_bytes = 70 * 70 * 2 * 24;
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(["run", "sheet.xml", "--out", "k.pliant"])
        .current_dir(folder.path(""))
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let has_three_frames = || {
        let length = fs::metadata(folder.path("k.pliant")).map(|file| file.len());
        length.is_ok_and(|length| length > 3 * frame_bytes)
    };
    while !has_three_frames() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--resume",
            "--out",
            "k.pliant",
            "--stats",
            "k.json",
        ])
        .exits(0);
    assert!(ran.err.contains("going on after frame"), "{}", ran.err);
    assert_same(&folder, "w.json", "k.json", "killed");
}

#[test]
fn a_cache_cut_anywhere_is_continued_and_all_outputs_are_whole() {
    let folder = Folder::with_sheet("cut", r#"timestep="0.01""#);
    let outputs = |name: &str| {
        [".pliant", ".gif", ".obj", ".usda"].map(|extension| format!("{name}{extension}"))
    };
    let run = |name: &str, more: &[&str]| {
        let outputs = outputs(name);
        let stats = format!("{name}.json");
        let mut arguments = vec!["run", "sheet.xml", "--size", "48x32", "--samples", "1"];
        arguments.extend(["--frames", "5", "--stats", &stats]);
        for output in &outputs {
            arguments.extend(["--out", output]);
        }
        arguments.extend(more);
        folder.pliant(&arguments)
    };
    run("w", &[]).exits(0);
    let cache = fs::read(folder.path("w.pliant")).unwrap();
    let film = fs::read(folder.path("w.gif")).unwrap();
    // In the header, in the first frame, in the others, at the very end.
    let lengths = [
        3000,
        5000,
        9000,
        cache.len() / 2,
        cache.len() - 1,
        cache.len(),
    ];
    for length in lengths {
        for output in outputs("r") {
            let _ = fs::remove_file(folder.path(&output));
        }
        fs::write(folder.path("r.pliant"), &cache[..length]).unwrap();
        run("r", &["--resume"]).exits(0);
        let what = format!("cut at {length} of {}", cache.len());
        assert_same(&folder, "w.json", "r.json", &what);
        assert!(fs::read(folder.path("r.gif")).unwrap() == film, "{what}");
        assert!(folder.path("r_00004.obj").exists(), "{what}");
        let named = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
        assert_eq!(named("r.usda"), named("w.usda"), "{what}");
    }
}

#[test]
fn a_run_can_be_made_longer_but_not_shorter() {
    let folder = Folder::with_sheet("longer", r#"timestep="0.01""#);
    let run = |more: &[&str]| {
        let run = ["run", "sheet.xml", "--out", "r.pliant", "--stats", "s.json"];
        folder.pliant(&[&run, more].concat())
    };
    run(&["--frames", "9"]).exits(0);
    fs::rename(folder.path("s.json"), folder.path("w.json")).unwrap();
    run(&["--frames", "3"]).exits(0);
    run(&["--resume", "--frames", "9"]).exits(0);
    assert_same(&folder, "w.json", "s.json", "longer");
    run(&["--resume", "--frames", "5"])
        .exits(2)
        .complains_of("holds 9 frames already");
    // Without a wish it ends where the first call wanted to, which is behind it.
    run(&["--resume"]).exits(0);
    assert_same(&folder, "w.json", "s.json", "as long as it is");
}

#[test]
fn another_scene_or_other_values_are_refused_and_the_cache_is_kept() {
    let folder = Folder::with_sheet("other", r#"timestep="0.01""#);
    let run = |more: &[&str]| {
        let run = ["run", "sheet.xml", "--frames", "3", "--out", "r.pliant"];
        folder.pliant(&[&run, more].concat())
    };
    let ran = run(&["--resume"]).exits(0);
    assert!(ran.err.contains("nothing to go on from"), "{}", ran.err);
    let cache = fs::read(folder.path("r.pliant")).unwrap();
    run(&["--resume", "--set", "Gravity.g=[0, 0, -1]"])
        .exits(2)
        .complains_of("other values of --set");
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    fs::write(folder.path("sheet.xml"), text.replace("-9.82", "-1.62")).unwrap();
    run(&["--resume"])
        .exits(2)
        .complains_of("is not the one that was simulated");
    assert_eq!(fs::read(folder.path("r.pliant")).unwrap(), cache);
    fs::write(folder.path("r.pliant"), "something else").unwrap();
    run(&["--resume"]).exits(2).complains_of("not a cache");
}

#[test]
fn a_run_that_failed_stays_failed() {
    let folder = Folder::with_sheet(
        "failed",
        r#"timestep="0.5" energy="AsPrinted" shortest="0.9""#,
    );
    let run = |more: &[&str]| {
        let run = [
            "run",
            "sheet.xml",
            "--seconds",
            "500",
            "--set",
            "Cloth.tension=[[1e4, 1e4], [1e4, 1e4]]",
            "--out",
            "r.pliant",
            "--stats",
        ];
        folder.pliant(&[&run, more].concat()).exits(1)
    };
    run(&["w.json"]);
    run(&["r.json", "--resume"]).complains_of("frozen at");
    assert_same(&folder, "w.json", "r.json", "failed");
}
