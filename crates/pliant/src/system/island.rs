//! Steps of bodies that may touch: one system.
//!
//! All bodies go through the stages of a step together. In each stage Newton's method finds the
//! minimum of the sum of their potentials and that of contact between them (`pair_contact.rs`). The
//! linear solve couples the bodies by contact alone; each body brings its own matrix and its own
//! preconditioner. Places move along straight lines that are proved free, from the beginning of the
//! step to its end.

use super::momentum::RigidSums;
use super::mover::Mover;
use super::pair_contact::PairContact;
use super::rule::Stage;
use super::stages::stage_count;
use crate::body::{Body, Effort, Integrator, IntegratorKind, Problem, State, StepFailure, timed};
use crate::contact::{Contacts, PairContactSettings};
use crate::linear::{CoupledConjugateGradient, CoupledSystem, LinearError};
use crate::math::parallel::dot;
use glam::DVec3;

/// Newton iterations of a stage in which bodies touch, for each one that a body alone has.
const ITERATIONS: usize = 4;

/// Iterations of a linear solve.
const LINEAR_ITERATIONS: usize = 2000;

/// Length of the last step of bodies that touch, by that of bodies that do not.
const ROUGH: f64 = 30.0;

/// Relative residual of the first linear solves.
const FIRST_FORCING: f64 = 0.1;

/// Change of normal forces from one iteration to the next with which friction asks for another.
const UNSETTLED: f64 = 0.005;

/// Iterations after which friction that chatters between sticking and sliding comes no nearer.
const PATIENT: usize = 10;

/// Energy that a step of two stages may create, by the energy that is in motion.
const CREATED: f64 = 0.01;

/// One body of an island.
pub(crate) struct Member<'a> {
    /// Its place in the world.
    pub(crate) body: usize,
    pub(crate) problem: Problem<'a>,
    pub(crate) mover: &'a mut Mover,
    pub(crate) candidate: &'a mut State,
}

/// What moves bodies together, with scratch memory.
pub(crate) struct Island {
    pub(super) contact: PairContact,
    solver: CoupledConjugateGradient,
    right_side: Vec<DVec3>,
    direction: Vec<DVec3>,
    /// Motion of the vertices, and the forces that couplings answer with.
    motion: Vec<DVec3>,
    forces: Vec<DVec3>,
}

/// The mover of a body, if that is what advances it.
pub(crate) fn mover_of(integrator: &mut dyn Integrator) -> Option<&mut Mover> {
    integrator.as_any()?.downcast_mut()
}

/// How an iteration ended.
struct Moved {
    /// Share of Newton's step that was taken.
    share: f64,
    /// How much the quadratic model promised, in joules.
    promised: f64,
}

impl Island {
    /// For the bodies of a world.
    pub(crate) fn new(settings: &PairContactSettings, bodies: &[Body]) -> Self {
        Self {
            contact: PairContact::new(settings, bodies),
            solver: CoupledConjugateGradient::default(),
            right_side: Vec::new(),
            direction: Vec::new(),
            motion: Vec::new(),
            forces: Vec::new(),
        }
    }

    /// Whether the bodies are as they were when it was made.
    pub(crate) fn fits(&self, bodies: &[Body]) -> bool {
        self.contact.fits(bodies)
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
        self.take_places(bodies);
        self.contact.stay();
        self.contact.energy()
    }

