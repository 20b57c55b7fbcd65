//! Anderson's acceleration of Newton's method for rigid bodies that touch.
//!
//! Friction has a kink where it ends, so that its true Hessian would leap over it, and it goes by normal forces that
//! lag behind. With the parabola that touches it from above every iteration goes the same way, and not far enough:
//! what is left shrinks by a factor. From how the wanted steps p have changed with the steps s that were gone, the
//! last few iterations tell where they lead:
//!
//! ```text
//! γ = argmin |p - ΔP γ|,   p' = p - (S + ΔP) γ
//! ```
//!
//! S has the last steps as columns, ΔP the changes of p that they made. For a linear fixed point this is GMRES over
//! the last steps. The potential must fall along p', else p is gone. A pile of 125 boxes takes a third of the
//! iterations. Soft bodies gain nothing: their linear solves are rough, and contacts come and go.
//!
//! Implements: \[Anderson1965\] in the form of \[Walker2011\].

use super::island::Member;
use crate::math::parallel::dot;
use glam::DVec3;

/// Steps that are kept.
const KEPT: usize = 2;

/// What is left of a wanted step after one that converges fast enough by itself.
const FAST: f64 = 0.2;

/// Growth of the wanted step that says that the last steps tell nothing.
const GROWTH: f64 = 1.5;

/// Steps of the last iterations, and how the wanted ones have changed with them.
#[derive(Debug, Default)]
pub(super) struct Acceleration {
    steps: [Vec<DVec3>; KEPT],
    changes: [Vec<DVec3>; KEPT],
    /// How many of them are known, the last one first.
    count: usize,
    /// The step that was wanted last, whether there is one, and the step that was gone.
    wanted: Vec<DVec3>,
    has_wanted: bool,
    gone: Vec<DVec3>,
    /// Whether the directions of the members are other than they wanted.
    is_turned: bool,
}

impl Acceleration {
    /// Begins a stage: nothing is known.
    pub(super) fn begin(&mut self, members: &[Member]) {
        let counts = members.iter().map(|member| member.mover.direction.len());
        let count: usize = counts.sum();
        let lists = self.steps.iter_mut().chain(&mut self.changes);
        for list in lists.chain([&mut self.wanted, &mut self.gone]) {
            list.resize(count, DVec3::ZERO);
        }
        self.forget();
        self.is_turned = false;
    }

    fn forget(&mut self) {
        self.count = 0;
        self.has_wanted = false;
    }

    /// Turns the directions of the members to where the last steps lead.
    pub(super) fn turn(&mut self, members: &mut [Member]) {
        self.is_turned = false;
        let before = dot(&self.wanted, &self.wanted);
        // The oldest makes room for the new one.
        self.steps.rotate_right(1);
        self.changes.rotate_right(1);
        let directions = members.iter().flat_map(|m| m.mover.direction.iter());
        let wanted = self.wanted.iter_mut().zip(&mut self.changes[0]);
        for ((wanted, change), direction) in wanted.zip(directions) {
            (*wanted, *change) = (*direction, *direction - *wanted);
        }
        let now = dot(&self.wanted, &self.wanted);
        if now > GROWTH * GROWTH * before {
            self.forget();
        }
        if !std::mem::replace(&mut self.has_wanted, true) {
            return;
        }
        self.steps[0].copy_from_slice(&self.gone);
        self.count = (self.count + 1).min(KEPT);
        if now <= FAST * FAST * before {
            return;
        }
        let shares = self.shares();
        self.is_turned = shares.iter().all(|share| share.is_finite());
        if !self.is_turned {
            return;
        }
        let directions = members
            .iter_mut()
            .flat_map(|m| m.mover.direction.iter_mut());
        for (node, direction) in directions.enumerate() {
            for (k, share) in shares.iter().enumerate() {
                *direction -= *share * (self.steps[k][node] + self.changes[k][node]);
            }
        }
    }

    /// γ, by the normal equations; not finite if they cannot be solved.
    fn shares(&self) -> [f64; KEPT] {
        let [a, b] = &self.changes;
        // Steps that are nearly the same tell the same.
        let aa = dot(a, a) * (1.0 + 1e-8);
        let wa = dot(a, &self.wanted);
        if self.count < KEPT {
            return [wa / aa, 0.0];
        }
        let (ab, bb) = (dot(a, b), dot(b, b) * (1.0 + 1e-8));
        let wb = dot(b, &self.wanted);
        let determinant = aa * bb - ab * ab;
        [wa * bb - wb * ab, wb * aa - wa * ab].map(|share| share / determinant)
    }

    /// Gives the members back what they wanted, and takes the last steps for nothing; says whether that is another
    /// direction.
    pub(super) fn give_up(&mut self, members: &mut [Member]) -> bool {
        let was_turned = std::mem::take(&mut self.is_turned);
        if was_turned {
            let directions = members
                .iter_mut()
                .flat_map(|m| m.mover.direction.iter_mut());
            for (direction, wanted) in directions.zip(&self.wanted) {
                *direction = *wanted;
            }
            self.count = 0;
        }
        was_turned
    }

    /// Takes note of a step along the directions, by so much.
    pub(super) fn note(&mut self, members: &[Member], share: f64) {
        let directions = members.iter().flat_map(|m| m.mover.direction.iter());
        for (gone, direction) in self.gone.iter_mut().zip(directions) {
            *gone = share * *direction;
        }
    }
}
