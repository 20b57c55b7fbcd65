//! How a hybrid body answers when contact pushes some of its nodes.
//!
//! ```text
//! A w = Rᵀ f,   f = μ Δv / dt at the nodes that are pushed,   e' + β w
//! β = Σ μ Δv·y / Σ μ y·y,   y the change of velocity that f makes at those nodes
//! ```
//!
//! Projection moves single nodes. In a stiff body that would leave them far from their neighbours,
//! with more elastic energy than the impact had. Here the pushes become forces of the step, scaled
//! by β so that the pushed nodes on the whole get the velocities that contact gave them: a stiff body
//! is stopped as one, a soft one where it is touched. What is still inside an obstacle afterwards is
//! projected node by node.
//!
//! One more solve with the same matrix, in steps with contact only.

use super::step::HybridDynamics;
use super::system::{get, put};
use crate::body::State;
use crate::body::{Problem, StepFailure};
use glam::DVec3;

/// A node whose elastic stiffness is below this share of its inertia is free to move by itself.
const SOFT: f64 = 0.5;

/// Memory of a response; empty until the first contact.
#[derive(Default)]
pub(super) struct Response {
    /// e' without the pushes.
    base: Vec<f64>,
    /// w.
    answer: Vec<f64>,
    /// Velocities without the pushes.
    velocities: Vec<DVec3>,
    /// β and what it is made of, of each piece.
    pieces: Vec<Pushed>,
}

/// How strongly a piece is pushed.
#[derive(Clone, Copy)]
struct Pushed {
    /// β.
    strength: f64,
    /// How much of it stands in the loads.
    done: f64,
    wanted: f64,
    found: f64,
}

impl Default for Pushed {
    fn default() -> Self {
        Self {
            strength: 1.0,
            done: 0.0,
            wanted: 0.0,
            found: 0.0,
        }
    }
}

impl HybridDynamics {
    /// Makes the candidate anew, with the pushes as forces. Returns whether there was need to.
    pub(super) fn respond_to(
        &mut self,
        problem: &Problem,
        state: &State,
        pushes: &[DVec3],
        candidate: &mut State,
    ) -> Result<bool, StepFailure> {
        let (Some(material), Some(flight)) = (problem.body.hybrid(), self.flight) else {
            return Ok(false);
        };
        if !self.is_stiff_where(pushes) {
            return Ok(false);
        }
        let masses = &problem.body.description().masses;
        let pieces = material.pieces();
        let system = &mut self.inner.system;
        self.response.base.clone_from(&system.unknown);
        let frames = &self.frames;
        for (node, push) in pushes.iter().enumerate() {
            let force = (masses[node] / problem.step) * *push;
            let turned = match frames.get(pieces.of_node(node)) {
                Some(frame) if force != DVec3::ZERO => frame.rotation.inverse() * force,
                _ => force,
            };
            put(&mut system.right_hand_side, node, turned);
        }
        system.unknown.fill(0.0);
        system.solve()?;
        self.response.answer.clone_from(&system.unknown);
        let velocities = candidate.velocities.iter().zip(pushes);
        self.response.velocities.clear();
        self.response
            .velocities
            .extend(velocities.map(|(v, push)| *v - *push));
        // With the pushes as they are, then as strong as they must be. Loose nodes are pushed as they
        // are.
        let mut pushed = std::mem::take(&mut self.response.pieces);
        pushed.clear();
        pushed.resize(pieces.count() + 1, Pushed::default());
        for _ in 0..2 {
            let inner = &mut self.inner;
            for (node, push) in pushes.iter().enumerate() {
                let Pushed { strength, done, .. } = pushed[pieces.of_node(node)];
                inner.loads.forces[node] +=
                    ((strength - done) * masses[node] / problem.step) * *push;
                let e = get(&self.response.base, node);
                let more = strength * get(&self.response.answer, node);
                put(&mut inner.system.unknown, node, e + more);
            }
            pushed
                .iter_mut()
                .for_each(|piece| piece.done = piece.strength);
            inner.place(material, &self.frames);
            inner.turn_frames(material, &self.frames, candidate);
            self.finish(problem, material, state, candidate, &flight);
            for (node, push) in pushes.iter().enumerate() {
                if *push != DVec3::ZERO && !pieces.is_loose(node) {
                    let gained = candidate.velocities[node] - self.response.velocities[node];
                    let piece = &mut pushed[pieces.of_node(node)];
                    piece.wanted += masses[node] * gained.dot(*push);
                    piece.found += masses[node] * gained.length_squared();
                }
            }
            for piece in &mut pushed {
                if piece.found > 0.0 && piece.wanted > 0.0 {
                    piece.strength *= piece.wanted / piece.found;
                }
                (piece.wanted, piece.found) = (0.0, 0.0);
            }
        }
        self.response.pieces = pushed;
        Ok(true)
    }

    /// Whether some node that is pushed is tied to its neighbours more than to its inertia.
    fn is_stiff_where(&self, pushes: &[DVec3]) -> bool {
        let system = &self.inner.system;
        let Some(slot) = system.stiffness.diagonal_of(0) else {
            return false;
        };
        let nodes = system.stiffness.values(slot).iter().zip(&system.diagonal);
        nodes
            .zip(pushes)
            .any(|((stiffness, inertia), push)| *push != DVec3::ZERO && *stiffness > SOFT * inertia)
    }
}
