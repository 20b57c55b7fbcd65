//! The semi-implicit step: one linear system with a scalar matrix, three right-hand sides.
//!
//! ```text
//! A (x⁺ - x*) = f - e - C v,      x* = x + dt v,      v⁺ = v + (x⁺ - x*) / dt
//! A = M / dt² + C / (2 dt) + S
//! ```
//!
//! Written for x⁺ - x*, eq. 39-42 become this line (subtract A x* from both sides). What differs
//! between the variants is the elastic force e and the stiffness S:
//! - *as printed*: e = K(x) x*, S = K(x), f at time t.
//! - *published*: e = K(x*) x*, S the positive part of K and an inertia (see `published.rs`).
//! - *exact*: e = ∇E(x*), S the majorant of the Hessian of E at x*. As A is nowhere softer than
//!   the Hessian of the step's energy `|x - x*|²_M / (2 dt²) + E(x)`, the step always lowers that
//!   energy: it is one step of a majorise-minimise method for backward Euler.
//!
//! External forces are evaluated at x* with their stiffness in A, so that springs and fluids are
//! implicit too.
//!
//! S acts on x⁺ - x*, the change of velocity, so it is an added inertia of order dt² and no
//! damping; its rows sum to zero, so free fall and momentum are not touched. But it changes with
//! the shape, and an inertia that grows while things move feeds energy into them: a sheet that
//! crumples would gain energy without end. The term -θ dt S v on the right, with θ = 0.25, takes
//! out more than that; it vanishes with the step and is not there *as printed*. S is not blind to
//! rotation, so the rigid motion of the body is taken out of v before, which leaves w: a body that
//! spins or swings as a whole is not braked. As A = D + S with a diagonal D, the product S w is not
//! needed in a body without fixed nodes: y = x⁺ - x* + θ dt w solves A y = f - e - C v + θ dt D w.
//!
//! Implements: \[Terzopoulos1988\] eq. 38-42.

use super::elasticity::Elasticity;
use crate::body::{
    Body, Effort, EnergyVariant, Integrator, Past, Problem, State, StepFailure, predict, timed,
};
use crate::contact::ContactMethod;
use crate::force::{BoundForce, Loads};
use crate::linear::{GridMatrix, GridSolver};
use crate::loads::{LoadEvaluator, LoadMoment};
use crate::math::add_work;
use crate::rigid_motion::RigidMotion;
use glam::DVec3;

/// θ: see above.
const INTERNAL_FRICTION: f64 = 0.25;

pub(crate) struct SemiImplicit {
    elasticity: Elasticity,
    /// The part of A that no step changes, if there is one: the constant part of the majorant.
    constant: Option<GridMatrix>,
    matrix: GridMatrix,
    solver: GridSolver,
    evaluator: LoadEvaluator,
    loads: Loads,
    predicted: Vec<DVec3>,
    gradient: Vec<DVec3>,
    right_hand_side: Vec<f64>,
    has_fixed_nodes: bool,
    /// y of the linear system, component by component.
    unknown: Vec<f64>,
    /// θ dt w of each node.
    friction: Vec<DVec3>,
    /// The part of A that is diagonal: A = D + S.
    diagonal: Vec<f64>,
}

impl SemiImplicit {
    pub(crate) fn new(body: &Body) -> Self {
        let node_count = body.node_count();
        let elasticity = Elasticity::new(body);
        let (constant, matrix) = match &elasticity {
            Elasticity::Exact(exact) => (Some(exact.majorant_matrix()), exact.majorant_matrix()),
            Elasticity::Published(published) => {
                let grid = body.description().material_grid();
                (None, GridMatrix::new(grid, published.steps()))
            }
        };
        Self {
            elasticity,
            solver: GridSolver::new(body.description().solver, &matrix),
            constant,
            matrix,
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(node_count, false),
            predicted: vec![DVec3::ZERO; node_count],
            gradient: vec![DVec3::ZERO; node_count],
            right_hand_side: vec![0.0; 3 * node_count],
            has_fixed_nodes: body.description().fixed.contains(&true),
            unknown: vec![0.0; 3 * node_count],
            friction: vec![DVec3::ZERO; node_count],
            diagonal: vec![0.0; node_count],
        }
    }

