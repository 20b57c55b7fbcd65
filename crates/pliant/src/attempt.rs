//! One attempt to advance a body: its integrator, then contact where that did not solve for it, then
//! the checks.

use crate::body::{Effort, IntegratorKind, Problem, State, StepFailure};
use crate::contact::{ContactMethod, Contacts, passes_through};
use crate::energy_guard::guard_energy;
use crate::loads::LoadMoment;
use crate::math::{find_far_ways, keep_within, raise_to_longest};
use crate::workspace::BodyWorkspace;
use glam::DVec3;

/// Depth of a way through an obstacle that is none, by the size of the body.
const PASSAGE_SLACK: f64 = 1e-5;

/// The share of forces that may be left over where they balance each other.
const UNBALANCED: f64 = 1e-9;

/// The candidate of one body: its formulation, then contact, then the check.
pub(crate) fn try_step(
    problem: &Problem,
    workspace: &mut BodyWorkspace,
    bounds: f64,
) -> Result<(Effort, Contacts), StepFailure> {
    problem.check_stop()?;
    workspace.is_fresh = false;
    workspace.drift = None;
    check_balance(problem, workspace)?;
    check_drive(problem)?;
    let state = &problem.body.state;
    let mut effort = workspace
        .integrator
        .advance(problem, state, &mut workspace.candidate)?;
    let start = problem.clock.map(|clock| clock());
    let mut contacts = if workspace.integrator.solves_contact() {
        effort.contacts
    } else {
        meet_obstacles(problem, workspace, &mut effort)?
    };
    if !workspace.integrator.has_energy() {
        contacts.friction_loss = 0.0;
    }
    guard_energy(problem, workspace, &contacts, &mut effort)?;
    if let (Some(clock), Some(start)) = (problem.clock, start) {
        effort.times.contact += clock() - start;
    }
    let smallest = contacts.smallest_distance;
    check_with(
        problem,
        &workspace.candidate,
        bounds,
        smallest,
        &mut workspace.distances,
    )
    .inspect_err(|_| workspace.drift = None)?;
    Ok((effort, contacts))
}

/// Statics of a body that nothing holds has no balance to look for, unless the forces on it sum to nothing.
fn check_balance(problem: &Problem, workspace: &mut BodyWorkspace) -> Result<(), StepFailure> {
    let description = problem.body.description();
    if description.scheme() != IntegratorKind::Static {
        return Ok(());
    }
    let is_held = description.fixed.contains(&true)
        || !description.sliders.is_empty()
        || description.formulation.has_supports()
        || !problem.meets.is_empty();
    let are_dead = || description.forces.iter().all(|bound| bound.force.is_dead());
    if is_held || workspace.is_joined || !are_dead() {
        return Ok(());
    }
    let (x, v) = (
        &problem.body.state.positions,
        &problem.body.state.velocities,
    );
    let (time, loads) = (problem.time + problem.step, &mut workspace.loads);
    let evaluator = &mut workspace.evaluator;
    evaluator.evaluate(problem, x, v, LoadMoment::instant(time), loads);
    let sum: DVec3 = loads.forces.iter().sum();
    let size: f64 = loads.forces.iter().map(|force| force.length()).sum();
    if sum.length() > UNBALANCED * size {
        return Err(StepFailure::Formulation {
            what: "there is no balance, since nothing holds the body against the forces on it: fix nodes, or \
                   bind a spring or an object",
        });
    }
    Ok(())
}

/// A soft body must be able to follow what drives a part of it; where all of a body is driven, nothing has to.
fn check_drive(problem: &Problem) -> Result<(), StepFailure> {
    let (body, times) = (problem.body, [problem.time, problem.time + problem.step]);
    let formulation = body.formulation();
    if !formulation.is_driven() && formulation.strays(body, times) {
        return Err(StepFailure::Formulation {
            what: "what drives a body turns it too far, or leads it too far astray, within one step",
        });
    }
    Ok(())
}

/// Contact, with the answer of a body that moves as a whole.
fn meet_obstacles(
    problem: &Problem,
    workspace: &mut BodyWorkspace,
    effort: &mut Effort,
) -> Result<Contacts, StepFailure> {
    let description = problem.body.description();
    let answers = workspace.integrator.responds()
        && !problem.meets.is_empty()
        && description.contact.method == ContactMethod::Projection;
    if answers {
        workspace.pushes.clone_from(&workspace.candidate.velocities);
    }
    let mut contacts = problem.resolve_contacts(
        problem.step,
        &mut workspace.candidate,
        &mut workspace.distances,
    );
    if answers && contacts.count > 0 {
        for (push, after) in workspace
            .pushes
            .iter_mut()
            .zip(&workspace.candidate.velocities)
        {
            *push = *after - *push;
        }
        let state = &problem.body.state;
        if workspace.integrator.respond(
            problem,
            state,
            &workspace.pushes,
            &mut workspace.candidate,
            effort,
        )? {
            let left = problem.resolve_contacts(
                problem.step,
                &mut workspace.candidate,
                &mut workspace.distances,
            );
            contacts.count = contacts.count.max(left.count);
            contacts.friction_loss += left.friction_loss;
            contacts.smallest_distance = left.smallest_distance;
        }
    }
    Ok(contacts)
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
