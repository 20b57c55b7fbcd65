//! Hard contact of nodes that are unknowns of their own: bounds of the stage's potential.
//!
//! ```text
//! minimise Φ(x) + Σ μ N |u|    where every gap d(x) - aim >= 0
//! ```
//!
//! Newton's method goes by projection \[Bertsekas1982\]. A node whose own step n·g / (n·H n) would take
//! it through the surface is *bound*: it is led on to the surface and moves along it (H and g lose
//! their parts along n). All others move freely, and what comes to lie inside after a step is put
//! back on the surface; the search along the step sees the projected places, so that Φ falls and no
//! kink of a penalty ever shows. N = n·g is the contact force, exact when the search ends.
//!
//! u is the tangential displacement in the stage, and friction keeps Coulomb's law without smoothing:
//! a bound node near u = 0 that μ N can stop there is *held* (led to u = 0; H and g lose its whole row);
//! any other slides and feels μ N against u. A node that would slide back through u = 0 stops
//! there, and the next iteration finds whether it is held. N is that of the current iteration.
//!
//! Nodes that are held along single directions (`Slider`) are restricted in the same way, always.
//! Nodes that share an unknown with others (cores, ties) cannot be bound; see `obstacle_contact.rs`.

use super::obstacle_contact::{GAP, ObstacleContact, Touch};
use super::rough_system::RoughMatrix;
use super::rule::Stage;
use super::unknowns::Unknowns;
use crate::body::{BodyDescription, Problem};
use crate::linear::{BlockMatrix, Held, NodeBlocks};
use crate::math::outer;
use glam::{DMat3, DVec3};

/// Displacement that counts as none, by the margin.
const STILL: f64 = 1e-6;

/// Largest stiffness of the turning of a slide, by that of the node.
const TURNING: f64 = 30.0;

/// No filter.
const NONE: u32 = u32::MAX;

/// A node at an obstacle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    node: u32,
    pair: u32,
    normal: DVec3,
    /// N, in newtons.
    force: f64,
    /// μ N, in newtons.
    limit: f64,
    /// Where a node that slides is going; zero for one that is held.
    slide: DVec3,
    /// u of a node that slides, in metres.
    away: DVec3,
    /// The part of the gradient that stands for friction in the linear solve, in newtons.
    resistance: DVec3,
}

/// The bounds of a body, with scratch memory.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    list: Vec<Bound>,
    /// Nodes, and projections on what is left of their motion.
    filters: Vec<Held>,
    /// The displacements that lead them on to the surface.
    offsets: Vec<DVec3>,
    /// The filter of each node.
    filter_of: Vec<u32>,
    /// Sums of μ N and of its changes since the last iteration, in newtons.
    limits: [f64; 2],
}

impl Bounds {
    /// With room for a number of nodes at obstacles, or for all if some are held along directions.
    pub(super) fn new(description: &BodyDescription, nodes: usize, pairs: usize) -> Self {
        let nodes = match description.sliders.is_empty() {
            true => nodes,
            false => description.rest_positions.len(),
        };
        Self {
            list: Vec::with_capacity(pairs),
            filters: Vec::with_capacity(nodes),
            offsets: Vec::with_capacity(nodes),
            filter_of: vec![NONE; nodes],
            limits: [0.0; 2],
        }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.filters.clear();
        self.offsets.clear();
        self.filter_of.fill(NONE);
        self.limits = [0.0; 2];
    }

    /// Whether friction acts at a bound.
    pub(super) fn has_friction(&self) -> bool {
        self.list.iter().any(|bound| bound.limit > 0.0)
    }

    /// Whether the limits of friction were still changing by more than a share of them.
    pub(super) fn are_unsettled(&self, share: f64) -> bool {
        self.limits[1] > share * self.limits[0]
    }

