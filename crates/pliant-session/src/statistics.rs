//! What a run gave and took: the sums over its steps, written by `--stats`.
//!
//! The names of the fields are a contract with scripts.

use glam::DVec3;
use pliant::report::{Dissipation, StageTimes};
use pliant::{Body, Energies, StepReport, Workspace, World};
use serde_json::{Value, json};

/// Steps after which a rise of energy is one that lasts.
pub const LASTING: usize = 20;

/// The fewest steps after which one has lasted until the end of a run.
const LATE: usize = 5;

/// A way in a step that is rounding, by the size of a body.
const UNSEEN: f64 = 1e-9;

/// The energy of a motion of a body that is none, in joules.
fn energy_unseen(body: &Body) -> f64 {
    let description = body.description();
    let mass: f64 = description.masses.iter().sum();
    0.5 * mass * (UNSEEN * body.size() / description.time_step).powi(2)
}

/// Sums over the steps of a run.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// Frames written.
    pub frames: usize,
    /// Steps taken.
    pub steps: usize,
    /// Energies after the last step, in joules.
    pub energies: Energies,
    /// The highest sum of all energies so far, in joules.
    pub highest_total: f64,
    /// The sum of all energies where the run began, in joules,
    pub first_total: f64,
    /// and the most by which it has been above that and the work done since for as long as twenty steps, in
    /// joules.
    pub highest_rise: f64,
    /// The least of that in the last of these steps.
    low_rise: f64,
    /// The same in the last few steps before the last multiple of so many, and since.
    late_rises: [f64; 2],
    /// The energy of a motion that is none, in joules.
    pub energy_unseen: f64,
    /// The highest kinetic energy after any step, in joules.
    pub highest_kinetic: f64,
    /// Momentum after the last step, in kilogram metres per second.
    pub momentum: DVec3,
    /// Angular momentum after the last step, in kilogram square metres per second.
    pub angular_momentum: DVec3,
    /// Contacts in the last step.
    pub contacts: usize,
    /// Contacts in all steps.
    pub contacts_total: usize,
    /// Smallest distance of a node from an obstacle in any step, in metres; infinite without.
    pub smallest_distance: f64,
    /// Pairs of features of bodies that might have touched, in the step that had most.
    pub candidates: usize,
    /// Pairs of features of bodies within the thickness of contact, in the last step.
    pub active_pairs: usize,
    /// Newton iterations of bodies that moved as one system.
    pub contact_rounds: usize,
    /// Edges that passed through triangles, counted exactly at every frame of a scene whose bodies
    /// meet each other.
    pub intersections: usize,
    /// Newton iterations of all steps.
    pub newton_iterations: usize,
    /// Iterations of the linear solver in all steps.
    pub linear_iterations: usize,
    /// The largest relative residual of a linear solve.
    pub linear_residual: f64,
    /// Numeric factorisations of all steps; more in a run that is resumed, which begins without any.
    pub factorisations: usize,
    /// Linear solves that ended at their limit.
    pub unconverged_solves: usize,
    /// Steps of two stages that were repeated by backward Euler.
    pub damped_steps: usize,
    /// Work of moving springs, switched forces and streams, in joules.
    pub work: f64,
    /// Energy that left the world, in joules.
    pub dissipated: f64,
    /// The same by cause, less what was created.
    pub dissipation: Dissipation,
    /// Energy that appeared without work, in joules: errors of the steps.
    pub energy_created: f64,
    /// Steps that were repeated with shorter ones, or divided.
    pub shortened_steps: usize,
    /// Attempts whose values were not finite.
    pub non_finite: usize,
    /// Bodies that are frozen.
    pub quarantined: usize,
    /// Links that are broken after the last step.
    pub broken_links: usize,
    /// Particles that are fluid after the last step.
    pub molten: usize,
    /// Wall time of the stages, in seconds.
    pub times: StageTimes,
    /// Wall time of making and writing frames, in seconds.
    pub output_seconds: f64,
    /// Wall time of the steps, in seconds.
    pub step_seconds: f64,
    /// Wall time of everything from the first frame to the last, in seconds.
    pub wall_seconds: f64,
}

