//! Joints between the bodies of a group, as part of its system.
//!
//! ```text
//! E = λ·c + ½ k |c|²,   λ <- λ + k c     until every |c| is small enough
//! E = ½ T² / k,   T = max(0, τ + k (L - most)) + min(0, τ + k (L - least)),   τ <- T     (Distance)
//! ```
//!
//! λ and τ are the forces of hard joints; steps begin with those of the last one. A soft joint has its own k
//! and neither λ nor τ.

use super::joint_gap::{Gap, fill, gap, slide_slopes, vertices};
use super::links::Links;
use super::rule::{ALPHA, GAMMA};
use crate::joint::{Joint, JointKind};
use crate::math::outer;
use glam::{DMat3, DVec3};

/// Stiffness of hard joints, by that of the nodes they hold.
const HARD: f64 = 100.0;

/// How far apart the ends of a hard joint may be, by the size of its bodies.
const CLOSE: f64 = 1e-6;

/// Change of a force from one iteration to the next that asks for another, and the smallest acceleration by
/// it that counts, in m/s².
const UNSETTLED: f64 = 1e-3;
const SLIGHT: f64 = 1e-3;

/// One joint that acts.
struct Acting {
    /// Its place in the world.
    joint: usize,
    stiffness: f64,
    is_hard: bool,
    /// How far its ends may be apart, in metres.
    close: f64,
    /// λ, or τ along x.
    force: DVec3,
    /// The smallest force that counts, in newtons.
    slight: f64,
    /// The force of the last iteration.
    last: DVec3,
    /// The force where the step began.
    force_at_start: DVec3,
    /// The force at the end of the first of two stages.
    force_between: Option<DVec3>,
}