    /// Adds a displacement `along` a normal, or all of one, to what is taken from a node.
    fn restrict(&mut self, node: usize, normal: DVec3, along: f64, held: Option<DVec3>) {
        if self.filter_of[node] == NONE {
            self.filter_of[node] = self.filters.len() as u32;
            self.filters.push((node as u32, DMat3::IDENTITY));
            self.offsets.push(DVec3::ZERO);
        }
        let index = self.filter_of[node] as usize;
        let (free, offset) = (&mut self.filters[index].1, &mut self.offsets[index]);
        let left = *free * normal;
        if left.length_squared() > 1e-6 {
            let direction = left.normalize();
            let missing = along - normal.dot(*offset);
            *offset += missing / normal.dot(direction) * direction;
            *free -= outer(direction, direction);
        }
        if let Some(tangential) = held {
            *offset += *free * tangential;
            *free = DMat3::ZERO;
        }
    }

    /// Whether a node is bound.
    pub(super) fn is_held(&self, node: usize) -> bool {
        let filter = self.filter_of.get(node);
        filter.is_some_and(|filter| *filter != NONE)
    }

    /// Nodes that are bound, with what is left of their motion.
    pub(super) fn held(&self) -> &[Held] {
        &self.filters
    }

    /// Takes the bound parts out of a gradient and a matrix; returns g·offset.
    pub(super) fn filter(&self, gradient: &mut [DVec3], matrix: &mut BlockMatrix) -> f64 {
        let mut slope = 0.0;
        let bound = || self.filters.iter().zip(&self.offsets);
        for (&(node, _), offset) in bound() {
            slope += gradient[node as usize].dot(*offset);
        }
        for (&(node, _), offset) in bound().filter(|(_, offset)| **offset != DVec3::ZERO) {
            for slot in matrix.row_range(node as usize) {
                let pull = matrix.block(slot).transpose() * *offset;
                gradient[matrix.column(slot)] += pull;
            }
        }
        for &(node, free) in &self.filters {
            let node = node as usize;
            gradient[node] = free * gradient[node];
            for slot in matrix.row_range(node) {
                let column = matrix.column(slot);
                let block = free * *matrix.block(slot);
                if column == node {
                    let taken = DMat3::IDENTITY - free;
                    let size = trace(matrix.block(slot)) / 3.0;
                    matrix.blocks_mut()[slot] = block * free + taken * size;
                } else {
                    matrix.blocks_mut()[slot] = block;
                    if let Some(mirrored) = matrix.slot(column, node) {
                        matrix.blocks_mut()[mirrored] = block.transpose();
                    }
                }
            }
        }
        slope
    }

    /// What friction adds to the slope of the potential along a whole step, beyond what the linear
    /// solve took for it, in joules: Σ μ N (|u + p| - |u|) bounds it from above, since |u| is convex.
    pub(super) fn friction_slope(&self, direction: &[DVec3]) -> f64 {
        let sliding = self.list.iter().filter(|bound| bound.slide != DVec3::ZERO);
        let slopes = sliding.map(|bound| {
            let (n, step) = (bound.normal, direction[bound.node as usize]);
            let along = step - n * n.dot(step);
            let longer = (bound.away + along).length() - bound.away.length();
            bound.limit * longer - bound.resistance.dot(step)
        });
        slopes.sum()
    }

    /// Takes the bound parts out of a gradient, for a matrix that stays whole; returns g·offset.
    pub(super) fn lead(&self, gradient: &mut [DVec3], matrix: &RoughMatrix) -> f64 {
        let mut slope = 0.0;
        let bound = || self.filters.iter().zip(&self.offsets);
        for (&(node, _), offset) in bound() {
            slope += gradient[node as usize].dot(*offset);
        }
        for (&(node, _), offset) in bound().filter(|(_, offset)| **offset != DVec3::ZERO) {
            let node = node as usize;
            gradient[node] += matrix.nodes().diagonal_block(node) * *offset;
            matrix.visit_row(node, *offset, &mut |other, pull| gradient[other] += pull);
        }
        for &(node, free) in &self.filters {
            gradient[node as usize] = free * gradient[node as usize];
        }
        slope
    }

    /// Adds what leads bound nodes on to the surface to a direction.
    pub(super) fn add_offsets(&self, direction: &mut [DVec3]) {
        for (&(node, _), offset) in self.filters.iter().zip(&self.offsets) {
            direction[node as usize] += *offset;
        }
    }
}

fn trace(block: &DMat3) -> f64 {
    block.x_axis.x + block.y_axis.y + block.z_axis.z
}

