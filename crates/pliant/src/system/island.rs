//! Steps of bodies that may touch: one system.
//!
//! The bodies of a group go through the stages of a step together, while all others stand. In each
//! stage Newton's method (`island_newton.rs`) finds the minimum of the sum of their potentials and that
//! of contact between them (`pair_contact.rs`). The linear solve couples the bodies by contact alone;
//! each body brings its own matrix and its own preconditioner. Places move along straight lines that
//! are proved free, from the beginning of the step to its end.

use super::contact_sweeps::ContactSweeps;
use super::island_joints::IslandJoints;
use super::island_newton::NewtonLists;
use super::joint_loads::carried;
use super::links::FREE;
use super::means::{Means, take_energy};
use super::momentum::RigidSums;
use super::mover::Mover;
use super::pair_contact::PairContact;
use super::pair_rebound::Impulses;
use super::rule::Stage;
use super::small_bodies::SmallBodies;
use super::stages::stage_count;
use crate::body::{Body, Effort, Integrator, IntegratorKind, Problem, State, StepFailure};
use crate::contact::{Contacts, PairContactSettings};
use crate::joint::Joint;
use crate::linear::CoupledConjugateGradient;
use crate::obstacle::Obstacle;
use crate::report::StageTimes;
use glam::DVec3;
use std::sync::Arc;

/// One body of an island.
pub(crate) struct Member<'a> {
    /// Its place in the world.
    pub(crate) body: usize,
    pub(crate) problem: Problem<'a>,
    pub(crate) mover: &'a mut Mover,
    pub(crate) candidate: &'a mut State,
    /// Scratch memory for one number per node.
    pub(crate) distances: &'a mut [f64],
}

impl Member<'_> {
    /// Whether it is rigid, or has parts that are.
    pub(super) fn has_rigid_parts(&self) -> bool {
        !self.problem.body.state.controls.is_empty()
    }
}

/// What moves bodies together, with scratch memory.
pub(crate) struct Island {
    pub(super) contact: PairContact,
    pub(super) joints: IslandJoints,
    /// What each body carries of what it is joined to, by its own mass.
    pub(super) carried: Vec<f64>,
    /// How many times stiffer each body is in this step, since much presses on it.
    pub(super) strengths: Vec<f64>,
    pub(super) solver: CoupledConjugateGradient,
    pub(super) small: SmallBodies,
    pub(super) sweeps: ContactSweeps,
    pub(super) impulses: Impulses,
    /// Velocities where a stage begins.
    pub(super) before: Vec<DVec3>,
    pub(super) right_side: Vec<DVec3>,
    pub(super) direction: Vec<DVec3>,
    /// Motion of the vertices, and the forces that couplings answer with.
    pub(super) motion: Vec<DVec3>,
    pub(super) forces: Vec<DVec3>,
    /// Scratch memory: bodies that move,
    pub(super) moving: Vec<usize>,
    /// and the gaps of those that have begun close.
    pub(super) gaps: Vec<f64>,
    pub(super) lists: NewtonLists,
    /// By what means the group is moved.
    pub(super) means: Means,
    /// Whether a stage of the step was kept in which Newton's method had not come to its end.
    pub(super) is_unfinished: bool,
    /// Energy of contact and of joints where the step began, in joules.
    pub(super) start_energy: f64,
}

/// The mover of a body, if that is what advances it.
pub(crate) fn mover_of(integrator: &mut dyn Integrator) -> Option<&mut Mover> {
    integrator.as_any()?.downcast_mut()
}

impl Island {
    /// For the bodies of a world.
    pub(crate) fn new(
        settings: &PairContactSettings,
        bodies: &[Body],
        obstacles: &[Obstacle],
        joints: &[Joint],
    ) -> Self {
        Self {
            contact: PairContact::new(settings, bodies, obstacles),
            joints: IslandJoints::new(joints),
            carried: carried(joints, bodies),
            strengths: vec![1.0; bodies.len()],
            solver: CoupledConjugateGradient::default(),
            small: SmallBodies::default(),
            sweeps: ContactSweeps::default(),
            impulses: Impulses::default(),
            before: Vec::new(),
            right_side: Vec::new(),
            direction: Vec::new(),
            motion: Vec::new(),
            forces: Vec::new(),
            moving: Vec::new(),
            gaps: Vec::new(),
            lists: NewtonLists::default(),
            means: Means::default(),
            is_unfinished: false,
            start_energy: 0.0,
        }
    }

    /// Whether the bodies are as they were when it was made.
    pub(crate) fn fits(&self, bodies: &[Body]) -> bool {
        self.contact.fits(bodies)
    }

    /// The obstacles that each body meets with its nodes, not with faces and edges.
    pub(crate) fn met_by_nodes(&self) -> Arc<[Vec<usize>]> {
        self.contact.features.met_by_nodes.clone()
    }

    /// Takes the places of all bodies as they are.
    pub(crate) fn take_places(&mut self, bodies: &[Body]) {
        for (index, body) in bodies.iter().enumerate() {
            let range = self.contact.range_of(index);
            self.contact.places[range].copy_from_slice(&body.state.positions);
        }
    }

