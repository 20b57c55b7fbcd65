//! Friction of impacts between rigid bodies.
//!
//! A stage sees an impact as a displacement: friction that keeps the features from slipping within it changes the velocity
//! by up to twice what stops the slip, and a rebound that is given afterwards had none. So the friction of an impact is
//! an impulse by Coulomb's law, found together with the normal ones, pair after pair, in rounds:
//!
//! ```text
//! f = the f - u / c of the last round, cut to |f| <= μ p
//! ```
//!
//! u is the velocity with which the surfaces slip where they touch, c the larger of what a unit impulse changes it by
//! along two directions in the plane of contact, p the impulse of contact that is left, with its rebound.

use super::pair_answer::{Answer, Side};
use super::pair_contact::{PairContact, Touching};
use super::pair_friction::Stencil;
use super::pair_rebound::{Given, Impulses};
use glam::DVec3;

impl Given {
    /// Friction as it is now: the impulse on the first feature, in newton seconds.
    fn friction_now(&self) -> DVec3 {
        self.missing_friction - self.friction
    }

    /// Stops the slip, as far as friction can; returns the change of its velocity.
    pub(super) fn stop_slip(&mut self, contact: &PairContact, answer: &mut Answer) -> f64 {
        let sides = contact.surface_sides(&self.touch);
        let n = self.touch.normal;
        let tangents = n.any_orthonormal_pair();
        let compliance = [tangents.0, tangents.1].map(|t| answer.compliance(&sides, t));
        let compliance = compliance[0].max(compliance[1]);
        if compliance <= 0.0 {
            return 0.0;
        }
        let velocity = answer.relative_velocity(&sides);
        let slip = velocity - n * n.dot(velocity);
        let limit = self.touch.friction * (self.impulse - self.thrown).max(0.0);
        let now = self.friction_now();
        let wanted = (now - slip / compliance).clamp_length_max(limit);
        let change = wanted - now;
        self.missing_friction += change;
        answer.push(&sides, change);
        change.length() * compliance
    }

    /// The part of friction that belongs to what stops the approach.
    pub(super) fn stopping_friction(&self) -> DVec3 {
        let left = self.impulse - self.thrown;
        if left <= 0.0 {
            return DVec3::ZERO;
        }
        (self.stopping / left).min(1.0) * self.friction_now()
    }

    /// Adds an impulse of friction.
    pub(super) fn add_friction(&self, impulses: &mut [DVec3], impulse: DVec3) {
        for (node, weight) in self.stencil.0.iter().zip(&self.stencil.1) {
            impulses[*node as usize] += *weight * impulse;
        }
    }
}

impl Impulses {
    /// Finds the impulses of friction of a stage of so many seconds that has been solved and cut down.
    pub(super) fn find_friction(&mut self, contact: &PairContact, length: f64) {
        let [impulses, stopping] = &mut self.friction;
        for list in [&mut *impulses, &mut *stopping] {
            list.clear();
        }
        if !contact.has_friction() && !self.given.iter().any(|given| given.strikes) {
            return;
        }
        for list in [&mut *impulses, &mut *stopping] {
            list.resize(contact.places.len(), DVec3::ZERO);
        }
        for touch in &contact.frozen {
            if let Some((pull, _)) = contact.friction(touch) {
                let (nodes, weights) = contact.stencil(touch);
                for (node, weight) in nodes.iter().zip(&weights) {
                    impulses[*node as usize] -= *weight * length * pull;
                }
            }
        }
        for given in &self.given {
            if given.strikes {
                given.add_friction(impulses, given.missing_friction);
                given.add_friction(stopping, given.stopping_friction());
            } else {
                let share = given.stopping / given.impulse;
                given.add_friction(impulses, given.loose_share() * given.friction);
                given.add_friction(stopping, -share * given.friction);
            }
        }
    }
}

impl PairContact {
    /// Nodes and weights of the places that touch, as they are now.
    pub(super) fn stencil_now(&self, touch: &Touching) -> Stencil {
        self.round_stencil(touch)
            .unwrap_or_else(|| self.stencil(touch))
    }

    /// Both features of a pair, at the surfaces about them.
    fn surface_sides(&self, touch: &Touching) -> [Side; 2] {
        let mut sides = self.sides(touch);
        for side in &mut sides {
            if let Some((_, radius)) = self.features.round_frame(side.vertex()) {
                side.move_by(-radius * touch.normal);
            }
        }
        sides
    }
}
