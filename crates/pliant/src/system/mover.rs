//! Steps of a body that has energies: grids and meshes alike.

use super::affine::ControlFrame;
use super::obstacle_contact::ObstacleContact;
use super::rule::{ALPHA, GAMMA, Stage};
use super::unknowns::Unknowns;
use crate::body::{Body, State};
use crate::contact::Contacts;
use crate::fem::{MeshEnergy, MeshMemory, MeshSettings};
use crate::force::Loads;
use crate::integrate::{Effort, ExactElasticity, Integrator, IntegratorKind, Problem, StepFailure};
use crate::linear::{BlockMatrix, BlockSolver, GridMatrix, SolverKind};
use crate::loads::LoadEvaluator;
use crate::math::outer;
use crate::rigid_motion::RigidMotion;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Nodes of a sheet beyond which a factor takes too much.
const LARGEST_FACTOR: usize = 40_000;

/// Energy that a step of two stages may create, by the energy that is in motion.
const CREATED: f64 = 0.01;

/// Moves one body; owns its energies and all scratch memory.
pub(crate) struct Mover {
    settings: Option<Arc<MeshSettings>>,
    kind: IntegratorKind,
    pub(super) energies: Vec<Box<dyn MeshEnergy>>,
    /// Where not, the gradient is not that of an energy and steps are not searched.
    pub(super) conservative: bool,
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
    /// The stage whose matrix at rest the solver preconditions with.
    pub(super) metric: Option<Stage>,
    /// A scalar matrix for the solvers that need one on the grid.
    pub(super) companion: Option<GridMatrix>,
    pub(super) evaluator: LoadEvaluator,
    pub(super) loads: Loads,
    pub(super) contact: ObstacleContact,
    /// Mean distance of neighbours at rest, in metres.
    pub(super) spacing: f64,
    /// y, x̂ and v̂ of the stage, and v.
    pub(super) inertial: Vec<DVec3>,
    pub(super) base: Vec<DVec3>,
    base_velocities: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    /// Places and velocities at the beginning of the step, and the places of the stage.
    start: Vec<DVec3>,
    start_velocities: Vec<DVec3>,
    places: Vec<DVec3>,
    /// The places of the first of two stages.
    between: Vec<DVec3>,
    /// Velocities at the end of the first stage.
    halfway: Vec<DVec3>,
    impulses: Vec<DVec3>,
    lasting: Vec<DVec3>,
    pub(super) gradient: Vec<DVec3>,
    pub(super) moved: Vec<DVec3>,
    pub(super) trial: Vec<DVec3>,
    /// Over the unknowns.
    pub(super) right_side: Vec<DVec3>,
    pub(super) direction: Vec<DVec3>,
}

