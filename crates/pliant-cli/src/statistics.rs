//! What a run gave and took: the sums over its steps, written by `--stats`.
//!
//! The names of the fields are a contract with scripts.

use crate::json::Json;
use glam::DVec3;
use pliant::report::StageTimes;
use pliant::{Energies, StepReport, Workspace, World};

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
    /// Momentum after the last step, in kilogram metres a second.
    pub momentum: DVec3,
    /// Angular momentum after the last step, in kilogram square metres a second.
    pub angular_momentum: DVec3,
    /// Contacts in the last step.
    pub contacts: usize,
    /// Contacts in all steps.
    pub contacts_total: usize,
    /// Smallest distance of a node from an obstacle in any step, in metres; infinite without.
    pub smallest_distance: f64,
    /// Newton iterations of all steps.
    pub newton_iterations: usize,
    /// Iterations of the linear solver in all steps.
    pub linear_iterations: usize,
    /// The largest relative residual of a linear solve.
    pub linear_residual: f64,
    /// Numeric factorisations of all steps.
    pub factorisations: usize,
    /// Steps that were repeated with shorter ones, or divided.
    pub shortened_steps: usize,
    /// Attempts whose values were not finite.
    pub non_finite: usize,
    /// Bodies that are frozen.
    pub quarantined: usize,
    /// Wall time of the stages, in seconds.
    pub times: StageTimes,
    /// Wall time of making and writing frames, in seconds.
    pub output_seconds: f64,
    /// Wall time of the steps, in seconds.
    pub step_seconds: f64,
    /// Wall time of everything from the first frame to the last, in seconds.
    pub wall_seconds: f64,
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
            momentum: world.bodies.iter().map(|body| body.momentum()).sum(),
            angular_momentum: world
                .bodies
                .iter()
                .map(|body| body.angular_momentum())
                .sum(),
            contacts: 0,
            contacts_total: 0,
            smallest_distance: f64::INFINITY,
            newton_iterations: 0,
            linear_iterations: 0,
            linear_residual: 0.0,
            factorisations: 0,
            shortened_steps: 0,
            non_finite: 0,
            quarantined: 0,
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
        self.momentum = report.momentum;
        self.angular_momentum = report.angular_momentum;
        self.contacts = report.contacts;
        self.contacts_total += report.contacts;
        self.smallest_distance = self.smallest_distance.min(report.smallest_distance);
        self.newton_iterations += report.newton_iterations;
        self.linear_iterations += report.linear_iterations;
        self.linear_residual = self.linear_residual.max(report.linear_residual);
        self.factorisations += report.factorisations;
        self.shortened_steps += report.shortened_steps;
        self.non_finite += report.non_finite;
        self.quarantined = report.quarantined;
        self.times.assembly += report.times.assembly;
        self.times.solve += report.times.solve;
        self.times.contact += report.times.contact;
    }

    /// Wall time a step, in milliseconds, without output; 0 without steps.
    pub fn milliseconds_per_step(&self) -> f64 {
        1000.0 * self.step_seconds / self.steps.max(1) as f64
    }

    /// Everything as JSON.
    pub fn to_json(&self, scene: &str, world: &World, threads: usize) -> Json {
        let frozen = world.bodies.iter().filter_map(|body| {
            body.quarantine.as_ref().map(|reason| {
                Json::Object(vec![
                    ("name", (&*body.description().name).into()),
                    ("reason", reason.as_str().into()),
                ])
            })
        });
        Json::Object(vec![
            ("scene", scene.into()),
            ("nodes", world.node_count().into()),
            ("frames", self.frames.into()),
            ("steps", self.steps.into()),
            ("simulated_seconds", world.time.into()),
            ("wall_seconds", self.wall_seconds.into()),
            ("milliseconds_per_step", self.milliseconds_per_step().into()),
            (
                "energy",
                Json::Object(vec![
                    ("kinetic", self.energies.kinetic.into()),
                    ("elastic", self.energies.elastic.into()),
                    ("external", self.energies.external.into()),
                    ("highest_total", self.highest_total.into()),
                ]),
            ),
            ("momentum", self.momentum.into()),
            ("angular_momentum", self.angular_momentum.into()),
            ("contacts", self.contacts.into()),
            ("contacts_total", self.contacts_total.into()),
            ("smallest_distance", self.smallest_distance.into()),
            ("newton_iterations", self.newton_iterations.into()),
            ("linear_iterations", self.linear_iterations.into()),
            ("linear_residual", self.linear_residual.into()),
            ("factorisations", self.factorisations.into()),
            ("shortened_steps", self.shortened_steps.into()),
            ("quarantined", self.quarantined.into()),
            ("quarantined_bodies", Json::List(frozen.collect())),
            ("non_finite", self.non_finite.into()),
            ("state_hash", format!("{:016x}", world.state_hash()).into()),
            ("threads", threads.into()),
            (
                "stage_seconds",
                Json::Object(vec![
                    ("assembly", self.times.assembly.into()),
                    ("solve", self.times.solve.into()),
                    ("contact", self.times.contact.into()),
                    ("output", self.output_seconds.into()),
                ]),
            ),
        ])
    }
}
