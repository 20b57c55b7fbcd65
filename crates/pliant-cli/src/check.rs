//! `pliant check`: every mistake of scene files, without simulating them.

use crate::arguments::CheckOptions;
use crate::console::{counted, note, print};
use crate::run::load;
use pliant_scene::{BYTES_PER_SOLID_PARTICLE, BYTES_PER_THIN_PARTICLE};
use pliant_session::Failure;
use pliant_session::Source;

/// Checks all scenes, also after one that is wrong.
pub fn check(options: &CheckOptions) -> Result<(), Failure> {
    let mut wrong = 0;
    for named in &options.scenes {
        match load(named, &options.set, false) {
            Ok(source) => print(&summary(&source)),
            Err(failure) => {
                note(&failure.to_string());
                wrong += 1;
            }
        }
    }
    if wrong > 0 {
        let total = counted(options.scenes.len(), "scene", "scenes");
        let are = if wrong == 1 { "is" } else { "are" };
        return Err(Failure::Input(format!("{wrong} of {total} {are} wrong")));
    }
    Ok(())
}

fn summary(source: &Source) -> String {
    let (file, world) = (&source.file, &source.world);
    let obstacles = counted(world.obstacles.len(), "obstacle", "obstacles");
    if world.bodies.is_empty() {
        return format!("{file}: OK: {obstacles}, but no body to simulate");
    }
    format!(
        "{file}: OK: {} with {}, {obstacles}, {} s in steps of {} s, about {}",
        counted(world.bodies.len(), "body", "bodies"),
        counted(world.node_count(), "node", "nodes"),
        source.scene.simulation.duration,
        world.time_step(),
        readable_bytes(memory(source)),
    )
}

/// Memory that simulating the scene takes, in bytes, estimated from the number of nodes.
fn memory(source: &Source) -> u64 {
    let bodies = source.world.bodies.iter();
    bodies
        .map(|body| {
            let description = body.description();
            let is_solid = match &description.mesh {
                Some(mesh) => mesh.mesh.blocks.iter().any(|b| b.kind.dimension() == 3),
                None => description.grid.dimension() == 3,
            };
            let each = if is_solid {
                BYTES_PER_SOLID_PARTICLE
            } else {
                BYTES_PER_THIN_PARTICLE
            };
            each * body.node_count() as u64
        })
        .sum()
}

fn readable_bytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes >= 1000.0 {
        format!("{:.1} GB of memory", megabytes / 1000.0)
    } else {
        format!("{megabytes:.1} MB of memory")
    }
}
