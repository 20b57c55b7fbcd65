//! Scratch memory of steps.

use crate::body::{Body, EnergyDrift, Integrator, Problem, Processes, State};
use crate::contact::PairContactSettings;
use crate::force::Loads;
use crate::inelastic::Particles;
use crate::loads::{LoadEvaluator, LoadMoment};
use crate::report::Energies;
use crate::system::{Island, Together, mover_of};
use crate::world::World;
use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Scratch memory of a step: nothing in it has to be saved, all of it can be made again from the
/// world.
///
/// ```
/// use pliant::{Workspace, World};
/// let world = World::default();
/// let mut workspace = Workspace::new(&world);
/// workspace.measure = false; // reports without energies cost less
/// workspace.bounds = 100.0; // a node farther away than this, in metres, is a failure
/// assert_eq!(workspace.energies(&world).total(), 0.0);
/// ```
pub struct Workspace {
    pub(crate) bodies: Vec<BodyWorkspace>,
    /// Molten nodes of all bodies.
    pub(crate) particles: Particles,
    /// What moves bodies that may touch each other.
    pub(crate) island: Option<Island>,
    /// Scratch memory of steps of bodies that move together.
    pub(crate) together: Together,
    /// Whether reports hold energies and momenta, which take a pass over the elements each step.
    pub measure: bool,
    /// Seconds since some moment, for the times in the report; `None` measures nothing.
    pub clock: Option<fn() -> f64>,
    /// Largest coordinate a node may have, in metres.
    pub bounds: f64,
    /// Whoever sets it to true, from any thread, stops the step at hand: the report says
    /// `is_stopped`, and the world is left between two steps, to be restored from a snapshot or thrown
    /// away.
    pub stop: Option<Arc<AtomicBool>>,
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Workspace({} bodies)", self.bodies.len())
    }
}

pub(crate) struct BodyWorkspace {
    /// The description of the body that it was made for.
    revision: u64,
    /// Whether it moves as one system with others.
    pub(crate) is_joined: bool,
    pub(crate) integrator: Box<dyn Integrator>,
    pub(crate) evaluator: LoadEvaluator,
    pub(crate) loads: Loads,
    pub(crate) candidate: State,
    /// Distances of the nodes from an obstacle.
    pub(crate) distances: Vec<f64>,
    /// Changes of velocity by contact; empty until they are asked for.
    pub(crate) pushes: Vec<DVec3>,
    /// For bodies that are more than elastic.
    pub(crate) processes: Option<Box<dyn Processes>>,
    /// To measure the energy of a candidate; empty until it is asked for.
    pub(crate) trial: Option<Box<Body>>,
    /// What was last measured of a candidate.
    pub(crate) measured: Option<Measured>,
    /// What the candidate adds to the drift of the body, where that is watched.
    pub(crate) drift: Option<EnergyDrift>,
    /// Whether that is the candidate of the attempt at hand.
    pub(crate) is_fresh: bool,
    /// What the body has stored, as it was last measured.
    stored: Stored,
    /// What processes take in the step.
    processing: Processing,
}

/// Energy that a body has stored, in joules.
#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    /// Elastic energy alone,
    elastic: f64,
    /// and with that of springs within processes.
    whole: f64,
}

/// The account of inelastic processes in a step: they have taken what is stored less at its end than at its
/// beginning and the changes of positions would have left.
#[derive(Clone, Copy, Debug, Default)]
struct Processing {
    /// Where the step begins.
    start: Stored,
    /// Whether the body has moved since.
    has_moved: bool,
    /// Changes of the elastic energy by motion, in joules.
    by_motion: f64,
    /// What dashpots have taken beside, in joules.
    dashpots: f64,
}

/// Energy of motion and elastic energy of a state, in joules, and which state has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) checksum: u64,
    pub(crate) kinetic: f64,
    pub(crate) elastic: f64,
}

impl Measured {
    pub(crate) fn total(self) -> f64 {
        self.kinetic + self.elastic
    }
}

/// Whether energy out of nothing may be looked for in a body.
fn may_create_energy(body: &Body) -> bool {
    let description = body.description();
    description.scheme().damps_nothing() || !description.collides_with.is_empty()
}

