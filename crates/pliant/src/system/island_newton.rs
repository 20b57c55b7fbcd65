//! Newton's method for bodies that touch: a stage of an island.

use super::acceleration::Acceleration;
use super::island::{Island, Member};
use super::island_goals::FrictionRounds;
use super::island_search::Moved;
use super::joint_system::JointSystem;
use super::links::parts;
use super::means::Means;
use super::progress::StaticShift;
use super::rule::Stage;
use super::true_hessian::TrueHessians;
use crate::body::{Effort, StepFailure};
use crate::math::parallel::dot;
use glam::DVec3;

/// Newton iterations of a stage in which bodies touch, for each one that a body alone has.
const ITERATIONS: usize = 4;

/// Iterations of a linear solve.
const LINEAR_ITERATIONS: usize = 2000;

/// Relative residual of the first linear solves, without and with rigid parts: these are moved by small
/// differences of large forces.
const FIRST_FORCING: [f64; 2] = [0.1, 1e-3];

/// Smallest relative residual of linear solves where bodies are joined and do not touch.
const JOINED_FORCING: f64 = 1e-3;

/// Lists of Newton's method with an entry per member, kept for their memory.
#[derive(Debug, Default)]
pub(super) struct NewtonLists {
    /// The unknowns of each member, and where its step began.
    taken: Vec<[Vec<DVec3>; 2]>,
    trials: Vec<Vec<DVec3>>,
    last_lengths: Vec<f64>,
    hessians: TrueHessians,
    acceleration: Acceleration,
}

impl NewtonLists {
    /// Begins a stage: takes the places of the members out of their movers.
    pub(super) fn begin(&mut self, members: &mut [Member], stage: &Stage) {
        self.taken.clear();
        self.last_lengths.clear();
        for member in members.iter_mut() {
            let places = std::mem::take(&mut member.mover.places);
            let start = std::mem::take(&mut member.mover.start);
            self.taken.push([places, start]);
            self.last_lengths.push(1e-4 * member.mover.close());
        }
        self.hessians.begin(members, stage);
        self.acceleration.begin(members);
    }

    /// Gives the places back.
    pub(super) fn end(&mut self, members: &mut [Member]) {
        for (member, [places, start]) in members.iter_mut().zip(self.taken.drain(..)) {
            member.mover.places = places;
            member.mover.start = start;
        }
    }
}

impl Island {
    /// Copies the places of the members to those of contact.
    fn gather(&mut self, members: &[Member], taken: &[[Vec<DVec3>; 2]]) {
        for (member, [x, _]) in members.iter().zip(taken) {
            let range = self.contact.range_of(member.body);
            let nodes = range.len();
            self.contact.places[range].copy_from_slice(&x[..nodes]);
        }
    }

