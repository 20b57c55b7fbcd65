//! The potential of a stage: its value, its gradient and its positive Hessian.
//!
//! ```text
//! Φ(x) = s²/2 |x - y|²_M + 1/(2 s) |v|²_(C + α M + β K) + E(x) + U(x, v) + contact,   v = s (x - x̂)
//! ```
//!
//! C is the damping of the nodes, α and β are Rayleigh's, K the stiffness where v belongs
//! (`rayleigh.rs`), U the potential whose gradient over the stage are the external forces.

use super::mover::Mover;
use super::rule::{GAMMA, Stage};
use crate::body::{Body, Problem, State};
use crate::math::parallel::dot;
use crate::math::symmetric_eigen;
use crate::rigid_motion::RigidMotion;
use glam::{DMat3, DVec3};

impl Mover {
    /// v = s (x - x̂), into `self.velocities`.
    pub(super) fn form_velocities(&mut self, stage: &Stage, x: &[DVec3]) {
        for (velocity, (x, base)) in self.velocities.iter_mut().zip(x.iter().zip(&self.base)) {
            *velocity = stage.rate * (*x - *base);
        }
    }

    /// Damping of a node by its own and Rayleigh's share of its mass, in newton seconds per metre.
    pub(super) fn drag(&self, problem: &Problem, node: usize) -> f64 {
        let description = problem.body.description();
        description.dampings[node] + self.mass_damping * description.masses[node]
    }

    /// Φ, and the size of its rounding error.
    pub(super) fn value(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        start: &[DVec3],
        x: &[DVec3],
    ) -> (f64, f64) {
        let description = problem.body.description();
        let nodes = description.masses.len();
        self.form_velocities(stage, x);
        let (inertia, length) = (stage.inertia(), stage.length());
        let mut sum = 0.0;
        for (node, &mass) in description.masses.iter().enumerate() {
            sum += 0.5 * inertia * mass * (x[node] - self.inertial[node]).length_squared()
                + 0.5 * length * self.drag(problem, node) * self.velocities[node].length_squared();
        }
        if let (Some(damping), true) = (&self.damping, stage.rate > 0.0) {
            damping.multiply(&self.velocities[..nodes], &mut self.moved);
            sum += 0.5 * length * dot(&self.velocities[..nodes], &self.moved);
        }
        let elastic = self.energy_at(x);
        let external = self.evaluator.incremental_potential(
            problem,
            &x[..nodes],
            &self.velocities[..nodes],
            stage.moment(),
        );
        self.contact
            .evaluate(problem, stage, &self.unknowns, &start[..nodes], &x[..nodes]);
        let contact = self.contact.value() + self.contact.sliding_value(stage);
        let terms: f64 = self.energies.iter().map(|e| e.largest_terms()).sum();
        let sizes = sum + elastic.abs() + external.abs() + contact.abs() + terms;
        (
            sum + elastic + external + contact,
            8.0 * f64::EPSILON * sizes,
        )
    }

    /// Kinetic and elastic energy at a stage, by which small changes are measured, in joules.
    ///
    /// Of a free sheet, whose steps are rough, the energy of the rigid motion does not count: it may be
    /// far larger than that of the deformation, and what is small beside it would add up to spin. Nor does it
    /// where a body `touches` another, since contact and friction change just that.
    pub(super) fn energy_scale(&mut self, problem: &Problem, x: &[DVec3], touches: bool) -> f64 {
        let masses = &problem.body.description().masses;
        let nodes = masses.len();
        let moving = masses.iter().zip(&self.velocities);
        let mut kinetic: f64 = moving.map(|(m, v)| 0.5 * m * v.length_squared()).sum();
        if touches || self.goals.is_rough() && self.moves_freely() {
            let rigid = RigidMotion::of_moving(masses, &x[..nodes], &self.velocities[..nodes]);
            kinetic = (kinetic - rigid.kinetic_energy()).max(0.0);
        }
        kinetic + self.energy_at(x)
    }

