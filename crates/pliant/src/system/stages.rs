//! The stages of a step: backward Euler, Newmark's rule, the midpoint rule, statics and the rule of two
//! stages, as `rule.rs` states them.

use super::driven_work::shares;
use super::losses::PairFriction;
use super::mover::Mover;
use super::rule::{ALPHA, GAMMA, Stage, two_stage_windows};
use crate::body::{Effort, IntegratorKind, Problem, StepFailure};
use crate::energy::DashpotStage;
use glam::{DMat3, DVec3};

/// Number of stages of a time rule.
pub(super) fn stage_count(kind: IntegratorKind) -> usize {
    if kind == IntegratorKind::TwoStage {
        2
    } else {
        1
    }
}

/// What other bodies do to the nodes of a body in a stage, in newton seconds.
pub(super) struct OfOthers<'a> {
    /// What contact has done too much, and what has stopped an approach (`pair_rebound.rs`).
    pub(super) impulses: [&'a [DVec3]; 2],
    pub(super) friction: PairFriction<'a>,
}

impl Mover {
    /// Advances by a time rule, alone.
    pub(super) fn advance_by(
        &mut self,
        problem: &Problem,
        kind: IntegratorKind,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        for index in 0..stage_count(kind) {
            let stage = self.open_stage(problem, kind, index);
            self.enter_stage(problem, kind, &stage, index);
            let mut x = std::mem::take(&mut self.places);
            let start = std::mem::take(&mut self.start);
            let result = self.minimise(problem, &stage, &start, &mut x, effort);
            self.hold_rotations(false);
            // Together with other bodies it is solved in `f64`.
            self.is_rough = false;
            self.places = x;
            self.start = start;
            result?;
            self.close_stage(problem, kind, &stage, index, None);
        }
        Ok(())
    }

    /// Begins a stage: leaves x̂ and v̂ in `self.base` and `self.base_velocities`.
    pub(super) fn open_stage(
        &mut self,
        problem: &Problem,
        kind: IntegratorKind,
        index: usize,
    ) -> Stage {
        let stage = stage_of(problem, kind, index);
        self.lead_dashpots(kind, &stage, index);
        if index == 0 {
            self.begin_work(kind, &stage);
            self.losses.begin();
            self.between.copy_from_slice(&self.start);
            self.approach.copy_from_slice(&self.start_velocities);
            self.base.copy_from_slice(&self.start);
            self.base_velocities.copy_from_slice(&self.start_velocities);
            let (time, half) = (problem.time, stage.length());
            let [first, ..] = two_stage_windows(time, problem.step);
            match kind {
                IntegratorKind::Newmark => {
                    self.add_average_acceleration(problem, [time, time + half], half);
                }
                IntegratorKind::TwoStage => self.add_average_acceleration(problem, first, half),
                _ => {}
            }
        }
        stage
    }

    /// Lets dashpots of the material resist the rate that its measures have by the rule of the stage. The trapezoid
    /// takes none where the step begins and twice as much at its end, which is their mean over the stage.
    fn lead_dashpots(&mut self, kind: IntegratorKind, stage: &Stage, index: usize) {
        if stage.rate == 0.0 || !self.is_changed {
            return;
        }
        let nodes = self.moved.len();
        let is_second = kind == IntegratorKind::TwoStage && index == 1;
        let weights = match is_second {
            true => [1.0 - ALPHA, ALPHA],
            false => [1.0, 0.0],
        };
        self.known.energy = None;
        for energy in &mut self.energies {
            energy.lead_dashpots(Some(DashpotStage {
                rate: stage.rate,
                weights,
                between: &self.between[..nodes],
            }));
        }
    }

    /// Energies are compared by the dashpots of the whole step.
    pub(super) fn end_dashpots(&mut self) {
        if self.is_changed {
            self.known.energy = None;
            for energy in &mut self.energies {
                energy.lead_dashpots(None);
            }
        }
    }

