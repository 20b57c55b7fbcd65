//! Tests of conjugate gradients on open sheets as a whole.

use crate::grid::Grid;
use crate::linear::test_systems::{noise, plate_matrix, some_fixed};
use crate::linear::{GridMatrix, GridSolver, SolveReport, SolverKind, SolverSettings};

fn sheet([nx, ny]: [usize; 2]) -> Grid {
    Grid::new(&[nx, ny], &[false, false])
}

fn solve(kind: SolverKind, matrix: &GridMatrix, tolerance: f64) -> (SolveReport, Vec<f64>) {
    let settings = SolverSettings {
        kind,
        tolerance,
        max_iterations: Some(5000),
        ..SolverSettings::default()
    };
    let mut solver = GridSolver::new(settings, matrix);
    solver.prepare(matrix).unwrap();
    let mut x = vec![0.0; 3 * matrix.node_count()];
    let report = solver.solve(matrix, &noise(x.len()), &mut x).unwrap();
    (report, x)
}

#[test]
fn single_precision_reaches_what_double_precision_does() {
    let matrix = plate_matrix(&sheet([50, 47]), 1.0, 100.0);
    let rhs = noise(3 * matrix.node_count());
    for kind in [
        SolverKind::DiagonalConjugateGradient,
        SolverKind::ConjugateGradient,
        SolverKind::Multigrid,
    ] {
        for tolerance in [1e-3, 1e-5, 1e-10, 1e-12] {
            let (report, x) = solve(kind, &matrix, tolerance);
            assert!(report.converged, "{kind:?} {report:?}");
            let mut y = vec![0.0; x.len()];
            matrix.multiply(&x, &mut y);
            let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
            let rest: Vec<f64> = y.iter().zip(&rhs).map(|(y, b)| b - y).collect();
            let residual = norm(&rest) / norm(&rhs);
            assert!(residual <= 1.2 * tolerance, "{kind:?} {residual}");
            assert!(
                (residual - report.residual).abs() <= 0.2 * tolerance,
                "{kind:?}"
            );
        }
    }
}

#[test]
fn the_cycle_is_chosen_for_large_and_stiff_sheets_only() {
    let cycles = |kind, shape, stiffness| {
        let (report, _) = solve(kind, &plate_matrix(&sheet(shape), 1.0, stiffness), 1e-6);
        assert!(report.converged);
        assert!(report.cycles == 0 || report.cycles == report.iterations);
        report.cycles
    };
    let automatic = SolverKind::ConjugateGradient;
    let stiff = cycles(automatic, [60, 60], 100.0);
    assert!(stiff > 0 && stiff < 20, "{stiff}");
    assert_eq!(cycles(automatic, [60, 60], 0.1), 0);
    assert_eq!(cycles(automatic, [30, 30], 100.0), 0);
    let diagonal = SolverKind::DiagonalConjugateGradient;
    assert_eq!(cycles(diagonal, [60, 60], 100.0), 0);
    assert!(cycles(SolverKind::Multigrid, [12, 30], 0.1) > 0);
}

#[test]
fn iterations_with_the_cycle_hardly_grow_with_the_sheet() {
    for count in [60, 120] {
        let matrix = plate_matrix(&sheet([count, count]), 1.0, 1e3);
        let (report, _) = solve(SolverKind::ConjugateGradient, &matrix, 1e-6);
        assert!(report.iterations <= 20, "{count} {report:?}");
    }
    // Above the number of nodes that threads share the iteration is in double precision.
    let matrix = plate_matrix(&sheet([160, 130]), 1.0, 1e3);
    let (report, _) = solve(SolverKind::ConjugateGradient, &matrix, 1e-10);
    assert!(report.converged && report.iterations <= 40, "{report:?}");
}

#[test]
fn held_nodes_stay_where_they_are() {
    let mut matrix = plate_matrix(&sheet([50, 50]), 1.0, 1e4);
    let fixed = some_fixed(2500);
    matrix.scale_identity_rows(&fixed);
    let mut rhs = noise(7500);
    for (node, rhs) in rhs.iter_mut().enumerate() {
        if fixed[node % 2500] {
            *rhs = 0.0;
        }
    }
    let settings = SolverSettings {
        kind: SolverKind::Multigrid,
        tolerance: 1e-4,
        ..SolverSettings::default()
    };
    let mut solver = GridSolver::new(settings, &matrix);
    solver.prepare(&matrix).unwrap();
    let mut x = vec![0.0; 7500];
    let report = solver.solve(&matrix, &rhs, &mut x).unwrap();
    assert!(report.converged && report.cycles > 0);
    let mut free = x.iter().enumerate();
    assert!(free.all(|(node, &x)| !fixed[node % 2500] || x == 0.0));
}

#[test]
fn solutions_on_sheets_have_the_same_bits_with_any_number_of_threads() {
    let bits = |threads: usize| -> Vec<u64> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let mut bits = Vec::new();
            for shape in [[150, 140], [70, 60]] {
                let matrix = plate_matrix(&sheet(shape), 1.0, 100.0);
                for kind in [
                    SolverKind::ConjugateGradient,
                    SolverKind::DiagonalConjugateGradient,
                ] {
                    let (_, x) = solve(kind, &matrix, 1e-4);
                    bits.extend(x.iter().map(|x| x.to_bits()));
                }
            }
            bits
        })
    };
    let one = bits(1);
    assert!(one == bits(2) && one == bits(4));
}
