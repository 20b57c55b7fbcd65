//! A step of a body that is a sum of its modes.
//!
//! ```text
//! x = c + R (r + Φ q)                     c: centre of mass, R: frame, r: rest shape, q: amplitudes
//! q¨ + (α + β ω²) q˙ + ω² q = Φᵀ (Rᵀ F + f_Ω)        each mode by itself, exactly (`oscillator.rs`)
//! f_Ω = -M (Ω x (Ω x s) + 2 Ω x Φ q˙ + Ω˙ x s),      s = r + Φ q
//! ```
//!
//! Modes are orthogonal to the motions of a rigid body, so that the frame is the rotation nearest to the
//! shape (Σ m (x - c) rᵀ = R times a symmetric matrix), and c, R and q are found from the positions at the
//! beginning of every step: nothing has to be remembered. What modes cannot show of positions and
//! velocities is left out. Momentum and angular momentum are kept to rounding; f_Ω is taken at the middle
//! of the step. Where nodes are fixed, c and R do not move.
//!
//! External forces are constant during a step, as they are at its middle. Contact, and springs that are too
//! hard for that, act as in backward Euler's rule: a force f moves a mode by h² Φᵀf / (1 + h (α + β ω²) +
//! h² ω²), and they are found together (`modal_yield.rs`, `points.rs`). So do forces of streams that would
//! stop a node within a step or two.
//!
//! Damping of single nodes counts by its share in each mode.
//!
//! Implements: \[Gibson1997\] sect. 6.1, with the frame of \[Terzopoulos1988\] eq. 11-19.

use super::ModalBasis;
use super::modal_yield::Yielding;
use super::oscillator::Propagator;
use super::touch::meet;
use crate::body::{
    Body, BodyDescription, Effort, Integrator, MayGain, Problem, State, StepFailure, timed,
};
use crate::force::Loads;
use crate::loads::{LoadEvaluator, LoadMoment};
use crate::math::{nearest_rotation, outer};
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;

/// h² times stiffness by mass from which a spring acts at the end of the step.
const HARD: f64 = 0.5;

/// A body as its modes describe it.
#[derive(Clone, Debug, Default)]
pub(super) struct Coordinates {
    pub(super) centre: DVec3,
    pub(super) velocity: DVec3,
    pub(super) frame: DMat3,
    /// Angular velocity, in the frame.
    pub(super) spin: DVec3,
    /// Angular momentum about the centre.
    pub(super) angular: DVec3,
    pub(super) amplitudes: Vec<f64>,
    pub(super) rates: Vec<f64>,
}

/// What a step of one length makes of the body.
#[derive(Clone, Debug, Default)]
pub(super) struct Lengths {
    pub(super) step: f64,
    modes: Vec<Propagator>,
    rigid: Propagator,
    /// How far a unit force on each mode moves it in a step of backward Euler.
    pub(super) yields: Vec<f64>,
}

/// The integrator of modal bodies; see the module.
pub(crate) struct ModalDynamics {
    pub(super) basis: Arc<ModalBasis>,
    pub(super) mass: f64,
    /// α + β ω² of each mode, with the damping of nodes, in 1/s.
    pub(super) dampings: Vec<f64>,
    /// The same of the motion as a whole.
    pub(super) drag: f64,
    pub(super) size: f64,
    pub(super) lengths: Lengths,
    pub(super) now: Coordinates,
    pub(super) next: Coordinates,
    evaluator: LoadEvaluator,
    pub(super) loads: Loads,
    pub(super) middle: Vec<DVec3>,
    pub(super) shape: Vec<DVec3>,
    pub(super) forces: Vec<f64>,
    /// What the motion as a whole does to each mode; empty for a body that is held.
    pub(super) inertial: Vec<f64>,
    /// Nodes whose springs act at the end of the step.
    pub(super) is_hard: Vec<bool>,
    /// What damping has taken in the step, in joules.
    damping_loss: f64,
}

