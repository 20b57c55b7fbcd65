//! `pliant run`: films, pictures and files in one go; `pliant gallery`.

use crate::folder::{Folder, png_size};
use std::fs;

#[test]
fn without_a_wish_there_are_a_film_a_picture_and_a_cache() {
    let folder = Folder::with_sheet("default", r#"timestep="0.01""#);
    let run = ["run", "sheet.xml", "--frames", "3", "--samples", "1"];
    let ran = folder
        .pliant(&[&run[..], &["--size", "96x64"]].concat())
        .exits(0);
    assert_eq!(
        folder.files("out/sheet"),
        ["run.pliant", "sheet.mp4", "sheet.png"]
    );
    for name in ["sheet.mp4", "sheet.png", "run.pliant"] {
        assert!(
            ran.out.contains(&format!("wrote out/sheet/{name}")),
            "{}",
            ran.out
        );
    }
    let film = fs::read(folder.path("out/sheet/sheet.mp4")).unwrap();
    assert_eq!(&film[4..8], b"ftyp");
    let picture = fs::read(folder.path("out/sheet/sheet.png")).unwrap();
    assert_eq!(png_size(&picture), (96, 64));
}

#[test]
fn several_outputs_are_written_in_one_go_and_change_no_number() {
    let folder = Folder::with_sheet("several", r#"timestep="0.01""#);
    let run = |more: &[&str]| {
        let run = [
            "run",
            "sheet.xml",
            "--quiet",
            "--frames",
            "3",
            "--stats",
            "s.json",
        ];
        folder.pliant(&[&run, more].concat()).exits(0);
        folder.json("s.json")["state_hash"].to_string()
    };
    let alone = run(&["--out", "x.obj"]);
    let small = ["--size", "48x32", "--samples", "1", "--labels"];
    let outputs = [
        "--out",
        "a.mp4",
        "--out",
        "a.gif",
        "--out",
        "a.png",
        "--out",
        "a.usda",
        "--out",
        "row/a_%05d.png",
        "--out",
        "frames/",
    ];
    let together = run(&[&small[..], &outputs].concat());
    assert_eq!(alone, together);
    for name in ["a.mp4", "a.gif", "a.png", "a.usda", "frames/frames.pvd"] {
        assert!(folder.path(name).is_file(), "{name}");
    }
    assert_eq!(
        folder.files("row"),
        ["a_00000.png", "a_00001.png", "a_00002.png"]
    );
    assert!(!folder.path("out").exists());
    let last = fs::read(folder.path("row/a_00002.png")).unwrap();
    assert!(fs::read(folder.path("a.png")).unwrap() == last);
}

#[test]
fn moments_are_shown_over_or_beside_each_other() {
    let folder = Folder::with_sheet("moments", r#"timestep="0.01""#);
    let run = |more: &[&str]| {
        let run = [
            "run",
            "sheet.xml",
            "--frames",
            "9",
            "--size",
            "48x32",
            "--out",
            "a.png",
        ];
        folder.pliant(&[&run, more].concat()).exits(0);
        fs::read(folder.path("a.png")).unwrap()
    };
    let (last, first) = (run(&[]), run(&["--frame", "0"]));
    let strobe = run(&["--strobe", "3"]);
    assert!(first != last && strobe != last);
    assert_eq!(png_size(&strobe), (48, 32));
    let (width, height) = png_size(&run(&["--sheet", "6"]));
    assert!(width >= 3 * 48 && height >= 2 * 32, "{width} x {height}");
}

#[test]
fn a_scene_says_how_it_looks_and_patterns_become_files() {
    let folder = Folder::with_sheet("looks", r#"timestep="0.01""#);
    let text = fs::read_to_string(folder.path("sheet.xml")).unwrap();
    let material = r#"<Picture style="Wireframe" width="50" height="40" background="1, 1, 1" />
  <MaterialContainer>
    <Material id="Check" type="Pattern"><Properties pattern="checker" /></Material>
  </MaterialContainer>"#;
    let text = text.replace("<MaterialContainer />", material).replace(
        "</Particles>",
        "</Particles><Bind type=\"Material\" ref=\"Check\" />",
    );
    fs::write(folder.path("sheet.xml"), text).unwrap();
    let run = |more: &[&str]| {
        let run = ["run", "sheet.xml", "--frames", "1", "--out", "o/a.png"];
        folder.pliant(&[&run, more].concat()).exits(0);
        fs::read(folder.path("o/a.png")).unwrap()
    };
    let of_scene = run(&["--out", "o/a.obj"]);
    assert_eq!(png_size(&of_scene), (50, 40));
    assert!(run(&["--style", "shaded"]) != of_scene);
    assert!(
        folder
            .files("o")
            .contains(&"pattern_checker.png".to_owned())
    );
    let materials: Vec<String> = folder
        .files("o")
        .into_iter()
        .filter(|name| name.ends_with(".mtl"))
        .collect();
    let text = fs::read_to_string(folder.path(&format!("o/{}", materials[0]))).unwrap();
    assert!(text.contains("pattern_checker.png"), "{text}");
}

#[test]
fn a_gallery_is_a_page_with_films() {
    let folder = Folder::with_sheet("gallery", r#"timestep="0.01""#);
    folder
        .pliant(&["gallery", "sheet.xml", "--quick", "--out", "site"])
        .exits(0);
    let mut files = folder.files("site");
    // The page of the viewer, where it was built.
    files.retain(|name| name != "pliant.html");
    assert_eq!(
        files,
        [
            "index.html",
            "sheet-energy.svg",
            "sheet.glb",
            "sheet.mp4",
            "sheet.png",
            "sheet.xml"
        ]
    );
    let page = fs::read_to_string(folder.path("site/index.html")).unwrap();
    assert!(page.contains("src=\"sheet.mp4\""), "{page}");
    folder
        .pliant(&["gallery", "flga", "--out", "site"])
        .exits(2)
        .complains_of("did you mean `flag`?");
}

#[test]
fn texture_coordinates_of_a_file_say_where_a_picture_lies() {
    let folder = Folder::new("texture-coordinates");
    let scene = r#"<EDMConfig id="T"><Simulation duration="0.02" />
<Camera eye="[0.5, 0.5, 3]" target="[0.5, 0.5, 0]" up="[0, 1, 0]" fov="30" /><Picture ground="No" />
<MaterialContainer><Material id="M" type="Pattern"><Properties pattern="flag" /></Material>
</MaterialContainer><ExternalForces /><RigidObjects /><DeformableBodies>
<Body id="A" model="Surface" type="Mesh"><Properties timestep="0.01" /><Mesh file="m.obj" />
<Elastic young="1e5" density="1000" thickness="0.001" /><Bind type="Material" ref="M" /></Body>
</DeformableBodies></EDMConfig>"#;
    fs::write(folder.path("s.xml"), scene).unwrap();
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    let drawn = |name: &str, faces: &str| {
        fs::write(folder.path("m.obj"), format!("{square}{faces}")).unwrap();
        let out = format!("{name}.png");
        folder
            .pliant(&["run", "s.xml", "--out", &out, "--size", "64x64"])
            .exits(0);
        fs::read(folder.path(&out)).unwrap()
    };
    let plain = drawn("plain", "f 1 2 3\nf 1 3 4\n");
    let upright = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
    let turned = "vt 1 1\nvt 0 1\nvt 0 0\nvt 1 0\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
    // A square with the picture as it lies on it from above looks as it does without being told.
    assert_eq!(drawn("upright", upright), plain);
    let obj = drawn("turned", turned);
    assert_ne!(obj, plain);
    // PLY and VTK files with the same coordinates give the same picture.
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nproperty float u\nproperty float v\nelement face 2\n\
        property list uchar int vertex_indices\nend_header\n\
        0 0 0 1 1\n1 0 0 0 1\n1 1 0 0 0\n0 1 0 1 0\n3 0 1 2\n3 0 2 3\n";
    let vtk = "# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n\
        0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 2 8\n3 0 1 2\n3 0 2 3\nPOINT_DATA 4\n\
        TEXTURE_COORDINATES uv 2 float\n1 1 0 1 0 0 1 0\n";
    for (name, text) in [("m.ply", ply), ("m.vtk", vtk)] {
        fs::write(folder.path(name), text).unwrap();
        fs::write(folder.path("other.xml"), scene.replace("m.obj", name)).unwrap();
        let out = format!("{name}.png");
        folder
            .pliant(&["run", "other.xml", "--out", &out, "--size", "64x64"])
            .exits(0);
        assert_eq!(fs::read(folder.path(&out)).unwrap(), obj, "{name}");
    }
}
