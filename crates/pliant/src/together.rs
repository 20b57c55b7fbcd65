//! Steps of worlds whose bodies meet each other: bodies that may touch move as one system.
//!
//! When a step begins, bodies that may come within reach of each other are put into groups. Each group is
//! one system, with steps of its own length: one that is in trouble takes shorter ones and is frozen at
//! last, and the others go on. Whatever is not in a group stands still while the group moves, so that
//! nothing is passed through even if two groups meet that were not expected to; they are then moved
//! anew as one, unless one of them has gone ahead.

use crate::accept::{add_effort, commit};
use crate::attempt::{check, try_step};
use crate::body::{Body, Effort, Problem, StepFailure};
use crate::report::StepReport;
use crate::system::{FreeLists, Groups, Means, Member, Trouble, mover_of};
use crate::workspace::{Workspace, problem};
use crate::world::World;
use glam::DVec3;

/// Advances all bodies, group by group.
pub(crate) fn advance_together(
    world: &mut World,
    workspace: &mut Workspace,
    start: f64,
    length: f64,
    report: &mut StepReport,
) {
    let World { joints, bodies, .. } = &mut *world;
    joints
        .iter_mut()
        .for_each(|joint| joint.begin_step(bodies, start));
    workspace.prepare_island(world);
    let Some(island) = &mut workspace.island else {
        return;
    };
    if let Some(contact) = &mut world.contact {
        island.hand_out_ranges(contact);
    }
    let mut groups = std::mem::take(&mut workspace.together.groups);
    let times = [start, length];
    island.groups(&world.bodies, &world.joints, times, &mut groups);
    advance_free(world, workspace, &mut groups.alone, times, report);
    groups.join_alone();
    let mut next = 0;
    while next < groups.len() && !report.is_stopped {
        match advance_group(world, workspace, (&groups, next), times, report) {
            Some(met) => groups.merge(next, met),
            None => next += 1,
        }
    }
    workspace.together.groups = groups;
    if let (Some(island), Some(contact)) = (&mut workspace.island, &mut world.contact) {
        island.grow_ranges(contact, &world.bodies);
    }
}

/// Advances those of some bodies that touch nothing in this step, each by itself as in a world without contact.
/// The others are left in the list, and have not moved.
fn advance_free(
    world: &mut World,
    workspace: &mut Workspace,
    alone: &mut Vec<usize>,
    [start, length]: [f64; 2],
    report: &mut StepReport,
) {
    let Some(island) = &mut workspace.island else {
        return;
    };
    if alone.is_empty() {
        return;
    }
    let FreeLists {
        is_held,
        whole,
        unmet,
        tried,
    } = &mut workspace.together.free;
    let World { bodies, joints, .. } = &*world;
    is_held.clear();
    is_held.resize(bodies.len(), false);
    let acting = joints.iter().filter(|joint| joint.acts_at(start));
    for point in acting.flat_map(|joint| joint.points()) {
        is_held[point.body] = true;
    }
    whole.clear();
    whole.extend(alone.iter().copied().filter(|&index| {
        let body = &bodies[index];
        body.step_share >= 1.0 && body.state.controls.is_empty() && !is_held[index]
    }));
    // Where they go if nothing acts on them tells at little cost which are worth an attempt.
    let straight_on = |index: usize, ends: &mut [DVec3]| {
        for (place, velocity) in ends.iter_mut().zip(&bodies[index].state.velocities) {
            *place += length * *velocity;
        }
    };
    island.unmet(bodies, whole, straight_on, unmet);
    let meets = island.met_by_nodes();
    tried.clear();
    for &index in unmet.iter() {
        let attempt = Problem {
            clock: workspace.clock,
            stop: workspace.stop.as_deref(),
            meets: &meets[index],
            ..problem(world, index, start, length)
        };
        let scratch = &mut workspace.bodies[index];
        scratch.adopt_past(attempt.body, start, length);
        if let Ok(done) = try_step(&attempt, scratch, workspace.bounds) {
            tried.push((index, done));
        }
    }
    whole.clear();
    whole.extend(tried.iter().map(|(index, _)| *index));
    let scratches = &workspace.bodies;
    let to_candidates = |index: usize, ends: &mut [DVec3]| {
        ends.copy_from_slice(&scratches[index].candidate.positions);
    };
    island.unmet(&world.bodies, whole, to_candidates, unmet);
    alone.retain(|index| !unmet.contains(index));
    tried.retain(|(index, _)| unmet.contains(index));
    let mut tried = std::mem::take(tried);
    for (index, (effort, contacts)) in tried.drain(..) {
        commit(world, workspace, index, start, length, report);
        add_effort(report, &effort, &contacts);
    }
    workspace.together.free.tried = tried;
}

/// How far a body that may touch another goes in a step, by its size, and the share of a step below which it
/// may go as far as it likes.
const LEAP: f64 = 2.0;
const SHORTEST_LEAP: f64 = 1.0 / 64.0;

/// Whether a body of a group would go so far in a step that it could slip round others. Every line that places
/// move along is proved free, but iterations that turn it aside are not its way.
fn leaps(bodies: &[Body], group: &[usize], step: f64) -> bool {
    let leaps = |&index: &usize| {
        let body = &bodies[index];
        let speeds = body.state.velocities.iter().map(|v| v.length_squared());
        let way = step * speeds.fold(0.0, f64::max).sqrt();
        way > LEAP * body.size()
    };
    group.len() > 1 && group.iter().any(leaps)
}

