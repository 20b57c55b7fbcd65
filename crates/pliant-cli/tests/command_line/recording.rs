//! A recording of the viewer is played by `pliant run`, to the bit.

use crate::folder::Folder;
use glam::DVec3;
use pliant::Workspace;
use pliant::command::{Command, CommandForce, Stamped};
use pliant_session::{Source, commands_to_json, with_value};
use serde_json::{Value, json};

/// A recording of 25 steps with a pull, as the viewer writes it.
fn recording(folder: &Folder) -> Value {
    let scene = folder.path("sheet.xml");
    let mut source = Source::load(&scene.to_string_lossy(), &[], None).unwrap();
    let pull = Command::AddForce {
        handle: 1,
        body: 0,
        node: Some(40),
        force: CommandForce::Spring {
            target: DVec3::new(0.3, 0.4, 2.0),
            constant: 30.0,
        },
    };
    let commands = [
        Stamped {
            step: 5,
            time: 0.0,
            command: pull,
        },
        Stamped {
            step: 15,
            time: 0.0,
            command: Command::RemoveForce { handle: 1 },
        },
    ];
    source.world.replay(&commands).unwrap();
    let mut workspace = Workspace::new(&source.world);
    for _ in 0..25 {
        source.world.step(&mut workspace);
    }
    let commands: Value = serde_json::from_str(&commands_to_json(&commands)).unwrap();
    json!({
        "pliant_recording": 1,
        "scene": "sheet",
        "file": "sheet.xml",
        "folder": "",
        "set": [],
        "steps": 25,
        "state_hash": format!("{:016x}", source.world.state_hash()),
        "changes": [],
        "commands": commands,
        "text": source.text,
    })
}

fn save(folder: &Folder, recording: &Value) {
    std::fs::write(folder.path("own.json"), recording.to_string()).unwrap();
}

#[test]
fn a_recording_is_played_to_its_end_and_to_its_state() {
    let folder = Folder::with_sheet("recording", r#"timestep="0.01""#);
    let recording = recording(&folder);
    save(&folder, &recording);
    let run = [
        "run",
        "own.json",
        "--out",
        "own.pliant",
        "--stats",
        "own-stats.json",
    ];
    folder.pliant(&run).exits(0);
    let statistics = folder.json("own-stats.json");
    assert_eq!(statistics["steps"], json!(25));
    assert_eq!(statistics["state_hash"], recording["state_hash"]);
    // Without the pull it would be another state.
    let plain = [
        "run",
        "sheet.xml",
        "--seconds",
        "0.25",
        "--out",
        "p.pliant",
        "--stats",
        "p.json",
    ];
    folder.pliant(&plain).exits(0);
    assert_ne!(folder.json("p.json")["state_hash"], recording["state_hash"]);
}

/// Where the element `Properties` of gravity is in the scene.
const GRAVITY: [usize; 3] = [2, 0, 0];

/// A recording of 25 steps in which gravity turns round before step 10, while a pull is there.
fn changed_recording(folder: &Folder) -> Value {
    let mut recording = recording(folder);
    let text = recording["text"].as_str().unwrap().to_owned();
    let changed = with_value(&text, &GRAVITY, "g", "[0, 0, 3]").unwrap();
    assert!(changed.contains("[0, 0, 3]"));
    let load = |text: &str| {
        let [name, file] = ["sheet", "sheet.xml"].map(str::to_owned);
        Source::from_text(name, file, text.to_owned(), "".into(), &[], None).unwrap()
    };
    let commands = pliant_session::commands_from_json(&recording["commands"].to_string()).unwrap();
    let mut world = load(&text).world;
    world.replay(&commands[..1]).unwrap();
    let mut workspace = Workspace::new(&world);
    for _ in 0..10 {
        world.step(&mut workspace);
    }
    let mut later = load(&changed).world;
    later.restore(&world.snapshot()).unwrap();
    later.replay(&commands[1..]).unwrap();
    let mut workspace = Workspace::new(&later);
    for _ in 10..25 {
        later.step(&mut workspace);
    }
    recording["changes"] = json!([
        {"step": 10, "order": 1, "path": GRAVITY, "attribute": "g", "value": "[0, 0, 3]"}
    ]);
    recording["state_hash"] = json!(format!("{:016x}", later.state_hash()));
    recording
}

#[test]
fn a_recording_that_changes_the_scene_is_played_to_its_state() {
    let folder = Folder::with_sheet("recording-changed", r#"timestep="0.01""#);
    let recording = changed_recording(&folder);
    assert_ne!(
        recording["state_hash"],
        self::recording(&folder)["state_hash"]
    );
    save(&folder, &recording);
    let run = [
        "run",
        "own.json",
        "--out",
        "own.png",
        "--stats",
        "own-stats.json",
    ];
    folder.pliant(&run).exits(0);
    let statistics = folder.json("own-stats.json");
    assert_eq!(statistics["steps"], json!(25));
    assert_eq!(statistics["state_hash"], recording["state_hash"]);
    // A cache could not be read: it has one scene.
    folder
        .pliant(&["run", "own.json", "--out", "own.pliant"])
        .exits(2)
        .complains_of("changes the scene at step 10");
    assert!(!folder.path("own.pliant").exists());
    // A change that makes no sense is refused with its step.
    let mut wrong = recording.clone();
    wrong["changes"][0]["value"] = json!("up");
    save(&folder, &wrong);
    folder
        .pliant(&["run", "own.json", "--out", "other.png"])
        .exits(2)
        .complains_of("the recording at step 10");
}

#[test]
fn a_recording_that_ends_elsewhere_or_is_none_is_refused() {
    let folder = Folder::with_sheet("recording-wrong", r#"timestep="0.01""#);
    let good = recording(&folder);
    let mut other = good.clone();
    other["state_hash"] = json!("0123456789abcdef");
    save(&folder, &other);
    let run = ["run", "own.json", "--out", "own.pliant"];
    folder
        .pliant(&run)
        .exits(1)
        .complains_of("another state than the recording");
    save(&folder, &json!({"pliant_recording": 2}));
    folder.pliant(&run).exits(2).complains_of("own.json");
    folder
        .pliant(&["run", "own.json", "--resume", "--out", "own.pliant"])
        .exits(2)
        .complains_of("--resume");
}
