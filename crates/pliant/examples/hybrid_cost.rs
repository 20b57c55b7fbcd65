//! What a step of a hybrid solid costs, beside the three triangular solves it cannot do without.
//!
//! `cargo run --release -p pliant --example hybrid_cost` prints both times of a step whose matrix
//! does not change, measured in turns in the same run.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::linear::{GridMatrix, GridSolver, SolverKind, SolverSettings};
use pliant::{Body, BodyDescription, Formulation, Grid, State, Workspace, World};
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: usize = 200;
const STEPS: usize = 8;

fn solid(counts: [usize; 3]) -> BodyDescription {
    let grid = Grid::new(&counts, &[false; 3]);
    let place = |at| DVec3::from(grid.material_coordinates(at));
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let weights = Weights::uniform(grid.node_count(), 50.0, 0.0, 0.0);
    let mut solid = BodyDescription::new("solid", grid, rest, weights);
    solid.formulation = Formulation::Hybrid;
    solid.solver.kind = SolverKind::Cholesky;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    solid.forces.push(BoundForce { force, node: None });
    solid
}

/// A matrix of the same pattern as that of the step, whose factor costs the same.
fn like_the_step(grid: &Grid) -> GridMatrix {
    let mut matrix = GridMatrix::new(grid, &[[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    for (node, at) in grid.nodes().enumerate() {
        matrix.add(node, node, 10.0);
        for step in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
            if let Some(end) = grid.neighbour(at, step) {
                matrix.add(node, end, -1.0);
                matrix.add(end, node, -1.0);
            }
        }
    }
    matrix
}

/// The shortest of many durations, in microseconds: what the machine needs when left alone.
fn least(durations: &[f64]) -> f64 {
    durations.iter().copied().fold(f64::INFINITY, f64::min) * 1e6
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for counts in [[7, 7, 7], [16, 16, 4]] {
        let description = solid(counts);
        let matrix = like_the_step(&description.grid);
        let settings = SolverSettings {
            kind: SolverKind::Cholesky,
            ..SolverSettings::default()
        };
        let mut solver = GridSolver::new(settings, &matrix);
        solver.prepare(&matrix)?;
        let n = matrix.node_count();
        let rhs: Vec<f64> = (0..3 * n).map(|i| (i as f64).sin()).collect();
        let mut x = vec![0.0; 3 * n];

        let spin = DVec3::new(1.0, 2.0, 0.5);
        let positions = description.rest_positions.clone();
        let velocities = positions.iter().map(|x| spin.cross(*x)).collect();
        let state = State {
            positions,
            velocities,
            ..State::default()
        };
        let mut world = World {
            bodies: vec![Body::with_state(description, state)?],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        workspace.measure = false;
        world.step(&mut workspace);

        let (mut steps, mut solves) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..STEPS {
                assert_eq!(world.step(&mut workspace).factorisations, 0);
            }
            steps.push(start.elapsed().as_secs_f64() / STEPS as f64);
            let start = Instant::now();
            for _ in 0..STEPS {
                solver.substitute(&matrix, &rhs, &mut x)?;
            }
            solves.push(start.elapsed().as_secs_f64() / STEPS as f64);
        }
        let (step, solve) = (least(&steps), least(&solves));
        println!(
            "{counts:?}: a step {step:.1} µs, its three triangular solves {solve:.1} µs, \
             ratio {:.2}",
            step / solve
        );
    }
    Ok(())
}
