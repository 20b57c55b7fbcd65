//! What becomes of a candidate that has more energy than the body had and external forces have given it.
//!
//! Steps are repeated shorter against it, as long as that may help. What the shortest still create is taken out
//! of the motion that is not rigid; forces without an energy create some by a change of shape alone, and then
//! the shape stays as it was as far as it must.
//!
//! Rules that damp nothing (Midpoint, Newmark) are stable for springs that are linear. What is stiff and is not,
//! such as cloth, gets a little energy in nearly every step, however well the step is solved: less than one may
//! create, but it adds up. So what they have created and not lost again is kept (`EnergyDrift`), and where it
//! exceeds a hundredth of the most that was in motion, one step is made by the rule of two stages, which takes it
//! from the vibrations that the steps do not resolve. Where that rule gains in the same way, steps are repeated
//! shorter, at last by backward Euler.

use crate::body::{Body, Effort, EnergyVariant, MayGain, Problem, State, StepFailure};
use crate::contact::{ContactMethod, Contacts};
use crate::inner_motion::{calm, inner_energy};
use crate::rigid_motion::RigidMotion;
use crate::workspace::{BodyWorkspace, Measured};
use glam::{DQuat, DVec3};

/// Energy that a step may create, by the energy in motion and the work done.
const TOLERANCE: f64 = 0.01;

/// The share of a step from which on one that gains is made by backward Euler.
const SHORT: f64 = 0.125;

/// The same for forces without an energy, which would create as much in every step.
const STRICT_TOLERANCE: f64 = 0.002;

/// Shares of a change of shape that are tried in turn.
const SHARES: [f64; 4] = [0.5, 0.25, 0.125, 0.0];

/// Refuses a candidate that creates energy, or takes the energy out of it where shorter steps do not help.
pub(crate) fn guard_energy(
    problem: &Problem,
    workspace: &mut BodyWorkspace,
    contacts: &Contacts,
    effort: &mut Effort,
) -> Result<(), StepFailure> {
    let may_gain = workspace.integrator.may_gain();
    if !is_risky(problem, workspace, may_gain, contacts) {
        return watch_stages(problem, workspace, effort);
    }
    let lacks_energy = may_gain == MayGain::WithoutEnergy;
    let gain = gain_of(problem, workspace, lacks_energy);
    let created = gain.excess();
    if created == 0.0 {
        return watch_drift(problem, workspace, gain);
    }
    // Shorter steps do not help against forces without an energy where nothing touches.
    if !problem.damped && (contacts.count > 0 || !lacks_energy) {
        return Err(StepFailure::CreatesEnergy { created });
    }
    effort.damped_steps += 1;
    take_energy(problem, created, &mut workspace.candidate);
    if lacks_energy {
        keep_shape(problem, workspace);
    }
    Ok(())
}

/// Keeps what rules that damp nothing have created so far; refuses what is too much.
fn watch_drift(
    problem: &Problem,
    workspace: &mut BodyWorkspace,
    gain: Gain,
) -> Result<(), StepFailure> {
    if !problem.body.description().scheme().damps_nothing() {
        return Ok(());
    }
    let in_motion = workspace.measured.map_or(0.0, |measured| measured.kinetic);
    note_drift(
        problem,
        workspace,
        [gain.created, in_motion, gain.trembling],
    )
}

/// The same for steps of two stages, which damp what they do not resolve and may yet gain a little in each of
/// them, as where a body is turned by an obstacle; only where nothing drives the body, so that its gain is known
/// exactly. Those that gain too much are repeated shorter before one gives way: backward Euler with a long step takes
/// much more than was gained.
fn watch_stages(
    problem: &Problem,
    workspace: &mut BodyWorkspace,
    effort: &Effort,
) -> Result<(), StepFailure> {
    let Some(gained) = effort.gained else {
        return Ok(());
    };
    let masses = &problem.body.description().masses;
    let moving = masses.iter().zip(&workspace.candidate.velocities);
    let in_motion = moving.map(|(m, v)| 0.5 * m * v.length_squared()).sum();
    let noted = note_drift(problem, workspace, [gained, in_motion, 0.0]);
    let is_short = problem.step <= SHORT * problem.body.description().time_step;
    match noted {
        Err(StepFailure::EnergyDrifts { created }) if !is_short => {
            Err(StepFailure::CreatesEnergy { created })
        }
        noted => noted,
    }
}

