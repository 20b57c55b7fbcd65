//! Precomputed elements at the rates at which hands feel: a tool pushes a slab of tissue whose answers to
//! forces on its nodes were computed before, beside the 1,000 updates per second that force feedback asks
//! for.

use crate::clock;
use crate::console::print;
use glam::DVec3;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Spring};
use pliant::formulation::Condensed;
use pliant::mesh::{Division, block};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use pliant_session::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

/// Updates per second that force feedback asks for.
const HAPTIC: f64 = 1000.0;

/// Runs the benchmark.
pub fn run(quick: bool) -> Result<Value, Failure> {
    print(
        "A tool pushes a slab of linear tetrahedra in and draws a circle; every update is the balance of the whole",
    );
    print("surface nodes  all nodes  touched  factor s  columns s  updates/s  slowest ms   error");
    let sides: &[usize] = if quick { &[14] } else { &[14, 30] };
    let mut rows = Vec::new();
    for &side in sides {
        for reach in [1.2, 2.1] {
            rows.push(push(side, reach, if quick { 200 } else { 2000 })?);
        }
    }
    print(&format!("force feedback: {HAPTIC} updates/s"));
    Ok(Value::Array(rows))
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Simulation(format!("the slab: {error}"))
}

/// A slab whose underside is fixed, in cells of 1 cm.
fn slab(side: usize) -> Result<BodyDescription, Failure> {
    let size = 0.01 * DVec3::new(side as f64, side as f64, 3.0);
    let mesh = block([side, side, 3], size, Division::FiveTetrahedra).map_err(failed)?;
    let material = ElasticMaterial::new(1e4, 0.45, 1000.0).map_err(failed)?;
    let model = SolidModel::new(SolidStrain::Linear, material);
    let masses = model.masses(&mesh).map_err(failed)?;
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut slab = BodyDescription::of_mesh("slab", settings, masses);
    let low = slab
        .rest_positions
        .iter()
        .map(|x| x.z)
        .fold(f64::INFINITY, f64::min);
    for (fixed, x) in slab.fixed.iter_mut().zip(&slab.rest_positions) {
        *fixed = x.z < low + 1e-9;
    }
    slab.integrator = IntegratorKind::Static;
    slab.time_step = 1.0 / HAPTIC;
    Ok(slab)
}

fn push(side: usize, reach: f64, updates: usize) -> Result<Value, Failure> {
    let mut description = slab(side)?;
    let rest = description.rest_positions.clone();
    let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let middle = DVec3::new(0.5 * (low.x + high.x), 0.5 * (low.y + high.y), high.z);
    let under_tool = |x: &DVec3| x.z > high.z - 1e-9 && x.distance(middle) < 0.01 * reach;
    let touched: Vec<usize> = (0..rest.len()).filter(|&n| under_tool(&rest[n])).collect();
    let end = updates as f64 / HAPTIC;
    for &node in &touched {
        let end_place = rest[node] + DVec3::new(0.008, 0.004, -0.01);
        let force = Arc::new(Spring {
            constant: 1e4,
            start: rest[node],
            end: end_place,
            from: 0.0,
            until: 2.0 * end,
        });
        description.forces.push(BoundForce {
            force,
            node: Some(node),
        });
    }
    let whole = description.clone();
    description.make_condensed(Condensed::default());
    let surface = description.mesh().map_or(0, |mesh| {
        let mut nodes = mesh.boundary().concat();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len()
    });
    let start = clock::seconds();
    let mut world = World {
        bodies: vec![Body::new(description).map_err(failed)?],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let factor = clock::seconds() - start;
    workspace.measure = false;
    let start = clock::seconds();
    world.step(&mut workspace);
    let columns = clock::seconds() - start;
    let (mut slowest, mut sum) = (0.0_f64, 0.0);
    for _ in 1..updates {
        let start = clock::seconds();
        world.step(&mut workspace);
        let time = clock::seconds() - start;
        slowest = slowest.max(time);
        sum += time;
    }
    let rate = (updates - 1) as f64 / sum;
    let error = error(whole, &world)?;
    let (nodes, count) = (rest.len(), touched.len());
    print(&format!(
        "{surface:13}  {nodes:9}  {count:7}  {factor:8.2}  {columns:9.3}  {rate:9.0}  {:10.3}  {error:6.0e}",
        1000.0 * slowest
    ));
    Ok(json!({
        "surface_nodes": surface,
        "nodes": nodes,
        "touched": count,
        "factor_seconds": factor,
        "columns_seconds": columns,
        "updates_per_second": rate,
        "slowest_milliseconds": 1000.0 * slowest,
        "error": error,
    }))
}

/// How far the last shape is from that of the whole linear solid, by the largest displacement.
fn error(mut whole: BodyDescription, world: &World) -> Result<f64, Failure> {
    whole.solver.kind = pliant::linear::SolverKind::Cholesky;
    whole.solver.tolerance = 1e-13;
    whole.newton_tolerance = 1e-12;
    let mut full = World {
        bodies: vec![Body::new(whole).map_err(failed)?],
        ..World::default()
    };
    full.time = world.time - 1.0 / HAPTIC;
    let mut workspace = Workspace::new(&full);
    full.step(&mut workspace);
    let rest = &full.bodies[0].description().rest_positions;
    let both = full.bodies[0]
        .state
        .positions
        .iter()
        .zip(&world.bodies[0].state.positions);
    let (mut largest, mut error) = (0.0_f64, 0.0_f64);
    for ((a, b), rest) in both.zip(rest) {
        largest = largest.max(a.distance(*rest));
        error = error.max(a.distance(*b));
    }
    Ok(error / largest)
}
