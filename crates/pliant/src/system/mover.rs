//! Steps of a body that has energies: grids and meshes alike.

use super::RigidCore;
use super::affine::ControlFrame;
use super::driven_work::DrivenWork;
use super::free_flight::Freedom;
use super::goals::Goals;
use super::losses::Losses;
use super::obstacle_contact::ObstacleContact;
use super::rough_system::RoughSystem;
use super::rule::Stage;
use super::share::Share;
use super::solver_choice::solver_of;
use super::unknowns::Unknowns;
use crate::body::{
    Body, BodyDescription, Effort, Integrator, IntegratorKind, MayGain, Past, Problem, State,
    StepFailure, Ties,
};
use crate::contact::Contacts;
use crate::energy::{Curvature, Energy, Reliefs};
use crate::force::Loads;
use crate::linear::{BlockMatrix, BlockSolver, GridMatrix, SolverKind};
use crate::loads::LoadEvaluator;
use glam::DVec3;

/// Moves one body; owns its energies and all scratch memory.
pub(crate) struct Mover {
    cores: Vec<RigidCore>,
    /// How the body moves, if it is rigid as a whole and moves by itself.
    pub(super) freedom: Option<Freedom>,
    /// Whether a free body is given the momenta that external forces alone would give it.
    pub(super) keeps_momentum: bool,
    pub(super) kind: IntegratorKind,
    pub(super) energies: Vec<Box<dyn Energy>>,
    pub(super) known: KnownEnergy,
    /// Where not, the gradient is not that of an energy and steps are not searched.
    pub(super) conservative: bool,
    pub(super) goals: Goals,
    /// Which Hessian of the energies the matrix holds.
    pub(super) curvature: Curvature,
    /// One linear solve instead of Newton's method.
    pub(super) is_linear: bool,
    pub(super) unknowns: Unknowns,
    /// The version of the ties that the unknowns are for.
    ties_version: u64,
    pub(super) matrix: BlockMatrix,
    /// β K of the beginning of the step.
    pub(super) damping: Option<BlockMatrix>,
    pub(super) mass_damping: f64,
    pub(super) stiffness_damping: f64,
    pub(super) solver: BlockSolver,
    /// A faster way to rough solves, for the bodies that have one,
    pub(super) rough: Option<RoughSystem>,
    /// and whether the stage takes it.
    pub(super) is_rough: bool,
    /// The stage whose matrix at rest the solver preconditions with.
    pub(super) metric: Option<Stage>,
    /// Whether processes have changed the energies.
    pub(super) is_changed: bool,
    /// The version of the energies, for bodies whose memory is part of them.
    energy_version: u64,
    /// What the Hessian lacks of the matrix.
    pub(super) reliefs: Reliefs,
    /// A scalar matrix for the solvers that need one on the grid.
    pub(super) companion: Option<GridMatrix>,
    pub(super) evaluator: LoadEvaluator,
    pub(super) loads: Loads,
    pub(super) driven: DrivenWork,
    pub(super) losses: Losses,
    pub(super) contact: ObstacleContact,
    /// Mean distance of neighbours at rest, in metres.
    pub(super) spacing: f64,
    /// y, x̂ and v̂ of the stage, and v.
    pub(super) inertial: Vec<DVec3>,
    pub(super) base: Vec<DVec3>,
    pub(super) base_velocities: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    /// Places and velocities at the beginning of the step, and the places of the stage.
    pub(super) start: Vec<DVec3>,
    pub(super) start_velocities: Vec<DVec3>,
    pub(super) places: Vec<DVec3>,
    /// Places at the beginning of the stage.
    pub(super) between: Vec<DVec3>,
    /// Velocities at the beginning of the stage.
    pub(super) approach: Vec<DVec3>,
    /// The gradient of contact with other bodies and with itself over the nodes, in newtons; empty for
    /// a body that moves alone.
    pub(super) push: Vec<DVec3>,
    /// The same where the step began.
    pub(super) first_push: Vec<DVec3>,
    /// The same at the end of the first of two stages; empty if there is one stage.
    pub(super) middle_push: Vec<DVec3>,
    pub(super) impulses: Vec<DVec3>,
    /// Changes of velocity in the stage by impulses of other bodies, which stopped an approach.
    pub(super) stopped: Vec<DVec3>,
    pub(super) lasting: Vec<DVec3>,
    pub(super) gradient: Vec<DVec3>,
    pub(super) moved: Vec<DVec3>,
    pub(super) trial: Vec<DVec3>,
    /// Where the last linear solve of the stage was made, or the stage began.
    pub(super) foreseen_from: Vec<DVec3>,
    /// Over the unknowns.
    pub(super) right_side: Vec<DVec3>,
    pub(super) direction: Vec<DVec3>,
    /// Whether the direction is a first guess for the first solve of a stage.
    pub(super) has_guess: bool,
    /// What the gradient promises for leading bound nodes on to surfaces, in joules.
    pub(super) leading_slope: f64,
}

