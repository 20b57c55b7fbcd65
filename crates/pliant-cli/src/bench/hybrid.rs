//! Hybrid bodies: a step beside the triangular solves it cannot do without, and the scenes.

use super::scene_costs::{self, Plan};
use crate::clock;
use crate::console::print;
use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Hybrid;
use pliant::linear::{GridMatrix, GridSolver, LinearError, SolverKind, SolverSettings};
use pliant::{Body, BodyDescription, Grid, State, Workspace, World};
use pliant_session::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

const SCENES: &[&str] = &[
    "flatland-elastic",
    "flatland-viscoelastic",
    "flatland-putty",
    "flatland-mould",
    "flatland-bounce",
    "vegetables",
    "plasticine-bust",
];

/// How much longer than its three triangular solves a step may take.
const LARGEST_RATIO: f64 = 1.5;

/// Runs the benchmark.
pub fn run(quick: bool) -> Result<Value, Failure> {
    print("A step of a hybrid solid whose matrix does not change, and its three triangular solves");
    let rounds = if quick { 20 } else { 200 };
    let mut solids = Vec::new();
    for counts in [[7, 7, 7], [16, 16, 4]] {
        solids.push(
            solid_cost(counts, rounds).map_err(|error| Failure::Simulation(error.to_string()))?,
        );
    }
    print("");
    let scenes = scene_costs::run(
        SCENES,
        Plan {
            steps: if quick { 20 } else { 300 },
            seconds: if quick { 0.3 } else { 4.0 },
        },
    )?;
    Ok(json!({ "solids": solids, "scenes": scenes }))
}

fn solid(counts: [usize; 3]) -> BodyDescription {
    let grid = Grid::new(&counts, &[false; 3]);
    let place = |at| DVec3::from(grid.material_coordinates(at));
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let weights = Weights::uniform(grid.node_count(), 50.0, 0.0, 0.0);
    let mut solid = BodyDescription::new("solid", grid, rest, weights);
    solid.make_hybrid(Hybrid::default());
    solid.solver.kind = SolverKind::Cholesky;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    solid.forces.push(BoundForce { force, node: None });
    solid
}

/// A matrix of the same pattern as that of the step, whose factor costs the same.
fn like_the_step(grid: &Grid) -> GridMatrix {
    const STEPS: [[i32; 3]; 3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut matrix = GridMatrix::new(grid, &STEPS);
    for (node, at) in grid.nodes().enumerate() {
        matrix.add(node, node, 10.0);
        for step in STEPS {
            if let Some(end) = grid.neighbour(at, step) {
                matrix.add(node, end, -1.0);
                matrix.add(end, node, -1.0);
            }
        }
    }
    matrix
}

/// Both times, measured in turns; of each the shortest, which no other program has disturbed.
fn solid_cost(counts: [usize; 3], rounds: usize) -> Result<Value, Box<dyn std::error::Error>> {
    const STEPS: usize = 8;
    let description = solid(counts);
    let matrix = like_the_step(description.grid().ok_or("the solid is on no grid")?);
    let mut solver = triangular_solver(&matrix)?;
    let n = matrix.node_count();
    let rhs: Vec<f64> = (0..3 * n).map(|i| (i as f64).sin()).collect();
    let mut x = vec![0.0; 3 * n];

    let positions = description.rest_positions.clone();
    let spin = DVec3::new(1.0, 2.0, 0.5);
    let state = State {
        velocities: positions.iter().map(|x| spin.cross(*x)).collect(),
        positions,
        ..State::default()
    };
    let mut world = World {
        bodies: vec![Body::with_state(description, state)?],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    workspace.measure = false;
    world.step(&mut workspace);

    let [mut step, mut solve] = [f64::INFINITY; 2];
    let mut factorisations = 0;
    for _ in 0..rounds {
        let start = clock::seconds();
        for _ in 0..STEPS {
            factorisations += world.step(&mut workspace).factorisations;
        }
        let middle = clock::seconds();
        for _ in 0..STEPS {
            solver.substitute(&matrix, &rhs, &mut x)?;
        }
        step = f64::min(step, (middle - start) / STEPS as f64);
        solve = f64::min(solve, (clock::seconds() - middle) / STEPS as f64);
    }
    let [i, j, k] = counts;
    print(&format!(
        "{i} x {j} x {k}: {:.1} µs a step, {:.1} µs for the solves, ratio {:.2} (wanted: \
         {LARGEST_RATIO}); {factorisations} factorisations in {} steps",
        1e6 * step,
        1e6 * solve,
        step / solve,
        rounds * STEPS,
    ));
    Ok(json!({
        "grid": counts,
        "step_microseconds": (1e6 * step),
        "solves_microseconds": (1e6 * solve),
        "ratio": (step / solve),
        "factorisations": factorisations,
    }))
}

fn triangular_solver(matrix: &GridMatrix) -> Result<GridSolver, LinearError> {
    let settings = SolverSettings {
        kind: SolverKind::Cholesky,
        ..SolverSettings::default()
    };
    let mut solver = GridSolver::new(settings, matrix);
    solver.prepare(matrix)?;
    Ok(solver)
}
