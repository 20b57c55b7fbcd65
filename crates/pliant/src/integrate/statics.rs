//! Static equilibrium: ∇E(x) = f(x) at each moment.
//!
//! Newton's method on E + U without inertia. Where the energy leaves motions free (a membrane out
//! of its plane, a plate within it) the matrix is singular; a multiple of the identity that
//! shrinks as long as steps succeed keeps it definite. A step of a static body finds the
//! equilibrium for the forces at the end of the step, so a moving spring drags it through a
//! sequence of equilibria.
//!
//! Implements: \[Terzopoulos1988\] eq. 3 with the time derivatives at zero (Fig. 9 and 10).

use super::newton::{Limits, Newton, Quadratic};
use super::{Effort, Integrator, Problem, StepFailure};
use crate::body::{Body, State};
use glam::DVec3;

pub(super) struct Statics {
    newton: Newton,
}

/// Start of the regularisation relative to the stiffness of the body.
const REGULARISATION: f64 = 1e-6;

/// An equilibrium may be far away: iterations allowed for each one a step would have.
const ITERATION_FACTOR: usize = 25;

impl Statics {
    pub(super) fn new(body: &Body) -> Self {
        Self {
            newton: Newton::new(body),
        }
    }
}

impl Integrator for Statics {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        let description = problem.body.description();
        let quadratic = Quadratic {
            inertial: &state.positions,
            inertia_factor: 0.0,
            previous: &state.positions,
            damping_factor: 0.0,
            time: problem.time + problem.step,
            step: 0.0,
        };
        let limits = Limits {
            iterations: description.newton_iterations * ITERATION_FACTOR,
            tolerance: description.solver.tolerance,
            regularisation: REGULARISATION,
        };
        candidate.positions.copy_from_slice(&state.positions);
        candidate.velocities.fill(DVec3::ZERO);
        self.newton.minimise(
            problem,
            &quadratic,
            limits,
            &mut candidate.positions,
            &mut effort,
        )?;
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