impl BodyWorkspace {
    fn new(body: &Body, is_joined: bool) -> Self {
        let formulation = body.formulation();
        Self {
            revision: body.revision(),
            is_joined,
            integrator: match is_joined {
                true => formulation.joined_integrator(body),
                false => formulation.integrator(body),
            },
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(body.node_count(), false),
            candidate: body.state.clone(),
            distances: vec![0.0; body.node_count()],
            processes: body.formulation().processes(body),
            pushes: Vec::new(),
            trial: may_create_energy(body).then(|| Box::new(body.clone())),
            measured: None,
            drift: None,
            is_fresh: false,
            stored: Stored::default(),
            processing: Processing::default(),
        }
    }

    /// Begins the account of what processes take in a step.
    pub(crate) fn begin_processing(&mut self) {
        self.processing = Processing {
            start: self.stored,
            ..Processing::default()
        };
    }

    /// Whether processes may take energy out of the body.
    pub(crate) fn may_dissipate(&self) -> bool {
        let processes = self.processes.as_ref();
        self.integrator.has_energy() && processes.is_some_and(|all| all.may_dissipate())
    }

    /// Elastic energy as the integrator has it for a part of the step that begins, in joules.
    pub(crate) fn energy_before(&mut self, body: &Body) -> f64 {
        let processes = self.processes.as_ref();
        let is_known = !self.processing.has_moved
            && processes.is_some_and(|processes| !processes.prepares_by_step(body));
        match is_known {
            true => self.processing.start.elastic,
            false => self.integrator.elastic_energy(body),
        }
    }

    /// Ends that part: takes note of the change of the elastic energy by motion, before processes follow.
    pub(crate) fn note_motion(&mut self, body: &Body, before: f64) {
        self.processing.has_moved = true;
        let after = match self.measured {
            Some(measured) if self.is_fresh => measured.elastic,
            _ => self.integrator.elastic_energy(body),
        };
        self.processing.by_motion += after - before;
    }

    /// Takes note of what dashpots have taken, in joules.
    pub(crate) fn note_dashpots(&mut self, loss: f64) {
        self.processing.dashpots += loss;
    }

    /// What processes have taken in the step, of which the end has been measured, in joules.
    pub(crate) fn processed(&self) -> f64 {
        if !self.may_dissipate() {
            return 0.0;
        }
        let Processing {
            start,
            by_motion,
            dashpots,
            ..
        } = self.processing;
        start.whole + by_motion - self.stored.whole + dashpots
    }

    /// Work of external forces and of what drives parts of the body, in the step that led to the
    /// candidate, in joules.
    pub(crate) fn work_of_drivers(&mut self, problem: &Problem) -> f64 {
        let (before, after) = (&problem.body.state, &self.candidate);
        let by_forces = match self.integrator.driven_work(problem, after) {
            Some(work) => work,
            None => self.evaluator.driven_work(problem, before, after),
        };
        by_forces + self.integrator.path_work(problem, before, after)
    }

    /// Elastic energy of the body, with that of the springs within its processes, in joules; after
    /// [`Self::adopt_past`].
    fn elastic_energy(&mut self, body: &Body) -> f64 {
        let processes = self.processes.as_mut();
        let within = processes.map_or(0.0, |processes| processes.stored_energy(body));
        let elastic = self.integrator.elastic_energy(body);
        let whole = elastic + within;
        self.stored = Stored { elastic, whole };
        whole
    }

    /// Hands what processes have changed to the integrator, for a step of `length` seconds; without a
    /// length, for the elastic energy as it is.
    pub(crate) fn adopt_past(&mut self, body: &Body, time: f64, length: f64) {
        if let Some(processes) = &mut self.processes {
            self.integrator.adopt(processes.prepare(body, time, length));
        }
        self.integrator.follow(body);
    }
}

impl Body {
    /// Elastic energy of the body as it is, in joules. It makes scratch memory of its own; where
    /// there is a [`Workspace`], its `energies` cost less.
    pub fn elastic_energy(&self) -> f64 {
        let mut workspace = BodyWorkspace::new(self, false);
        workspace.adopt_past(self, 0.0, 0.0);
        workspace.elastic_energy(self)
    }

    /// The number of parts into which a step of so many seconds has to be divided to stay stable, by how
    /// the body is now; 1 for integrators that divide no step. It makes scratch memory of its own.
    pub fn parts_of_step(&self, step: f64) -> f64 {
        let mut workspace = BodyWorkspace::new(self, false);
        workspace.adopt_past(self, 0.0, step);
        workspace.integrator.parts(self, step)
    }
}