    /// Energy of contact between bodies as they are, in joules.
    pub(crate) fn energy(&mut self, bodies: &[Body]) -> f64 {
        for (index, body) in bodies.iter().enumerate() {
            let range = self.contact.range_of(index);
            self.contact.velocities[range].copy_from_slice(&body.state.velocities);
        }
        self.stand(bodies);
        self.contact.energy()
    }

    /// Finds the candidates of all members for one step.
    pub(crate) fn advance(
        &mut self,
        members: &mut [Member],
        bodies: &[Body],
        means: Means,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        let means = if self.are_rigid(members) {
            Means::Usual
        } else {
            means
        };
        self.means = means;
        self.is_unfinished = false;
        self.contact.clock = members.first().and_then(|member| member.problem.clock);
        self.contact.times = StageTimes::default();
        // What is led along a path is there whatever the rule.
        let is_moved = |member: &&Member| !member.problem.body.formulation().is_driven();
        let kinds = members
            .iter()
            .filter(is_moved)
            .map(|member| member.mover.kind);
        let usual = IntegratorKind::of_several(kinds);
        let kind = means.rule(usual);
        effort.damped_steps += usize::from(kind != usual);
        self.contact.awake(members.iter().map(|member| member.body));
        self.strengths.clone_from(&self.carried);
        self.attempt_by_any(members, bodies, kind, &mut effort)?;
        while self.strengthen(members) {
            self.attempt_by_any(members, bodies, kind, &mut effort)?;
        }
        if self.is_unfinished
            && let Some(created) = self.energy_created(members)
        {
            take_energy(members, created, &mut effort)?;
        }
        self.check(members)?;
        self.contact.energy();
        self.refuse_passing(members)?;
        effort.times.add(&self.contact.times);
        let (candidates, touching, smallest) = self.contact.figures();
        effort.candidates = candidates;
        effort.active_pairs = touching;
        effort.contacts = Contacts {
            count: touching,
            smallest_distance: smallest,
            friction_loss: 0.0,
        };
        for member in members.iter_mut() {
            let positions = &member.candidate.positions;
            effort.contacts.friction_loss += member.mover.losses.friction;
            let contact = &mut member.mover.contact;
            effort.contacts.count += contact.count();
            let distance = contact.smallest_distance(&member.problem, positions);
            let smallest = &mut effort.contacts.smallest_distance;
            *smallest = smallest.min(distance);
        }
        Ok(effort)
    }

    /// The step by a time rule, or by backward Euler where that one throws what it meets.
    fn attempt_by_any(
        &mut self,
        members: &mut [Member],
        bodies: &[Body],
        kind: IntegratorKind,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        self.is_unfinished = false;
        self.attempt(members, bodies, kind, effort)?;
        // A limit that is met ends a motion, as backward Euler does; two stages would throw it back.
        let contact = &self.contact;
        let is_caught = self.joints.catch(
            &contact.places,
            &contact.velocities,
            &contact.features.first,
        );
        if kind == IntegratorKind::TwoStage && (is_caught || self.energy_created(members).is_some())
        {
            effort.damped_steps += 1;
            self.attempt(members, bodies, IntegratorKind::Implicit, effort)?;
        }
        Ok(())
    }

    /// The step by one time rule.
    fn attempt(
        &mut self,
        members: &mut [Member],
        bodies: &[Body],
        kind: IntegratorKind,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        self.take_places(bodies);
        self.contact.begin_step();
        self.impulses.begin_step();
        self.small.begin_step();
        self.joints.begin_step();
        for member in members.iter_mut() {
            let (problem, mover) = (&member.problem, &mut member.mover);
            let state = &problem.body.state;
            mover.evaluator.take_directions(problem, &state.positions);
            mover.take_damping(&state.positions);
            mover.unknowns.core_links.clear();
            mover.unknowns.turns = !self.joints.is_empty();
            mover.take_state(state);
            let range = self.contact.range_of(member.body);
            self.contact.velocities[range].copy_from_slice(&state.velocities);
        }
        self.find_first_pushes(members);
        self.take_strengths(members);
        for index in 0..stage_count(kind) {
            let mut stage = None;
            for member in members.iter_mut() {
                stage = Some(member.mover.open_stage(&member.problem, kind, index));
            }
            let Some(stage) = stage else { return Ok(()) };
            let takes_mean = kind == IntegratorKind::TwoStage && index == 0;
            if takes_mean {
                self.hold_back(members, &stage);
            }
            for member in members.iter_mut() {
                let (problem, mover) = (&member.problem, &mut member.mover);
                mover.enter_stage(problem, kind, &stage, index);
            }
            let result = self.run_stage(members, &stage, takes_mean, effort);
            self.hand_out_pushes(members);
            result?;
            if !self.contact.may_meet_others(members) && !self.joints.are_anchored() {
                balance(members, &stage);
            }
            let is_last = index + 1 == stage_count(kind);
            self.end_stage(members, stage.time, is_last);
            self.find_impulses(members, &stage, is_last);
            for member in members.iter_mut() {
                let problem = &member.problem;
                let range = self.contact.range_of(member.body);
                let others = self.impulses.on(range);
                let mover = &mut member.mover;
                mover.close_stage(problem, kind, &stage, index, Some(others));
            }
        }
        for member in members.iter_mut() {
            let problem = &member.problem;
            member.mover.finish(problem, member.candidate, kind);
        }
        Ok(())
    }

