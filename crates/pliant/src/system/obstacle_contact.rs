//! Contact of nodes with obstacles as terms of the potential of a stage: penalties, and hard contact
//! of nodes that share an unknown with others. Nodes with an unknown of their own are bound instead
//! (`bounds.rs`).
//!
//! ```text
//! hard         ψ = (max(0, λ - k d)² - λ²) / (2 k),   λ <- max(0, λ - k d)      augmented Lagrangian
//! exponential  ψ = c exp(-d / ε),   quadratic  ψ = -c d³ / (3 ε²) for d < 0     penalties
//! friction     D = (|t|² or 2 μ N |t| - (μ N)²) / (2 k),   t = λ_t - k u,   λ_t <- t, at most μ N long
//! ```
//!
//! d is the distance of a node from the surface, less the thickness of the body and a margin; k is
//! [`HARDNESS`] times the stiffness of the node in the system, so that it does not spoil the matrix,
//! and λ, the contact force, takes over what the spring cannot hold. After the last update d is at
//! least minus the margin: nodes end outside.
//!
//! u is the tangential displacement of the stage. Friction is a spring k as well, that slips where it
//! would pull harder than μ N; its multiplier λ_t takes over what sticks, so that a body at rest does
//! not creep. N is the normal force of the last iteration, so normal force and friction agree when
//! Newton's method ends.
//!
//! A node that starts inside an obstacle is let out gently: its depth falls by a share per stage.
//!
//! Implements: \[Terzopoulos1988\] eq. 23 and sect. 3; \[Thesis2004\] sect. 3.6.

use super::bounds::Bounds;
use super::obstacle_friction::Friction;
use super::rebound::Hit;
use super::rule::Stage;
use super::unknowns::Unknowns;
use crate::body::{IntegratorKind, Problem};
use crate::contact::{ContactMethod, ContactSettings, penalty_force, penalty_value};
use crate::linear::NodeBlocks;
use crate::math::outer;
use glam::DVec3;

/// k relative to the largest entry of the node's block in the matrix.
const HARDNESS: f64 = 30.0;

/// What a node may be left inside an obstacle, and how far outside it is aimed, by the spacing.
const MARGIN: f64 = 1e-3;

/// How far outside a bound node is kept, by the margin.
pub(super) const GAP: f64 = 0.01;

/// Time in which a node that starts inside an obstacle comes out, in seconds.
const RELEASE_TIME: f64 = 0.1;

/// Beyond so many ε the exponential penalty is nothing beside any force of a scene.
const PENALTY_REACH: f64 = 40.0;

/// A node that an obstacle pushes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) node: u32,
    /// Place in the lists of pairs.
    pub(super) pair: u32,
    pub(super) normal: DVec3,
    /// The normal force, in newtons.
    pub(super) force: f64,
    /// Its derivative by the depth, in newtons per metre.
    pub(super) stiffness: f64,
    /// The potential, in joules.
    pub(super) value: f64,
    /// The tangential force at a bound node, in newtons.
    pub(super) friction: DVec3,
}

/// Contact of one body with the obstacles it collides with.
#[derive(Debug)]
pub(super) struct ObstacleContact {
    pub(super) settings: ContactSettings,
    pub(super) node_count: usize,
    /// Whether a stage is one linear solve,
    pub(super) is_linear: bool,
    /// and how long it takes, in seconds.
    pub(super) duration: f64,
    /// λ of each obstacle and node; empty with penalties.
    pub(super) multipliers: Vec<f64>,
    /// λ_t of each obstacle and node.
    pub(super) tangential: Vec<DVec3>,
    /// The normal force that friction last went by, of each pair.
    pub(super) normal_forces: Vec<f64>,
    /// How deep a node that started inside may still be: zero or negative, of each pair.
    pub(super) allowed: Vec<f64>,
    /// The same for nodes that are bound, which are kept nearer to the surface.
    pub(super) released: Vec<f64>,
    /// k of each node.
    pub(super) hardness: Vec<f64>,
    /// Distance of each pair where it was last measured, and where that was: a node cannot be nearer
    /// by more than it has moved since.
    pub(super) measured: Vec<(f64, DVec3)>,
    distances: Vec<f64>,
    pub(super) touches: Vec<Touch>,
    pub(super) frictions: Vec<Friction>,
    /// Nodes on which penalties have friction where the step begins, and its forces, in newtons.
    pub(super) first_frictions: Vec<(u32, DVec3)>,
    /// Sum of their limits, and of how much these have changed, in newtons.
    pub(super) limits: [f64; 2],
    /// Nodes that have hit an obstacle in the step.
    pub(super) hits: Vec<Hit>,
    /// Where the nodes were when the stage began.
    pub(super) reference: Vec<DVec3>,
    /// Where the step ends for the positions last given.
    pub(super) ends: Vec<DVec3>,
    pub(super) margin: f64,
    /// Nodes that are kept outside without a spring.
    pub(super) bounds: Bounds,
    pub(super) is_hard: bool,
    pub(super) has_friction: bool,
    /// Whether the multipliers hold the forces at the positions last evaluated.
    pub(super) updated: bool,
}

