//! Bytes that conjugate gradients move, and which share of the memory's speed that is.
//!
//! The solver says how many bytes an iteration with the diagonal as preconditioner reads and writes
//! at least (`GridSolver::bytes_per_iteration`): the stored diagonals of the matrix and 32 vectors
//! of one number per node. Sheets of less than 20,000 nodes are solved in single precision with half
//! of the diagonals, larger ones in double precision with all. The time of an iteration is the
//! difference between a long and a short solve, so that setting up does not count.

use crate::clock;
use crate::console::print;
use pliant::Grid;
use pliant::linear::{GridMatrix, GridSolver, LinearError, SolverKind, SolverSettings};
use pliant_session::Failure;
use rayon::prelude::*;
use serde_json::{Value, json};

/// The stencil of a surface: one of each pair of opposite steps.
const STENCIL: [[i32; 3]; 6] = [
    [1, 0, 0],
    [2, 0, 0],
    [0, 1, 0],
    [0, 2, 0],
    [1, 1, 0],
    [1, -1, 0],
];
/// Elements of the arrays of the plain copy: 64 MB each.
const COPIED: usize = 8 << 20;
/// Iterations of the short and of the long solve.
const ITERATIONS: [usize; 2] = [50, 250];
/// How often each is repeated; the shortest time counts.
const REPEATS: usize = 7;

/// Measures sheets of these sides and a plain copy.
pub fn run(sides: &[usize]) -> Result<Value, Failure> {
    let copy = copy_bandwidth();
    print(&format!(
        "\nBandwidth of conjugate gradients, preconditioned by the diagonal; plain copy of 64 MB \
         arrays: {:.1} GB/s",
        copy / 1e9
    ));
    print("     grid  bytes/node  MB/iteration  us/iteration    GB/s  share of the copy");
    let mut rows = Vec::new();
    for &side in sides {
        rows.push(row(side, copy).map_err(|error| Failure::Simulation(error.to_string()))?);
    }
    Ok(json!({ "copy_bytes_per_second": copy, "rows": rows }))
}

fn row(side: usize, copy: f64) -> Result<Value, LinearError> {
    let matrix = stiff_sheet(side);
    let bytes = bytes_per_iteration(&matrix)?;
    let mut shortest = [f64::INFINITY; 2];
    for _ in 0..REPEATS {
        for (shortest, iterations) in shortest.iter_mut().zip(ITERATIONS) {
            *shortest = shortest.min(solve_seconds(&matrix, iterations)?);
        }
    }
    let seconds = (shortest[1] - shortest[0]) / (ITERATIONS[1] - ITERATIONS[0]) as f64;
    let bandwidth = bytes as f64 / seconds;
    print(&format!(
        "{:>9}  {:10}  {:12.2}  {:12.1}  {:6.1}  {:.0} %{}",
        format!("{side}x{side}"),
        bytes / matrix.node_count(),
        bytes as f64 / 1e6,
        1e6 * seconds,
        bandwidth / 1e9,
        100.0 * bandwidth / copy,
        if bandwidth > copy {
            " (from the cache)"
        } else {
            ""
        },
    ));
    Ok(json!({
        "side": side,
        "bytes_per_iteration": bytes,
        "seconds_per_iteration": seconds,
        "bytes_per_second": bandwidth,
        "share_of_copy": (bandwidth / copy),
    }))
}

/// A sheet that resists stretching and bending, so badly conditioned that no iteration is idle.
fn stiff_sheet(side: usize) -> GridMatrix {
    let grid = Grid::new(&[side, side], &[false, false]);
    let mut matrix = GridMatrix::new(&grid, &STENCIL);
    for coordinates in grid.nodes() {
        let node = grid.index(coordinates);
        matrix.add(node, node, 0.001);
        for step in STENCIL {
            if let Some(neighbour) = grid.neighbour(coordinates, step) {
                matrix.add(node, node, 1.0);
                matrix.add(neighbour, neighbour, 1.0);
                matrix.add(node, neighbour, -1.0);
                matrix.add(neighbour, node, -1.0);
            }
        }
    }
    matrix
}

/// A solver that does all its iterations.
fn tireless(matrix: &GridMatrix, iterations: usize) -> Result<GridSolver, LinearError> {
    let settings = SolverSettings {
        kind: SolverKind::DiagonalConjugateGradient,
        tolerance: 0.0,
        max_iterations: Some(iterations),
        ..SolverSettings::default()
    };
    let mut solver = GridSolver::new(settings, matrix);
    solver.prepare(matrix)?;
    Ok(solver)
}

fn bytes_per_iteration(matrix: &GridMatrix) -> Result<usize, LinearError> {
    let solver = tireless(matrix, 1)?;
    Ok(solver.bytes_per_iteration(matrix).unwrap_or(0))
}

fn solve_seconds(matrix: &GridMatrix, iterations: usize) -> Result<f64, LinearError> {
    let mut solver = tireless(matrix, iterations)?;
    let length = 3 * matrix.node_count();
    // A load that is neither smooth nor even: all frequencies take part.
    let load: Vec<f64> = (0..length).map(|i| (i as f64 * 0.7371).sin()).collect();
    let mut solution = vec![0.0; length];
    let start = clock::seconds();
    solver.solve(matrix, &load, &mut solution)?;
    Ok(clock::seconds() - start)
}

/// Bytes read and written a second by a plain copy, with all threads.
fn copy_bandwidth() -> f64 {
    let from = vec![1.0_f64; COPIED];
    let mut to = vec![0.0_f64; COPIED];
    let chunk = COPIED.div_ceil(rayon::current_num_threads());
    let mut shortest = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = clock::seconds();
        to.par_chunks_mut(chunk)
            .zip(from.par_chunks(chunk))
            .for_each(|(to, from)| to.copy_from_slice(from));
        shortest = shortest.min(clock::seconds() - start);
        std::hint::black_box(&to);
    }
    (2 * size_of::<f64>() * COPIED) as f64 / shortest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_solves_do_all_their_iterations() {
        let matrix = stiff_sheet(40);
        assert_eq!(matrix.offsets().len(), 13);
        // Seven diagonals and 32 vectors in single precision.
        assert_eq!(bytes_per_iteration(&matrix).unwrap(), 4 * 39 * 1600);
        let mut solver = tireless(&matrix, ITERATIONS[1]).unwrap();
        let load = vec![1.0; 3 * matrix.node_count()];
        let mut solution: Vec<f64> = (0..load.len()).map(|i| (i as f64).sin()).collect();
        let report = solver.solve(&matrix, &load, &mut solution).unwrap();
        assert_eq!(report.iterations, ITERATIONS[1]);
        assert!(report.residual < 1e-6);
    }
}
