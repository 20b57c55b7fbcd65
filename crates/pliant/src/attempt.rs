//! One attempt to advance a body: its integrator, then contact where that did not solve for it, then
//! the checks.

use crate::body::{Effort, EnergyVariant, IntegratorKind, Problem, State, StepFailure};
use crate::contact::{ContactMethod, Contacts, passes_through};
use crate::math::{find_far_ways, keep_within, raise_to_longest};
use crate::rigid_motion::RigidMotion;
use crate::workspace::BodyWorkspace;
use glam::DVec3;

/// Energy that a step may create, by the energy in motion and the work done.
const ENERGY_TOLERANCE: f64 = 0.01;

/// Depth of a way through an obstacle that is none, by the size of the body.
const PASSAGE_SLACK: f64 = 1e-5;

/// The candidate of one body: its formulation, then contact, then the check.
pub(crate) fn try_step(
    problem: &Problem,
    own: &mut BodyWorkspace,
    bounds: f64,
) -> Result<(Effort, Contacts), StepFailure> {
    problem.check_stop()?;
    let state = &problem.body.state;
    let mut effort = own.integrator.advance(problem, state, &mut own.candidate)?;
    let start = problem.clock.map(|clock| clock());
    let contacts = if own.integrator.solves_contact() {
        effort.contacts
    } else {
        meet_obstacles(problem, own, &mut effort)?
    };
    if is_risky(problem, own, &contacts) {
        let excess = excess_energy(problem, own);
        // Shorter steps do not help against forces without an energy where nothing touches.
        let helps = contacts.count > 0 || !lacks_energy(problem);
        if excess > 0.0 && !problem.damped && helps {
            return Err(StepFailure::CreatesEnergy { created: excess });
        }
        if excess > 0.0 {
            effort.damped_steps += 1;
            take_energy(problem, excess, &mut own.candidate);
        }
    }
    if let (Some(clock), Some(start)) = (problem.clock, start) {
        effort.times.contact += clock() - start;
    }
    let smallest = contacts.smallest_distance;
    check_with(
        problem,
        &own.candidate,
        bounds,
        smallest,
        &mut own.distances,
    )?;
    Ok((effort, contacts))
}

/// Contact, with the answer of a body that moves as a whole.
fn meet_obstacles(
    problem: &Problem,
    own: &mut BodyWorkspace,
    effort: &mut Effort,
) -> Result<Contacts, StepFailure> {
    let description = problem.body.description();
    let answers = own.integrator.responds()
        && !problem.meets.is_empty()
        && description.contact.method == ContactMethod::Projection;
    if answers {
        own.pushes.clone_from(&own.candidate.velocities);
    }
    let mut contacts =
        problem.resolve_contacts(problem.step, &mut own.candidate, &mut own.distances);
    if answers && contacts.count > 0 {
        for (push, after) in own.pushes.iter_mut().zip(&own.candidate.velocities) {
            *push = *after - *push;
        }
        let state = &problem.body.state;
        if own
            .integrator
            .respond(problem, state, &own.pushes, &mut own.candidate, effort)?
        {
            let left =
                problem.resolve_contacts(problem.step, &mut own.candidate, &mut own.distances);
            contacts.count = contacts.count.max(left.count);
            contacts.smallest_distance = left.smallest_distance;
        }
    }
    Ok(contacts)
}

/// Whether the elastic forces of a mesh are no gradient, as those of warped stiffness: where obstacles turn its
/// elements inside out their rotations jump, and the forces do work out of nothing. What meets no obstacle moves
/// as the method says.
fn lacks_energy(problem: &Problem) -> bool {
    let description = problem.body.description();
    !description.collides_with.is_empty()
        && description.on_grid().is_none()
        && !description.formulation.has_energy(description)
}

