//! Joints between the bodies of a group, as part of its system.
//!
//! ```text
//! E = λ·c + ½ k |c|²,   λ <- λ + k c     until every |c| is small enough
//! E = ½ T² / k,   T = max(0, τ + k (L - most)) + min(0, τ + k (L - least)),   τ <- T     (Distance)
//! ```
//!
//! E of a motor is that of a point along its circle, with a force that grows no more beyond its largest.
//!
//! λ and τ are the forces of hard joints; steps begin with those of the last one. A soft joint has its own k
//! and neither λ nor τ.

use super::acting_joint::Acting;
use super::joint_gap::{fill, gap, motor_angle, slide_slopes, vertices};
use super::joint_loads::break_if_overloaded;
use super::links::Links;
use super::rule::GAMMA;
use crate::body::StepFailure;
use crate::joint::{BodyPoint, Joint, JointKind};
use glam::{DMat3, DVec3};
use std::f64::consts::{PI, TAU};

/// Stiffness of hard joints, by that of the nodes they hold.
const HARD: f64 = 100.0;

/// How far apart the ends of a hard joint may be, by the size of its bodies.
const CLOSE: f64 = 1e-6;

/// The speed at which a limit is met with a jerk, in metres per second.
const JERK: f64 = 0.2;

/// How many times farther they are apart in a step that is not taken.
const TORN: f64 = 1e3;

/// Change of a force from one iteration to the next that asks for another, and the smallest acceleration by
/// it that counts, in m/s².
const UNSETTLED: f64 = 1e-3;
const SLIGHT: f64 = 1e-3;

/// What a joint holds.
pub(super) struct Held {
    /// Of what it holds, in newtons per metre.
    pub(super) stiffness: f64,
    /// Of the smallest body, in metres.
    pub(super) size: f64,
    /// The mass of all that is joined by that of the lightest body, where all are rigid: they are solved at once,
    /// however stiff.
    pub(super) carried: f64,
}

/// The joints of a world, over the vertices of all bodies.
#[derive(Default)]
pub(super) struct IslandJoints {
    joints: Vec<Joint>,
    acting: Vec<Acting>,
    /// Hard ones that hold what cannot move, with how far apart their ends may be.
    stuck: Vec<(usize, f64)>,
    /// Scratch memory for the nodes of one.
    stencil: Vec<(u32, f64)>,
}

impl IslandJoints {
    pub(super) fn new(joints: &[Joint]) -> Self {
        Self {
            joints: joints.to_vec(),
            ..Self::default()
        }
    }

    /// The pairs of bodies that are joined at a time.
    pub(super) fn pairs(joints: &[Joint], time: f64) -> impl Iterator<Item = [usize; 2]> {
        let acting = joints.iter().filter(move |joint| joint.acts_at(time));
        acting.flat_map(|joint| {
            let first = joint.first.body;
            let others = joint.points().map(|point| point.body);
            others
                .filter(move |other| *other != first)
                .map(move |other| [first, other])
        })
    }

    /// Takes the joints that act at a time on the bodies that `moves` names.
    pub(super) fn begin(
        &mut self,
        joints: &[Joint],
        [time, step]: [f64; 2],
        moves: impl Fn(usize) -> bool,
        what: impl Fn(&Joint) -> Held,
    ) {
        self.acting.clear();
        self.stuck.clear();
        self.adopt(joints);
        let rate = 2.0 / (GAMMA * step);
        for (index, joint) in joints.iter().enumerate() {
            if !joint.acts_at(time) || !joint.points().any(|point| moves(point.body)) {
                continue;
            }
            let Held {
                stiffness,
                size,
                carried,
            } = what(joint);
            if !stiffness.is_finite() {
                if joint.stiffness.is_none() {
                    self.stuck.push((index, CLOSE * size));
                }
                continue;
            }
            self.acting.push(Acting {
                joint: index,
                stiffness: joint.stiffness.unwrap_or(HARD * carried * stiffness),
                is_hard: joint.stiffness.is_none(),
                close: CLOSE * size,
                force: joint.state.force,
                slight: SLIGHT * stiffness / (rate * rate),
                last: joint.state.force,
                force_at_start: joint.state.force,
                force_between: None,
                force_at_end: joint.state.force,
                angles: [0.0; 2],
                is_anchored: joint.holds_to_place()
                    || !joint.points().all(|point| moves(point.body)),
            });
        }
    }

