//! What a step must keep: the momenta of free bodies, and energy.

use super::mover::Mover;
use super::rule::{ALPHA, GAMMA, Stage};
use super::unknowns::Unknowns;
use crate::body::{Effort, Problem, State};
use crate::inner_motion::{calm, inner_energy};
use crate::math::outer;
use crate::rigid_motion::RigidMotion;
use glam::{DMat3, DVec3};

/// Energy that a step of two stages may create, by the energy that is in motion.
const CREATED: f64 = 0.01;

/// What a body at rest may gain or lose in a step, by all of its energy.
const TREMBLING: f64 = 1e-6;

/// A way in a step that is rounding, by the spacing.
const UNSEEN: f64 = 1e-10;

/// Sums over nodes that say what is left of the gradient in the six rigid motions, about the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RigidSums {
    mass: f64,
    /// Σ m x.
    moment: DVec3,
    force: DVec3,
    torque: DVec3,
    /// Σ m (|x|² - x xᵀ).
    inertia: DMat3,
}

/// A small rigid motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallMotion {
    centre: DVec3,
    shift: DVec3,
    turn: DVec3,
}

impl SmallMotion {
    pub(super) fn apply(&self, place: DVec3) -> DVec3 {
        place + self.shift + self.turn.cross(place - self.centre)
    }
}

impl RigidSums {
    /// Adds nodes at `places`; those beyond the masses are left out.
    pub(super) fn add(&mut self, masses: &[f64], places: &[DVec3], gradient: &[DVec3]) {
        for ((&mass, &x), &gradient) in masses.iter().zip(places).zip(gradient) {
            self.mass += mass;
            self.moment += mass * x;
            self.force -= gradient;
            self.torque -= x.cross(gradient);
            self.inertia += (DMat3::IDENTITY * x.length_squared() - outer(x, x)) * mass;
        }
    }

    /// The motion that takes what is left away, where the matrix is `1 / compliance` times the mass.
    pub(super) fn motion(&self, compliance: f64) -> SmallMotion {
        let centre = self.moment / self.mass;
        let torque = self.torque - centre.cross(self.force);
        let square = DMat3::IDENTITY * centre.length_squared() - outer(centre, centre);
        let mut inertia = self.inertia - square * self.mass;
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        // A straight curve has no inertia about itself.
        inertia += DMat3::IDENTITY * (1e-9 * trace).max(f64::MIN_POSITIVE);
        SmallMotion {
            centre,
            shift: compliance / self.mass * self.force,
            turn: compliance * (inertia.inverse() * torque),
        }
    }
}

/// What a candidate has gained, in joules.
#[derive(Clone, Copy, Debug)]
struct EnergyGain {
    gained: f64,
    /// What external forces and drivers have given it.
    work: f64,
    /// The energy in motion, and all before and after.
    scale: f64,
    total: f64,
    rounding: f64,
}

impl EnergyGain {
    /// Whether it is more than a share of the energy in motion.
    fn exceeds(&self, share: f64) -> bool {
        self.gained > share * self.scale + self.rounding
    }
}

impl Mover {
    /// Whether nothing holds the body and nothing touches it.
    pub(super) fn moves_freely(&self) -> bool {
        let touches =
            self.contact.count() > 0 || self.contact.has_bounds() || !self.push.is_empty();
        self.unknowns.is_free() && !touches
    }

    /// The last iteration, in the six rigid motions: what is left of the gradient of a free body has
    /// no net force and no torque, so that momenta follow from external forces alone, whatever the
    /// linear solver left.
    pub(super) fn balance(&mut self, problem: &Problem, stage: &Stage) {
        if stage.rate == 0.0 || !self.moves_freely() {
            return;
        }
        let mut x = std::mem::take(&mut self.places);
        // The midpoint rule keeps angular momentum as exactly as its stage is solved; what turning
        // changes of the torque by itself is left to a second round.
        let rounds = if stage.mirror == 1.0 { 1 } else { 2 };
        for _ in 0..rounds {
            self.differentiate(problem, stage, &x);
            let mut sums = RigidSums::default();
            sums.add(&problem.body.description().masses, &x, &self.gradient);
            let motion = sums.motion(1.0 / stage.inertia());
            for place in &mut x {
                *place = motion.apply(*place);
            }
        }
        self.form_velocities(stage, &x);
        self.places = x;
    }

    /// What a creation of energy is measured by: the kinetic energy of what moves by itself at both ends,
    /// and the work of forces.
    pub(super) fn energy_in_motion(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &State,
    ) -> f64 {
        let masses = &problem.body.description().masses;
        let mut sum = self.work_of_forces(problem, candidate).abs();
        for (node, mass) in masses.iter().enumerate() {
            if self.unknowns.moves(node) {
                let squares = [state, candidate].map(|s| s.velocities[node].length_squared());
                sum += 0.5 * mass * (squares[0] + squares[1]);
            }
        }
        sum
    }

    /// Work of forces without a potential and of what drives parts along paths, in joules.
    pub(super) fn work_of_drivers(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &State,
    ) -> f64 {
        self.work_of_forces(problem, candidate) + self.work_of_paths(problem, state, candidate)
    }

