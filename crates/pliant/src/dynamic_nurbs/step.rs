//! A step of dynamic NURBS; see the module above.

use super::constraint::Constraint;
use super::samples::{Sampled, Samples};
use super::squares::Squares;
use crate::body::{Body, Effort, Integrator, IntegratorKind, MayGain, Problem, State, StepFailure};
use crate::energy::Energy;
use crate::force::Loads;
use crate::linear::DenseCholesky;
use crate::loads::{LoadEvaluator, LoadMoment};
use crate::snake::SnakeEnergy;
use glam::DVec3;

/// Iterations of one round at most.
const MOST_ITERATIONS: usize = 60;

/// Rounds of the augmented Lagrangian at most.
const MOST_ROUNDS: usize = 12;

/// How far a constraint may be missed, by the size of the body.
const CONSTRAINT_TOLERANCE: f64 = 1e-7;

/// How far a sample may still move in the last iteration, by the size of the body.
const MOTION_TOLERANCE: f64 = 1e-6;

/// How much stiffer constraints are than the stiffest sample.
const CONSTRAINT_STIFFNESS: f64 = 300.0;

/// How strongly a step holds weights back, by the stiffness of control points.
const WEIGHT_STIFFNESS: f64 = 1e-2;

/// Iterations of a step in which weights move with the control points.
const WEIGHT_ITERATIONS: usize = 4;

/// The integrator of dynamic NURBS.
pub(crate) struct NurbsStep {
    samples: Samples,
    moving_weights: bool,
    energy: SnakeEnergy,
    constraints: Vec<Constraint>,
    multipliers: Vec<f64>,
    /// Stiffness of constraints, in newtons per metre.
    penalty: f64,
    /// Without and with weights among the unknowns.
    systems: [(Squares, DenseCholesky); 2],
    evaluator: LoadEvaluator,
    loads: Loads,
    size: f64,
    /// How far a constraint may be missed, in metres.
    tolerance: f64,
    /// Of the forces that hold constraints, in the last step, in joules.
    constraint_work: f64,
}

/// What a step starts from.
struct Start<'a> {
    problem: &'a Problem<'a>,
    state: &'a State,
    weights: Vec<f64>,
    is_static: bool,
    moment: LoadMoment,
}

impl NurbsStep {
    pub(crate) fn new(
        body: &Body,
        samples: Samples,
        moving_weights: bool,
        constraints: Vec<Constraint>,
    ) -> Self {
        let description = body.description();
        let control_count = samples.control_count();
        // What fixed samples depend on: other weights would take them along the curve.
        let mut held = vec![false; control_count];
        for constraint in constraints.iter().filter(|each| each.functional.len() == 1) {
            let support = samples.support(constraint.functional[0].0);
            support.iter().for_each(|&(j, _)| held[j] = true);
        }
        let system = |moving: bool| {
            let squares = Squares::new(control_count, moving, &held);
            let factor = DenseCholesky::new(squares.size());
            (squares, factor)
        };
        Self {
            systems: [system(false), system(moving_weights)],
            moving_weights,
            energy: SnakeEnergy::new(
                description.material_grid(),
                &description.rest_positions,
                description.material_weights(),
            ),
            multipliers: vec![0.0; constraints.len()],
            constraints,
            penalty: 0.0,
            samples,
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(body.node_count(), true),
            size: body.size(),
            tolerance: CONSTRAINT_TOLERANCE * body.size(),
            constraint_work: 0.0,
        }
    }

    /// The same with constraints that may be missed by so many metres.
    pub(crate) fn with_tolerance(self, tolerance: f64) -> Self {
        let tolerance = tolerance.max(self.tolerance);
        Self { tolerance, ..self }
    }

    /// When forces act in a step.
    fn moment(problem: &Problem) -> LoadMoment {
        let is_static = problem.body.description().scheme() == IntegratorKind::Static;
        let end = problem.time + problem.step;
        LoadMoment {
            time: end,
            window: [problem.time, end],
            step: if is_static { 0.0 } else { problem.step },
        }
    }

    /// Inertia and damping of a node: stiffness towards a target, and the target.
    fn inertia(start: &Start, node: usize) -> (f64, DVec3) {
        if start.is_static {
            return (0.0, DVec3::ZERO);
        }
        let (description, step) = (start.problem.body.description(), start.problem.step);
        let inertia = description.masses[node] / (step * step);
        let damping = description.dampings[node] / step;
        let (x, v) = (start.state.positions[node], start.state.velocities[node]);
        let stiffness = inertia + damping;
        if stiffness == 0.0 {
            return (0.0, x);
        }
        (stiffness, x + v * (step * inertia / stiffness))
    }

    fn velocities(start: &Start, positions: &[DVec3]) -> Vec<DVec3> {
        if start.is_static {
            return vec![DVec3::ZERO; positions.len()];
        }
        let moves = positions.iter().zip(&start.state.positions);
        moves
            .map(|(now, before)| (*now - *before) / start.problem.step)
            .collect()
    }