    /// Whether none acts.
    pub(super) fn is_empty(&self) -> bool {
        self.acting.is_empty()
    }

    /// Takes over joints as they are: programs may change them between steps.
    fn adopt(&mut self, joints: &[Joint]) {
        self.joints.truncate(joints.len());
        for (kept, joint) in self.joints.iter_mut().zip(joints) {
            if kept.is_described_as(joint) {
                kept.state.clone_from(&joint.state);
            } else {
                kept.clone_from(joint);
            }
        }
        let known = self.joints.len();
        self.joints.extend_from_slice(&joints[known..]);
    }

    /// Whether one holds to what does not move, so that momentum is not kept.
    pub(super) fn are_anchored(&self) -> bool {
        self.acting.iter().any(|acting| acting.is_anchored)
    }

    /// Adds the gradient and the blocks of all, for vertices at `places`, of which those of body b begin at
    /// `first[b]`.
    pub(super) fn linearise(
        &mut self,
        (places, first, time): (&[DVec3], &[usize], f64),
        gradient: &mut [DVec3],
        links: &mut Links,
    ) {
        let mut stencil = std::mem::take(&mut self.stencil);
        for acting in &mut self.acting {
            let joint = &self.joints[acting.joint];
            let gap = gap(joint, (places, first, time), acting.ahead());
            let (pull, block) = acting.pull(joint, &gap);
            acting.last = pull;
            fill(joint, &gap, (first, time), &mut stencil);
            for &(node, weight) in &stencil {
                gradient[node as usize] += weight * pull;
            }
            if let Some((along, share)) = gap.slide {
                let arms = slide_slopes(joint, places, first, time, along, share);
                let pulling = -pull.dot(along);
                for (points, slope) in arms {
                    for (node, weight) in vertices(points, first) {
                        gradient[node as usize] += weight * pulling * slope;
                    }
                }
            }
            if block != DMat3::ZERO {
                links.push(stencil.iter().copied(), block);
            }
        }
        self.stencil = stencil;
    }

    /// Adds the gradient at the beginning of a step, by the forces of the last one.
    pub(super) fn add_start(
        &mut self,
        (places, first, time): (&[DVec3], &[usize], f64),
        gradient: &mut [DVec3],
    ) {
        let mut stencil = std::mem::take(&mut self.stencil);
        for acting in &mut self.acting {
            let joint = &self.joints[acting.joint];
            if let Some(angle) = motor_angle(joint, (places, first, time)) {
                acting.angles = [angle; 2];
            }
            let gap = gap(joint, (places, first, time), acting.ahead());
            let pull = match (acting.is_hard, &joint.kind) {
                (false, _) => acting.pull(joint, &gap).0,
                (true, JointKind::Distance(_)) => {
                    acting.tension_at_start(joint) * gap.gap.normalize_or_zero()
                }
                (true, _) => gap.across * acting.force,
            };
            fill(joint, &gap, (first, time), &mut stencil);
            for &(node, weight) in &stencil {
                gradient[node as usize] += weight * pull;
            }
        }
        self.stencil = stencil;
    }

    /// The potential of all, in joules.
    pub(super) fn value(&self, places: &[DVec3], first: &[usize], time: f64) -> f64 {
        let values = self.acting.iter().map(|acting| {
            let joint = &self.joints[acting.joint];
            acting.value(joint, &gap(joint, (places, first, time), acting.ahead()))
        });
        values.sum()
    }

