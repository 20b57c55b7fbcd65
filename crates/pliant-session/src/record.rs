//! What a run remembers of its steps, in memory for plots and in the cache for later.

use crate::statistics::Statistics;
use crate::volume::ClosedBodies;
use pliant::{StepReport, World};
use pliant_io::IoError;
use pliant_io::cache::{CacheWriter, CachedFrame, StepSample};

/// The measures of all steps so far, and the cache they go to.
#[derive(Debug)]
pub struct Record {
    /// One sample for each step, after that of the beginning.
    pub samples: Vec<StepSample>,
    cache: Option<CacheWriter>,
    closed: ClosedBodies,
    /// How many samples the cache holds.
    saved: usize,
}

impl Record {
    /// Of a run that begins, or goes on after `samples`, which the cache holds already.
    pub fn new(world: &World, samples: Vec<StepSample>, cache: Option<CacheWriter>) -> Self {
        Self {
            saved: samples.len(),
            samples,
            cache,
            closed: ClosedBodies::new(world),
        }
    }

    /// Goes on with a world that was built again.
    pub fn world_was_rebuilt(&mut self, world: &World) {
        self.closed = ClosedBodies::new(world);
    }

    /// Notes the state before the first step.
    pub fn begin(&mut self, world: &World, statistics: &Statistics) {
        self.samples.push(StepSample {
            time: world.time,
            kinetic: statistics.energies.kinetic,
            elastic: statistics.energies.elastic,
            external: statistics.energies.external,
            momentum: statistics.momentum,
            angular_momentum: statistics.angular_momentum,
            volume: self.closed.volume(world),
            volumes: self.closed.volumes(world),
            ..StepSample::default()
        });
    }

    /// Notes a step.
    pub fn step(&mut self, world: &World, report: &StepReport) {
        self.samples.push(StepSample {
            time: world.time,
            kinetic: report.energies.kinetic,
            elastic: report.energies.elastic,
            external: report.energies.external,
            work: report.work,
            dissipated: report.dissipated,
            dissipation: report.dissipation,
            energy_created: report.energy_created,
            momentum: report.momentum,
            angular_momentum: report.angular_momentum,
            volume: self.closed.volume(world),
            volumes: self.closed.volumes(world),
            contacts: report.contacts,
            newton_iterations: report.newton_iterations,
            linear_iterations: report.linear_iterations,
            shortened_steps: report.shortened_steps,
        });
    }

    /// Says in the cache, if there is one, that the run came to its end.
    pub fn finish(&mut self) -> Result<(), IoError> {
        self.cache.as_mut().map_or(Ok(()), CacheWriter::finish)
    }

    /// Adds a frame to the cache, if there is one.
    pub fn frame(&mut self, world: &World, statistics: &Statistics) -> Result<(), IoError> {
        let Some(cache) = &mut self.cache else {
            return Ok(());
        };
        cache.append(&CachedFrame {
            step: world.step_count,
            time: world.time,
            snapshot: world.snapshot(),
            samples: self.samples[self.saved..].to_vec(),
            totals: statistics.totals(),
        })?;
        self.saved = self.samples.len();
        Ok(())
    }
}
