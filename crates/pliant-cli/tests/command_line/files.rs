//! Nothing is lost: inputs, other outputs, frames of earlier runs.

use crate::folder::Folder;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A scene of a mesh and an object with a texture, both from files.
const MESH_SCENE: &str = r#"<EDMConfig id="Mesh">
  <Simulation duration="0.1" fps="50" />
  <MaterialContainer>
    <Material id="Skin" type="Texture"><Properties file="tex.png" /></Material>
  </MaterialContainer>
  <ExternalForces />
  <RigidObjects>
    <Object id="Ball" type="Sphere"><Properties c="[0, 0, -2]" r="0.5" />
      <Bind type="Material" ref="Skin" /></Object>
  </RigidObjects>
  <DeformableBodies>
    <Body id="Patch" model="Surface" type="Mesh">
      <Properties timestep="0.01" />
      <Mesh file="m.obj" />
      <Elastic young="1e4" density="1000" thickness="0.01" />
    </Body>
  </DeformableBodies>
</EDMConfig>"#;

const PATCH: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

/// A PNG picture of one pixel.
const PIXEL: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\xaeB`\x82";

fn mesh_folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    fs::write(folder.path("mesh.xml"), MESH_SCENE).unwrap();
    fs::write(folder.path("m.obj"), PATCH).unwrap();
    fs::write(folder.path("tex.png"), PIXEL).unwrap();
    folder
}

/// Starts `pliant` in a folder.
fn start(folder: &Folder, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until a file has this length.
fn wait_for(folder: &Folder, name: &str, length: u64) {
    let start = Instant::now();
    let is_there = || fs::metadata(folder.path(name)).is_ok_and(|file| file.len() >= length);
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(60), "{name}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A sheet that takes long enough to be interfered with; about 240 kB per frame.
fn slow_folder(name: &str) -> Folder {
    let folder = Folder::with_sheet(name, r#"timestep="0.01""#);
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    let text = text
        .replace("[9,9]", "[70,70]")
        .replace("duration=\"0.5\"", "duration=\"4\"");
    fs::write(folder.path("sheet.xml"), text).unwrap();
    folder
}

#[test]
fn an_output_is_neither_an_input_nor_another_output() {
    let folder = mesh_folder("collisions");
    #[cfg(unix)]
    std::os::unix::fs::symlink("mesh.xml", folder.path("link.json")).unwrap();
    let refused: &[&[&str]] = &[
        &["--stats", "mesh.xml"],
        &["--stats", "./sub/../mesh.xml"],
        #[cfg(unix)]
        &["--stats", "link.json"],
        &["--out", "m.obj"],
        &["--out", "tex.png"],
        &["--plot", "energy=tex.png"],
        &["--out", "a.png", "--plot", "energy=a.png"],
        &["--out", "a.png", "--stats", "a.png"],
        &["--plot", "energy=a.svg", "--plot", "momentum=a.svg"],
        &["--out", "a.glb", "--stats", "./a.glb"],
    ];
    fs::create_dir(folder.path("sub")).unwrap();
    for arguments in refused {
        let all = [&["run", "mesh.xml"], *arguments].concat();
        let ran = folder.pliant(&all).exits(2);
        let told = ["would overwrite", "would both be written"];
        assert!(
            told.iter().any(|told| ran.err.contains(told)),
            "{}",
            ran.err
        );
    }
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    assert_eq!(read("mesh.xml"), MESH_SCENE.as_bytes());
    assert_eq!(read("m.obj"), PATCH.as_bytes());
    assert_eq!(read("tex.png"), PIXEL);
    // A series that has an input among its numbers.
    fs::rename(folder.path("m.obj"), folder.path("x_00001.obj")).unwrap();
    fs::write(
        folder.path("mesh.xml"),
        MESH_SCENE.replace("m.obj", "x_00001.obj"),
    )
    .unwrap();
    folder
        .pliant(&["run", "mesh.xml", "--out", "x.obj"])
        .exits(2)
        .complains_of("would overwrite a file that the scene names");
    // The cache of a run is an input of `render`, and a scene one of `gallery`.
    folder
        .pliant(&["run", "mesh.xml", "--out", "r.pliant", "--out", "y.obj"])
        .exits(0);
    folder
        .pliant(&["render", "r.pliant", "--out", "tex.png"])
        .exits(2)
        .complains_of("would overwrite a file that the scene names");
    folder
        .pliant(&["gallery", "mesh.xml", "--quick", "--out", "."])
        .exits(2)
        .complains_of("would overwrite the scene");
}

#[test]
fn a_damaged_frame_is_named_and_all_others_are_kept() {
    let folder = Folder::with_sheet("damage", r#"timestep="0.01""#);
    folder
        .pliant(&["run", "sheet.xml", "--out", "r.pliant", "--stats", "w.json"])
        .exits(0);
    let whole = fs::read(folder.path("r.pliant")).unwrap();
    let mut damaged = whole.clone();
    // 13 frames of about 4 kB; this is in one of the first.
    let at = 10_000;
    damaged[at] ^= 1;
    fs::write(folder.path("r.pliant"), &damaged).unwrap();
    let ran = folder
        .pliant(&["render", "r.pliant", "--out", "x.obj"])
        .exits(1)
        .complains_of("1 frame is lost");
    assert!(ran.err.contains("the others were written"), "{}", ran.err);
    let files = folder.files("");
    let frames = files.iter().filter(|name| name.ends_with(".obj")).count();
    assert_eq!(frames, 12, "{files:?}");
    // Going on cuts nothing off.
    folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--resume",
            "--out",
            "r.pliant",
            "--seconds",
            "0.6",
            "--stats",
            "r.json",
        ])
        .exits(0)
        .complains_of("1 frame is lost");
    assert_eq!(folder.json("r.json")["frames"], 16);
    assert!(fs::read(folder.path("r.pliant")).unwrap().len() > whole.len());
    // Damage at the end is cut off, but kept in a copy.
    let mut damaged = whole.clone();
    let last = whole.len() - 200;
    damaged[last] ^= 1;
    fs::write(folder.path("r.pliant"), &damaged).unwrap();
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
        .exits(0)
        .complains_of("a copy of it as it was is kept in r.damaged.pliant");
    assert_eq!(fs::read(folder.path("r.damaged.pliant")).unwrap(), damaged);
    assert_eq!(
        folder.json("r.json")["state_hash"],
        folder.json("w.json")["state_hash"]
    );
}

#[cfg(unix)]
#[test]
fn a_second_run_on_the_same_cache_is_refused() {
    let folder = slow_folder("two");
    let mut first = start(&folder, &["run", "sheet.xml", "--out", "r.pliant"]);
    wait_for(&folder, "r.pliant", 300_000);
    for more in [&[][..], &["--resume"], &["--overwrite"]] {
        let run = ["run", "sheet.xml", "--out", "r.pliant"];
        folder
            .pliant(&[&run, more].concat())
            .exits(2)
            .complains_of("another run is writing to the cache r.pliant");
    }
    first.kill().unwrap();
    first.wait().unwrap();
    folder
        .pliant(&["run", "sheet.xml", "--out", "r.pliant", "--frames", "2"])
        .exits(2)
        .complains_of("--resume goes on from there, --overwrite begins anew");
    folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--overwrite",
            "--out",
            "r.pliant",
            "--frames",
            "2",
        ])
        .exits(0);
    // A run that came to its end is replaced without a question; another file is not.
    let again = ["run", "sheet.xml", "--out", "r.pliant", "--frames", "2"];
    folder.pliant(&again).exits(0);
    fs::write(folder.path("r.pliant"), "my notes").unwrap();
    folder.pliant(&again).exits(2).complains_of("not a cache");
    assert_eq!(fs::read(folder.path("r.pliant")).unwrap(), b"my notes");
}

#[test]
fn a_file_that_changed_since_the_run_is_noticed() {
    let folder = mesh_folder("changed");
    let run = |more: &[&str]| {
        let run = ["run", "mesh.xml", "--out", "r.pliant"];
        folder.pliant(&[&run, more].concat())
    };
    run(&["--seconds", "0.05"]).exits(0);
    run(&["--resume", "--seconds", "0.06"]).exits(0);
    fs::write(folder.path("m.obj"), PATCH.replace("v 1 1 0", "v 1 1 0.1")).unwrap();
    run(&["--resume", "--seconds", "0.1"])
        .exits(2)
        .complains_of("`m.obj` has changed");
    folder
        .pliant(&["render", "r.pliant", "--out", "x.obj"])
        .exits(0)
        .complains_of("warning: since the run, `m.obj` has changed");
    fs::write(folder.path("m.obj"), PATCH).unwrap();
    let mut other = PIXEL.to_vec();
    other.extend(b"more");
    fs::write(folder.path("tex.png"), other).unwrap();
    run(&["--resume", "--seconds", "0.1"])
        .exits(2)
        .complains_of("`tex.png` has changed");
    run(&["--resume", "--accept-changes", "--seconds", "0.1"]).exits(0);
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_closes_its_files_and_goes_on_later() {
    let folder = slow_folder("interrupt");
    let stats = ["--stats", "w.json"];
    let run = ["run", "sheet.xml", "--size", "64x48", "--samples", "1"];
    folder
        .pliant(&[&run[..], &["--out", "w.pliant"], &stats].concat())
        .exits(0);
    for name in ["-INT", "-TERM"] {
        let outputs = ["--out", "r.pliant", "--out", "r.gif", "--overwrite"];
        let _ = fs::remove_file(folder.path("r.pliant"));
        let mut child = start(&folder, &[&run[..], &outputs].concat());
        wait_for(&folder, "r.pliant", 600_000);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        let film = fs::read(folder.path("r.gif")).unwrap();
        assert!(
            film.starts_with(b"GIF89a") && film.ends_with(b";"),
            "{name}"
        );
        fs::remove_file(folder.path("r.gif")).unwrap();
        let left = folder.files("");
        assert!(!left.iter().any(|file| file.starts_with('.')), "{left:?}");
    }
    let resume = ["--resume", "--out", "r.pliant", "--stats", "r.json"];
    folder.pliant(&[&run[..], &resume].concat()).exits(0);
    for name in ["state_hash", "steps", "frames", "energy"] {
        assert_eq!(folder.json("r.json")[name], folder.json("w.json")[name]);
    }
}

#[cfg(unix)]
#[test]
fn a_second_interruption_ends_at_once_and_leaves_nothing_for_long() {
    let folder = slow_folder("twice");
    // One frame takes all steps: nobody wants to wait for it.
    let slow = [
        "--set",
        "Simulation.fps=0.1",
        "--set",
        "Simulation.duration=1000",
    ];
    let run = ["run", "sheet.xml", "--out", "r.gif", "--size", "64x48"];
    let mut child = start(&folder, &[&run[..], &slow].concat());
    std::thread::sleep(Duration::from_millis(1500));
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        child.try_wait().unwrap().is_none(),
        "it waits for its frame"
    );
    let begin = Instant::now();
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(!folder.path("r.gif").exists());
    // What a killed program leaves is removed by the next.
    fs::write(folder.path(".r.gif.1-0.part"), "").unwrap();
    folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--out",
            "r.gif",
            "--frames",
            "2",
            "--size",
            "64x48",
        ])
        .exits(0);
    assert_eq!(folder.files(""), ["r.gif", "sheet.xml"]);
}

#[cfg(unix)]
#[test]
fn a_run_is_stopped_within_a_step_that_takes_long() {
    // Each step has thousands of parts.
    let folder = Folder::with_sheet("within", r#"timestep="1" integrator="Explicit""#);
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    let text = text
        .replace("[9,9]", "[90,90]")
        .replace("duration=\"0.5\"", "duration=\"1000\"")
        .replace(
            "tension=\"[[1, 1], [1, 1]]\"",
            "tension=\"[[2e3, 1], [1, 2e3]]\"",
        );
    fs::write(folder.path("sheet.xml"), text).unwrap();
    let run = ["run", "sheet.xml", "--out", "r.pliant", "--out", "r.obj"];
    let mut child = start(&folder, &run);
    wait_for(&folder, "r.pliant", 300_000);
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // A step takes minutes.
    assert!(begin.elapsed() < Duration::from_secs(30));
    folder
        .pliant(&["render", "r.pliant", "--out", "x.obj"])
        .exits(0);
    let left = folder.files("");
    assert!(left.contains(&"x_00000.obj".to_owned()), "{left:?}");
    assert!(!left.iter().any(|file| file.starts_with('.')), "{left:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_is_full_is_an_error() {
    let folder = Folder::with_sheet("stdout", r#"timestep="0.01""#);
    for arguments in [
        &["scenes"][..],
        &["scenes", "flag"],
        &["check", "sheet.xml"],
        &["run", "sheet.xml", "--frames", "2", "--out", "x.obj"],
        &["bench"],
        &["--help"],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(arguments)
            .current_dir(folder.path(""))
            .stdout(full)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
    }
    assert!(folder.path("x_00001.obj").exists());
}
