//! A recording of the viewer is played by `pliant run`, to the bit.

use crate::folder::Folder;
use glam::DVec3;
use pliant::Workspace;
use pliant::command::{Command, CommandForce, Stamped};
use pliant_session::{Source, commands_to_json};
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

#[test]
fn a_recording_that_ends_elsewhere_or_changes_the_scene_is_refused() {
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
    let mut changed = good.clone();
    changed["changes"] =
        json!([{"step": 3, "order": 0, "path": [0], "attribute": "g", "value": "1"}]);
    save(&folder, &changed);
    folder
        .pliant(&run)
        .exits(2)
        .complains_of("changes the scene at step 3");
    save(&folder, &json!({"pliant_recording": 2}));
    folder.pliant(&run).exits(2).complains_of("own.json");
    folder
        .pliant(&["run", "own.json", "--resume", "--out", "own.pliant"])
        .exits(2)
        .complains_of("--resume");
}