    /// Newton's method.
    pub(super) fn minimise(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        lists: &mut NewtonLists,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let NewtonLists {
            taken,
            trials,
            last_lengths,
            hessians,
            acceleration,
        } = lists;
        let limit = |member: &Member| member.problem.body.description().newton_iterations;
        let iterations = ITERATIONS * members.iter().map(limit).max().unwrap_or(1);
        let (roughest, unsettled) = self.roughness(members);
        let (mut first, mut last_norm, mut residual) = (0.0_f64, f64::MIN_POSITIVE, f64::INFINITY);
        let all_rigid = self.are_rigid(members);
        let (mut rounds, mut shift) = (FrictionRounds::new(all_rigid), StaticShift::new(stage));
        for iteration in 0..iterations {
            members.iter().try_for_each(|m| m.problem.check_stop())?;
            let arrived = self.drive(members, stage, taken);
            self.gather(members, taken);
            let share = rounds.share(iteration);
            hessians.hand_out(members);
            let norm = self.linearise(members, stage, taken, (iteration, share, shift), effort)?;
            first = first.max(norm);
            residual = norm / first.max(f64::MIN_POSITIVE);
            if norm == 0.0 && arrived && self.joints.is_empty() {
                return Ok(());
            }
            let wanted = self.forcing(members, norm / last_norm, roughest);
            last_norm = norm;
            let converged = match self.solve(members, taken, wanted, effort) {
                Err(_) if hessians.fail() || shift.grow() => continue,
                solved => solved?,
            };
            if converged && arrived && self.is_at_rest(members, unsettled) {
                if self.are_too_deep(members) || self.are_apart(members, taken, stage.time) {
                    continue;
                }
                return Ok(());
            }
            let turns = (all_rigid && iteration > 1).then_some(&mut *acceleration);
            let Some(moved) = self.search_on(members, stage, (taken, trials), turns) else {
                if hessians.fail() || shift.grow() {
                    continue;
                }
                break;
            };
            shift.shrink();
            hessians.note(members, &moved);
            effort.contact_rounds += 1;
            rounds.leave_transient(iteration, &moved, self.contact.force_change());
            let at = (iteration, &moved);
            let is_settled = self.is_settled(members, stage, taken, at, last_lengths);
            if is_settled
                && shift.is_small()
                && converged
                && arrived
                && !self.are_too_deep(members)
                && !self.are_apart(members, taken, stage.time)
            {
                match rounds.end(self.contact.force_change(), unsettled) {
                    Some(true) => {
                        self.end_forces(members, taken, stage.time);
                        return Ok(());
                    }
                    Some(false) => break,
                    None => {}
                }
            }
        }
        let failure = StepFailure::NewtonDiverged {
            iterations,
            residual,
        };
        self.give_up(members, stage, taken, (effort, failure))
    }

    /// What becomes of a search without an end: an error, or what it has found where there are no other means.
    fn give_up(
        &mut self,
        members: &[Member],
        stage: &Stage,
        taken: &[[Vec<DVec3>; 2]],
        (effort, failure): (&mut Effort, StepFailure),
    ) -> Result<(), StepFailure> {
        self.gather(members, taken);
        self.refuse_apart(stage.time)?;
        if self.means == Means::Last && stage.rate > 0.0 && self.joints.is_empty() {
            effort.unconverged_solves += 1;
            self.is_unfinished = true;
            self.end_forces(members, taken, stage.time);
            return Ok(());
        }
        Err(self.why_without_end(members, taken, stage.time, failure))
    }

    /// Forces at the end of the stage.
    fn end_forces(&mut self, members: &[Member], taken: &[[Vec<DVec3>; 2]], time: f64) {
        self.gather(members, taken);
        self.push(Some(1.0), time);
    }

    /// An error if ends of joints are apart.
    fn refuse_apart(&self, time: f64) -> Result<(), StepFailure> {
        let contact = &self.contact;
        let at = (&contact.places[..], &contact.features.first[..], time);
        self.joints.refuse_apart(at)
    }

    /// Goes along the directions, or to where the last steps lead.
    fn search_on(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        (taken, trials): (&mut [[Vec<DVec3>; 2]], &mut Vec<Vec<DVec3>>),
        acceleration: Option<&mut Acceleration>,
    ) -> Option<Moved> {
        let Some(acceleration) = acceleration else {
            return self.search(members, stage, taken, trials);
        };
        acceleration.turn(members);
        let moved = match self.search(members, stage, taken, trials) {
            None if acceleration.give_up(members) => self.search(members, stage, taken, trials),
            moved => moved,
        };
        if let Some(moved) = &moved {
            acceleration.note(members, moved.share);
        }
        moved
    }

    /// The relative residual of the next linear solve: as exact as the last iteration was good (Eisenstat and
    /// Walker), which left `left` of the gradient.
    fn forcing(&self, members: &[Member], left: f64, roughest: f64) -> f64 {
        let forcing = members.iter().map(|member| member.mover.goals.forcing);
        let forcing = forcing.fold(f64::INFINITY, f64::min);
        let least = match (self.contact.has_touching(), self.joints.is_empty()) {
            (true, _) => forcing.max(roughest),
            (false, true) => forcing,
            (false, false) => forcing.max(JOINED_FORCING),
        };
        let has_cores = members.iter().any(Member::has_rigid_parts);
        let first = FIRST_FORCING[usize::from(has_cores)];
        (first * left.powi(2).min(1.0)).max(least)
    }