impl ObstacleContact {
    pub(super) fn new(problem_body: &crate::body::Body, has_cores: bool) -> Self {
        let description = problem_body.description();
        let node_count = problem_body.node_count();
        let pairs = node_count * description.collides_with.len();
        let is_hard = description.contact.method == ContactMethod::Projection;
        let room = if pairs == 0 { 0 } else { node_count };
        Self {
            settings: description.contact,
            node_count: description.touching_count(),
            // One linear solve can neither turn a rigid core nor find what touches.
            is_linear: description.scheme() == IntegratorKind::SemiImplicit
                && !(is_hard && pairs > 0)
                && !has_cores,
            duration: 0.0,
            multipliers: vec![0.0; if is_hard { pairs } else { 0 }],
            tangential: vec![DVec3::ZERO; pairs],
            normal_forces: vec![0.0; pairs],
            allowed: vec![0.0; if is_hard { pairs } else { 0 }],
            released: vec![0.0; if is_hard { pairs } else { 0 }],
            hardness: vec![0.0; room],
            measured: vec![(0.0, DVec3::ZERO); pairs],
            distances: vec![0.0; room],
            touches: Vec::with_capacity(pairs),
            frictions: Vec::with_capacity(pairs),
            first_frictions: Vec::with_capacity(if is_hard { 0 } else { pairs }),
            limits: [0.0; 2],
            hits: Vec::with_capacity(pairs),
            reference: vec![DVec3::ZERO; room],
            ends: vec![DVec3::ZERO; room],
            margin: MARGIN * description.mean_spacing(),
            bounds: Bounds::new(description, room, pairs),
            is_hard,
            has_friction: false,
            updated: false,
        }
    }

    /// Whether nodes are kept outside of obstacles, and there are some.
    pub(super) fn is_hard(&self) -> bool {
        self.is_hard && !self.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reference.is_empty()
    }

    /// Begins a stage from positions that count as outside. `fresh` forgets contact forces.
    pub(super) fn begin(&mut self, problem: &Problem, start: &[DVec3], duration: f64, fresh: bool) {
        if self.is_empty() {
            return;
        }
        self.reference.copy_from_slice(start);
        self.duration = duration;
        self.updated = false;
        self.touches.clear();
        self.frictions.clear();
        self.bounds.clear();
        self.hardness.fill(0.0);
        let colliding = problem.meets;
        let friction = |&index: &usize| problem.friction_with(&problem.obstacles[index]);
        self.has_friction = colliding.iter().map(friction).fold(0.0, f64::max) > 0.0;
        if fresh {
            self.multipliers.fill(0.0);
            self.tangential.fill(DVec3::ZERO);
            self.hits.clear();
            self.normal_forces.fill(0.0);
        }
        for (index, &obstacle) in colliding.iter().enumerate() {
            let obstacle = &problem.obstacles[obstacle];
            obstacle.distances(start, &mut self.distances);
            let measured = &mut self.measured[index * self.node_count..][..self.node_count];
            for ((target, distance), start) in measured.iter_mut().zip(&self.distances).zip(start) {
                *target = (*distance, *start);
            }
            if !self.is_hard {
                continue;
            }
            let share = (duration / RELEASE_TIME).min(1.0) * obstacle.epsilon.clamp(0.0, 1.0);
            let distances = self.distances.iter().enumerate();
            for (node, distance) in distances.take(self.node_count) {
                // A node within the margin is not pushed to its end at once, however short the step.
                let depth = |margin: f64| (distance - self.settings.thickness - margin).min(0.0);
                let pair = index * self.node_count + node;
                self.allowed[pair] = depth(self.margin) * (1.0 - share);
                self.released[pair] = depth(GAP * self.margin) * (1.0 - share);
            }
        }
    }

