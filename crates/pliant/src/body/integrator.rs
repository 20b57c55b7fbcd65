//! What moves a body: the contract of an integrator.
//!
//! All of them share one form. With the predictor x* = x + dt v, a step finds x⁺ near x* and the
//! new velocity v⁺ = v + (x⁺ - x*) / dt; they differ in where the forces are evaluated.

use super::{Body, Past, State};
use crate::contact::{Contacts, MovedNodes, resolve_contacts};
use crate::linear::LinearError;
use crate::obstacle::Obstacle;
use crate::report::StageTimes;
use glam::DVec3;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

crate::choice! {
    /// Which integrator.
    pub enum IntegratorKind {
        /// `TwoStage`; `Implicit` for bodies whose processes depend on the rate of deformation;
        /// `SemiImplicit` for forces that have no energy.
        Automatic,
        /// Two implicit stages per step by Newton's method: of second order; damps only what the step
        /// cannot resolve.
        TwoStage,
        /// One linear solve per step: the published scheme on grids, with a scalar matrix.
        SemiImplicit,
        /// No solve; steps are divided to stay stable.
        Explicit,
        /// Backward Euler by Newton's method: of first order; damps all motion.
        Implicit,
        /// The implicit midpoint rule by Newton's method: keeps angular momentum; damps nothing
        /// that is linear. Stiff bodies whose steps have created a hundredth of the most energy that was in
        /// motion are damped by a step of `TwoStage`.
        Midpoint,
        /// Newmark's rule with the average acceleration: of second order; damps nothing
        /// that is linear. Stiff bodies whose steps have created a hundredth of the most energy that was in
        /// motion are damped by a step of backward Euler.
        Newmark,
        /// No motion: the shape in which all forces balance at each moment.
        Static,
    }
}

impl IntegratorKind {
    /// The rule by which bodies that touch each other move together: theirs if it is the same and can
    /// move several bodies, else backward Euler.
    pub fn of_several(mut kinds: impl Iterator<Item = Self>) -> Self {
        match kinds.next() {
            Some(kind @ (Self::TwoStage | Self::Static)) if kinds.all(|other| other == kind) => {
                kind
            }
            _ => Self::Implicit,
        }
    }

    /// Whether the rule keeps the energy of linear vibrations and may gain some by others.
    pub fn damps_nothing(self) -> bool {
        matches!(self, Self::Midpoint | Self::Newmark)
    }

    /// Whether steps may gain a little energy each, of which account is kept.
    pub fn may_drift(self) -> bool {
        self.damps_nothing() || self == Self::TwoStage
    }
}

/// What an integrator is given: a body that does not change and the length of the step.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The body.
    pub body: &'a Body,
    /// All obstacles of the world.
    pub obstacles: &'a [Obstacle],
    /// Those of them that the body meets with its nodes.
    pub meets: &'a [usize],
    /// The least coefficient of friction with any of them.
    pub least_friction: f64,
    /// Time at the beginning of the step, in seconds.
    pub time: f64,
    /// Length of the step, in seconds.
    pub step: f64,
    /// Whether shorter steps have not helped against energy out of nothing: rules that damp nothing give
    /// way to backward Euler.
    pub damped: bool,
    /// Whether many steps have created some energy out of nothing: rules that damp nothing give way to the rule of two
    /// stages, and this one to backward Euler.
    pub drifts: bool,
    /// Seconds since some moment, to measure the stages; `None` measures nothing.
    pub clock: Option<fn() -> f64>,
    /// Somebody sets it to stop the step ([`crate::Workspace::stop`]).
    pub stop: Option<&'a AtomicBool>,
}

