//! `pliant run`: output, statistics, options, failures of the simulation.

use crate::folder::Folder;
use std::process::{Command, Stdio};

#[test]
fn frames_and_statistics_are_written() {
    let folder = Folder::with_sheet("frames", r#"timestep="0.01""#);
    let ran = folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--out",
            "out/sheet/",
            "--stats",
            "new/stats.json",
        ])
        .exits(0);
    assert!(
        ran.out.contains("paraview out/sheet/frames.pvd"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("100 %"), "{}", ran.err);
    let files = folder.files("out/sheet");
    // 0.5 s at 25 frames per second, every fourth of 50 steps, and the initial state.
    for extension in [".vtu", ".obj"] {
        let frames = files
            .iter()
            .filter(|name| name.starts_with("frame_") && name.ends_with(extension));
        assert_eq!(frames.count(), 13, "{files:?}");
    }
    assert!(
        !files.iter().any(|name| name.ends_with(".part")),
        "{files:?}"
    );

    let stats = folder.json("new/stats.json");
    assert_eq!(stats["scene"], "sheet");
    assert_eq!(stats["nodes"], 81);
    assert_eq!(stats["frames"], 13);
    assert_eq!(stats["steps"], 50);
    assert!((stats["simulated_seconds"].as_f64().unwrap() - 0.5).abs() < 1e-12);
    assert!(stats["wall_seconds"].as_f64().unwrap() > 0.0);
    assert!(stats["milliseconds_per_step"].as_f64().unwrap() > 0.0);
    let energy = &stats["energy"];
    let total: f64 = ["kinetic", "elastic", "external"]
        .iter()
        .map(|part| energy[part].as_f64().unwrap())
        .sum();
    assert!(energy["highest_total"].as_f64().unwrap() >= total);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let causes = ["damping", "friction", "processes", "rest"];
    let sum: f64 = causes
        .map(|cause| number(&stats["dissipation"][cause]))
        .iter()
        .sum();
    let missing = number(&stats["dissipated"]) - number(&stats["energy_created"]);
    assert!((sum - missing).abs() < 1e-9 * number(&energy["highest_total"]).abs().max(1.0));
    assert!(stats["momentum"][2].as_f64().unwrap() < 0.0);
    assert_eq!(stats["angular_momentum"].as_array().unwrap().len(), 3);
    assert!(stats["contacts_total"].as_u64() >= stats["contacts"].as_u64());
    assert!(stats["contacts_total"].as_u64() > Some(0));
    assert!(stats["smallest_distance"].is_number());
    assert!(stats["linear_iterations"].as_u64() >= Some(50));
    for count in ["newton_iterations", "factorisations", "shortened_steps"] {
        assert!(stats[count].is_u64(), "{count}");
    }
    assert!(stats["linear_residual"].is_number());
    assert_eq!(stats["quarantined"], 0);
    assert_eq!(stats["quarantined_bodies"].as_array().unwrap().len(), 0);
    assert_eq!(stats["non_finite"], 0);
    assert_eq!(stats["state_hash"].as_str().unwrap().len(), 16);
    assert!(stats["threads"].as_u64() >= Some(1));
    for stage in ["assembly", "solve", "contact", "output"] {
        assert!(
            stats["stage_seconds"][stage].as_f64().unwrap() > 0.0,
            "{stage}"
        );
    }
}

#[test]
fn outputs_are_chosen_by_extension_and_length_by_options() {
    let folder = Folder::with_sheet("outputs", r#"timestep="0.01""#);
    let ran = folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--quiet",
            "--frames",
            "3",
            "--out",
            "a/x.obj",
            "--out",
            "b.d/",
            "--stats",
            "s.json",
        ])
        .exits(0);
    assert!(
        ran.out.is_empty() && ran.err.is_empty(),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(folder.files("a").contains(&"x_00002.obj".to_owned()));
    assert!(!folder.files("a").contains(&"x_00003.obj".to_owned()));
    assert!(folder.files("b.d").contains(&"frames.pvd".to_owned()));
    assert!(!folder.path("out").exists());
    assert_eq!(
        (
            &folder.json("s.json")["frames"],
            &folder.json("s.json")["steps"]
        ),
        (&3.into(), &8.into())
    );
    folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--seconds",
            "0.1",
            "--out",
            "x.obj",
            "--stats",
            "s.json",
        ])
        .exits(0);
    assert_eq!(folder.json("s.json")["steps"], 10);
}