/// Elastic energy as last found in a step, in joules, and where.
#[derive(Debug, Default)]
pub(super) struct KnownEnergy {
    pub(super) energy: Option<f64>,
    pub(super) places: Vec<DVec3>,
}

/// How a body moves that is one core and nothing else.
fn freedom_of(cores: &[RigidCore], nodes: usize) -> Option<Freedom> {
    match cores {
        [core] if core.nodes.len() == nodes => Freedom::of(&core.motion),
        _ => None,
    }
}

/// A matrix with the pattern of energies over so many nodes, which they will fill.
fn matrix_of(nodes: usize, energies: &mut [Box<dyn Energy>]) -> BlockMatrix {
    let mut couplings: Vec<[u32; 2]> = Vec::new();
    for energy in &*energies {
        energy.couplings(&mut |a, b| couplings.push([a as u32, b as u32]));
    }
    let couplings = couplings.into_iter();
    let matrix = BlockMatrix::new(nodes, couplings.map(|pair| pair.map(|i| i as usize).into()));
    for energy in energies {
        energy.attach(&matrix);
    }
    matrix
}

/// A scalar matrix that resembles those to come, for the solvers that precondition with one.
fn companion_of(description: &BodyDescription, energies: &[Box<dyn Energy>]) -> Option<GridMatrix> {
    let mut companions = energies.iter().filter_map(|energy| energy.companion());
    match description.solver.kind {
        SolverKind::Adi | SolverKind::Multigrid => companions.next(),
        _ => None,
    }
}

impl Mover {
    pub(super) fn new(body: &Body, share: Share) -> Self {
        let description = body.description();
        let nodes = body.node_count();
        let Share {
            mut energies,
            cores,
            ties,
            grid,
            keeps_momentum,
        } = share;
        let matrix = matrix_of(nodes, &mut energies);
        let mut unknowns = Unknowns::new(body, &cores, &matrix);
        if let Some(ties) = &ties {
            unknowns.tie(ties, &matrix);
        }
        let all = vec![DVec3::ZERO; unknowns.place_count()];
        let [mass_damping, stiffness_damping] = description.rayleigh;
        let contact = ObstacleContact::new(body, !cores.is_empty());
        let pattern = unknowns.pattern_of(&matrix);
        let solver = solver_of(body, pattern, grid.as_ref(), ties.is_some());
        Self {
            kind: description.scheme(),
            goals: Goals::new(body),
            curvature: Curvature::Positive,
            conservative: energies.iter().all(|energy| energy.is_conservative()),
            is_linear: contact.is_linear,
            rough: RoughSystem::new(body, &matrix, &mut energies)
                .filter(|_| cores.is_empty() && ties.is_none()),
            is_rough: false,
            companion: companion_of(description, &energies),
            energies,
            known: KnownEnergy::default(),
            solver,
            metric: None,
            is_changed: false,
            energy_version: 0,
            reliefs: Reliefs::default(),
            damping: (stiffness_damping > 0.0).then(|| matrix.clone()),
            mass_damping,
            stiffness_damping,
            matrix,
            right_side: vec![DVec3::ZERO; unknowns.count()],
            direction: vec![DVec3::ZERO; unknowns.count()],
            has_guess: false,
            leading_slope: 0.0,
            unknowns,
            ties_version: ties.map_or(0, |ties| ties.version),
            evaluator: LoadEvaluator::without_contact(body),
            loads: Loads::new(nodes, true),
            driven: DrivenWork::default(),
            losses: Losses::new(body),
            contact,
            spacing: description.mean_spacing(),
            inertial: all.clone(),
            base: all.clone(),
            base_velocities: all.clone(),
            velocities: all.clone(),
            start: all.clone(),
            start_velocities: all.clone(),
            places: all.clone(),
            between: all.clone(),
            approach: all.clone(),
            push: Vec::new(),
            first_push: Vec::new(),
            middle_push: Vec::new(),
            impulses: all.clone(),
            stopped: all.clone(),
            lasting: all.clone(),
            gradient: vec![DVec3::ZERO; nodes],
            moved: vec![DVec3::ZERO; nodes],
            foreseen_from: all.clone(),
            trial: all,
            freedom: freedom_of(&cores, nodes),
            cores,
            keeps_momentum,
        }
    }

