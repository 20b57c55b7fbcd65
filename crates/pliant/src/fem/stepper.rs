//! Implicit steps of a body over a mesh.
//!
//! Every integrator here finds the x⁺ at which
//!
//! ```text
//! g(x⁺) = a M (x⁺ - y) + (C + α M + β K) (x⁺ - z) s + ∇E(x⁺) - f(x⁺, v⁺) = 0
//! ```
//!
//! y is where inertia alone would take the nodes, z the damped reference, C the nodal damping,
//! α and β Rayleigh's damping with the stiffness K of the beginning of the step, f the external
//! forces:
//!
//! | integrator | a | y | s | v⁺ |
//! |---|---|---|---|---|
//! | backward Euler | 1/dt² | x + dt v | 1/dt | (x⁺ - x)/dt |
//! | Newmark, average acceleration | 4/dt² | x + dt v + dt²/4 a_n | 2/dt | 2 (x⁺ - x)/dt - v |
//! | midpoint | backward Euler of half the step, then x⁺ <- 2 x⁺ - x |||||
//! | statics | 0 | - | 0 | 0 |
//!
//! The semi-implicit step is one Newton iteration of backward Euler from x, without a search: one
//! linear solve, as in \[Mueller2002\] sect. 2.1. For Newmark z solves s (x - z) = v⁺.
//!
//! Implements: \[Mueller2002\] eq. 2-4.

use super::coordinates::Coordinates;
use super::pressed::Press;
use super::{MeshEnergy, MeshMemory, MeshSettings};
use crate::body::{Body, State};
use crate::elastic::Curvature;
use crate::force::Loads;
use crate::integrate::{Effort, Integrator, IntegratorKind, Problem, StepFailure, timed};
use crate::linear::{BlockMatrix, BlockSolver};
use crate::loads::LoadEvaluator;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Steps one body; owns its energies and all scratch memory.
pub(crate) struct MeshStepper {
    pub(super) settings: Arc<MeshSettings>,
    pub(super) kind: IntegratorKind,
    pub(super) energies: Vec<Box<dyn MeshEnergy>>,
    /// Where there is none, the gradient is not that of an energy and steps are not searched.
    pub(super) conservative: bool,
    pub(super) coordinates: Coordinates,
    /// The version of the ties that the coordinates are for.
    ties_version: u64,
    pub(super) matrix: BlockMatrix,
    /// β K of the beginning of the step.
    pub(super) damping: Option<BlockMatrix>,
    solver: BlockSolver,
    /// The rule whose matrix at rest the solver preconditions with.
    metric: Option<Rule>,
    pub(super) evaluator: LoadEvaluator,
    pub(super) loads: Loads,
    pub(super) inertial: Vec<DVec3>,
    pub(super) gradient: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    pub(super) moved: Vec<DVec3>,
    pub(super) trial: Vec<DVec3>,
    /// Positions at the end of the last step, before contact.
    pub(super) unpressed: Vec<DVec3>,
    /// What touches obstacles: see `pressed.rs`.
    pub(super) presses: Vec<Press>,
    /// Over the unknowns.
    pub(super) right_side: Vec<DVec3>,
    pub(super) direction: Vec<DVec3>,
}

/// The constants of the equation above.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// a.
    pub(super) inertia: f64,
    /// s.
    pub(super) rate: f64,
    /// v⁺ = s (x⁺ - x) + this v.
    kept_velocity: f64,
    /// When external forces are taken, in seconds.
    pub(super) time: f64,
    /// 1/s, or zero.
    pub(super) step: f64,
}

impl Rule {
    /// Whether matrices of both are alike.
    fn is_like(self, other: Self) -> bool {
        self.inertia == other.inertia && self.rate == other.rate
    }
}