impl Workspace {
    /// For the bodies of a world.
    pub fn new(world: &World) -> Self {
        let is_joined = world.moves_together();
        let of_body = |body| BodyWorkspace::new(body, is_joined);
        let bodies = world.bodies.iter().map(of_body).collect();
        Self {
            bodies,
            particles: Particles::default(),
            island: None,
            together: Together::default(),
            measure: true,
            clock: None,
            bounds: 1e9,
            stop: None,
        }
    }

    /// Makes anew what is out of date: of bodies whose descriptions have changed.
    pub(crate) fn follow(&mut self, world: &World) {
        let is_joined = world.moves_together();
        for (scratch, body) in self.bodies.iter_mut().zip(&world.bodies) {
            if scratch.revision != body.revision() || scratch.is_joined != is_joined {
                *scratch = BodyWorkspace::new(body, is_joined);
                self.island = None;
            }
        }
    }

    /// Makes what moves bodies together, if it is not there or does not fit any more.
    pub(crate) fn prepare_island(&mut self, world: &World) {
        let apart = PairContactSettings {
            meets: false,
            lowered: Some(Vec::new()),
            ..PairContactSettings::default()
        };
        let settings = world.contact.as_ref().unwrap_or(&apart);
        if let Some(island) = &mut self.island
            && island.fits(&world.bodies)
        {
            island.take_ranges(settings, &world.bodies);
            return;
        }
        let mut island = Island::new(settings, &world.bodies, &world.obstacles, &world.joints);
        let length = world.time_step();
        for (index, scratch) in self.bodies.iter_mut().enumerate() {
            if let Some(mover) = mover_of(scratch.integrator.as_mut()) {
                let problem = problem(world, index, world.time, length);
                island.take_stiffness(index, &problem, mover, length);
            }
        }
        island.take_ranges(settings, &world.bodies);
        self.island = Some(island);
    }

    /// Takes no energy for known: what acts on the bodies has changed.
    pub(crate) fn forget_energies(&mut self) {
        self.bodies
            .iter_mut()
            .for_each(|scratch| scratch.measured = None);
    }

    /// Elastic and external force at each node of a body, in newtons.
    pub fn forces(&mut self, world: &World, body_index: usize) -> (Vec<DVec3>, Vec<DVec3>) {
        self.follow(world);
        let body = &world.bodies[body_index];
        let scratch = &mut self.bodies[body_index];
        scratch.adopt_past(body, world.time, 0.0);
        let mut elastic = vec![DVec3::ZERO; body.node_count()];
        scratch.integrator.add_elastic_gradient(body, &mut elastic);
        elastic.iter_mut().for_each(|force| *force = -*force);
        let problem = problem(world, body_index, world.time, 0.0);
        scratch.evaluator.evaluate(
            &problem,
            &body.state.positions,
            &body.state.velocities,
            LoadMoment::instant(world.time),
            &mut scratch.loads,
        );
        (elastic, scratch.loads.forces.clone())
    }

    /// Energies of the world, in joules.
    pub fn energies(&mut self, world: &World) -> Energies {
        self.follow(world);
        let mut energies = Energies::default();
        for (index, scratch) in self.bodies.iter_mut().enumerate() {
            if !scratch.integrator.has_energy() {
                continue;
            }
            let body = &world.bodies[index];
            let positions = &body.state.positions;
            scratch.adopt_past(body, world.time, 0.0);
            energies.kinetic += body.kinetic_energy();
            energies.elastic += scratch.elastic_energy(body);
            let problem = problem(world, index, world.time, 0.0);
            energies.external += scratch.evaluator.potential(
                &problem,
                positions,
                &body.state.velocities,
                world.time,
            );
        }
        energies.external += self.particles.potential(&world.bodies, world.time);
        for joint in world
            .joints
            .iter()
            .filter(|joint| joint.acts_at(world.time))
        {
            energies.external += joint.energy(&world.bodies, world.time);
        }
        if world.moves_together() {
            // What begins within the range of contact has its energy from the start.
            self.prepare_island(world);
            if let Some(island) = &mut self.island {
                energies.external += island.energy(&world.bodies);
            }
        }
        energies
    }
}

/// What the integrator of a body is given for a step.
pub(crate) fn problem(world: &World, body_index: usize, time: f64, step: f64) -> Problem<'_> {
    Problem {
        body: &world.bodies[body_index],
        obstacles: &world.obstacles,
        meets: &world.bodies[body_index].description().collides_with,
        least_friction: world.contact.as_ref().map_or(0.0, |all| all.friction),
        time,
        step,
        damped: false,
        drifts: false,
        clock: None,
        stop: None,
    }
}
