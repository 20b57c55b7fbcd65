//! One step of a hybrid body.
//!
//! ```text
//! x* = x + h v                                     free flight
//! e* = R*ᵀ (x* - c*) - r                           seen from a frame that flies along
//! A e' = D e* + R*ᵀ F                              the one linear system, three right-hand sides
//! Q  : the frame in which K e⁺ has no torque       see `settle.rs`
//! x⁺ = x* + R* (e' - e* + (Q - 1) p)
//! ```
//!
//! The last two lines are exact, not a linearisation: x⁺ and the frame R⁺ = R* Q together minimise
//! |x - x*|²_D / 2 + E(R⁺ᵀ (x - c) - r) - F·x. As K is the same for x, y and z it commutes with
//! rotations, so a turn of the frame by Q changes the solution by (Q - 1) p, which was solved for
//! in advance, and the best Q is that of a 3x3 matrix. A backward Euler step of a body that turns
//! and deforms by any amount takes one solve with a matrix that never changes.
//!
//! - *Semi-implicit*: h = dt, D = M / dt² + C / (2 dt), F = f - C v, v⁺ = v + (x⁺ - x*) / dt.
//! - *Midpoint*: h = dt / 2, D = M / h² + C / h, then x⁺ and v⁺ mirrored at the midpoint. It has no
//!   numerical damping, so the step must resolve the vibrations of the body: for a stiff one the
//!   semi-implicit step is the better choice.
//!
//! Momenta of a free body follow eq. 46a and 46b to rounding: after the solve the velocities get
//! the rigid motion that is missing (nothing, for the momentum, but for the errors of solver and
//! rounding; for the angular momentum what backward Euler loses, eq. 49). A stiff body follows
//! Euler's equations to second order: its frame is the rotation nearest to free flight, which turns
//! by dt ω + ½ dt² dω/dt of the free top.
//!
//! There is one exception. Where internal friction (here that of backward Euler) stills a vibration
//! that carries angular momentum, a body spins up instead; a straight curve has no inertia about
//! itself and cannot, so the momentum about its axis goes with the vibration.
//!
//! Where an inertial term is switched off, the frame moves by eq. 48-50 alone (Q = 1), the term is
//! taken out of the force on e, and the momenta are kept all the same: that is the uncoupled scheme
//! of the paper. A body with fixed nodes has no motion of its own for its frame to follow; there
//! the frame always follows the shape.
//!
//! Implements: \[Terzopoulos1988\] eq. 15-17 and 46-49.

mod cancelled;

use super::NO_MATERIAL;
use super::material::HybridMaterial;
use super::pieces::Pieces;
use super::response::Response;
use super::settle::{HybridStep, StartFrame};
use super::system::Factors;
use crate::body::{Body, BodyDescription, State};
use crate::body::{Effort, Integrator, IntegratorKind, MayGain, Problem, StepFailure, timed};
use crate::loads::LoadMoment;
use crate::rigid_motion::RigidMotion;
use cancelled::Cancelled;
use glam::{DQuat, DVec3};

impl HybridStep {
    /// External forces and damping at the predicted positions, in `loads`.
    fn evaluate_loads(&mut self, problem: &Problem, state: &State, step: f64) {
        let description = problem.body.description();
        let whole = LoadMoment::end_of(problem.time, problem.step);
        let moment = LoadMoment {
            time: problem.time + step,
            step,
            ..whole
        };
        self.evaluator.evaluate(
            problem,
            &self.predicted,
            &state.velocities,
            moment,
            &mut self.loads,
        );
        let nodes = description.dampings.iter().zip(&state.velocities);
        for (force, (damping, velocity)) in self.loads.forces.iter_mut().zip(nodes) {
            *force -= *damping * *velocity;
        }
    }

    /// Torque about a point of the loads on some nodes.
    fn torque(&self, centre: DVec3, nodes: &[u32]) -> DVec3 {
        let of_node = |&node: &u32| {
            let arm = self.predicted[node as usize] - centre;
            arm.cross(self.loads.forces[node as usize])
        };
        nodes.iter().map(of_node).sum()
    }
}

/// The integrator of hybrid bodies.
pub(super) struct HybridDynamics {
    pub(super) inner: HybridStep,
    midpoint: bool,
    /// The motion of each piece before the step.
    motions: Vec<RigidMotion>,
    /// The frame of each piece that flies along.
    pub(super) frames: Vec<StartFrame>,
    pulls: Vec<Pull>,
    /// Where inertial terms are switched off, those of each piece.
    cancelled: Vec<Cancelled>,
    /// The step last made, for the response to contact.
    pub(super) flight: Option<Flight>,
    pub(super) response: Response,
}

/// What a step starts with.
#[derive(Clone, Copy)]
pub(super) struct Flight {
    h: f64,
    damping: f64,
}

/// What the loads on a piece add up to.
#[derive(Clone, Copy, Default)]
struct Pull {
    force: DVec3,
    torque: DVec3,
    moved: DVec3,
}

