//! What becomes of a candidate that is accepted: the body takes it over, and the report counts what it took.

use crate::body::{Effort, timed};
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
    if workspace.measure {
        let attempt = problem(world, index, time, step);
        report.work += scratch.work_of_drivers(&attempt);
    }
    std::mem::swap(&mut world.bodies[index].state, &mut scratch.candidate);
    let World {
        bodies, obstacles, ..
    } = &mut *world;
    if let Some(processes) = &mut scratch.processes {
        timed(workspace.clock, &mut report.times.processes, || {
            processes.commit(&mut bodies[index], obstacles, time, step);
        });
        if workspace.measure {
            report.work += processes.take_work();
        }
        report.unconverged_solves += processes.take_unconverged_solves();
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
    report.smallest_distance = report.smallest_distance.min(contacts.smallest_distance);
    report.times.add(&effort.times);
}
