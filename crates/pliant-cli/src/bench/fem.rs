//! Tetrahedral solids: a cantilever of three sizes with every strain, and the bar that other engines
//! were measured on, with its accuracy beside its time.

use super::fixed_iterations::growth_exponent;
use crate::clock;
use crate::console::{note, print};
use glam::DVec3;
use pliant::fem::{
    ElasticMaterial, MeshModel, MeshSettings, RotationMethod, SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, ElementMesh, block};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use pliant_session::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

type BenchError = Box<dyn std::error::Error>;

/// Cubes of five tetrahedra along each edge of the bar: 540, 10,240 and 98,260 tetrahedra.
const SIZES: [[usize; 3]; 3] = [[12, 3, 3], [32, 8, 8], [68, 17, 17]];

/// The strains and, where VegaFEM 4 has the same, its milliseconds per step of 10 ms at 9,920 and
/// 100,440 tetrahedra (conjugate gradients to 1e-6, on a two-core machine of 2026).
const STRAINS: [(&str, SolidStrain, Option<[f64; 2]>); 5] = [
    ("Linear", SolidStrain::Linear, None),
    ("Warped", SolidStrain::Warped(RotationMethod::Frames), None),
    ("Corotated", SolidStrain::Corotated, Some([50.0, 1265.0])),
    ("Green", SolidStrain::Green, Some([203.0, 3219.0])),
    ("NeoHookean", SolidStrain::NeoHookean, None),
];

/// Milliseconds of processor time a frame of 1/60 s of the bar, by size: MuJoCo 4.0 flex with one
/// implicit step and Rapier 0.36 with its solver of finite elements (the best of several runs), on
/// a two-core machine of 2026.
const PEERS: [[f64; 2]; 3] = [[2.1, 2.7], [40.0, 35.0], [552.0, 600.0]];

/// The wanted share of the best peer's time, of VegaFEM's, and the wanted error of the tip.
const SHARE_OF_PEERS: f64 = 0.25;
const SHARE_OF_VEGA: f64 = 0.2;
const TIP_ERROR: f64 = 0.02;

/// Wanted residual of the linear solves.
const TOLERANCE: f64 = 1e-6;

/// Runs the benchmark.
pub fn run(quick: bool) -> Result<Value, Failure> {
    let failed = |error: BenchError| Failure::Simulation(error.to_string());
    let sizes = if quick { &SIZES[..2] } else { &SIZES[..] };
    let strains = every_strain(sizes, quick).map_err(failed)?;
    print("");
    let bar = peers_bar(sizes, quick).map_err(failed)?;
    Ok(json!({ "strains": strains, "bar": bar }))
}

/// A bar of 1 x 0.25 x 0.25 m, clamped at one end, under gravity.
fn bar(counts: [usize; 3], strain: SolidStrain) -> Result<BodyDescription, BenchError> {
    let size = DVec3::new(1.0, 0.25, 0.25);
    let mesh: Arc<ElementMesh> = Arc::new(block(counts, size, Division::FiveTetrahedra)?);
    let model = SolidModel::new(strain, ElasticMaterial::new(1e6, 0.33, 1000.0)?);
    let masses = model.masses(&mesh)?;
    let fixed = mesh.positions.iter().map(|x| x.x < 1e-9).collect();
    let settings = MeshSettings::new(mesh, Arc::new(model));
    let mut bar = BodyDescription::of_mesh("bar", settings, masses);
    bar.fixed = fixed;
    bar.integrator = IntegratorKind::SemiImplicit;
    bar.solver.tolerance = TOLERANCE;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    bar.forces.push(BoundForce { force, node: None });
    Ok(bar)
}

fn world_of(body: Body) -> World {
    World {
        bodies: vec![body],
        ..World::default()
    }
}

/// What steps cost and did.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    steps: usize,
    milliseconds: f64,
    iterations: f64,
    residual: f64,
    troubled: usize,
}

