//! Static equilibrium of a hybrid body: R K e = f at each moment.
//!
//! ```text
//! (K + k + λ) e' = (k + λ) e + Rᵀ f(x),      then the frame, as in a step
//! ```
//!
//! Each iteration is a step without inertia, of which only a multiple λ of the identity is left. It
//! shrinks as long as the sum of the energies falls and grows where it would rise. As the frame is
//! found exactly, the elastic part takes one iteration.
//!
//! Dashpots act for the length of the step, so that a body creeps from equilibrium to equilibrium.
//!
//! Implements: \[Terzopoulos1988\] eq. 15 with the time derivatives at zero.

use super::NO_MATERIAL;
use super::material::HybridMaterial;
use super::measure::Rates;
use super::settle::{HybridStep, StartFrame};
use super::system::Factors;
use crate::body::{Body, State};
use crate::body::{Effort, Integrator, Problem, StepFailure};
use crate::loads::LoadMoment;
use crate::rigid_motion::RigidMotion;
use glam::DVec3;

/// An equilibrium may be far away: iterations allowed for each one a step would have.
const ITERATION_FACTOR: usize = 25;

/// λ at the start and at least, relative to the largest stiffness of a node.
const SHIFT: [f64; 2] = [1e-3, 1e-9];

pub(super) struct HybridStatics {
    inner: HybridStep,
    trial: Body,
    frames: Vec<StartFrame>,
    gradient: Vec<DVec3>,
}

impl HybridStatics {
    pub(super) fn new(body: &Body, material: &HybridMaterial) -> Self {
        Self {
            inner: HybridStep::new(body, material),
            trial: body.clone(),
            frames: Vec::new(),
            gradient: vec![DVec3::ZERO; body.node_count()],
        }
    }

    /// Elastic and external energy of the trial body.
    fn potential(&mut self, problem: &Problem, time: f64) -> f64 {
        let state = &self.trial.state;
        let external =
            self.inner
                .evaluator
                .potential(problem, &state.positions, &state.velocities, time);
        external + self.inner.energy_with(&self.trial, Rates::OfStep)
    }

    /// Loads at the trial body; returns the force that is left and what it is measured by.
    fn imbalance(&mut self, problem: &Problem, time: f64) -> (f64, f64) {
        let state = &self.trial.state;
        self.inner.evaluator.evaluate(
            problem,
            &state.positions,
            &state.velocities,
            LoadMoment::instant(time),
            &mut self.inner.loads,
        );
        self.gradient.fill(DVec3::ZERO);
        self.inner
            .add_gradient_with(&self.trial, Rates::OfStep, &mut self.gradient);
        let (mut left, mut size) = (0.0_f64, 0.0_f64);
        for (node, &fixed) in problem.body.description().fixed.iter().enumerate() {
            let (load, elastic) = (self.inner.loads.forces[node], self.gradient[node]);
            if !fixed {
                left = left.max((load - elastic).length());
            }
            size = size.max(load.length()).max(elastic.length());
        }
        (left, size)
    }

    /// One iteration; the trial body moves. Returns what it was.
    fn iterate(
        &mut self,
        problem: &Problem,
        material: &HybridMaterial,
        shift: f64,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let description = problem.body.description();
        let factors = Factors {
            mass: 0.0,
            damping: 0.0,
            identity: shift,
        };
        let inner = &mut self.inner;
        inner
            .system
            .prepare(description, material, factors, &inner.loads.stiffness)?;
        let state = &mut self.trial.state;
        inner.predicted.copy_from_slice(&state.positions);
        self.frames.clear();
        let pieces = material.pieces();
        for piece in 0..pieces.count() {
            let nodes = pieces.nodes(piece);
            self.frames.push(StartFrame {
                centre: RigidMotion::of_nodes(&description.masses, state, nodes).centre,
                rotation: state.rotation_at(nodes[0] as usize),
                follows: true,
            });
        }
        let loads = std::mem::take(&mut inner.loads);
        let settled = inner.settle(problem, material, &self.frames, |node| loads.forces[node]);
        inner.loads = loads;
        let report = settled?;
        effort.linear_iterations += report.iterations;
        effort.linear_residual = effort.linear_residual.max(report.residual);
        effort.factorisations += report.factorisations;
        effort.newton_iterations += 1;
        inner.turn_frames(material, &self.frames, state);
        for (x, change) in state.positions.iter_mut().zip(&inner.change) {
            *x += *change;
        }
        Ok(())
    }

    fn stiffest(&mut self) -> f64 {
        let stiffness = &self.inner.system.stiffness;
        let slot = stiffness.diagonal_of(0);
        let values = slot.into_iter().flat_map(|slot| stiffness.values(slot));
        values.copied().fold(0.0, f64::max)
    }
}

impl Integrator for HybridStatics {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let Some(material) = problem.body.hybrid() else {
            return Err(StepFailure::Formulation { what: NO_MATERIAL });
        };
        let mut effort = Effort::default();
        let description = problem.body.description();
        let time = problem.time + problem.step;
        self.trial.copy_memory(problem.body);
        self.trial.state.copy_from(state);
        self.trial.state.velocities.fill(DVec3::ZERO);
        candidate.copy_from(&self.trial.state);
        let system = &mut self.inner.system;
        system.take_viscosity(description, material, state, problem.time, problem.step);
        system.find_step_forces(material, material.reference());
        let stiffest = self.stiffest().max(f64::MIN_POSITIVE);
        let [mut shift, least] = SHIFT.map(|share| share * stiffest);
        let tolerance = description.solver.tolerance.max(1e-10);
        let limit = description.newton_iterations * ITERATION_FACTOR;
        let mut energy = self.potential(problem, time);
        let mut residual = f64::INFINITY;
        for _ in 0..limit {
            problem.check_stop()?;
            let (left, size) = self.imbalance(problem, time);
            if !left.is_finite() {
                return Err(StepFailure::NonFinite { node: 0 });
            }
            residual = left / size.max(f64::MIN_POSITIVE);
            if residual <= tolerance || size == 0.0 {
                candidate.copy_from(&self.trial.state);
                return Ok(effort);
            }
            self.iterate(problem, material, shift, &mut effort)?;
            let reached = self.potential(problem, time);
            if reached <= energy + 1e-12 * energy.abs() {
                energy = reached;
                candidate.copy_from(&self.trial.state);
                shift = (0.1 * shift).max(least);
            } else {
                self.trial.state.copy_from(candidate);
                shift *= 10.0;
            }
        }
        Err(StepFailure::NewtonDiverged {
            iterations: limit,
            residual,
        })
    }

    fn reads_memory(&self) -> bool {
        true
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        self.inner.energy(body)
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        self.inner.add_gradient(body, gradient);
    }
}