impl Mover {
    pub(crate) fn new(body: &Body) -> Self {
        let description = body.description();
        let settings = description.mesh.clone();
        let nodes = body.node_count();
        let mut energies = energies_of(body);
        let layers = body.mesh_inelastic.as_ref().map_or(0, |m| m.layer_count());
        for _ in 0..layers {
            energies.extend(energies_of(body));
        }
        let mut couplings: Vec<[u32; 2]> = Vec::new();
        for energy in &energies {
            energy.couplings(&mut |a, b| couplings.push([a as u32, b as u32]));
        }
        let couplings = couplings.into_iter();
        let matrix = BlockMatrix::new(nodes, couplings.map(|pair| pair.map(|i| i as usize).into()));
        for energy in &mut energies {
            energy.attach(&matrix);
        }
        let mut unknowns = Unknowns::new(body, settings.as_deref(), &matrix);
        let inelastic = body.mesh_inelastic.as_ref();
        let ties = inelastic.and_then(|own| own.ties.as_ref());
        if let Some(ties) = ties {
            unknowns.tie(ties, &matrix);
        }
        let zeros = vec![DVec3::ZERO; nodes];
        let all = vec![DVec3::ZERO; unknowns.place_count()];
        let companion = matches!(
            description.solver.kind,
            SolverKind::Adi | SolverKind::Multigrid
        );
        let mut companions = energies.iter().filter_map(|energy| energy.companion());
        let (mass_damping, stiffness_damping) = description.rayleigh_damping();
        let contact = ObstacleContact::new(body);
        let solver = solver_of(body, unknowns.pattern_of(&matrix));
        Self {
            kind: description.scheme(),
            conservative: energies.iter().all(|energy| energy.is_conservative()),
            // One linear solve can neither turn a rigid core nor find what touches.
            is_linear: description.scheme() == IntegratorKind::SemiImplicit
                && !contact.is_hard()
                && settings.as_ref().is_none_or(|own| own.cores.is_empty()),
            companion: companions.next().filter(|_| companion),
            energies,
            solver,
            metric: None,
            damping: (stiffness_damping > 0.0).then(|| matrix.clone()),
            mass_damping,
            stiffness_damping,
            matrix,
            right_side: vec![DVec3::ZERO; unknowns.count()],
            direction: vec![DVec3::ZERO; unknowns.count()],
            unknowns,
            ties_version: ties.map_or(0, |ties| ties.version),
            evaluator: LoadEvaluator::without_contact(body),
            loads: Loads::new(nodes, true),
            contact,
            spacing: crate::body::mean_spacing(description),
            inertial: all.clone(),
            base: all.clone(),
            base_velocities: all.clone(),
            velocities: all.clone(),
            start: all.clone(),
            start_velocities: all.clone(),
            places: all.clone(),
            between: all.clone(),
            halfway: all.clone(),
            impulses: all.clone(),
            lasting: all.clone(),
            gradient: zeros.clone(),
            moved: zeros,
            trial: all,
            settings,
        }
    }

    /// Energies that no process has changed, where some have.
    pub(super) fn fresh_energies(&self, body: &Body) -> Vec<Box<dyn MeshEnergy>> {
        if body.mesh_inelastic.is_some() || body.inelastic.is_some() {
            return energies_of(body);
        }
        Vec::new()
    }

    /// Nodes and control points at rest.
    pub(super) fn rest_places(&self, body: &Body) -> Vec<DVec3> {
        let description = body.description();
        let mut places = description.rest_positions.clone();
        for core in self.settings.iter().flat_map(|settings| &settings.cores) {
            let frame = ControlFrame::new(core, &description.masses, &description.rest_positions);
            places.extend(frame.rest);
        }
        places
    }

    /// Places and velocities at the beginning of the step.
    fn take_state(&mut self, state: &State) {
        let nodes = self.moved.len();
        self.start[..nodes].copy_from_slice(&state.positions);
        self.start[nodes..].copy_from_slice(&state.controls);
        self.start_velocities[..nodes].copy_from_slice(&state.velocities);
        self.start_velocities[nodes..].copy_from_slice(&state.control_velocities);
    }

