//! The sum of all external forces of a body, with normals and penalty contact.

use crate::body::{Body, Problem, State};
use crate::contact::{ContactMethod, add_penalty_loads, penalty_potential};
use crate::force::{BoundForce, Loads, NodalView};
use glam::DVec3;

/// When and for how long external forces act.
#[derive(Clone, Copy, Debug)]
pub struct LoadMoment {
    /// Time, in seconds.
    pub time: f64,
    /// The part of time that the evaluation stands for: beginning and end, in seconds.
    pub window: [f64; 2],
    /// Length of the step over which velocities are formed, in seconds; 0 where there is none.
    pub step: f64,
}

impl LoadMoment {
    /// A moment without a step.
    pub fn instant(time: f64) -> Self {
        Self {
            time,
            window: [time; 2],
            step: 0.0,
        }
    }

    /// The end of a step that begins at a time: the forces of the step are taken there.
    pub fn end_of(begin: f64, step: f64) -> Self {
        Self {
            time: begin + step,
            window: [begin, begin + step],
            step,
        }
    }

    /// The beginning of a step: the forces of the step are taken there.
    pub fn beginning_of(begin: f64, step: f64) -> Self {
        Self {
            time: begin,
            ..Self::end_of(begin, step)
        }
    }
}

/// Evaluates external forces; owns the room for normals.
#[derive(Debug)]
pub struct LoadEvaluator {
    directions: Vec<DVec3>,
    uses_directions: bool,
    /// Whether penalties of obstacles are left to others.
    leaves_contact: bool,
    /// Room for the forces that do work.
    driven: Loads,
}

impl LoadEvaluator {
    /// For the forces of a body.
    pub fn new(body: &Body) -> Self {
        let description = body.description();
        let uses_directions = description.contact.along_body_normal
            || description
                .forces
                .iter()
                .any(|bound| bound.force.uses_normals());
        let count = if uses_directions {
            body.node_count()
        } else {
            0
        };
        Self {
            directions: vec![DVec3::ZERO; count],
            uses_directions,
            leaves_contact: false,
            driven: Loads::default(),
        }
    }

    /// The same without the penalties of obstacles, which are part of what is solved.
    pub fn without_contact(body: &Body) -> Self {
        Self {
            leaves_contact: true,
            ..Self::new(body)
        }
    }

