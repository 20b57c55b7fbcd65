//! One step of the world.

use crate::body::{Body, EnergyVariant, State};
use crate::contact::{ContactMethod, Contacts, resolve_contacts};
use crate::fem::MeshInelasticWorkspace;
use crate::force::Loads;
use crate::inelastic::{InelasticWorkspace, Inelasticity, Particles};
use crate::integrate::{
    Effort, Integrator, IntegratorKind, Problem, StepFailure, integrator_for, timed,
};
use crate::loads::LoadEvaluator;
use crate::report::{Energies, StepReport};
use crate::world::World;
use glam::DVec3;

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
    bodies: Vec<BodyWorkspace>,
    /// Molten nodes of all bodies.
    particles: Particles,
    /// Whether reports hold energies and momenta, which take a pass over the elements each step.
    pub measure: bool,
    /// Seconds since some moment, for the times in the report; `None` measures nothing.
    pub clock: Option<fn() -> f64>,
    /// Largest coordinate a node may have, in metres.
    pub bounds: f64,
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Workspace({} bodies)", self.bodies.len())
    }
}

/// Energy that a step may create, by the energy in motion and the work done.
const ENERGY_TOLERANCE: f64 = 0.01;

/// Steps are not made shorter than this share against energy out of nothing.
const SHORTEST_GUARDED: f64 = 1.0 / 300.0;

struct BodyWorkspace {
    integrator: Box<dyn Integrator>,
    evaluator: LoadEvaluator,
    loads: Loads,
    candidate: State,
    /// Distances of the nodes from an obstacle.
    distances: Vec<f64>,
    /// Changes of velocity by contact; empty until they are asked for.
    pushes: Vec<DVec3>,
    /// For bodies that are more than elastic.
    inelastic: Option<InelasticWorkspace>,
    mesh_inelastic: Option<MeshInelasticWorkspace>,
    /// To measure the energy of a candidate; empty until it is asked for.
    trial: Option<Box<Body>>,
}

/// Whether `check_energy` may look at a body.
fn may_create_energy(body: &Body) -> bool {
    let description = body.description();
    let rings = matches!(
        description.scheme(),
        IntegratorKind::Midpoint | IntegratorKind::Newmark
    );
    rings || !description.collides_with.is_empty()
}

impl BodyWorkspace {
    fn new(body: &Body) -> Self {
        Self {
            integrator: integrator_for(body),
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(body.node_count(), false),
            candidate: body.state.clone(),
            distances: vec![0.0; body.node_count()],
            inelastic: InelasticWorkspace::new(body),
            mesh_inelastic: MeshInelasticWorkspace::new(body),
            pushes: Vec::new(),
            trial: may_create_energy(body).then(|| Box::new(body.clone())),
        }
    }

    /// Hands the springs of a step of `length` seconds to the integrator; without a length, those
    /// of the elastic energy.
    fn adopt_springs(&mut self, body: &Body, time: f64, length: f64) {
        if let Some(inelastic) = &mut self.inelastic {
            let springs = inelastic.springs(body, time, length);
            self.integrator.adopt(&springs.rests, &springs.stiffnesses);
        }
        if let Some(inelastic) = &mut self.mesh_inelastic {
            let memory = inelastic.prepare(body, time, length);
            self.integrator.adopt_mesh(memory);
        }
    }
}

impl Body {
    /// Elastic energy of the body as it is, in joules. It makes scratch memory of its own; where
    /// there is a [`Workspace`], its `energies` cost less.
    pub fn elastic_energy(&self) -> f64 {
        let mut workspace = BodyWorkspace::new(self);
        workspace.adopt_springs(self, 0.0, 0.0);
        workspace.integrator.elastic_energy(self)
    }
}

impl Workspace {
    /// For the bodies of a world.
    pub fn new(world: &World) -> Self {
        let bodies = world.bodies.iter().map(BodyWorkspace::new).collect();
        Self {
            bodies,
            particles: Particles::default(),
            measure: true,
            clock: None,
            bounds: 1e9,
        }
    }

    /// Elastic and external force at each node of a body, in newtons.
    pub fn forces(&mut self, world: &World, body_index: usize) -> (Vec<DVec3>, Vec<DVec3>) {
        let body = &world.bodies[body_index];
        let own = &mut self.bodies[body_index];
        own.adopt_springs(body, world.time, 0.0);
        let mut elastic = vec![DVec3::ZERO; body.node_count()];
        own.integrator.add_elastic_gradient(body, &mut elastic);
        elastic.iter_mut().for_each(|force| *force = -*force);
        let problem = problem(world, body_index, world.time, 0.0);
        own.evaluator.evaluate(
            &problem,
            &body.state.positions,
            &body.state.velocities,
            world.time,
            0.0,
            &mut own.loads,
        );
        (elastic, own.loads.forces.clone())
    }