impl Problem<'_> {
    /// The coefficient of friction between the body and an obstacle: the largest that anybody gives.
    pub(crate) fn friction_with(&self, obstacle: &Obstacle) -> f64 {
        let of_body = self.body.description().contact.friction;
        of_body.max(obstacle.friction).max(self.least_friction)
    }

    /// An error if somebody wants the step to stop. Whatever may take long asks from time to time.
    pub fn check_stop(&self) -> Result<(), StepFailure> {
        match self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(StepFailure::Stopped),
            _ => Ok(()),
        }
    }

    /// Moves nodes out of the obstacles that the body collides with and applies friction, for schemes
    /// that do not solve for contact. `step` is the length of the time step in seconds, `distances`
    /// scratch memory for one number per node.
    pub fn resolve_contacts(
        &self,
        step: f64,
        state: &mut State,
        distances: &mut [f64],
    ) -> Contacts {
        self.resolve_contacts_of_part(step, &self.body.state.velocities, state, distances)
    }

    /// The same for a part of the step that began with the velocities `before`.
    pub fn resolve_contacts_of_part(
        &self,
        step: f64,
        before: &[DVec3],
        state: &mut State,
        distances: &mut [f64],
    ) -> Contacts {
        let description = self.body.description();
        let touched = self.meets.iter();
        let mut nodes = MovedNodes {
            positions: &mut state.positions,
            velocities: &mut state.velocities,
            before,
            masses: &description.masses,
            fixed: &description.fixed,
        };
        resolve_contacts(
            &description.contact,
            touched.map(|&index| &self.obstacles[index]),
            step,
            &mut nodes,
            distances,
        )
    }
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Newton iterations.
    pub newton_iterations: usize,
    /// Iterations of the linear solver.
    pub linear_iterations: usize,
    /// Those of them that a multigrid cycle preconditioned, on open surfaces.
    pub multigrid_cycles: usize,
    /// Largest relative residual of the linear solves.
    pub linear_residual: f64,
    /// Numeric factorisations.
    pub factorisations: usize,
    /// Linear solves that ended at their limit.
    pub unconverged_solves: usize,
    /// Steps by backward Euler in place of another rule, or with less motion than the rule gave, since they
    /// had created energy.
    pub damped_steps: usize,
    /// What touched, where contact is part of the solve.
    pub contacts: Contacts,
    /// Pairs of features of bodies that might have touched.
    pub candidates: usize,
    /// Pairs within the range of their contact.
    pub active_pairs: usize,
    /// Newton iterations of bodies that moved together.
    pub contact_rounds: usize,
    /// What a step has gained that may gain, where nothing drives the body, in joules.
    pub gained: Option<f64>,
    /// Parts into which the integrator divided the step to stay stable, beyond the first.
    pub divisions: usize,
    /// Wall time.
    pub times: StageTimes,
}

/// Why a step failed. The step is repeated with a shorter one, unless somebody stopped it.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum StepFailure {
    #[error("values that are not finite at node {node}")]
    NonFinite { node: usize },
    #[error("node {node} left the bounds of the world")]
    OutOfBounds { node: usize },
    #[error(
        "Newton's method did not converge in {iterations} iterations (residual {residual:.1e})"
    )]
    NewtonDiverged { iterations: usize, residual: f64 },
    #[error("the linear solver failed: {0}")]
    Linear(#[from] LinearError),
    #[error("node {node} moved too far in one step")]
    TooFast { node: usize },
    #[error("node {node} moved through the obstacle \"{obstacle}\" in one step")]
    PassesThrough {
        node: usize,
        obstacle: std::sync::Arc<str>,
    },
    #[error("the step created {created:.3e} J out of nothing")]
    CreatesEnergy { created: f64 },
    /// Each of the steps created little, all of them too much: this one is to be damped, and no shorter.
    #[error("steps have created {created:.3e} J out of nothing")]
    EnergyDrifts { created: f64 },
    #[error("the joint \"{joint}\" cannot be kept: its ends stay {apart:.2e} m apart")]
    JointApart {
        joint: std::sync::Arc<str>,
        apart: f64,
    },
    #[error("a rigid part would be stretched by {:.1} %", 100.0 * strain)]
    RigidStretched { strain: f64 },
    #[error(
        "what is led along a path cannot go on there: it would crush to nothing what lies in its way"
    )]
    PathBlocked,
    #[error("{what}")]
    Formulation { what: &'static str },
    #[error("somebody stopped it")]
    Stopped,
}

/// When the steps of an integrator may create energy: those are looked at, and repeated shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayGain {
    /// It sees to it itself.
    Never,
    /// When contact has been resolved after the step.
    InContact,
    /// In flight as well, of a body that an obstacle may have thrown.
    NearObstacles,
    /// At any time.
    Always,
    /// Its forces are no gradient. Where obstacles turn elements inside out they do work out of nothing; what
    /// meets no obstacle moves as the method says.
    WithoutEnergy,
}

/// A way to advance one body.
pub trait Integrator: Send {
    /// Advances `state` to `candidate`. The state is not changed.
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure>;

    /// Makes the candidate of the last `advance` anew where contact has pushed nodes of a body that
    /// does not yield node by node. `pushes` are the changes of velocity; what it takes is added to
    /// `effort`. Returns whether it did.
    fn respond(
        &mut self,
        _problem: &Problem,
        _state: &State,
        _pushes: &[DVec3],
        _candidate: &mut State,
        _effort: &mut Effort,
    ) -> Result<bool, StepFailure> {
        Ok(false)
    }