    /// Finds the candidates of all members for one step.
    pub(crate) fn advance(
        &mut self,
        members: &mut [Member],
        bodies: &[Body],
        nominal_step: f64,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        let kind = joint_kind(members);
        self.take_stiffness(members, nominal_step);
        self.attempt(members, bodies, kind, &mut effort)?;
        if kind == IntegratorKind::TwoStage && self.creates_energy(members, bodies) {
            effort.damped_steps += 1;
            self.attempt(members, bodies, IntegratorKind::Implicit, &mut effort)?;
        }
        self.contact.energy();
        let (candidates, touching, smallest) = self.contact.figures();
        effort.candidates = candidates;
        effort.active_pairs = touching;
        effort.contacts = Contacts {
            count: touching,
            smallest_distance: smallest,
        };
        for member in members.iter_mut() {
            let positions = &member.candidate.positions;
            let contact = &mut member.mover.contact;
            effort.contacts.count += contact.count();
            let distance = contact.smallest_distance(&member.problem, positions);
            let smallest = &mut effort.contacts.smallest_distance;
            *smallest = smallest.min(distance);
        }
        Ok(effort)
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
        for member in members.iter_mut() {
            let (problem, mover) = (&member.problem, &mut member.mover);
            let state = &problem.body.state;
            mover.evaluator.take_directions(problem, &state.positions);
            mover.take_damping(&state.positions);
            mover.take_state(state);
            let range = self.contact.range_of(member.body);
            self.contact.velocities[range].copy_from_slice(&state.velocities);
        }
        self.contact.linearise_start();
        self.hand_out_pushes(members);
        for index in 0..stage_count(kind) {
            let mut stage = None;
            for member in members.iter_mut() {
                stage = Some(member.mover.open_stage(&member.problem, kind, index));
            }
            let Some(stage) = stage else { return Ok(()) };
            let takes_mean = kind == IntegratorKind::TwoStage && index == 0;
            let result = self.run_stage(members, &stage, takes_mean, effort);
            self.hand_out_pushes(members);
            result?;
            balance(members, &stage);
            for member in members.iter_mut() {
                let problem = &member.problem;
                member.mover.close_stage(problem, kind, &stage, index);
            }
        }
        for member in members.iter_mut() {
            let problem = &member.problem;
            member.mover.finish(problem, member.candidate, kind);
        }
        Ok(())
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

    /// Stiffness of contact: that of the nodes at rest with the step of the world, so that it is the
    /// same whatever the length of an attempt.
    fn take_stiffness(&mut self, members: &mut [Member], nominal_step: f64) {
        for member in members.iter_mut() {
            if !self.contact.knows_stiffness(member.body) {
                let nodes = member.mover.node_inertia(&member.problem, nominal_step);
                self.contact.take_inertia(member.body, &nodes);
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
        let mut taken: Vec<[Vec<DVec3>; 2]> = Vec::with_capacity(members.len());
        for member in members.iter_mut() {
            let places = std::mem::take(&mut member.mover.places);
            let start = std::mem::take(&mut member.mover.start);
            taken.push([places, start]);
        }
        let result = self.minimise(members, stage, &mut taken, effort);
        for (member, [places, start]) in members.iter_mut().zip(taken) {
            member.mover.places = places;
            member.mover.start = start;
        }
        result
    }

    /// Copies the places of the members to those of contact.
    fn gather(&mut self, members: &[Member], taken: &[[Vec<DVec3>; 2]]) {
        for (member, [x, _]) in members.iter().zip(taken) {
            let range = self.contact.range_of(member.body);
            let nodes = range.len();
            self.contact.places[range].copy_from_slice(&x[..nodes]);
        }
    }

    /// Newton's method.
    fn minimise(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        taken: &mut [[Vec<DVec3>; 2]],
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let limits = members
            .iter()
            .map(|member| member.problem.body.description().newton_iterations);
        let iterations = ITERATIONS * limits.max().unwrap_or(1);
        let forcing = members.iter().map(|member| member.mover.goals.forcing);
        let forcing = forcing.fold(f64::INFINITY, f64::min);
        let (mut first, mut residual) = (0.0_f64, f64::INFINITY);
        let mut last_norm = f64::MIN_POSITIVE;
        let mut last_lengths: Vec<f64> = members
            .iter()
            .map(|member| 1e-4 * member.mover.close())
            .collect();
        for iteration in 0..iterations {
            for member in members.iter() {
                member.problem.check_stop()?;
            }
            let arrived = self.drive(members, stage, taken);
            self.gather(members, taken);
            let norm = self.linearise(members, stage, taken, iteration, effort)?;
            first = first.max(norm);
            residual = norm / first.max(f64::MIN_POSITIVE);
            if norm == 0.0 && arrived {
                return Ok(());
            }
            // As exact as the last iteration was good (Eisenstat and Walker).
            let progress = (norm / last_norm).powi(2).min(1.0);
            last_norm = norm;
            let wanted = (FIRST_FORCING * progress).max(forcing);
            let converged = self.solve(members, taken, wanted, effort)?;
            let Some(moved) = self.search(members, stage, taken) else {
                break;
            };
            effort.contact_rounds += 1;
            let chatters = self.has_friction(members) && iteration >= PATIENT;
            let patience = if self.contact.couplings.is_empty() && !chatters {
                1.0
            } else {
                ROUGH
            };
            let changing = self.contact.force_change() > UNSETTLED && iteration < 3 * PATIENT;
            if !changing
                && self.is_settled(
                    members,
                    stage,
                    taken,
                    &moved,
                    (patience, chatters),
                    &mut last_lengths,
                )
                && converged
                && arrived
            {
                // Forces at the end of the stage.
                self.gather(members, taken);
                self.contact.linearise(1.0);
                return Ok(());
            }
        }
        Err(StepFailure::NewtonDiverged {
            iterations,
            residual,
        })
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
        iteration: usize,
        effort: &mut Effort,
    ) -> Result<f64, StepFailure> {
        let clock = members[0].problem.clock;
        let contact = &mut self.contact;
        let share = match iteration {
            0 => 0.0,
            1..PATIENT => 0.7,
            _ => 0.4,
        };
        timed(clock, &mut effort.times.contact, || {
            contact.linearise(share)
        });
        let begin = clock.map(|clock| clock());
        for (member, [x, start]) in members.iter_mut().zip(taken) {
            let problem = &member.problem;
            let mover = &mut *member.mover;
            mover.begin_linearise(problem, stage, start, x, [iteration as f64, 0.0]);
            let range = self.contact.range_of(member.body);
            for (gradient, push) in mover.gradient.iter_mut().zip(&self.contact.gradient[range]) {
                *gradient += *push;
            }
        }
        let place_of = |node: u32| {
            let node = node as usize;
            let of = |member: &Member| self.contact.range_of(member.body).contains(&node);
            let member = members.iter().position(of)?;
            Some((
                member,
                node - self.contact.range_of(members[member].body).start,
            ))
        };
        let mut diagonal = Vec::new();
        for coupling in &self.contact.couplings {
            for k in 0..4 {
                let weight = coupling.weights[k];
                if weight != 0.0
                    && let Some(place) = place_of(coupling.nodes[k])
                {
                    diagonal.push((place, coupling.block * (weight * weight)));
                }
            }
        }
        for ((member, node), block) in diagonal {
            let matrix = &mut members[member].mover.matrix;
            let slot = matrix.diagonal_slot(node);
            matrix.add_at(slot, block);
        }
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
            let nodes = mover.moved.len();
            let matrix = mover.unknowns.reduce_matrix(x, &mut mover.matrix);
            mover.solver.set_tolerance(forcing);
            mover.solver.place(&x[..nodes]);
            mover.solver.hold(mover.contact.bounds.held());
            mover.solver.prepare(matrix)?;
        }
        self.direction.resize(self.right_side.len(), DVec3::ZERO);
        let count = self.contact.places.len();
        self.motion.resize(count, DVec3::ZERO);
        self.forces.resize(count, DVec3::ZERO);
        let mut system = Joint {
            members,
            contact: &self.contact,
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

    /// The potential of all at `x`, which stands in the places or the trial of contact.
    fn value<'a>(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        places: impl Iterator<Item = (&'a [DVec3], &'a [DVec3])>,
        at_trial: bool,
    ) -> (f64, f64) {
        let mut sum = self.contact.value(at_trial);
        let mut rounding = 8.0 * f64::EPSILON * sum.abs();
        for (member, (x, start)) in members.iter_mut().zip(places) {
            let (value, error) = member.mover.value(&member.problem, stage, start, x);
            sum += value;
            rounding += error;
        }
        (sum, rounding)
    }

    /// Goes along the directions as far as the potential falls and the way is free.
    fn search(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        taken: &mut [[Vec<DVec3>; 2]],
    ) -> Option<Moved> {
        let mut slope = 0.0;
        for member in members.iter() {
            slope += member.mover.slope();
        }
        if slope.is_nan() || slope >= 0.0 {
            return None;
        }
        let current = taken.iter().map(|[x, start]| (&x[..], &start[..]));
        let (before, rounding) = self.value(members, stage, current, false);
        let conservative = members.iter().all(|member| member.mover.conservative);
        let mut trials: Vec<Vec<DVec3>> = members
            .iter_mut()
            .map(|member| std::mem::take(&mut member.mover.trial))
            .collect();
        let mut factor = 1.0;
        let mut moved = None;
        for _ in 0..24 {
            for ((member, [x, start]), trial) in
                members.iter_mut().zip(taken.iter()).zip(&mut trials)
            {
                let mover = &mut *member.mover;
                mover.unknowns.advance(x, &mover.direction, factor, trial);
                let unknowns = &mover.unknowns;
                mover
                    .contact
                    .project(&member.problem, stage, unknowns, start, trial);
                let range = self.contact.range_of(member.body);
                let nodes = range.len();
                self.contact.trial[range].copy_from_slice(&trial[..nodes]);
            }
            self.contact.search();
            let free = self.contact.free_fraction();
            if free == 0.0 {
                break;
            }
            if free < 1.0 {
                for ((member, [x, _]), trial) in members.iter().zip(taken.iter()).zip(&mut trials) {
                    for (trial, x) in trial.iter_mut().zip(x) {
                        *trial = *x + free * (*trial - *x);
                    }
                    let range = self.contact.range_of(member.body);
                    let nodes = range.len();
                    self.contact.trial[range].copy_from_slice(&trial[..nodes]);
                }
            }
            let there = trials.iter().zip(taken.iter());
            let there = there.map(|(trial, [_, start])| (&trial[..], &start[..]));
            let (value, _) = self.value(members, stage, there, true);
            let share = factor * free;
            let drowns = -slope <= 1e2 * rounding && value.is_finite();
            if !conservative || drowns || value <= before + 1e-4 * share * slope + rounding {
                for (trial, [x, _]) in trials.iter().zip(taken.iter_mut()) {
                    x.copy_from_slice(trial);
                }
                moved = Some(Moved {
                    share,
                    promised: -share * slope,
                });
                break;
            }
            factor *= 0.5;
        }
        for (member, trial) in members.iter_mut().zip(trials) {
            member.mover.trial = trial;
        }
        moved
    }

    /// Whether friction acts anywhere.
    fn has_friction(&self, members: &[Member]) -> bool {
        self.contact.has_friction() || members.iter().any(|m| m.mover.contact.has_friction())
    }

    /// Whether what is left of every body's motion is small; `patience` times what else counts as
    /// small.
    fn is_settled(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        taken: &[[Vec<DVec3>; 2]],
        moved: &Moved,
        (patience, chatters): (f64, bool),
        last_lengths: &mut [f64],
    ) -> bool {
        let (mut scale, mut drift, mut promise) = (0.0, 0.0_f64, f64::INFINITY);
        let mut settled = moved.share == 1.0;
        let mut all_tiny = true;
        for ((member, [x, _]), last) in members.iter_mut().zip(taken).zip(last_lengths) {
            let mover = &mut *member.mover;
            let longest = mover.direction.iter().map(|d| d.length_squared());
            let length = moved.share * longest.fold(0.0, f64::max).sqrt();
            let close = mover.close();
            let factor = (length / *last).min(0.99);
            let left = if mover.goals.by_series {
                length * factor / (1.0 - factor)
            } else {
                length
            };
            *last = length;
            let tiny = length <= 1e-3 * close;
            all_tiny &= tiny;
            let changing = mover.contact.bounds.are_unsettled(mover.goals.friction) && !chatters;
            settled &= left <= patience * close && !changing;
            scale += mover.energy_scale(&member.problem, x);
            let masses = &member.problem.body.description().masses;
            let speed = mover.goals.drift * mover.spacing * stage.rate;
            drift += 0.5 * masses.iter().sum::<f64>() * speed * speed;
            promise = promise.min(mover.goals.promise);
        }
        promise *= patience;
        let small = moved.promised <= drift || moved.promised <= promise * scale;
        (settled && small) || all_tiny
    }

    /// Whether the candidates have more energy than the bodies had and external forces have given
    /// them.
    fn creates_energy(&mut self, members: &mut [Member], bodies: &[Body]) -> bool {
        let after = self.contact.energy();
        let ends = self.contact.places.clone();
        let mut created = after - self.energy(bodies);
        self.contact.places = ends;
        let (mut scale, mut size) = (after.abs(), after.abs());
        for member in members.iter_mut() {
            let (problem, mover) = (&member.problem, &mut member.mover);
            let state = &problem.body.state;
            let (time, end) = (problem.time, problem.time + problem.step);
            let before = mover.total_energy(problem, state, time);
            let after = mover.total_energy(problem, member.candidate, end);
            let work = mover
                .evaluator
                .driven_work(problem, state, member.candidate);
            let masses = &problem.body.description().masses;
            let kinetic = |state: &State| -> f64 {
                let nodes = masses.iter().zip(&state.velocities);
                nodes.map(|(m, v)| 0.5 * m * v.length_squared()).sum()
            };
            created += after - before - work;
            scale += kinetic(state) + kinetic(member.candidate) + work.abs();
            size += before.abs() + after.abs();
        }
        created > CREATED * scale + 1e-12 * size
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

/// The time rule of bodies that move together: theirs if they have the same, else backward Euler.
fn joint_kind(members: &[Member]) -> IntegratorKind {
    let kinds = || members.iter().map(|member| member.mover.kind);
    let together =
        |kind: &IntegratorKind| matches!(kind, IntegratorKind::TwoStage | IntegratorKind::Static);
    match kinds().next().filter(together) {
        Some(kind) if kinds().all(|other| other == kind) => kind,
        _ => IntegratorKind::Implicit,
    }
}

/// The linear system of an island.
struct Joint<'a, 'b> {
    members: &'a mut [Member<'b>],
    contact: &'a PairContact,
    motion: &'a mut [DVec3],
    forces: &'a mut [DVec3],
}

impl CoupledSystem for Joint<'_, '_> {
    fn multiply(&mut self, p: &[DVec3], q: &mut [DVec3]) {
        self.motion.fill(DVec3::ZERO);
        self.forces.fill(DVec3::ZERO);
        let mut first = 0;
        for member in self.members.iter() {
            let mover = &member.mover;
            let last = first + mover.direction.len();
            let matrix = mover.unknowns.pattern_of(&mover.matrix);
            matrix.multiply(&p[first..last], &mut q[first..last]);
            let range = self.contact.range_of(member.body);
            let motion = &mut self.motion[range];
            mover.unknowns.spread(&p[first..last], motion);
            for &(node, free) in mover.contact.bounds.held() {
                motion[node as usize] = free * motion[node as usize];
            }
            first = last;
        }
        for coupling in &self.contact.couplings {
            let nodes = coupling.nodes.map(|node| node as usize);
            let weights = coupling.weights;
            let sum: DVec3 = (0..4).map(|k| weights[k] * self.motion[nodes[k]]).sum();
            for k in 0..4 {
                // The block of a node with itself is part of its body's matrix.
                let others = sum - weights[k] * self.motion[nodes[k]];
                self.forces[nodes[k]] += weights[k] * (coupling.block * others);
            }
        }
        let mut first = 0;
        for member in self.members.iter() {
            let mover = &member.mover;
            let last = first + mover.direction.len();
            let range = self.contact.range_of(member.body);
            let forces = &mut self.forces[range];
            for &(node, free) in mover.contact.bounds.held() {
                forces[node as usize] = free * forces[node as usize];
            }
            mover.unknowns.collect(forces, &mut q[first..last]);
            first = last;
        }
    }

    fn precondition(&mut self, r: &[DVec3], z: &mut [DVec3]) -> Result<(), LinearError> {
        let mut first = 0;
        for member in self.members.iter_mut() {
            let Mover {
                unknowns,
                matrix,
                solver,
                direction,
                ..
            } = &mut *member.mover;
            let last = first + direction.len();
            let matrix = unknowns.pattern_of(matrix);
            solver.precondition(matrix, &r[first..last], &mut z[first..last])?;
            first = last;
        }
        Ok(())
    }
}
