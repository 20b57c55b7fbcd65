//! `pliant check`: every mistake of scene files, without simulating them.

use crate::arguments::CheckOptions;
use crate::console::{counted, note, print};
use crate::run::{load, memory_limit};
use pliant::World;
use pliant_session::Failure;
use pliant_session::{Estimate, Schedule, Source, check_world, foreseen};

/// Checks all scenes, also after one that is wrong.
pub fn check(options: &CheckOptions) -> Result<(), Failure> {
    let limit = memory_limit(options.memory);
    let mut wrong = 0;
    for named in &options.scenes {
        let checked = load(named, &options.set, limit, false)
            .and_then(|source| Ok((check_world(&source.world, limit)?, source)));
        match checked {
            Ok((memory, source)) => {
                print(&summary(&source, memory));
                warn_of(&source.world, Schedule::of(&source, None, None).steps);
            }
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

/// Says what the world will have trouble with.
pub fn warn_of(world: &World, steps: usize) {
    for trouble in foreseen(world, steps) {
        note(&format!("warning: {trouble}"));
    }
}

fn summary(source: &Source, memory: Estimate) -> String {
    let (file, world) = (&source.file, &source.world);
    let obstacles = counted(world.obstacles.len(), "obstacle", "obstacles");
    if world.bodies.is_empty() {
        return format!("{file}: OK: {obstacles}, but no body to simulate");
    }
    format!(
        "{file}: OK: {} with {}, {obstacles}, {} s in steps of {} s, {memory}",
        counted(world.bodies.len(), "body", "bodies"),
        counted(world.node_count(), "node", "nodes"),
        source.scene.simulation.duration,
        world.time_step(),
    )
}