/// Whether a step may create energy by its rule or by how contact is resolved. Backward Euler and the
/// rule of two stages cannot, or see to it themselves; the schemes as published are left as they are.
/// An elastic hybrid body that has been thrown by an obstacle may gain energy in flight as well.
fn is_risky(problem: &Problem, own: &BodyWorkspace, contacts: &Contacts) -> bool {
    let description = problem.body.description();
    match description.scheme() {
        IntegratorKind::Midpoint | IntegratorKind::Newmark => true,
        _ if lacks_energy(problem) => true,
        _ if own.integrator.keeps_energy() => false,
        _ => {
            let penalties = description.contact.method != ContactMethod::Projection
                && !problem.meets.is_empty();
            let in_flight = own.integrator.may_gain_in_flight()
                && own.processes.is_none()
                && !problem.meets.is_empty();
            (contacts.count > 0 || penalties || in_flight)
                && description.energy() == EnergyVariant::Exact
        }
    }
}

/// Energy of a candidate beyond what the body had, external forces have given it and a step may create, in
/// joules; zero if there is none.
fn excess_energy(problem: &Problem, own: &mut BodyWorkspace) -> f64 {
    let body = problem.body;
    let trial = own.trial.get_or_insert_with(|| Box::new(body.clone()));
    if own.integrator.reads_memory() && own.processes.is_some() {
        trial.copy_memory(body);
    }
    let is_known = own.processes.is_none()
        && body.description().contact.method == ContactMethod::Projection
        && trial.state.is_same(&body.state);
    let is_now = |time: f64| (time - problem.time).abs() <= 1e-9 * problem.step;
    let mut energy = |state: &State, time: f64| {
        trial.state.copy_from(state);
        let external = own
            .evaluator
            .potential(problem, &state.positions, &state.velocities, time);
        let kinetic = trial.kinetic_energy();
        let total = kinetic + own.integrator.elastic_energy(trial) + external;
        (kinetic, total)
    };
    // What was measured where the last step ended holds where this one begins.
    let (kinetic, before) = match own.measured {
        Some((time, kinetic, total)) if is_known && is_now(time) => (kinetic, total),
        _ => energy(&body.state, problem.time),
    };
    let end = problem.time + problem.step;
    let (kinetic_after, after) = energy(&own.candidate, end);
    own.measured = Some((end, kinetic_after, after));
    let work = own.work_of_drivers(problem);
    let scale = kinetic + kinetic_after + work.abs();
    let created = after - before - work;
    // A body at rest trembles by a millionth.
    let allowed = ENERGY_TOLERANCE * scale + 1e-6 * (before.abs() + after.abs());
    // Forces without an energy would create as much in every part of a step.
    let share = match lacks_energy(problem) {
        true => (problem.step / body.description().time_step).min(1.0),
        false => 1.0,
    };
    let allowed = share * allowed;
    if created > allowed { created } else { 0.0 }
}

/// Takes energy out of a motion that even the shortest steps have created, as far as it is there, and leaves
/// the rigid motion with its momenta. Control points of rigid parts move as they do.
fn take_energy(problem: &Problem, excess: f64, state: &mut State) {
    if !state.controls.is_empty() {
        return;
    }
    let description = problem.body.description();
    let masses = &description.masses;
    let rigid = RigidMotion::of(masses, state);
    // What holds a body takes its momenta.
    let is_free = !description.fixed.contains(&true);
    let relative = |x: DVec3, v: DVec3| match is_free {
        true => v - rigid.velocity_at(x),
        false => v,
    };
    let nodes = masses.iter().zip(&state.positions).zip(&state.velocities);
    let of_node =
        |((m, x), v): ((&f64, &DVec3), &DVec3)| 0.5 * m * relative(*x, *v).length_squared();
    let kinetic: f64 = nodes.map(of_node).sum();
    let kept = (1.0 - excess / kinetic).max(0.0).sqrt();
    // A motion that is not a number is left to the checks.
    if kinetic > 0.0 && kept.is_finite() {
        for (x, v) in state.positions.iter().zip(&mut state.velocities) {
            *v -= (1.0 - kept) * relative(*x, *v);
        }
    }
}