impl MeshStepper {
    pub(crate) fn new(body: &Body, settings: &Arc<MeshSettings>) -> Self {
        let description = body.description();
        let nodes = body.node_count();
        // The description was checked when the body was made, so there is no error here.
        let mut energies = settings
            .energies(&description.rest_positions)
            .unwrap_or_default();
        let layers = body.mesh_inelastic.as_ref().map_or(0, |m| m.layer_count());
        for _ in 0..layers {
            energies.extend(
                settings
                    .energies(&description.rest_positions)
                    .unwrap_or_default(),
            );
        }
        let mut couplings = Vec::new();
        for energy in &energies {
            energy.couplings(&mut |a, b| couplings.push((a, b)));
        }
        let matrix = BlockMatrix::new(nodes, couplings.into_iter());
        for energy in &mut energies {
            energy.attach(&matrix);
        }
        let coordinates = Coordinates::new(body, settings, &matrix);
        let inelastic = body.mesh_inelastic.as_ref();
        let ties = inelastic.and_then(|own| own.ties.as_ref());
        let unknowns = coordinates.unknowns();
        let zeros = vec![DVec3::ZERO; nodes];
        Self {
            kind: description.integrator,
            conservative: energies.iter().all(|energy| energy.is_conservative()),
            energies,
            solver: {
                let pattern = coordinates.pattern_of(&matrix);
                match ties {
                    // Groups of tied nodes have no place in the order of the nodes.
                    Some(_) => BlockSolver::new(description.solver, pattern),
                    None => {
                        let places = &description.rest_positions;
                        BlockSolver::on_mesh(description.solver, pattern, places)
                    }
                }
            },
            metric: None,
            damping: (settings.stiffness_damping > 0.0).then(|| matrix.clone()),
            matrix,
            coordinates,
            ties_version: ties.map_or(0, |ties| ties.version),
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(nodes, true),
            inertial: zeros.clone(),
            gradient: zeros.clone(),
            velocities: zeros.clone(),
            moved: zeros.clone(),
            trial: zeros.clone(),
            unpressed: zeros,
            presses: Vec::with_capacity(nodes * description.collides_with.len()),
            right_side: vec![DVec3::ZERO; unknowns],
            direction: vec![DVec3::ZERO; unknowns],
            settings: Arc::clone(settings),
        }
    }

    pub(super) fn rule(&self, problem: &Problem) -> Rule {
        let step = match self.kind {
            IntegratorKind::Midpoint => 0.5 * problem.step,
            _ => problem.step,
        };
        let (inertia, rate, kept_velocity) = match self.kind {
            IntegratorKind::Static => (0.0, 0.0, 0.0),
            IntegratorKind::Newmark => (4.0 / (step * step), 2.0 / step, -1.0),
            _ => (1.0 / (step * step), 1.0 / step, 0.0),
        };
        Rule {
            inertia,
            rate,
            kept_velocity,
            time: problem.time + step,
            step: if rate > 0.0 { 1.0 / rate } else { 0.0 },
        }
    }

    /// Where inertia alone takes the nodes.
    fn predict(&mut self, problem: &Problem, state: &State) {
        let description = problem.body.description();
        let step = match self.kind {
            IntegratorKind::Midpoint => 0.5 * problem.step,
            _ => problem.step,
        };
        for (node, target) in self.inertial.iter_mut().enumerate() {
            *target = state.positions[node] + step * state.velocities[node];
        }
        if self.kind != IntegratorKind::Newmark {
            return;
        }
        self.evaluator.evaluate(
            problem,
            &state.positions,
            &state.velocities,
            problem.time,
            step,
            &mut self.loads,
        );
        self.gradient.fill(DVec3::ZERO);
        for energy in &mut self.energies {
            energy.add_gradient(&state.positions, &mut self.gradient);
        }
        if let Some(damping) = &self.damping {
            damping.multiply(&state.velocities, &mut self.moved);
            for (gradient, force) in self.gradient.iter_mut().zip(&self.moved) {
                *gradient += *force;
            }
        }
        for (node, target) in self.inertial.iter_mut().enumerate() {
            let mass = description.masses[node];
            let drag = description.dampings[node] + self.settings.mass_damping * mass;
            let force =
                self.loads.forces[node] - self.gradient[node] - drag * state.velocities[node];
            *target += 0.25 * step * step / mass * force;
        }
    }

    /// Takes β K at the beginning of the step.
    fn take_damping(&mut self, positions: &[DVec3]) {
        let Some(damping) = &mut self.damping else {
            return;
        };
        damping.clear();
        for energy in &mut self.energies {
            energy.add_stiffness(positions, damping);
        }
        let beta = self.settings.stiffness_damping;
        for block in damping.blocks_mut() {
            *block *= beta;
        }
    }

    /// s (x - x_t) + k v_t at given positions, into `self.velocities`.
    pub(super) fn form_velocities(&mut self, rule: Rule, state: &State, positions: &[DVec3]) {
        for (node, velocity) in self.velocities.iter_mut().enumerate() {
            *velocity = rule.rate * (positions[node] - state.positions[node])
                + rule.kept_velocity * state.velocities[node];
        }
    }