/// Adds what a step has created to what others have; refuses one that creates more where it is too much.
fn note_drift(
    problem: &Problem,
    workspace: &mut BodyWorkspace,
    [created, in_motion, trembling]: [f64; 3],
) -> Result<(), StepFailure> {
    let drift = problem.body.drift.after(created, in_motion);
    let allowed = TOLERANCE * drift.most_in_motion + trembling;
    let gains = created > 0.0 && drift.created > allowed;
    if gains && !problem.damped && !problem.drifts {
        let created = drift.created;
        return Err(StepFailure::EnergyDrifts { created });
    }
    workspace.drift = Some(drift);
    Ok(())
}

/// Whether a step may create energy by its rule or by how contact is resolved. The schemes as published are
/// left as they are.
fn is_risky(
    problem: &Problem,
    workspace: &BodyWorkspace,
    may_gain: MayGain,
    contacts: &Contacts,
) -> bool {
    let description = problem.body.description();
    let is_near = !problem.meets.is_empty();
    let is_exact = description.energy() == EnergyVariant::Exact;
    let penalties = is_near && description.contact.method != ContactMethod::Projection;
    let touches = (contacts.count > 0 || penalties) && is_exact;
    match description.scheme() {
        kind if kind.damps_nothing() => true,
        _ => match may_gain {
            MayGain::Never => false,
            MayGain::InContact => touches,
            MayGain::NearObstacles => {
                touches || (is_near && is_exact && workspace.processes.is_none())
            }
            MayGain::Always => true,
            MayGain::WithoutEnergy => !description.collides_with.is_empty(),
        },
    }
}

/// Energies of the state of a body and of the candidate.
fn measure(problem: &Problem, workspace: &mut BodyWorkspace) -> [Measured; 2] {
    let body = problem.body;
    let trial = workspace
        .trial
        .get_or_insert_with(|| Box::new(body.clone()));
    if workspace.integrator.reads_memory() && workspace.processes.is_some() {
        trial.copy_memory(body);
    }
    let mut energies = |body: &Body, checksum: u64| Measured {
        checksum,
        kinetic: body.kinetic_energy(),
        elastic: workspace.integrator.elastic_energy(body),
    };
    // What was measured where the last step ended holds where this one begins.
    let checksum = body.state.checksum();
    let before = match workspace.measured {
        Some(known) if known.checksum == checksum && workspace.processes.is_none() => known,
        _ => energies(body, checksum),
    };
    std::mem::swap(&mut trial.state, &mut workspace.candidate);
    let after = energies(trial, trial.state.checksum());
    std::mem::swap(&mut trial.state, &mut workspace.candidate);
    workspace.measured = Some(after);
    workspace.is_fresh = true;
    [before, after]
}

/// Energy that a step has created, or less than nothing where it has lost some, in joules.
#[derive(Clone, Copy)]
struct Gain {
    created: f64,
    /// What it may create.
    allowed: f64,
    /// What a body at rest may.
    trembling: f64,
}

impl Gain {
    /// What is beyond that; zero if there is none.
    fn excess(&self) -> f64 {
        if self.created > self.allowed {
            self.created
        } else {
            0.0
        }
    }
}

/// A body at rest trembles by a millionth.
const TREMBLING: f64 = 1e-6;