impl HybridDynamics {
    pub(super) fn new(body: &Body, material: &HybridMaterial) -> Self {
        Self {
            inner: HybridStep::new(body, material),
            midpoint: body.description().integrator == IntegratorKind::Midpoint,
            motions: Vec::new(),
            frames: Vec::new(),
            pulls: Vec::new(),
            cancelled: Vec::new(),
            flight: None,
            response: Response::default(),
        }
    }

    /// x* and the frames that fly along, without the turn by torques.
    fn predict(&mut self, problem: &Problem, material: &HybridMaterial, state: &State, h: f64) {
        let description = problem.body.description();
        for (node, predicted) in self.inner.predicted.iter_mut().enumerate() {
            *predicted = state.positions[node];
            if !description.fixed[node] {
                *predicted += h * state.velocities[node];
            }
        }
        find_motions(description, material.pieces(), state, &mut self.motions);
        let terms = description.inertial_terms();
        self.frames.clear();
        for (piece, motion) in self.motions.iter().enumerate() {
            let first = material.pieces().nodes(piece)[0] as usize;
            let flown = DQuat::from_scaled_axis(h * motion.spin);
            self.frames.push(StartFrame {
                centre: motion.centre + h * motion.velocity,
                rotation: (flown * state.rotation_at(first)).normalize(),
                follows: terms.all() || self.inner.system.pieces[piece].is_held,
            });
        }
    }

    /// The candidate from the change that was solved for; its rotations stand there already.
    pub(super) fn finish(
        &mut self,
        problem: &Problem,
        material: &HybridMaterial,
        state: &State,
        candidate: &mut State,
        flight: &Flight,
    ) {
        let pieces = material.pieces();
        let mut pulls = std::mem::take(&mut self.pulls);
        pulls.clear();
        if pieces.is_whole() {
            let mut pull = Pull::default();
            let centre = self.frames[0].centre;
            self.update(
                problem,
                state,
                candidate,
                flight,
                |_, load, reached, moved| {
                    pull.force += load;
                    pull.torque += (reached - centre).cross(load);
                    pull.moved += moved;
                },
            );
            pulls.push(pull);
        } else {
            pulls.resize(self.frames.len(), Pull::default());
            let frames = &self.frames;
            self.update(
                problem,
                state,
                candidate,
                flight,
                |node, load, reached, moved| {
                    let piece = pieces.of_node(node);
                    if let (Some(pull), Some(frame)) = (pulls.get_mut(piece), frames.get(piece)) {
                        pull.force += load;
                        pull.torque += (reached - frame.centre).cross(load);
                        pull.moved += moved;
                    }
                },
            );
        }
        if self.midpoint {
            self.mirror(state, candidate);
        }
        for (piece, pull) in pulls.iter().enumerate() {
            if !self.inner.system.pieces[piece].is_held {
                self.keep_momenta(problem, pieces, piece, pull, candidate);
            }
        }
        self.pulls = pulls;
    }

    /// Positions and velocities where the solve ends. Of each node `sum` gets the external force,
    /// the position, and mass times change.
    fn update(
        &self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
        flight: &Flight,
        mut sum: impl FnMut(usize, DVec3, DVec3, DVec3),
    ) {
        let (h, damping) = (flight.h, flight.damping);
        let description = problem.body.description();
        let inner = &self.inner;
        let n = inner.change.len();
        let (predicted, held) = (&inner.predicted[..n], &inner.system.held[..n]);
        let (masses, dampings) = (&description.masses[..n], &description.dampings[..n]);
        let (loads, velocities) = (&inner.loads.forces[..n], &state.velocities[..n]);
        let (to, at) = (
            &mut candidate.positions[..n],
            &mut candidate.velocities[..n],
        );
        let rate = 1.0 / h;
        for (node, &change) in inner.change.iter().enumerate() {
            let reached = predicted[node] + change;
            let load = loads[node] - (damping * dampings[node] + held[node]) * change;
            sum(node, load, reached, masses[node] * change);
            to[node] = reached;
            at[node] = velocities[node] + rate * change;
        }
    }

    /// Goes on from the midpoint to the end of the step.
    fn mirror(&self, state: &State, candidate: &mut State) {
        let mirrored =
            |halfway: DQuat, start: DQuat| (halfway * start.inverse() * halfway).normalize();
        candidate.rotation = mirrored(candidate.rotation, state.rotation_at(0));
        for node in 0..state.positions.len() {
            let (x, v) = (state.positions[node], state.velocities[node]);
            candidate.positions[node] = 2.0 * candidate.positions[node] - x;
            candidate.velocities[node] = 2.0 * candidate.velocities[node] - v;
        }
        for (node, halfway) in candidate.piece_rotations.iter_mut().enumerate() {
            *halfway = mirrored(*halfway, state.rotation_at(node));
        }
    }