/// Finite, within bounds, through no obstacle and, where steps are adaptive, not too far in one go.
pub(crate) fn check(
    problem: &Problem,
    candidate: &State,
    bounds: f64,
    distances: &mut [f64],
) -> Result<(), StepFailure> {
    check_with(problem, candidate, bounds, f64::NEG_INFINITY, distances)
}

/// The same for a candidate of which no node is nearer than `smallest` to an obstacle, in metres.
/// `distances` is scratch memory for one number per node.
fn check_with(
    problem: &Problem,
    candidate: &State,
    bounds: f64,
    smallest: f64,
    distances: &mut [f64],
) -> Result<(), StepFailure> {
    let State {
        positions,
        velocities,
        ..
    } = candidate;
    let mut is_within = true;
    keep_within(positions, bounds, &mut is_within);
    keep_within(velocities, f64::MAX, &mut is_within);
    if !is_within {
        let is_finite =
            |node: &usize| positions[*node].is_finite() && velocities[*node].is_finite();
        return Err(match (0..positions.len()).find(|node| !is_finite(node)) {
            Some(node) => StepFailure::NonFinite { node },
            None => {
                let beyond = |x: &DVec3| x.abs().max_element() > bounds;
                let node = positions.iter().position(beyond).unwrap_or(0);
                StepFailure::OutOfBounds { node }
            }
        });
    }
    check_passages(problem, positions, smallest, distances)?;
    if problem.body.description().adaptive {
        check_motion(problem, positions)?;
    }
    Ok(())
}

/// No node passes through an obstacle. `smallest` is no more than the distance of any node from any.
fn check_passages(
    problem: &Problem,
    positions: &[DVec3],
    smallest: f64,
    distances: &mut [f64],
) -> Result<(), StepFailure> {
    let description = problem.body.description();
    // Statics looks for a balance of forces: it has no way.
    if problem.meets.is_empty() || description.scheme() == IntegratorKind::Static {
        return Ok(());
    }
    let before = &problem.body.state.positions;
    let mut longest = 0.0;
    raise_to_longest(positions, before, &mut longest);
    if longest <= smallest.max(0.0).powi(2) {
        return Ok(());
    }
    let slack = PASSAGE_SLACK * problem.body.size();
    for &index in problem.meets {
        let obstacle = &problem.obstacles[index];
        if longest <= obstacle.surface.longest_harmless_way().powi(2) {
            continue;
        }
        obstacle.distances(positions, distances);
        let mut is_far = false;
        find_far_ways(positions, before, distances, slack, &mut is_far);
        if !is_far {
            continue;
        }
        let ways = positions
            .iter()
            .zip(before)
            .take(description.touching_count());
        for (node, (now, before)) in ways.enumerate() {
            let way = now.distance_squared(*before);
            let distance = distances[node];
            // Nothing is met on a way that is shorter than the distance, or ends inside.
            if way <= slack.max(distance).powi(2) || distance < -slack || description.fixed[node] {
                continue;
            }
            if passes_through(obstacle, *before, *now, slack) {
                let obstacle = obstacle.name.clone();
                return Err(StepFailure::PassesThrough { node, obstacle });
            }
        }
    }
    Ok(())
}

/// No node passes an obstacle unseen, and no part changes by more than a step can resolve.
fn check_motion(problem: &Problem, positions: &[DVec3]) -> Result<(), StepFailure> {
    let before = &problem.body.state.positions;
    let thickness = 0.01 * problem.body.size();
    for (node, (now, before)) in positions.iter().zip(before).enumerate() {
        let moved = (*now - *before).length();
        let passes = |&index: &usize| {
            moved > thickness + problem.obstacles[index].distance(*before).max(0.0)
        };
        if moved > thickness && problem.meets.iter().any(passes) {
            return Err(StepFailure::TooFast { node });
        }
    }
    match problem
        .body
        .formulation()
        .overstrained(problem.body, positions)
    {
        Some(node) => Err(StepFailure::TooFast { node }),
        None => Ok(()),
    }
}