/// Energy of a candidate beyond what the body had and external forces have given it.
fn gain_of(problem: &Problem, workspace: &mut BodyWorkspace, lacks_energy: bool) -> Gain {
    let body = problem.body;
    let [before, after] = measure(problem, workspace);
    let (tolerance, share) = match lacks_energy {
        true => {
            let share = problem.step / body.description().time_step;
            (STRICT_TOLERANCE, share.min(1.0))
        }
        false => (TOLERANCE, 1.0),
    };
    let kinetic = before.kinetic + after.kinetic;
    // The forces of the step itself cost nothing more; where by them all is well, it is.
    let seen = workspace
        .integrator
        .work_seen(problem, &workspace.candidate);
    if let Some(work) = seen {
        let gain = Gain {
            created: after.total() - before.total() - work,
            allowed: share * tolerance * kinetic,
            trembling: TREMBLING * (before.total() + after.total()),
        };
        if gain.created <= gain.allowed {
            return gain;
        }
    }
    let potential = |state: &State, time: f64| {
        let (x, v) = (&state.positions, &state.velocities);
        workspace.evaluator.potential(problem, x, v, time)
    };
    let end = problem.time + problem.step;
    let first = before.total() + potential(&body.state, problem.time);
    let last = after.total() + potential(&workspace.candidate, end);
    let work = workspace.work_of_drivers(problem);
    let trembling = TREMBLING * (first.abs() + last.abs());
    Gain {
        created: last - first - work,
        allowed: share * (tolerance * (kinetic + work.abs()) + trembling),
        trembling,
    }
}

/// Takes energy out of a motion that even the shortest steps have created, as far as it is there, and leaves
/// the rigid motion with its momenta. Control points of rigid parts move as they do.
fn take_energy(problem: &Problem, excess: f64, state: &mut State) {
    if !state.controls.is_empty() {
        return;
    }
    let description = problem.body.description();
    let inner = inner_energy(description, state);
    let kept = (1.0 - excess / inner).max(0.0).sqrt();
    // A motion that is not a number is left to the checks.
    if inner > 0.0 && kept.is_finite() {
        calm(description, state, kept);
    }
}

/// Lets a candidate change its shape by a share only, down to nothing, until it creates no energy: a rigid motion
/// leaves the elastic energy as it is. Momenta of a free body stay as they are, unless they have grown by forces
/// that do not sum to zero.
fn keep_shape(problem: &Problem, workspace: &mut BodyWorkspace) {
    let description = problem.body.description();
    let (masses, before) = (&description.masses, &problem.body.state);
    if !before.controls.is_empty() {
        return;
    }
    let is_free = !description.fixed.contains(&true);
    let found = workspace.candidate.clone();
    let (first, last) = (
        RigidMotion::of(masses, before),
        RigidMotion::of(masses, &found),
    );
    let turn = DQuat::from_scaled_axis(problem.step * last.spin);
    let carried = |x: DVec3| match is_free {
        true => last.centre + turn * (x - first.centre),
        false => x,
    };
    for share in SHARES {
        if gain_of(problem, workspace, true).excess() == 0.0 {
            return;
        }
        let State {
            positions,
            velocities,
            ..
        } = &mut workspace.candidate;
        let ways = before.positions.iter().zip(&found.positions);
        for (position, (start, end)) in positions.iter_mut().zip(ways) {
            *position = carried(*start).lerp(*end, share);
        }
        let spin = RigidMotion::of_moving(masses, positions, &found.velocities);
        let spin = spin.turn_by(last.angular);
        let moving = found.positions.iter().zip(&found.velocities);
        for ((velocity, position), (x, v)) in velocities.iter_mut().zip(&*positions).zip(moving) {
            *velocity = match is_free {
                true => {
                    let rigid = last.velocity + spin.cross(*position - last.centre);
                    rigid + share * (*v - last.velocity_at(*x))
                }
                false => share * *v,
            };
        }
    }
    // Forces that do not sum to zero push the body as a whole: what is left is taken out of all of its motion.
    let left = gain_of(problem, workspace, true).excess();
    let kinetic = workspace.measured.map_or(0.0, |measured| measured.kinetic);
    let kept = (1.0 - left / kinetic).max(0.0).sqrt();
    if left > 0.0 && kept.is_finite() {
        let velocities = &mut workspace.candidate.velocities;
        velocities.iter_mut().for_each(|v| *v *= kept);
    }
}
