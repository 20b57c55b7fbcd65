//! What is said of a run at its end: whether it was stopped, failed, or missed what was expected.

use crate::console::{counted, note, print};
use pliant::{Body, BodyDescription, EnergyVariant, IntegratorKind, World};
use pliant_io::cache::CacheReader;
use pliant_session::{Expectations, Failure, Statistics, quarantines};
use std::path::Path;

/// Which frames of a cache are lost, if any are.
pub fn lost_frames(cache: &CacheReader) -> Option<String> {
    if !cache.has_damage() {
        return None;
    }
    let (path, lost) = (cache.path().display(), cache.lost_frames());
    let numbers: Vec<String> = lost.iter().take(20).map(usize::to_string).collect();
    let more = if lost.len() > 20 { " and more" } else { "" };
    Some(match lost {
        [] => format!("the cache {path} is damaged after its last whole frame"),
        _ => format!(
            "the cache {path} is damaged: {} lost ({}{more})",
            counted(lost.len(), "frame is", "frames are"),
            numbers.join(", ")
        ),
    })
}

/// What to say of a run that somebody stopped.
pub fn stopped(world: &World, statistics: &Statistics, cache: Option<&Path>) -> Failure {
    let how = match cache {
        Some(_) => "the same command with --resume goes on from there",
        None => "a run can be gone on with only if it has a cache: --out run.pliant",
    };
    Failure::Interrupted(format!(
        "stopped at {:.2} s with {}\n  hint: {how}",
        world.time,
        counted(statistics.frames, "frame", "frames"),
    ))
}

/// Energy out of nothing that is told of, by the most that was in motion, put in or taken out; and the least, by all
/// of the energy: a body at rest trembles.
const CREATED_SHARE: [f64; 2] = [0.01, 1e-4];

/// Energy that a scheme may take from what touches nothing, by all that was turned over.
const TAKEN_SHARE: f64 = 0.5;

/// What leaves the result of a run in doubt, though it went to its end.
pub fn doubts(world: &World, statistics: &Statistics) -> Vec<String> {
    let mut doubts: Vec<String> = held_back(world, statistics).into_iter().collect();
    // What a step creates and others take back, as where the energy of a time rule swings, is in no doubt.
    let created = statistics.lasting_rise().min(statistics.energy_created);
    let moved = [
        statistics.highest_kinetic,
        statistics.work.abs(),
        statistics.dissipated,
    ];
    let most = moved.into_iter().fold(0.0, f64::max);
    let all = statistics
        .first_total
        .abs()
        .max(statistics.energies.total().abs());
    let least = statistics.energy_unseen.max(CREATED_SHARE[1] * all);
    if created > CREATED_SHARE[0] * most && created > least {
        let share = (100.0 * created / most.max(f64::MIN_POSITIVE)).min(999.0);
        doubts.push(format!(
            "warning: {} J came out of nothing, {share:.0} % of the most that was in motion; a \
             shorter timestep makes less of it (`--plot energy.svg` shows when)",
            readable(created)
        ));
    }
    let unconverged = statistics.unconverged_solves;
    if unconverged > 0 {
        doubts.push(format!(
            "warning: {} not converge within the iterations that they may take; a shorter timestep or \
             more `iterations` may help",
            counted(unconverged, "solve did", "solves did")
        ));
    }
    doubts
}

/// The published scheme holds back what is stiff: where nothing else can have taken the energy, it has.
fn held_back(world: &World, statistics: &Statistics) -> Option<String> {
    let is_published = |body: &Body| body.description().scheme() == IntegratorKind::SemiImplicit;
    let bodies = &world.bodies;
    if bodies.is_empty() || !bodies.iter().all(is_published) || statistics.contacts_total > 0 {
        return None;
    }
    let taken = statistics.dissipation.rest;
    let turned_over = statistics.dissipated + statistics.energies.kinetic;
    (taken > TAKEN_SHARE * turned_over && taken > statistics.energy_unseen).then(|| {
        format!(
            "warning: the scheme itself has taken {:.0} % of the energy that was turned over: SemiImplicit \
             holds back what is stiff, in turning too; a shorter timestep or another integrator does not",
            100.0 * taken / turned_over
        )
    })
}

/// A number of joules with the digits that count.
fn readable(energy: f64) -> String {
    match energy < 0.01 {
        true => format!("{energy:.1e}"),
        false => format!("{energy:.3}"),
    }
}

/// Refuses a run in which a body was frozen, or in which surfaces that are to meet passed through each other.
pub fn judge(world: &World, statistics: &Statistics) -> Result<(), Failure> {
    if statistics.quarantined == 0 {
        return judge_surfaces(statistics);
    }
    Err(Failure::Simulation(format!(
        "the simulation failed: {}\n  what was simulated until then is kept ({})\n  hint: {} may help",
        quarantines(world),
        counted(statistics.frames, "frame", "frames"),
        remedies(world),
    )))
}

