//! Friction of nodes with obstacles where contact is a term of the potential (`obstacle_contact.rs`
//! states it).

use super::obstacle_contact::ObstacleContact;
use crate::body::Problem;
use crate::math::outer;
use glam::{DMat3, DVec3};

/// k of friction relative to that of contact: a stiffer one would make Newton's steps overshoot where
/// sliding ends.
const STICKINESS: f64 = 0.1;

/// What a node that sticks may slip in a stage, by the margin.
const SLIP: f64 = 0.002;

/// What a node may be off its aim, by how far outside that is: velocities go by it.
const EXACT: f64 = 0.02;

/// The least that a node may be off its aim, by the margin.
const SLACK: f64 = 1e-6;

/// Friction at a touch, with the normal force as it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Friction {
    pub(super) node: u32,
    pair: u32,
    pub(super) normal: DVec3,
    /// μ N, in newtons.
    limit: f64,
    /// Where the stage is one linear solve, the most that its spring may be stiff: by the way that the velocity
    /// foretells, the force of such a spring is μ N.
    secant: f64,
}

impl ObstacleContact {
    /// Whether friction acts at what touches.
    pub(super) fn has_friction(&self) -> bool {
        let touching = || self.touches.iter().any(|touch| touch.force > 0.0);
        self.has_friction && (self.bounds.has_friction() || touching())
    }

    /// Whether the limits of friction were still changing by more than a share of them.
    pub(super) fn are_unsettled(&self, share: f64) -> bool {
        self.limits[1] > share * self.limits[0] || self.bounds.are_unsettled(share)
    }

    /// Takes the normal forces for friction: those at the positions last evaluated, or those that the
    /// multipliers remember.
    /// `relaxed` goes half of the way to them.
    pub(super) fn freeze_friction(&mut self, problem: &Problem, as_they_are: bool, relaxed: bool) {
        self.frictions.clear();
        self.limits = [0.0; 2];
        let colliding = problem.meets;
        for touch in &self.touches {
            let obstacle = &problem.obstacles[colliding[touch.pair as usize / self.node_count]];
            let friction = problem.friction_with(obstacle);
            let known = self.multipliers.get(touch.pair as usize);
            let force = match known {
                Some(&multiplier) if !as_they_are || self.updated => multiplier,
                None if !as_they_are => self.normal_forces[touch.pair as usize],
                _ => touch.force,
            };
            if friction == 0.0 {
                continue;
            }
            let last = &mut self.normal_forces[touch.pair as usize];
            let force = if relaxed {
                0.5 * (*last + force)
            } else {
                force
            };
            self.limits[0] += friction * force;
            self.limits[1] += friction * (force - *last).abs();
            *last = force;
            if force > 0.0 {
                self.frictions.push(Friction {
                    node: touch.node,
                    pair: touch.pair,
                    normal: touch.normal,
                    limit: friction * force,
                    secant: match self.is_linear {
                        true => {
                            let velocity = problem.body.state.velocities[touch.node as usize];
                            let along = velocity - touch.normal * touch.normal.dot(velocity);
                            friction * force / (self.duration * along.length())
                        }
                        false => f64::INFINITY,
                    },
                });
            }
        }
        self.updated = false;
    }

    /// t = λ_t - k u of a friction, and k.
    fn pull(&self, friction: &Friction) -> (DVec3, f64) {
        let node = friction.node as usize;
        let n = friction.normal;
        let k = STICKINESS * self.hardness[node];
        let moved = self.ends[node] - self.reference[node];
        let pull = self.tangential[friction.pair as usize] - k * moved;
        (pull - n * n.dot(pull), k)
    }

    /// The potential of friction at the positions last evaluated, in joules.
    pub(super) fn friction_value(&self) -> f64 {
        let sliding = self.frictions.iter().map(|friction| {
            let (pull, k) = self.pull(friction);
            let (length, limit) = (pull.length(), friction.limit);
            if length <= limit {
                length * length / (2.0 * k)
            } else {
                limit * (2.0 * length - limit) / (2.0 * k)
            }
        });
        sliding.sum()
    }

    /// Force of friction and its positive stiffness.
    pub(super) fn friction_force(&self, friction: &Friction) -> (DVec3, DMat3) {
        let (pull, k) = self.pull(friction);
        let (length, limit, n) = (pull.length(), friction.limit, friction.normal);
        let across = DMat3::IDENTITY - outer(n, n);
        if length <= limit {
            return (pull, across * k.min(friction.secant));
        }
        let direction = pull / length;
        let turning = across - outer(direction, direction);
        (limit * direction, turning * (k * limit / length))
    }

    /// Lets the multipliers take over the forces; returns whether a node is deeper than it may be, or
    /// has slipped where it should stick.
    pub(super) fn update_multipliers(&mut self) -> bool {
        self.updated = true;
        let mut too_far = self.update_tangential();
        if !self.is_hard {
            return too_far;
        }
        for touch in &self.touches {
            let multiplier = &mut self.multipliers[touch.pair as usize];
            let k = self.hardness[touch.node as usize];
            // force = λ + k depth
            // A node that started outside ends outside, however near the surface it is aimed.
            let aim = self.margin + self.allowed[touch.pair as usize];
            let slack = if aim > 0.0 { aim } else { self.margin };
            let slack = (EXACT * slack).max(SLACK * self.margin);
            too_far |= (touch.force - *multiplier).abs() > k * slack;
            *multiplier = touch.force;
        }
        too_far
    }

    /// Lets the multipliers take over friction; returns whether a node has slipped where it should
    /// stick.
    pub(super) fn update_tangential(&mut self) -> bool {
        let mut too_far = false;
        for index in 0..self.frictions.len() {
            let friction = self.frictions[index];
            let (force, _) = self.friction_force(&friction);
            let multiplier = &mut self.tangential[friction.pair as usize];
            let k = STICKINESS * self.hardness[friction.node as usize];
            let sticks = force.length() < 0.999 * friction.limit;
            too_far |= sticks && (force - *multiplier).length() > k * SLIP * self.margin;
            *multiplier = force;
        }
        too_far
    }
}
