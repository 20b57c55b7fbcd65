//! Solids of 10,000 to 2 million tetrahedra, and grid solids: what set-up, steps and memory cost, how
//! fast they grow, and how exact the steps are.

use super::fixed_iterations::growth_exponent;
use crate::clock;
use crate::console::{note, print};
use glam::DVec3;
use pliant::elastic::GridMaterial;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, block};
use pliant::{Body, BodyDescription, Grid, Workspace, World};
use pliant_session::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

type BenchError = Box<dyn std::error::Error>;

/// Cubes of five tetrahedra along each edge: 10,985 to 1,026,895 tetrahedra.
const CUBES: [usize; 6] = [13, 20, 27, 37, 46, 59];

/// 2,026,120 tetrahedra.
const LARGEST_CUBE: usize = 74;

/// Nodes along each edge of a grid.
const GRIDS: [usize; 4] = [12, 20, 32, 48];
const LARGEST_GRID: usize = 64;

/// The wanted exponents of set-up and step, at most.
const WANTED: f64 = 1.1;

/// Steps that are measured, after the first, which sets up.
const STEPS: usize = 2;

/// Young's modulus in pascals, Poisson's ratio and density in kg/m³.
const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1000.0;

/// What one size costs and does.
#[derive(Clone, Copy, Debug)]
struct Row {
    elements: usize,
    nodes: usize,
    /// Processor seconds of building the body and of what the first step does more than the others.
    set_up: f64,
    /// Processor seconds per step.
    step: f64,
    /// Largest resident memory, in bytes.
    memory: Option<f64>,
    newton: f64,
    /// Linear iterations per solve.
    iterations: f64,
    residual: f64,
    /// Largest distance from the converged solution by the largest displacement.
    error: f64,
    unconverged: usize,
}

/// Up to a million tetrahedra.
pub fn run(quick: bool) -> Result<Value, Failure> {
    let cubes = if quick { &CUBES[..3] } else { &CUBES[..] };
    let grids = if quick { &GRIDS[..2] } else { &GRIDS[..] };
    measure(cubes, grids)
}

/// The largest sizes: two million tetrahedra.
pub fn run_largest(quick: bool) -> Result<Value, Failure> {
    let cubes = [CUBES[3], CUBES[5], LARGEST_CUBE];
    let cubes = if quick { &cubes[..2] } else { &cubes[..] };
    let grids = [GRIDS[2], GRIDS[3], LARGEST_GRID];
    let grids = if quick { &grids[..2] } else { &grids[..] };
    measure(cubes, grids)
}

fn measure(cubes: &[usize], grids: &[usize]) -> Result<Value, Failure> {
    let failed = |error: BenchError| Failure::Simulation(error.to_string());
    print(
        "Cubes of 1 m under gravity, held below, steps of 10 ms by the default rule and solver; error: \
         largest distance from the converged solution of the same steps by the largest displacement",
    );
    let meshes = table("tetrahedra", cubes, mesh_body).map_err(failed)?;
    print("");
    let grids = table("cells", grids, grid_body).map_err(failed)?;
    print(&format!(
        "wanted: exponents of at most {WANTED}, no solve that ends at its limit"
    ));
    Ok(json!({ "meshes": meshes, "grids": grids }))
}

fn table(
    unit: &str,
    sizes: &[usize],
    make: fn(usize) -> Result<(BodyDescription, usize), BenchError>,
) -> Result<Value, BenchError> {
    print(&format!(
        "{unit:>11}    nodes  set-up s  s per step  memory MB  Newton  iterations  residual    error  \
         unconverged"
    ));
    let mut rows = Vec::new();
    for &size in sizes {
        note(&format!("measuring {size} x {size} x {size} ..."));
        let row = cost(size, make)?;
        let memory = row
            .memory
            .map_or("-".to_owned(), |m| format!("{:.0}", m / 1e6));
        print(&format!(
            "{:>11}  {:>7}  {:>8.2}  {:>10.3}  {memory:>9}  {:>6.1}  {:>10.1}  {:>8.1e}  {:>7.1e}  {:>11}",
            row.elements,
            row.nodes,
            row.set_up,
            row.step,
            row.newton,
            row.iterations,
            row.residual,
            row.error,
            row.unconverged
        ));
        rows.push(row);
    }
    let points = |value: fn(&Row) -> f64| -> Vec<[f64; 2]> {
        let rows = rows.iter();
        rows.map(|row| [row.elements as f64, value(row).max(1e-4)])
            .collect()
    };
    let exponents =
        [|row: &Row| row.set_up, |row: &Row| row.step].map(|f| growth_exponent(&points(f)));
    print(&format!(
        "set-up grows with the {unit} to the power {:.2}, a step to the power {:.2}",
        exponents[0], exponents[1]
    ));
    let rows: Vec<Value> = rows.iter().map(|row| described(unit, row)).collect();
    Ok(json!({
        "sizes": rows,
        "set_up_exponent": exponents[0],
        "step_exponent": exponents[1],
    }))
}