    /// Elastic energy, with what keeps cores rigid, in joules.
    ///
    /// A search that has found the value at a place asks for the size of the energy there next.
    pub(super) fn energy_at(&mut self, x: &[DVec3]) -> f64 {
        if let Some(energy) = self.known.energy
            && self.conservative
            && self.known.places == x
        {
            return energy;
        }
        let nodes = &x[..self.moved.len()];
        let elastic: f64 = self.energies.iter_mut().map(|e| e.energy(nodes)).sum();
        let energy = elastic + self.unknowns.rigidity_energy(x);
        self.known.places.clear();
        self.known.places.extend_from_slice(x);
        self.known.energy = Some(energy);
        energy
    }

    /// External forces at a stage, into `self.loads`.
    pub(super) fn load(&mut self, problem: &Problem, stage: &Stage, x: &[DVec3]) {
        let nodes = self.moved.len();
        self.form_velocities(stage, x);
        self.evaluator.evaluate_with_directions(
            problem,
            &x[..nodes],
            &self.velocities[..nodes],
            stage.moment(),
            &mut self.loads,
        );
    }

    /// The gradient of Φ over the nodes without contact.
    pub(super) fn differentiate(&mut self, problem: &Problem, stage: &Stage, x: &[DVec3]) {
        let description = problem.body.description();
        let nodes = description.masses.len();
        self.load(problem, stage, x);
        match &self.damping {
            Some(damping) if stage.rate > 0.0 => {
                damping.multiply(&self.velocities[..nodes], &mut self.gradient);
            }
            _ => self.gradient.fill(DVec3::ZERO),
        }
        for energy in &mut self.energies {
            energy.add_gradient(&x[..nodes], &mut self.gradient);
        }
        let moving = f64::from(stage.rate > 0.0);
        let inertia = stage.inertia();
        for (node, &mass) in description.masses.iter().enumerate() {
            let drag = moving * self.drag(problem, node);
            self.gradient[node] += inertia * mass * (x[node] - self.inertial[node])
                + drag * self.velocities[node]
                - self.loads.forces[node];
        }
    }

    /// The Hessian of Φ without contact, with that of the energies by `self.curvature`; `shift` times its largest entry is added
    /// to the diagonal. Returns that entry.
    pub(super) fn assemble(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        x: &[DVec3],
        shift: f64,
    ) -> f64 {
        let description = problem.body.description();
        let nodes = description.masses.len();
        match &self.damping {
            Some(damping) if stage.rate > 0.0 => {
                for (block, damping) in self.matrix.blocks_mut().iter_mut().zip(damping.blocks()) {
                    *block = *damping * stage.rate;
                }
            }
            _ => self.matrix.clear(),
        }
        for energy in &mut self.energies {
            if self.is_linear {
                energy.add_stiffness(&x[..nodes], &mut self.matrix);
            } else {
                energy.add_hessian(&x[..nodes], self.curvature, &mut self.matrix);
            }
        }
        let mut largest: f64 = 0.0;
        for node in 0..nodes {
            let mass = description.masses[node];
            let diagonal = stage.inertia() * mass + stage.rate * self.drag(problem, node);
            let slot = self.matrix.diagonal_slot(node);
            let inertia = DMat3::from_diagonal(DVec3::splat(diagonal));
            self.matrix.add_at(slot, inertia + self.loads.blocks[node]);
            let block = self.matrix.block(slot);
            let entries = DVec3::new(block.x_axis.x, block.y_axis.y, block.z_axis.z);
            largest = largest.max(entries.max_element());
        }
        if shift > 0.0 {
            let diagonal = DMat3::from_diagonal(DVec3::splat(shift * largest.max(1e-300)));
            for node in 0..nodes {
                let slot = self.matrix.diagonal_slot(node);
                self.matrix.add_at(slot, diagonal);
            }
        }
        largest
    }

    /// Fills the scalar matrix that some solvers on grids precondition with.
    pub(super) fn fill_companion(&mut self, problem: &Problem, stage: &Stage, x: &[DVec3]) {
        let Some(mut companion) = self.companion.take() else {
            return;
        };
        let description = problem.body.description();
        for energy in &mut self.energies {
            energy.fill_companion(x, &mut companion);
        }
        if let Some(slot) = companion.diagonal_of(0) {
            for (node, value) in companion.values_mut(slot).iter_mut().enumerate() {
                let mass = description.masses[node];
                *value += stage.inertia() * mass
                    + stage.rate * self.drag(problem, node)
                    + self.loads.stiffness[node];
                // Statics has no inertia: keep the companion definite.
                *value *= 1.0 + 1e-9;
            }
        }
        companion.scale_identity_rows(&description.fixed);
        self.companion = Some(companion);
    }

