//! The scene of Table 5.1 of \[Thesis2004\], sect. 5.2.4, beyond its sizes, beside its figures.

use super::cloth::{Case, TIME_STEP};
use super::figures::{rebuilt_milliseconds, thesis_milliseconds};
use super::stopwatch::{Measurement, Plan, measure};
use super::{bandwidth, fixed_iterations, sticks};
use crate::console::{note, print};
use pliant::EnergyVariant;
use pliant_session::Failure;
use serde_json::{Value, json};

/// Particles a side; the thesis has the first four.
const SIDES: [usize; 6] = [8, 16, 24, 32, 64, 128];
/// Most iterations of conjugate gradients.
const LIMITS: [usize; 2] = [10, 100];
/// Relative residual at which they stop.
const TOLERANCE: f64 = 1e-5;
/// Both ways to use the primal energy.
const VARIANTS: [EnergyVariant; 2] = [EnergyVariant::Published, EnergyVariant::Exact];
/// How much longer the exact variant may take.
const LARGEST_EXACT_RATIO: f64 = 3.0;

/// Runs the benchmark.
pub fn run(quick: bool) -> Result<Value, Failure> {
    let largest = if quick { 64 } else { 128 };
    let sides: Vec<usize> = SIDES.into_iter().filter(|&side| side <= largest).collect();
    let frames = if quick { 200 } else { 2000 };
    print(&format!(
        "Cloth falling on two spheres and a plane: {frames} frames of {TIME_STEP} s, conjugate \
         gradients to {TOLERANCE:e}"
    ));
    print(
        "thesis: its Table 5.1, machine of 2004; rebuilt: its code, optimised, CPU time on a \
         machine of 2026",
    );
    print(
        "     grid  variant    limit   used  preconditioner   CPU ms  wall ms   thesis  rebuilt  \
         ours/theirs  stable",
    );
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    for &side in &sides {
        note(&format!("measuring {side} x {side} ..."));
        let measured = measure_side(side, frames)?;
        rows.extend(measured.iter().map(row));
        ratios.extend(LIMITS.map(|limit| exact_ratio(side, limit, &measured)));
    }
    let worst = ratios.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
    print(&format!(
        "exact variant: at most {worst:.2} times the published one (wanted: {LARGEST_EXACT_RATIO})"
    ));
    let sticks = sticks::run(&sides, if quick { 100 } else { 500 })?;
    let (fixed_sides, plan) = if quick {
        (vec![16, 32, 64], fixed_plan(60))
    } else {
        (vec![32, 64, 128], fixed_plan(200))
    };
    let fixed = fixed_iterations::run(&fixed_sides, plan)?;
    let bandwidth = bandwidth::run(if quick { &[64, 128] } else { &[128, 1024] })?;
    Ok(json!({
        "frames": frames,
        "rows": rows,
        "exact_to_published": Value::Array(ratios.into_iter().map(|(json, _)| json).collect()),
        "sticks": sticks,
        "fixed_iterations": fixed,
        "bandwidth": bandwidth,
    }))
}

fn fixed_plan(steps: usize) -> Plan {
    Plan {
        steps,
        batch: 20,
        repeats: 3,
    }
}

/// All variants and limits of one size, measured in turn.
fn measure_side(side: usize, frames: usize) -> Result<Vec<Measurement>, Failure> {
    let cases: Vec<Case> = VARIANTS
        .iter()
        .flat_map(|&energy| {
            LIMITS.map(|iterations| Case {
                side,
                energy,
                iterations,
                diagonal: false,
                tolerance: TOLERANCE,
                sticks: false,
            })
        })
        .collect();
    let plan = Plan {
        steps: frames,
        batch: 50,
        repeats: 3,
    };
    measure(&cases, plan).map_err(|error| Failure::Simulation(error.to_string()))
}

fn row(measurement: &Measurement) -> Value {
    let case = measurement.case;
    let (side, limit) = (case.side, case.iterations);
    let variant = variant_name(case.energy);
    let ours = measurement.processor_milliseconds;
    let thesis = thesis_milliseconds(side, limit);
    let rebuilt = rebuilt_milliseconds(side, limit);
    let share = rebuilt.map(|theirs| ours / theirs);
    let figure = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    print(&format!(
        "{:>9}  {variant:9}  {limit:5}  {:5.1}  {:14}  {ours:7.4}  {:7.4}  {:>7}  {:>7}  {:>11}  {}",
        format!("{side}x{side}"),
        measurement.mean_iterations,
        preconditioner(measurement.multigrid_share),
        measurement.wall_milliseconds,
        figure(thesis),
        figure(rebuilt),
        share.map_or("-".to_owned(), |share| format!("1/{:.1}", 1.0 / share)),
        stability(measurement),
    ));
    json!({
        "side": side,
        "variant": variant,
        "iteration_limit": limit,
        "mean_iterations": measurement.mean_iterations,
        "multigrid_share": measurement.multigrid_share,
        "steps": measurement.steps,
        "milliseconds_per_step": ours,
        "wall_milliseconds_per_step": measurement.wall_milliseconds,
        "thesis_milliseconds_per_step": thesis,
        "rebuilt_milliseconds_per_step": rebuilt,
        "ratio_to_rebuilt": share,
        "stable": measurement.is_stable,
        "shortened_steps": measurement.shortened_steps,
        "quarantined": measurement.quarantined,
        "initial_energy": measurement.initial_energy,
        "highest_energy": measurement.highest_energy,
        "highest_energy_step": measurement.highest_energy_step,
        "stage_milliseconds": stages(measurement),
    })
}

/// What preconditioned the iterations of a run.
fn preconditioner(multigrid_share: f64) -> String {
    if multigrid_share == 0.0 {
        "diagonal".to_owned()
    } else if multigrid_share == 1.0 {
        "multigrid".to_owned()
    } else {
        format!("multigrid {:2.0} %", 100.0 * multigrid_share)
    }
}

/// "yes", or what went wrong.
fn stability(measurement: &Measurement) -> String {
    if measurement.is_stable {
        return "yes".to_owned();
    }
    if measurement.quarantined > 0 {
        return "NO: quarantined".to_owned();
    }
    format!(
        "NO: energy x {:.1} at step {}",
        measurement.highest_energy / measurement.initial_energy,
        measurement.highest_energy_step
    )
}

/// Wall time of the stages per step, in milliseconds.
pub fn stages(measurement: &Measurement) -> Value {
    json!({
        "assembly": measurement.stages.assembly,
        "solve": measurement.stages.solve,
        "contact": measurement.stages.contact,
    })
}

fn variant_name(energy: EnergyVariant) -> &'static str {
    match energy {
        EnergyVariant::Exact => "exact",
        EnergyVariant::Published => "published",
        EnergyVariant::AsPrinted => "printed",
    }
}

/// How much longer the exact variant takes.
fn exact_ratio(side: usize, limit: usize, measured: &[Measurement]) -> (Value, f64) {
    let time = |energy| {
        measured
            .iter()
            .find(|m| m.case.energy == energy && m.case.iterations == limit)
            .map_or(f64::NAN, |m| m.processor_milliseconds)
    };
    let ratio = time(EnergyVariant::Exact) / time(EnergyVariant::Published);
    let json = json!({ "side": side, "iteration_limit": limit, "ratio": ratio });
    (json, ratio)
}