    /// Work of what drives parts along paths: what it takes to move them against elastic, damping and external
    /// forces and against contact, by the mean of the forces in the step, and to give them their speed.
    pub(super) fn work_of_paths(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &State,
    ) -> f64 {
        if !self.unknowns.has_paths() {
            return 0.0;
        }
        let description = problem.body.description();
        let nodes = description.masses.len();
        let driven =
            |unknowns: &Unknowns, node: usize| !unknowns.moves(node) && !description.fixed[node];
        let way = |node: usize| candidate.positions[node] - state.positions[node];
        let mut work = self.losses.driven;
        let mut gradient = std::mem::take(&mut self.gradient);
        for places in [&state.positions, &candidate.positions] {
            gradient.fill(DVec3::ZERO);
            for energy in &mut self.energies {
                energy.add_gradient(places, &mut gradient);
            }
            for node in (0..nodes).filter(|&node| driven(&self.unknowns, node)) {
                work += 0.5 * gradient[node].dot(way(node));
            }
        }
        self.gradient = gradient;
        // The impulse of contact and joints is that of the stages.
        let first = 0.5 * ALPHA * GAMMA;
        let shares = match self.middle_push.is_empty() {
            true => [0.0, 0.0, 1.0],
            false => [first, first, 0.5 * GAMMA],
        };
        let pushes = [&self.first_push, &self.middle_push, &self.push];
        for (push, share) in pushes.into_iter().zip(shares) {
            for node in (0..nodes).filter(|&node| driven(&self.unknowns, node)) {
                let push = push.get(node).copied().unwrap_or_default();
                work += share * push.dot(way(node));
            }
        }
        let mut mixed = std::mem::take(&mut self.trial);
        mixed[..nodes].copy_from_slice(&candidate.positions);
        for node in (0..nodes).filter(|&node| driven(&self.unknowns, node)) {
            mixed[node] = state.positions[node];
            let [before, after] = [state, candidate].map(|s| s.velocities[node].length_squared());
            work += 0.5 * description.masses[node] * (after - before);
        }
        let end = problem.time + problem.step;
        let potential = |places: &[DVec3]| {
            let velocities = &candidate.velocities;
            self.evaluator.potential(problem, places, velocities, end)
        };
        work += potential(&candidate.positions) - potential(&mixed[..nodes]);
        self.trial = mixed;
        work
    }

    /// Energy that a candidate has beyond what the state had and external forces have given it.
    fn energy_gain(
        &mut self,
        problem: &Problem,
        (state, candidate): (&State, &State),
    ) -> EnergyGain {
        let (time, end) = (problem.time, problem.time + problem.step);
        let before = self.total_energy(problem, state, time);
        let after = self.total_energy(problem, candidate, end);
        let work = self.work_of_drivers(problem, state, candidate);
        let scale = self.energy_in_motion(problem, state, candidate);
        EnergyGain {
            gained: after - before - work,
            work,
            scale,
            total: before.abs() + after.abs(),
            rounding: 1e-12 * (before.abs() + after.abs()) + self.energy_unseen(problem),
        }
    }

    /// The energy of a motion that is none, in joules.
    fn energy_unseen(&self, problem: &Problem) -> f64 {
        let mass: f64 = problem.body.description().masses.iter().sum();
        0.5 * mass * (UNSEEN * self.spacing / problem.step).powi(2)
    }

    /// Whether a candidate has more energy than the state had and external forces have given it; takes note of what
    /// it has gained where nothing drives the body.
    pub(super) fn creates_energy(
        &mut self,
        problem: &Problem,
        (state, candidate): (&State, &State),
        effort: &mut Effort,
    ) -> bool {
        let gain = self.energy_gain(problem, (state, candidate));
        let trembles = gain.gained.abs() <= TREMBLING * gain.total;
        let gained = if trembles { 0.0 } else { gain.gained };
        effort.gained = (gain.work == 0.0).then_some(gained);
        gain.exceeds(CREATED)
    }

    /// Takes the energy out of the motion of a candidate that is not rigid which a step has created where the
    /// gradient of an energy jumps: no step is so short that it sees the jump as it is, and what many steps create,
    /// each next to nothing, adds up.
    pub(super) fn take_energy_of_kinks(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) {
        let places = &candidate.positions;
        let mut energies = self.energies.iter_mut();
        if !candidate.controls.is_empty() || !energies.any(|energy| energy.has_kinks_near(places)) {
            return;
        }
        let gain = self.energy_gain(problem, (state, candidate));
        if !gain.exceeds(0.0) {
            return;
        }
        let description = problem.body.description();
        let inner = inner_energy(description, candidate);
        let kept = (1.0 - gain.gained / inner).max(0.0).sqrt();
        if inner > 0.0 && kept.is_finite() {
            calm(description, candidate, kept);
        }
    }

    /// Gives a free body the momenta that external forces alone give it, which ghost forces of
    /// stiffness warping would change. Positions follow: x⁺ x v⁺ = x x v⁺ for x⁺ = x + dt v⁺.
    ///
    /// Implements: \[Mueller2002\] sect. 3 (ghost forces on free floating objects).
    pub(super) fn restore_momenta(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) {
        let description = problem.body.description();
        let step = problem.step;
        let before = RigidMotion::of(&description.masses, state);
        let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for (node, &mass) in description.masses.iter().enumerate() {
            let drag = description.dampings[node] + self.mass_damping * mass;
            let force = self.loads.forces[node] - drag * candidate.velocities[node];
            let lost = mass * (state.velocities[node] - candidate.velocities[node]) + step * force;
            momentum += lost;
            angular += (state.positions[node] - before.centre).cross(lost);
        }
        let (shift, turn) = (momentum / before.mass, before.turn_by(angular));
        for (node, velocity) in candidate.velocities.iter_mut().enumerate() {
            let change = shift + turn.cross(state.positions[node] - before.centre);
            *velocity += change;
            candidate.positions[node] += step * change;
        }
    }
}
