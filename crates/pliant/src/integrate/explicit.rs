//! The explicit step, divided into as many parts as stability needs.
//!
//! ```text
//! (M / dt² + C / (2 dt)) (x⁺ - x*) = f - e - C v      all forces at time t
//! ```
//!
//! The same line as the semi-implicit step with S = 0 and forces at x: the central difference
//! scheme. It is stable for dt < 2 / ω with ω the highest frequency of the body; the majorant of
//! the Hessian of a grid bounds ω, the rows of the stiffness of a mesh do (`energy_list.rs`), and a
//! longer step is divided (which the report counts). Rayleigh's damping counts at v.
//!
//! Implements: \[Thesis2004\] sect. 3.8.3.

use super::elasticity::Elasticity;
use super::energy_list::EnergyList;
use crate::body::{Body, Effort, Integrator, Past, Problem, State, StepFailure, timed};
use crate::energy::Energy;
use crate::force::Loads;
use crate::linear::GridMatrix;
use crate::loads::{LoadEvaluator, LoadMoment};
use glam::DVec3;

/// Share of the stability limit that is used.
const SAFETY: f64 = 0.9;

/// More parts than this mean that the step cannot be taken explicitly.
const MOST_PARTS: f64 = 10_000.0;

/// The longest part that is stable, from a bound on the squared frequency, in seconds.
fn stable_step(squared_frequency: f64) -> f64 {
    SAFETY * 2.0 / squared_frequency.sqrt().max(f64::MIN_POSITIVE)
}

/// The elastic side of a body.
enum Elastic {
    OnGrid(Elasticity),
    OverMesh(EnergyList),
}

pub(crate) struct Explicit {
    elastic: Elastic,
    /// Rayleigh's damping by mass, in 1/s.
    mass_damping: f64,
    /// The constant part of the majorant and room for all of it.
    majorant: Option<(GridMatrix, GridMatrix)>,
    evaluator: LoadEvaluator,
    loads: Loads,
    gradient: Vec<DVec3>,
    distances: Vec<f64>,
    /// Velocities where a part of the step begins.
    before: Vec<DVec3>,
    /// What damping has taken in the step, in joules.
    damping_loss: f64,
}

impl Explicit {
    /// For a body on a grid.
    pub(crate) fn new(body: &Body) -> Self {
        Self::of(body, Elastic::OnGrid(Elasticity::new(body)), 0.0)
    }

    /// For a body over a mesh with given energies.
    pub(crate) fn of_mesh(body: &Body, energies: Vec<Box<dyn Energy>>) -> Self {
        let [mass_damping, stiffness_damping] = body.description().rayleigh;
        let list = EnergyList::new(body.node_count(), energies, stiffness_damping);
        Self::of(body, Elastic::OverMesh(list), mass_damping)
    }

    fn of(body: &Body, elastic: Elastic, mass_damping: f64) -> Self {
        let node_count = body.node_count();
        Self {
            majorant: match &elastic {
                Elastic::OnGrid(Elasticity::Exact(exact)) => {
                    Some((exact.majorant_matrix(), exact.majorant_matrix()))
                }
                _ => None,
            },
            mass_damping,
            elastic,
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(node_count, false),
            gradient: vec![DVec3::ZERO; node_count],
            distances: vec![0.0; node_count],
            before: vec![DVec3::ZERO; node_count],
            damping_loss: 0.0,
        }
    }

    /// Elastic force at a state; returns a bound on the squared frequency.
    fn elastic_force(&mut self, body: &Body, state: &State) -> f64 {
        let positions = &state.positions;
        self.gradient.fill(DVec3::ZERO);
        match (&mut self.elastic, &mut self.majorant) {
            (Elastic::OverMesh(energies), _) => {
                let frequency = energies.frequency(positions, &body.description().masses);
                energies.add_gradient(positions, &mut self.gradient);
                energies.add_damping(&state.velocities, &mut self.gradient);
                frequency * frequency
            }
            (Elastic::OnGrid(Elasticity::Exact(exact)), Some((constant, matrix))) => {
                exact.add_gradient_and_weigh(positions, &mut self.gradient);
                exact.largest_squared_frequency(constant, matrix, &body.description().masses)
            }
            (Elastic::OnGrid(elasticity), _) => {
                elasticity.add_gradient(positions, &mut self.gradient);
                0.0
            }
        }
    }