    /// Energies that no process has changed, where some have.
    pub(super) fn fresh_energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        if self.is_changed {
            return body.formulation().energies(body);
        }
        Vec::new()
    }

    /// Takes over which nodes move as one, if others do than before.
    fn tie(&mut self, ties: &Ties) {
        if ties.version == self.ties_version {
            return;
        }
        self.ties_version = ties.version;
        self.unknowns.tie(ties, &self.matrix);
        let pattern = self.unknowns.pattern_of(&self.matrix);
        self.solver = BlockSolver::new(*self.solver.settings(), pattern);
        let unknowns = self.unknowns.count();
        self.right_side.resize(unknowns, DVec3::ZERO);
        self.direction.resize(unknowns, DVec3::ZERO);
    }

    /// Nodes and control points at rest.
    pub(super) fn rest_places(&self, body: &Body) -> Vec<DVec3> {
        let description = body.description();
        let mut places = description.rest_positions.clone();
        for core in &self.cores {
            let frame = ControlFrame::new(core, &description.masses, &description.rest_positions);
            places.extend(frame.rest);
        }
        places
    }

    /// Places and velocities at the beginning of the step.
    pub(super) fn take_state(&mut self, state: &State) {
        let nodes = self.moved.len();
        self.known.energy = None;
        self.start[..nodes].copy_from_slice(&state.positions);
        self.start[nodes..].copy_from_slice(&state.controls);
        self.start_velocities[..nodes].copy_from_slice(&state.velocities);
        self.start_velocities[nodes..].copy_from_slice(&state.control_velocities);
    }

    /// Hands out the candidate that the last stage has found.
    pub(super) fn finish(
        &mut self,
        problem: &Problem,
        candidate: &mut State,
        kind: IntegratorKind,
    ) {
        let nodes = self.moved.len();
        self.end_dashpots();
        candidate.positions.copy_from_slice(&self.places[..nodes]);
        candidate
            .velocities
            .copy_from_slice(&self.velocities[..nodes]);
        candidate.controls.copy_from_slice(&self.places[nodes..]);
        candidate
            .control_velocities
            .copy_from_slice(&self.velocities[nodes..]);
        if kind == IntegratorKind::Static {
            candidate.velocities.fill(DVec3::ZERO);
            candidate.control_velocities.fill(DVec3::ZERO);
        }
        let before = &problem.body.state;
        candidate.rotation = before.rotation;
        candidate
            .piece_rotations
            .clone_from(&before.piece_rotations);
        for energy in &mut self.energies {
            let (whole, of_nodes) = (&mut candidate.rotation, &mut candidate.piece_rotations);
            energy.turn_frames(&candidate.positions, whole, of_nodes);
        }
        self.rebound(problem, candidate);
    }
}