    /// The number of parts into which it divides a step of so many seconds to stay stable, by how the
    /// body is.
    fn parts(&mut self, _body: &Body, _step: f64) -> f64 {
        1.0
    }

    /// Whether contact is part of what it solves; if not, nodes are moved out of obstacles afterwards.
    fn solves_contact(&self) -> bool {
        false
    }

    /// The integrator as what it is, for those that can move several bodies together.
    fn as_any(&mut self) -> Option<&mut dyn std::any::Any> {
        None
    }

    /// Whether what the body has is energy, so that it counts in the ledger of the world. What moves by no law
    /// of motion has none.
    fn has_energy(&self) -> bool {
        true
    }

    /// Elastic energy of the body as it is, in joules.
    fn elastic_energy(&mut self, body: &Body) -> f64;

    /// Adds the gradient of the elastic energy of the body as it is, in newtons.
    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]);

    /// Work of forces without a potential and of potentials that change with time, in the step that led
    /// to the candidate, in joules; `None` where the mean of the forces at both ends will do.
    fn driven_work(&mut self, _problem: &Problem, _candidate: &State) -> Option<f64> {
        None
    }

    /// Work of what drives parts of the body along paths, in the step that led to the candidate, in
    /// joules.
    fn path_work(&mut self, _problem: &Problem, _state: &State, _candidate: &State) -> f64 {
        0.0
    }

    /// Work of all external forces in the step that led to the candidate, by the forces that the step has seen,
    /// in joules; nothing where they change much in a step.
    fn work_seen(&self, _problem: &Problem, _candidate: &State) -> Option<f64> {
        None
    }

    /// Energy that damping took out of the step that led to the candidate, in joules: h c |v̄|² of every node, with
    /// the mean v̄ of its velocities at both ends of a step of h seconds.
    fn damping_loss(&self, problem: &Problem, candidate: &State) -> f64 {
        let description = problem.body.description();
        if description.scheme() == IntegratorKind::Static {
            return 0.0;
        }
        let before = &problem.body.state.velocities;
        let velocities = candidate.velocities.iter().zip(before);
        let nodes = description.dampings.iter().zip(velocities);
        let losses = nodes.map(|(damping, (now, before))| {
            problem.step * damping * (0.5 * (*now + *before)).length_squared()
        });
        losses.sum()
    }

    /// Energy that dashpots of the material took out of that step beside what their springs show, in joules.
    fn dashpot_loss(&mut self, _problem: &Problem, _candidate: &State) -> f64 {
        0.0
    }

    /// Whether it answers to pushes: see [`Integrator::respond`].
    fn responds(&self) -> bool {
        false
    }

    /// When its steps may create energy.
    fn may_gain(&self) -> MayGain {
        MayGain::InContact
    }

    /// Whether elastic energy and gradient depend on the memory of the body that they are given,
    /// rather than on what was adopted last.
    fn reads_memory(&self) -> bool {
        false
    }

    /// Takes over what inelastic processes have changed.
    fn adopt(&mut self, _past: Past) {}

    /// Takes over what the memory of the body holds, where it keeps a part of it.
    fn follow(&mut self, _body: &Body) {}
}

/// What damping takes in a step of backward Euler, in joules: c |x⁺ - x|² / h of every node.
pub(crate) fn damping_by_ways(problem: &Problem, candidate: &State) -> f64 {
    let description = problem.body.description();
    if description.scheme() == IntegratorKind::Static {
        return 0.0;
    }
    let before = &problem.body.state.positions;
    let ways = candidate.positions.iter().zip(before);
    let nodes = description.dampings.iter().zip(ways);
    let losses = nodes.map(|(damping, (now, before))| damping * now.distance_squared(*before));
    losses.sum::<f64>() / problem.step
}

/// x* = x + dt v.
pub(crate) fn predict(state: &State, step: f64, predicted: &mut [DVec3]) {
    for ((target, position), velocity) in predicted
        .iter_mut()
        .zip(&state.positions)
        .zip(&state.velocities)
    {
        *target = *position + step * *velocity;
    }
}

/// Runs `work` and adds its duration to `sum`.
pub(crate) fn timed<T>(clock: Option<fn() -> f64>, sum: &mut f64, work: impl FnOnce() -> T) -> T {
    let Some(clock) = clock else { return work() };
    let start = clock();
    let result = work();
    *sum += clock() - start;
    result
}
