//! Times of deterministic runs on a noisy machine.
//!
//! A run is cut into batches of steps. Several runs are advanced batch by batch in turn, so that a
//! disturbance hits all of them alike; and each may be repeated: as every repetition does the same
//! work batch for batch, the shortest time of each batch is that of the work without disturbance.

use super::cloth::{Case, ClothError, energy_of_the_fall, world};
use crate::clock;
use pliant::report::StageTimes;
use pliant::{Workspace, World};

/// How long and how often to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Steps of a run.
    pub steps: usize,
    /// Steps of a batch; energies are measured between batches, outside the timed part.
    pub batch: usize,
    /// How often the whole run is repeated.
    pub repeats: usize,
}

/// What was measured of one case.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The case.
    pub case: Case,
    /// Steps of a run.
    pub steps: usize,
    /// Processor time a step, in milliseconds.
    pub processor_milliseconds: f64,
    /// Wall time a step, in milliseconds.
    pub wall_milliseconds: f64,
    /// Iterations of the linear solver a step.
    pub mean_iterations: f64,
    /// The share of the iterations that a multigrid cycle preconditioned, else the diagonal.
    pub multigrid_share: f64,
    /// Wall time of the stages per step, in milliseconds, in the last repetition.
    pub stages: StageTimes,
    /// Steps that were repeated with shorter ones.
    pub shortened_steps: usize,
    /// Bodies that were quarantined.
    pub quarantined: usize,
    /// Sum of all energies at the beginning, in joules.
    pub initial_energy: f64,
    /// The highest sum of all energies, in joules; infinite if one was not finite.
    pub highest_energy: f64,
    /// The step after which it was found.
    pub highest_energy_step: usize,
    /// Whether all went well to the end: finite, no quarantine, energy bounded by that of the
    /// beginning.
    pub is_stable: bool,
}

/// Share of the energy of the fall by which rounding, projection and the published force, which is
/// no gradient, may exceed the initial energy.
const ENERGY_TOLERANCE: f64 = 0.01;

/// Measures several cases in turn.
pub fn measure(cases: &[Case], plan: Plan) -> Result<Vec<Measurement>, ClothError> {
    let batches = plan.steps.div_ceil(plan.batch);
    let mut shortest = vec![vec![[f64::INFINITY; 2]; batches]; cases.len()];
    let mut measured = Vec::new();
    for _ in 0..plan.repeats.max(1) {
        let mut runs = cases
            .iter()
            .map(Run::new)
            .collect::<Result<Vec<_>, ClothError>>()?;
        for batch in 0..batches {
            let steps = plan.batch.min(plan.steps - batch * plan.batch);
            for (run, shortest) in runs.iter_mut().zip(&mut shortest) {
                let times = run.advance(steps);
                let kept = &mut shortest[batch];
                *kept = [kept[0].min(times[0]), kept[1].min(times[1])];
            }
        }
        measured = runs;
    }
    let results = measured.iter().zip(cases).zip(&shortest);
    Ok(results
        .map(|((run, case), times)| run.result(*case, plan.steps, times))
        .collect())
}

struct Run {
    world: World,
    workspace: Workspace,
    iterations: usize,
    multigrid_cycles: usize,
    shortened_steps: usize,
    stages: StageTimes,
    initial_energy: f64,
    highest_energy: f64,
    highest_energy_step: usize,
}

impl Run {
    fn new(case: &Case) -> Result<Self, ClothError> {
        let world = world(case)?;
        let mut workspace = Workspace::new(&world);
        workspace.measure = false;
        workspace.clock = Some(clock::seconds);
        let initial_energy = workspace.energies(&world).total();
        Ok(Self {
            world,
            workspace,
            iterations: 0,
            multigrid_cycles: 0,
            shortened_steps: 0,
            stages: StageTimes::default(),
            initial_energy,
            highest_energy: initial_energy,
            highest_energy_step: 0,
        })
    }

    /// Takes steps and returns the processor and wall time they took, in seconds.
    fn advance(&mut self, steps: usize) -> [f64; 2] {
        let before = [clock::processor_seconds(), clock::seconds()];
        for _ in 0..steps {
            let report = self.world.step(&mut self.workspace);
            self.iterations += report.linear_iterations;
            self.multigrid_cycles += report.multigrid_cycles;
            self.shortened_steps += report.shortened_steps;
            self.stages.add(&report.times);
        }
        let after = [clock::processor_seconds(), clock::seconds()];
        let energy = self.workspace.energies(&self.world).total();
        // An energy that is not a number is as bad as an infinite one.
        let energy = if energy.is_nan() {
            f64::INFINITY
        } else {
            energy
        };
        if energy > self.highest_energy {
            self.highest_energy = energy;
            self.highest_energy_step = self.world.step_count;
        }
        [after[0] - before[0], after[1] - before[1]]
    }

    fn result(&self, case: Case, steps: usize, times: &[[f64; 2]]) -> Measurement {
        let a_step = |seconds: f64| 1000.0 * seconds / steps as f64;
        let milliseconds = |which: usize| a_step(times.iter().map(|t| t[which]).sum::<f64>());
        let bodies = self.world.bodies.iter();
        let quarantined = bodies.filter(|body| body.quarantine.is_some()).count();
        let allowed = ENERGY_TOLERANCE * energy_of_the_fall(&self.world);
        Measurement {
            case,
            steps,
            processor_milliseconds: milliseconds(0),
            wall_milliseconds: milliseconds(1),
            mean_iterations: self.iterations as f64 / steps as f64,
            multigrid_share: self.multigrid_cycles as f64 / self.iterations.max(1) as f64,
            stages: StageTimes {
                assembly: a_step(self.stages.assembly),
                solve: a_step(self.stages.solve),
                contact: a_step(self.stages.contact),
                processes: a_step(self.stages.processes),
                ..StageTimes::default()
            },
            shortened_steps: self.shortened_steps,
            quarantined,
            initial_energy: self.initial_energy,
            highest_energy: self.highest_energy,
            highest_energy_step: self.highest_energy_step,
            is_stable: quarantined == 0 && self.highest_energy <= self.initial_energy + allowed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::EnergyVariant;

    #[test]
    fn the_cloth_falls_and_stays_stable_in_both_variants() {
        let cases = [EnergyVariant::Published, EnergyVariant::Exact].map(|energy| Case {
            side: 8,
            energy,
            iterations: 100,
            diagonal: false,
            tolerance: 1e-6,
            sticks: false,
        });
        let plan = Plan {
            steps: 90,
            batch: 40,
            repeats: 1,
        };
        for measurement in measure(&cases, plan).unwrap() {
            assert!(measurement.is_stable, "{measurement:?}");
            assert!(measurement.mean_iterations > 1.0);
            assert!(measurement.wall_milliseconds > 0.0);
        }
    }
}