#[test]
fn attributes_are_replaced() {
    let folder = Folder::with_sheet("set", r#"timestep="0.01""#);
    folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--set",
            "Cloth.timestep=0.02",
            "--set",
            "Simulation.duration=0.2",
            "--set",
            "Gravity.g=[0, 0, 5]",
            "--out",
            "x.obj",
            "--stats",
            "s.json",
        ])
        .exits(0);
    let stats = folder.json("s.json");
    assert_eq!(stats["steps"], 10);
    assert!(stats["momentum"][2].as_f64().unwrap() > 0.0);
    folder
        .pliant(&["run", "sheet.xml", "--set", "Cloth.timestp=0.02"])
        .exits(2)
        .complains_of("timestep");
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    // As many nodes as it takes for the engine to use its threads.
    let folder = Folder::with_sheet("threads", r#"timestep="0.01""#);
    let text = std::fs::read_to_string(folder.path("sheet.xml")).unwrap();
    std::fs::write(folder.path("sheet.xml"), text.replace("[9,9]", "[150,150]")).unwrap();
    let hashes: Vec<String> = ["1", "2", "4"]
        .iter()
        .map(|threads| {
            folder
                .pliant(&[
                    "run",
                    "sheet.xml",
                    "--seconds",
                    "0.05",
                    "--threads",
                    threads,
                    "--out",
                    "x.obj",
                    "--stats",
                    "s.json",
                ])
                .exits(0);
            let stats = folder.json("s.json");
            assert_eq!(stats["threads"].to_string(), **threads);
            stats["state_hash"].to_string()
        })
        .collect();
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], hashes[2]);
    folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--seconds",
            "0.06",
            "--out",
            "x.obj",
            "--stats",
            "s.json",
        ])
        .exits(0);
    assert_ne!(hashes[0], folder.json("s.json")["state_hash"].to_string());
}

#[test]
fn an_explosion_ends_in_quarantine_and_keeps_what_was_simulated() {
    // The scheme as printed, with stiff weights, long steps and no way out through shorter ones.
    let folder = Folder::with_sheet(
        "explosion",
        r#"timestep="0.5" energy="AsPrinted" shortest="0.9""#,
    );
    let ran = folder
        .pliant(&[
            "run",
            "sheet.xml",
            "--seconds",
            "500",
            "--set",
            "Cloth.tension=[[1e4, 1e4], [1e4, 1e4]]",
            "--out",
            "out/sheet/",
            "--stats",
            "s.json",
        ])
        .exits(1)
        .complains_of("body `Cloth` frozen at");
    assert!(ran.err.contains("is kept"), "{}", ran.err);
    let stats = folder.json("s.json");
    assert_eq!(stats["quarantined"], 1);
    assert_eq!(stats["quarantined_bodies"][0]["name"], "Cloth");
    assert!(stats["quarantined_bodies"][0]["reason"].is_string());
    assert!(
        stats["steps"].as_u64() < Some(1000),
        "stopped with the last body"
    );
    let frames = stats["frames"].as_u64().unwrap() as usize;
    let files = folder.files("out/sheet");
    let written = files
        .iter()
        .filter(|name| name.starts_with("frame_") && name.ends_with(".vtu"));
    assert_eq!(written.count(), frames);
    assert!(files.contains(&"frames.pvd".to_owned()));
}

#[test]
fn expected_values_are_checked_when_asked() {
    let expected = r#"<Expected quantity="lowest_z" body="Cloth" min="-0.1" />
                      <Expected quantity="quarantined" max="0" />"#;
    let folder = Folder::with_expected_sheet("expected", r#"timestep="0.01""#, expected);
    let run = |more: &[&str]| {
        let run = ["run", "sheet.xml", "--out", "x.obj"];
        folder.pliant(&[&run, more].concat())
    };
    run(&[]).exits(0);
    run(&["--check-expected"])
        .exits(1)
        .complains_of("expected lowest_z of `Cloth` to be at least -0.1")
        .complains_of("1 of 2 expected values were missed");
    run(&["--check-expected", "--seconds", "0.05"]).exits(0);
}

#[test]
fn a_reader_that_goes_away_is_told_by_the_exit_code_and_the_run_is_whole() {
    let folder = Folder::with_sheet("pipe", r#"timestep="0.01""#);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(["run", "sheet.xml", "--out", "out/sheet/"])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(folder.path("out/sheet/frames.pvd").exists());
}