fn described(unit: &str, row: &Row) -> Value {
    json!({
        unit: row.elements,
        "nodes": row.nodes,
        "set_up_seconds": row.set_up,
        "seconds_per_step": row.step,
        "memory_bytes": row.memory.map_or(Value::Null, Value::from),
        "newton_iterations_per_step": row.newton,
        "linear_iterations_per_solve": row.iterations,
        "residual": row.residual,
        "error": row.error,
        "unconverged_solves": row.unconverged,
    })
}

/// A cube of tetrahedra held below, and their number.
fn mesh_body(n: usize) -> Result<(BodyDescription, usize), BenchError> {
    let mesh = block([n, n, n], DVec3::ONE, Division::FiveTetrahedra)?;
    let material = ElasticMaterial::new(YOUNG, POISSON, DENSITY)?;
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh)?;
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let body = BodyDescription::of_mesh("cube", settings, masses);
    Ok((held_below(body), 5 * n * n * n))
}

/// A grid of n x n x n nodes of the same material, and its cells.
fn grid_body(n: usize) -> Result<(BodyDescription, usize), BenchError> {
    let grid = Grid::new(&[n, n, n], &[false; 3]);
    let place = |at| DVec3::from(grid.material_coordinates(at));
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let material = GridMaterial {
        young: YOUNG,
        poisson: POISSON,
        density: DENSITY,
        thickness: 1.0,
        stretching: None,
        rigidity: None,
    };
    let weights = material.weights(&grid, &rest);
    let masses = material.masses(&grid, &rest);
    let mut body = BodyDescription::new("grid", grid, rest, weights);
    body.masses = masses;
    Ok((held_below(body), (n - 1).pow(3)))
}

fn held_below(mut body: BodyDescription) -> BodyDescription {
    let places = body.rest_positions.iter();
    body.fixed = places.map(|x| x.z < 1e-9).collect();
    body.time_step = 0.01;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    body.forces.push(BoundForce { force, node: None });
    body
}

fn cost(
    size: usize,
    make: fn(usize) -> Result<(BodyDescription, usize), BenchError>,
) -> Result<Row, BenchError> {
    forget_peak_memory();
    // Memory that earlier sizes have left with the program hides what a small one takes.
    let left = status_bytes("VmRSS:");
    let start = clock::processor_seconds();
    let (description, elements) = make(size)?;
    let exact = BodyDescription {
        newton_tolerance: 1e-6,
        ..description.clone()
    };
    let nodes = description.rest_positions.len();
    let mut world = world_of(description)?;
    let mut workspace = Workspace::new(&world);
    workspace.measure = false;
    world.step(&mut workspace);
    let first = clock::processor_seconds();
    let (mut newton, mut linear, mut residual, mut unconverged) = (0, 0, 0.0_f64, 0);
    for _ in 0..STEPS {
        let report = world.step(&mut workspace);
        newton += report.newton_iterations;
        linear += report.linear_iterations;
        residual = residual.max(report.linear_residual);
        unconverged += report.unconverged_solves + report.shortened_steps + report.quarantined;
    }
    let step = (clock::processor_seconds() - first) / STEPS as f64;
    let memory = status_bytes("VmHWM:").filter(|peak| left.is_none_or(|left| *peak > 1.1 * left));
    drop(workspace);
    Ok(Row {
        elements,
        nodes,
        set_up: first - start - step,
        step,
        memory,
        newton: newton as f64 / STEPS as f64,
        iterations: linear as f64 / newton.max(1) as f64,
        residual,
        error: error(exact, &world)?,
        unconverged,
    })
}

fn world_of(description: BodyDescription) -> Result<World, BenchError> {
    Ok(World {
        bodies: vec![Body::new(description)?],
        ..World::default()
    })
}

/// Distance of a world from one whose steps are converged.
fn error(mut exact: BodyDescription, found: &World) -> Result<f64, BenchError> {
    exact.solver.tolerance = 1e-12;
    exact.newton_iterations *= 3;
    let rest = exact.rest_positions.clone();
    let mut world = world_of(exact)?;
    let mut workspace = Workspace::new(&world);
    workspace.measure = false;
    for _ in 0..=STEPS {
        world.step(&mut workspace);
    }
    let (exact, found) = (&world.bodies[0].state, &found.bodies[0].state);
    let farthest = |a: &[DVec3], b: &[DVec3]| {
        let distances = a.iter().zip(b).map(|(a, b)| (*a - *b).length());
        distances.fold(0.0, f64::max)
    };
    let moved = farthest(&exact.positions, &rest);
    Ok(farthest(&exact.positions, &found.positions) / moved)
}

/// Lets the system measure the largest resident memory anew, where it can.
fn forget_peak_memory() {
    // Where it cannot, the largest of all sizes so far is shown.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// A number of bytes that the system tells about the program: resident memory (`VmRSS:`) or the
/// largest of it (`VmHWM:`).
fn status_bytes(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024.0 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sizes_are_solved_to_a_small_error() {
        for make in [mesh_body, grid_body] {
            let row = cost(8, make).unwrap();
            assert_eq!(row.unconverged, 0, "{row:?}");
            assert!(row.error < 1e-2 && row.iterations < 40.0, "{row:?}");
        }
    }
}