    /// g over the nodes.
    pub(super) fn differentiate(
        &mut self,
        problem: &Problem,
        rule: Rule,
        state: &State,
        x: &[DVec3],
    ) {
        let description = problem.body.description();
        self.form_velocities(rule, state, x);
        self.evaluator.evaluate_with_directions(
            problem,
            x,
            &self.velocities,
            rule.time,
            rule.step,
            &mut self.loads,
        );
        match &self.damping {
            Some(damping) if rule.rate > 0.0 => {
                damping.multiply(&self.velocities, &mut self.gradient);
            }
            _ => self.gradient.fill(DVec3::ZERO),
        }
        for energy in &mut self.energies {
            energy.add_gradient(x, &mut self.gradient);
        }
        let moving = f64::from(rule.rate > 0.0);
        for (node, gradient) in self.gradient.iter_mut().enumerate() {
            let mass = description.masses[node];
            let drag = moving * (description.dampings[node] + self.settings.mass_damping * mass);
            *gradient += rule.inertia * mass * (x[node] - self.inertial[node])
                + drag * self.velocities[node]
                - self.loads.forces[node];
        }
    }

    /// The derivative of g, positive definite; returns the largest entry of its diagonal.
    pub(super) fn assemble(
        &mut self,
        problem: &Problem,
        rule: Rule,
        x: &[DVec3],
        shift: f64,
    ) -> f64 {
        let description = problem.body.description();
        match &self.damping {
            Some(damping) if rule.rate > 0.0 => {
                for (block, damping) in self.matrix.blocks_mut().iter_mut().zip(damping.blocks()) {
                    *block = *damping * rule.rate;
                }
            }
            _ => self.matrix.clear(),
        }
        for energy in &mut self.energies {
            if self.kind == IntegratorKind::SemiImplicit {
                energy.add_stiffness(x, &mut self.matrix);
            } else {
                energy.add_hessian(x, Curvature::Positive, &mut self.matrix);
            }
        }
        let mut largest: f64 = 0.0;
        for (node, load) in self.loads.blocks.iter().enumerate() {
            let mass = description.masses[node];
            let drag = description.dampings[node] + self.settings.mass_damping * mass;
            let diagonal = DVec3::splat(rule.inertia * mass + rule.rate * drag);
            let slot = self.matrix.diagonal_slot(node);
            self.matrix
                .add_at(slot, DMat3::from_diagonal(diagonal) + *load);
            let block = self.matrix.block(slot);
            let entries = DVec3::new(block.x_axis.x, block.y_axis.y, block.z_axis.z);
            largest = largest.max(entries.max_element());
        }
        if shift > 0.0 {
            let diagonal = DMat3::from_diagonal(DVec3::splat(shift * largest.max(1e-300)));
            for node in 0..x.len() {
                let slot = self.matrix.diagonal_slot(node);
                self.matrix.add_at(slot, diagonal);
            }
        }
        largest
    }

    /// Gives the solver the matrix of the body at rest, unless it has that of the same rule.
    ///
    /// It depends on the description and the step alone, so that a restored state continues to
    /// the same bits.
    fn prepare_metric(&mut self, problem: &Problem, rule: Rule) {
        if !self.solver.wants_metric() || self.metric.is_some_and(|known| known.is_like(rule)) {
            return;
        }
        self.metric = Some(rule);
        let description = problem.body.description();
        let rest = &description.rest_positions;
        self.matrix.clear();
        if problem.body.mesh_inelastic.is_some() {
            // What processes have changed must not count: see above.
            let mut elastic = self.settings.energies(rest).unwrap_or_default();
            for energy in &mut elastic {
                energy.attach(&self.matrix);
                energy.add_stiffness(rest, &mut self.matrix);
            }
        } else {
            for energy in &mut self.energies {
                energy.add_stiffness(rest, &mut self.matrix);
            }
        }
        let stiffness = 1.0 + rule.rate * self.settings.stiffness_damping;
        for block in self.matrix.blocks_mut() {
            *block *= stiffness;
        }
        for node in 0..rest.len() {
            let mass = description.masses[node];
            let drag = description.dampings[node] + self.settings.mass_damping * mass;
            let diagonal = DVec3::splat(rule.inertia * mass + rule.rate * drag);
            let slot = self.matrix.diagonal_slot(node);
            self.matrix.add_at(slot, DMat3::from_diagonal(diagonal));
        }
        self.coordinates.place(description, rest);
        let matrix = self.coordinates.reduce_matrix(rest, &mut self.matrix);
        // Where it cannot be factorised (a free body in statics) the solver does without.
        let _ = self.solver.prepare_metric(matrix);
    }