impl ObstacleContact {
    /// Where the step ends for a place of a node in the stage.
    fn end_of(stage: &Stage, start: DVec3, x: DVec3) -> DVec3 {
        stage.mirror * x - (stage.mirror - 1.0) * start
    }

    /// Distance from the surface at which a node of a pair is kept, in metres.
    fn aim(&self, pair: usize) -> f64 {
        self.settings.thickness + GAP * self.margin + self.released[pair]
    }

    /// Whether a pair was so far apart that it cannot be nearer than `reach` now.
    fn is_far(&self, pair: usize, reach: f64, end: DVec3) -> bool {
        let (known, place) = self.measured[pair];
        let spare = known - reach;
        spare > 0.0 && (end - place).length_squared() < spare * spare
    }

    /// Finds the bound nodes at places x, and adds friction to the gradient and the matrix there.
    /// `relaxed` takes the mean of this and the last normal force.
    pub(super) fn bind(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        unknowns: &Unknowns,
        [start, x]: [&[DVec3]; 2],
        relaxed: bool,
        (gradient, matrix): (&mut [DVec3], &mut dyn NodeBlocks),
    ) {
        self.bounds.clear();
        let description = problem.body.description();
        for slider in &description.sliders {
            let missing = slider.missing(&description.rest_positions, x[slider.node]);
            self.bounds
                .restrict(slider.node, slider.normal, missing, None);
        }
        if !self.is_hard() {
            return;
        }
        let colliding = problem.meets;
        for (index, &obstacle) in colliding.iter().enumerate() {
            let obstacle = &problem.obstacles[obstacle];
            let friction = problem.friction_with(obstacle);
            for node in 0..self.node_count {
                if !unknowns.is_independent(node) {
                    continue;
                }
                let pair = index * self.node_count + node;
                let block = matrix.diagonal_block(node);
                let reach = 3.0 * gradient[node].length() / trace(&block);
                let end = Self::end_of(stage, start[node], x[node]);
                if self.is_far(pair, self.aim(pair) + stage.mirror * reach, end) {
                    continue;
                }
                let distance = obstacle.distance(end);
                self.measured[pair] = (distance, end);
                let gap = (distance - self.aim(pair)) / stage.mirror;
                let normal = obstacle.normal(end);
                let push = normal.dot(gradient[node]);
                let stiffness = normal.dot(block * normal);
                let known = std::mem::take(&mut self.normal_forces[pair]);
                if push <= 0.0 || push < gap * stiffness {
                    self.bounds.limits[1] += friction * known;
                    continue;
                }
                let force = if relaxed { 0.5 * (known + push) } else { push };
                self.normal_forces[pair] = force;
                self.bounds.limits[0] += friction * force;
                self.bounds.limits[1] += friction * (force - known).abs();
                let moved = end - self.reference[node];
                let moved = moved - normal * normal.dot(moved);
                let bound = Bound {
                    node: node as u32,
                    pair: pair as u32,
                    normal,
                    force,
                    limit: friction * force,
                    slide: DVec3::ZERO,
                    away: DVec3::ZERO,
                    resistance: DVec3::ZERO,
                };
                self.add_bound(
                    bound,
                    [gap, stiffness, stage.mirror],
                    moved,
                    gradient,
                    matrix,
                );
            }
        }
    }

    /// Adds a bound, with its friction.
    fn add_bound(
        &mut self,
        mut bound: Bound,
        [gap, stiffness, mirror]: [f64; 3],
        moved: DVec3,
        gradient: &mut [DVec3],
        matrix: &mut dyn NodeBlocks,
    ) {
        let (node, normal, limit) = (bound.node as usize, bound.normal, bound.limit);
        let mut held = None;
        if limit > 0.0 {
            let pull = gradient[node] - normal * normal.dot(gradient[node]);
            let away = moved / mirror;
            // Near u = 0 the kink of |u| is sharper than the matrix may show: there the node goes on
            // as if it stood at 0. `reach` is where it alone would go, times its stiffness.
            let is_near = TURNING * stiffness * away.length() <= limit;
            let reach = stiffness * away - pull;
            if is_near && reach.length() <= limit {
                held = Some(-away);
            } else {
                let (slide, turning) = if is_near {
                    let excess = (reach.length() - limit) / stiffness;
                    (reach.normalize(), limit / excess)
                } else {
                    (away.normalize(), limit / away.length())
                };
                let turning = turning.min(TURNING * stiffness);
                let across = DMat3::IDENTITY - outer(normal, normal) - outer(slide, slide);
                matrix.add_to_diagonal(node, across * turning);
                bound.slide = slide;
                bound.away = away;
                bound.resistance = limit * slide;
                gradient[node] += bound.resistance;
            }
        }
        self.bounds.restrict(node, normal, -gap, held);
        self.bounds.list.push(bound);
    }