/// One of the sums, to be read or replaced.
enum Sum<'a> {
    Count(&'a mut usize),
    Number(&'a mut f64),
}

impl Statistics {
    /// Of a world in its initial state.
    pub fn new(world: &World, workspace: &mut Workspace) -> Self {
        let energies = workspace.energies(world);
        Self {
            frames: 0,
            steps: 0,
            energies,
            highest_total: energies.total(),
            first_total: energies.total(),
            highest_rise: 0.0,
            low_rise: f64::MAX,
            late_rises: [f64::MAX; 2],
            energy_unseen: world.bodies.iter().map(energy_unseen).sum(),
            highest_kinetic: energies.kinetic,
            momentum: world.bodies.iter().map(|body| body.momentum()).sum(),
            angular_momentum: world
                .bodies
                .iter()
                .map(|body| body.angular_momentum())
                .sum(),
            contacts: 0,
            contacts_total: 0,
            smallest_distance: f64::INFINITY,
            candidates: 0,
            active_pairs: 0,
            contact_rounds: 0,
            intersections: 0,
            newton_iterations: 0,
            linear_iterations: 0,
            linear_residual: 0.0,
            factorisations: 0,
            unconverged_solves: 0,
            damped_steps: 0,
            work: 0.0,
            dissipated: 0.0,
            dissipation: Dissipation::default(),
            energy_created: 0.0,
            shortened_steps: 0,
            non_finite: 0,
            quarantined: 0,
            broken_links: 0,
            molten: 0,
            times: StageTimes::default(),
            output_seconds: 0.0,
            step_seconds: 0.0,
            wall_seconds: 0.0,
        }
    }

    /// Adds a step that took `seconds`.
    pub fn add(&mut self, report: &StepReport, seconds: f64) {
        self.steps += 1;
        self.step_seconds += seconds;
        self.energies = report.energies;
        self.highest_total = self.highest_total.max(report.energies.total());
        self.highest_kinetic = self.highest_kinetic.max(report.energies.kinetic);
        self.momentum = report.momentum;
        self.angular_momentum = report.angular_momentum;
        self.contacts = report.contacts;
        self.contacts_total += report.contacts;
        self.smallest_distance = self.smallest_distance.min(report.smallest_distance);
        self.candidates = self.candidates.max(report.candidates);
        self.active_pairs = report.active_pairs;
        self.contact_rounds += report.contact_rounds;
        self.newton_iterations += report.newton_iterations;
        self.linear_iterations += report.linear_iterations;
        self.linear_residual = self.linear_residual.max(report.linear_residual);
        self.factorisations += report.factorisations;
        self.unconverged_solves += report.unconverged_solves;
        self.damped_steps += report.damped_steps;
        self.work += report.work;
        let rise = report.energies.total() - self.first_total - self.work;
        self.low_rise = self.low_rise.min(rise);
        if self.steps.is_multiple_of(LASTING) {
            self.highest_rise = self.rise_until_now();
            self.low_rise = f64::MAX;
        }
        if self.steps % LATE == 1 {
            self.late_rises = [self.late_rises[1], f64::MAX];
        }
        self.late_rises[1] = self.late_rises[1].min(rise);
        self.dissipated += report.dissipated;
        self.dissipation.add(&report.dissipation);
        self.energy_created += report.energy_created;
        self.shortened_steps += report.shortened_steps;
        self.non_finite += report.non_finite;
        self.quarantined = report.quarantined;
        self.broken_links = report.broken_links;
        self.molten = report.molten;
        self.times.add(&report.times);
    }

    /// All sums by name, as a cache keeps them.
    pub fn totals(&self) -> Vec<(String, f64)> {
        let mut copy = self.clone();
        let value = |sum: Sum| match sum {
            Sum::Count(count) => *count as f64,
            Sum::Number(number) => *number,
        };
        let sums = copy.sums().into_iter();
        sums.map(|(name, sum)| (name.to_owned(), value(sum)))
            .collect()
    }

    /// Goes on from the sums that a cache kept.
    pub fn continue_from(&mut self, totals: &[(String, f64)]) {
        for (name, sum) in self.sums() {
            if let Some((_, total)) = totals.iter().find(|(known, _)| known == name) {
                match sum {
                    Sum::Count(count) => *count = *total as usize,
                    Sum::Number(number) => *number = *total,
                }
            }
        }
    }

    /// The one list of what a cache keeps.
    fn sums(&mut self) -> Vec<(&'static str, Sum<'_>)> {
        let (momentum, angular) = (&mut self.momentum, &mut self.angular_momentum);
        let causes = &mut self.dissipation;
        let [earlier_rise, late_rise] = &mut self.late_rises;
        vec![
            ("frames", Sum::Count(&mut self.frames)),
            ("steps", Sum::Count(&mut self.steps)),
            ("kinetic", Sum::Number(&mut self.energies.kinetic)),
            ("elastic", Sum::Number(&mut self.energies.elastic)),
            ("external", Sum::Number(&mut self.energies.external)),
            ("highest_total", Sum::Number(&mut self.highest_total)),
            ("first_total", Sum::Number(&mut self.first_total)),
            ("highest_rise", Sum::Number(&mut self.highest_rise)),
            ("low_rise", Sum::Number(&mut self.low_rise)),
            ("earlier_rise", Sum::Number(earlier_rise)),
            ("late_rise", Sum::Number(late_rise)),
            ("highest_kinetic", Sum::Number(&mut self.highest_kinetic)),
            ("momentum_x", Sum::Number(&mut momentum.x)),
            ("momentum_y", Sum::Number(&mut momentum.y)),
            ("momentum_z", Sum::Number(&mut momentum.z)),
            ("angular_momentum_x", Sum::Number(&mut angular.x)),
            ("angular_momentum_y", Sum::Number(&mut angular.y)),
            ("angular_momentum_z", Sum::Number(&mut angular.z)),
            ("contacts", Sum::Count(&mut self.contacts)),
            ("contacts_total", Sum::Count(&mut self.contacts_total)),
            (
                "smallest_distance",
                Sum::Number(&mut self.smallest_distance),
            ),
            ("candidates", Sum::Count(&mut self.candidates)),
            ("active_pairs", Sum::Count(&mut self.active_pairs)),
            ("contact_rounds", Sum::Count(&mut self.contact_rounds)),
            ("intersections", Sum::Count(&mut self.intersections)),
            ("newton_iterations", Sum::Count(&mut self.newton_iterations)),
            ("linear_iterations", Sum::Count(&mut self.linear_iterations)),
            ("linear_residual", Sum::Number(&mut self.linear_residual)),
            ("factorisations", Sum::Count(&mut self.factorisations)),
            (
                "unconverged_solves",
                Sum::Count(&mut self.unconverged_solves),
            ),
            ("damped_steps", Sum::Count(&mut self.damped_steps)),
            ("work", Sum::Number(&mut self.work)),
            ("dissipated", Sum::Number(&mut self.dissipated)),
            ("dissipated_by_damping", Sum::Number(&mut causes.damping)),
            ("dissipated_by_friction", Sum::Number(&mut causes.friction)),
            (
                "dissipated_by_processes",
                Sum::Number(&mut causes.processes),
            ),
            ("dissipated_by_rest", Sum::Number(&mut causes.rest)),
            ("energy_created", Sum::Number(&mut self.energy_created)),
            ("shortened_steps", Sum::Count(&mut self.shortened_steps)),
            ("non_finite", Sum::Count(&mut self.non_finite)),
            ("quarantined", Sum::Count(&mut self.quarantined)),
            ("broken_links", Sum::Count(&mut self.broken_links)),
            ("molten", Sum::Count(&mut self.molten)),
            ("assembly_seconds", Sum::Number(&mut self.times.assembly)),
            ("solve_seconds", Sum::Number(&mut self.times.solve)),
            ("contact_seconds", Sum::Number(&mut self.times.contact)),
            ("search_seconds", Sum::Number(&mut self.times.search)),
            ("guarantee_seconds", Sum::Number(&mut self.times.guarantee)),
            ("processes_seconds", Sum::Number(&mut self.times.processes)),
            ("output_seconds", Sum::Number(&mut self.output_seconds)),
            ("step_seconds", Sum::Number(&mut self.step_seconds)),
            ("wall_seconds", Sum::Number(&mut self.wall_seconds)),
        ]
    }

    /// The most by which the sum of all energies has risen above what it was and the work done, in joules. What
    /// comes and goes within some steps, as in an impact, is left out, unless the run ends meanwhile.
    pub fn lasting_rise(&self) -> f64 {
        let late = self.late_rises[0].min(self.late_rises[1]);
        match late < f64::MAX {
            true => self.rise_until_now().max(late),
            false => self.rise_until_now(),
        }
    }

    /// The same without what has risen in the last few steps.
    fn rise_until_now(&self) -> f64 {
        match self.low_rise < f64::MAX {
            true => self.highest_rise.max(self.low_rise),
            false => self.highest_rise,
        }
    }

    /// Wall time a step, in milliseconds, without output; 0 without steps.
    pub fn milliseconds_per_step(&self) -> f64 {
        1000.0 * self.step_seconds / self.steps.max(1) as f64
    }

    /// Everything as JSON; a number that is not finite is null.
    pub fn to_json(&self, scene: &str, world: &World, threads: usize) -> Value {
        let frozen = world.bodies.iter().filter_map(|body| {
            let reason = body.quarantine.as_ref()?;
            Some(json!({ "name": &*body.description().name, "reason": reason }))
        });
        let stages = json!({
            "assembly": self.times.assembly,
            "solve": self.times.solve,
            "contact": self.times.contact,
            "search": self.times.search,
            "guarantee": self.times.guarantee,
            "processes": self.times.processes,
            "output": self.output_seconds,
        });
        json!({
            "scene": scene,
            "nodes": world.node_count(),
            "frames": self.frames,
            "steps": self.steps,
            "simulated_seconds": world.time,
            "wall_seconds": self.wall_seconds,
            "milliseconds_per_step": self.milliseconds_per_step(),
            "energy": {
                "kinetic": self.energies.kinetic,
                "elastic": self.energies.elastic,
                "external": self.energies.external,
                "highest_total": self.highest_total,
            },
            "momentum": self.momentum.to_array(),
            "angular_momentum": self.angular_momentum.to_array(),
            "contacts": self.contacts,
            "contacts_total": self.contacts_total,
            "smallest_distance": self.smallest_distance,
            "candidates": self.candidates,
            "active_pairs": self.active_pairs,
            "contact_rounds": self.contact_rounds,
            "intersections": self.intersections,
            "newton_iterations": self.newton_iterations,
            "linear_iterations": self.linear_iterations,
            "linear_residual": self.linear_residual,
            "factorisations": self.factorisations,
            "unconverged_solves": self.unconverged_solves,
            "damped_steps": self.damped_steps,
            "work": self.work,
            "dissipated": self.dissipated,
            "dissipation": {
                "damping": self.dissipation.damping,
                "friction": self.dissipation.friction,
                "processes": self.dissipation.processes,
                "rest": self.dissipation.rest,
            },
            "energy_created": self.energy_created,
            "shortened_steps": self.shortened_steps,
            "quarantined": self.quarantined,
            "broken_links": self.broken_links,
            "molten": self.molten,
            "quarantined_bodies": frozen.collect::<Vec<_>>(),
            "non_finite": self.non_finite,
            "state_hash": format!("{:016x}", world.state_hash()),
            "threads": threads,
            "stage_seconds": stages,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_that_comes_and_goes_is_no_rise() {
        let world = World::default();
        let mut statistics = Statistics::new(&world, &mut Workspace::new(&world));
        let mut go_on = |steps: usize, energy: &dyn Fn(usize) -> f64| {
            for step in 0..steps {
                let energies = Energies {
                    kinetic: energy(step),
                    ..Energies::default()
                };
                let report = StepReport {
                    energies,
                    ..StepReport::default()
                };
                statistics.add(&report, 0.0);
            }
            statistics.lasting_rise()
        };
        // An impact that gives back what it took.
        let swings = |step: usize| if step % 10 < 5 { 1.0 } else { 0.0 };
        assert_eq!(go_on(4 * LASTING, &swings), 0.0);
        let grows = |step: usize| 0.01 * step as f64;
        assert!(go_on(10 * LASTING, &grows) > 1.7);
        // What has risen before the run ends counts, however few steps it has had.
        assert!(go_on(LATE + 1, &|_| 3.0) > 2.9);
        // What is lost later has risen all the same.
        assert!(go_on(10 * LASTING, &|_| 0.0) > 1.7);
    }

    #[test]
    fn sums_go_on_where_a_cache_left_them() {
        let world = World::default();
        let mut workspace = Workspace::new(&world);
        let mut first = Statistics::new(&world, &mut workspace);
        let report = StepReport {
            momentum: DVec3::new(1.0, 2.0, 1.0 / 3.0),
            contacts: 7,
            smallest_distance: -0.1,
            newton_iterations: 3,
            linear_residual: 1e-7,
            dissipation: Dissipation {
                friction: 0.1,
                ..Dissipation::default()
            },
            ..StepReport::default()
        };
        first.add(&report, 0.25);
        first.frames = 2;
        let mut second = Statistics::new(&world, &mut workspace);
        assert_ne!(second.totals(), first.totals());
        second.continue_from(&first.totals());
        assert_eq!(second.totals(), first.totals());
        assert_eq!(format!("{second:?}"), format!("{first:?}"));
    }
}