    /// Leaves the places to begin the search of a stage at in `self.places`.
    pub(super) fn enter_stage(
        &mut self,
        problem: &Problem,
        kind: IntegratorKind,
        stage: &Stage,
        index: usize,
    ) {
        self.lead_damping(problem, kind, stage);
        if index == 0 {
            self.fly_first(problem, stage);
        }
        let mut x = std::mem::take(&mut self.places);
        let start = std::mem::take(&mut self.start);
        self.predict(problem, stage, &start, &mut x);
        let nodes = self.moved.len();
        self.contact
            .begin(problem, &self.between[..nodes], stage.duration, index == 0);
        self.choose_start(problem, stage, &start, &mut x);
        self.places = x;
        self.start = start;
        self.prepare_metric(problem, stage);
    }

    /// Where inertia and loads lead.
    fn predict(&mut self, problem: &Problem, stage: &Stage, start: &[DVec3], x: &mut [DVec3]) {
        let description = problem.body.description();
        let nodes = self.moved.len();
        if stage.rate > 0.0 {
            let length = stage.length();
            for index in 0..x.len() {
                self.inertial[index] = self.base[index] + length * self.base_velocities[index];
            }
        }
        if stage.rate == 0.0 || self.is_linear {
            // One linear solve takes stiffness and forces where the step begins.
            x.copy_from_slice(start);
        } else {
            x.copy_from_slice(&self.inertial);
            self.load(problem, stage, x);
            self.lasting.fill(DVec3::ZERO);
            for node in 0..nodes {
                let mass = stage.inertia() * description.masses[node];
                let block = DMat3::from_diagonal(DVec3::splat(mass)) + self.loads.blocks[node];
                let shift = block.inverse() * self.loads.forces[node];
                self.lasting[node] = description.masses[node] * shift;
            }
            self.unknowns
                .accelerate(&description.masses, None, &mut self.lasting);
            for (place, shift) in x.iter_mut().zip(&self.lasting) {
                *place += *shift;
            }
        }
        for node in (0..nodes).filter(|&node| description.fixed[node]) {
            x[node] = start[node];
        }
        self.unknowns.follow_paths(stage.time, x);
    }

    /// Ends a stage whose places stand in `self.places`: finds its velocities, and what the next stage
    /// begins with. `others` is what other bodies do to the nodes.
    pub(super) fn close_stage(
        &mut self,
        problem: &Problem,
        kind: IntegratorKind,
        stage: &Stage,
        index: usize,
        others: Option<OfOthers>,
    ) {
        self.end_search(problem, stage);
        self.add_stage_work(problem, kind, stage, index);
        self.add_stage_damping(problem, stage, index, shares(kind, index));
        self.stopped.fill(DVec3::ZERO);
        if let Some(others) = &others
            && stage.mirror == 1.0
            && stage.rate > 0.0
        {
            self.take_impulses(problem, others.impulses);
        }
        if stage.mirror != 1.0 {
            for index in 0..self.places.len() {
                self.places[index] = 2.0 * self.places[index] - self.start[index];
                self.velocities[index] =
                    2.0 * self.velocities[index] - self.start_velocities[index];
            }
            self.unknowns
                .follow_paths(problem.time + problem.step, &mut self.places);
        }
        let approach = std::mem::take(&mut self.approach);
        self.end_velocities(problem, stage, &approach);
        self.approach = approach;
        let with_others = others.map(|others| others.friction);
        self.add_stage_friction(problem, stage, kind, index, with_others);
        self.contact.note_hits(problem, &self.start_velocities);
        if index + 1 == stage_count(kind) {
            self.land(problem);
            return;
        }
        let impulse_time = stage.impulse_share() * stage.length();
        for index in 0..self.places.len() {
            // An impulse is no change of velocity that goes on.
            let mut before = self.start_velocities[index] + self.stopped[index];
            if !self.contact.is_empty() {
                before += impulse_time * self.impulses[index];
            }
            self.base[index] = ALPHA * self.places[index] - (ALPHA - 1.0) * self.start[index];
            self.base_velocities[index] = ALPHA * self.velocities[index] - (ALPHA - 1.0) * before;
        }
        self.fly_second(problem, stage);
        self.between.copy_from_slice(&self.places);
        self.approach.copy_from_slice(&self.velocities);
    }

