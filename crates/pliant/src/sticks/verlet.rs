//! A step of Verlet's rule, and the sticks after it.

use super::{Stick, sticks_of};
use crate::body::{Body, Effort, Integrator, MayGain, Problem, State, StepFailure, timed};
use crate::force::Loads;
use crate::loads::{LoadEvaluator, LoadMoment};
use glam::DVec3;

pub(crate) struct Verlet {
    sticks: Vec<Stick>,
    iterations: usize,
    inverse_masses: Vec<f64>,
    evaluator: LoadEvaluator,
    loads: Loads,
    distances: Vec<f64>,
}

impl Verlet {
    pub(crate) fn new(body: &Body, reach: usize, iterations: usize) -> Self {
        let description = body.description();
        let masses = description.masses.iter().zip(&description.fixed);
        let count = body.node_count();
        Self {
            sticks: sticks_of(
                description.material_grid(),
                &description.rest_positions,
                reach,
            ),
            iterations,
            inverse_masses: masses
                .map(|(mass, &fixed)| if fixed { 0.0 } else { 1.0 / mass })
                .collect(),
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(count, false),
            distances: vec![0.0; count],
        }
    }

    fn relax(&self, positions: &mut [DVec3]) {
        for _ in 0..self.iterations {
            for stick in &self.sticks {
                let [a, b] = stick.ends.map(|end| end as usize);
                let (wa, wb) = (self.inverse_masses[a], self.inverse_masses[b]);
                let d = positions[b] - positions[a];
                let length = d.length();
                if wa + wb == 0.0 || length == 0.0 {
                    continue;
                }
                let share = (length - stick.length) / (length * (wa + wb));
                positions[a] += wa * share * d;
                positions[b] -= wb * share * d;
            }
        }
    }
}

impl Integrator for Verlet {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        candidate.copy_from(state);
        let (step, description) = (problem.step, problem.body.description());
        timed(problem.clock, &mut effort.times.assembly, || {
            let (positions, velocities) = (&state.positions, &state.velocities);
            let (evaluator, loads) = (&mut self.evaluator, &mut self.loads);
            let moment = LoadMoment::beginning_of(problem.time, step);
            evaluator.evaluate(problem, positions, velocities, moment, loads);
            for (node, &weight) in self.inverse_masses.iter().enumerate() {
                if weight == 0.0 {
                    continue;
                }
                // Damping counts at the end of the step, so that no amount of it is too much.
                let damped = 1.0 + step * weight * description.dampings[node];
                let pushed = velocities[node] + step * weight * self.loads.forces[node];
                candidate.positions[node] += step * pushed / damped;
            }
        });
        problem.check_stop()?;
        timed(problem.clock, &mut effort.times.solve, || {
            self.relax(&mut candidate.positions);
        });
        for (node, velocity) in candidate.velocities.iter_mut().enumerate() {
            *velocity = (candidate.positions[node] - state.positions[node]) / step;
        }
        effort.linear_iterations = self.iterations;
        timed(problem.clock, &mut effort.times.contact, || {
            effort.contacts = problem.resolve_contacts(step, candidate, &mut self.distances);
        });
        Ok(effort)
    }

    fn solves_contact(&self) -> bool {
        true
    }

    /// Sticks store nothing.
    fn elastic_energy(&mut self, _body: &Body) -> f64 {
        0.0
    }

    fn add_elastic_gradient(&mut self, _body: &Body, _gradient: &mut [DVec3]) {}

    fn may_gain(&self) -> MayGain {
        MayGain::Never
    }
}
