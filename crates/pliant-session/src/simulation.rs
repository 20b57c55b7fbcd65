//! The loop of a run: steps, frames, statistics, expected values.

use crate::expectations::Expectations;
use crate::failure::Failure;
use crate::record::Record;
use crate::replay;
use crate::resume::Resumed;
use crate::schedule::Schedule;
use crate::script::{Followed, Script};
use crate::statistics::Statistics;
use glam::DVec3;
use pliant::{Frame, FrameMaker, Workspace, World};
use pliant_io::cache::CacheWriter;
use pliant_scene::crossings;
use std::path::PathBuf;

/// All that a running simulation needs beside the world.
#[derive(Debug)]
pub struct Simulation<'a> {
    /// Which steps are taken and which frames are made.
    pub schedule: Schedule,
    /// Sums over the steps.
    pub statistics: Statistics,
    /// What the scene expects.
    pub expectations: Expectations<'a>,
    /// The measures of all steps, and the cache they go to.
    pub record: Record,
    /// What is done on the way.
    pub script: Option<Script>,
    frame_maker: FrameMaker,
    /// Seconds since some moment; the engine and a browser know no clock.
    clock: fn() -> f64,
}

/// Who follows a run.
pub trait Observer {
    /// Whether frames are to be made at all.
    fn wants_frames(&self) -> bool;

    /// Takes a frame.
    fn frame(&mut self, frame: Frame) -> Result<(), Failure>;

    /// A step was taken.
    fn step(&mut self, _moment: Moment) {}

    /// Something that the user should know before the end.
    fn warning(&mut self, _message: &str) {}

    /// Whether the run is to end with the next frame.
    fn wants_to_stop(&self) -> bool {
        false
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Steps taken.
    pub step: usize,
    /// Simulated time, in seconds.
    pub time: f64,
    /// Contacts of the last step.
    pub contacts: usize,
}

impl<'a> Simulation<'a> {
    /// For a world in its initial state.
    pub fn new(
        world: &World,
        workspace: &mut Workspace,
        schedule: Schedule,
        expectations: Expectations<'a>,
        clock: fn() -> f64,
    ) -> Self {
        Self {
            schedule,
            statistics: Statistics::new(world, workspace),
            expectations,
            record: Record::new(world, Vec::new(), None),
            script: None,
            frame_maker: FrameMaker::new(world),
            clock,
        }
    }

    /// Takes up a run after its last frame. The observer gets all earlier frames first, so that
    /// what it writes is whole. If the end of the cache is damaged it is copied before it is cut
    /// off, and the copy is named.
    pub fn go_on(
        &mut self,
        world: &mut World,
        workspace: &mut Workspace,
        resumed: Resumed,
        observer: &mut dyn Observer,
    ) -> Result<Option<PathBuf>, Failure> {
        let Resumed { mut cache, last } = resumed;
        if observer.wants_frames() {
            let numbers: Vec<usize> = cache.whole_frames().collect();
            for number in numbers {
                let cached = cache.frame(number).map_err(Failure::Cache)?;
                replay::restore(world, &cached, cache.path())?;
                let mut frame = self.frame_maker.frame(world, workspace);
                frame.number = number;
                observer.frame(frame)?;
            }
        }
        replay::restore(world, &last, cache.path())?;
        // Nothing that was remembered of earlier states may reach the next step.
        *workspace = Workspace::new(world);
        self.statistics.continue_from(&last.totals);
        let samples = replay::samples(&mut cache)?;
        let (writer, copy) = CacheWriter::resume(&mut cache).map_err(Failure::Cache)?;
        self.record = Record::new(world, samples, Some(writer));
        Ok(copy)
    }

    /// Takes all steps from where the world is, or as many as there is a body left to move. Returns
    /// whether the observer stopped it before the end.
    pub fn simulate(
        &mut self,
        world: &mut World,
        workspace: &mut Workspace,
        observer: &mut dyn Observer,
    ) -> Result<bool, Failure> {
        let (start, before) = ((self.clock)(), self.statistics.wall_seconds);
        let result = self.advance(world, workspace, observer);
        self.statistics.wall_seconds = before + (self.clock)() - start;
        if matches!(result, Ok(false)) {
            self.expectations.check_end(world, &self.statistics);
            self.record.finish().map_err(Failure::on_the_way)?;
        }
        result
    }