    /// Fills the matrix with the stiffness of the body as it was made: what processes and muscles have
    /// changed since must not count.
    fn fill_rest_stiffness(&mut self, body: &Body) {
        let rest = &body.description().rest_positions;
        self.matrix.clear();
        let mut fresh = self.fresh_energies(body);
        for energy in &mut fresh {
            energy.attach(&self.matrix);
        }
        let energies = if fresh.is_empty() {
            &mut self.energies
        } else {
            &mut fresh
        };
        for energy in energies {
            energy.add_stiffness(rest, &mut self.matrix);
        }
    }

    /// Gives the solver the matrix of the body at rest, unless it has that of a like stage.
    ///
    /// It depends on the description and the step alone, so that a restored state continues to the
    /// same bits.
    pub(super) fn prepare_metric(&mut self, problem: &Problem, stage: &Stage) {
        let known = self.metric.is_some_and(|known| known.is_like(stage));
        if !self.solver.wants_metric() || known {
            return;
        }
        self.metric = Some(*stage);
        let description = problem.body.description();
        let rest = &description.rest_positions;
        self.fill_rest_stiffness(problem.body);
        let stiffness = 1.0 + stage.rate * self.stiffness_damping;
        for block in self.matrix.blocks_mut() {
            *block *= stiffness;
        }
        for node in 0..rest.len() {
            let mass = description.masses[node];
            let diagonal = stage.inertia() * mass + stage.rate * self.drag(problem, node);
            let slot = self.matrix.diagonal_slot(node);
            let inertia = DMat3::from_diagonal(DVec3::splat(diagonal));
            self.matrix.add_at(slot, inertia);
        }
        let places = self.rest_places(problem.body);
        let matrix = self.unknowns.reduce_matrix(&places, &mut self.matrix);
        // Where it cannot be factorised (a free body in statics) the solver does without.
        let _ = self.solver.prepare_metric(matrix);
    }

    /// Stiffness of the nodes at rest in a step of the default rule, in newtons per metre, and the mass
    /// that a push meets, in kilograms; infinite for nodes that do not move.
    pub(super) fn node_inertia(&mut self, problem: &Problem, step: f64) -> Vec<[f64; 2]> {
        let description = problem.body.description();
        let rate = 2.0 / (GAMMA * step);
        self.metric = None;
        self.fill_rest_stiffness(problem.body);
        let stiffness = |node: usize| {
            if !self.unknowns.moves(node) {
                return [f64::INFINITY; 2];
            }
            let block = self.matrix.block(self.matrix.diagonal_slot(node));
            let mass = self.unknowns.pushed_mass(node, &description.masses);
            let elastic = symmetric_eigen(*block).0.max(DVec3::ZERO);
            // With short steps inertia is all: contact as stiff as that would last for a step, however short.
            let most = match elastic.max_element() {
                0.0 => f64::INFINITY,
                stiffest => stiffest,
            };
            let values = elastic + DVec3::splat((rate * rate * mass).min(most));
            // A sheet gives way across itself, where it is met, and hardly along itself.
            [
                (values.min_element() * values.element_sum() / 3.0).sqrt(),
                mass,
            ]
        };
        (0..description.masses.len()).map(stiffness).collect()
    }

    /// Kinetic, elastic and external energy of a state at a time, in joules.
    pub(super) fn total_energy(&mut self, problem: &Problem, state: &State, time: f64) -> f64 {
        let masses = &problem.body.description().masses;
        let kinetic: f64 = masses
            .iter()
            .zip(&state.velocities)
            .map(|(mass, velocity)| 0.5 * mass * velocity.length_squared())
            .sum();
        let elastic: f64 = self
            .energies
            .iter_mut()
            .map(|e| e.energy(&state.positions))
            .sum();
        let positions = &state.positions;
        let external = self
            .evaluator
            .potential(problem, positions, &state.velocities, time);
        kinetic + elastic + external
    }
}
