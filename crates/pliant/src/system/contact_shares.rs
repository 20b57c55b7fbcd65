//! The share of a contact force that stops an approach, and counts as an impulse (`rule.rs` says why).
//!
//! ```text
//! share = m a s² τ / (k² N)     at most 1;  0 for penalties, which are forces like any other
//! ```
//!
//! a is the speed of the approach, m the mass that is pushed, N the contact force; s, τ and k are the rate, the
//! duration and the mirror of the stage.

use super::obstacle_contact::ObstacleContact;
use super::rule::Stage;
use glam::DVec3;

impl ObstacleContact {
    /// Splits the contact forces at the positions last evaluated into the share that stops nodes
    /// which approach an obstacle with `velocities`, and the rest.
    pub(super) fn split(
        &self,
        stage: &Stage,
        masses: impl Fn(usize) -> f64,
        velocities: &[DVec3],
        impulses: &mut [DVec3],
        lasting: &mut [DVec3],
    ) {
        impulses.fill(DVec3::ZERO);
        lasting.fill(DVec3::ZERO);
        self.visit_touches(
            stage,
            masses,
            velocities,
            |node, share, normal, friction| {
                let total = normal + friction;
                impulses[node] += share * total;
                lasting[node] += (1.0 - share) * total;
            },
        );
    }

    /// Visits what touches at the positions last evaluated: the node, the share of the contact force that stops
    /// its approach with `velocities`, the force along the normal and that of friction at the stage, in newtons.
    pub(super) fn visit_touches(
        &self,
        stage: &Stage,
        masses: impl Fn(usize) -> f64,
        velocities: &[DVec3],
        mut visit: impl FnMut(usize, f64, DVec3, DVec3),
    ) {
        // What the margin leaves open is no approach.
        let rest = 0.1 * self.margin / stage.duration;
        let mut frictions = self.frictions.iter().peekable();
        for touch in &self.touches {
            let node = touch.node as usize;
            let approach = (-touch.normal.dot(velocities[node]) - rest).max(0.0);
            let stopping = masses(node) * approach * stage.stopping();
            let force = stage.mirror * touch.force;
            // A penalty is a force like any other.
            let share = if force > 0.0 && self.is_hard {
                (stopping / force).min(1.0)
            } else {
                0.0
            };
            let mut sliding = stage.mirror * touch.friction;
            // Frictions stand in the order of the touches they belong to.
            if let Some(friction) = frictions.next_if(|friction| {
                friction.node == touch.node && friction.normal.dot(touch.normal) > 0.5
            }) {
                sliding += stage.mirror * self.friction_force(friction).0;
            }
            visit(node, share, force * touch.normal, sliding);
        }
    }
}
