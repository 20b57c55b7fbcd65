//! What contact between rigid bodies does to velocities: it stops an approach, and throws nothing back.
//! What is soft is stopped by its own elasticity, which steps resolve.
//!
//! The barrier between two features is too stiff for the steps of a scene. A stage that stops a body
//! there changes its place by δ and its velocity by s δ, up to twice what stops it, and a barrier that
//! was compressed throws the body off in the next. How far it would bounce depended on the length of the
//! step alone. So where features part after a stage, the impulse of their contact is cut down to what
//! stops the approach and carries the load:
//!
//! ```text
//! p = min(m' (u - e a), l (N₀ + N) - m' a),     u > e a
//! ```
//!
//! a is the speed of the approach at the beginning of the stage, u that of parting at its end, m' the mass
//! that the pair moves, l (N₀ + N) the impulse of contact, N₀ the force at the beginning of the step where
//! the rule takes the mean of both, e the coefficient of restitution, which counts between rigid bodies
//! and obstacles. Where u < e a at the end of a step, a being the approach at its beginning, a rebound is
//! given instead. Friction is cut down to μ times what is left; that of an impact is found anew (`impact_friction.rs`).
//!
//! Pairs that share a body are cut down one after the other, in rounds, each by what the others have left
//! of its parting.
//!
//! Forces at the beginning of a step are cut down in the same way where features would part by them: the
//! rule of two stages would follow them from there, far out of the range. Impulses that stop an approach
//! are not extrapolated into the next stage (`rule.rs`).

use super::island::{Island, Member};
use super::losses::PairFriction;
use super::mover::Mover;
use super::pair_answer::Answer;
use super::pair_contact::{PairContact, Touching};
use super::pair_friction::Stencil;
use super::rule::Stage;
use super::stages::OfOthers;
use crate::body::Problem;
use glam::DVec3;
use pliant_proximity::{Pair, closest};
use std::ops::Range;

/// Rounds in which the impulses of pairs that share bodies find to each other.
const ROUNDS: usize = 30;

/// Share of an impulse that stops an approach from which on it is that of an impact.
const STRIKING: f64 = 0.5;

/// Parting that may be left, in metres per second.
const LEFT: f64 = 1e-5;

/// What contact of a pair has given, in newton seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub(super) touch: Touching,
    /// N and N₀, over the time of the stage,
    pub(super) impulse: f64,
    /// the part of it that stops the approach,
    pub(super) stopping: f64,
    /// and the part of it that is taken back; negative for a rebound.
    pub(super) thrown: f64,
    /// e a, in metres per second.
    rebound: f64,
    /// Minus friction over the time of the stage, if there is any.
    pub(super) friction: DVec3,
    pub(super) stencil: Stencil,
    /// Whether it is an impact,
    pub(super) strikes: bool,
    /// and what its friction lacks of that of an impact.
    pub(super) missing_friction: DVec3,
}

/// Impulses of a stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Impulses {
    pub(super) given: Vec<Given>,
    answer: Answer,
    /// Pairs that have touched in the first stage.
    hits: Vec<Pair>,
    /// At vertices, in newton seconds: what contact has done too much,
    pub(super) thrown: Vec<DVec3>,
    /// and what has stopped an approach.
    pub(super) stopped: Vec<DVec3>,
    /// Those of friction, and the part of them that belongs to what stops an approach; empty without friction.
    pub(super) friction: [Vec<DVec3>; 2],
}