    /// Lets multipliers of obstacles take over the forces of nodes that share an unknown; says whether a
    /// node is deeper than it may be.
    fn are_too_deep(&self, members: &mut [Member]) -> bool {
        let mut too_deep = false;
        for member in members {
            too_deep |= member.mover.contact.update_multipliers();
        }
        too_deep
    }

    /// Lets the forces of joints take over what their stiffness has borne, once they do not change any more; says
    /// whether one changes or is apart.
    fn are_apart(&mut self, members: &[Member], taken: &[[Vec<DVec3>; 2]], time: f64) -> bool {
        if self.joints.is_empty() {
            return false;
        }
        self.gather(members, taken);
        let (places, first) = (&self.contact.places, &self.contact.features.first);
        self.joints.are_unsettled(places, first, time) || self.joints.update(places, first, time)
    }

    /// Contact, friction and joints at the places of contact.
    fn push(&mut self, share: Option<f64>, time: f64) {
        let contact = &mut self.contact;
        contact.linearise(share);
        let at = (&contact.places[..], &contact.features.first[..], time);
        self.joints
            .linearise(at, &mut contact.gradient, &mut contact.links);
    }

    /// Moves nodes that follow paths towards where they are to be, as far as is free; says whether
    /// they are there.
    fn drive(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        taken: &mut [[Vec<DVec3>; 2]],
    ) -> bool {
        if members
            .iter()
            .all(|member| !member.mover.unknowns.has_paths())
        {
            return true;
        }
        self.gather(members, taken);
        for (member, [x, _]) in members.iter_mut().zip(taken.iter()) {
            let range = self.contact.range_of(member.body);
            let nodes = range.len();
            let trial = &mut member.mover.trial;
            trial.copy_from_slice(x);
            member.mover.unknowns.follow_paths(stage.time, trial);
            self.contact.trial[range].copy_from_slice(&trial[..nodes]);
        }
        self.contact.search();
        let free = self.contact.free_fraction();
        for (member, [x, _]) in members.iter_mut().zip(taken.iter_mut()) {
            for (x, target) in x.iter_mut().zip(&member.mover.trial) {
                *x = if free < 1.0 {
                    *x + free * (*target - *x)
                } else {
                    *target
                };
            }
        }
        free == 1.0
    }

    /// Gradients and matrices of all; returns the size of the right side.
    fn linearise(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        taken: &[[Vec<DVec3>; 2]],
        (iteration, share, shift): (usize, Option<f64>, StaticShift),
        effort: &mut Effort,
    ) -> Result<f64, StepFailure> {
        let clock = members[0].problem.clock;
        self.push(share, stage.time);
        let begin = clock.map(|clock| clock());
        for (member, [x, start]) in members.iter_mut().zip(taken) {
            let problem = &member.problem;
            let mover = &mut *member.mover;
            mover.begin_linearise(problem, stage, start, x, [iteration as f64, shift.share]);
            let range = self.contact.range_of(member.body);
            for (gradient, push) in mover.gradient.iter_mut().zip(&self.contact.gradient[range]) {
                *gradient += *push;
            }
        }
        self.link_within(members);
        self.right_side.clear();
        for (member, [x, start]) in members.iter_mut().zip(taken) {
            let problem = &member.problem;
            let mover = &mut *member.mover;
            mover.end_linearise(problem, stage, start, x, iteration as f64);
            self.right_side.extend_from_slice(&mover.right_side);
        }
        if let (Some(clock), Some(begin)) = (clock, begin) {
            effort.times.assembly += clock() - begin;
        }
        let norm = dot(&self.right_side, &self.right_side).sqrt();
        if norm.is_finite() {
            Ok(norm)
        } else {
            Err(StepFailure::NonFinite { node: 0 })
        }
    }

