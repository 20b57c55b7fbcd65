//! Damaged scene files: parsed, and built if they are small.

use crate::damage::damaged;
use crate::{Sample, Target};
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

/// The target.
pub const TARGET: Target = Target {
    name: "scenes",
    samples,
    make: damaged,
    read,
};

/// All built-in scenes, and one for every element of the language.
pub fn samples() -> Vec<Sample> {
    let mut samples: Vec<Sample> = pliant_scene::gallery()
        .iter()
        .map(|scene| Sample {
            name: format!("{}.xml", scene.name),
            bytes: scene.text.as_bytes().to_vec(),
        })
        .collect();
    // Every element of the language, in the place where it belongs.
    for element in pliant_scene::language::elements() {
        let example = pliant_scene::example_scene(element.example);
        samples.extend(example.map(|text| Sample {
            name: format!("{}.xml", element.name),
            bytes: text.into_bytes(),
        }));
    }
    samples
}

fn read(input: &Sample) -> usize {
    let text = String::from_utf8_lossy(&input.bytes);
    let Ok(scene) = parse(&text, &input.name) else {
        return 0;
    };
    // Meshes take long to make; short runs build those of small scenes.
    let particles: usize = scene.bodies.iter().map(|body| body.particle_count()).sum();
    if particles < 3_000 && scene.bodies.iter().all(|body| body.mesh.is_none()) {
        // Whether it can be built does not matter.
        let _ = build_with(&scene, &input.name, &MemoryAssets::default());
    }
    0
}
