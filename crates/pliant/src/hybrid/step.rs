//! One step of a hybrid body.
//!
//! ```text
//! x* = x + h v                                     free flight
//! e* = R*ᵀ (x* - c*) - r                           seen from a frame that flies along
//! A e' = D e* + R*ᵀ F                              the one linear system, three right-hand sides
//! Q  : the rotation nearest to B = B0 + Σ e' sᵀ    the frame in which K e⁺ has no torque
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
//! Implements: \[Terzopoulos1988\] eq. 15-17 and 46-52.

use super::material::HybridMaterial;
use super::rotation::{nearest_rotation, rotation_minus_identity};
use super::system::{Factors, HybridSystem, components, components_mut, get, outer, put};
use crate::body::{Body, State};
use crate::force::Loads;
use crate::integrate::{Effort, Integrator, IntegratorKind, Problem, StepFailure, timed};
use crate::linear::SolveReport;
use crate::loads::LoadEvaluator;
use crate::rigid_motion::RigidMotion;
use glam::{DMat3, DQuat, DVec3};

/// Largest turn by angular acceleration in one step, in radians: beyond it a step resolves nothing.
const LARGEST_TURN: f64 = 0.5;

pub(super) struct HybridStep {
    pub(super) system: HybridSystem,
    pub(super) evaluator: LoadEvaluator,
    pub(super) loads: Loads,
    /// x*.
    pub(super) predicted: Vec<DVec3>,
    /// x⁺ - x*.
    pub(super) change: Vec<DVec3>,
    /// e*, component by component.
    start: Vec<f64>,
    has_fixed_nodes: bool,
}

