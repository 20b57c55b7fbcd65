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

use super::material::HybridMaterial;
use super::response::Response;
use super::settle::{Frame, HybridStep};
use super::system::Factors;
use crate::body::{Body, State};
use crate::integrate::{Effort, Integrator, IntegratorKind, Problem, StepFailure, timed};
use crate::rigid_motion::RigidMotion;
use glam::{DQuat, DVec3};

/// Largest turn by angular acceleration in one step, in radians: beyond it a step resolves nothing.
const LARGEST_TURN: f64 = 0.5;

/// The inertial forces that are switched off, as forces that cancel them.
#[derive(Clone, Copy)]
struct Cancelled {
    motion: RigidMotion,
    acceleration: DVec3,
    centrifugal: f64,
    coriolis: f64,
    transverse: f64,
}

impl Cancelled {
    /// Force on a unit of mass.
    fn at(&self, position: DVec3, velocity: DVec3) -> DVec3 {
        let spin = self.motion.spin;
        let arm = position - self.motion.centre;
        let own = velocity - self.motion.velocity_at(position);
        self.centrifugal * spin.cross(spin.cross(arm))
            + self.coriolis * 2.0 * spin.cross(own)
            + self.transverse * self.acceleration.cross(arm)
    }
}

impl HybridStep {
    /// External forces and damping at the predicted positions, in `loads`.
    fn evaluate_loads(&mut self, problem: &Problem, state: &State, time: f64, step: f64) {
        let description = problem.body.description();
        self.evaluator.evaluate(
            problem,
            &self.predicted,
            &state.velocities,
            time,
            step,
            &mut self.loads,
        );
        let nodes = description.dampings.iter().zip(&state.velocities);
        for (force, (damping, velocity)) in self.loads.forces.iter_mut().zip(nodes) {
            *force -= *damping * *velocity;
        }
    }

    /// Net force and torque about a point of the loads.
    fn net_load(&self, centre: DVec3) -> (DVec3, DVec3) {
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for (f, x) in self.loads.forces.iter().zip(&self.predicted) {
            force += *f;
            torque += (*x - centre).cross(*f);
        }
        (force, torque)
    }
}

/// The integrator of hybrid bodies.
pub(super) struct HybridDynamics {
    pub(super) own: HybridStep,
    midpoint: bool,
    /// The step last made, for the response to contact.
    pub(super) flight: Option<Flight>,
    pub(super) response: Response,
}

/// What a step starts with.
#[derive(Clone, Copy)]
pub(super) struct Flight {
    motion: RigidMotion,
    pub(super) frame: Frame,
    h: f64,
    damping: f64,
}

impl HybridDynamics {
    pub(super) fn new(body: &Body, material: &HybridMaterial) -> Self {
        Self {
            own: HybridStep::new(body, material),
            midpoint: body.description().integrator == IntegratorKind::Midpoint,
            flight: None,
            response: Response::default(),
        }
    }

    /// x* and the frame that flies along, without the turn by torques.
    fn predict(&mut self, problem: &Problem, state: &State, motion: &RigidMotion, h: f64) -> Frame {
        let centre = motion.centre + h * motion.velocity;
        let fixed = &problem.body.description().fixed;
        for (node, predicted) in self.own.predicted.iter_mut().enumerate() {
            *predicted = state.positions[node];
            if !fixed[node] {
                *predicted += h * state.velocities[node];
            }
        }
        let flown = DQuat::from_scaled_axis(h * motion.spin);
        let terms = problem.body.description().hybrid.inertial_terms;
        Frame {
            centre,
            rotation: (flown * state.rotation).normalize(),
            follows: terms.all() || self.own.has_fixed_nodes,
        }
    }

    /// The candidate from the change that was solved for; its rotation stands there already.
    pub(super) fn finish(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
        flight: &Flight,
    ) {
        let pull = self.update(problem, state, candidate, flight);
        if self.midpoint {
            self.mirror(state, candidate);
        }
        if !self.own.has_fixed_nodes {
            self.keep_momenta(problem, &flight.motion, pull, candidate);
        }
    }

    /// Positions and velocities where the solve ends. Returns the sum of the external forces and that
    /// of their torques about the centre of mass there.
    fn update(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
        flight: &Flight,
    ) -> [DVec3; 2] {
        let (centre, mass) = (flight.frame.centre, flight.motion.mass);
        let (h, damping) = (flight.h, flight.damping);
        let description = problem.body.description();
        let own = &self.own;
        let n = own.change.len();
        let (predicted, held) = (&own.predicted[..n], &own.system.held[..n]);
        let (masses, dampings) = (&description.masses[..n], &description.dampings[..n]);
        let (loads, velocities) = (&own.loads.forces[..n], &state.velocities[..n]);
        let (to, at) = (
            &mut candidate.positions[..n],
            &mut candidate.velocities[..n],
        );
        let rate = 1.0 / h;
        let (mut force, mut torque, mut moved) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (node, &change) in own.change.iter().enumerate() {
            let reached = predicted[node] + change;
            let load = loads[node] - (damping * dampings[node] + held[node]) * change;
            force += load;
            torque += (reached - centre).cross(load);
            moved += masses[node] * change;
            to[node] = reached;
            at[node] = velocities[node] + rate * change;
        }
        let moved = moved / mass;
        [force, torque - moved.cross(force)]
    }