impl ModalDynamics {
    pub(crate) fn new(body: &Body, basis: Arc<ModalBasis>) -> Self {
        let description = body.description();
        let count = body.node_count();
        let mass: f64 = description.masses.iter().sum();
        let [alpha, beta] = description.rayleigh;
        let mut dampings: Vec<f64> = basis.squares.iter().map(|s| alpha + beta * s).collect();
        for (node, damping) in description.dampings.iter().enumerate() {
            for (sum, shape) in dampings.iter_mut().zip(basis.shapes_at(node)) {
                *sum += damping * shape.length_squared();
            }
        }
        Self {
            mass,
            drag: alpha + description.dampings.iter().sum::<f64>() / mass,
            dampings,
            size: body.size(),
            lengths: Lengths::default(),
            now: Coordinates::default(),
            next: Coordinates::default(),
            evaluator: LoadEvaluator::new(body),
            loads: Loads::with_drags(count),
            middle: vec![DVec3::ZERO; count],
            shape: vec![DVec3::ZERO; count],
            forces: vec![0.0; basis.len()],
            inertial: Vec::new(),
            is_hard: vec![false; count],
            damping_loss: 0.0,
            basis,
        }
    }

    fn take_step(&mut self, step: f64) {
        if self.lengths.step == step {
            return;
        }
        let modes = || self.basis.squares.iter().zip(&self.dampings);
        self.lengths = Lengths {
            step,
            modes: modes()
                .map(|(s, d)| Propagator::new(*s, *d, step))
                .collect(),
            rigid: Propagator::new(0.0, self.drag, step),
            yields: modes()
                .map(|(s, d)| step * step / (1.0 + step * d + step * step * s))
                .collect(),
        };
    }

    /// Fills `now`, and the shape seen from the frame.
    fn read(&mut self, description: &BodyDescription, state: &State) {
        let (basis, now) = (&self.basis, &mut self.now);
        let (masses, x, v) = (&description.masses, &state.positions, &state.velocities);
        now.amplitudes.clear();
        now.amplitudes.resize(basis.len(), 0.0);
        now.rates.clear();
        now.rates.resize(basis.len(), 0.0);
        (now.centre, now.velocity, now.frame) = (DVec3::ZERO, DVec3::ZERO, DMat3::IDENTITY);
        (now.spin, now.angular) = (DVec3::ZERO, DVec3::ZERO);
        if basis.is_free {
            let nodes = || masses.iter().zip(x.iter().zip(v));
            now.centre = nodes().map(|(m, (x, _))| *m * *x).sum::<DVec3>() / self.mass;
            now.velocity = nodes().map(|(m, (_, v))| *m * *v).sum::<DVec3>() / self.mass;
            let (mut moments, mut extent) = (DMat3::ZERO, 0.0);
            for ((mass, x), arm) in masses.iter().zip(x).zip(&basis.arms) {
                moments += outer(*x - now.centre, *arm) * *mass;
                extent += mass * arm.length_squared();
            }
            now.frame = nearest_rotation(moments * (3.0 / extent));
        }
        let to_frame = now.frame.transpose();
        for (node, mass) in masses.iter().enumerate() {
            let moved = to_frame * (x[node] - now.centre) - basis.arms[node];
            basis.collect(node, *mass * moved, &mut now.amplitudes);
        }
        for (node, shape) in self.shape.iter_mut().enumerate() {
            *shape = basis.arms[node] + basis.displacement(node, &now.amplitudes);
        }
        if basis.is_free {
            let (mut turned, mut about_rest) = (DMat3::ZERO, DVec3::ZERO);
            for (node, mass) in masses.iter().enumerate() {
                let arm = basis.arms[node];
                turned += response(arm, self.shape[node]) * *mass;
                about_rest += *mass * arm.cross(to_frame * (v[node] - now.velocity));
            }
            now.spin = turned.inverse() * about_rest;
        }
        for (node, mass) in masses.iter().enumerate() {
            let moving = to_frame * (v[node] - now.velocity) - now.spin.cross(self.shape[node]);
            basis.collect(node, *mass * moving, &mut now.rates);
        }
        if basis.is_free {
            let (inertia, inner) = inertia(basis, masses, &self.shape, &now.rates);
            now.angular = now.frame * (inertia * now.spin + inner);
        }
    }