    /// Solves one stage from the x̂ and v̂ that stand in `self.base` and `self.base_velocities`;
    /// leaves its places in `self.places` and its velocities in `self.velocities`.
    fn run_stage(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        outside: &[DVec3],
        fresh: bool,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let description = problem.body.description();
        let nodes = self.moved.len();
        let mut x = std::mem::take(&mut self.places);
        let start = std::mem::take(&mut self.start);
        if stage.rate > 0.0 {
            let length = stage.length();
            for index in 0..x.len() {
                self.inertial[index] = self.base[index] + length * self.base_velocities[index];
            }
            // Inertia and loads say where to look first.
            x.copy_from_slice(&self.inertial);
            self.load(problem, stage, &x);
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
        if stage.rate == 0.0 || self.is_linear {
            // One linear solve takes stiffness and forces where the step begins.
            x.copy_from_slice(&start);
        }
        for node in (0..nodes).filter(|&node| description.fixed[node]) {
            x[node] = start[node];
        }
        self.unknowns.follow_paths(stage.time, &mut x);
        self.contact
            .begin(problem, &outside[..nodes], stage.duration, fresh);
        let far = |(x, start): (&DVec3, &DVec3)| (*x - *start).length() > self.spacing;
        if self.conservative && x.iter().zip(&start).any(far) {
            // Where inertia is weak beside stiffness it leads astray: the lower of two starts is taken.
            let (guessed, _) = self.value(problem, stage, &start, &x);
            let mut still = std::mem::take(&mut self.trial);
            still.copy_from_slice(&start);
            self.unknowns.follow_paths(stage.time, &mut still);
            let (known, _) = self.value(problem, stage, &start, &still);
            if known < guessed || !guessed.is_finite() {
                x.copy_from_slice(&still);
            }
            self.trial = still;
        }
        self.prepare_metric(problem, stage);
        let result = self.minimise(problem, stage, &start, &mut x, effort);
        self.form_velocities(stage, &x);
        for node in (0..nodes).filter(|&node| description.fixed[node]) {
            self.velocities[node] = DVec3::ZERO;
        }
        self.places = x;
        self.start = start;
        result?;
        self.balance(problem, stage);
        // Contact forces at the end of the stage.
        let (unknowns, contact) = (&self.unknowns, &mut self.contact);
        contact.evaluate(
            problem,
            stage,
            unknowns,
            &self.start[..nodes],
            &self.places[..nodes],
        );
        Ok(())
    }

    /// The last iteration, in the six rigid motions: what is left of the gradient of a free body has
    /// no net force and no torque, so that momenta follow from external forces alone, whatever the
    /// linear solver left.
    fn balance(&mut self, problem: &Problem, stage: &Stage) {
        if stage.rate == 0.0 || !self.unknowns.is_free() || self.contact.count() > 0 {
            return;
        }
        let nodes = self.moved.len();
        let masses = &problem.body.description().masses;
        let mut x = std::mem::take(&mut self.places);
        self.differentiate(problem, stage, &x);
        let centre =
            (0..nodes).map(|i| masses[i] * x[i]).sum::<DVec3>() / masses.iter().sum::<f64>();
        let (mut force, mut torque, mut inertia) = (DVec3::ZERO, DVec3::ZERO, DMat3::ZERO);
        for node in 0..nodes {
            let arm = x[node] - centre;
            force -= self.gradient[node];
            torque -= arm.cross(self.gradient[node]);
            let square = DMat3::IDENTITY * arm.length_squared() - outer(arm, arm);
            inertia += square * masses[node];
        }
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        // A straight curve has no inertia about itself.
        inertia += DMat3::IDENTITY * (1e-9 * trace).max(f64::MIN_POSITIVE);
        let square = 1.0 / stage.inertia();
        let shift = square / masses.iter().sum::<f64>() * force;
        let turn = square * (inertia.inverse() * torque);
        for place in &mut x {
            *place += shift + turn.cross(*place - centre);
        }
        self.form_velocities(stage, &x);
        self.places = x;
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

    /// Backward Euler, Newmark's rule, the midpoint rule or statics.
    fn advance_once(
        &mut self,
        problem: &Problem,
        kind: IntegratorKind,
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let (time, h) = (problem.time, problem.step);
        let (rate, mirror) = match kind {
            IntegratorKind::Static => (0.0, 1.0),
            IntegratorKind::Midpoint => (2.0 / h, 2.0),
            IntegratorKind::Newmark => (2.0 / h, 1.0),
            _ => (1.0 / h, 1.0),
        };
        let stage = Stage {
            rate,
            time: time + h / mirror,
            window: [time, time + h],
            duration: h,
            mirror,
        };
        self.base.copy_from_slice(&self.start);
        self.base_velocities.copy_from_slice(&self.start_velocities);
        if kind == IntegratorKind::Newmark {
            self.add_average_acceleration(problem, [time, time + 0.5 * h], 0.5 * h);
        }
        let mut outside = std::mem::take(&mut self.between);
        outside.copy_from_slice(&self.start);
        let result = self.run_stage(problem, &stage, &outside, true, effort);
        self.between = outside;
        result?;
        if mirror != 1.0 {
            for index in 0..self.places.len() {
                self.places[index] = 2.0 * self.places[index] - self.start[index];
                self.velocities[index] =
                    2.0 * self.velocities[index] - self.start_velocities[index];
            }
            self.unknowns.follow_paths(time + h, &mut self.places);
        }
        let approach = std::mem::take(&mut self.start_velocities);
        self.end_velocities(problem, &stage, &approach);
        self.contact.note_hits(problem, &approach);
        self.start_velocities = approach;
        self.contact.rebound(&mut self.velocities);
        Ok(())
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
        // A hard contact makes up for what it did not do at the beginning; a penalty is a force.
        self.contact.begin(problem, &start[..nodes], half, true);
        self.contact.add_penalties_at(
            problem,
            &self.unknowns,
            &start[..nodes],
            &self.start_velocities,
            &mut self.gradient,
        );
        self.lasting.fill(DVec3::ZERO);
        for node in 0..nodes {
            self.lasting[node] = -self.gradient[node];
        }
        self.unknowns
            .accelerate(&description.masses, Some(&start), &mut self.lasting);
        for (index, start) in start.iter().enumerate() {
            let velocity = self.start_velocities[index];
            self.base[index] = *start + half * velocity;
            self.base_velocities[index] = velocity + half * self.lasting[index];
        }
        self.start = start;
    }

    /// The rule of two stages.
    fn advance_twice(&mut self, problem: &Problem, effort: &mut Effort) -> Result<(), StepFailure> {
        let (time, h) = (problem.time, problem.step);
        let part = 0.5 * ALPHA * GAMMA * h;
        let half = 0.5 * GAMMA * h;
        let trapezoid = Stage {
            rate: 1.0 / half,
            time: time + GAMMA * h,
            window: [time + part, time + 2.0 * part],
            duration: GAMMA * h,
            mirror: 1.0,
        };
        let backward = Stage {
            time: time + h,
            window: [time + 2.0 * part, time + h],
            duration: (1.0 - GAMMA) * h,
            ..trapezoid
        };
        self.add_average_acceleration(problem, [time, time + part], half);
        let mut outside = std::mem::take(&mut self.between);
        outside.copy_from_slice(&self.start);
        let result = self.run_stage(problem, &trapezoid, &outside, true, effort);
        outside.copy_from_slice(&self.places);
        self.between = outside;
        result?;
        let approach = std::mem::take(&mut self.start_velocities);
        self.end_velocities(problem, &trapezoid, &approach);
        self.contact.note_hits(problem, &approach);
        self.start_velocities = approach;
        let impulse_time = trapezoid.impulse_share() * trapezoid.length();
        for index in 0..self.places.len() {
            // An impulse is no change of velocity that goes on.
            let mut before = self.start_velocities[index];
            if !self.contact.is_empty() {
                before += impulse_time * self.impulses[index];
            }
            self.base[index] = ALPHA * self.places[index] - (ALPHA - 1.0) * self.start[index];
            self.base_velocities[index] = ALPHA * self.velocities[index] - (ALPHA - 1.0) * before;
        }
        let mut halfway = std::mem::take(&mut self.halfway);
        halfway.copy_from_slice(&self.velocities);
        let outside = std::mem::take(&mut self.between);
        let result = self.run_stage(problem, &backward, &outside, false, effort);
        self.between = outside;
        if result.is_ok() {
            self.end_velocities(problem, &backward, &halfway);
            self.contact.note_hits(problem, &self.start_velocities);
            self.contact.rebound(&mut self.velocities);
        }
        self.halfway = halfway;
        result
    }

    fn finish(&mut self, candidate: &mut State) {
        let nodes = self.moved.len();
        candidate.positions.copy_from_slice(&self.places[..nodes]);
        candidate
            .velocities
            .copy_from_slice(&self.velocities[..nodes]);
        candidate.controls.copy_from_slice(&self.places[nodes..]);
        candidate
            .control_velocities
            .copy_from_slice(&self.velocities[nodes..]);
        if self.kind == IntegratorKind::Static {
            candidate.velocities.fill(DVec3::ZERO);
            candidate.control_velocities.fill(DVec3::ZERO);
        }
    }

    /// Whether a candidate has more energy than the state had and external forces have given it.
    fn creates_energy(&mut self, problem: &Problem, state: &State, candidate: &State) -> bool {
        let (time, end) = (problem.time, problem.time + problem.step);
        let before = self.total_energy(problem, state, time);
        let after = self.total_energy(problem, candidate, end);
        let work = self.evaluator.driven_work(problem, state, candidate);
        let kinetic = |state: &State| -> f64 {
            let masses = &problem.body.description().masses;
            let nodes = masses.iter().zip(&state.velocities);
            nodes.map(|(m, v)| 0.5 * m * v.length_squared()).sum()
        };
        let scale = kinetic(state) + kinetic(candidate) + work.abs();
        after - before - work > CREATED * scale + 1e-12 * (before.abs() + after.abs())
    }

    /// Gives a free body the momenta that external forces alone give it, which ghost forces of
    /// stiffness warping would change. Positions follow: x⁺ x v⁺ = x x v⁺ for x⁺ = x + dt v⁺.
    ///
    /// Implements: \[Mueller2002\] sect. 3 (ghost forces on free floating objects).
    fn restore_momenta(&mut self, problem: &Problem, state: &State, candidate: &mut State) {
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

/// The solver that a body asks for, or the one that suits it.
fn solver_of(body: &Body, pattern: &BlockMatrix) -> BlockSolver {
    let description = body.description();
    let settings = description.solver;
    let rest = &description.rest_positions;
    let inelastic = body.mesh_inelastic.as_ref();
    let on_grid = description.mesh.is_none();
    let iterates = matches!(
        settings.kind,
        SolverKind::Automatic | SolverKind::ConjugateGradient
    );
    if inelastic.is_some_and(|own| own.ties.is_some()) {
        // Groups of tied nodes have no place in the order of the nodes.
        BlockSolver::new(settings, pattern)
    } else if settings.kind == SolverKind::Automatic
        && body.is_thin()
        && description.scheme() != IntegratorKind::Static
        && rest.len() <= LARGEST_FACTOR
    {
        BlockSolver::of_thin(settings, pattern, on_grid.then_some(&description.grid))
    } else if on_grid && !iterates {
        BlockSolver::on_grid(settings, pattern, &description.grid)
    } else {
        BlockSolver::on_mesh(settings, pattern, rest)
    }
}

/// The energies of a body.
fn energies_of(body: &Body) -> Vec<Box<dyn MeshEnergy>> {
    let description = body.description();
    match &description.mesh {
        // The description was checked when the body was made, so there is no error here.
        Some(settings) => settings
            .energies(&description.rest_positions)
            .expect("a body that was made has energies"),
        None => vec![Box::new(ExactElasticity::new(body))],
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
        self.evaluator.take_directions(problem, &state.positions);
        self.take_damping(&state.positions);
        self.take_state(state);
        match self.kind {
            IntegratorKind::TwoStage => {
                self.advance_twice(problem, &mut effort)?;
                self.finish(candidate);
                if self.creates_energy(problem, state, candidate) {
                    effort.damped_steps += 1;
                    self.take_state(state);
                    self.advance_once(problem, IntegratorKind::Implicit, &mut effort)?;
                    self.finish(candidate);
                }
            }
            kind => {
                self.advance_once(problem, kind, &mut effort)?;
                self.finish(candidate);
            }
        }
        let keeps = self.settings.as_ref().is_some_and(|s| s.keeps_momentum);
        if keeps
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
        };
        Ok(effort)
    }

    fn solves_contact(&self) -> bool {
        true
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

    fn adopt(&mut self, rests: &[f64], stiffnesses: &[f64]) {
        for energy in &mut self.energies {
            energy.adopt_springs(rests, stiffnesses);
        }
    }

    fn adopt_mesh(&mut self, memory: &MeshMemory) {
        for (energy, layer) in self.energies.iter_mut().zip(&memory.layers) {
            energy.adopt(layer);
        }
        if let Some(ties) = &memory.ties
            && ties.version != self.ties_version
        {
            self.ties_version = ties.version;
            self.unknowns.tie(ties, &self.matrix);
            let pattern = self.unknowns.pattern_of(&self.matrix);
            self.solver = BlockSolver::new(*self.solver.settings(), pattern);
            let unknowns = self.unknowns.count();
            self.right_side.resize(unknowns, DVec3::ZERO);
            self.direction.resize(unknowns, DVec3::ZERO);
        }
    }
}