impl Impulses {
    /// What is done to some vertices.
    pub(super) fn on(&self, range: Range<usize>) -> OfOthers<'_> {
        let [impulses, stopping] = &self.friction;
        OfOthers {
            impulses: [&self.thrown[range.clone()], &self.stopped[range.clone()]],
            friction: PairFriction {
                impulses: impulses.get(range.clone()).unwrap_or_default(),
                stopping: stopping.get(range).unwrap_or_default(),
            },
        }
    }

    /// Forgets what an attempt that failed has left.
    pub(super) fn begin_step(&mut self) {
        self.hits.clear();
    }

    fn clear(&mut self, count: usize) {
        self.given.clear();
        for list in [&mut self.thrown, &mut self.stopped] {
            list.clear();
            list.resize(count, DVec3::ZERO);
        }
    }

    /// Cuts the impulses down with which features would part.
    fn cut(&mut self, contact: &PairContact) {
        for _ in 0..ROUNDS {
            let mut largest = 0.0_f64;
            for given in &mut self.given {
                let sides = contact.sides(&given.touch);
                let n = given.touch.normal;
                let excess = self.answer.parting(&sides, n) - given.rebound;
                let compliance = self.answer.compliance(&sides, n);
                let most = given.impulse - given.stopping;
                if compliance <= 0.0 {
                    continue;
                }
                // Corners that hit together share a rebound: one of them may have to give more than it would alone.
                let least = match given.rebound > 0.0 {
                    true => f64::NEG_INFINITY,
                    false => 0.0,
                };
                let wanted = given.thrown + excess / compliance;
                let change = wanted.clamp(least, most.max(least)) - given.thrown;
                given.thrown += change;
                self.answer.push(&sides, -change * n);
                largest = largest.max(change.abs() * compliance);
                if given.strikes {
                    largest = largest.max(given.stop_slip(contact, &mut self.answer));
                }
            }
            if largest < LEFT {
                break;
            }
        }
        for given in &self.given {
            if given.strikes {
                given.add(&mut self.thrown, given.thrown, 0.0);
                given.add_friction(&mut self.thrown, -given.missing_friction);
                given.add_friction(&mut self.stopped, given.stopping_friction());
            } else {
                given.add(&mut self.thrown, given.thrown, given.loose_share());
            }
        }
    }
}

impl Given {
    /// An impulse of contact without friction, of which nothing is known to stop an approach.
    fn new(contact: &PairContact, touch: Touching, impulse: f64) -> Self {
        Self {
            touch,
            impulse,
            stopping: 0.0,
            thrown: 0.0,
            rebound: 0.0,
            friction: DVec3::ZERO,
            stencil: contact.stencil_now(&touch),
            strikes: false,
            missing_friction: DVec3::ZERO,
        }
    }

    /// The same with a rebound after an approach. Without restitution nothing is given: the barrier stops
    /// what comes.
    fn rebounding(mut self, rebound: f64) -> Self {
        if rebound > 0.0 {
            self.rebound = rebound;
            self.strikes = true;
        }
        self
    }

    /// Adds a normal impulse and a share of friction.
    fn add(&self, impulses: &mut [DVec3], normal: f64, share: f64) {
        let touch = &self.touch;
        for (node, weight) in touch.pair.nodes.iter().zip(&touch.weights) {
            impulses[*node as usize] += *weight * normal * touch.normal;
        }
        for (node, weight) in self.stencil.0.iter().zip(&self.stencil.1) {
            impulses[*node as usize] -= *weight * share * self.friction;
        }
    }

    /// The share of friction that what is left of the impulse cannot carry.
    pub(super) fn loose_share(&self) -> f64 {
        let friction = self.friction.length();
        let limit = self.touch.friction * (self.impulse - self.thrown.max(0.0));
        if friction > limit {
            1.0 - limit / friction
        } else {
            0.0
        }
    }
}

/// Whether one of the bodies is rigid and moves by itself: others have no impulse to be cut down.
fn has_rigid(members: &[Member]) -> bool {
    members.iter().any(|member| member.mover.freedom.is_some())
}

impl PairContact {
    /// Whether both features are rigid.
    fn is_rigid(&self, pair: &Pair) -> bool {
        let sides = pair
            .features()
            .map(|side| self.features.body_of[side[0] as usize]);
        sides
            .iter()
            .all(|&body| self.features.is_rigid(body as usize))
    }