    /// Φ, with constraints and what holds weights back.
    fn potential(&mut self, start: &Start, at: &Sampled) -> f64 {
        let x = &at.positions;
        let velocities = Self::velocities(start, x);
        let mut sum = self.energy.energy(x);
        sum += self
            .evaluator
            .incremental_potential(start.problem, x, &velocities, start.moment);
        for (node, place) in x.iter().enumerate() {
            let (stiffness, target) = Self::inertia(start, node);
            sum += 0.5 * stiffness * place.distance_squared(target);
        }
        for (constraint, multiplier) in self.constraints.iter().zip(&self.multipliers) {
            let missed = constraint.missed(x);
            sum += (multiplier + 0.5 * self.penalty * missed) * missed;
        }
        sum + self.weight_stiffness() * self.weight_changes(start, at)
    }

    /// ½ Σ (ln w - ln w⁰)².
    fn weight_changes(&self, start: &Start, at: &Sampled) -> f64 {
        let pairs = at.weights.iter().zip(&start.weights);
        pairs
            .map(|(now, before)| 0.5 * (now / before).ln().powi(2))
            .sum()
    }

    /// In joules.
    fn weight_stiffness(&self) -> f64 {
        if !self.moving_weights {
            return 0.0;
        }
        let spacing = self.size / (self.samples.control_count() as f64).sqrt();
        WEIGHT_STIFFNESS * self.penalty / CONSTRAINT_STIFFNESS * spacing * spacing
    }

    /// Fills gradient and matrix, with or without weights among the unknowns.
    fn assemble(&mut self, start: &Start, at: &Sampled, with_weights: bool) {
        let x = &at.positions;
        let velocities = Self::velocities(start, x);
        let (evaluator, loads) = (&mut self.evaluator, &mut self.loads);
        evaluator.evaluate_with_directions(start.problem, x, &velocities, start.moment, loads);
        let squares = &mut self.systems[usize::from(with_weights)].0;
        let asks_for_stiffness = squares.clear(at);
        for (node, place) in x.iter().enumerate() {
            let (stiffness, target) = Self::inertia(start, node);
            let slope = stiffness * (*place - target) - self.loads.forces[node];
            squares.pull([(node, 1.0)].into_iter(), slope);
            if asks_for_stiffness && stiffness > 0.0 {
                squares.stiffen(at, [(node, 1.0)].into_iter(), stiffness);
            }
        }
        for term in self.energy.squares() {
            squares.pull(term.parts(), term.weight() * term.value(x));
            if asks_for_stiffness {
                squares.stiffen(at, term.parts(), term.weight());
            }
        }
        squares.finish(at);
        for (node, block) in self.loads.blocks.iter().enumerate() {
            squares.add_block(at, node, *block);
        }
        if self.penalty == 0.0 {
            // What holds constraints and weights is chosen by how stiff all else is.
            self.penalty = CONSTRAINT_STIFFNESS * squares.mean_diagonal().max(1e-12);
        }
        for (constraint, multiplier) in self.constraints.iter().zip(&self.multipliers) {
            let slope = multiplier + self.penalty * constraint.missed(x);
            squares.add(at, &constraint.functional, slope, self.penalty);
        }
        let count = self.samples.control_count();
        // Nothing is left without a hold, so that the matrix has a factor.
        let least = 1e-12 * self.penalty;
        for unknown in 0..3 * count {
            squares.add_alone(unknown, 0.0, least);
        }
        if with_weights {
            self.hold_weights(start, at);
        }
    }

    fn hold_weights(&mut self, start: &Start, at: &Sampled) {
        let hold = self.weight_stiffness();
        let first = 3 * self.samples.control_count();
        for (j, (now, before)) in at.weights.iter().zip(&start.weights).enumerate() {
            let slope = hold * (now / before).ln();
            self.systems[1].0.add_alone(first + j, slope, hold);
        }
    }

    /// Control points and weights after a share of a change.
    fn moved(&self, from: &Sampled, change: &[f64], share: f64) -> Sampled {
        let mut moved = from.clone();
        for (j, control) in moved.controls.iter_mut().enumerate() {
            *control += share * DVec3::from_slice(&change[3 * j..3 * j + 3]);
        }
        let logarithms = &change[3 * moved.controls.len()..];
        if !logarithms.is_empty() {
            for (weight, change) in moved.weights.iter_mut().zip(logarithms) {
                *weight *= (share * change).clamp(-1.0, 1.0).exp();
            }
        }
        self.samples.sample(&mut moved);
        moved
    }

