//! Damaged caches: opened, all frames read, and put back into a world.

use crate::damage::damaged;
use crate::{Sample, Target};
use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_io::cache::{CacheHeader, CacheReader, CacheWriter, CachedFrame};
use pliant_scene::{build_with, parse};
use std::fs;
use std::path::PathBuf;

/// The target.
pub const TARGET: Target = Target {
    name: "caches",
    samples,
    make: damaged,
    read,
};

/// A small sheet.
const SCENE: &str = r#"<EDMConfig id="C"><MaterialContainer /><ExternalForces /><RigidObjects />
<DeformableBodies><Body id="A" model="Surface" type="FormulaPatch">
<Properties timestep="0.01" x="u" y="v" z="0.1*u*v" /><NaturalShape /><Particles grid="[3, 4]" />
</Body></DeformableBodies></EDMConfig>"#;

fn world() -> Option<World> {
    let scene = parse(SCENE, "cache.xml").ok()?;
    build_with(&scene, "cache.xml", &MemoryAssets::default()).ok()
}

fn path() -> PathBuf {
    let thread = format!("{:?}", std::thread::current().id());
    let thread: String = thread.chars().filter(char::is_ascii_digit).collect();
    std::env::temp_dir().join(format!(
        "pliant-fuzz-{}-{thread}.pliant",
        std::process::id()
    ))
}

/// The cache of a few steps.
fn samples() -> Vec<Sample> {
    let path = path();
    let make = || -> Option<Vec<u8>> {
        let mut world = world()?;
        let mut workspace = Workspace::new(&world);
        let header = CacheHeader {
            name: "cache".to_owned(),
            text: SCENE.to_owned(),
            ..CacheHeader::default()
        };
        let mut writer = CacheWriter::create(&path, &header).ok()?;
        for _ in 0..4 {
            let frame = CachedFrame {
                step: world.step_count,
                time: world.time,
                snapshot: world.snapshot(),
                ..CachedFrame::default()
            };
            writer.append(&frame).ok()?;
            world.step(&mut workspace);
        }
        writer.finish().ok()?;
        fs::read(&path).ok()
    };
    let bytes = make().unwrap_or_default();
    let _ = fs::remove_file(&path);
    vec![Sample {
        name: "run.pliant".to_owned(),
        bytes,
    }]
}

fn read(input: &Sample) -> usize {
    let path = path();
    if fs::write(&path, &input.bytes).is_err() {
        return 0;
    }
    if let Ok(mut cache) = CacheReader::open(&path) {
        let mut world = world();
        let numbers: Vec<usize> = cache.whole_frames().collect();
        for number in numbers {
            if let (Ok(frame), Some(world)) = (cache.frame(number), &mut world) {
                let _ = world.restore(&frame.snapshot);
            }
        }
    }
    // Snapshots meet damage that a checksum would have caught.
    if let Some(mut world) = world() {
        let _ = world.restore(&input.bytes);
        let mut snapshot = world.snapshot();
        for (byte, other) in snapshot.iter_mut().zip(&input.bytes) {
            *byte ^= other & 1;
        }
        let _ = world.restore(&snapshot);
    }
    let _ = fs::remove_file(&path);
    0
}
