//! Fully implicit steps: backward Euler and the implicit midpoint rule.
//!
//! ```text
//! M (x⁺ - x*) / dt² + C (x⁺ - x) / dt + ∇E(x⁺) = f(x⁺, v⁺),   v⁺ = (x⁺ - x) / dt
//! ```
//!
//! Backward Euler minimises Φ(x) = |x - x*|²_M / (2 dt²) + |x - x_t|²_C / (2 dt) + E(x) + U(x),
//! which has a minimum however long the step. The midpoint rule is a backward Euler step of half
//! the length to the midpoint x_m, followed by x⁺ = 2 x_m - x. It has no numerical damping and
//! keeps linear and angular momentum: Σ x⁺ x μ v⁺ - Σ x x μ v = dt Σ x_m x f(x_m).
//!
//! Implements: \[Terzopoulos1988\] eq. 3 and 37 in time, without the linearisation of eq. 39.

use super::newton::{Limits, Newton, Quadratic};
use super::{Effort, Integrator, Problem, StepFailure, predict};
use crate::body::{Body, State};
use glam::DVec3;

pub(super) struct Implicit {
    newton: Newton,
    inertial: Vec<DVec3>,
    midpoint: bool,
}

impl Implicit {
    pub(super) fn euler(body: &Body) -> Self {
        Self {
            newton: Newton::new(body),
            inertial: vec![DVec3::ZERO; body.node_count()],
            midpoint: false,
        }
    }

    pub(super) fn midpoint(body: &Body) -> Self {
        Self {
            midpoint: true,
            ..Self::euler(body)
        }
    }
}

impl Integrator for Implicit {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        let description = problem.body.description();
        let step = if self.midpoint {
            0.5 * problem.step
        } else {
            problem.step
        };
        predict(state, step, &mut self.inertial);
        let quadratic = Quadratic {
            inertial: &self.inertial,
            inertia_factor: 1.0 / (step * step),
            previous: &state.positions,
            damping_factor: 1.0 / step,
            time: problem.time + step,
            step,
        };
        let limits = Limits {
            iterations: description.newton_iterations,
            tolerance: description.solver.tolerance.max(1e-12),
            regularisation: 0.0,
        };
        candidate.positions.copy_from_slice(&self.inertial);
        self.newton.minimise(
            problem,
            &quadratic,
            limits,
            &mut candidate.positions,
            &mut effort,
        )?;
        for node in 0..candidate.positions.len() {
            let start = state.positions[node];
            let velocity = (candidate.positions[node] - start) / step;
            if self.midpoint {
                candidate.positions[node] = 2.0 * candidate.positions[node] - start;
                candidate.velocities[node] = 2.0 * velocity - state.velocities[node];
            } else {
                candidate.velocities[node] = velocity;
            }
        }
        Ok(effort)
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        self.newton.elasticity.energy(&body.state.positions)
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        self.newton
            .elasticity
            .add_gradient(&body.state.positions, gradient);
    }

    fn adopt(&mut self, rests: &[f64], stiffnesses: &[f64]) {
        self.newton.adopt(rests, stiffnesses);
    }
}