    /// One iteration: how far the samples have moved at most, or nothing if Φ does not fall.
    fn iterate(
        &mut self,
        start: &Start,
        at: &mut Sampled,
        with_weights: bool,
        effort: &mut Effort,
    ) -> Result<Option<f64>, StepFailure> {
        start.problem.check_stop()?;
        self.assemble(start, at, with_weights);
        let (squares, factor) = &mut self.systems[usize::from(with_weights)];
        let change = squares.solve(factor);
        let change = change.map_err(|_| StepFailure::Formulation {
            what: "nothing holds the control points: the matrix is not positive definite",
        })?;
        effort.newton_iterations += 1;
        effort.factorisations += 1;
        let pairs = change.iter().zip(&squares.gradient);
        let promised: f64 = -pairs.map(|(change, slope)| change * slope).sum::<f64>();
        let before = self.potential(start, at);
        let rounding = 1e-13 * before.abs();
        let mut share = 1.0;
        while share > 1e-6 {
            let next = self.moved(at, &change, share);
            let moves = next.positions.iter().zip(&at.positions);
            let longest = moves.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            // Where the whole change is as good as none, so is its gain, and rounding may hide it.
            let is_last = share == 1.0 && longest <= MOTION_TOLERANCE * self.size;
            let after = self.potential(start, &next);
            if is_last || after <= before - 1e-4 * share * promised + rounding {
                *at = next;
                return Ok(Some(longest));
            }
            share *= 0.5;
        }
        Ok(None)
    }

    /// Minimises Φ over the control points, with multipliers and weights as they are.
    fn minimise(
        &mut self,
        start: &Start,
        at: &mut Sampled,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let limit = MOTION_TOLERANCE * self.size;
        for _ in 0..MOST_ITERATIONS {
            match self.iterate(start, at, false, effort)? {
                Some(longest) if longest > limit => {}
                Some(_) => return Ok(()),
                None => break,
            }
        }
        Err(StepFailure::NewtonDiverged {
            iterations: effort.newton_iterations,
            residual: f64::NAN,
        })
    }

    /// Lets weights follow, a few iterations in each step: Φ falls, but hardly changes with some of them, so
    /// that its minimum is no goal.
    fn move_weights(
        &mut self,
        start: &Start,
        at: &mut Sampled,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let limit = MOTION_TOLERANCE * self.size;
        for _ in 0..WEIGHT_ITERATIONS {
            match self.iterate(start, at, true, effort)? {
                Some(longest) if longest > limit => {}
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Takes the forces of constraints over; says by how much the worst is missed.
    fn correct(&mut self, at: &Sampled) -> f64 {
        let mut worst = 0.0_f64;
        for (constraint, multiplier) in self.constraints.iter().zip(&mut self.multipliers) {
            let missed = constraint.missed(&at.positions);
            *multiplier += self.penalty * missed;
            worst = worst.max(missed.abs());
        }
        worst
    }
}

impl Integrator for NurbsStep {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        candidate.copy_from(state);
        let count = self.samples.control_count();
        let (controls, weights) = state.controls.split_at(count);
        let weights: Vec<f64> = weights.iter().map(|weight| weight.x).collect();
        let description = problem.body.description();
        let moment = Self::moment(problem);
        let start = Start {
            problem,
            state,
            weights: weights.clone(),
            is_static: moment.step == 0.0,
            moment,
        };
        let mut at = Sampled {
            controls: controls.to_vec(),
            weights,
            ..Sampled::default()
        };
        self.samples.sample(&mut at);
        self.evaluator.take_directions(problem, &state.positions);
        self.multipliers.fill(0.0);
        self.penalty = 0.0;
        for (squares, _) in &mut self.systems {
            squares.forget();
        }
        for round in 0.. {
            self.minimise(&start, &mut at, &mut effort)?;
            if round == 0 && self.moving_weights {
                self.move_weights(&start, &mut at, &mut effort)?;
                self.minimise(&start, &mut at, &mut effort)?;
            }
            if self.correct(&at) <= self.tolerance {
                break;
            }
            if round == MOST_ROUNDS {
                return Err(StepFailure::Formulation {
                    what: "constraints that control points cannot keep together",
                });
            }
        }
        // Forces that hold constraints pull -λ a all the step long.
        let moves = self.constraints.iter().zip(&self.multipliers);
        let moves = moves.map(|(constraint, multiplier)| {
            multiplier * (constraint.missed(&state.positions) - constraint.missed(&at.positions))
        });
        self.constraint_work = moves.sum();
        let places = at.controls.iter().copied();
        let logs = at.weights.iter().map(|&weight| DVec3::X * weight);
        candidate.controls.clear();
        candidate.controls.extend(places.chain(logs));
        candidate.velocities = Self::velocities(&start, &at.positions);
        candidate.positions = at.positions;
        for node in (0..description.fixed.len()).filter(|&node| description.fixed[node]) {
            candidate.positions[node] = state.positions[node];
            candidate.velocities[node] = DVec3::ZERO;
        }
        Ok(effort)
    }

    fn solves_contact(&self) -> bool {
        true
    }

    fn damping_loss(&self, problem: &Problem, candidate: &State) -> f64 {
        crate::body::damping_by_ways(problem, candidate)
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        self.energy.energy(&body.state.positions)
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        self.energy.add_gradient(&body.state.positions, gradient);
    }

    fn may_gain(&self) -> MayGain {
        MayGain::Never
    }

    fn path_work(&mut self, _problem: &Problem, _state: &State, _candidate: &State) -> f64 {
        self.constraint_work
    }

    fn driven_work(&mut self, problem: &Problem, candidate: &State) -> Option<f64> {
        let (states, moment) = ([&problem.body.state, candidate], Self::moment(problem));
        Some(
            self.evaluator
                .work_seen_at(problem, states, moment, &mut self.loads),
        )
    }
}