    /// Goes on from the midpoint to the end of the step.
    fn mirror(&self, state: &State, candidate: &mut State) {
        let halfway = candidate.rotation;
        candidate.rotation = (halfway * state.rotation.inverse() * halfway).normalize();
        for node in 0..state.positions.len() {
            let (x, v) = (state.positions[node], state.velocities[node]);
            candidate.positions[node] = 2.0 * candidate.positions[node] - x;
            candidate.velocities[node] = 2.0 * candidate.velocities[node] - v;
        }
    }

    /// Gives a free body the momenta that eq. 46a and 46b ask for.
    fn keep_momenta(
        &self,
        problem: &Problem,
        before: &RigidMotion,
        [force, torque]: [DVec3; 2],
        candidate: &mut State,
    ) {
        let step = problem.step;
        let after = RigidMotion::of(&problem.body.description().masses, candidate);
        let velocity = before.velocity + (step / before.mass) * force - after.velocity;
        let mut missing = before.angular + step * torque - after.angular;
        if let Some(axis) = self.own.system.axis {
            missing -= missing.project_onto_normalized(candidate.rotation * axis);
        }
        let spin = after.turn_by(missing);
        let shift = velocity * if self.midpoint { 0.5 * step } else { step };
        let nodes = candidate
            .positions
            .iter_mut()
            .zip(&mut candidate.velocities);
        for (x, v) in nodes {
            *v += velocity + spin.cross(*x - after.centre);
            *x += shift;
        }
    }
}

impl Integrator for HybridDynamics {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let Some(material) = &problem.body.hybrid else {
            return Err(StepFailure::NotHybrid);
        };
        let mut effort = Effort::default();
        let description = problem.body.description();
        let (h, damping) = if self.midpoint {
            (0.5 * problem.step, 2.0 / problem.step)
        } else {
            (problem.step, 0.5 / problem.step)
        };
        let motion = RigidMotion::of(&description.masses, state);
        let terms = description.hybrid.inertial_terms;
        let (frame, cancelled) = timed(problem.clock, &mut effort.times.assembly, || {
            let mut frame = self.predict(problem, state, &motion, h);
            let own = &mut self.own;
            own.evaluate_loads(problem, state, problem.time + h, h);
            let left_out = |kept: bool| if kept { 0.0 } else { 1.0 };
            let cancelled = (!terms.all()).then(|| {
                let (_, torque) = own.net_load(frame.centre);
                let turning = motion.turn_by(torque);
                let tumbling = motion.turn_by(motion.angular.cross(motion.spin));
                if !frame.follows {
                    let angle = (turning + 0.5 * tumbling) * (h * h);
                    let more = DQuat::from_scaled_axis(angle.clamp_length_max(LARGEST_TURN));
                    frame.rotation = (more * frame.rotation).normalize();
                }
                Cancelled {
                    motion,
                    acceleration: turning + tumbling,
                    centrifugal: left_out(terms.centrifugal),
                    coriolis: left_out(terms.coriolis),
                    transverse: left_out(terms.transverse),
                }
            });
            (frame, cancelled)
        });
        let own = &mut self.own;
        timed(problem.clock, &mut effort.times.solve, || {
            let factors = Factors {
                mass: 1.0 / (h * h),
                damping,
                identity: 0.0,
            };
            let stiffness = &own.loads.stiffness;
            own.system
                .take_viscosity(description, material, state, problem.time, h);
            own.system
                .prepare(description, material, factors, stiffness)
        })?;
        let (report, rotation) = timed(problem.clock, &mut effort.times.solve, || {
            let loads = std::mem::take(&mut own.loads);
            let settled = own.settle(problem, material, &frame, |node| match &cancelled {
                None => loads.forces[node],
                Some(terms) => {
                    let (x, v) = (state.positions[node], state.velocities[node]);
                    loads.forces[node] + description.masses[node] * terms.at(x, v)
                }
            });
            own.loads = loads;
            settled
        })?;
        effort.linear_iterations = report.iterations;
        effort.linear_residual = report.residual;
        effort.factorisations = report.factorisations;
        let flight = Flight {
            motion,
            frame,
            h,
            damping,
        };
        candidate.rotation = rotation.normalize();
        self.finish(problem, state, candidate, &flight);
        self.flight = Some(flight);
        Ok(effort)
    }

    fn respond(
        &mut self,
        problem: &Problem,
        state: &State,
        pushes: &[DVec3],
        candidate: &mut State,
    ) -> Result<bool, StepFailure> {
        self.respond_to(problem, state, pushes, candidate)
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        self.own.energy(body)
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        self.own.add_gradient(body, gradient);
    }
}