    /// Solves for the direction of Newton's step.
    ///
    /// The first guess of the first direction of a step is that the velocity stays.
    pub(super) fn solve(
        &mut self,
        x: &[DVec3],
        guess: Option<(&State, f64)>,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        match guess {
            Some((state, step)) => {
                let velocities = &state.velocities;
                self.coordinates
                    .coast(velocities, step, &mut self.direction);
            }
            None => self.direction.fill(DVec3::ZERO),
        }
        let matrix = self.coordinates.reduce_matrix(x, &mut self.matrix);
        self.solver.place(x);
        self.solver.prepare(matrix)?;
        let report = self
            .solver
            .solve(matrix, None, &self.right_side, &mut self.direction)?;
        effort.newton_iterations += 1;
        effort.linear_iterations += report.iterations;
        effort.linear_residual = effort.linear_residual.max(report.residual);
        effort.factorisations += report.factorisations;
        Ok(())
    }
}

impl Integrator for MeshStepper {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        let rest = &problem.body.description().rest_positions;
        let settings = Arc::clone(&self.settings);
        let rule = self.rule(problem);
        self.evaluator.take_directions(problem, &state.positions);
        timed(problem.clock, &mut effort.times.assembly, || {
            self.take_damping(&state.positions);
            self.predict(problem, state);
        });
        let x = &mut candidate.positions;
        x.copy_from_slice(&state.positions);
        self.coordinates.straighten(problem.body.description(), x);
        Coordinates::follow_paths(&settings, rest, rule.time, x);
        timed(problem.clock, &mut effort.times.solve, || {
            self.prepare_metric(problem, rule);
        });
        self.find_root(problem, rule, state, x, &mut effort)?;
        self.form_velocities(rule, state, &candidate.positions);
        candidate.velocities.copy_from_slice(&self.velocities);
        match self.kind {
            IntegratorKind::Midpoint => {
                for node in 0..candidate.positions.len() {
                    let (position, velocity) = (state.positions[node], state.velocities[node]);
                    candidate.positions[node] = 2.0 * candidate.positions[node] - position;
                    candidate.velocities[node] = 2.0 * candidate.velocities[node] - velocity;
                }
                Coordinates::follow_paths(
                    &settings,
                    rest,
                    problem.time + problem.step,
                    &mut candidate.positions,
                );
            }
            IntegratorKind::SemiImplicit | IntegratorKind::Implicit
                if settings.keeps_momentum && self.coordinates.is_free(problem.body, &settings) =>
            {
                self.restore_momenta(problem, state, candidate);
            }
            _ => {}
        }
        // Where the step ends without contact: see `respond`.
        self.unpressed.copy_from_slice(&candidate.positions);
        Ok(effort)
    }

    fn respond(
        &mut self,
        problem: &Problem,
        state: &State,
        pushes: &[DVec3],
        candidate: &mut State,
        effort: &mut Effort,
    ) -> Result<bool, StepFailure> {
        let euler = matches!(
            self.kind,
            IntegratorKind::SemiImplicit | IntegratorKind::Implicit
        );
        if !euler || self.coordinates.is_tied() {
            return Ok(false);
        }
        self.press(problem, state, pushes, candidate, effort)
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        let positions = &body.state.positions;
        self.energies.iter_mut().map(|e| e.energy(positions)).sum()
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        for energy in &mut self.energies {
            energy.add_gradient(&body.state.positions, gradient);
        }
    }

    fn adopt_mesh(&mut self, memory: &MeshMemory) {
        for (energy, layer) in self.energies.iter_mut().zip(&memory.layers) {
            energy.adopt(layer);
        }
        if let Some(ties) = &memory.ties
            && ties.version != self.ties_version
        {
            self.ties_version = ties.version;
            self.coordinates.tie(ties, &self.matrix);
            let pattern = self.coordinates.pattern_of(&self.matrix);
            self.solver = BlockSolver::new(*self.solver.settings(), pattern);
            let unknowns = self.coordinates.unknowns();
            self.right_side.resize(unknowns, DVec3::ZERO);
            self.direction.resize(unknowns, DVec3::ZERO);
        }
    }
}