/// The joints of a world, over the vertices of all bodies.
#[derive(Default)]
pub(super) struct IslandJoints {
    joints: Vec<Joint>,
    acting: Vec<Acting>,
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
        acting.filter_map(|joint| {
            let (first, second) = joint.bodies();
            second
                .filter(|second| *second != first)
                .map(|second| [first, second])
        })
    }

    /// Takes the joints that act at a time on the bodies that `moves` names.
    pub(super) fn begin(
        &mut self,
        joints: &[Joint],
        [time, step]: [f64; 2],
        moves: impl Fn(usize) -> bool,
        stiffness_and_size: impl Fn(&Joint) -> (f64, f64),
    ) {
        self.acting.clear();
        let rate = 2.0 / (GAMMA * step);
        for (index, joint) in joints.iter().enumerate() {
            if !joint.acts_at(time) || !joint.points().any(|point| moves(point.body)) {
                continue;
            }
            self.joints[index].state.clone_from(&joint.state);
            let (stiffness, size) = stiffness_and_size(joint);
            self.acting.push(Acting {
                joint: index,
                stiffness: joint.stiffness.unwrap_or(HARD * stiffness),
                is_hard: joint.stiffness.is_none(),
                close: CLOSE * size,
                force: joint.state.force,
                slight: SLIGHT * stiffness / (rate * rate),
                last: joint.state.force,
                force_at_start: joint.state.force,
                force_between: None,
            });
        }
    }

    /// Whether none acts.
    pub(super) fn is_empty(&self) -> bool {
        self.acting.is_empty()
    }

    /// Whether one holds to a place, so that momentum is not kept.
    pub(super) fn hold_to_places(&self) -> bool {
        let joints = self.acting.iter().map(|acting| &self.joints[acting.joint]);
        joints
            .into_iter()
            .any(|joint| joint.second_point().is_none())
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
            let gap = gap(joint, places, first, time);
            let (pull, block) = acting.pull(joint, &gap);
            acting.last = pull;
            fill(joint, &gap, first, &mut stencil);
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
        for acting in &self.acting {
            let joint = &self.joints[acting.joint];
            let gap = gap(joint, places, first, time);
            if matches!(joint.kind, JointKind::Distance(_)) && acting.is_hard {
                continue;
            }
            let pull = match acting.is_hard {
                true => gap.across * acting.force,
                false => acting.pull(joint, &gap).0,
            };
            fill(joint, &gap, first, &mut stencil);
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
            acting.value(joint, &gap(joint, places, first, time))
        });
        values.sum()
    }

    /// The energy of those that act and are soft, in joules.
    pub(super) fn soft_energy(&self, (places, first, time): (&[DVec3], &[usize], f64)) -> f64 {
        let soft = self.acting.iter().filter(|acting| !acting.is_hard);
        let energies = soft.map(|acting| {
            let joint = &self.joints[acting.joint];
            acting.value(joint, &gap(joint, places, first, time))
        });
        energies.sum()
    }

    /// Begins a step, or a step anew by another rule.
    pub(super) fn begin_step(&mut self) {
        for acting in &mut self.acting {
            acting.force = acting.force_at_start;
            acting.force_between = None;
        }
    }

    /// Ends the first of two stages at some places.
    pub(super) fn end_first_stage(&mut self, places: &[DVec3], first: &[usize], time: f64) {
        for acting in &mut self.acting {
            let joint = &self.joints[acting.joint];
            let gap = gap(joint, places, first, time);
            acting.force_between = Some(acting.renewed(joint, &gap));
        }
    }

    /// The work of hard joints over the distances that their ends may be apart, in joules.
    pub(super) fn play(&self) -> f64 {
        let hard = self.acting.iter().filter(|acting| acting.is_hard);
        let plays = hard.map(|acting| acting.force.length() * acting.close);
        2.0 * plays.sum::<f64>()
    }

    /// The work of paths in a step, in joules.
    pub(super) fn work_of_paths(&self, start: f64, end: f64) -> f64 {
        let works = self.acting.iter().map(|acting| {
            let second = &self.joints[acting.joint].second;
            match [start, end].map(|time| second.place_at(time)) {
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
            let pull = acting.pull(joint, &gap(joint, places, first, time)).0;
            pull.distance(acting.last) > acting.slight.max(UNSETTLED * pull.length())
        })
    }

    /// Says whether a hard joint is too far from where it should be; if so, lets the forces of all take over
    /// what stiffness has borne.
    pub(super) fn update(&mut self, places: &[DVec3], first: &[usize], time: f64) -> bool {
        let joints = &self.joints;
        let renewed = |acting: &Acting| {
            let joint = &joints[acting.joint];
            acting.renewed(joint, &gap(joint, places, first, time))
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
    pub(super) fn end(
        &mut self,
        joints: &mut [Joint],
        (places, first): (&[DVec3], &[usize]),
        [start, end]: [f64; 2],
    ) -> f64 {
        for acting in &mut self.acting {
            let joint = &self.joints[acting.joint];
            let gap = gap(joint, places, first, end);
            acting.force = acting.renewed(joint, &gap);
        }
        let work = self.work_of_paths(start, end);
        for acting in &self.acting {
            let joint = &mut joints[acting.joint];
            joint.state.force = acting.force;
            if joint.load() > joint.strength {
                joint.state.is_broken = true;
                joint.state.force = DVec3::ZERO;
            }
        }
        work
    }
}

impl Acting {
    /// The force that gives the impulse of the step.
    fn mean_force(&self) -> DVec3 {
        let Some(between) = self.force_between else {
            return self.force;
        };
        let first = 0.5 * ALPHA * GAMMA * (self.force_at_start + between);
        first + 0.5 * GAMMA * self.force
    }

    /// λ, or τ for what is soft: nothing.
    fn held(&self) -> DVec3 {
        if self.is_hard {
            self.force
        } else {
            DVec3::ZERO
        }
    }

    /// Tensions against more than the most and less than the least.
    fn tensions(&self, [least, most]: [f64; 2], gap: &Gap) -> [f64; 2] {
        let (length, tension) = (gap.gap.length(), self.held().x);
        let beyond = (tension + self.stiffness * (length - most)).max(0.0);
        let within = (tension + self.stiffness * (length - least)).min(0.0);
        [beyond, within]
    }

    /// The force on the second end and its change with the first.
    fn pull(&self, joint: &Joint, gap: &Gap) -> (DVec3, DMat3) {
        let JointKind::Distance(limits) = joint.kind else {
            let force = self.held() + self.stiffness * gap.gap;
            let block = self.stiffness * gap.across;
            // What slides on a line that turns has the rest of its gradient in how it slides.
            return match gap.slide {
                Some(_) => (force, block),
                None => (gap.across * force, block),
            };
        };
        let tension: f64 = self.tensions(limits, gap).iter().sum();
        let length = gap.gap.length();
        if tension == 0.0 || length == 0.0 {
            return (DVec3::ZERO, DMat3::ZERO);
        }
        let along = outer(gap.gap / length, gap.gap / length);
        let turning = (DMat3::IDENTITY - along) * (tension.max(0.0) / length);
        (
            gap.gap * (tension / length),
            along * self.stiffness + turning,
        )
    }

    fn value(&self, joint: &Joint, gap: &Gap) -> f64 {
        match joint.kind {
            JointKind::Distance(limits) => {
                let squares = self.tensions(limits, gap).map(|tension| tension * tension);
                0.5 * squares.iter().sum::<f64>() / self.stiffness
            }
            _ => self.held().dot(gap.gap) + 0.5 * self.stiffness * gap.gap.length_squared(),
        }
    }

    /// The force that would be kept.
    fn renewed(&self, joint: &Joint, gap: &Gap) -> DVec3 {
        match joint.kind {
            JointKind::Distance(limits) => {
                DVec3::new(self.tensions(limits, gap).iter().sum(), 0.0, 0.0)
            }
            _ => gap.across * (self.held() + self.stiffness * gap.gap),
        }
    }
}