    /// External forces, in `loads`, and what they do to each mode, in `forces`; gives their sum and torque.
    fn evaluate(&mut self, problem: &Problem, state: &State) -> (DVec3, DVec3) {
        let half = 0.5 * problem.step;
        for (node, middle) in self.middle.iter_mut().enumerate() {
            *middle = state.positions[node] + half * state.velocities[node];
        }
        let step = problem.step;
        self.evaluator.evaluate(
            problem,
            &self.middle,
            &state.velocities,
            LoadMoment::end_of(problem.time, step),
            &mut self.loads,
        );
        self.forces.fill(0.0);
        let description = problem.body.description();
        let nodes = description.masses.iter().zip(&description.fixed);
        for (node, (mass, fixed)) in nodes.enumerate() {
            let stiffness = step * step * self.loads.stiffness[node];
            self.is_hard[node] = !fixed && stiffness > HARD * mass;
        }
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        let to_frame = self.now.frame.transpose();
        let centre = self.now.centre + half * self.now.velocity;
        for (node, load) in self.loads.forces.iter().enumerate() {
            if *load != DVec3::ZERO && !self.is_hard[node] {
                self.basis.collect(node, to_frame * *load, &mut self.forces);
                force += *load;
                torque += (self.middle[node] - centre).cross(*load);
            }
        }
        (force, torque)
    }

    /// Fills `next` with where everything goes without contact and hard springs.
    fn fly(&mut self, masses: &[f64], force: DVec3, torque: DVec3) {
        let lengths = &self.lengths;
        let (drift, velocity) = lengths.rigid.drift(self.now.velocity, force / self.mass);
        let (_, angular) = lengths.rigid.drift(self.now.angular, torque);
        let (now, next) = (&self.now, &mut self.next);
        next.clone_from(now);
        let forces = &self.forces;
        let advance = |inertial: &[f64], next: &mut Coordinates| {
            for (mode, propagator) in lengths.modes.iter().enumerate() {
                let force = forces[mode] + inertial.get(mode).copied().unwrap_or(0.0);
                let (q, rate) = propagator.advance(now.amplitudes[mode], now.rates[mode], force);
                (next.amplitudes[mode], next.rates[mode]) = (q, rate);
            }
        };
        advance(&[], next);
        if !self.basis.is_free {
            return;
        }
        next.centre = now.centre + drift;
        (next.velocity, next.angular) = (velocity, angular);
        let half = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect()
        };
        let mut spin = now.spin;
        for _ in 0..2 {
            let amplitudes = half(&now.amplitudes, &next.amplitudes);
            let rates = half(&now.rates, &next.rates);
            for (node, shape) in self.shape.iter_mut().enumerate() {
                *shape = self.basis.arms[node] + self.basis.displacement(node, &amplitudes);
            }
            let (inertia, inner) = inertia(&self.basis, masses, &self.shape, &rates);
            let frame = now.frame * turn(0.5 * lengths.step * spin);
            let middle = frame.transpose() * (0.5 * (now.angular + angular));
            spin = inertia.inverse() * (middle - inner);
            let momentum = inertia * spin;
            let torque = frame.transpose() * torque;
            let gain = inertia.inverse() * (torque - spin.cross(momentum));
            let mut inertial = vec![0.0; self.basis.len()];
            for (node, mass) in masses.iter().enumerate() {
                let place = self.shape[node];
                let moving = self.basis.displacement(node, &rates);
                let felt =
                    spin.cross(spin.cross(place)) + 2.0 * spin.cross(moving) + gain.cross(place);
                self.basis.collect(node, -*mass * felt, &mut inertial);
            }
            advance(&inertial, next);
            self.inertial.clone_from(&inertial);
        }
        next.frame = now.frame * turn(lengths.step * spin);
    }

    /// Writes what `next` says to a state.
    pub(super) fn write(&mut self, description: &BodyDescription, candidate: &mut State) {
        let (basis, next) = (&self.basis, &mut self.next);
        for (node, shape) in self.shape.iter_mut().enumerate() {
            *shape = basis.arms[node] + basis.displacement(node, &next.amplitudes);
        }
        if basis.is_free {
            let (inertia, inner) = inertia(basis, &description.masses, &self.shape, &next.rates);
            next.spin = inertia.inverse() * (next.frame.transpose() * next.angular - inner);
        }
        for (node, shape) in self.shape.iter().enumerate() {
            candidate.positions[node] = next.centre + next.frame * *shape;
            let moving = next.spin.cross(*shape) + basis.displacement(node, &next.rates);
            candidate.velocities[node] = next.velocity + next.frame * moving;
        }
        candidate.rotation = DQuat::from_mat3(&next.frame).normalize();
    }
}

