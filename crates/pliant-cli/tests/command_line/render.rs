//! `pliant render`: from the cache alone, the same pictures and others.

use crate::folder::{Folder, png_size};
use std::fs;

const SMALL: [&str; 4] = ["--size", "64x48", "--samples", "1"];

fn simulated(name: &str) -> Folder {
    let folder = Folder::with_sheet(name, r#"timestep="0.01""#);
    let run = ["run", "sheet.xml", "--frames", "4"];
    let outputs = ["--out", "r.pliant", "--out", "r.png", "--out", "r.usda"];
    folder
        .pliant(&[&run[..], &outputs, &SMALL].concat())
        .exits(0);
    folder
}

#[test]
fn the_same_files_come_out_without_the_scene_file() {
    let folder = simulated("again");
    fs::remove_file(folder.path("sheet.xml")).unwrap();
    let render = ["render", "r.pliant", "--out", "a.png", "--out", "a.usda"];
    folder.pliant(&[&render[..], &SMALL].concat()).exits(0);
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(bytes("a.usda") == bytes("r.usda"));
    // The ground may lie elsewhere, since all frames are known now; nothing else differs.
    assert_eq!(png_size(&bytes("a.png")), (64, 48));
    let look = |more: &[&str], name: &str| {
        let render = ["render", "r.pliant", "--out", name];
        folder.pliant(&[&render, more, &SMALL].concat()).exits(0);
        bytes(name)
    };
    let first = look(&["--frame", "0"], "b.png");
    assert!(first != bytes("a.png"), "another moment");
    let near = look(&["--frame", "0", "--camera", "2,-2,1/0,0,0"], "c.png");
    assert!(near != first, "another view");
    let lines = look(&["--frame", "0", "--style", "wireframe"], "d.png");
    assert!(lines != first, "another style");
    let field = look(&["--frame", "0", "--field", "speed"], "e.png");
    assert!(field != first, "another field");
}

#[test]
fn a_part_of_the_frames_can_be_taken() {
    let folder = simulated("part");
    let render = [
        "render",
        "r.pliant",
        "--frames",
        "1..2",
        "--out",
        "p/x_#.png",
    ];
    folder.pliant(&[&render[..], &SMALL].concat()).exits(0);
    assert_eq!(folder.files("p"), ["x_00000.png", "x_00001.png"]);
    let render = ["render", "r.pliant", "--frames", "2..", "--out", "q/x.obj"];
    folder.pliant(&render).exits(0);
    let files = folder.files("q");
    assert!(files.contains(&"x_00003.obj".to_owned()), "{files:?}");
    assert!(!files.contains(&"x_00001.obj".to_owned()), "{files:?}");
    for (frames, frame, message) in [
        ("4..9", "4", "there is no frame 4"),
        ("1..2", "3", "not among the frames 1..2"),
    ] {
        folder
            .pliant(&[
                "render", "r.pliant", "--frames", frames, "--frame", frame, "--out", "x.png",
            ])
            .exits(2)
            .complains_of(message);
    }
}

#[test]
fn several_runs_stand_side_by_side() {
    let folder = simulated("beside");
    let soft = ["run", "sheet.xml", "--frames", "2", "--out", "s.pliant"];
    let soft = [&soft[..], &["--set", "Gravity.g=[0, 0, 5]"]].concat();
    folder.pliant(&soft).exits(0);
    let render = ["render", "r.pliant", "s.pliant", "--side-by-side"];
    let labels = ["--labels", "down,up", "--out", "both.png"];
    let plots = ["--plot", "energy.svg"];
    folder
        .pliant(&[&render[..], &labels, &plots, &SMALL].concat())
        .exits(0);
    let (width, height) = png_size(&fs::read(folder.path("both.png")).unwrap());
    assert!(width >= 128 && height == 48, "{width} x {height}");
    let plot = fs::read_to_string(folder.path("energy.svg")).unwrap();
    assert!(plot.contains("down: total") && plot.contains("up: kinetic"));
    folder
        .pliant(&["render", "r.pliant", "s.pliant", "--out", "x.obj"])
        .exits(2)
        .complains_of("one cache at a time");
}

#[test]
fn what_is_no_cache_is_refused() {
    let folder = simulated("refused");
    for (arguments, message) in [
        (vec!["missing.pliant", "--out", "a.png"], "cannot read"),
        (vec!["sheet.xml", "--out", "a.png"], "not a cache"),
        (vec!["r.pliant"], "nothing to make"),
        (
            vec!["r.pliant", "--out", "b.pliant"],
            "written by `pliant run`",
        ),
        (vec!["r.pliant", "--out", "a.avi"], "not a known extension"),
    ] {
        folder
            .pliant(&[vec!["render"], arguments].concat())
            .exits(2)
            .complains_of(message);
    }
}

/// A checkered block that falls past a turning ball, without a floor: what is drawn depends on the size of
/// the scene, the lowest place of all, and the shapes that were seen first.
const FALLING: &str = r#"<EDMConfig id="F"><Simulation duration="0.6" fps="50" />
<MaterialContainer>
<Material id="Check" type="Pattern"><Properties pattern="checker" width="0.3" /></Material>
</MaterialContainer>
<ExternalForces><Force id="G" type="Gravity"><Properties g="[3, 0, -9.82]" /></Force></ExternalForces>
<RigidObjects><Object id="Ball" type="Sphere" motion="Path"><Properties c="[2, 0, 0]" r="0.3" />
<Bind type="Material" ref="Check" />
<Pose time="0" /><Pose time="1" rotation="[90, 0, 0]" /></Object>
</RigidObjects>
<DeformableBodies><Body id="Block" model="Solid" type="Mesh"><Properties timestep="0.01" />
<Mesh cells="[2, 2, 2]" rotation="[10, 20, 30]" position="[0, 0, 2]"><Box size="[1, 1, 1]" /></Mesh>
<Elastic young="1e4" poisson="0.3" density="1000" /><Bind type="Material" ref="Check" />
<Bind type="Force" ref="G" /></Body></DeformableBodies></EDMConfig>"#;

#[test]
fn a_frame_alone_looks_as_in_a_film() {
    let folder = Folder::new("alone");
    fs::write(folder.path("s.xml"), FALLING).unwrap();
    let small = ["--size", "96x64", "--samples", "4", "--quiet"];
    let pliant = |arguments: &[&str]| {
        folder.pliant(&[arguments, &small].concat()).exits(0);
    };
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    pliant(&["run", "s.xml", "--out", "c.pliant"]);
    for style in ["shaded", "particles", "field:speed"] {
        let style = ["--style", style];
        let film = ["render", "c.pliant", "--out", "film/a_%05d.png"];
        pliant(&[&film[..], &style].concat());
        let of_film = read("film/a_00007.png");
        assert!(of_film != read("film/a_00006.png"));
        for range in [&[][..], &["--frames", "5..9"]] {
            let alone = ["render", "c.pliant", "--frame", "7", "--out", "alone.png"];
            pliant(&[&alone[..], range, &style].concat());
            assert!(read("alone.png") == of_film, "{style:?} {range:?}");
        }
        // The same while the run goes on, which does not know what comes.
        pliant(&[&["run", "s.xml", "--out", "run/a_%05d.png"][..], &style].concat());
        for (frame, name) in [("7", "run/a_00007.png"), ("12", "run/a_00012.png")] {
            let alone = ["run", "s.xml", "--frame", frame, "--out", "alone.png"];
            pliant(&[&alone[..], &style].concat());
            assert!(read("alone.png") == read(name), "{style:?} {frame}");
        }
    }
}
