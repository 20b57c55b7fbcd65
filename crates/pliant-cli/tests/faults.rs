//! Faults at random moments: the program is killed, the disk is full, bits of a cache turn over, two
//! programs write to one cache. Whatever happens, frames are right or named as lost, and a run that
//! goes on ends in the same state, to the bit.
//!
//! A few rounds of each in every run of the tests; `PLIANT_FAULTS=full` makes it hundreds,
//! `PLIANT_FAULTS_SEED` chooses others.

#![cfg(unix)]

#[path = "command_line/folder.rs"]
#[allow(dead_code)]
mod folder;

use folder::Folder;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Frames of the run.
const FRAMES: usize = 13;

/// SplitMix64.
struct Random(u64);

impl Random {
    /// For one of the tests.
    fn new(test: u64) -> Self {
        let seed = std::env::var("PLIANT_FAULTS_SEED").ok();
        let seed: u64 = seed.and_then(|text| text.parse().ok()).unwrap_or(1);
        Self(seed.wrapping_mul(1_000_003) ^ test)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

/// Rounds of a test.
fn rounds(short: usize) -> usize {
    match std::env::var("PLIANT_FAULTS").as_deref() {
        Ok("full") => 30 * short,
        _ => short,
    }
}

/// A folder with a whole run, `w.pliant`, and its hash.
fn simulated(name: &str, nodes: usize) -> (Folder, String) {
    let folder = Folder::with_sheet(name, r#"timestep="0.01""#);
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    let text = text.replace("[9,9]", &format!("[{nodes},{nodes}]"));
    fs::write(folder.path("sheet.xml"), text).unwrap();
    folder
        .pliant(&["run", "sheet.xml", "--out", "w.pliant", "--stats", "w.json"])
        .exits(0);
    let hash = hash(&folder, "w.json");
    (folder, hash)
}

fn hash(folder: &Folder, name: &str) -> String {
    let stats = folder.json(name);
    assert_eq!(stats["frames"], FRAMES);
    stats["state_hash"].to_string()
}

fn start(folder: &Folder, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Goes on with `r.pliant` to its end; the state must be that of the whole run.
fn goes_on(folder: &Folder, whole: &str, what: &str) {
    folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--resume",
            "--out",
            "r.pliant",
            "--stats",
            "r.json",
        ])
        .exits(0);
    assert_eq!(hash(folder, "r.json"), whole, "{what}");
}

/// All frames of `r.pliant` can be read.
fn is_whole(folder: &Folder, what: &str) {
    let ran = folder
        .pliant(&["render", "r.pliant", "--out", "x.obj"])
        .exits(0);
    assert!(!ran.err.contains("lost"), "{what}: {}", ran.err);
    let objects = |name: &String| name.ends_with(".obj");
    assert_eq!(
        folder.files("").into_iter().filter(objects).count(),
        FRAMES,
        "{what}"
    );
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_in_the_same_state() {
    let (folder, whole) = simulated("faults-kill", 40);
    let mut random = Random::new(1);
    let (mut kills, wanted) = (0, rounds(8));
    while kills < wanted {
        let _ = fs::remove_file(folder.path("r.pliant"));
        // A run is killed some times, then left to itself.
        for _ in 0..1 + random.below(4) {
            let mut child = start(
                &folder,
                &["run", "sheet.xml", "--resume", "--out", "r.pliant"],
            );
            std::thread::sleep(Duration::from_millis(random.below(400) as u64));
            let _ = child.kill();
            child.wait().unwrap();
            kills += 1;
        }
        goes_on(&folder, &whole, "after a kill");
        is_whole(&folder, "after a kill");
    }
}

#[test]
fn a_disk_that_is_full_at_any_moment_costs_no_frame_that_was_written() {
    let (folder, whole) = simulated("faults-disk", 9);
    let mut random = Random::new(2);
    let length = fs::metadata(folder.path("w.pliant")).unwrap().len() as usize;
    for round in 0..rounds(6) {
        let _ = fs::remove_file(folder.path("r.pliant"));
        let blocks = random.below(length / 512 + 4);
        let what = format!("round {round}, {blocks} blocks");
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec {} run sheet.xml --out r.pliant --out f.gif --size \
             64x48 --samples 1",
            env!("CARGO_BIN_EXE_pliant")
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!message.contains("panicked"), "{what}: {message}");
        match output.status.code() {
            Some(0) => assert!(folder.path("f.gif").exists(), "{what}"),
            // Not even the beginning of the cache fitted in: found out before the simulation.
            Some(1 | 2) => assert!(message.contains("cannot write"), "{what}: {message}"),
            code => panic!("{what}: {code:?}: {message}"),
        }
        if let Ok(film) = fs::read(folder.path("f.gif")) {
            assert!(
                film.starts_with(b"GIF89a") && film.ends_with(b";"),
                "{what}"
            );
            fs::remove_file(folder.path("f.gif")).unwrap();
        }
        goes_on(&folder, &whole, &what);
        is_whole(&folder, &what);
        let left = folder.files("");
        assert!(!left.iter().any(|name| name.contains(".part")), "{left:?}");
    }
}

#[test]
fn damage_is_never_taken_for_frames() {
    let (folder, whole) = simulated("faults-bits", 9);
    let bytes = fs::read(folder.path("w.pliant")).unwrap();
    folder
        .pliant(&["render", "w.pliant", "--out", "w.obj"])
        .exits(0);
    let mut random = Random::new(3);
    for round in 0..rounds(12) {
        let mut damaged = bytes.clone();
        let at = random.below(damaged.len());
        let what = match random.below(4) {
            0 => {
                damaged.truncate(at);
                format!("round {round}: cut at {at}")
            }
            1 => {
                let end = (at + 1 + random.below(9_000)).min(damaged.len());
                damaged[at..end].fill(0);
                format!("round {round}: zeros from {at} to {end}")
            }
            2 => {
                let end = (at + 1 + random.below(9_000)).min(damaged.len());
                damaged.drain(at..end);
                // What is missing up to the end is cut off.
                let how = if end == bytes.len() {
                    "cut"
                } else {
                    "taken out"
                };
                format!("round {round}: {at} to {end} is {how}")
            }
            _ => {
                damaged[at] ^= 1 << random.below(8);
                format!("round {round}: a bit of byte {at}")
            }
        };
        fs::write(folder.path("r.pliant"), &damaged).unwrap();
        remove_objects(&folder);
        let ran = folder.pliant(&["render", "r.pliant", "--out", "x.obj"]);
        let written = same_frames(&folder, &what);
        match ran.code() {
            // Nothing is lost, or what is cut off looks like a run that was broken off.
            Some(0) => assert!(
                written == FRAMES || what.contains("cut"),
                "{what}: {}",
                ran.err
            ),
            Some(1) => assert!(ran.err.contains("damaged"), "{what}: {}", ran.err),
            Some(2) => assert_eq!(written, 0, "{what}: {}", ran.err),
            code => panic!("{what}: {code:?} {}", ran.err),
        }
        let resume = [
            "run",
            "sheet.xml",
            "--resume",
            "--out",
            "r.pliant",
            "--stats",
            "r.json",
        ];
        let again = folder.pliant(&resume);
        match again.code() {
            Some(0) => assert_eq!(hash(&folder, "r.json"), whole, "{what}"),
            // What the cache says of itself is damaged: nothing is done to it.
            Some(2) => assert_eq!(
                fs::read(folder.path("r.pliant")).unwrap(),
                damaged,
                "{what}"
            ),
            code => panic!("{what}: {code:?} {}", again.err),
        }
        let _ = fs::remove_file(folder.path("r.damaged.pliant"));
    }
}

fn remove_objects(folder: &Folder) {
    let files = folder.files("").into_iter();
    for name in files.filter(|name| name.starts_with("x_")) {
        fs::remove_file(folder.path(&name)).unwrap();
    }
}

/// Compares the frames that were written with those of the whole run; returns their number.
fn same_frames(folder: &Folder, what: &str) -> usize {
    let files = folder.files("").into_iter();
    let frames: Vec<String> = files
        .filter(|name| name.starts_with("x_") && name.ends_with(".obj"))
        .collect();
    for name in &frames {
        let read = |name: &str| fs::read(folder.path(name)).unwrap();
        let right = read(&name.replacen('x', "w", 1));
        assert!(vertices(&read(name)) == vertices(&right), "{what}: {name}");
    }
    frames.len()
}

/// The lines that hold numbers; others name the file.
fn vertices(object: &[u8]) -> Vec<&[u8]> {
    let lines = object.split(|&byte| byte == b'\n');
    lines.filter(|line| line.starts_with(b"v")).collect()
}

#[test]
fn of_two_runs_on_one_cache_one_is_refused_and_the_cache_is_whole() {
    let (folder, whole) = simulated("faults-two", 30);
    let mut random = Random::new(4);
    for round in 0..rounds(4) {
        let what = format!("round {round}");
        let _ = fs::remove_file(folder.path("r.pliant"));
        let begin = ["run", "sheet.xml", "--out", "r.pliant", "--resume"];
        let mut children: Vec<Child> = (0..2 + random.below(2))
            .map(|_| {
                let child = start(&folder, &begin);
                std::thread::sleep(Duration::from_millis(random.below(60) as u64));
                child
            })
            .collect();
        let codes: Vec<Option<i32>> = children
            .iter_mut()
            .map(|child| child.wait().unwrap().code())
            .collect();
        // One that begins after the end of the first finds it whole and has nothing to do.
        assert!(codes.contains(&Some(0)), "{what}: {codes:?}");
        assert!(
            codes.iter().all(|code| matches!(code, Some(0 | 2))),
            "{what}: {codes:?}"
        );
        goes_on(&folder, &whole, &what);
        is_whole(&folder, &what);
    }
}