    /// Energies of the world, in joules.
    pub fn energies(&mut self, world: &World) -> Energies {
        let mut energies = Energies::default();
        for (index, own) in self.bodies.iter_mut().enumerate() {
            let body = &world.bodies[index];
            let positions = &body.state.positions;
            own.adopt_springs(body, world.time, 0.0);
            energies.kinetic += body.kinetic_energy();
            energies.elastic += own.integrator.elastic_energy(body);
            let problem = problem(world, index, world.time, 0.0);
            energies.external +=
                own.evaluator
                    .potential(&problem, positions, &body.state.velocities, world.time);
        }
        energies.external += self.particles.potential(world);
        energies
    }
}

fn problem(world: &World, body_index: usize, time: f64, step: f64) -> Problem<'_> {
    Problem {
        body: &world.bodies[body_index],
        obstacles: &world.obstacles,
        time,
        step,
        clock: None,
    }
}

/// Advances every body by the world's time step: in one go, or in parts where fluids ask for it.
pub(crate) fn step(world: &mut World, workspace: &mut Workspace) -> StepReport {
    let mut report = StepReport::default();
    let length = world.time_step();
    let before = workspace.measure.then(|| workspace.energies(world));
    let mut done = 0.0;
    while done < length {
        let start = world.time + done;
        let left = length - done;
        let part = timed(workspace.clock, &mut report.times.processes, || {
            workspace.particles.kick(world, start, left, length)
        });
        for index in 0..world.bodies.len() {
            if world.bodies[index].quarantine.is_none() {
                advance_body(world, workspace, index, start, part, &mut report);
            }
        }
        let is_last = part >= left;
        report.shortened_steps += usize::from(!is_last);
        done = if is_last { length } else { done + part };
    }
    world.step_count += 1;
    world.time = world.step_count as f64 * length;
    summarise(world, workspace, &mut report);
    if let Some(before) = before {
        close_ledger(before, &mut report);
    }
    report
}

/// What became of the energy of the step.
fn close_ledger(before: Energies, report: &mut StepReport) {
    let gained = report.energies.total() - before.total() - report.work;
    report.dissipated = (-gained).max(0.0);
    report.energy_created = gained.max(0.0);
}

/// Advances one body, with shorter steps where a whole one fails, and freezes it where even the
/// shortest fails.
fn advance_body(
    world: &mut World,
    workspace: &mut Workspace,
    index: usize,
    start: f64,
    length: f64,
    report: &mut StepReport,
) {
    let shortest = world.bodies[index].description().shortest_step;
    let mut done = 0.0;
    while done < 1.0 {
        let own = &mut workspace.bodies[index];
        let share = world.bodies[index].step_share.min(1.0 - done);
        let attempt = Problem {
            clock: workspace.clock,
            ..problem(world, index, start + done * length, share * length)
        };
        timed(workspace.clock, &mut report.times.processes, || {
            own.adopt_springs(attempt.body, attempt.time, attempt.step);
        });
        // Shorter steps help against energy out of nothing, up to a point; the ledger tells what is left.
        let guarded = share > SHORTEST_GUARDED;
        match try_step(&attempt, own, workspace.bounds, guarded) {
            Ok((effort, contacts)) => {
                let (time, length) = (attempt.time, attempt.step);
                if workspace.measure {
                    let body = &attempt.body.state;
                    report.work += own.evaluator.driven_work(&attempt, body, &own.candidate);
                }
                std::mem::swap(&mut world.bodies[index].state, &mut own.candidate);
                let World {
                    bodies, obstacles, ..
                } = &mut *world;
                if let Some(inelastic) = &mut own.inelastic {
                    timed(workspace.clock, &mut report.times.processes, || {
                        inelastic.commit(&mut bodies[index], obstacles, time, length);
                    });
                }
                if let Some(inelastic) = &mut own.mesh_inelastic {
                    timed(workspace.clock, &mut report.times.processes, || {
                        inelastic.commit(&mut bodies[index], obstacles, time, length);
                    });
                }
                add_effort(report, &effort, &contacts);
                done += share;
                let body = &mut world.bodies[index];
                body.step_share = (2.0 * body.step_share).min(1.0);
            }
            Err(failure) => {
                report.shortened_steps += 1;
                report.non_finite += usize::from(matches!(failure, StepFailure::NonFinite { .. }));
                let (time, step) = (attempt.time, attempt.step);
                let body = &mut world.bodies[index];
                body.step_share = 0.5 * share;
                if body.step_share < shortest {
                    body.quarantine = Some(format!(
                        "frozen at {time:.6} s, after steps down to {step:.3e} s had failed: \
                         {failure}"
                    ));
                    return;
                }
            }
        }
    }
}

