//! Files opened by meshio, a reader that others wrote and use.
//!
//! Runs only with `PLIANT_TEST_READERS=1`, since it needs Python with meshio (`.ci/readers` sees to
//! that); `PLIANT_TEST_PYTHON` names the interpreter if it is not `python3`.

mod frames;

use frames::{folder, frame};
use pliant_io::sink_for;
use std::fs;
use std::process::Command;

const SCRIPT: &str = r#"
import sys, meshio
vtu = meshio.read(sys.argv[1] + "/frame_00002.vtu")
print("points", len(vtu.points), repr(float(vtu.points.sum())))
for block in vtu.cells:
    print(block.type, len(block.data), block.data.sum())
for name in sorted(vtu.point_data):
    data = vtu.point_data[name]
    print(name, data.shape[0], round(float(data[:16].sum()), 3))
obstacles = meshio.read(sys.argv[1] + "/obstacles.vtu")
print("obstacles", len(obstacles.points), len(obstacles.cells_dict["triangle"]))
# meshio wants as many texture coordinates as points, which OBJ does not: they are left out for it.
plain = sys.argv[1] + "/plain.obj"
with open(sys.argv[1] + "/frame_00002.obj") as whole, open(plain, "w") as without:
    for line in whole:
        if line.startswith("f "):
            line = " ".join(corner.split("/")[0] for corner in line.split()) + "\n"
        if not line.startswith("vt "):
            without.write(line)
obj = meshio.read(plain)
print("obj", len(obj.points), sum(len(block.data) for block in obj.cells))
"#;

#[test]
fn meshio_reads_what_was_written() {
    if std::env::var("PLIANT_TEST_READERS").as_deref() != Ok("1") {
        return;
    }
    let folder = folder("meshio");
    let mut sink = sink_for(&folder).unwrap();
    let mut frame = frame(2);
    // Numbers whose sums are exact in any order.
    for body in &mut frame.bodies {
        for position in &mut body.positions {
            *position = (*position * 8.0).round() / 8.0;
        }
        body.velocities.fill(glam::DVec3::new(0.5, 0.0, 0.25));
        body.elastic_forces.fill(glam::DVec3::X);
        body.external_forces.fill(glam::DVec3::NEG_Z);
    }
    sink.write(&frame).unwrap();
    let python = std::env::var("PLIANT_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python)
        .args(["-c", SCRIPT])
        .arg(&folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let sum: f64 = frame
        .bodies
        .iter()
        .flat_map(|body| &body.positions)
        .map(|position| position.element_sum())
        .sum();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        &format!("points 25 {sum:?}"),
        "line 3 9",
        // Each of the twelve nodes, from 4 on, is a corner of three triangles.
        "triangle 12 342",
        "hexahedron 1 156",
        "vertex 1 24",
        "body 25 12.0",
        "elastic_force 25 16.0",
        "external_force 25 -16.0",
        "fixed 25 6.0",
        // 0 to 1 in thirds, twice 0 to 5/6 in sixths, and six ones.
        "material_coordinates 25 13.0",
        // Quarters, counted from the first node of each body.
        "strain 25 18.0",
        "velocity 25 12.0",
        "obstacles 3 1",
        // Twelve triangles of the tube, twelve of the cube, one of the obstacle.
        "obj 28 25",
    ];
    assert_eq!(lines, expected);
    fs::remove_dir_all(folder).unwrap();
}
