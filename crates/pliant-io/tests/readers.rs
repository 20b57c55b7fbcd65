//! Files opened by readers that others wrote and use: Pixar's USD, the glTF validator of the
//! Khronos Group, meshio, trimesh and plyfile.
//!
//! Runs only with `PLIANT_TEST_READERS=1`, since it needs Python and Node with these readers:
//! `.ci/readers` installs them and runs the tests. `PLIANT_TEST_PYTHON` and `PLIANT_TEST_NODE` name
//! the interpreters if they are not `python3` and `node`.

mod frames;

use frames::{folder, frame, run};
use pliant::frame::Frame;
use pliant_io::sink_for;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Whether the readers are there.
fn wanted() -> bool {
    std::env::var("PLIANT_TEST_READERS").as_deref() == Ok("1")
}

fn write(path: &Path, frames: &[Frame]) {
    let mut sink = sink_for(path).unwrap();
    for frame in frames {
        sink.write(frame).unwrap();
    }
    sink.finish().unwrap();
}

/// What a script says about files. A script that fails or finds a problem fails the test.
fn read(variable: &str, default: &str, script: &str, files: &[&Path]) -> Vec<String> {
    let interpreter = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers");
    let output = Command::new(interpreter)
        .arg(scripts.join(script))
        .args(files)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(!text.contains("PROBLEM"), "{text}\n{errors}");
    text.lines().map(str::to_owned).collect()
}

fn python(script: &str, files: &[&Path]) -> Vec<String> {
    read("PLIANT_TEST_PYTHON", "python3", script, files)
}

