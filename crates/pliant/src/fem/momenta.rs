//! Momenta of free bodies, which ghost forces of stiffness warping and the numerical damping of
//! backward Euler would change.
//!
//! Implements: \[Mueller2002\] sect. 3 (ghost forces on free floating objects).

use super::stepper::MeshStepper;
use crate::body::State;
use crate::integrate::Problem;
use crate::rigid_motion::RigidMotion;
use glam::DVec3;

impl MeshStepper {
    /// Gives a free body the momenta that external forces alone give it.
    ///
    /// The change of velocity is a rigid one; positions follow it, and since x⁺ x v⁺ = x x v⁺ for
    /// x⁺ = x + dt v⁺, angular momentum is then right to rounding.
    pub(super) fn restore_momenta(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) {
        let masses = &problem.body.description().masses;
        let dampings = &problem.body.description().dampings;
        let step = problem.step;
        let before = RigidMotion::of(masses, state);
        let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for (node, &mass) in masses.iter().enumerate() {
            let drag = dampings[node] + self.settings.mass_damping * mass;
            let force = self.loads.forces[node] - drag * candidate.velocities[node];
            let lost = mass * (state.velocities[node] - candidate.velocities[node]) + step * force;
            momentum += lost;
            angular += (state.positions[node] - before.centre).cross(lost);
        }
        let (shift, turn) = (momentum / before.mass, before.turn_by(angular));
        for (node, velocity) in candidate.velocities.iter_mut().enumerate() {
            let change = shift + turn.cross(state.positions[node] - before.centre);
            *velocity += change;
            candidate.positions[node] += step * change;
        }
    }
}