    /// Gives a free piece the momenta that eq. 46a and 46b ask for.
    fn keep_momenta(
        &self,
        problem: &Problem,
        pieces: &Pieces,
        piece: usize,
        pull: &Pull,
        candidate: &mut State,
    ) {
        let (step, masses) = (problem.step, &problem.body.description().masses);
        let before = &self.motions[piece];
        let moved = pull.moved / before.mass;
        let torque = pull.torque - moved.cross(pull.force);
        let after = if pieces.is_whole() {
            RigidMotion::of(masses, candidate)
        } else {
            RigidMotion::of_nodes(masses, candidate, pieces.nodes(piece))
        };
        let velocity = before.velocity + (step / before.mass) * pull.force - after.velocity;
        let mut missing = before.angular + step * torque - after.angular;
        if let Some(axis) = self.inner.system.pieces[piece].axis {
            let first = pieces.nodes(piece)[0] as usize;
            missing -= missing.project_onto_normalized(candidate.rotation_at(first) * axis);
        }
        let spin = after.turn_by(missing);
        let shift = velocity * if self.midpoint { 0.5 * step } else { step };
        let correct = |x: &mut DVec3, v: &mut DVec3| {
            *v += velocity + spin.cross(*x - after.centre);
            *x += shift;
        };
        let (positions, velocities) = (&mut candidate.positions, &mut candidate.velocities);
        if pieces.is_whole() {
            for (x, v) in positions.iter_mut().zip(velocities) {
                correct(x, v);
            }
        } else {
            for node in pieces.nodes(piece).iter().map(|&node| node as usize) {
                correct(&mut positions[node], &mut velocities[node]);
            }
        }
    }
}

/// The rigid motion of each piece.
fn find_motions(
    description: &BodyDescription,
    pieces: &Pieces,
    state: &State,
    motions: &mut Vec<RigidMotion>,
) {
    motions.clear();
    if pieces.is_whole() {
        motions.push(RigidMotion::of(&description.masses, state));
        return;
    }
    let of_piece = |piece| RigidMotion::of_nodes(&description.masses, state, pieces.nodes(piece));
    motions.extend((0..pieces.count()).map(of_piece));
}

impl Integrator for HybridDynamics {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let Some(material) = problem.body.hybrid() else {
            return Err(StepFailure::Formulation { what: NO_MATERIAL });
        };
        let mut effort = Effort::default();
        let description = problem.body.description();
        let (h, damping) = if self.midpoint {
            (0.5 * problem.step, 2.0 / problem.step)
        } else {
            (problem.step, 0.5 / problem.step)
        };
        timed(problem.clock, &mut effort.times.assembly, || {
            let system = &mut self.inner.system;
            system.take_material(description, material);
            self.predict(problem, material, state, h);
            self.inner.evaluate_loads(problem, state, h);
        });
        let cancelled = self.cancelled_terms(description, material.pieces(), h);
        let inner = &mut self.inner;
        timed(problem.clock, &mut effort.times.solve, || {
            let factors = Factors {
                mass: 1.0 / (h * h),
                damping,
                identity: 0.0,
            };
            let stiffness = &inner.loads.stiffness;
            inner
                .system
                .take_viscosity(description, material, state, problem.time, h);
            inner
                .system
                .prepare(description, material, factors, stiffness)
        })?;
        let report = timed(problem.clock, &mut effort.times.solve, || {
            let loads = std::mem::take(&mut inner.loads);
            let settled = inner.settle(problem, material, &self.frames, |node| {
                let terms = cancelled.get(material.pieces().of_node(node));
                terms.map_or(loads.forces[node], |terms| {
                    let (x, v) = (state.positions[node], state.velocities[node]);
                    loads.forces[node] + description.masses[node] * terms.at(x, v)
                })
            });
            inner.loads = loads;
            settled
        })?;
        effort.linear_iterations = report.iterations;
        effort.linear_residual = report.residual;
        effort.unconverged_solves = usize::from(!report.converged);
        effort.factorisations = report.factorisations;
        let flight = Flight { h, damping };
        inner.turn_frames(material, &self.frames, candidate);
        self.cancelled = cancelled;
        self.finish(problem, material, state, candidate, &flight);
        self.flight = Some(flight);
        Ok(effort)
    }

    fn dashpot_loss(&mut self, problem: &Problem, candidate: &State) -> f64 {
        let Some(material) = problem.body.hybrid() else {
            return 0.0;
        };
        let (description, state) = (problem.body.description(), &problem.body.state);
        let system = &mut self.inner.system;
        let loss = system.viscous_loss(description, material, [state, candidate]);
        // Half of a step has twice the resistance of a whole one.
        if self.midpoint { 0.5 * loss } else { loss }
    }

    fn respond(
        &mut self,
        problem: &Problem,
        state: &State,
        pushes: &[DVec3],
        candidate: &mut State,
        _effort: &mut Effort,
    ) -> Result<bool, StepFailure> {
        self.respond_to(problem, state, pushes, candidate)
    }

    fn responds(&self) -> bool {
        true
    }

    /// Where the deformation is large the frame turns with it, which the quadratic energy does not see.
    fn may_gain(&self) -> MayGain {
        MayGain::NearObstacles
    }

    fn reads_memory(&self) -> bool {
        true
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        self.inner.energy(body)
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        self.inner.add_gradient(body, gradient);
    }
}