#[test]
fn usd_is_opened_by_pixars_library() {
    if !wanted() {
        return;
    }
    let folder = folder("readers-usd");
    let path = folder.join("a.usda");
    let frames = run(&folder);
    write(&path, &frames);
    let lines = python("usd.py", &[&path]);
    assert_eq!(lines[0], "units 1.0 Z");
    assert_eq!(lines[1], "time 0.0 5.0 30.0");
    assert_eq!(lines[2], "default /World");
    /// The lines about a prim: its own, and one a frame.
    fn prim<'a>(lines: &'a [String], name: &str) -> &'a [String] {
        let start = format!("prim /World/{name} ");
        let place = lines.iter().position(|line| line.starts_with(&start));
        let place = place.unwrap_or_else(|| panic!("no {name} in {lines:#?}"));
        &lines[place..place + 7]
    }
    let at = |number: usize, cells: usize, body: usize, node: usize, count: usize| {
        let position = frames[number].bodies[body].positions[node];
        format!(
            "at {number} {cells} {count} {:.5} {:.5} {:.5} shown",
            position.x, position.y, position.z
        )
    };
    let rope = prim(&lines, "my_rope");
    assert_eq!(rope[0], "prim /World/my_rope BasisCurves 6");
    assert_eq!(rope[4], at(3, 1, 0, 3, 4));
    let tube = prim(&lines, "tube");
    assert_eq!(tube[3], at(2, 12, 1, 11, 12));
    assert_eq!(tube[4], at(3, 10, 1, 11, 12), "torn");
    let solid = prim(&lines, "my_rope_2");
    assert_eq!(solid[6], at(5, 12, 2, 7, 8));
    assert_eq!(prim(&lines, "dot")[2], at(1, 1, 3, 0, 1));
    let drops = prim(&lines, "drops/particles");
    assert_eq!(drops[2], at(1, 3, 4, 2, 3));
    assert_eq!(drops[3], at(2, 4, 4, 3, 4));
    assert_eq!(prim(&lines, "drops/curves")[3], at(2, 1, 4, 4, 2));
    let visitor = prim(&lines, "visitor");
    assert!(visitor[2].ends_with("hidden") && visitor[5].ends_with("hidden"));
    assert_eq!(visitor[3], at(2, 12, 5, 7, 8));
    let floor = prim(&lines, "floor_____hard____flat");
    assert!(floor[1].ends_with("0.00000 9.00000 -1.00000 shown"));
    assert!(floor[4].ends_with("0.00000 9.00000 -1.00000 shown"));
    assert!(floor[5].ends_with("0.00000 9.00000 -0.50000 shown"));

    // One frame only, and an empty one.
    let single = folder.join("single.usda");
    write(&single, &frames[..1]);
    assert_eq!(python("usd.py", &[&single])[1], "time 0.0 0.0 24.0");
    write(&single, &[Frame::default()]);
    assert_eq!(python("usd.py", &[&single]).len(), 3);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn gltf_passes_the_validator() {
    if !wanted() {
        return;
    }
    let folder = folder("readers-glb");
    let paths = ["run.glb", "still.glb", "empty.glb", "long.glb"].map(|name| folder.join(name));
    write(&paths[0], &run(&folder));
    write(&paths[1], &[frame(0)]);
    write(&paths[2], &[Frame::default()]);
    write(&paths[3], &(0..300).map(frame).collect::<Vec<_>>());
    let files: Vec<&Path> = paths.iter().map(|path| path.as_path()).collect();
    let lines = read("PLIANT_TEST_NODE", "node", "validate_gltf.js", &files);
    assert_eq!(
        lines,
        [
            // Errors, warnings, animations, materials, morphs, textures, draw calls, triangles.
            "glb 0 0 1 7 true true 11 47",
            "glb 0 0 0 5 false false 5 25",
            "glb 0 0 0 0 false false 0 0",
            "glb 0 0 1 5 true false 5 25",
        ]
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn meshes_are_read_by_meshio_trimesh_and_plyfile() {
    if !wanted() {
        return;
    }
    let folder = folder("readers-meshes");
    let mut frames = run(&folder);
    frames.truncate(4);
    for extension in ["vtu", "ply", "stl", "glb", "pc2"] {
        write(&folder.join("a").with_extension(extension), &frames);
    }
    // meshio reads no edges from PLY.
    let mut surfaces = frame(0);
    surfaces.bodies.remove(0);
    write(&folder.join("surfaces.ply"), &[surfaces]);
    let lines = python("meshes.py", &[&folder]);
    let bodies = &frames[3].bodies;
    let sum = |values: &mut dyn Iterator<Item = f64>| (1e4 * values.sum::<f64>()).round() / 1e4;
    let all = sum(&mut bodies
        .iter()
        .flat_map(|body| body.positions.iter().map(|position| position.element_sum())));
    let corners = sum(&mut bodies.iter().flat_map(|body| {
        let corners = body.topology.triangles.as_flattened().iter();
        corners.map(|&corner| body.positions[corner as usize].element_sum())
    }));
    let strain = sum(&mut bodies.iter().flat_map(|body| body.fields[0].values.clone()));
    let vx = sum(&mut std::iter::repeat_n(1.0 / 3.0, 21));
    assert_eq!(
        lines,
        [
            format!("vtu 38 {all:?}"),
            "cells line 3".to_owned(),
            "cells triangle 10".to_owned(),
            "cells hexahedron 1".to_owned(),
            "cells vertex 1".to_owned(),
            "cells line 1".to_owned(),
            "cells vertex 4".to_owned(),
            "cells hexahedron 1".to_owned(),
            format!("strain {strain:?}"),
            format!("stl meshio 34 {corners:?}"),
            format!("stl trimesh 34 {corners:?}"),
            format!("ply meshio 21 24 {vx:?}"),
            format!("ply plyfile 38 34 4 {all:?}"),
            format!("ply strain {strain:?}"),
            // y is up: the floor is 18 m wide and lies at -1 m.
            "glb 11 [-9.0, -1.0, -9.0, 9.0, 2.0, 9.0]".to_owned(),
            "obj 8 12".to_owned(),
            "pc2 b'POINTCACHE2\\x00' 1 4 8 True".to_owned(),
        ]
    );
    fs::remove_dir_all(folder).unwrap();
}