    /// Velocities and contact forces where the search of a stage has ended.
    fn end_search(&mut self, problem: &Problem, stage: &Stage) {
        let description = problem.body.description();
        let nodes = self.moved.len();
        let x = std::mem::take(&mut self.places);
        self.form_velocities(stage, &x);
        self.places = x;
        for node in (0..nodes).filter(|&node| description.fixed[node]) {
            self.velocities[node] = DVec3::ZERO;
        }
        self.balance(problem, stage);
        let (unknowns, contact) = (&self.unknowns, &mut self.contact);
        contact.evaluate(
            problem,
            stage,
            unknowns,
            &self.start[..nodes],
            &self.places[..nodes],
        );
        if self.contact.has_bounds() {
            let x = std::mem::take(&mut self.places);
            self.differentiate(problem, stage, &x);
            self.places = x;
            for (gradient, push) in self.gradient.iter_mut().zip(&self.push) {
                *gradient += *push;
            }
            self.contact.note_bounds(stage, &self.gradient);
        }
    }

    /// Takes the lowest of three places to begin the search at, where inertia leads astray since it is
    /// weak beside stiffness, or leads into obstacles. One is where inertia and loads lead, which stands
    /// in `x`, one where the velocities lead, as in a balance of forces, one where the stage began.
    fn choose_start(&mut self, problem: &Problem, stage: &Stage, start: &[DVec3], x: &mut [DVec3]) {
        self.has_guess = false;
        let unknowns = &self.unknowns;
        let pushed = self.contact.project(problem, stage, unknowns, start, x);
        let far = |(x, start): (&DVec3, &DVec3)| (*x - *start).length() > self.spacing;
        let astray = pushed || self.goals.is_rough() || x.iter().zip(start).any(far);
        if !self.conservative || !astray {
            // The one solve begins with the guess that velocities stay. Without an energy nothing stops what
            // long steps make of what is left of it: `long-bars` left the world at ten times its step.
            let (velocities, time) = (&self.base_velocities, stage.length());
            let is_near = |velocity: &DVec3| time * velocity.length() <= self.spacing;
            let leads = stage.rate > 0.0 && (self.conservative || velocities.iter().all(is_near));
            if self.is_linear && leads {
                self.unknowns
                    .guess_by(velocities, time, &mut self.direction);
                self.has_guess = true;
            }
            return;
        }
        let (mut lowest, _) = self.value(problem, stage, start, x);
        let fixed = &problem.body.description().fixed;
        let time = stage.duration / stage.mirror;
        let mut other = std::mem::take(&mut self.trial);
        for time in [time, 0.0] {
            for (index, place) in other.iter_mut().enumerate() {
                *place = self.between[index] + time * self.approach[index];
                if fixed.get(index).is_some_and(|&fixed| fixed) {
                    *place = start[index];
                }
            }
            self.unknowns.follow_paths(stage.time, &mut other);
            let unknowns = &self.unknowns;
            self.contact
                .project(problem, stage, unknowns, start, &mut other);
            let (value, _) = self.value(problem, stage, start, &other);
            if value < lowest || !lowest.is_finite() {
                lowest = value;
                x.copy_from_slice(&other);
                // To first order, velocities turn the body without stretching it: from where the
                // stage began they are a first guess for the way.
                self.has_guess = time == 0.0 && self.rough.is_some();
            }
        }
        self.trial = other;
        if self.has_guess {
            for (guess, velocity) in self.direction.iter_mut().zip(&self.approach) {
                *guess = time * *velocity;
            }
        }
    }

    /// Splits contact forces by what stops nodes that come with `velocities`; leaves accelerations in
    /// `self.impulses` and `self.lasting`.
    fn split_contact(&mut self, problem: &Problem, stage: &Stage, velocities: &[DVec3]) {
        let masses = &problem.body.description().masses;
        let unknowns = &self.unknowns;
        self.contact.split(
            stage,
            |node| unknowns.pushed_mass(node, masses),
            velocities,
            &mut self.impulses,
            &mut self.lasting,
        );
        unknowns.accelerate(masses, None, &mut self.impulses);
        unknowns.accelerate(masses, None, &mut self.lasting);
    }

