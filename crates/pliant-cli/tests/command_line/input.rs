//! Wrong input: exit code 2, a message that helps, no panic, nothing half-written.

use crate::folder::Folder;
use std::fs;

#[test]
fn unknown_names_get_the_nearest_known_one() {
    let folder = Folder::new("names");
    folder
        .pliant(&["run", "flga"])
        .exits(2)
        .complains_of("did you mean `flag`?");
    folder
        .pliant(&["run", "antarctica"])
        .exits(2)
        .complains_of("pliant scenes");
    folder
        .pliant(&["scenes", "flagg"])
        .exits(2)
        .complains_of("`flag`");
    folder
        .pliant(&["bench", "table-51"])
        .exits(2)
        .complains_of("table-5.1");
    assert!(folder.files("").is_empty());
}

#[test]
fn unreadable_scenes_are_refused() {
    let folder = Folder::new("unreadable");
    fs::create_dir(folder.path("folder.xml")).unwrap();
    fs::write(folder.path("empty.xml"), "").unwrap();
    fs::write(folder.path("binary.xml"), [0, 159, 146, 150, 0, 7]).unwrap();
    fs::write(folder.path("text.xml"), "this is no scene").unwrap();
    let cases = [
        ("missing.xml", "cannot read"),
        ("folder.xml", "directory"),
        ("empty.xml", "empty"),
        ("binary.xml", "binary"),
        ("text.xml", "text.xml:1:1"),
    ];
    for (name, message) in cases {
        for command in ["run", "check"] {
            folder
                .pliant(&[command, name, "--set", "A.b=c"])
                .exits(2)
                .complains_of(message);
        }
    }
    assert!(!folder.path("out").exists());
}