    /// Forces at x* and the matrix.
    fn assemble(&mut self, problem: &Problem, state: &State) {
        let description = problem.body.description();
        let step = problem.step;
        let as_printed = description.energy() == EnergyVariant::AsPrinted;
        predict(state, step, &mut self.predicted);
        let (positions, moment) = if as_printed {
            let moment = LoadMoment::beginning_of(problem.time, step);
            (&state.positions, moment)
        } else {
            (&self.predicted, LoadMoment::end_of(problem.time, step))
        };
        self.evaluator.evaluate(
            problem,
            positions,
            &state.velocities,
            moment,
            &mut self.loads,
        );
        self.gradient.fill(DVec3::ZERO);
        if let Some(constant) = &self.constant {
            self.matrix.copy_values(constant);
        }
        match &mut self.elasticity {
            Elasticity::Exact(exact) => {
                exact.add_gradient_and_weigh(&self.predicted, &mut self.gradient);
                exact.add_majorant(&mut self.matrix);
            }
            Elasticity::Published(published) => {
                let start = if as_printed {
                    &state.positions
                } else {
                    &self.predicted
                };
                published.evaluate_and_add_gradient(start, &self.predicted, &mut self.gradient);
                published.set_implicit_stiffness(&mut self.matrix);
            }
        }
        if let Some(diagonal) = self.matrix.diagonal_of(0) {
            let values = self.matrix.values_mut(diagonal);
            let (inertia, drag) = (1.0 / (step * step), 0.5 / step);
            let loads = if as_printed { 0.0 } else { 1.0 };
            let nodes = description.masses.iter().zip(&description.dampings);
            let targets = values.iter_mut().zip(&mut self.diagonal);
            for (((value, diagonal), (mass, damping)), stiffness) in
                targets.zip(nodes).zip(&self.loads.stiffness)
            {
                *diagonal = mass * inertia + damping * drag + loads * stiffness;
                *value += *diagonal;
            }
        }
        if self.has_fixed_nodes {
            if !as_printed {
                self.add_friction_of_held_body(problem, state);
            }
            self.matrix.scale_identity_rows(&description.fixed);
        }
    }

    /// Adds θ dt S w to the elastic force where nodes are held: they do not share the rigid motion,
    /// so w is not zero there and the couplings to them, which A is about to lose, count.
    fn add_friction_of_held_body(&mut self, problem: &Problem, state: &State) {
        let rigid = RigidMotion::of(&problem.body.description().masses, state);
        let factor = INTERNAL_FRICTION * problem.step;
        let node_count = state.positions.len();
        for (node, velocity) in state.velocities.iter().enumerate() {
            let friction = factor * (*velocity - rigid.velocity_at(state.positions[node]));
            self.friction[node] = friction;
            self.unknown[node] = friction.x;
            self.unknown[node + node_count] = friction.y;
            self.unknown[node + 2 * node_count] = friction.z;
        }
        self.matrix
            .multiply(&self.unknown, &mut self.right_hand_side);
        for (node, gradient) in self.gradient.iter_mut().enumerate() {
            *gradient += DVec3::new(
                self.right_hand_side[node],
                self.right_hand_side[node + node_count],
                self.right_hand_side[node + 2 * node_count],
            ) - self.diagonal[node] * self.friction[node];
        }
    }

