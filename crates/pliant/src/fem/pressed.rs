//! Contact inside the implicit step: what touches an obstacle is solved for again with it.
//!
//! Nodes that the free step x⁺ took into an obstacle are held at its surface by stiff springs along
//! the normals n, and the step is corrected by one more solve:
//!
//! ```text
//! (A + Σ κ n nᵀ) δ = Σ κ n d,      f = κ (d - n · δ)
//! ```
//!
//! A is the matrix of the step, d the depth of a node, f the force that the obstacle exerts on it.
//! The weight of the body so reaches the floor through the solve. Nodes that are merely moved out
//! after the solve carry nothing: a heavy soft body then sinks into itself. Friction takes at most
//! μ f dt / m from the tangential velocity of a node; a rebound is given to its normal velocity.

use super::stepper::MeshStepper;
use crate::body::State;
use crate::contact::coulomb;
use crate::integrate::{Effort, Problem, StepFailure};
use crate::math::outer;
use glam::DVec3;

/// κ by the stiffness of the node: what is left of a depth is about as small as this is large.
const HARDNESS: f64 = 1e3;

/// A node that touches an obstacle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press {
    node: u32,
    normal: DVec3,
    depth: f64,
    hardness: f64,
    friction: f64,
    restitution: f64,
}

impl MeshStepper {
    /// Nodes that contact has pushed and that the step can move, with the obstacle they are in.
    fn find_presses(&mut self, problem: &Problem, pushes: &[DVec3]) {
        let description = problem.body.description();
        let contact = &description.contact;
        self.presses.clear();
        for (node, push) in pushes.iter().enumerate() {
            if *push == DVec3::ZERO || !self.coordinates.moves(node) {
                continue;
            }
            let place = self.unpressed[node];
            for &index in &description.collides_with {
                let obstacle = &problem.obstacles[index];
                let (distance, normal) = obstacle.distance_and_normal(place);
                let depth = contact.thickness - distance;
                if depth > 0.0 {
                    let depth = obstacle.epsilon * depth;
                    self.presses.push(Press {
                        node: node as u32,
                        normal,
                        depth,
                        hardness: 0.0,
                        friction: contact.friction.max(obstacle.friction),
                        restitution: contact.restitution.max(obstacle.restitution),
                    });
                }
            }
        }
    }

    /// Makes the candidate anew with the contacts in the solve; returns whether there were any.
    pub(super) fn press(
        &mut self,
        problem: &Problem,
        state: &State,
        pushes: &[DVec3],
        candidate: &mut State,
        effort: &mut Effort,
    ) -> Result<bool, StepFailure> {
        self.find_presses(problem, pushes);
        if self.presses.is_empty() {
            return Ok(false);
        }
        let description = problem.body.description();
        let rule = self.rule(problem);
        let free = std::mem::take(&mut self.unpressed);
        self.coordinates.place(description, &free);
        self.assemble(problem, rule, &free, 0.0);
        self.gradient.fill(DVec3::ZERO);
        for press in &mut self.presses {
            let node = press.node as usize;
            let slot = self.matrix.diagonal_slot(node);
            let block = self.matrix.block(slot);
            let largest = block.x_axis.x.max(block.y_axis.y).max(block.z_axis.z);
            press.hardness = HARDNESS * largest;
            let n = press.normal;
            self.matrix.add_at(slot, outer(n, n) * press.hardness);
            self.gradient[node] += press.hardness * press.depth * n;
        }
        self.coordinates
            .reduce(&free, &self.gradient, &mut self.right_side);
        let solved = self.solve(&free, None, effort);
        if solved.is_ok() {
            self.coordinates
                .advance(&free, &self.direction, 1.0, &mut candidate.positions);
            self.form_velocities(rule, state, &candidate.positions);
            candidate.velocities.copy_from_slice(&self.velocities);
            self.rub(problem, &free, candidate);
        }
        self.unpressed = free;
        solved.map(|()| true)
    }

    /// Friction and rebound of the nodes that are pressed.
    fn rub(&mut self, problem: &Problem, free: &[DVec3], candidate: &mut State) {
        let masses = &problem.body.description().masses;
        for press in &self.presses {
            let node = press.node as usize;
            let n = press.normal;
            let lifted = n.dot(candidate.positions[node] - free[node]);
            let force = press.hardness * (press.depth - lifted).max(0.0);
            let before = n.dot(candidate.velocities[node]) - lifted / problem.step;
            let velocity = &mut candidate.velocities[node];
            let tangential = *velocity - n * n.dot(*velocity);
            let impulse = force * problem.step / masses[node];
            let slide = coulomb(tangential, press.friction * impulse);
            *velocity -= slide;
            candidate.positions[node] -= problem.step * slide;
            if before < 0.0 && press.restitution > 0.0 {
                let wanted = -press.restitution * before;
                *velocity += n * (wanted - n.dot(*velocity)).max(0.0);
            }
        }
    }
}
