//! What damping and friction take out of a step of `system/`.
//!
//! ```text
//! damping    Σ over stages  d̄ · (x_end - x_begin),     d = (C + α M + β K) v
//! friction   Σ over stages  -J · (v_begin + v_end) / 2
//! ```
//!
//! d̄ is the mean of the damping force by which the time rule changes the velocities in a stage, with the shares
//! of `driven_work.rs`; so backward Euler loses h c v₁², the midpoint rule and the trapezoid h c ((v₀ + v₁) / 2)².
//!
//! J is the impulse of friction: what it has really changed velocities by. In a stage that is its force times the
//! length of the stage, less the share of what stops an approach that is not to throw back (`rule.rs`); in the
//! second of two stages also (α - 1) times that of the first as far as it goes on; between rigid bodies what
//! `impact_friction.rs` has left of it. J times the mean velocity is the change of kinetic energy by friction, to
//! rounding, whether it slows a slide over many steps or stops it within one.

use super::mover::Mover;
use super::rule::{ALPHA, Stage};
use crate::body::{Body, IntegratorKind, Problem};
use glam::DVec3;

/// The losses of a step so far, and what they are made of.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// By damping, in joules.
    pub(super) damping: f64,
    /// By friction, in joules.
    pub(super) friction: f64,
    /// What drives nodes along paths against the damping forces on them, in joules.
    pub(super) driven: f64,
    /// Whether anything damps.
    is_damped: bool,
    /// d at the places last looked at, in newtons; and d₀, then d₀ + d₁.
    drags: Vec<DVec3>,
    earlier: Vec<DVec3>,
    /// J of the stage at each node, in newton seconds; empty for a body without friction.
    impulses: Vec<DVec3>,
    /// The part of it that goes on in the next stage.
    lasting: Vec<DVec3>,
}

/// Impulses of friction with other bodies at the nodes of a body in a stage, in newton seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairFriction<'a> {
    /// All of them,
    pub(super) impulses: &'a [DVec3],
    /// and the part of them that belongs to what stops an approach.
    pub(super) stopping: &'a [DVec3],
}

impl Losses {
    pub(super) fn new(body: &Body) -> Self {
        let description = body.description();
        let is_damped = description.rayleigh != [0.0; 2]
            || description.dampings.iter().any(|&damping| damping > 0.0);
        let count = if is_damped { body.node_count() } else { 0 };
        Self {
            is_damped,
            drags: vec![DVec3::ZERO; count],
            earlier: vec![DVec3::ZERO; count],
            ..Self::default()
        }
    }

    /// Begins the account of a step.
    pub(super) fn begin(&mut self) {
        (self.damping, self.friction, self.driven) = (0.0, 0.0, 0.0);
        self.earlier.fill(DVec3::ZERO);
        self.impulses.clear();
        self.lasting.clear();
    }

    /// Adds an impulse of friction on a node, of which a part goes on in the next stage.
    fn add(&mut self, nodes: usize, node: usize, impulse: DVec3, lasting: DVec3) {
        if self.impulses.is_empty() {
            self.impulses.resize(nodes, DVec3::ZERO);
            self.lasting.resize(nodes, DVec3::ZERO);
        }
        self.impulses[node] += impulse;
        self.lasting[node] += lasting;
    }
}

impl Mover {
    /// Takes note of the damping forces where the step begins, with the velocities last formed.
    pub(super) fn note_first_damping(&mut self, problem: &Problem) {
        if self.losses.is_damped {
            self.find_drags(problem);
            self.losses.earlier.copy_from_slice(&self.losses.drags);
        }
    }

    /// Adds what damping has taken in a stage whose search has ended at `self.places`. `shares` are those of the
    /// earlier forces and of the last one in the mean force of the stage.
    pub(super) fn add_stage_damping(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        index: usize,
        shares: [f64; 2],
    ) {
        if !self.losses.is_damped || stage.rate == 0.0 {
            return;
        }
        self.find_drags(problem);
        let fixed = &problem.body.description().fixed;
        let Losses {
            damping,
            driven,
            drags,
            earlier,
            ..
        } = &mut self.losses;
        let begin = match index {
            0 => &self.start,
            _ => &self.between,
        };
        for (node, drag) in drags.iter().enumerate() {
            let way = stage.mirror * (self.places[node] - begin[node]);
            let loss = (shares[0] * earlier[node] + shares[1] * *drag).dot(way);
            *damping += loss;
            if !self.unknowns.moves(node) && !fixed[node] {
                *driven += loss;
            }
            earlier[node] += *drag;
        }
    }

    /// d at `self.velocities`.
    fn find_drags(&mut self, problem: &Problem) {
        let mut drags = std::mem::take(&mut self.losses.drags);
        let nodes = drags.len();
        match &self.damping {
            Some(damping) => damping.multiply(&self.velocities[..nodes], &mut drags),
            None => drags.fill(DVec3::ZERO),
        }
        for (node, drag) in drags.iter_mut().enumerate() {
            *drag += self.drag(problem, node) * self.velocities[node];
        }
        self.losses.drags = drags;
    }

    /// Takes note of friction that acts where the step begins: penalties, over the half of a stage.
    pub(super) fn note_first_friction(&mut self, half: f64) {
        let nodes = self.moved.len();
        for (node, force) in &self.contact.first_frictions {
            let impulse = half * *force;
            self.losses.add(nodes, *node as usize, impulse, impulse);
        }
    }

    /// Adds what friction has taken in a stage that ends with `self.velocities` and began with `self.approach`.
    pub(super) fn add_stage_friction(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        kind: IntegratorKind,
        index: usize,
        pairs: Option<PairFriction>,
    ) {
        if stage.rate == 0.0 {
            return;
        }
        let nodes = self.moved.len();
        let losses = &mut self.losses;
        if index > 0 {
            // What the rule extrapolates from the first stage.
            losses.impulses.clone_from(&losses.lasting);
            losses.impulses.iter_mut().for_each(|j| *j *= ALPHA - 1.0);
        }
        let length = stage.mirror * stage.length();
        let impulse_share = stage.impulse_share().min(1.0);
        let masses = &problem.body.description().masses;
        let (contact, unknowns) = (&self.contact, &self.unknowns);
        let pushed = |node: usize| unknowns.pushed_mass(node, masses);
        contact.visit_touches(stage, pushed, &self.approach, |node, share, _, friction| {
            if friction != DVec3::ZERO {
                let lasting = (1.0 - share) * length * friction;
                let stopping = impulse_share * share * length * friction;
                losses.add(nodes, node, lasting + stopping, lasting);
            }
        });
        if let Some(pairs) = pairs {
            let impulses = pairs.impulses.iter().zip(pairs.stopping).enumerate();
            for (node, (impulse, stopping)) in impulses.filter(|(_, (j, _))| **j != DVec3::ZERO) {
                losses.add(nodes, node, *impulse, *impulse - *stopping);
            }
        }
        for (node, impulse) in losses.impulses.iter().enumerate() {
            let mean = 0.5 * (self.approach[node] + self.velocities[node]);
            losses.friction -= impulse.dot(mean);
        }
        if kind != IntegratorKind::TwoStage {
            losses.lasting.clear();
        }
    }
}