    /// Sets k of the nodes from the matrix without contact, once per stage.
    pub(super) fn harden(&mut self, matrix: &dyn NodeBlocks, pushed: impl Fn(usize) -> f64) {
        if self.hardness.first().is_none_or(|&k| k > 0.0) {
            return;
        }
        for (node, hardness) in self.hardness.iter_mut().enumerate() {
            let block = matrix.diagonal_block(node);
            let largest = block.x_axis.x.max(block.y_axis.y).max(block.z_axis.z);
            *hardness = HARDNESS * largest.max(pushed(node)).max(f64::MIN_POSITIVE);
        }
    }

    /// Finds what touches at positions of the stage.
    pub(super) fn evaluate(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        unknowns: &Unknowns,
        start: &[DVec3],
        x: &[DVec3],
    ) {
        if self.is_empty() {
            return;
        }
        let m = stage.mirror;
        for (end, (x, start)) in self.ends.iter_mut().zip(x.iter().zip(start)) {
            *end = m * *x - (m - 1.0) * *start;
        }
        self.touches.clear();
        let colliding = problem.meets;
        for (index, &obstacle) in colliding.iter().enumerate() {
            let obstacle = &problem.obstacles[obstacle];
            let reach = self.settings.thickness
                + match self.settings.method {
                    ContactMethod::Projection => self.margin,
                    ContactMethod::Exponential => PENALTY_REACH * obstacle.epsilon,
                    ContactMethod::Quadratic => 0.0,
                };
            for node in 0..self.node_count {
                if self.is_hard && unknowns.is_independent(node) {
                    continue;
                }
                let pair = index * self.node_count + node;
                let (known, place) = self.measured[pair];
                let end = self.ends[node];
                let pushed = self.is_hard && self.multipliers[pair] > 0.0;
                let spare = known - reach;
                if !pushed && spare > 0.0 && (end - place).length_squared() < spare * spare {
                    continue;
                }
                let distance = obstacle.distance(end);
                self.measured[pair] = (distance, end);
                let distance = distance - self.settings.thickness;
                let touch = if self.is_hard {
                    self.hard_touch(distance, node, pair)
                } else {
                    self.soft_touch(distance, obstacle.epsilon, node, obstacle)
                };
                let Some((force, stiffness, value)) = touch else {
                    continue;
                };
                if unknowns.moves(node) {
                    self.touches.push(Touch {
                        node: node as u32,
                        pair: pair as u32,
                        normal: obstacle.normal(self.ends[node]),
                        force,
                        stiffness,
                        value,
                        friction: DVec3::ZERO,
                    });
                }
            }
        }
    }

    /// Force, stiffness and value of a hard contact.
    fn hard_touch(&self, distance: f64, node: usize, pair: usize) -> Option<(f64, f64, f64)> {
        let (k, multiplier) = (self.hardness[node], self.multipliers[pair]);
        if k == 0.0 {
            return None;
        }
        let depth = self.margin + self.allowed[pair] - distance;
        let force = multiplier + k * depth;
        if force > 0.0 {
            let value = (force * force - multiplier * multiplier) / (2.0 * k);
            return Some((force, k, value));
        }
        // What does not touch still has the constant of its multiplier.
        (multiplier > 0.0).then(|| (0.0, 0.0, -multiplier * multiplier / (2.0 * k)))
    }