    /// The energy of those that act and are soft, in joules.
    pub(super) fn soft_energy(&self, (places, first, time): (&[DVec3], &[usize], f64)) -> f64 {
        let soft = self.acting.iter().filter(|acting| !acting.is_hard);
        let energies = soft.map(|acting| {
            let joint = &self.joints[acting.joint];
            acting.value(joint, &gap(joint, (places, first, time), acting.ahead()))
        });
        energies.sum()
    }

    /// Begins a step, or a step anew by another rule.
    pub(super) fn begin_step(&mut self) {
        for acting in &mut self.acting {
            acting.force = acting.force_at_start;
            acting.force_between = None;
            acting.force_at_end = acting.force_at_start;
        }
    }

    /// Keeps the forces at the end of a stage, at some places.
    pub(super) fn end_stage(
        &mut self,
        (places, first, time): (&[DVec3], &[usize], f64),
        is_last: bool,
    ) {
        for acting in &mut self.acting {
            let joint = &self.joints[acting.joint];
            let force = acting.renewed(joint, &gap(joint, (places, first, time), acting.ahead()));
            if let Some(angle) = motor_angle(joint, (places, first, time)) {
                acting.angles[1] = angle;
            }
            if is_last {
                acting.force_at_end = force;
            } else {
                acting.force_between = Some(force);
            }
        }
    }

    /// A hard joint whose ends are so many times farther apart than they may be, and how far.
    fn torn(&self, at: (&[DVec3], &[usize], f64), factor: f64) -> Option<(&Joint, f64)> {
        let hard = self.acting.iter().filter(|acting| acting.is_hard);
        let hard = hard.map(|acting| (acting.joint, acting.close));
        let holds = |(index, _): &(usize, f64)| self.joints[*index].motor().is_none();
        let mut torn = hard
            .chain(self.stuck.iter().copied())
            .filter(holds)
            .filter_map(|(index, close)| {
                let joint = &self.joints[index];
                let gap = gap(joint, at, DVec3::ZERO).gap;
                let apart = match joint.distances() {
                    Some([least, most]) => {
                        let length = gap.length();
                        (length - length.clamp(least, most)).abs()
                    }
                    None => gap.length(),
                };
                (apart.is_nan() || apart > factor * close).then_some((joint, apart))
            });
        torn.next()
    }

    /// An error if a hard joint is torn.
    pub(super) fn refuse_torn(&self, at: (&[DVec3], &[usize], f64)) -> Result<(), StepFailure> {
        self.refuse(at, TORN)
    }

    /// An error if a hard joint is not where it should be.
    pub(super) fn refuse_apart(&self, at: (&[DVec3], &[usize], f64)) -> Result<(), StepFailure> {
        self.refuse(at, 2.0)
    }

    fn refuse(&self, at: (&[DVec3], &[usize], f64), factor: f64) -> Result<(), StepFailure> {
        match self.torn(at, factor) {
            Some((joint, apart)) => Err(StepFailure::JointApart {
                joint: joint.name.clone(),
                apart,
            }),
            None => Ok(()),
        }
    }

