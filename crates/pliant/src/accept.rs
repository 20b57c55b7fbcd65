//! What becomes of a candidate that is accepted: the body takes it over, and the report counts what it took.

use crate::body::{Body, Effort, timed};
use crate::contact::Contacts;
use crate::report::StepReport;
use crate::workspace::{Workspace, problem};
use crate::world::World;

/// Takes the candidate of a body over, and lets its processes follow.
pub(crate) fn commit(
    world: &mut World,
    workspace: &mut Workspace,
    index: usize,
    time: f64,
    step: f64,
    report: &mut StepReport,
) {
    let scratch = &mut workspace.bodies[index];
    let is_processed = workspace.measure && scratch.may_dissipate();
    let mut before = 0.0;
    if workspace.measure && scratch.integrator.has_energy() {
        let attempt = problem(world, index, time, step);
        report.work += scratch.work_of_drivers(&attempt);
        let (integrator, candidate) = (&mut scratch.integrator, &scratch.candidate);
        report.dissipation.damping += integrator.damping_loss(&attempt, candidate);
        if is_processed {
            let dashpots = integrator.dashpot_loss(&attempt, candidate);
            scratch.note_dashpots(dashpots);
            before = scratch.energy_before(attempt.body);
        }
    }
    let body = &mut world.bodies[index];
    std::mem::swap(&mut body.state, &mut scratch.candidate);
    body.drift = scratch.drift.take().unwrap_or(body.drift);
    if is_processed {
        scratch.note_motion(&world.bodies[index], before);
    }
    let World {
        bodies,
        obstacles,
        contact,
        ..
    } = &mut *world;
    let meets_itself = contact.as_ref().is_some_and(|all| all.with_itself);
    if let Some(processes) = &mut scratch.processes {
        timed(workspace.clock, &mut report.times.processes, || {
            let body = &mut bodies[index];
            let before = broken_before(body, meets_itself);
            processes.commit(body, obstacles, time, step);
            part_pieces(body, before);
        });
        if workspace.measure {
            report.work += processes.take_work();
        }
        report.unconverged_solves += processes.take_unconverged_solves();
        let dashpots = processes.take_dissipated();
        scratch.note_dashpots(dashpots);
    }
}

/// What is broken of a body that can come apart and meets itself.
pub(crate) fn broken_before(body: &Body, meets_itself: bool) -> Option<Vec<bool>> {
    let inelastic = body.inelastic()?;
    (meets_itself && !inelastic.broken_faces.is_empty()).then(|| inelastic.broken_faces.clone())
}

/// Draws pieces away from each other that have come apart since.
pub(crate) fn part_pieces(body: &mut Body, before: Option<Vec<bool>>) {
    if let Some(before) = before {
        let formulation = body.description().formulation.clone();
        formulation.part_pieces(body, &before);
    }
}

pub(crate) fn add_effort(report: &mut StepReport, effort: &Effort, contacts: &Contacts) {
    report.newton_iterations += effort.newton_iterations;
    report.linear_iterations += effort.linear_iterations;
    report.multigrid_cycles += effort.multigrid_cycles;
    report.linear_residual = report.linear_residual.max(effort.linear_residual);
    report.factorisations += effort.factorisations;
    report.unconverged_solves += effort.unconverged_solves;
    report.damped_steps += effort.damped_steps;
    report.shortened_steps += effort.divisions;
    report.candidates = report.candidates.max(effort.candidates);
    report.active_pairs = report.active_pairs.max(effort.active_pairs);
    report.contact_rounds += effort.contact_rounds;
    report.contacts += contacts.count;
    report.dissipation.friction += contacts.friction_loss;
    report.smallest_distance = report.smallest_distance.min(contacts.smallest_distance);
    report.times.add(&effort.times);
}
