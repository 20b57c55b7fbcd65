//! Worlds made anew: from a snapshot, a scene text, the state of another world.

use crate::history::Moment;
use pliant::body::{Body, State};
use pliant::{StepReport, Workspace, World};
use pliant_scene::Override;
use pliant_session::{Failure, MemoryLimit, Source, clock};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The world as it is now, to be gone back to.
pub(crate) fn moment(world: &World, text: &Arc<str>, report: StepReport) -> Moment {
    Moment {
        step: world.step_count,
        time: world.time,
        snapshot: world.snapshot(),
        text: Arc::clone(text),
        report,
    }
}

/// Scratch memory for a world, with a clock and a flag that stops its steps.
pub(crate) fn workspace(source: &Source, stop: &Arc<AtomicBool>) -> Workspace {
    let mut workspace = Workspace::new(&source.world);
    workspace.bounds = source.scene.simulation.bounds;
    workspace.clock = Some(clock::seconds);
    workspace.stop = Some(Arc::clone(stop));
    workspace
}

/// The same scene with another text.
pub(crate) fn rebuilt(
    source: &Source,
    text: &str,
    overrides: &[Override],
) -> Result<Source, Failure> {
    let mut fresh = Source::from_assets(
        source.name.clone(),
        source.file.clone(),
        text.to_owned(),
        Arc::clone(&source.assets),
        overrides,
        MemoryLimit::new(None),
    )?;
    fresh.folder = source.folder.clone();
    // The text of the scene is that of its beginning, for recordings.
    fresh.text = source.text.clone();
    Ok(fresh)
}

/// Puts a new world in the state of an old one. Bodies with other nodes start anew; their names are
/// returned, and whether what commands had changed was carried over too.
pub(crate) fn carry_over(old: &World, fresh: &mut World) -> (Vec<String>, bool) {
    if fresh.restore(&old.snapshot()).is_ok() {
        return (Vec::new(), true);
    }
    fresh.time = old.time;
    fresh.step_count = old.step_count;
    let mut anew = Vec::new();
    for body in &mut fresh.bodies {
        let name = &body.description().name;
        let before = old
            .bodies
            .iter()
            .find(|own| own.description().name == *name);
        let before = before.filter(|own| own.node_count() == body.node_count());
        let moved = before.and_then(|own| {
            let state = State {
                positions: own.state.positions.clone(),
                velocities: own.state.velocities.clone(),
                ..State::default()
            };
            Body::with_state(body.description().clone(), state).ok()
        });
        match moved {
            Some(moved) => *body = moved,
            None => anew.push(name.to_string()),
        }
    }
    (anew, false)
}