    /// Joints that bear more than they can, after a step that has failed.
    pub(super) fn overloaded(&self) -> impl Iterator<Item = usize> + '_ {
        let hard = self.acting.iter().filter(|acting| acting.is_hard);
        let loaded = hard.filter(|acting| {
            let load = acting.force.length().max(acting.last.length());
            load > self.joints[acting.joint].strength
        });
        loaded.map(|acting| acting.joint)
    }

    /// Whether a string or a stop that was loose where the step began has become tight with a jerk. The places
    /// are those at the end, the velocities those at the beginning.
    pub(super) fn catch(&self, places: &[DVec3], velocities: &[DVec3], first: &[usize]) -> bool {
        self.acting.iter().any(|acting| {
            let joint = &self.joints[acting.joint];
            let was_loose = acting.force_at_start == DVec3::ZERO;
            if !acting.is_hard || joint.distances().is_none() || !was_loose {
                return false;
            }
            // A place that does not move has no velocity.
            let along = gap(joint, (places, first, 0.0), DVec3::ZERO)
                .gap
                .normalize_or_zero();
            let velocity = |point: &BodyPoint| -> DVec3 {
                let parts = vertices(point, first);
                parts.map(|(node, w)| w * velocities[node as usize]).sum()
            };
            let second = joint.second_point().map_or(DVec3::ZERO, velocity);
            let speed = (velocity(&joint.first) - second).dot(along);
            acting.force_at_end != DVec3::ZERO && speed.abs() > JERK
        })
    }

    /// The work of hard joints over the distances that their ends may be apart, in joules.
    pub(super) fn play(&self) -> f64 {
        let hard = self.acting.iter().filter(|acting| acting.is_hard);
        let plays = hard.map(|acting| acting.force_at_end.length() * acting.close);
        2.0 * plays.sum::<f64>()
    }

    /// The work of paths and motors in a step, in joules.
    pub(super) fn work_of_paths(&self, start: f64, end: f64) -> f64 {
        let works = self.acting.iter().map(|acting| {
            let joint = &self.joints[acting.joint];
            if let Some(motor) = joint.motor() {
                let (_, along) = joint.turned(motor, 0.5 * (start + end));
                let [before, after] = acting.angles;
                let turned = (after - before + PI).rem_euclid(TAU) - PI;
                return -acting.mean_force().dot(along) * motor.radius * turned;
            }
            match [start, end].map(|time| joint.second_place(time)) {
                [Some(from), Some(to)] => -acting.mean_force().dot(to - from),
                _ => 0.0,
            }
        });
        works.sum()
    }

    /// Whether the last step of Newton's method has changed a force by more than counts: ends that are as near
    /// as they must be may still pull with any force.
    pub(super) fn are_unsettled(&self, places: &[DVec3], first: &[usize], time: f64) -> bool {
        self.acting.iter().any(|acting| {
            let joint = &self.joints[acting.joint];
            let pull = acting
                .pull(joint, &gap(joint, (places, first, time), acting.ahead()))
                .0;
            pull.distance(acting.last) > acting.slight.max(UNSETTLED * pull.length())
        })
    }

    /// Says whether a hard joint is too far from where it should be; if so, lets the forces of all take over
    /// what stiffness has borne.
    pub(super) fn update(&mut self, places: &[DVec3], first: &[usize], time: f64) -> bool {
        let joints = &self.joints;
        let renewed = |acting: &Acting| {
            let joint = &joints[acting.joint];
            acting.renewed(joint, &gap(joint, (places, first, time), acting.ahead()))
        };
        let is_far = |acting: &Acting| {
            let change = renewed(acting) - acting.force;
            acting.is_hard && change.length() > acting.stiffness * acting.close
        };
        if !self.acting.iter().any(is_far) {
            return false;
        }
        for acting in self.acting.iter_mut().filter(|acting| acting.is_hard) {
            acting.force = renewed(acting);
        }
        true
    }

    /// Hands forces back, with those of soft joints, and breaks what bears too much. Returns the work of
    /// paths, in joules.
    ///
    /// The forces are those where the last stage ended, not those at the end of the step: the implicit midpoint
    /// rule ends its stage halfway, and at the end of the step its joints are open by what the ends have turned.
    pub(super) fn end(&mut self, joints: &mut [Joint], [start, end]: [f64; 2]) -> f64 {
        let work = self.work_of_paths(start, end);
        for acting in &self.acting {
            let joint = &mut joints[acting.joint];
            joint.state.force_before = acting.force_at_start.length();
            joint.state.force = acting.force_at_end;
        }
        for parts in joints.chunk_by_mut(|joint, _| joint.with_next) {
            break_if_overloaded(parts);
        }
        work
    }
}
