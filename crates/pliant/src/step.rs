//! One step of the world.

use crate::accept::{add_effort, broken_before, commit, part_pieces};
use crate::attempt::try_step;
use crate::body::{Body, Problem, StepFailure, timed};
use crate::report::{Dissipation, Energies, StepReport};
use crate::together::advance_together;
use crate::workspace::{Workspace, problem};
use crate::world::World;

/// Steps are not made shorter than this share against energy out of nothing: they are damped instead.
const SHORTEST_GUARDED: f64 = 1.0 / 300.0;

/// How often the parts of a step by a rule that damps nothing are refused for energy out of nothing before the rest of
/// it goes by backward Euler: once down to the shortest, and some times more.
const REFUSALS: usize = 12;

impl World {
    /// Advances by one step.
    pub fn step(&mut self, workspace: &mut Workspace) -> StepReport {
        step(self, workspace)
    }
}

/// Advances every body by the world's time step: in one go, or in parts where fluids ask for it.
fn step(world: &mut World, workspace: &mut Workspace) -> StepReport {
    let mut report = StepReport::default();
    let length = world.time_step();
    let before = workspace.measure.then(|| workspace.energies(world));
    if apply_commands(world) {
        workspace.follow(world);
        workspace.forget_energies();
        if let Some(before) = &before {
            report.work += workspace.energies(world).total() - before.total();
        }
    }
    let scratches = workspace.bodies.iter_mut();
    scratches.for_each(|scratch| scratch.begin_processing());
    workspace.particles.take_resisted();
    let mut done = 0.0;
    while done < length {
        let start = world.time + done;
        let left = length - done;
        let part = timed(workspace.clock, &mut report.times.processes, || {
            let bodies = &mut world.bodies;
            workspace.particles.interact(bodies, start, left, length)
        });
        if world.moves_together() {
            advance_together(world, workspace, start, part, &mut report);
        } else {
            for index in 0..world.bodies.len() {
                if world.bodies[index].quarantine.is_none() && !report.is_stopped {
                    advance_body(world, workspace, index, start, part, &mut report);
                }
            }
        }
        if report.is_stopped {
            return report;
        }
        let is_last = part >= left;
        report.shortened_steps += usize::from(!is_last);
        done = if is_last { length } else { done + part };
    }
    world.step_count += 1;
    world.time = world.step_count as f64 * length;
    summarise(world, workspace, &mut report);
    match before {
        Some(before) => close_ledger(before, workspace, &mut report),
        None => report.dissipation = Dissipation::default(),
    }
    report
}

/// Applies the commands that have waited for this step; says whether there were any.
fn apply_commands(world: &mut World) -> bool {
    let World {
        bodies,
        commands,
        contact,
        ..
    } = world;
    if !commands.are_due(world.step_count) {
        return false;
    }
    let meets_itself = contact.as_ref().is_some_and(|all| all.with_itself);
    let known = bodies.iter().map(|body| broken_before(body, meets_itself));
    let known: Vec<Option<Vec<bool>>> = known.collect();
    let any = commands.apply(bodies, world.step_count, world.time);
    for (body, before) in bodies.iter_mut().zip(known) {
        part_pieces(body, before);
    }
    any
}

/// What became of the energy of the step.
fn close_ledger(before: Energies, workspace: &mut Workspace, report: &mut StepReport) {
    let gained = report.energies.total() - before.total() - report.work;
    report.dissipated = (-gained).max(0.0);
    report.energy_created = gained.max(0.0);
    let causes = &mut report.dissipation;
    let processed = workspace.bodies.iter().map(|scratch| scratch.processed());
    causes.processes = processed.sum::<f64>() + workspace.particles.take_resisted();
    causes.rest = -gained - causes.damping - causes.friction - causes.processes;
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
    let description = world.bodies[index].description();
    let shortest = description.shortest_share();
    let gives_way = description.scheme().damps_nothing();
    let (mut done, mut drifts, mut refusals) = (0.0, false, 0);
    while done < 1.0 {
        let scratch = &mut workspace.bodies[index];
        let share = world.bodies[index].step_share.min(1.0 - done);
        // Shorter steps help against energy out of nothing, up to a point.
        let guarded = share > SHORTEST_GUARDED && !(gives_way && refusals >= REFUSALS);
        let attempt = Problem {
            damped: !guarded,
            drifts,
            clock: workspace.clock,
            stop: workspace.stop.as_deref(),
            ..problem(world, index, start + done * length, share * length)
        };
        timed(workspace.clock, &mut report.times.processes, || {
            scratch.adopt_past(attempt.body, attempt.time, attempt.step);
        });
        match try_step(&attempt, scratch, workspace.bounds) {
            Ok((effort, contacts)) => {
                let (time, step) = (attempt.time, attempt.step);
                commit(world, workspace, index, time, step, report);
                add_effort(report, &effort, &contacts);
                done += share;
                drifts = false;
                let body = &mut world.bodies[index];
                body.step_share = (2.0 * body.step_share).min(1.0);
            }
            Err(StepFailure::Stopped) => {
                report.is_stopped = true;
                return;
            }
            Err(StepFailure::EnergyDrifts { .. }) if !drifts => drifts = true,
            Err(failure) => {
                report.shortened_steps += 1;
                refusals += usize::from(matches!(failure, StepFailure::CreatesEnergy { .. }));
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

fn summarise(world: &World, workspace: &mut Workspace, report: &mut StepReport) {
    for body in &world.bodies {
        report.quarantined += usize::from(body.quarantine.is_some());
        report.broken_links += body.broken_count();
        report.molten += body.molten_count();
    }
    let broken = world.joints.iter().filter(|joint| joint.state.is_broken);
    report.broken_links += broken.count();
    if workspace.measure {
        report.momentum = world.bodies.iter().map(Body::momentum).sum();
        report.angular_momentum = world.bodies.iter().map(Body::angular_momentum).sum();
        report.energies = workspace.energies(world);
        report.heat = world.bodies.iter().map(Body::heat_content).sum();
    }
}
