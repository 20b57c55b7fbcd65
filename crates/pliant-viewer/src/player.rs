//! A simulation that can be stepped, gone back in, pulled at and changed: all that the viewer does
//! without a thread and without a window.

use crate::history::{History, HistorySpan};
use crate::renewal::{moment, workspace};
use crate::sample::{Sample, Samples};
use glam::DVec3;
use pliant::command::Command;
use pliant::force::Stencil;
use pliant::{FrameMaker, StepReport, Workspace, World};
use pliant_scene::Override;
use pliant_session::{
    ClosedBodies, Deed, Event, Failure, LiveScene, MemoryLimit, Recording, Source, clock,
    quarantines, with_overrides,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that the history of a run may take unless something else is said.
pub const HISTORY_BYTES: usize = 256 << 20;

/// A pull that is there at the present moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Its number.
    pub handle: u32,
    /// The body that is pulled.
    pub body: usize,
    /// The point of the body.
    pub stencil: Stencil,
    /// Where it is pulled to, in metres.
    pub target: DVec3,
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was taken.
    Taken,
    /// It was taken, and something went wrong in it: which bodies, when and why.
    Failed(String),
    /// Somebody stopped it; the world is as it was before.
    Stopped,
}

/// A running scene.
#[derive(Debug)]
pub struct Player {
    pub(crate) source: Source,
    /// How commands and changes reach it.
    pub(crate) live: LiveScene,
    pub(crate) workspace: Workspace,
    pub(crate) maker: FrameMaker,
    /// The bodies that enclose a volume.
    closed: ClosedBodies,
    history: History,
    /// What the user has done so far.
    pub(crate) events: Vec<Event>,
    /// What somebody did in an earlier run, to be done again.
    script: Vec<Event>,
    samples: Samples,
    /// Whether the world was put back to an earlier moment and has not gone on from there.
    is_elsewhere: bool,
    pub(crate) stop: Arc<AtomicBool>,
}

impl Player {
    /// Opens a built-in scene or a scene file, with attributes replaced.
    pub fn open(named: &str, overrides: &[Override], history: usize) -> Result<Self, Failure> {
        let source = Source::load(named, overrides, MemoryLimit::new(None))?;
        Ok(Self::new(source, overrides.to_vec(), history))
    }

    /// Plays a scene that was loaded with some attributes replaced. They become part of its text, so that
    /// they can be changed while it runs, and are in the scene that is saved.
    pub fn new(mut source: Source, overrides: Vec<Override>, history: usize) -> Self {
        let (text, overrides) = with_overrides(&source.text, &overrides);
        source.text = text;
        let live = LiveScene::new(&source, overrides);
        let first = moment(&source.world, &live.text, StepReport::default());
        let stop = Arc::default();
        Self {
            workspace: workspace(&source, &stop),
            maker: FrameMaker::new(&source.world),
            closed: ClosedBodies::new(&source.world),
            history: History::new(history, first),
            live,
            source,
            events: Vec::new(),
            script: Vec::new(),
            samples: Samples::default(),
            is_elsewhere: false,
            stop,
        }
    }

    /// Plays a recording: what was done then is done again at the same steps.
    pub fn replay(recording: &Recording, history: usize) -> Result<Self, Failure> {
        let source = recording.source(MemoryLimit::new(None))?;
        let mut player = Self::new(source, recording.overrides.clone(), history);
        player.script = recording.events.clone();
        Ok(player)
    }