    /// Adds what contact and joints couple within a node, or within a rigid part, to the matrices of bodies.
    fn link_within(&mut self, members: &mut [Member]) {
        for member in members.iter_mut() {
            member.mover.unknowns.core_links.clear();
        }
        let contact = &self.contact;
        for (nodes, block) in contact.links.iter() {
            for part in parts(nodes, &contact.owners) {
                let (vertex, weight) = part[0];
                let body = contact.features.body_of[vertex as usize] as usize;
                let Ok(place) = members.binary_search_by(|member| member.body.cmp(&body)) else {
                    continue;
                };
                let (mover, base) = (&mut *members[place].mover, contact.range_of(body).start);
                let node = vertex as usize - base;
                match mover.unknowns.core(node) {
                    Some(core) => {
                        let rest = &contact.features.rest;
                        let part = part.iter().map(|(vertex, w)| (rest[*vertex as usize], *w));
                        mover.unknowns.link_core(core, part, block);
                    }
                    None => {
                        let slot = mover.matrix.diagonal_slot(node);
                        mover.matrix.add_at(slot, block * (weight * weight));
                    }
                }
            }
        }
    }

    /// Gives the solver of each body its matrix.
    fn prepare_bodies(
        &self,
        members: &mut [Member],
        taken: &[[Vec<DVec3>; 2]],
        forcing: f64,
    ) -> Result<(), StepFailure> {
        for (member, [x, _]) in members.iter_mut().zip(taken) {
            if self.small.serves(member) {
                continue;
            }
            let mover = &mut *member.mover;
            let nodes = mover.moved.len();
            let matrix = mover.unknowns.pattern_of(&mover.matrix);
            mover.solver.set_tolerance(forcing);
            mover.solver.place(&x[..nodes]);
            mover.solver.hold(mover.contact.bounds.held());
            mover.solver.prepare(matrix)?;
        }
        Ok(())
    }

    /// Solves for the directions of all; returns whether the solver reached what it was asked for.
    fn solve(
        &mut self,
        members: &mut [Member],
        taken: &[[Vec<DVec3>; 2]],
        forcing: f64,
        effort: &mut Effort,
    ) -> Result<bool, StepFailure> {
        let clock = members[0].problem.clock;
        let begin = clock.map(|clock| clock());
        for (member, [x, _]) in members.iter_mut().zip(taken) {
            let mover = &mut *member.mover;
            mover.unknowns.reduce_matrix(x, &mut mover.matrix);
        }
        self.small.prepare(members, &self.contact);
        self.sweeps.prepare(members, &self.contact, &self.small);
        self.sweeps.soften(members);
        let prepared = self.prepare_bodies(members, taken, forcing);
        self.sweeps.harden(members);
        prepared?;
        self.direction.resize(self.right_side.len(), DVec3::ZERO);
        let count = self.contact.places.len();
        self.motion.resize(count, DVec3::ZERO);
        self.forces.resize(count, DVec3::ZERO);
        let mut system = JointSystem {
            members,
            contact: &self.contact,
            small: &mut self.small,
            sweeps: &mut self.sweeps,
            motion: &mut self.motion,
            forces: &mut self.forces,
        };
        let report = self.solver.solve(
            &mut system,
            &self.right_side,
            &mut self.direction,
            forcing,
            LINEAR_ITERATIONS,
        )?;
        let mut first = 0;
        for member in members.iter_mut() {
            let mover = &mut *member.mover;
            let last = first + mover.direction.len();
            mover
                .direction
                .copy_from_slice(&self.direction[first..last]);
            mover.contact.bounds.add_offsets(&mut mover.direction);
            first = last;
        }
        if let (Some(clock), Some(begin)) = (clock, begin) {
            effort.times.solve += clock() - begin;
        }
        effort.newton_iterations += 1;
        effort.linear_iterations += report.iterations;
        effort.linear_residual = effort.linear_residual.max(report.residual);
        effort.unconverged_solves += usize::from(!report.converged);
        Ok(report.converged)
    }
}