/// The candidate of one body: its formulation, then contact, then the check.
fn try_step(
    problem: &Problem,
    own: &mut BodyWorkspace,
    bounds: f64,
    guarded: bool,
) -> Result<(Effort, Contacts), StepFailure> {
    let state = &problem.body.state;
    let mut effort = own.integrator.advance(problem, state, &mut own.candidate)?;
    let start = problem.clock.map(|clock| clock());
    let contacts = if own.integrator.solves_contact() {
        effort.contacts
    } else {
        meet_obstacles(problem, own, &mut effort)?
    };
    if guarded && is_risky(problem, &contacts) {
        check_energy(problem, own)?;
    }
    if let (Some(clock), Some(start)) = (problem.clock, start) {
        effort.times.contact += clock() - start;
    }
    check(problem, &own.candidate, bounds)?;
    Ok((effort, contacts))
}

/// Contact, with the answer of a body that moves as a whole.
fn meet_obstacles(
    problem: &Problem,
    own: &mut BodyWorkspace,
    effort: &mut Effort,
) -> Result<Contacts, StepFailure> {
    let description = problem.body.description();
    let answers = (problem.body.hybrid.is_some() || description.mesh.is_some())
        && !description.collides_with.is_empty()
        && description.contact.method == ContactMethod::Projection;
    if answers {
        own.pushes.clone_from(&own.candidate.velocities);
    }
    let mut contacts = resolve_contacts(
        problem.body.description(),
        problem.obstacles,
        problem.step,
        &mut own.candidate,
        &mut own.distances,
    );
    if answers && contacts.count > 0 {
        for (push, after) in own.pushes.iter_mut().zip(&own.candidate.velocities) {
            *push = *after - *push;
        }
        let state = &problem.body.state;
        if own
            .integrator
            .respond(problem, state, &own.pushes, &mut own.candidate, effort)?
        {
            let left = resolve_contacts(
                problem.body.description(),
                problem.obstacles,
                problem.step,
                &mut own.candidate,
                &mut own.distances,
            );
            contacts.count = contacts.count.max(left.count);
            contacts.smallest_distance = left.smallest_distance;
        }
    }
    Ok(contacts)
}

/// Whether a step may create energy by its rule or by how contact is resolved. Backward Euler and the
/// rule of two stages cannot, or see to it themselves; the schemes as published are left as they are.
fn is_risky(problem: &Problem, contacts: &Contacts) -> bool {
    let description = problem.body.description();
    match description.scheme() {
        IntegratorKind::Midpoint | IntegratorKind::Newmark => true,
        IntegratorKind::TwoStage | IntegratorKind::Implicit | IntegratorKind::Static
            if problem.body.hybrid.is_none() =>
        {
            false
        }
        _ => {
            let penalties = description.contact.method != ContactMethod::Projection
                && !description.collides_with.is_empty();
            (contacts.count > 0 || penalties) && description.energy == EnergyVariant::Exact
        }
    }
}

/// Refuses a candidate with more energy than the body had and external forces have given it.
fn check_energy(problem: &Problem, own: &mut BodyWorkspace) -> Result<(), StepFailure> {
    let body = problem.body;
    let trial = own.trial.get_or_insert_with(|| Box::new(body.clone()));
    if body.hybrid.is_some() && body.inelastic.is_some() {
        // Others have handed what processes changed to their integrator, or have none.
        trial.hybrid.clone_from(&body.hybrid);
        trial.inelastic.clone_from(&body.inelastic);
    }
    let mut energy = |state: &State, time: f64| {
        trial.state.copy_from(state);
        let external = own
            .evaluator
            .potential(problem, &state.positions, &state.velocities, time);
        let kinetic = trial.kinetic_energy();
        let total = kinetic + own.integrator.elastic_energy(trial) + external;
        (kinetic, total)
    };
    let (kinetic, before) = energy(&body.state, problem.time);
    let (kinetic_after, after) = energy(&own.candidate, problem.time + problem.step);
    let work = own
        .evaluator
        .driven_work(problem, &body.state, &own.candidate);
    let scale = kinetic + kinetic_after + work.abs();
    let created = after - before - work;
    // A body at rest trembles by a millionth.
    if created > ENERGY_TOLERANCE * scale + 1e-6 * (before.abs() + after.abs()) {
        return Err(StepFailure::CreatesEnergy { created });
    }
    Ok(())
}