    /// Right-hand side for y = x⁺ - x* + θ dt w, and its first guess: zero. From θ dt w, which
    /// costs a product more, a cloth of 128 x 128 nodes took more iterations, smaller ones 1 to 3 %
    /// fewer.
    fn fill_right_hand_side(&mut self, problem: &Problem, state: &State) {
        let description = problem.body.description();
        let rigid = RigidMotion::of(&description.masses, state);
        let friction = if self.has_fixed_nodes || description.energy() == EnergyVariant::AsPrinted {
            0.0
        } else {
            INTERNAL_FRICTION * problem.step
        };
        let node_count = description.fixed.len();
        let (x, rest) = self.right_hand_side.split_at_mut(node_count);
        let (y, z) = rest.split_at_mut(node_count);
        self.unknown.fill(0.0);
        let nodes = state.positions.iter().zip(&state.velocities);
        let nodes = nodes.zip(description.dampings.iter().zip(&description.fixed));
        let forces = self.loads.forces.iter().zip(&self.gradient);
        let sources = nodes.zip(forces).zip(&self.diagonal);
        let right = x.iter_mut().zip(y).zip(z);
        let targets = right.zip(&mut self.friction);
        for (
            ((((position, velocity), (damping, fixed)), (load, gradient)), diagonal),
            (((x, y), z), friction_of),
        ) in sources.zip(targets)
        {
            let (force, of_node) = if *fixed {
                (DVec3::ZERO, DVec3::ZERO)
            } else {
                let of_node = friction * (*velocity - rigid.velocity_at(*position));
                let force = *load - *gradient - *damping * *velocity + *diagonal * of_node;
                (force, of_node)
            };
            [*x, *y, *z] = force.to_array();
            *friction_of = of_node;
        }
    }
}

impl Integrator for SemiImplicit {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        timed(problem.clock, &mut effort.times.assembly, || {
            self.assemble(problem, state);
            self.fill_right_hand_side(problem, state);
        });
        let report = timed(problem.clock, &mut effort.times.solve, || {
            self.solver.prepare(&self.matrix)?;
            self.solver
                .solve(&self.matrix, &self.right_hand_side, &mut self.unknown)
        })?;
        effort.linear_iterations = report.iterations;
        effort.multigrid_cycles = report.cycles;
        effort.linear_residual = report.residual;
        effort.unconverged_solves = usize::from(!report.converged);
        effort.factorisations = report.factorisations;
        let node_count = self.predicted.len();
        let (x, rest) = self.unknown.split_at(node_count);
        let (y, z) = rest.split_at(node_count);
        let changes = x.iter().zip(y).zip(z).zip(&self.friction);
        let before = self.predicted.iter().zip(&state.velocities);
        let after = candidate
            .positions
            .iter_mut()
            .zip(&mut candidate.velocities);
        let per_second = 1.0 / problem.step;
        for (((((x, y), z), friction), (predicted, velocity)), (position, next)) in
            changes.zip(before).zip(after)
        {
            let change = DVec3::new(*x, *y, *z) - *friction;
            *position = *predicted + change;
            *next = *velocity + change * per_second;
        }
        Ok(effort)
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        self.elasticity.energy(&body.state.positions)
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        self.elasticity
            .add_gradient(&body.state.positions, gradient);
    }

    fn work_seen(&self, problem: &Problem, candidate: &State) -> Option<f64> {
        let description = problem.body.description();
        let changes_little = |bound: &BoundForce| {
            let force = &bound.force;
            !force.has_potential() || (force.is_by_mass() && force.is_passive())
        };
        let is_seen = description.contact.method == ContactMethod::Projection
            && description.forces.iter().all(changes_little);
        is_seen.then(|| {
            let (now, before) = (&candidate.positions, &problem.body.state.positions);
            let mut work = 0.0;
            add_work(&self.loads.forces, now, before, &mut work);
            work
        })
    }

    fn adopt(&mut self, past: Past) {
        if self.elasticity.adopt(past)
            && let (Elasticity::Exact(exact), Some(constant)) =
                (&self.elasticity, &mut self.constant)
        {
            exact.refill_majorant(constant);
        }
    }
}