    /// Finds what contact has given in the stage that has just been solved. `before` are the velocities of
    /// all vertices where it began.
    fn find_given(&self, stage: &Stage, is_last: bool, before: &[DVec3], impulses: &mut Impulses) {
        let length = stage.length();
        for touch in &self.touching {
            let impulse = length * (touch.force + self.force_at_start(touch));
            if impulse.is_nan() || impulse <= 0.0 || !self.is_rigid(&touch.pair) {
                continue;
            }
            let approach = self.approach(touch, before);
            let at_first = self.approach(touch, &self.velocities);
            let rebound = match is_last {
                true => self.features.restitution(&touch.pair) * at_first,
                false => 0.0,
            };
            let same = |other: &Touching| other.pair.cmp(&touch.pair);
            let frozen = self.frozen.binary_search_by(same).ok();
            let frozen = frozen.map(|place| &self.frozen[place]);
            let friction = frozen.and_then(|frozen| self.friction(frozen));
            let compliance = impulses.answer.compliance(&self.sides(touch), touch.normal);
            if compliance <= 0.0 {
                continue;
            }
            let stopping = (approach / compliance).min(impulse);
            let mut given = Given {
                stopping,
                friction: friction.map_or(DVec3::ZERO, |(slope, _)| length * slope),
                strikes: stopping > STRIKING * impulse,
                ..Given::new(self, *touch, impulse)
            }
            .rebounding(rebound);
            if let Some(frozen) = frozen {
                given.stencil = self.stencil(frozen);
            }
            let share = match given.strikes {
                true => 0.0,
                false => given.stopping / given.impulse,
            };
            given.add(&mut impulses.stopped, given.stopping, share);
            impulses.given.push(given);
        }
        if !is_last {
            impulses.hits.clear();
            let hits = impulses.given.iter().map(|given| given.touch.pair);
            impulses.hits.extend(hits);
            return;
        }
        for index in 0..impulses.hits.len() {
            let pair = impulses.hits[index];
            let touching = |touch: &Touching| touch.pair.cmp(&pair);
            if self.touching.binary_search_by(touching).is_err() {
                self.add_parted(&pair, impulses);
            }
        }
        impulses.hits.clear();
    }

    /// A pair that touched in the first stage and has parted since: it may rebound.
    fn add_parted(&self, pair: &Pair, impulses: &mut Impulses) {
        let touch = self.gone(pair);
        let squared = touch.distance * touch.distance;
        if self.features.has_nearer_mate(pair, squared, &self.places) {
            return;
        }
        let approach = self.approach(&touch, &self.velocities);
        let rebound = self.features.restitution(pair) * approach;
        if rebound > 0.0 {
            let given = Given::new(self, touch, 0.0);
            impulses.given.push(given.rebounding(rebound));
        }
    }

    /// The speed at which the features of a pair approach each other.
    fn approach(&self, touch: &Touching, velocities: &[DVec3]) -> f64 {
        let carry = |k: usize| touch.weights[k] * velocities[touch.pair.nodes[k] as usize];
        (-touch.normal.dot((0..4).map(carry).sum())).max(0.0)
    }

    /// What touched where the step began and does not any more: nothing is left of it by which friction
    /// could go, so that all of it is taken back.
    fn find_gone(&self, length: f64, impulses: &mut Impulses) {
        for gone in &self.started {
            let pair = &gone.pair;
            let touching = |touch: &Touching| touch.pair.cmp(pair);
            if !self.is_rigid(pair) || self.touching.binary_search_by(touching).is_ok() {
                continue;
            }
            // As it was: where it is now, another triangle of the same face may be nearer.
            let thrown = length * gone.force * gone.normal;
            for (node, weight) in pair.nodes.iter().zip(&gone.weights) {
                impulses.thrown[*node as usize] += *weight * thrown;
            }
            impulses.answer.push(&self.sides(gone), -thrown);
        }
    }