    /// Puts nodes that are inside on the surface, and stops those that slide back; returns whether
    /// there were nodes inside.
    pub(super) fn project(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        unknowns: &Unknowns,
        start: &[DVec3],
        x: &mut [DVec3],
    ) -> bool {
        let description = problem.body.description();
        for slider in &description.sliders {
            let place = &mut x[slider.node];
            *place += slider.normal * slider.missing(&description.rest_positions, *place);
        }
        if !self.is_hard() {
            return false;
        }
        let mut were_inside = false;
        for bound in &self.bounds.list {
            let (node, n) = (bound.node as usize, bound.normal);
            let moved = Self::end_of(stage, start[node], x[node]) - self.reference[node];
            let moved = moved - n * n.dot(moved);
            if bound.slide.dot(moved) < 0.0 {
                x[node] -= moved / stage.mirror;
            }
        }
        let colliding = problem.meets;
        for (index, &obstacle) in colliding.iter().enumerate() {
            let obstacle = &problem.obstacles[obstacle];
            for (node, x) in x[..self.node_count].iter_mut().enumerate() {
                let pair = index * self.node_count + node;
                let aim = self.aim(pair);
                let end = Self::end_of(stage, start[node], *x);
                if !unknowns.is_independent(node) || self.is_far(pair, aim, end) {
                    continue;
                }
                let mut end = end;
                // Distances to some surfaces are estimates: a second look mends them.
                for _ in 0..3 {
                    let distance = obstacle.distance(end);
                    self.measured[pair] = (distance, end);
                    let depth = aim - distance;
                    if depth <= STILL * self.margin {
                        break;
                    }
                    were_inside = true;
                    end += depth * obstacle.normal(end);
                    *x = (end + (stage.mirror - 1.0) * start[node]) / stage.mirror;
                }
            }
        }
        were_inside
    }

    /// Σ μ N |u| at the ends last evaluated, in joules.
    pub(super) fn sliding_value(&self, stage: &Stage) -> f64 {
        let bounds = self.bounds.list.iter().filter(|bound| bound.limit > 0.0);
        let values = bounds.map(|bound| {
            let (node, n) = (bound.node as usize, bound.normal);
            let moved = self.ends[node] - self.reference[node];
            bound.limit * (moved - n * n.dot(moved)).length() / stage.mirror
        });
        values.sum()
    }

    /// Notes the forces at bound nodes as touches, from the gradient where the search has ended.
    pub(super) fn note_bounds(&mut self, stage: &Stage, gradient: &[DVec3]) {
        for bound in &self.bounds.list {
            let (node, n) = (bound.node as usize, bound.normal);
            let force = n.dot(gradient[node]);
            if force <= 0.0 {
                continue;
            }
            let moved = self.ends[node] - self.reference[node];
            let moved = moved - n * n.dot(moved);
            let limit = if bound.force > 0.0 {
                bound.limit / bound.force * force
            } else {
                0.0
            };
            let pull = gradient[node] - n * force;
            let friction = if moved.length() > STILL * self.margin {
                -limit * moved.normalize()
            } else {
                pull.clamp_length_max(limit)
            };
            self.touches.push(Touch {
                node: bound.node,
                pair: bound.pair,
                normal: n,
                force: force / stage.mirror,
                stiffness: 0.0,
                value: 0.0,
                friction: friction / stage.mirror,
            });
        }
    }

    /// Whether nodes are bound.
    pub(super) fn has_bounds(&self) -> bool {
        !self.bounds.list.is_empty()
    }
}