    /// Velocities at the end of a step whose last stage is `stage`: impulses do not throw back.
    fn end_velocities(&mut self, problem: &Problem, stage: &Stage, approach: &[DVec3]) {
        if self.contact.is_empty() || stage.rate == 0.0 {
            return;
        }
        let share = stage.impulse_share();
        if share < 1.0 {
            self.split_contact(problem, stage, approach);
            let excess = (1.0 - share) * stage.mirror * stage.length();
            for (velocity, impulse) in self.velocities.iter_mut().zip(&self.impulses) {
                *velocity -= excess * *impulse;
            }
        }
    }

    /// x̂ and v̂ of the trapezoidal rule over a time, of which half counts for the beginning of the
    /// step.
    fn add_average_acceleration(&mut self, problem: &Problem, window: [f64; 2], half: f64) {
        let description = problem.body.description();
        let nodes = self.moved.len();
        // Forces at the beginning of the step, without inertia.
        let beginning = Stage {
            rate: 1.0 / half,
            time: problem.time,
            window,
            duration: half,
            mirror: 1.0,
        };
        let start = std::mem::take(&mut self.start);
        let moving = start.iter().zip(&self.start_velocities);
        for (base, (start, velocity)) in self.base.iter_mut().zip(moving) {
            *base = *start - half * *velocity;
        }
        self.inertial.copy_from_slice(&start);
        self.differentiate(problem, &beginning, &start);
        self.note_first_forces(problem, &beginning, &start);
        self.note_first_damping(problem);
        // A hard contact makes up for what it did not do at the beginning; a penalty is a force.
        self.contact.begin(problem, &start[..nodes], half, true);
        self.contact.add_penalties_at(
            problem,
            &self.unknowns,
            [&start[..nodes], &self.start_velocities],
            &mut self.gradient,
        );
        self.note_first_friction(half);
        for (gradient, push) in self.gradient.iter_mut().zip(&self.push) {
            *gradient += *push;
        }
        self.lasting.fill(DVec3::ZERO);
        for node in 0..nodes {
            self.lasting[node] = -self.gradient[node];
        }
        // What keeps a body rigid as a whole gives it no momentum, but for rounding.
        let places = self.freedom.is_none().then_some(&start[..]);
        self.unknowns
            .accelerate(&description.masses, places, &mut self.lasting);
        for (index, start) in start.iter().enumerate() {
            let velocity = self.start_velocities[index];
            self.base[index] = *start + half * velocity;
            self.base_velocities[index] = velocity + half * self.lasting[index];
        }
        self.start = start;
    }
}

/// The constants of a stage of a time rule.
fn stage_of(problem: &Problem, kind: IntegratorKind, index: usize) -> Stage {
    let (time, h) = (problem.time, problem.step);
    if kind == IntegratorKind::TwoStage {
        let [_, first, second] = two_stage_windows(time, h);
        let trapezoid = Stage {
            rate: 1.0 / (0.5 * GAMMA * h),
            time: time + GAMMA * h,
            window: first,
            duration: GAMMA * h,
            mirror: 1.0,
        };
        return match index {
            0 => trapezoid,
            _ => Stage {
                time: time + h,
                window: second,
                duration: (1.0 - GAMMA) * h,
                ..trapezoid
            },
        };
    }
    // What Newmark's rule takes at the beginning stands for the first half.
    let (rate, mirror, begin) = match kind {
        IntegratorKind::Static => (0.0, 1.0, time),
        IntegratorKind::Midpoint => (2.0 / h, 2.0, time),
        IntegratorKind::Newmark => (2.0 / h, 1.0, time + 0.5 * h),
        _ => (1.0 / h, 1.0, time),
    };
    Stage {
        rate,
        time: time + h / mirror,
        window: [begin, time + h],
        duration: h,
        mirror,
    }
}