    /// A pair that is out of its range.
    fn gone(&self, pair: &Pair) -> Touching {
        let points = pair.gather(&self.places);
        let near = closest(pair.kind, &points);
        let gap: DVec3 = (0..4).map(|k| near.weights[k] * points[k]).sum();
        Touching {
            pair: *pair,
            weights: near.weights,
            normal: gap.normalize_or_zero(),
            distance: near.squared_distance.sqrt(),
            force: 0.0,
            pressing: 0.0,
            at_start: 0.0,
            friction: self.features.radius_and_friction(pair).1,
            curvature: 0.0,
            law: [0.0; 2],
            turning: [DVec3::ZERO; 4],
            arm: None,
        }
    }
}

impl Island {
    /// Finds the impulses of the stage that has just been solved.
    pub(super) fn find_impulses(&mut self, members: &[Member], stage: &Stage, is_last: bool) {
        let Self {
            contact,
            impulses,
            before,
            ..
        } = self;
        impulses.clear(contact.places.len());
        if !has_rigid(members) {
            impulses.find_friction(contact, stage.length());
            return;
        }
        before.clear();
        before.resize(contact.places.len(), DVec3::ZERO);
        for member in members {
            let range = contact.range_of(member.body);
            let nodes = range.len();
            before[range].copy_from_slice(&member.mover.approach[..nodes]);
        }
        impulses
            .answer
            .set_velocities(contact, members, |mover, node| {
                stage.rate * (mover.places[node] - mover.base[node])
            });
        contact.find_given(stage, is_last, before, impulses);
        if contact.takes_mean {
            contact.find_gone(stage.length(), impulses);
        }
        impulses.cut(contact);
        impulses.find_friction(contact, stage.length());
    }

    /// Cuts the forces at the beginning of the step down where features would part by them.
    pub(super) fn hold_back(&mut self, members: &mut [Member], stage: &Stage) {
        if !has_rigid(members) {
            return;
        }
        let Self {
            contact, impulses, ..
        } = self;
        let length = stage.length();
        impulses
            .answer
            .set_velocities(contact, members, |mover, node| {
                mover.base_velocities[node] - mover.start_velocities[node]
            });
        impulses.clear(contact.places.len());
        let rigid = contact
            .touching
            .iter()
            .filter(|t| contact.is_rigid(&t.pair));
        let given = rigid.map(|touch| Given::new(contact, *touch, length * touch.force));
        impulses.given.extend(given);
        impulses.cut(contact);
        for given in &impulses.given {
            let same = |other: &Touching| other.pair.cmp(&given.touch.pair);
            if let Ok(place) = contact.started.binary_search_by(same) {
                contact.started[place].force -= given.thrown / length;
            }
        }
        for member in members.iter_mut() {
            let range = contact.range_of(member.body);
            let thrown = &impulses.thrown[range];
            member.mover.give_back(&member.problem, thrown);
        }
    }
}

impl Mover {
    /// The changes of velocity by impulses at the nodes, in newton seconds; in `self.lasting`.
    fn respond(&mut self, problem: &Problem, impulses: &[DVec3]) {
        let description = problem.body.description();
        self.lasting.fill(DVec3::ZERO);
        for (node, impulse) in impulses.iter().enumerate() {
            if !description.fixed[node] {
                self.lasting[node] = *impulse;
            }
        }
        self.unknowns
            .accelerate(&description.masses, None, &mut self.lasting);
    }

    /// Takes from the velocities what contact with other bodies has thrown back, and notes what has
    /// stopped an approach: impulses at the nodes, in newton seconds.
    pub(super) fn take_impulses(&mut self, problem: &Problem, [thrown, stopped]: [&[DVec3]; 2]) {
        self.respond(problem, stopped);
        self.stopped.copy_from_slice(&self.lasting);
        self.respond(problem, thrown);
        for (velocity, change) in self.velocities.iter_mut().zip(&self.lasting) {
            *velocity -= *change;
        }
    }

    /// Takes impulses from what the stage has been given by forces at the beginning of the step.
    fn give_back(&mut self, problem: &Problem, thrown: &[DVec3]) {
        self.respond(problem, thrown);
        for (velocity, change) in self.base_velocities.iter_mut().zip(&self.lasting) {
            *velocity -= *change;
        }
    }
}