    fn part(&mut self, problem: &Problem, time: f64, step: f64, state: &mut State) {
        let description = problem.body.description();
        self.evaluator.evaluate(
            problem,
            &state.positions,
            &state.velocities,
            LoadMoment::beginning_of(time, step),
            &mut self.loads,
        );
        for node in 0..state.positions.len() {
            if description.fixed[node] {
                continue;
            }
            let velocity = state.velocities[node];
            let damping = description.dampings[node] + self.mass_damping * description.masses[node];
            let force = self.loads.forces[node] - self.gradient[node] - damping * velocity;
            let inertia = description.masses[node] / (step * step) + damping / (2.0 * step);
            let change = force / inertia;
            let next = velocity + change / step;
            self.damping_loss += step * damping * (0.5 * (velocity + next)).length_squared();
            state.velocities[node] = next;
            state.positions[node] += step * velocity + change;
        }
    }

    /// What damping by stiffness has taken in a part of a step that has ended in a state, in joules.
    fn stiffness_loss(&self, part: f64, state: &State) -> f64 {
        match &self.elastic {
            Elastic::OverMesh(energies) => part * energies.damping_power(&state.velocities),
            Elastic::OnGrid(_) => 0.0,
        }
    }
}

impl Integrator for Explicit {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        candidate.copy_from(state);
        self.damping_loss = 0.0;
        let mut done = 0.0;
        timed(problem.clock, &mut effort.times.assembly, || {
            while done < problem.step {
                problem.check_stop()?;
                let squared = self.elastic_force(problem.body, candidate);
                if !squared.is_finite() {
                    return Err(StepFailure::NonFinite { node: 0 });
                }
                let left = problem.step - done;
                let parts = (left / stable_step(squared)).ceil().max(1.0);
                // What grows ever stiffer on the way would need parts without end.
                if effort.divisions as f64 + parts > MOST_PARTS {
                    return Err(StepFailure::TooFast { node: 0 });
                }
                let part = left / parts;
                self.before.copy_from_slice(&candidate.velocities);
                self.part(problem, problem.time + done, part, candidate);
                self.damping_loss += self.stiffness_loss(part, candidate);
                // A node that is moved out only at the end of the whole step has strained its links.
                let earlier = effort.contacts.friction_loss;
                let (before, distances) = (&self.before, &mut self.distances);
                effort.contacts =
                    problem.resolve_contacts_of_part(part, before, candidate, distances);
                effort.contacts.friction_loss += earlier;
                effort.divisions += usize::from(parts > 1.0);
                done = if parts == 1.0 {
                    problem.step
                } else {
                    done + part
                };
            }
            Ok(())
        })?;
        Ok(effort)
    }

    fn parts(&mut self, body: &Body, step: f64) -> f64 {
        let squared = self.elastic_force(body, &body.state);
        (step / stable_step(squared)).ceil().max(1.0)
    }

    fn damping_loss(&self, _problem: &Problem, _candidate: &State) -> f64 {
        self.damping_loss
    }

    fn solves_contact(&self) -> bool {
        true
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        let positions = &body.state.positions;
        match &mut self.elastic {
            Elastic::OnGrid(elasticity) => elasticity.energy(positions),
            Elastic::OverMesh(energies) => energies.energy(positions),
        }
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        let positions = &body.state.positions;
        match &mut self.elastic {
            Elastic::OnGrid(elasticity) => elasticity.add_gradient(positions, gradient),
            Elastic::OverMesh(energies) => energies.add_gradient(positions, gradient),
        }
    }

    fn adopt(&mut self, past: Past) {
        match &mut self.elastic {
            Elastic::OverMesh(energies) => energies.adopt(past),
            Elastic::OnGrid(elasticity) => {
                if elasticity.adopt(past)
                    && let (Elasticity::Exact(exact), Some((constant, _))) =
                        (elasticity, &mut self.majorant)
                {
                    exact.refill_majorant(constant);
                }
            }
        }
    }
}