/// Takes steps until `seconds` of processor time have passed, after a first one that factorises.
fn advance(world: &mut World, steps: usize, seconds: f64, mut each: impl FnMut(&World)) -> Cost {
    let mut workspace = Workspace::new(world);
    workspace.measure = false;
    world.step(&mut workspace);
    each(world);
    let mut cost = Cost::default();
    let mut spent = 0.0;
    while cost.steps < steps && (spent < seconds || cost.steps < 5) {
        let start = clock::processor_seconds();
        let report = world.step(&mut workspace);
        spent += clock::processor_seconds() - start;
        each(world);
        cost.steps += 1;
        cost.iterations += report.linear_iterations as f64;
        cost.residual = cost.residual.max(report.linear_residual);
        cost.troubled += report.shortened_steps + report.quarantined;
    }
    let count = cost.steps.max(1) as f64;
    cost.milliseconds = 1e3 * spent / count;
    cost.iterations /= count;
    cost
}

/// Steps of 10 ms with every strain.
fn every_strain(sizes: &[[usize; 3]], quick: bool) -> Result<Value, BenchError> {
    print(
        "Cantilever, steps of 10 ms, one linear solve per step to 1e-6; VegaFEM 4: a step of the same \
         strain, and the fifth of it that is wanted",
    );
    print("strain      tetrahedra   steps    CPU ms  iterations  residual   VegaFEM    wanted");
    let seconds = if quick { 0.5 } else { 7.0 };
    let mut rows = Vec::new();
    for (name, strain, vega) in STRAINS {
        let mut points = Vec::new();
        for (index, &counts) in sizes.iter().enumerate() {
            note(&format!("measuring {name} {counts:?} ..."));
            let tetrahedra = 5 * counts.iter().product::<usize>();
            let mut description = bar(counts, strain)?;
            description.time_step = 0.01;
            let mut world = world_of(Body::new(description)?);
            let cost = advance(&mut world, 200, seconds, |_| ());
            points.push([tetrahedra as f64, cost.milliseconds]);
            let known = vega.filter(|_| index > 0).map(|vega| vega[index - 1]);
            let beside = known.map_or_else(String::new, |known| {
                format!("{known:>10.0}{:>10.1}", SHARE_OF_VEGA * known)
            });
            print(&format!(
                "{name:10} {tetrahedra:>11}  {:>6}  {:>8.2}  {:>10.1}  {:>8.1e}{beside}{}",
                cost.steps,
                cost.milliseconds,
                cost.iterations,
                cost.residual,
                trouble(cost),
            ));
            rows.push(json!({
                "strain": name,
                "tetrahedra": tetrahedra,
                "steps": cost.steps,
                "milliseconds_per_step": cost.milliseconds,
                "iterations": cost.iterations,
                "residual": cost.residual,
                "vega_milliseconds": known.map_or(Value::Null, Value::from),
            }));
        }
        print(&format!(
            "{name:10} cost grows with the tetrahedra to the power {:.2}",
            growth_exponent(&points)
        ));
    }
    Ok(Value::Array(rows))
}

fn trouble(cost: Cost) -> String {
    if cost.troubled > 0 {
        format!("  {} steps shortened or bodies frozen", cost.troubled)
    } else {
        String::new()
    }
}

/// Height of the middle of the free end, in metres.
fn tip(world: &World) -> f64 {
    let body = &world.bodies[0];
    let rest = &body.description().rest_positions;
    let end = rest.iter().zip(&body.state.positions);
    let (sum, count) = end
        .filter(|(rest, _)| rest.x > 1.0 - 1e-9)
        .fold((0.0, 0.0), |(sum, count), (_, x)| (sum + x.z, count + 1.0));
    sum / count - 0.125
}

/// The mean over whole swings: from the first lowest point to the last.
fn mean_over_swings(heights: &[f64]) -> Option<(f64, usize)> {
    let lows: Vec<usize> = (1..heights.len().saturating_sub(1))
        .filter(|&i| heights[i] <= heights[i - 1] && heights[i] < heights[i + 1])
        .collect();
    let (first, last) = (*lows.first()?, *lows.last()?);
    let swings = &heights[first..last];
    let mean = swings.iter().sum::<f64>() / swings.len().max(1) as f64;
    (last > first).then_some((mean, lows.len() - 1))
}

/// Where the tip rests, found from a state near it.
fn resting_tip(counts: [usize; 3], near: &State) -> Result<(f64, f64), BenchError> {
    let mut description = bar(counts, SolidStrain::Corotated)?;
    description.integrator = IntegratorKind::Static;
    description.solver.tolerance = 1e-4;
    description.solver.max_iterations = Some(5000);
    let state = State {
        velocities: vec![DVec3::ZERO; near.positions.len()],
        ..near.clone()
    };
    let mut world = world_of(Body::with_state(description, state)?);
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    Ok((tip(&world), report.linear_residual))
}

