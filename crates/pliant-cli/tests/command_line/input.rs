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