/// Advances one of some groups, with shorter steps where a whole one fails, and freezes its bodies
/// where even the shortest fails. Returns the number of a later group that it has met, in which case
/// nothing has moved.
fn advance_group(
    world: &mut World,
    workspace: &mut Workspace,
    (groups, index): (&Groups, usize),
    [start, length]: [f64; 2],
    report: &mut StepReport,
) -> Option<usize> {
    let group = groups.group(index);
    let shortest = group
        .iter()
        .map(|&index| world.bodies[index].description().shortest_share());
    let shortest = shortest.fold(f64::INFINITY, f64::min);
    let (mut done, mut trouble) = (0.0, Trouble::default());
    while done < 1.0 {
        // What came apart in a part of the step, of this group or of one before, meets in the next part.
        workspace.prepare_island(world);
        let shares = group.iter().map(|&index| world.bodies[index].step_share);
        let share = shares.fold(1.0 - done, f64::min);
        let (time, step) = (start + done * length, share * length);
        let result = match share > SHORTEST_LEAP && leaps(&world.bodies, group, step) {
            true => Err(StepFailure::TooFast { node: 0 }),
            false => {
                let means = trouble.means(share, shortest);
                try_group(world, workspace, group, [time, step], means)
            }
        };
        match result {
            Ok(effort) => {
                let met = met_later(workspace, (groups, index));
                if met.is_some() && done == 0.0 {
                    return met;
                }
                for &index in group {
                    commit(world, workspace, index, time, step, report);
                }
                if let Some(island) = &mut workspace.island {
                    let times = [time, time + step];
                    report.work += island.end_joints(&mut world.joints, times);
                }
                add_effort(report, &effort, &effort.contacts);
                done += share;
                for &index in group {
                    world.bodies[index].step_share =
                        trouble.next_share(share, effort.newton_iterations);
                }
            }
            Err(StepFailure::Stopped) => {
                report.is_stopped = true;
                return None;
            }
            // Forces of a step that failed are found well enough only where it is short.
            Err(_) if 0.5 * share < shortest && break_overloaded(world, workspace) => {}
            Err(failure) if trouble.note(&failure, share, shortest) => {
                report.non_finite += usize::from(matches!(failure, StepFailure::NonFinite { .. }));
            }
            Err(failure) => {
                report.shortened_steps += 1;
                report.non_finite += usize::from(matches!(failure, StepFailure::NonFinite { .. }));
                for &index in group {
                    let body = &mut world.bodies[index];
                    body.step_share = 0.5 * share;
                    if 0.5 * share < shortest {
                        body.quarantine = Some(format!(
                            "frozen at {time:.6} s with all that it moves together with, after steps \
                             down to {step:.3e} s had failed: {failure}"
                        ));
                    }
                }
                if 0.5 * share < shortest {
                    return None;
                }
            }
        }
    }
    None
}

/// The first of the later groups that one has touched.
fn met_later(workspace: &Workspace, (groups, index): (&Groups, usize)) -> Option<usize> {
    let island = workspace.island.as_ref()?;
    let has_met = |other: &usize| {
        let mut met = island.met_others(groups.group(index));
        met.any(|body| groups.group(*other).contains(&body))
    };
    (index + 1..groups.len()).find(has_met)
}

/// Breaks the joints that bear more than they can in a step that has failed; says whether there is one.
fn break_overloaded(world: &mut World, workspace: &Workspace) -> bool {
    let island = workspace.island.as_ref();
    let overloaded = island
        .map(|island| island.overloaded_joints())
        .unwrap_or_default();
    for &index in &overloaded {
        world.joints[index].state.is_broken = true;
    }
    // What is one joint breaks as one.
    for parts in world.joints.chunk_by_mut(|joint, _| joint.with_next) {
        let is_broken = parts.iter().any(|part| part.state.is_broken);
        parts
            .iter_mut()
            .for_each(|part| part.state.is_broken = is_broken);
    }
    !overloaded.is_empty()
}

/// The candidates of a group of bodies that moves as one system.
fn try_group(
    world: &World,
    workspace: &mut Workspace,
    group: &[usize],
    [time, step]: [f64; 2],
    means: Means,
) -> Result<Effort, StepFailure> {
    let Workspace {
        bodies,
        island,
        clock,
        bounds,
        stop,
        together,
        ..
    } = workspace;
    let Some(island) = island else {
        return Ok(Effort::default());
    };
    let meets = island.met_by_nodes();
    let mut members = emptied(std::mem::take(&mut together.members));
    for (body, scratch) in bodies.iter_mut().enumerate() {
        if group.binary_search(&body).is_err() {
            continue;
        }
        let problem = Problem {
            clock: *clock,
            stop: stop.as_deref(),
            meets: &meets[body],
            ..problem(world, body, time, step)
        };
        if problem
            .body
            .formulation()
            .strays(problem.body, [time, time + step])
        {
            return Err(StepFailure::Formulation {
                what: "what drives a body turns it too far, or leads it too far astray, within one step",
            });
        }
        scratch.adopt_past(problem.body, time, step);
        scratch.is_fresh = false;
        let Some(mover) = mover_of(scratch.integrator.as_mut()) else {
            return Err(StepFailure::Formulation {
                what: "contact between bodies needs implicit integrators",
            });
        };
        members.push(Member {
            body,
            problem,
            mover,
            candidate: &mut scratch.candidate,
            distances: &mut scratch.distances,
        });
    }
    island.take_joints(&world.joints, &world.bodies, group, [time, step]);
    let effort = island.advance(&mut members, &world.bodies, means)?;
    for member in &mut members {
        check(&member.problem, member.candidate, *bounds, member.distances)?;
    }
    together.members = emptied(members);
    Ok(effort)
}

/// An empty list in the memory of another, whose members may live for another time.
fn emptied<'a>(mut members: Vec<Member<'_>>) -> Vec<Member<'a>> {
    members.clear();
    let none = members
        .into_iter()
        .map(|_| unreachable!("the list is empty"));
    none.collect()
}
