//! Moves a body of ChainMail: what springs pull goes where they are, what lies in an obstacle comes out,
//! everything else follows and then relaxes.

use super::{LinkLimits, Mail};
use crate::body::{
    Body, BodyDescription, Effort, Integrator, MayGain, Memory, Past, Problem, Processes, State,
    StepFailure,
};
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use crate::force::{BoundForce, ForceSource};
use crate::obstacle::Obstacle;
use glam::DVec3;

/// Rounds of moving elements out of obstacles in a step.
const CONTACT_ROUNDS: usize = 3;

/// What a body of ChainMail is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MailSettings {
    /// Limits of an element of unit stiffness.
    pub(crate) limits: LinkLimits,
    /// Share of the way to rest that elements go in each round, 0 to 1.
    pub(crate) relaxation: f64,
    /// Rounds of relaxation in a step.
    pub(crate) rounds: usize,
    /// Links that are cut: element and direction.
    pub(crate) cuts: Vec<(usize, usize)>,
    /// When they are cut, in seconds.
    pub(crate) cut_time: f64,
}

/// Whether the links that are to be cut have been.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MailMemory {
    pub(crate) is_cut: bool,
    count: usize,
}

impl Memory for MailMemory {
    fn save(&self, writer: &mut SnapshotWriter) {
        writer.flags(&[self.is_cut]);
    }

    fn restore(
        &mut self,
        _description: &BodyDescription,
        reader: &mut SnapshotReader,
    ) -> Result<(), SnapshotError> {
        let mut flags = [false];
        reader.flags(&mut flags)?;
        self.is_cut = flags[0];
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Memory> {
        Box::new(self.clone())
    }

    fn broken_count(&self) -> usize {
        if self.is_cut { self.count } else { 0 }
    }
}

impl MailMemory {
    pub(crate) fn new(settings: &MailSettings) -> Self {
        Self {
            is_cut: false,
            count: settings.cuts.len(),
        }
    }
}

/// Cuts links when their time has come.
pub(crate) struct Cutting {
    pub(crate) time: f64,
}

impl Processes for Cutting {
    fn prepare<'a>(&'a mut self, _body: &Body, _time: f64, _step: f64) -> Past<'a> {
        Past::Nothing
    }

    fn commit(&mut self, body: &mut Body, _obstacles: &[Obstacle], time: f64, step: f64) {
        if let Some(memory) = body.memory_mut::<MailMemory>() {
            memory.is_cut |= time + step >= self.time;
        }
    }
}

/// Where a spring has its end at a time, if it pulls at a node then.
fn target(bound: &BoundForce, time: f64) -> Option<(usize, DVec3)> {
    let ForceSource::Point { path, span } = bound.force.source()? else {
        return None;
    };
    let [from, until] = span;
    if time < from || time > until {
        return None;
    }
    let length = until - from;
    let share = if length.is_finite() && length > 0.0 {
        (time - from) / length
    } else {
        0.0
    };
    Some((bound.node?, path[0].lerp(path[1], share)))
}

pub(crate) struct MailMover {
    mail: Mail,
    settings: MailSettings,
    is_cut: bool,
}

impl MailMover {
    pub(crate) fn new(body: &Body, settings: MailSettings, spacing: DVec3) -> Self {
        let description = body.description();
        let counts = description.material_grid().counts();
        let origin = description.rest_positions[0];
        let mut mail = Mail::new(counts, origin, spacing, settings.limits);
        let stiffnesses = description
            .material_weights()
            .tensions
            .iter()
            .map(|tension| tension[0][0]);
        for (limits, stiffness) in mail.limits_mut().iter_mut().zip(stiffnesses) {
            if stiffness > 0.0 {
                *limits = settings.limits.stiffened(stiffness);
            }
        }
        Self {
            mail,
            settings,
            is_cut: false,
        }
    }

    /// Moves elements out of obstacles; the number that lay in one, and the smallest distance at the end.
    fn leave_obstacles(&mut self, problem: &Problem, effort: &mut Effort) {
        let description = problem.body.description();
        for round in 0..=CONTACT_ROUNDS {
            let mut smallest = f64::INFINITY;
            for &index in &description.collides_with {
                let obstacle = &problem.obstacles[index];
                for node in 0..self.mail.len() {
                    let place = self.mail.place(node);
                    let depth = description.contact.thickness - obstacle.distance(place);
                    smallest = smallest.min(description.contact.thickness - depth);
                    if depth > 0.0 && round < CONTACT_ROUNDS && !description.fixed[node] {
                        let out = place + depth * obstacle.normal(place);
                        self.mail.move_to(node, out);
                        effort.contacts.count += usize::from(round == 0);
                    }
                }
            }
            effort.contacts.smallest_distance = smallest;
            if smallest >= description.contact.thickness {
                break;
            }
        }
    }
}

impl Integrator for MailMover {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let body = problem.body;
        let description = body.description();
        let mut effort = Effort::default();
        candidate.copy_from(state);
        self.mail.set_places(&state.positions);
        let is_cut = body
            .memory::<MailMemory>()
            .is_some_and(|memory| memory.is_cut);
        if is_cut && !self.is_cut {
            for &(element, direction) in &self.settings.cuts {
                self.mail.cut(element, direction);
            }
            self.is_cut = true;
        }
        for (node, &fixed) in description.fixed.iter().enumerate() {
            self.mail.hold(node, fixed);
        }
        let end = problem.time + problem.step;
        for bound in &description.forces {
            if let Some((node, place)) = target(bound, end) {
                self.mail.move_to(node, place);
                self.mail.hold(node, true);
            }
        }
        problem.check_stop()?;
        for _ in 0..self.settings.rounds {
            self.mail.relax(self.settings.relaxation);
        }
        self.leave_obstacles(problem, &mut effort);
        for node in 0..self.mail.len() {
            let place = self.mail.place(node);
            candidate.velocities[node] = (place - state.positions[node]) / problem.step;
            candidate.positions[node] = place;
        }
        Ok(effort)
    }

    fn solves_contact(&self) -> bool {
        true
    }

    /// It has no energy.
    fn elastic_energy(&mut self, _body: &Body) -> f64 {
        0.0
    }

    fn add_elastic_gradient(&mut self, _body: &Body, _gradient: &mut [DVec3]) {}

    /// Elements go where their neighbours are.
    fn has_energy(&self) -> bool {
        false
    }

    fn may_gain(&self) -> MayGain {
        MayGain::Never
    }
}