/// Finite, within bounds and, where steps are adaptive, not too far in one go.
fn check(problem: &Problem, candidate: &State, bounds: f64) -> Result<(), StepFailure> {
    let State {
        positions,
        velocities,
        ..
    } = candidate;
    for node in 0..positions.len() {
        if !(positions[node].is_finite() && velocities[node].is_finite()) {
            return Err(StepFailure::NonFinite { node });
        }
        if positions[node].abs().max_element() > bounds {
            return Err(StepFailure::OutOfBounds { node });
        }
    }
    if problem.body.description().adaptive {
        check_motion(problem, positions)?;
    }
    Ok(())
}

/// No node passes an obstacle unseen, and no whole edge changes by more than a quarter of its length.
fn check_motion(problem: &Problem, positions: &[DVec3]) -> Result<(), StepFailure> {
    let description = problem.body.description();
    let (grid, before) = (&description.grid, &problem.body.state.positions);
    let thickness = 0.01 * problem.body.size();
    for (node, (now, before)) in positions.iter().zip(before).enumerate() {
        let moved = (*now - *before).length();
        let passes = |&index: &usize| {
            moved > thickness + problem.obstacles[index].distance(*before).max(0.0)
        };
        if moved > thickness && description.collides_with.iter().any(passes) {
            return Err(StepFailure::TooFast { node });
        }
    }
    let rest = &description.rest_positions;
    let is_broken = |node: usize, direction: usize| {
        let own = problem.body.inelastic.as_deref();
        own.is_some_and(|own: &Inelasticity| own.is_broken(node, direction))
    };
    let [columns, rows, layers] = grid.counts();
    let strides = [1, columns, columns * rows];
    let directions = strides.into_iter().zip([columns, rows, layers]);
    for (d, (stride, count)) in directions.take(grid.dimension()).enumerate() {
        // Edges between neighbours in a block of consecutive nodes; a seam has the last to the first.
        let block = stride * count;
        for start in (0..positions.len()).step_by(block) {
            let edges = (start..start + block - stride).map(|node| (node, node + stride));
            let seam = (start..start + stride).map(|node| (node + block - stride, node));
            let seam = seam.filter(|_| grid.periodic()[d]);
            for (node, end) in edges.chain(seam) {
                let length = |x: &[DVec3]| (x[end] - x[node]).length();
                let change = (length(positions) - length(before)).abs();
                if change > 0.25 * length(rest) && !is_broken(node, d) {
                    return Err(StepFailure::TooFast { node });
                }
            }
        }
    }
    Ok(())
}

fn add_effort(report: &mut StepReport, effort: &Effort, contacts: &Contacts) {
    report.newton_iterations += effort.newton_iterations;
    report.linear_iterations += effort.linear_iterations;
    report.multigrid_cycles += effort.multigrid_cycles;
    report.linear_residual = report.linear_residual.max(effort.linear_residual);
    report.factorisations += effort.factorisations;
    report.unconverged_solves += effort.unconverged_solves;
    report.damped_steps += effort.damped_steps;
    report.shortened_steps += effort.divisions;
    report.contacts += contacts.count;
    report.smallest_distance = report.smallest_distance.min(contacts.smallest_distance);
    report.times.assembly += effort.times.assembly;
    report.times.solve += effort.times.solve;
    report.times.contact += effort.times.contact;
}

fn summarise(world: &World, workspace: &mut Workspace, report: &mut StepReport) {
    for body in &world.bodies {
        report.quarantined += usize::from(body.quarantine.is_some());
        report.broken_links += body.broken_count();
        if let Some(inelastic) = &body.inelastic {
            report.molten += inelastic.thermal.molten_count();
        }
    }
    if workspace.measure {
        report.momentum = world.bodies.iter().map(Body::momentum).sum();
        report.angular_momentum = world.bodies.iter().map(Body::angular_momentum).sum();
        report.energies = workspace.energies(world);
        report.heat = world.bodies.iter().map(Body::heat_content).sum();
    }
}
