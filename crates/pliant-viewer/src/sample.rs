//! What steps measured, for plots.

use pliant::report::StageTimes;
use pliant::{StepReport, World};
use std::collections::VecDeque;

/// How many steps are kept.
const KEPT: usize = 600;

/// One step in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Simulated time after the step, in seconds.
    pub time: f64,
    /// Kinetic energy, in joules.
    pub kinetic: f64,
    /// Elastic energy, in joules.
    pub elastic: f64,
    /// Energy in external forces, in joules.
    pub external: f64,
    /// Energy that the step took out of the world, in joules.
    pub dissipated: f64,
    /// The same by cause: damping, friction, processes and the rest, less what was created.
    pub causes: [f64; 4],
    /// Energy that appeared without work, in joules.
    pub created: f64,
    /// Pairs in contact.
    pub contacts: usize,
    /// Newton iterations.
    pub newton_iterations: usize,
    /// Iterations of the linear solver.
    pub linear_iterations: usize,
    /// Linear solves that ended at their limit.
    pub unconverged: usize,
    /// Volume inside closed bodies, in cubic metres; zero if there is none.
    pub volume: f64,
    /// Time that the step took, in milliseconds of the wall.
    pub milliseconds: f64,
    /// What of it went to assembly, the linear solver, contact and processes.
    pub stages: [f64; 4],
}

impl Sample {
    /// A step that took so many seconds, after which closed bodies have that volume.
    pub fn new(world: &World, report: &StepReport, volume: f64, seconds: f64) -> Self {
        Self {
            time: world.time,
            kinetic: report.energies.kinetic,
            elastic: report.energies.elastic,
            external: report.energies.external,
            dissipated: report.dissipated,
            causes: report.dissipation.causes(),
            created: report.energy_created,
            contacts: report.contacts + report.active_pairs,
            newton_iterations: report.newton_iterations,
            linear_iterations: report.linear_iterations,
            unconverged: report.unconverged_solves,
            volume,
            milliseconds: 1e3 * seconds,
            stages: stages(&report.times),
        }
    }
}

/// Milliseconds of assembly, the linear solver, all of contact, and processes.
fn stages(times: &StageTimes) -> [f64; 4] {
    let contact = times.contact + times.search + times.guarantee;
    [times.assembly, times.solve, contact, times.processes].map(|seconds| 1e3 * seconds)
}

/// The last steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples(pub VecDeque<Sample>);

impl Samples {
    /// Adds a step and forgets the oldest beyond a number.
    pub fn push(&mut self, sample: Sample) {
        self.0.push_back(sample);
        if self.0.len() > KEPT {
            self.0.pop_front();
        }
    }

    /// Forgets what came after a time.
    pub fn forget_after(&mut self, time: f64) {
        while self.0.back().is_some_and(|sample| sample.time > time) {
            self.0.pop_back();
        }
    }
}