impl Integrator for ModalDynamics {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        let description = problem.body.description();
        candidate.copy_from(state);
        self.take_step(problem.step);
        timed(problem.clock, &mut effort.times.assembly, || {
            self.read(description, state);
        });
        let clock = problem.clock;
        let (force, torque) = timed(clock, &mut effort.times.assembly, || {
            self.evaluate(problem, state)
        });
        timed(clock, &mut effort.times.solve, || {
            self.fly(&description.masses, force, torque);
            self.write(description, candidate);
            self.damping_loss = self.flight_loss(force);
        });
        problem.check_stop()?;
        let size = self.size;
        let met = timed(clock, &mut effort.times.contact, || {
            let mut body = Yielding::new(self, description);
            let springs = body.hard_springs(state, candidate);
            let mut met = meet(problem, state, candidate, &mut body, springs, size);
            if !met.pressing.is_empty() {
                let loss = Yielding::new(self, description).stop(&met.pressing, state, candidate);
                met.contacts.friction_loss += loss;
            }
            met
        });
        effort.contacts = met.contacts;
        effort.linear_iterations = met.rounds;
        Ok(effort)
    }

    fn solves_contact(&self) -> bool {
        true
    }

    fn damping_loss(&self, _problem: &Problem, _candidate: &State) -> f64 {
        self.damping_loss
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        self.read(body.description(), &body.state);
        let modes = self.basis.squares.iter().zip(&self.now.amplitudes);
        modes.map(|(square, q)| 0.5 * square * q * q).sum()
    }

    /// g = M Φ ω² q, seen from the frame; and what the frame adds that turns with the shape. By its
    /// condition Σ m r x s = 0, with s = Rᵀ (x - c), it turns by A⁻¹ Σ m r x Rᵀdx where
    /// A = Σ m ((r·s) 1 - s rᵀ): the gradient is g - M (A⁻ᵀ Σ s x g) x r.
    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        let masses = &body.description().masses;
        self.read(body.description(), &body.state);
        let (basis, now) = (&self.basis, &self.now);
        let modes = basis.squares.iter().zip(&now.amplitudes);
        let pulled: Vec<f64> = modes.map(|(square, q)| square * q).collect();
        let pulls = masses.iter().enumerate();
        let pulls: Vec<DVec3> = pulls
            .map(|(node, mass)| *mass * basis.displacement(node, &pulled))
            .collect();
        let mut turning = DVec3::ZERO;
        if basis.is_free {
            let (mut turned, mut torque) = (DMat3::ZERO, DVec3::ZERO);
            for (node, (mass, pull)) in masses.iter().zip(&pulls).enumerate() {
                let place = now.frame.transpose() * (body.state.positions[node] - now.centre);
                turned += response(basis.arms[node], place) * *mass;
                torque += place.cross(*pull);
            }
            turning = turned.transpose().inverse() * torque;
        }
        for (node, gradient) in gradient.iter_mut().enumerate() {
            let lever = masses[node] * turning.cross(basis.arms[node]);
            *gradient += now.frame * (pulls[node] - lever);
        }
    }

    /// Modes move exactly and contact only takes energy.
    fn may_gain(&self) -> MayGain {
        MayGain::Never
    }
}

/// What takes the place of a body whose modes could not be found: every step fails and says why.
pub(crate) struct NoDynamics(pub(crate) &'static str);

impl Integrator for NoDynamics {
    fn advance(
        &mut self,
        _problem: &Problem,
        _state: &State,
        _candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        Err(StepFailure::Formulation { what: self.0 })
    }

    fn elastic_energy(&mut self, _body: &Body) -> f64 {
        0.0
    }

    fn add_elastic_gradient(&mut self, _body: &Body, _gradient: &mut [DVec3]) {}
}

/// The inertia tensor of a shape about the origin, and the angular momentum of modes that move, in its
/// frame.
pub(super) fn inertia(
    basis: &ModalBasis,
    masses: &[f64],
    shape: &[DVec3],
    rates: &[f64],
) -> (DMat3, DVec3) {
    let (mut tensor, mut inner) = (DMat3::ZERO, DVec3::ZERO);
    for (node, (mass, place)) in masses.iter().zip(shape).enumerate() {
        let square = DMat3::from_diagonal(DVec3::splat(place.length_squared()));
        tensor += (square - outer(*place, *place)) * *mass;
        inner += *mass * place.cross(basis.displacement(node, rates));
    }
    (tensor, inner)
}

/// How r x s changes as s turns: r x (θ x s) = ((r·s) 1 - s rᵀ) θ.
fn response(r: DVec3, s: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(r.dot(s))) - outer(s, r)
}

/// The rotation by a vector.
pub(super) fn turn(by: DVec3) -> DMat3 {
    DMat3::from_quat(DQuat::from_scaled_axis(by))
}