impl Integrator for Mover {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        self.push.clear();
        self.first_push.clear();
        self.middle_push.clear();
        self.evaluator.take_directions(problem, &state.positions);
        self.take_damping(&state.positions);
        self.take_state(state);
        match self.kind {
            IntegratorKind::TwoStage if !problem.drifts => {
                self.advance_by(problem, IntegratorKind::TwoStage, &mut effort)?;
                self.finish(problem, candidate, IntegratorKind::TwoStage);
                if self.creates_energy(problem, (state, candidate), &mut effort) {
                    effort.damped_steps += 1;
                    effort.gained = None;
                    self.take_state(state);
                    self.advance_by(problem, IntegratorKind::Implicit, &mut effort)?;
                    self.finish(problem, candidate, IntegratorKind::Implicit);
                }
                self.take_energy_of_kinks(problem, state, candidate);
            }
            kind if kind == IntegratorKind::TwoStage || kind.damps_nothing() && problem.damped => {
                effort.damped_steps += 1;
                self.advance_by(problem, IntegratorKind::Implicit, &mut effort)?;
                self.finish(problem, candidate, IntegratorKind::Implicit);
                self.creates_energy(problem, (state, candidate), &mut effort);
            }
            kind => {
                let kind = match problem.drifts {
                    true => IntegratorKind::TwoStage,
                    false => kind,
                };
                effort.damped_steps += usize::from(problem.drifts);
                self.advance_by(problem, kind, &mut effort)?;
                self.finish(problem, candidate, kind);
            }
        }
        if self.keeps_momentum
            && matches!(
                self.kind,
                IntegratorKind::SemiImplicit | IntegratorKind::Implicit
            )
            && self.unknowns.is_free()
            && self.contact.count() == 0
        {
            self.restore_momenta(problem, state, candidate);
        }
        effort.contacts = Contacts {
            count: self.contact.count(),
            smallest_distance: self
                .contact
                .smallest_distance(problem, &candidate.positions),
            friction_loss: self.losses.friction,
        };
        Ok(effort)
    }

    fn solves_contact(&self) -> bool {
        true
    }

    fn as_any(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }

    fn driven_work(&mut self, problem: &Problem, candidate: &State) -> Option<f64> {
        Some(self.work_of_forces(problem, candidate))
    }

    fn damping_loss(&self, _problem: &Problem, _candidate: &State) -> f64 {
        self.losses.damping
    }

    fn path_work(&mut self, problem: &Problem, state: &State, candidate: &State) -> f64 {
        self.work_of_paths(problem, state, candidate)
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        let positions = &body.state.positions;
        self.energies.iter_mut().map(|e| e.energy(positions)).sum()
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        for energy in &mut self.energies {
            energy.add_gradient(&body.state.positions, gradient);
        }
    }

    /// Backward Euler creates no energy, and where two stages do it takes their place.
    fn may_gain(&self) -> MayGain {
        let damps = matches!(
            self.kind,
            IntegratorKind::TwoStage | IntegratorKind::Implicit | IntegratorKind::Static
        );
        match damps {
            _ if !self.conservative => MayGain::WithoutEnergy,
            true if self.energies.iter().any(|energy| energy.is_saddle()) => MayGain::Always,
            true => MayGain::Never,
            false => MayGain::InContact,
        }
    }

    fn follow(&mut self, body: &Body) {
        let version = body.formulation().energy_version(body);
        if version != self.energy_version {
            self.energy_version = version;
            self.is_changed = true;
            self.known.energy = None;
            self.energies = body.formulation().present_energies(body);
            for energy in &mut self.energies {
                energy.attach(&self.matrix);
            }
            if let Some(rough) = &self.rough {
                rough.attach(&mut self.energies);
            }
        }
    }

    fn adopt(&mut self, past: Past) {
        match past {
            Past::Nothing => {}
            Past::Springs(springs) => {
                self.is_changed = true;
                for energy in &mut self.energies {
                    energy.adopt_springs(springs);
                }
            }
            Past::Elements { layers, ties } => {
                self.is_changed = true;
                for (energy, layer) in self.energies.iter_mut().zip(layers) {
                    energy.adopt(layer);
                }
                if let Some(ties) = ties {
                    self.tie(ties);
                }
            }
        }
    }
}