#[test]
fn options_are_checked() {
    let folder = Folder::with_sheet("options", r#"timestep="0.01""#);
    for wrong in [
        vec![],
        vec!["--frames", "0"],
        vec!["--seconds", "-1"],
        vec!["--threads", "0"],
        vec!["--set", "nonsense"],
        vec!["--out"],
        vec!["--unknown"],
        vec!["--size", "0x100"],
        vec!["--size", "100x9000"],
        vec!["--size", "large"],
        vec!["--style", "shady"],
        vec!["--field", "smell"],
        vec!["--camera", "1,2"],
        vec!["--samples", "3"],
        vec!["--fps", "0"],
        vec!["--strobe", "1"],
        vec!["--frame", "13"],
        vec!["--plot", "a.svg"],
        vec!["--plot", "energy.pdf"],
        vec!["--plot", "volume.svg"],
        vec!["--out", "x.vtu", "--resume"],
        vec!["--out", "x.mp4", "--strobe", "3"],
        vec!["--out", "a.pliant", "--out", "b.pliant"],
        vec!["--resume", "--check-expected"],
    ] {
        let scene = if wrong.is_empty() {
            vec!["run"]
        } else {
            vec!["run", "sheet.xml"]
        };
        folder.pliant(&[scene, wrong].concat()).exits(2);
    }
    folder.pliant(&["walk"]).exits(2);
    folder.pliant(&[]).exits(2);
    assert_eq!(folder.files(""), ["sheet.xml"]);
}

#[test]
fn outputs_that_cannot_be_written_are_found_before_the_simulation() {
    let folder = Folder::with_sheet("unwritable", r#"timestep="0.01""#);
    fs::write(folder.path("file"), "").unwrap();
    fs::create_dir(folder.path("folder")).unwrap();
    for (option, path) in [
        ("--out", "file/below"),
        ("--out", "x.vtuu"),
        ("--out", "x.mp5"),
        ("--out", "file/film.mp4"),
        ("--out", "file/picture.png"),
        ("--out", "file/run.pliant"),
        ("--plot", "file/energy.svg"),
        ("--stats", "folder"),
        ("--stats", "file/stats.json"),
    ] {
        // Far longer than a test could wait for.
        let long = [
            "run",
            "sheet.xml",
            "--seconds",
            "1e9",
            "--out",
            "o/",
            option,
            path,
        ];
        folder.pliant(&long).exits(2);
    }
    assert!(folder.files("folder").is_empty());
}

#[test]
fn what_a_picture_cannot_show_is_found_before_the_simulation() {
    let folder = Folder::with_sheet("unseen", r#"timestep="0.01""#);
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    let material = r#"<MaterialContainer>
    <Material id="Skin" type="Texture"><Properties file="pictures/skin.png" /></Material>
  </MaterialContainer>"#;
    let bound = text.replace("<MaterialContainer />", material).replace(
        "r=\"1\" />",
        "r=\"1\" /><Bind type=\"Material\" ref=\"Skin\" />",
    );
    fs::write(folder.path("textured.xml"), bound).unwrap();
    let film = |scene: &str, more: &[&str]| {
        let run = ["run", scene, "--seconds", "1e9", "--out", "film.mp4"];
        folder.pliant(&[&run, more].concat())
    };
    film("textured.xml", &[])
        .exits(2)
        .complains_of("textured.xml:4:5: <Material id=\"Skin\">")
        .complains_of("`pictures/skin.png` is not there");
    fs::create_dir(folder.path("pictures")).unwrap();
    fs::write(folder.path("pictures/skin.png"), "no picture").unwrap();
    film("textured.xml", &[]).exits(2).complains_of("is no PNG");
    film("sheet.xml", &["--camera", "0,0,-1.5/0,0,0"])
        .exits(2)
        .complains_of("inside the obstacle `Ball`");
    film("sheet.xml", &["--out", "x.mp5"])
        .exits(2)
        .complains_of("did you mean '.mp4'?");
    assert!(!folder.path("film.mp4").exists());
}

#[test]
fn check_reports_all_scenes_and_all_mistakes() {
    let folder = Folder::with_sheet("check", r#"timestep="0.01""#);
    let ran = folder.pliant(&["check", "sheet.xml"]).exits(0);
    assert!(ran.out.contains("sheet.xml: OK"), "{}", ran.out);
    assert!(ran.out.contains("81 nodes"), "{}", ran.out);
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    let wrong = text
        .replace("timestep", "timestpe")
        .replace("mass=\"1\"", "mass=\"-1\"");
    fs::write(folder.path("wrong.xml"), wrong).unwrap();
    let ran = folder
        .pliant(&["check", "wrong.xml", "sheet.xml"])
        .exits(2)
        .complains_of("wrong.xml:12:")
        .complains_of("wrong.xml:20:")
        .complains_of("did you mean `timestep`?");
    assert!(ran.out.contains("sheet.xml: OK"), "{}", ran.out);
}

#[test]
fn scenes_are_listed_and_printed() {
    let folder = Folder::new("scenes");
    let listed = folder.pliant(&["scenes"]).exits(0).out;
    assert!(
        listed.lines().any(|line| line.starts_with("flag ")),
        "{listed}"
    );
    let printed = folder.pliant(&["scenes", "flag"]).exits(0).out;
    fs::write(folder.path("copy.xml"), printed).unwrap();
    folder.pliant(&["check", "copy.xml"]).exits(0);
    let names = listed.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.split_whitespace().next());
    let check_all: Vec<&str> = ["check"].into_iter().chain(names).collect();
    let checked = folder.pliant(&check_all).exits(0).out;
    assert_eq!(checked.matches(": OK: ").count(), check_all.len() - 1);
    assert!(folder.pliant(&["bench"]).exits(0).out.contains("table-5.1"));
    assert!(
        folder
            .pliant(&["--version"])
            .exits(0)
            .out
            .starts_with("pliant ")
    );
    assert!(
        folder
            .pliant(&["run", "--help"])
            .exits(0)
            .out
            .contains("--stats")
    );
}

#[test]
fn what_stands_in_the_way_is_named() {
    let folder = Folder::with_sheet("in-the-way", r#"timestep="0.01""#);
    fs::write(folder.path("file"), "").unwrap();
    fs::create_dir(folder.path("folder")).unwrap();
    for arguments in [
        &["run", "sheet.xml", "--out", "file/film.mp4"][..],
        &["run", "sheet.xml", "--out", "file/below/x.obj"],
        &["run", "sheet.xml", "--out", "file/below/"],
        &["run", "sheet.xml", "--stats", "file/stats.json"],
        &["gallery", "sheet.xml", "--out", "file"],
    ] {
        let ran = folder.pliant(arguments).exits(2);
        let told = "file is a file, and a folder is needed there";
        assert!(ran.err.contains(told), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.contains("os error"), "{arguments:?}: {}", ran.err);
    }
    folder
        .pliant(&["render", "folder", "--out", "x.obj"])
        .exits(2)
        .complains_of("folder is a folder, and the cache of a run is a regular file");
}

#[cfg(unix)]
#[test]
fn nobody_waits_for_a_pipe() {
    let folder = Folder::with_sheet("pipes", r#"timestep="0.01""#);
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path("pipe.obj"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: there is no mkfifo");
        return;
    }
    folder
        .pliant(&["render", "pipe.obj", "--out", "x.obj"])
        .exits(2)
        .complains_of("pipe.obj is a pipe or a device, and the cache of a run is a regular file");
    let mesh = r#"<EDMConfig id="M"><MaterialContainer /><ExternalForces /><RigidObjects />
<DeformableBodies><Body id="A" model="Surface" type="Mesh"><Properties timestep="0.01" />
<Mesh file="pipe.obj" /><Elastic young="1e5" density="1" thickness="0.01" /></Body></DeformableBodies>
</EDMConfig>"#;
    fs::write(folder.path("mesh.xml"), mesh).unwrap();
    folder
        .pliant(&["check", "mesh.xml"])
        .exits(2)
        .complains_of("`pipe.obj` is a pipe or a device, and a regular file is needed");
}

#[test]
fn hints_fit_the_body() {
    let scene = |properties: &str| {
        format!(
            r#"<EDMConfig id="M"><Simulation duration="0.02" /><MaterialContainer /><ExternalForces>
<Force id="G" type="Gravity"><Properties g="[0, 0, -9]" /></Force></ExternalForces><RigidObjects />
<DeformableBodies><Body id="A" model="Solid" type="Mesh"><Properties timestep="0.01" {properties} />
<Mesh cells="[2, 2, 2]"><Box size="[1, 1, 1]" /></Mesh><Elastic young="1e5" />
<Bind type="Force" ref="G" /></Body></DeformableBodies></EDMConfig>"#
        )
    };
    let folder = Folder::new("hints");
    // Nothing holds it: there is no equilibrium.
    fs::write(
        folder.path("s.xml"),
        scene(r#"integrator="Static" iterations="20""#),
    )
    .unwrap();
    let ran = folder
        .pliant(&["run", "s.xml", "--out", "x.obj"])
        .exits(1)
        .complains_of("parts that are fixed may help");
    for wrong in ["energy=", "timestep", "integrator="] {
        assert!(!ran.err.contains(wrong), "{}", ran.err);
    }
}

#[test]
fn trouble_is_told_in_advance() {
    // Stiff and light: explicit steps have thousands of parts.
    let folder = Folder::with_sheet("foreseen", r#"timestep="1" integrator="Explicit""#);
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    let stiff = text.replace(
        "tension=\"[[1, 1], [1, 1]]\"",
        "tension=\"[[1e4, 1], [1, 1e4]]\"",
    );
    assert_ne!(text, stiff);
    fs::write(folder.path("stiff.xml"), stiff).unwrap();
    let told = "each explicit step of 1 s has to be divided into about";
    folder
        .pliant(&["check", "stiff.xml"])
        .exits(0)
        .complains_of(told);
    folder
        .pliant(&["run", "stiff.xml", "--frames", "1", "--out", "x.obj"])
        .exits(0)
        .complains_of(told);
    let ran = folder.pliant(&["check", "sheet.xml"]).exits(0);
    assert!(!ran.err.contains("divided"), "{}", ran.err);
    let plane = r#"<Object id="Wall" type="Plane"><Properties n="[1, 0, 0]" x0="[1e20, 0, 0]" /></Object>
  </RigidObjects>"#;
    let bind = r#"<Bind type="Collision" ref="Wall" /><Bind type="Force""#;
    let far = text
        .replace("</RigidObjects>", plane)
        .replacen("<Bind type=\"Force\"", bind, 1);
    fs::write(folder.path("far.xml"), far).unwrap();
    folder
        .pliant(&["check", "far.xml"])
        .exits(2)
        .complains_of("m inside the obstacle \"Wall\"");
}

#[test]
fn scenes_of_more_particles_are_right() {
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/hero");
    let mut count = 0;
    for entry in fs::read_dir(scenes).unwrap() {
        let path = entry.unwrap().path().display().to_string();
        let folder = Folder::new("hero");
        let ran = folder.pliant(&["check", &path]).exits(0);
        assert!(ran.out.contains("OK: 1 body with 1"), "{}", ran.out);
        count += 1;
    }
    assert_eq!(count, 4);
}