    fn advance(
        &mut self,
        world: &mut World,
        workspace: &mut Workspace,
        observer: &mut dyn Observer,
    ) -> Result<bool, Failure> {
        // A run that goes on has its first frame already.
        if self.record.samples.is_empty() {
            self.record.begin(world, &self.statistics);
            self.write_frame(world, workspace, observer)?;
            self.expectations.check_due(world, &self.statistics);
        }
        let bodies = world.bodies.len();
        for step in world.step_count + 1..=self.schedule.steps {
            if self.statistics.quarantined == bodies {
                break;
            }
            // Only after a frame: a run that goes on begins there.
            if observer.wants_to_stop() && self.schedule.has_frame(step - 1) {
                return Ok(true);
            }
            self.follow_script(world, workspace, observer)?;
            let frozen_before = self.statistics.quarantined;
            let start = (self.clock)();
            let report = world.step(workspace);
            if report.is_stopped {
                return Ok(true);
            }
            if let Some(script) = &mut self.script {
                script.step_taken();
            }
            self.statistics.add(&report, (self.clock)() - start);
            self.record.step(world, &report);
            if report.quarantined > frozen_before {
                observer.warning(&format!("warning: {}", quarantines(world)));
            }
            // The last good state is worth a frame even between two frames.
            if report.quarantined == bodies || self.schedule.has_frame(step) {
                self.write_frame(world, workspace, observer)?;
            }
            self.expectations.check_due(world, &self.statistics);
            observer.step(Moment {
                step,
                time: world.time,
                contacts: report.contacts,
            });
        }
        Ok(false)
    }

    /// Does what the script has for the next step.
    fn follow_script(
        &mut self,
        world: &mut World,
        workspace: &mut Workspace,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let Some(script) = &mut self.script else {
            return Ok(());
        };
        let time_step = world.time_step();
        let Followed::Rebuilt(anew) = script.follow(world)? else {
            return Ok(());
        };
        *workspace = renewed(workspace, world);
        self.frame_maker = FrameMaker::new(world);
        self.record.world_was_rebuilt(world);
        for name in anew {
            observer.warning(&format!(
                "body `{name}` starts anew at step {}: the changed scene gives it other nodes",
                world.step_count
            ));
        }
        if world.time_step() != time_step {
            observer.warning(&format!(
                "the time step changes from {time_step} s to {} s at step {}; frames stay {} steps \
                 apart",
                world.time_step(),
                world.step_count,
                self.schedule.steps_a_frame
            ));
        }
        Ok(())
    }

    /// The cache comes first: whatever happens to the other outputs, they can be made from it.
    fn write_frame(
        &mut self,
        world: &World,
        workspace: &mut Workspace,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let start = (self.clock)();
        self.statistics.frames += 1;
        if let Some(contact) = &world.contact {
            let found = crossings(contact, &world.bodies);
            if let (0, Some(first)) = (self.statistics.intersections, found.first()) {
                observer.warning(&passage(world, *first));
            }
            self.statistics.intersections += found.len();
        }
        self.record
            .frame(world, &self.statistics)
            .map_err(Failure::on_the_way)?;
        if observer.wants_frames() {
            let mut frame = self.frame_maker.frame(world, workspace);
            frame.number = self.statistics.frames - 1;
            observer.frame(frame)?;
        }
        self.statistics.output_seconds += (self.clock)() - start;
        Ok(())
    }
}

/// What is said when surfaces that are to meet pass through each other.
fn passage(world: &World, (pair, place): ([usize; 2], DVec3)) -> String {
    let [a, b] = pair.map(|body| &*world.bodies[body].description().name);
    let who = match a == b {
        true => format!("`{a}` passes through itself"),
        false => format!("`{a}` and `{b}` pass through each other"),
    };
    let time = world.time;
    format!("warning: {who} at {time:.3} s, first near {place:.4}")
}

/// Scratch memory for a world that was built again.
fn renewed(old: &Workspace, world: &World) -> Workspace {
    let mut workspace = Workspace::new(world);
    workspace.clock = old.clock;
    workspace.bounds = old.bounds;
    workspace.stop.clone_from(&old.stop);
    workspace
}

/// More bodies than these are not named one by one.
const MOST_NAMES: usize = 6;

/// Which bodies are frozen, when and why.
pub fn quarantines(world: &World) -> String {
    // What moves together is frozen together, for one reason.
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for body in &world.bodies {
        let Some(reason) = body.quarantine.as_deref() else {
            continue;
        };
        let name = &*body.description().name;
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    let say = |(reason, names): &(&str, Vec<&str>)| match names[..] {
        [name] => format!("body `{name}` {reason}"),
        [first, .., last] if names.len() > MOST_NAMES => {
            format!("{} bodies, `{first}` to `{last}`, {reason}", names.len())
        }
        _ => format!("bodies `{}` {reason}", names.join("`, `")),
    };
    let reasons: Vec<String> = reasons.iter().map(say).collect();
    reasons.join("; ")
}
