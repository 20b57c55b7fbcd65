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
//! crumples would gain energy without end. The term θ dt S v on the right, with θ = 0.25, takes
//! out more than that; it vanishes with the step and is not there *as printed*. S is not blind to
//! rotation, so the rigid motion of the body is taken out of v before: a body that spins or swings
//! as a whole is not braked.
//!
//! Implements: \[Terzopoulos1988\] eq. 38-42.

use super::elasticity::{Elasticity, copy_values};
use super::{Effort, Integrator, Problem, StepFailure, predict, timed};
use crate::body::{Body, EnergyVariant, State};
use crate::force::Loads;
use crate::linear::{GridMatrix, GridSolver};
use crate::loads::LoadEvaluator;
use crate::rigid_motion::RigidMotion;
use glam::DVec3;

/// θ: see above.
const INTERNAL_FRICTION: f64 = 0.25;

pub(super) struct SemiImplicit {
    elasticity: Elasticity,
    /// The part of A that no step changes: the constant part of the majorant.
    constant: GridMatrix,
    matrix: GridMatrix,
    solver: GridSolver,
    evaluator: LoadEvaluator,
    loads: Loads,
    predicted: Vec<DVec3>,
    gradient: Vec<DVec3>,
    right_hand_side: Vec<f64>,
    has_fixed_nodes: bool,
    change: Vec<f64>,
}

impl SemiImplicit {
    pub(super) fn new(body: &Body) -> Self {
        let node_count = body.node_count();
        let elasticity = Elasticity::new(body);
        let matrix = || match &elasticity {
            Elasticity::Exact(exact) => exact.majorant_matrix(),
            Elasticity::Published(published) => {
                GridMatrix::new(&body.description().grid, published.steps())
            }
        };
        let (constant, matrix) = (matrix(), matrix());
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
            change: vec![0.0; 3 * node_count],
        }
    }

    /// Forces at x* and the matrix.
    fn assemble(&mut self, problem: &Problem, state: &State) -> usize {
        let description = problem.body.description();
        let step = problem.step;
        let as_printed = description.energy == EnergyVariant::AsPrinted;
        predict(state, step, &mut self.predicted);
        let (positions, time) = if as_printed {
            (&state.positions, problem.time)
        } else {
            (&self.predicted, problem.time + step)
        };
        let contacts = self.evaluator.evaluate(
            problem,
            positions,
            &state.velocities,
            time,
            step,
            &mut self.loads,
        );
        self.gradient.fill(DVec3::ZERO);
        copy_values(&self.constant, &mut self.matrix);
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
                published.add_implicit_stiffness(&mut self.matrix);
            }
        }
        if !as_printed {
            self.add_internal_friction(problem, state);
        }
        if let Some(diagonal) = self.matrix.diagonal_of(0) {
            let values = self.matrix.values_mut(diagonal);
            for (node, value) in values.iter_mut().enumerate() {
                *value += description.masses[node] / (step * step)
                    + description.dampings[node] / (2.0 * step);
                if !as_printed {
                    *value += self.loads.stiffness[node];
                }
            }
        }
        if self.has_fixed_nodes {
            self.matrix.scale_identity_rows(&description.fixed);
        }
        contacts
    }

    /// Adds θ dt S (v - rigid motion) to the elastic force, with S as it now stands in the matrix.
    fn add_internal_friction(&mut self, problem: &Problem, state: &State) {
        let masses = &problem.body.description().masses;
        let rigid = RigidMotion::of(masses, state);
        let node_count = masses.len();
        let (x, rest) = self.change.split_at_mut(node_count);
        let (y, z) = rest.split_at_mut(node_count);
        for (node, velocity) in state.velocities.iter().enumerate() {
            let own = *velocity - rigid.velocity_at(state.positions[node]);
            x[node] = own.x;
            y[node] = own.y;
            z[node] = own.z;
        }
        self.matrix
            .multiply(&self.change, &mut self.right_hand_side);
        let (x, rest) = self.right_hand_side.split_at(node_count);
        let (y, z) = rest.split_at(node_count);
        let factor = INTERNAL_FRICTION * problem.step;
        for (node, gradient) in self.gradient.iter_mut().enumerate() {
            *gradient += factor * DVec3::new(x[node], y[node], z[node]);
        }
    }

    fn fill_right_hand_side(&mut self, problem: &Problem, state: &State) {
        let description = problem.body.description();
        let node_count = description.fixed.len();
        let (x, rest) = self.right_hand_side.split_at_mut(node_count);
        let (y, z) = rest.split_at_mut(node_count);
        for node in 0..node_count {
            let force = if description.fixed[node] {
                DVec3::ZERO
            } else {
                self.loads.forces[node]
                    - self.gradient[node]
                    - description.dampings[node] * state.velocities[node]
            };
            x[node] = force.x;
            y[node] = force.y;
            z[node] = force.z;
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
        effort.contacts = timed(problem.clock, &mut effort.times.assembly, || {
            let contacts = self.assemble(problem, state);
            self.fill_right_hand_side(problem, state);
            contacts
        });
        self.change.fill(0.0);
        let report = timed(problem.clock, &mut effort.times.solve, || {
            self.solver.prepare(&self.matrix)?;
            self.solver
                .solve(&self.matrix, &self.right_hand_side, &mut self.change)
        })?;
        effort.linear_iterations = report.iterations;
        effort.linear_residual = report.residual;
        effort.factorisations = report.factorisations;
        let node_count = self.predicted.len();
        for node in 0..node_count {
            let change = DVec3::new(
                self.change[node],
                self.change[node + node_count],
                self.change[node + 2 * node_count],
            );
            candidate.positions[node] = self.predicted[node] + change;
            candidate.velocities[node] = state.velocities[node] + change / problem.step;
        }
        Ok(effort)
    }

    fn elastic_energy(&mut self, positions: &[DVec3]) -> f64 {
        self.elasticity.energy(positions)
    }

    fn add_elastic_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        self.elasticity.add_gradient(positions, gradient);
    }
}
