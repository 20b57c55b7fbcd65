//! The loop of a run: steps, frames, statistics, expected values.

use crate::clock;
use crate::expectations::Expectations;
use crate::failure::Failure;
use crate::output::Outputs;
use crate::progress::{Moment, Progress};
use crate::record::Record;
use crate::schedule::Schedule;
use crate::statistics::Statistics;
use pliant::{FrameMaker, Workspace, World};

/// All that a running simulation needs beside the world.
pub struct Simulation<'a> {
    pub schedule: Schedule,
    pub statistics: Statistics,
    pub expectations: Expectations<'a>,
    pub progress: Progress,
    pub frame_maker: FrameMaker,
    pub outputs: Outputs,
    pub record: Record,
}

impl Simulation<'_> {
    /// Takes all steps from where the world is, or as many as there is a body left to move.
    pub fn simulate(
        &mut self,
        world: &mut World,
        workspace: &mut Workspace,
    ) -> Result<(), Failure> {
        let (start, before) = (clock::seconds(), self.statistics.wall_seconds);
        let result = self.advance(world, workspace);
        self.progress.end();
        self.statistics.wall_seconds = before + clock::seconds() - start;
        self.expectations.check_end(world, &self.statistics);
        result
    }

    fn advance(&mut self, world: &mut World, workspace: &mut Workspace) -> Result<(), Failure> {
        // A run that goes on has its first frame already.
        if self.record.samples.is_empty() {
            self.record.begin(world, &self.statistics);
            self.write_frame(world, workspace)?;
            self.expectations.check_due(world, &self.statistics);
        }
        let bodies = world.bodies.len();
        for step in world.step_count + 1..=self.schedule.steps {
            if self.statistics.quarantined == bodies {
                break;
            }
            let frozen_before = self.statistics.quarantined;
            let start = clock::seconds();
            let report = world.step(workspace);
            self.statistics.add(&report, clock::seconds() - start);
            self.record.step(world, &report);
            if report.quarantined > frozen_before {
                let message = format!("warning: {}", quarantines(world));
                self.progress.interrupt(&message);
            }
            // The last good state is worth a frame even between two frames.
            if report.quarantined == bodies || self.schedule.has_frame(step) {
                self.write_frame(world, workspace)?;
            }
            self.expectations.check_due(world, &self.statistics);
            self.progress.update(Moment {
                step,
                time: world.time,
                contacts: report.contacts,
            });
        }
        Ok(())
    }

    /// The cache comes first: whatever happens to the other outputs, they can be made from it.
    fn write_frame(&mut self, world: &World, workspace: &mut Workspace) -> Result<(), Failure> {
        let start = clock::seconds();
        self.statistics.frames += 1;
        self.record
            .frame(world, &self.statistics)
            .map_err(Failure::on_the_way)?;
        if !self.outputs.is_empty() {
            let mut frame = self.frame_maker.frame(world, workspace);
            frame.number = self.statistics.frames - 1;
            self.outputs.write(frame)?;
        }
        self.statistics.output_seconds += clock::seconds() - start;
        Ok(())
    }
}

/// Which bodies are frozen, when and why.
pub fn quarantines(world: &World) -> String {
    let reasons = world.bodies.iter().filter_map(|body| {
        let reason = body.quarantine.as_ref()?;
        Some(format!("body `{}` {reason}", body.description().name))
    });
    reasons.collect::<Vec<_>>().join("; ")
}
