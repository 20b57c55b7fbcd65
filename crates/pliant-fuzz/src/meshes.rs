//! Damaged mesh files of every format.

use crate::damage::damaged;
use crate::{Sample, Target, files_of};
use pliant_io::mesh::{MeshFormat, parse_mesh, parse_tetgen};
use std::path::Path;

/// The target.
pub const TARGET: Target = Target {
    name: "meshes",
    samples,
    make: damaged,
    read,
};

/// The samples of the tests, and a few small ones of our own.
fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pliant-io/tests/meshes");
    let mut samples = files_of(&folder);
    samples.retain(|sample| format_of(&sample.name).is_some());
    let small = [
        ("own.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"),
        ("own.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"),
        ("own.ele", "1 4 0\n1 1 2 3 4\n"),
    ];
    samples.extend(small.map(|(name, text)| Sample {
        name: name.to_owned(),
        bytes: text.as_bytes().to_vec(),
    }));
    samples
}

fn format_of(name: &str) -> Option<MeshFormat> {
    let extension = Path::new(name).extension()?.to_str()?;
    MeshFormat::from_extension(extension)
}

fn read(input: &Sample) -> usize {
    match format_of(&input.name) {
        Some(MeshFormat::TetGen) => {
            let node = b"4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
            let _ = parse_tetgen(&input.bytes, b"1 4 0\n1 1 2 3 4\n");
            let _ = parse_tetgen(node, &input.bytes);
        }
        Some(format) => drop(parse_mesh(&input.bytes, format)),
        None => {}
    }
    0
}