/// Nothing that is to meet may pass through anything: no scene starts with surfaces that do.
fn judge_surfaces(statistics: &Statistics) -> Result<(), Failure> {
    match statistics.intersections {
        0 => Ok(()),
        count => Err(Failure::Simulation(format!(
            "surfaces passed through each other: in all frames together edges pass {} through \
             triangles of what they are to meet (`intersections` in --stats)\n  hint: a shorter timestep \
             may help; if they may pass, except the pair by <Without>",
            counted(count, "time", "times")
        ))),
    }
}

/// What may help the bodies that are frozen, as far as it fits them.
fn remedies(world: &World) -> String {
    let frozen = || world.bodies.iter().filter(|body| body.quarantine.is_some());
    let any =
        |fits: &dyn Fn(&BodyDescription) -> bool| frozen().any(|body| fits(body.description()));
    let mut remedies = Vec::new();
    if any(&|body| body.integrator == IntegratorKind::Static) {
        remedies.push("forces that grow more slowly, or parts that are fixed");
    }
    if any(&|body| body.integrator != IntegratorKind::Static) {
        remedies.push("a shorter timestep");
    }
    if any(&|body| body.energy() != EnergyVariant::Exact) {
        remedies.push("energy=\"Exact\"");
    }
    if any(&|body| {
        let is_implicit = [IntegratorKind::Implicit, IntegratorKind::Static];
        let is_rigid = body.formulation.stands_for_all().is_some();
        body.energy() == EnergyVariant::Exact
            && !is_implicit.contains(&body.integrator)
            && !is_rigid
    }) {
        remedies.push("integrator=\"Implicit\"");
    }
    if frozen().any(|body| body.formulation().is_driven()) {
        remedies.push("a path that leaves room for what lies in its way");
    }
    remedies.join(" or ")
}

/// Says that what was simulated is not lost.
pub fn with_advice(failure: Failure, cache: Option<&Path>) -> Failure {
    match (failure, cache) {
        (Failure::Simulation(message), Some(cache)) => Failure::Simulation(format!(
            "{message}\n  what was simulated until then is kept in {}\n  hint: once the reason is \
             mended, the same command with --resume goes on from there",
            cache.display()
        )),
        (failure, _) => failure,
    }
}

/// Refuses a run that misses a value that its scene expects.
pub fn check_expected(expectations: &Expectations, quiet: bool) -> Result<(), Failure> {
    let (missed, checked) = (expectations.missed.len(), expectations.checked);
    for line in &expectations.missed {
        note(line);
    }
    if missed > 0 {
        return Err(Failure::Simulation(format!(
            "{missed} of {} missed",
            counted(checked, "expected value was", "expected values were")
        )));
    }
    if !quiet {
        print(&format!(
            "{} kept",
            counted(checked, "expected value was", "expected values were")
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Workspace;

    #[test]
    fn a_run_in_which_surfaces_cross_has_failed() {
        let world = World::default();
        let mut statistics = Statistics::new(&world, &mut Workspace::new(&world));
        assert!(judge(&world, &statistics).is_ok());
        statistics.intersections = 3;
        let Err(Failure::Simulation(message)) = judge(&world, &statistics) else {
            panic!("the run is accepted");
        };
        assert!(message.contains("edges pass 3 times through"), "{message}");
    }

    #[test]
    fn energy_out_of_nothing_and_solves_without_an_end_are_told() {
        let world = World::default();
        let mut statistics = Statistics::new(&world, &mut Workspace::new(&world));
        statistics.highest_kinetic = 10.0;
        statistics.energy_created = 0.5;
        statistics.highest_rise = 0.05;
        assert!(doubts(&world, &statistics).is_empty());
        statistics.highest_rise = 0.5;
        statistics.unconverged_solves = 1;
        let told = doubts(&world, &statistics);
        assert!(
            told[0].contains("0.500 J came out of nothing, 5 %"),
            "{}",
            told[0]
        );
        assert!(told[1].contains("1 solve did not converge"), "{}", told[1]);
        // Next to nothing of what is there, though nothing moves.
        statistics.unconverged_solves = 0;
        statistics.highest_kinetic = 0.0;
        statistics.first_total = -0.05;
        statistics.highest_rise = 3e-7;
        assert!(doubts(&world, &statistics).is_empty());
        statistics.highest_rise = 3e-4;
        assert!(doubts(&world, &statistics)[0].contains("3.0e-4 J"));
    }
}
