//! What is made from a world: a moment to go back to, and scratch memory.

use crate::history::Moment;
use pliant::{StepReport, Workspace, World};
use pliant_session::{Source, clock};
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