    /// Force, stiffness and value of a penalty.
    fn soft_touch(
        &self,
        distance: f64,
        epsilon: f64,
        node: usize,
        obstacle: &crate::obstacle::Obstacle,
    ) -> Option<(f64, f64, f64)> {
        let settings = &self.settings;
        let leaving = settings.threshold > 0.0
            && distance < 0.0
            && (self.ends[node] - self.reference[node]).dot(obstacle.normal(self.ends[node])) > 0.0;
        let (force, stiffness) = penalty_force(settings, epsilon, distance, leaving);
        let value = penalty_value(settings, epsilon, distance);
        (force > 0.0).then_some((force, stiffness, value))
    }

    /// Adds minus the penalty forces and their friction at the beginning of a step. `gradient` holds
    /// minus all other forces.
    ///
    /// Friction is what stops the node within the step and holds it against the other forces, and at
    /// most μ N: a node at rest on a slope starts without an acceleration. Without that the rule of
    /// two stages, which takes the mean of the beginning and the end, would ask the end for twice
    /// the friction.
    pub(super) fn add_penalties_at(
        &mut self,
        problem: &Problem,
        unknowns: &Unknowns,
        [start, velocities]: [&[DVec3]; 2],
        gradient: &mut [DVec3],
    ) {
        self.first_frictions.clear();
        if self.is_hard || self.is_empty() {
            return;
        }
        let at_rest = Stage {
            rate: 0.0,
            time: problem.time,
            window: [problem.time; 2],
            duration: problem.step,
            mirror: 1.0,
        };
        self.evaluate(problem, &at_rest, unknowns, start, start);
        let colliding = problem.meets;
        for touch in &self.touches {
            let obstacle = &problem.obstacles[colliding[touch.pair as usize / self.node_count]];
            let friction = problem.friction_with(obstacle);
            let (node, n) = (touch.node as usize, touch.normal);
            let mass = problem.body.description().masses[node];
            let stopping = mass / problem.step * velocities[node] - gradient[node];
            let tangential = stopping - n * n.dot(stopping);
            let held = tangential.clamp_length_max(friction * touch.force);
            gradient[node] += held - touch.force * n;
            if held != DVec3::ZERO {
                self.first_frictions.push((touch.node, -held));
            }
        }
    }

    /// The potential at the positions last evaluated, in joules.
    pub(super) fn value(&self) -> f64 {
        let normal: f64 = self.touches.iter().map(|touch| touch.value).sum();
        normal + self.friction_value()
    }

    /// Adds the gradient by the positions of the stage, in newtons.
    pub(super) fn add_gradient(&self, stage: &Stage, gradient: &mut [DVec3]) {
        let m = stage.mirror;
        for touch in &self.touches {
            gradient[touch.node as usize] -= m * touch.force * touch.normal;
        }
        for friction in &self.frictions {
            let (force, _) = self.friction_force(friction);
            gradient[friction.node as usize] -= m * force;
        }
    }

    /// Adds the positive Hessian by the positions of the stage.
    pub(super) fn add_hessian(&self, stage: &Stage, matrix: &mut dyn NodeBlocks) {
        let square = stage.mirror * stage.mirror;
        for touch in &self.touches {
            let block = outer(touch.normal, touch.normal) * (square * touch.stiffness);
            matrix.add_to_diagonal(touch.node as usize, block);
        }
        for friction in &self.frictions {
            let (_, stiffness) = self.friction_force(friction);
            matrix.add_to_diagonal(friction.node as usize, stiffness * square);
        }
    }

    /// Number of nodes that are pushed.
    pub(super) fn count(&self) -> usize {
        let pushed = self.touches.iter().filter(|touch| touch.force > 0.0);
        pushed.count()
    }

    /// Smallest distance of a node from an obstacle, in metres.
    pub(super) fn smallest_distance(&mut self, problem: &Problem, positions: &[DVec3]) -> f64 {
        let mut smallest = f64::INFINITY;
        if !self.is_empty() {
            for &obstacle in problem.meets {
                problem.obstacles[obstacle].distances(positions, &mut self.distances);
                let distances = self.distances[..self.node_count].iter().copied();
                smallest = distances.fold(smallest, f64::min);
            }
        }
        smallest
    }
}