    /// Whoever sets it to true stops the step at hand.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.source.world
    }

    /// The scene.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Attributes that are replaced.
    pub fn overrides(&self) -> &[Override] {
        self.live.overrides()
    }

    /// The text of the scene as it stands.
    pub fn text(&self) -> &str {
        &self.live.text
    }

    /// Which moments can be gone back to.
    pub fn history(&self) -> HistorySpan {
        self.history.span()
    }

    /// What the last steps measured.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// What the step to the present moment told.
    pub fn report(&self) -> &StepReport {
        &self.history.present().report
    }

    /// Takes a step.
    pub fn step(&mut self) -> Outcome {
        self.leave_future();
        if let Err(refusal) = self.follow_script() {
            return Outcome::Failed(refusal);
        }
        // A stop that was meant for an earlier step is over.
        self.stop.store(false, Ordering::Relaxed);
        let frozen_before = frozen(&self.source.world);
        let start = clock::seconds();
        let report = self.source.world.step(&mut self.workspace);
        let seconds = clock::seconds() - start;
        if report.is_stopped {
            self.stop.store(false, Ordering::Relaxed);
            self.undo_step();
            return Outcome::Stopped;
        }
        self.live.pending.clear();
        let world = &self.source.world;
        let volume = match self.closed.is_empty() {
            true => 0.0,
            false => self.closed.volume(world),
        };
        self.samples
            .push(Sample::new(world, &report, volume, seconds));
        self.history.push(moment(world, &self.live.text, report));
        if frozen(world) > frozen_before {
            return Outcome::Failed(quarantines(world));
        }
        Outcome::Taken
    }

    /// Does what the script has for this step.
    fn follow_script(&mut self) -> Result<(), String> {
        let step = self.source.world.step_count;
        let due: Vec<Event> = self
            .script
            .extract_if(.., |event| event.step <= step)
            .collect();
        for event in due {
            let done = match event.deed {
                Deed::Command(command) => self.command(command),
                deed => self.rewrite(deed).map(|_| ()),
            };
            done.map_err(|failure| format!("the recording at step {step}: {failure}"))?;
        }
        Ok(())
    }

    /// Goes on with a scene that was built again.
    pub(crate) fn renew(&mut self, mut fresh: Source) {
        // The text of the scene is that of its beginning, for recordings.
        fresh.text = std::mem::take(&mut self.source.text);
        self.source = fresh;
        self.make_anew();
    }

    /// Makes anew what depends on the world that was built.
    fn make_anew(&mut self) {
        self.maker = FrameMaker::new(&self.source.world);
        self.closed = ClosedBodies::new(&self.source.world);
        self.workspace = workspace(&self.source, &self.stop);
    }

    /// Puts back a world that was left in the middle of a step.
    fn undo_step(&mut self) {
        let snapshot = &self.history.present().snapshot;
        // It was made from this very world.
        let restored = self.source.world.restore(snapshot);
        debug_assert!(restored.is_ok(), "{restored:?}");
        self.workspace = workspace(&self.source, &self.stop);
        for command in self.live.pending.clone() {
            let again = self.source.world.command(command);
            debug_assert!(again.is_ok(), "{again:?}");
        }
    }

    /// Forgets the future that was left by going back, once the run takes another way.
    pub(crate) fn leave_future(&mut self) {
        if !std::mem::take(&mut self.is_elsewhere) {
            return;
        }
        self.history.forget_future();
        let present = self.history.present();
        let (step, time) = (present.step, present.time);
        self.events.retain(|event| event.step < step);
        self.script.clear();
        self.samples.forget_after(time);
        // Nothing that was remembered of another state may reach the next step.
        self.workspace = workspace(&self.source, &self.stop);
    }

    /// Goes to a moment of the history by its number; one that is too large means the newest.
    pub fn go_to(&mut self, index: usize) -> Result<(), Failure> {
        let moment = self.history.go_to(index);
        if moment.text != self.live.text {
            let text = Arc::clone(&moment.text);
            self.renew(self.live.built(&text)?);
            self.live.text = text;
        }
        let snapshot = &self.history.present().snapshot;
        let restored = self.source.world.restore(snapshot);
        restored.map_err(|error| Failure::Simulation(error.to_string()))?;
        self.live.pending.clear();
        self.is_elsewhere = true;
        Ok(())
    }

    /// Goes one moment back, if there is one.
    pub fn back(&mut self) -> Result<(), Failure> {
        match self.history.span().present.checked_sub(1) {
            Some(index) => self.go_to(index),
            None => Ok(()),
        }
    }

    /// Goes one moment forward: to the next one of the history, or by a step.
    pub fn forward(&mut self) -> Result<Outcome, Failure> {
        if self.is_elsewhere && !self.history.is_newest() {
            self.go_to(self.history.span().present + 1)?;
            return Ok(Outcome::Taken);
        }
        Ok(self.step())
    }

    /// Begins anew with the values as they stand; pulls are gone, fixed nodes are as the scene says.
    pub fn reset(&mut self) -> Result<(), Failure> {
        // A recording begins with the values as they stand.
        self.source = self.live.built(&self.live.text)?;
        let first = moment(&self.source.world, &self.live.text, StepReport::default());
        self.history.reset(first);
        self.make_anew();
        self.live.pending.clear();
        self.events.clear();
        self.script.clear();
        self.live.pulls.clear();
        self.samples = Samples::default();
        self.is_elsewhere = false;
        for ((body, _), (value, number)) in self.live.values.clone() {
            let set = Command::SetValue {
                body,
                value,
                number,
            };
            self.command(set)?;
        }
        Ok(())
    }

    /// Lets a command be applied with the next step, and records it.
    pub fn command(&mut self, command: Command) -> Result<(), Failure> {
        self.leave_future();
        self.live.command(&mut self.source.world, command)?;
        self.events.push(Event {
            step: self.source.world.step_count,
            deed: Deed::Command(command),
        });
        Ok(())
    }

    /// All that was done so far, so that it can be done again.
    pub fn recording(&self) -> Recording {
        let last = self.source.world.step_count;
        let events = self.events.iter().filter(|event| event.step < last);
        Recording::new(
            &self.source,
            self.live.overrides().to_vec(),
            events.cloned().collect(),
            last,
            self.source.world.state_hash(),
        )
    }
}

fn frozen(world: &World) -> usize {
    let bodies = world.bodies.iter();
    bodies.filter(|body| body.quarantine.is_some()).count()
}