/// The bar of the other engines: corotated, one step a frame.
fn peers_bar(sizes: &[[usize; 3]], quick: bool) -> Result<Value, BenchError> {
    print(
        "Corotated bar of 1 x 0.25 x 0.25 m, one step a frame of 1/60 s, beside the processor time of \
         the best peers, and the quarter of the best that is wanted",
    );
    print(
        "tetrahedra  frames    CPU ms  iterations  residual  MuJoCo  Rapier  wanted   tip's mean    \
         at rest  error",
    );
    let mut rows = Vec::new();
    for (&counts, peers) in sizes.iter().zip(PEERS) {
        note(&format!("measuring the bar {counts:?} ..."));
        let tetrahedra = 5 * counts.iter().product::<usize>();
        let mut description = bar(counts, SolidStrain::Corotated)?;
        description.time_step = 1.0 / 60.0;
        let mut world = world_of(Body::new(description)?);
        let mut heights = Vec::new();
        let seconds = if quick { 3.0 } else { 40.0 };
        let cost = advance(&mut world, 180, seconds, |world| heights.push(tip(world)));
        let (rest, _) = resting_tip(counts, &world.bodies[0].state)?;
        let mean = mean_over_swings(&heights);
        let error = mean.map(|(mean, _)| (mean - rest).abs() / rest.abs());
        let wanted = SHARE_OF_PEERS * peers[0].min(peers[1]);
        let shown = mean.zip(error).map_or_else(
            || "no whole swing".to_string(),
            |((mean, _), error)| format!("{mean:>10.5}{rest:>11.5}{:>6.2} %", 100.0 * error),
        );
        print(&format!(
            "{tetrahedra:>10}  {:>6}  {:>8.2}  {:>10.1}  {:>8.1e}  {:>6}  {:>6}  {wanted:>6.2}   {shown}{}",
            cost.steps,
            cost.milliseconds,
            cost.iterations,
            cost.residual,
            peers[0],
            peers[1],
            trouble(cost),
        ));
        rows.push(json!({
            "tetrahedra": tetrahedra,
            "frames": cost.steps,
            "milliseconds_per_frame": cost.milliseconds,
            "iterations": cost.iterations,
            "residual": cost.residual,
            "mujoco_milliseconds": peers[0],
            "rapier_milliseconds": peers[1],
            "wanted_milliseconds": wanted,
            "tip_mean": mean.map_or(Value::Null, |(mean, _)| mean.into()),
            "tip_at_rest": rest,
            "tip_error": error.map_or(Value::Null, Value::from),
        }));
    }
    print(&format!(
        "wanted: an error of at most {:.0} % and a residual of at most {TOLERANCE:.0e}",
        100.0 * TIP_ERROR
    ));
    Ok(Value::Array(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_bar_swings_about_its_resting_place() {
        let mut description = bar(SIZES[0], SolidStrain::Corotated).unwrap();
        description.time_step = 1.0 / 60.0;
        let mut world = world_of(Body::new(description).unwrap());
        let mut heights = Vec::new();
        let cost = advance(&mut world, 180, 60.0, |world| heights.push(tip(world)));
        assert!(cost.residual <= TOLERANCE && cost.troubled == 0, "{cost:?}");
        let (rest, _) = resting_tip(SIZES[0], &world.bodies[0].state).unwrap();
        let (mean, swings) = mean_over_swings(&heights).unwrap();
        assert!(swings >= 2 && rest < -0.05, "{swings} {rest}");
        assert!(
            (mean - rest).abs() < TIP_ERROR * rest.abs(),
            "{mean} {rest}"
        );
    }

    #[test]
    fn swings_are_found_between_lowest_points() {
        let heights: Vec<f64> = (0..100).map(|i| 2.0 + (0.3 * i as f64).cos()).collect();
        let (mean, swings) = mean_over_swings(&heights).unwrap();
        assert!(swings == 4 && (mean - 2.0).abs() < 0.05, "{mean} {swings}");
        assert!(mean_over_swings(&heights[..5]).is_none());
    }
}