    /// Keeps the forces of contact and joints at the end of a stage.
    fn end_stage(&mut self, members: &mut [Member], time: f64, is_last: bool) {
        if !is_last {
            for member in members.iter_mut() {
                let mover = &mut member.mover;
                mover.middle_push.clone_from(&mover.push);
            }
        }
        let contact = &self.contact;
        let at = (&contact.places[..], &contact.features.first[..], time);
        self.joints.end_stage(at, is_last);
    }

    /// The forces of contact and joints where a step begins.
    fn find_first_pushes(&mut self, members: &mut [Member]) {
        self.start_energy = self.contact.linearise_start();
        if let Some(time) = members.first().map(|member| member.problem.time) {
            let contact = &mut self.contact;
            let at = (&contact.places[..], &contact.features.first[..], time);
            self.start_energy += self.joints.soft_energy(at);
            self.joints.add_start(at, &mut contact.gradient);
        }
        self.hand_out_pushes(members);
        for member in members.iter_mut() {
            let mover = &mut member.mover;
            mover.first_push.clone_from(&mover.push);
            mover.middle_push.clear();
        }
    }

    /// Gives every mover the gradient of contact at its nodes.
    fn hand_out_pushes(&mut self, members: &mut [Member]) {
        for member in members.iter_mut() {
            let range = self.contact.range_of(member.body);
            let push = &mut member.mover.push;
            push.clear();
            push.extend_from_slice(&self.contact.gradient[range]);
        }
    }

    /// Stiffness of contact of a body: that of the nodes at rest with the step of the world, so that it is
    /// the same whatever the length of an attempt.
    pub(crate) fn take_stiffness(
        &mut self,
        body: usize,
        problem: &Problem,
        mover: &mut Mover,
        nominal_step: f64,
    ) {
        if !self.contact.knows_stiffness(body) {
            mover.unknowns.reinforce(self.carried[body]);
            let nodes = mover.node_inertia(problem, nominal_step);
            self.contact.take_inertia(body, &nodes);
            // Parts of other bodies have other numbers.
            let first = self.contact.range_of(body).start;
            for (node, vertex) in self.contact.range_of(body).enumerate() {
                let core = mover.unknowns.core(node);
                self.contact.owners[vertex] = core.map_or(FREE, |core| first as u32 + core);
            }
        }
    }

    /// One stage: from the places at its beginning to the minimum of the potential.
    fn run_stage(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        takes_mean: bool,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        for member in members.iter() {
            let range = self.contact.range_of(member.body);
            let nodes = range.len();
            self.contact.places[range.clone()].copy_from_slice(&member.mover.between[..nodes]);
            self.contact.trial[range].copy_from_slice(&member.mover.places[..nodes]);
        }
        let duration = if stage.rate > 0.0 {
            stage.duration
        } else {
            0.0
        };
        self.contact.search();
        self.contact.begin_stage(duration, takes_mean);
        let free = self.contact.free_fraction();
        if free < 1.0 {
            for member in members.iter_mut() {
                let mover = &mut member.mover;
                for (place, from) in mover.places.iter_mut().zip(&mover.between) {
                    *place = *from + free * (*place - *from);
                }
            }
        }
        if self.means == Means::Last {
            self.begin_low(members, stage);
        }
        let mut lists = std::mem::take(&mut self.lists);
        lists.begin(members, stage);
        let result = self.minimise(members, stage, &mut lists, effort);
        lists.end(members);
        self.lists = lists;
        result
    }
}

/// The last iteration, in the six rigid motions of all bodies together: contact between them has no
/// net force and no torque, so that their momenta follow from external forces alone, whatever the
/// linear solver left. A common motion changes no distance.
fn balance(members: &mut [Member], stage: &Stage) {
    let free = |member: &Member| {
        let mover = &member.mover;
        mover.unknowns.is_free() && mover.contact.count() == 0 && !mover.contact.has_bounds()
    };
    if stage.rate == 0.0 || !members.iter().all(free) {
        return;
    }
    let mut sums = RigidSums::default();
    for member in members.iter_mut() {
        let places = std::mem::take(&mut member.mover.places);
        member.mover.differentiate(&member.problem, stage, &places);
        let masses = &member.problem.body.description().masses;
        sums.add(masses, &places, &member.mover.gradient);
        member.mover.places = places;
    }
    let motion = sums.motion(1.0 / stage.inertia());
    for member in members.iter_mut() {
        member
            .mover
            .places
            .iter_mut()
            .for_each(|place| *place = motion.apply(*place));
    }
}
