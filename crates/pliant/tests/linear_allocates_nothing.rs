//! A warm solver allocates nothing: neither taking in new numbers nor solving.
//!
//! The counter counts the allocations of the thread that solves, so the test harness does not
//! disturb it. LU is left out of `prepare`: its library sizes the factors anew for each set of
//! pivots.

use glam::{DMat3, DVec3};
use pliant::Grid;
use pliant::linear::{
    BlockMatrix, BlockSolver, GridMatrix, GridSolver, SolverKind, SolverSettings,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // During the end of a thread the counter is gone; nobody asks for it then.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: all calls are passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

const KINDS: [SolverKind; 7] = [
    SolverKind::Cholesky,
    SolverKind::Lu,
    SolverKind::ConjugateGradient,
    SolverKind::DiagonalConjugateGradient,
    SolverKind::Sor,
    SolverKind::Adi,
    SolverKind::Multigrid,
];

fn settings(kind: SolverKind) -> SolverSettings {
    SolverSettings {
        kind,
        tolerance: 1e-9,
        max_iterations: Some(5000),
        relaxation: 1.4,
    }
}

/// Springs between neighbours and an anchor at every node.
fn matrices(grid: &Grid, stiffness: f64) -> (GridMatrix, BlockMatrix) {
    let steps = [[1, 0, 0], [0, 1, 0], [1, 1, 0]];
    let mut pairs = Vec::new();
    for (row, coordinates) in grid.nodes().enumerate() {
        for step in steps {
            if let Some(column) = grid.neighbour(coordinates, step) {
                pairs.push((row, column));
            }
        }
    }
    let mut scalar = GridMatrix::new(grid, &steps);
    let mut blocks = BlockMatrix::new(grid.node_count(), pairs.iter().copied());
    for node in 0..grid.node_count() {
        scalar.add(node, node, 1.0);
        blocks.add(node, node, DMat3::IDENTITY);
    }
    for &(row, column) in &pairs {
        for (i, j, sign) in [
            (row, row, 1.0),
            (column, column, 1.0),
            (row, column, -1.0),
            (column, row, -1.0),
        ] {
            scalar.add(i, j, sign * stiffness);
            blocks.add(i, j, DMat3::IDENTITY * (sign * stiffness));
        }
    }
    (scalar, blocks)
}

#[test]
fn warm_solvers_allocate_nothing() {
    // Open and closed surfaces, whose conjugate gradients differ.
    for (counts, closed) in [
        ([24, 17], true),
        ([60, 60], true),
        ([24, 17], false),
        ([60, 60], false),
    ] {
        let grid = Grid::new(&counts, &[false, closed]);
        let n = grid.node_count();
        let (scalar, blocks) = matrices(&grid, 30.0);
        let (other_scalar, other_blocks) = matrices(&grid, 50.0);
        let rhs: Vec<f64> = (0..3 * n).map(|i| (i as f64).sin()).collect();
        let vectors: Vec<DVec3> = rhs.chunks_exact(3).map(DVec3::from_slice).collect();
        for kind in KINDS {
            let mut x = vec![0.0; 3 * n];
            let mut solver = GridSolver::new(settings(kind), &scalar);
            solver.prepare(&scalar).unwrap();
            solver.solve(&scalar, &rhs, &mut x).unwrap();
            let preparing = allocations_of(|| solver.prepare(&other_scalar).unwrap());
            let solving = allocations_of(|| {
                let report = solver.solve(&other_scalar, &rhs, &mut x).unwrap();
                assert!(report.converged);
            });
            assert!(
                preparing == 0 || kind == SolverKind::Lu,
                "{kind:?} {preparing}"
            );
            assert_eq!(solving, 0, "{kind:?}");

            let mut x = vec![DVec3::ZERO; n];
            let mut solver = BlockSolver::on_grid(settings(kind), &blocks, &grid);
            solver.prepare(&blocks).unwrap();
            solver
                .solve(&blocks, Some(&scalar), &vectors, &mut x)
                .unwrap();
            let preparing = allocations_of(|| solver.prepare(&other_blocks).unwrap());
            let solving = allocations_of(|| {
                let report = solver
                    .solve(&other_blocks, Some(&other_scalar), &vectors, &mut x)
                    .unwrap();
                assert!(report.converged);
            });
            assert!(
                preparing == 0 || kind == SolverKind::Lu,
                "{kind:?} {preparing}"
            );
            assert_eq!(solving, 0, "{kind:?}");
            println!("{kind:?} {counts:?} preparing {preparing}");
        }
    }
}

#[test]
fn warm_solvers_of_meshes_allocate_nothing() {
    let grid = Grid::new(&[40, 30], &[false, false]);
    let places: Vec<DVec3> = grid
        .nodes()
        .map(|at| DVec3::from(grid.material_coordinates(at)))
        .collect();
    let (_, at_rest) = matrices(&grid, 30.0);
    let (_, mut blocks) = matrices(&grid, 50.0);
    // Some nodes are stiffer than at rest, as in contact.
    for node in 0..40 {
        blocks.add(node, node, DMat3::IDENTITY * 3000.0);
    }
    let vectors: Vec<DVec3> = (0..places.len())
        .map(|i| DVec3::new((i as f64).sin(), 1.0, (2.0 * i as f64).cos()))
        .collect();
    for kind in [SolverKind::ConjugateGradient, SolverKind::Multigrid] {
        let mut solver = BlockSolver::on_mesh(settings(kind), &at_rest, &places);
        solver.prepare_metric(&at_rest).unwrap();
        solver.place(&places);
        solver.prepare(&at_rest).unwrap();
        let mut x = vec![DVec3::ZERO; places.len()];
        solver.solve(&at_rest, None, &vectors, &mut x).unwrap();
        let allocated = allocations_of(|| {
            solver.place(&places);
            solver.prepare(&blocks).unwrap();
            let report = solver.solve(&blocks, None, &vectors, &mut x).unwrap();
            assert!(report.converged, "{report:?}");
        });
        assert_eq!(allocated, 0, "{kind:?}");
    }
}
