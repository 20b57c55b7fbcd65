//! What every solver must do, asked of each kind.

use super::test_systems::{
    block_matrix, grids, noise, noise_vectors, plate_matrix, random_matrix, some_fixed,
};
use super::*;
use crate::grid::Grid;
use glam::{DMat3, DVec3};

const KINDS: &[SolverKind] = SolverKind::ALL;

fn settings(kind: SolverKind) -> SolverSettings {
    SolverSettings {
        kind,
        tolerance: 1e-10,
        max_iterations: Some(20_000),
        relaxation: 1.5,
    }
}

/// Solves a dense system by Gaussian elimination with pivoting.
fn dense_solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()));
        let pivot = pivot.unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        let (head, tail) = a.split_at_mut(k + 1);
        for (i, row) in tail.iter_mut().enumerate() {
            let factor = row[k] / head[k][k];
            if factor != 0.0 {
                for j in k..n {
                    row[j] -= factor * head[k][j];
                }
                b[k + 1 + i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    b
}

fn dense_grid(matrix: &GridMatrix) -> Vec<Vec<f64>> {
    let n = matrix.node_count();
    let mut dense = vec![vec![0.0; n]; n];
    for (slot, &offset) in matrix.offsets().iter().enumerate() {
        for (row, &value) in matrix.values(slot).iter().enumerate() {
            let column = row as isize + offset;
            if (0..n as isize).contains(&column) {
                dense[row][column as usize] += value;
            }
        }
    }
    dense
}

fn dense_blocks(matrix: &BlockMatrix) -> Vec<Vec<f64>> {
    let n = matrix.node_count();
    let mut dense = vec![vec![0.0; 3 * n]; 3 * n];
    for row in 0..n {
        for slot in matrix.row_range(row) {
            let block = matrix.block(slot);
            for i in 0..3 {
                for j in 0..3 {
                    dense[3 * row + i][3 * matrix.column(slot) + j] = block.col(j)[i];
                }
            }
        }
    }
    dense
}

fn check_grid(kind: SolverKind, matrix: &GridMatrix, error: f64) {
    let n = matrix.node_count();
    let rhs = noise(3 * n);
    let dense = dense_grid(matrix);
    let mut solver = GridSolver::new(settings(kind), matrix);
    solver.prepare(matrix).unwrap();
    let mut x = noise(3 * n);
    let report = solver.solve(matrix, &rhs, &mut x).unwrap();
    assert!(report.converged, "{kind:?} {:?} {report:?}", matrix.grid());
    assert!(report.residual <= 1e-10, "{kind:?} {report:?}");
    for c in 0..3 {
        let expected = dense_solve(dense.clone(), rhs[c * n..(c + 1) * n].to_vec());
        let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (x, expected) in x[c * n..(c + 1) * n].iter().zip(&expected) {
            let distance = (x - expected).abs();
            assert!(
                distance <= error * size,
                "{kind:?} {:?} {distance}",
                matrix.grid()
            );
        }
    }
    // A good first guess is kept.
    let again = solver.solve(matrix, &rhs, &mut x).unwrap();
    assert!(
        again.converged && again.iterations <= 2,
        "{kind:?} {again:?}"
    );
}

fn check_blocks(kind: SolverKind, scalar: &GridMatrix, matrix: &BlockMatrix, companion: bool) {
    let n = matrix.node_count();
    let rhs = noise_vectors(n);
    let flat: Vec<f64> = rhs.iter().flat_map(|v| v.to_array()).collect();
    let expected = dense_solve(dense_blocks(matrix), flat);
    let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut solver = if companion {
        BlockSolver::on_grid(settings(kind), matrix, scalar.grid())
    } else {
        BlockSolver::new(settings(kind), matrix)
    };
    solver.prepare(matrix).unwrap();
    let companion = companion.then_some(scalar);
    let mut x = noise_vectors(n);
    let report = solver.solve(matrix, companion, &rhs, &mut x).unwrap();
    assert!(
        report.converged && report.residual <= 1e-10,
        "{kind:?} {report:?}"
    );
    for (x, expected) in x.iter().zip(expected.chunks_exact(3)) {
        let distance = (*x - DVec3::from_slice(expected)).length();
        assert!(distance <= 1e-7 * size, "{kind:?} {distance}");
    }
}

#[test]
fn all_solvers_agree_with_dense_elimination_on_all_grids() {
    for grid in grids() {
        let matrix = random_matrix(&grid);
        for &kind in KINDS {
            check_grid(kind, &matrix, 1e-8);
        }
    }
}

#[test]
fn all_solvers_manage_stiff_plates_with_fixed_nodes() {
    for grid in [
        Grid::new(&[61], &[false]),
        Grid::new(&[60], &[true]),
        Grid::new(&[15, 11], &[false, false]),
        Grid::new(&[16, 10], &[true, false]),
        Grid::new(&[9, 14], &[true, true]),
        Grid::new(&[5, 7, 6], &[false, true, false]),
    ] {
        let mut matrix = plate_matrix(&grid, 1.0, 100.0);
        for &kind in KINDS {
            check_grid(kind, &matrix, 1e-6);
        }
        matrix.scale_identity_rows(&some_fixed(grid.node_count()));
        for &kind in KINDS {
            check_grid(kind, &matrix, 1e-6);
        }
    }
}

#[test]
fn all_solvers_solve_block_systems() {
    for grid in [
        Grid::new(&[23], &[true]),
        Grid::new(&[9, 8], &[false, false]),
        Grid::new(&[8, 7], &[true, true]),
        Grid::new(&[4, 5, 4], &[false, true, false]),
    ] {
        let mut scalar = plate_matrix(&grid, 1.0, 10.0);
        let mut matrix = block_matrix(&scalar);
        for &kind in KINDS {
            check_blocks(kind, &scalar, &matrix, false);
            check_blocks(kind, &scalar, &matrix, true);
        }
        let fixed = some_fixed(grid.node_count());
        matrix.pin(&fixed);
        scalar.scale_identity_rows(&fixed);
        for &kind in KINDS {
            check_blocks(kind, &scalar, &matrix, true);
        }
    }
}

#[test]
fn solvers_can_be_prepared_again_with_new_numbers() {
    let grid = Grid::new(&[12, 9], &[false, true]);
    let soft = plate_matrix(&grid, 1.0, 1.0);
    let stiff = plate_matrix(&grid, 2.0, 30.0);
    let rhs = noise(3 * grid.node_count());
    for &kind in KINDS {
        let mut solver = GridSolver::new(settings(kind), &soft);
        solver.prepare(&soft).unwrap();
        let mut x = vec![0.0; rhs.len()];
        solver.solve(&soft, &rhs, &mut x).unwrap();
        solver.prepare(&stiff).unwrap();
        let report = solver.solve(&stiff, &rhs, &mut x).unwrap();
        let mut fresh = GridSolver::new(settings(kind), &stiff);
        fresh.prepare(&stiff).unwrap();
        let mut y = vec![0.0; rhs.len()];
        fresh.solve(&stiff, &rhs, &mut y).unwrap();
        assert!(report.converged, "{kind:?}");
        let difference = x
            .iter()
            .zip(&y)
            .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(difference < 1e-8, "{kind:?} {difference}");
    }
}

#[test]
fn zero_right_hand_sides_and_zero_components_give_no_nan() {
    let grid = Grid::new(&[10, 6], &[false, false]);
    let matrix = plate_matrix(&grid, 1.0, 5.0);
    let n = grid.node_count();
    for &kind in KINDS {
        let mut solver = GridSolver::new(settings(kind), &matrix);
        assert_eq!(
            solver.solve(&matrix, &vec![0.0; 3 * n], &mut vec![0.0; 3 * n]),
            Err(LinearError::NotPrepared)
        );
        solver.prepare(&matrix).unwrap();
        let mut x = noise(3 * n);
        let report = solver.solve(&matrix, &vec![0.0; 3 * n], &mut x).unwrap();
        assert_eq!((report.residual, report.converged), (0.0, true));
        assert!(x.iter().all(|&x| x == 0.0));
        let mut rhs = noise(3 * n);
        rhs[n..].fill(0.0);
        let report = solver.solve(&matrix, &rhs, &mut x).unwrap();
        assert!(report.converged, "{kind:?} {report:?}");
        assert!(x[n..].iter().all(|&x| x == 0.0));
        rhs[3] = f64::NAN;
        let refused = solver.solve(&matrix, &rhs, &mut x);
        assert_eq!(refused, Err(LinearError::NotFinite));
    }
}

#[test]
fn matrices_that_are_not_positive_definite_are_refused() {
    let grid = Grid::new(&[30, 20], &[false, false]);
    let n = grid.node_count();
    let mut matrix = plate_matrix(&grid, 1.0, 1.0);
    matrix.add(123, 123, -1e3);
    for kind in KINDS.iter().copied().filter(|&kind| kind != SolverKind::Lu) {
        let mut solver = GridSolver::new(settings(kind), &matrix);
        let refused = solver.prepare(&matrix).unwrap_err();
        assert_eq!(
            refused,
            LinearError::NotPositiveDefinite { row: 123 },
            "{kind:?}"
        );
        let mut x = vec![0.0; 3 * n];
        let refused = solver.solve(&matrix, &noise(3 * n), &mut x).unwrap_err();
        assert_eq!(refused, LinearError::NotPrepared);
    }
    let mut blocks = block_matrix(&plate_matrix(&grid, 1.0, 1.0));
    blocks.add(77, 77, DMat3::from_diagonal(DVec3::new(0.0, 0.0, -1e3)));
    for kind in KINDS.iter().copied().filter(|&kind| kind != SolverKind::Lu) {
        let mut solver = BlockSolver::new(settings(kind), &blocks);
        let refused = solver.prepare(&blocks).unwrap_err();
        assert_eq!(
            refused,
            LinearError::NotPositiveDefinite { row: 77 },
            "{kind:?}"
        );
    }
}

#[test]
fn zero_tolerance_runs_all_iterations_and_reports_it() {
    let grid = Grid::new(&[20, 20], &[false, false]);
    let matrix = plate_matrix(&grid, 1.0, 10.0);
    let rhs = noise(3 * 400);
    let exact = SolverSettings {
        tolerance: 0.0,
        max_iterations: Some(25),
        ..settings(SolverKind::ConjugateGradient)
    };
    let mut solver = GridSolver::new(exact, &matrix);
    solver.prepare(&matrix).unwrap();
    let mut x = vec![0.0; rhs.len()];
    let report = solver.solve(&matrix, &rhs, &mut x).unwrap();
    assert_eq!((report.iterations, report.converged), (25, false));
}

/// Solves grid and block systems large enough for the parallel paths; returns all bits.
fn large_solutions(threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(|| {
        let grid = Grid::new(&[150, 170], &[true, false]);
        let matrix = plate_matrix(&grid, 1.0, 3.0);
        let blocks = block_matrix(&matrix);
        let n = grid.node_count();
        let mut bits = Vec::new();
        for &kind in KINDS {
            if kind == SolverKind::Lu {
                continue;
            }
            let few = SolverSettings {
                tolerance: 0.0,
                max_iterations: Some(5),
                ..settings(kind)
            };
            let mut solver = GridSolver::new(few, &matrix);
            solver.prepare(&matrix).unwrap();
            let mut x = vec![0.0; 3 * n];
            solver.solve(&matrix, &noise(3 * n), &mut x).unwrap();
            bits.extend(x.iter().map(|x| x.to_bits()));
            if kind == SolverKind::Cholesky {
                continue;
            }
            let mut solver = BlockSolver::new(few, &blocks);
            solver.prepare(&blocks).unwrap();
            let mut x = vec![DVec3::ZERO; n];
            let rhs = noise_vectors(n);
            solver.solve(&blocks, Some(&matrix), &rhs, &mut x).unwrap();
            bits.extend(x.iter().flat_map(|x| x.to_array()).map(f64::to_bits));
        }
        bits
    })
}

#[test]
fn solutions_have_the_same_bits_with_1_2_and_4_threads() {
    let one = large_solutions(1);
    assert!(one == large_solutions(2));
    assert!(one == large_solutions(4));
}

#[test]
fn singular_and_non_finite_matrices_are_refused() {
    let grid = Grid::new(&[9, 9], &[true, true]);
    let mut matrix = GridMatrix::new(&grid, &[[1, 0, 0], [0, 1, 0]]);
    let mut solver = GridSolver::new(settings(SolverKind::Lu), &matrix);
    let refused = solver.prepare(&matrix).unwrap_err();
    assert!(
        matches!(refused, LinearError::Singular { .. }),
        "{refused:?}"
    );
    for node in 0..grid.node_count() {
        matrix.add(node, node, 1.0);
    }
    matrix.add(40, 41, f64::NAN);
    matrix.add(41, 40, f64::NAN);
    let n = grid.node_count();
    for &kind in KINDS {
        let mut solver = GridSolver::new(settings(kind), &matrix);
        let mut x = vec![0.0; 3 * n];
        let result = solver
            .prepare(&matrix)
            .and_then(|()| solver.solve(&matrix, &noise(3 * n), &mut x));
        assert!(result.is_err(), "{kind:?} {result:?}");
    }
}

#[test]
fn lu_solves_indefinite_systems() {
    let grid = Grid::new(&[11, 8], &[false, true]);
    let mut matrix = plate_matrix(&grid, 1.0, 1.0);
    for node in (0..grid.node_count()).step_by(3) {
        matrix.add(node, node, -60.0);
    }
    check_grid(SolverKind::Lu, &matrix, 1e-9);
}

#[test]
fn multigrid_cycles_do_not_grow_with_a_membrane() {
    for count in [33, 66, 130] {
        let grid = Grid::new(&[count, count], &[false, false]);
        let n = grid.node_count();
        let mut matrix = GridMatrix::new(&grid, &[[1, 0, 0], [0, 1, 0]]);
        for (row, coordinates) in grid.nodes().enumerate() {
            matrix.add(row, row, 1e-3);
            for step in [[1, 0, 0], [0, 1, 0]] {
                if let Some(column) = grid.neighbour(coordinates, step) {
                    matrix.add(row, row, 1.0);
                    matrix.add(column, column, 1.0);
                    matrix.add(row, column, -1.0);
                    matrix.add(column, row, -1.0);
                }
            }
        }
        let mut solver = GridSolver::new(settings(SolverKind::Multigrid), &matrix);
        solver.prepare(&matrix).unwrap();
        let mut x = vec![0.0; 3 * n];
        let report = solver.solve(&matrix, &noise(3 * n), &mut x).unwrap();
        assert!(
            report.converged && report.iterations <= 14,
            "{count} {report:?}"
        );
    }
}

#[test]
fn a_companion_of_another_size_is_refused() {
    let grid = Grid::new(&[6, 6], &[false, false]);
    let blocks = block_matrix(&plate_matrix(&grid, 1.0, 1.0));
    let other = plate_matrix(&Grid::new(&[7, 6], &[false, false]), 1.0, 1.0);
    let mut solver = BlockSolver::new(settings(SolverKind::Multigrid), &blocks);
    solver.prepare(&blocks).unwrap();
    let mut x = vec![DVec3::ZERO; 36];
    let refused = solver.solve(&blocks, Some(&other), &noise_vectors(36), &mut x);
    let expected = LinearError::WrongCompanion {
        nodes: 36,
        companion: 42,
    };
    assert_eq!(refused, Err(expected));
}

#[test]
fn cholesky_names_the_failing_node_whichever_way_it_factorises() {
    // A short curve is factorised entry by entry, a surface in dense blocks.
    for counts in [[400, 1], [40, 40]] {
        let grid = Grid::new(&counts, &[false, false]);
        for node in [0, 17, 399] {
            let mut matrix = plate_matrix(&grid, 1.0, 1.0);
            matrix.add(node, node, -1e6);
            let mut solver = GridSolver::new(settings(SolverKind::Cholesky), &matrix);
            let refused = solver.prepare(&matrix);
            let expected = LinearError::NotPositiveDefinite { row: node };
            assert_eq!(refused, Err(expected), "{counts:?}");
        }
    }
}