    fn view<'a>(
        &'a self,
        problem: &Problem<'a>,
        positions: &'a [DVec3],
        velocities: &'a [DVec3],
        moment: LoadMoment,
    ) -> NodalView<'a> {
        let description = problem.body.description();
        let touching = description.touching_count();
        NodalView {
            positions: &positions[..touching],
            velocities: &velocities[..touching],
            masses: &description.masses,
            directions: &self.directions,
            curve: problem.body.formulation().dimension(description) == 1,
            time: moment.time,
            step: moment.step,
            window: moment.window,
        }
    }

    /// Takes the normals of given positions for all evaluations until the next call.
    pub fn take_directions(&mut self, problem: &Problem, positions: &[DVec3]) {
        if self.uses_directions {
            let formulation = problem.body.formulation();
            formulation.directions(problem.body, positions, &mut self.directions);
        }
    }

    /// Sums all external forces.
    pub fn evaluate(
        &mut self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        moment: LoadMoment,
        loads: &mut Loads,
    ) {
        self.take_directions(problem, positions);
        self.evaluate_with_directions(problem, positions, velocities, moment, loads);
    }

    /// Sums all external forces with the normals last taken.
    pub fn evaluate_with_directions(
        &self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        moment: LoadMoment,
        loads: &mut Loads,
    ) {
        loads.clear();
        let description = problem.body.description();
        let view = self.view(problem, positions, velocities, moment);
        for bound in &description.forces {
            bound.add_loads(&view, loads);
        }
        if self.leaves_contact || description.contact.method == ContactMethod::Projection {
            return;
        }
        for &index in &description.collides_with {
            let obstacle = &problem.obstacles[index];
            add_penalty_loads(&description.contact, obstacle, &view, loads);
        }
    }

    /// Potential energy in external forces and contact, in joules.
    pub fn potential(
        &self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        time: f64,
    ) -> f64 {
        let view = self.view(problem, positions, velocities, LoadMoment::instant(time));
        self.sum_forces(problem, &view, false) + self.sum_penalties(problem, positions)
    }

    /// The potential whose gradient over a step are the external forces.
    pub fn incremental_potential(
        &self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        moment: LoadMoment,
    ) -> f64 {
        let view = self.view(problem, positions, velocities, moment);
        let penalties = if self.leaves_contact {
            0.0
        } else {
            self.sum_penalties(problem, positions)
        };
        self.sum_forces(problem, &view, true) + penalties
    }

    /// Whether some force has no potential.
    pub fn has_driven_forces(&self, problem: &Problem) -> bool {
        let mut forces = problem.body.description().forces.iter();
        forces.any(|bound| !bound.force.has_potential())
    }

    /// Sums the forces without a potential, with the normals last taken.
    pub fn evaluate_driven(
        &self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        moment: LoadMoment,
        loads: &mut Loads,
    ) {
        loads.clear();
        self.add_driven(problem, positions, velocities, moment, loads);
    }

    fn add_driven(
        &self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        moment: LoadMoment,
        loads: &mut Loads,
    ) {
        let view = self.view(problem, positions, velocities, moment);
        for bound in &problem.body.description().forces {
            if !bound.force.has_potential() {
                bound.add_loads(&view, loads);
            }
        }
    }

    /// Work of potentials that change with time, in a step between two states, in joules.
    ///
    /// A rule that sees each potential as V̂ all the step long, at the moment `seen`, lets it do the work
    /// V̂(x₀) - V̂(x₁), so that what changes it gives V₁(x₁) - V̂(x₁) + V̂(x₀) - V₀(x₀). Without such a moment
    /// it is the mean of both ends, ½ (V₁ - V₀)(x₀) + ½ (V₁ - V₀)(x₁).
    pub fn work_of_changes(
        &self,
        problem: &Problem,
        [before, after]: [&State; 2],
        seen: Option<LoadMoment>,
    ) -> f64 {
        let changes =
            |bound: &&BoundForce| bound.force.has_potential() && !bound.force.is_passive();
        let forces = problem.body.description().forces.iter().filter(changes);
        let sum = |state: &State, moment: LoadMoment, bound: &BoundForce| -> f64 {
            let view = self.view(problem, &state.positions, &state.velocities, moment);
            bound.force.potentials(&view, bound.nodes(&view))
        };
        let [earlier, later] = [problem.time, problem.time + problem.step].map(LoadMoment::instant);
        let of_force = |bound: &BoundForce| match seen {
            Some(seen) => {
                sum(after, later, bound) - sum(after, seen, bound) + sum(before, seen, bound)
                    - sum(before, earlier, bound)
            }
            None => {
                let of_state = |state| sum(state, later, bound) - sum(state, earlier, bound);
                0.5 * (of_state(before) + of_state(after))
            }
        };
        forces.map(of_force).sum()
    }

    /// Work of forces without a potential and of potentials that change, in a step that sees them at one moment and where it
    /// ends, as backward Euler and statics do, with the normals last taken; in joules. `loads` is scratch memory.
    pub fn work_seen_at(
        &self,
        problem: &Problem,
        [before, after]: [&State; 2],
        moment: LoadMoment,
        loads: &mut Loads,
    ) -> f64 {
        let mut work = self.work_of_changes(problem, [before, after], Some(moment));
        if self.has_driven_forces(problem) {
            let (x, v) = (&after.positions, &after.velocities);
            self.evaluate_driven(problem, x, v, moment, loads);
            for (node, force) in loads.forces.iter().enumerate() {
                work += force.dot(x[node] - before.positions[node]);
            }
        }
        work
    }

    /// Work that a body got in a step from forces without a potential, by the mean of the forces at
    /// both ends, and from potentials that change with time, in joules.
    pub fn driven_work(&mut self, problem: &Problem, before: &State, after: &State) -> f64 {
        let mut work = self.work_of_changes(problem, [before, after], None);
        if !self.has_driven_forces(problem) {
            return work;
        }
        self.take_directions(problem, &before.positions);
        let mut loads = std::mem::take(&mut self.driven);
        if loads.forces.len() != after.positions.len() {
            loads = Loads::of_forces(after.positions.len());
        }
        loads.clear();
        let (time, end) = (problem.time, problem.time + problem.step);
        for (state, moment) in [(before, time), (after, end)] {
            let moment = LoadMoment {
                window: [time, end],
                ..LoadMoment::instant(moment)
            };
            let (x, v) = (&state.positions, &state.velocities);
            self.add_driven(problem, x, v, moment, &mut loads);
        }
        let ways = after.positions.iter().zip(&before.positions);
        for (force, (after, before)) in loads.forces.iter().zip(ways) {
            work += 0.5 * force.dot(*after - *before);
        }
        self.driven = loads;
        work
    }

    fn sum_forces(&self, problem: &Problem, view: &NodalView, incremental: bool) -> f64 {
        let description = problem.body.description();
        let sum = |bound: &BoundForce| {
            let nodes = bound.nodes(view);
            if incremental {
                bound.force.incremental_potentials(view, nodes)
            } else if bound.force.has_potential() {
                bound.force.potentials(view, nodes)
            } else {
                0.0
            }
        };
        description.forces.iter().map(sum).sum()
    }

    fn sum_penalties(&self, problem: &Problem, positions: &[DVec3]) -> f64 {
        let description = problem.body.description();
        let of_obstacle = |&index: &usize| {
            let obstacle = &problem.obstacles[index];
            penalty_potential(&description.contact, obstacle, positions)
        };
        description.collides_with.iter().map(of_obstacle).sum()
    }
}