/// Where the solve starts from.
pub(super) struct Frame {
    /// c*.
    pub(super) centre: DVec3,
    /// R*.
    pub(super) rotation: DQuat,
    /// Whether the frame follows the shape.
    pub(super) follows: bool,
}

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
    pub(super) fn new(body: &Body, material: &HybridMaterial) -> Self {
        let description = body.description();
        let n = body.node_count();
        Self {
            system: HybridSystem::new(description, material),
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(n, false),
            predicted: vec![DVec3::ZERO; n],
            change: vec![DVec3::ZERO; n],
            start: vec![0.0; 3 * n],
            has_fixed_nodes: description.fixed.contains(&true),
        }
    }

    /// Solves for the change from the predicted positions under forces in the world. Returns the
    /// frame's rotation after it.
    pub(super) fn settle(
        &mut self,
        problem: &Problem,
        material: &HybridMaterial,
        frame: &Frame,
        force: impl Fn(usize) -> DVec3,
    ) -> Result<(SolveReport, DQuat), StepFailure> {
        let fixed = &problem.body.description().fixed;
        let world_from_body = DMat3::from_quat(frame.rotation);
        self.fill(
            material.reference(),
            frame.centre,
            &world_from_body.transpose(),
            force,
        );
        if self.has_fixed_nodes {
            self.fill_for_change(fixed);
        }
        let report = self.system.solve()?;
        let system = &mut self.system;
        if self.has_fixed_nodes {
            for (e, start) in system.unknown.iter_mut().zip(&self.start) {
                *e += start;
            }
        }
        let turn = if frame.follows {
            let zeroth = &material.weights().zeroth;
            self.turn_of_frame(zeroth)
        } else {
            DQuat::IDENTITY
        };
        self.find_change(&world_from_body, turn, &material.weights().zeroth);
        Ok((report, frame.rotation * turn))
    }

    /// e*, as the first guess too, and D e* + Rᵀ F.
    fn fill(
        &mut self,
        reference: &[DVec3],
        centre: DVec3,
        body_from_world: &DMat3,
        force: impl Fn(usize) -> DVec3,
    ) {
        let n = self.predicted.len();
        let system = &mut self.system;
        let (predicted, reference) = (&self.predicted[..n], &reference[..n]);
        let diagonal = &system.diagonal[..n];
        let start = components_mut(&mut self.start).map(|c| &mut c[..n]);
        let b = components_mut(&mut system.right_hand_side).map(|c| &mut c[..n]);
        for node in 0..n {
            let e = *body_from_world * (predicted[node] - centre) - reference[node];
            let rhs = *body_from_world * force(node) + diagonal[node] * e;
            (start[0][node], start[1][node], start[2][node]) = (e.x, e.y, e.z);
            (b[0][node], b[1][node], b[2][node]) = (rhs.x, rhs.y, rhs.z);
        }
        system.unknown.copy_from_slice(&self.start);
    }

    /// Turns the system into one for e' - e*, which is zero where nodes are fixed: the right-hand
    /// side is Rᵀ F - K e*.
    fn fill_for_change(&mut self, fixed: &[bool]) {
        let system = &mut self.system;
        system.stiffness.multiply(&self.start, &mut system.unknown);
        for (node, &fixed) in fixed.iter().enumerate() {
            let resistance = get(&system.unknown, node);
            let inertia = system.diagonal[node] * get(&self.start, node);
            let net = get(&system.right_hand_side, node) - inertia - resistance;
            let net = if fixed { DVec3::ZERO } else { net };
            put(&mut system.right_hand_side, node, net);
        }
        system.unknown.fill(0.0);
    }

    /// Q.
    fn turn_of_frame(&self, zeroth: &[f64]) -> DQuat {
        let system = &self.system;
        let [x, y, z] = components(&system.unknown);
        let mut columns = [DVec3::ZERO; 3];
        for (((moment, x), y), z) in system.moments.iter().zip(x).zip(y).zip(z) {
            let e = DVec3::new(*x, *y, *z);
            columns[0] += e * moment.x;
            columns[1] += e * moment.y;
            columns[2] += e * moment.z;
        }
        let mut b = system.base + DMat3::from_cols(columns[0], columns[1], columns[2]);
        if let Some(shift) = &system.shift {
            let sum = weighted_sum(zeroth, &system.unknown);
            b -= outer(sum, shift.arm) * (1.0 / shift.total);
        }
        nearest_rotation(&b, DQuat::IDENTITY)
    }

    /// x⁺ - x*.
    fn find_change(&mut self, world_from_body: &DMat3, turn: DQuat, zeroth: &[f64]) {
        let system = &self.system;
        let turn = rotation_minus_identity(turn);
        let own = *world_from_body * turn;
        let n = self.change.len();
        let (change, answer) = (&mut self.change[..n], &system.answer[..n]);
        let e = components(&system.unknown).map(|c| &c[..n]);
        let start = components(&self.start).map(|c| &c[..n]);
        for node in 0..n {
            let moved = DVec3::new(
                e[0][node] - start[0][node],
                e[1][node] - start[1][node],
                e[2][node] - start[2][node],
            );
            change[node] = *world_from_body * moved + own * answer[node];
        }
        if let Some(shift) = &system.shift {
            let sum = weighted_sum(zeroth, &system.unknown) - turn * shift.arm;
            let moved = *world_from_body * (sum / shift.total);
            for (change, z) in self.change.iter_mut().zip(&shift.answer) {
                *change += *z * moved;
            }
        }
    }

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

/// Σ w e of a flat field.
fn weighted_sum(weights: &[f64], flat: &[f64]) -> DVec3 {
    let terms = weights.iter().enumerate();
    terms.map(|(node, w)| *w * get(flat, node)).sum()
}

/// The integrator of hybrid bodies.
pub(super) struct HybridDynamics {
    own: HybridStep,
    midpoint: bool,
}

impl HybridDynamics {
    pub(super) fn new(body: &Body, material: &HybridMaterial) -> Self {
        Self {
            own: HybridStep::new(body, material),
            midpoint: body.description().integrator == IntegratorKind::Midpoint,
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

    /// Positions and velocities where the solve ends. Returns the sum of the external forces and that
    /// of their torques about the centre of mass there.
    fn update(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
        (centre, mass): (DVec3, f64),
        (h, damping): (f64, f64),
    ) -> [DVec3; 2] {
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
        let pull = self.update(
            problem,
            state,
            candidate,
            (frame.centre, motion.mass),
            (h, damping),
        );
        candidate.rotation = rotation.normalize();
        if self.midpoint {
            self.mirror(state, candidate);
        }
        if !self.own.has_fixed_nodes {
            self.keep_momenta(problem, &motion, pull, candidate);
        }
        Ok(effort)
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        self.own.energy(body)
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        self.own.add_gradient(body, gradient);
    }
}
