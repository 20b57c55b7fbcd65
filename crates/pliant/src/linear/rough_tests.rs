//! Tests of rough solves.

use super::*;
use crate::grid::Grid;
use crate::linear::BlockMatrix;
use crate::linear::block_conjugate_gradient::BlockConjugateGradient;
use crate::linear::diagonal_blocks::DiagonalBlocks;
use crate::linear::half_blocks::HalfBlocks;
use crate::linear::method::BlockMethod;
use crate::linear::node_directions::Held;
use crate::linear::test_systems::{block_matrix, noise_vectors, plate_matrix};
use crate::math::processor::Level;
use glam::DMat3;

fn plate(side: usize, mass: f64) -> BlockMatrix {
    let grid = Grid::new(&[side, side], &[false; 2]);
    block_matrix(&plate_matrix(&grid, mass, 1.0))
}

fn diagonal_block(matrix: &BlockMatrix, row: usize) -> DMat3 {
    *matrix.block(matrix.diagonal_slot(row))
}

fn project(field: &mut [DVec3], held: &[Held]) {
    for &(row, free) in held {
        field[row as usize] = free * field[row as usize];
    }
}

/// Solves by sweeps, with a right side without pattern; returns x, the iterations and the residual.
fn solve(
    matrix: &BlockMatrix,
    swept: &SweptMatrix,
    held: &[Held],
    tolerance: f64,
) -> (Vec<DVec3>, usize, f64) {
    let mut rhs = noise_vectors(matrix.node_count());
    project(&mut rhs, held);
    let mut x = vec![DVec3::ZERO; rhs.len()];
    let mut iteration = RoughIteration::new(swept);
    iteration.relax(100.0);
    let goal = Goal {
        residual: tolerance * dot(&rhs, &rhs).sqrt(),
        iterations: 1000,
    };
    let measure = |x: &[DVec3], rest: &mut [DVec3]| {
        matrix.multiply(x, rest);
        for (rest, b) in rest.iter_mut().zip(&rhs) {
            *rest = *b - *rest;
        }
        project(rest, held);
    };
    let solved = iteration.solve(swept, &rhs, &mut x, goal, measure).unwrap();
    (x, solved.iterations, solved.residual)
}

fn swept_copy(matrix: &BlockMatrix, held: &[Held]) -> SweptMatrix {
    let mut half = HalfBlocks::new(matrix);
    half.copy_from(matrix);
    let mut swept = SweptMatrix::new(&half);
    swept
        .scale_by(|row| diagonal_block(matrix, row), held)
        .unwrap();
    swept.fill(&half);
    swept
}

#[test]
fn the_residual_is_what_was_asked_for() {
    let matrix = plate(21, 1e-2);
    let swept = swept_copy(&matrix, &[]);
    for tolerance in [0.1, 1e-2, 1e-3, 1e-5] {
        let (_, iterations, residual) = solve(&matrix, &swept, &[], tolerance);
        assert!(residual <= tolerance, "{tolerance}: {residual}");
        assert!(iterations > 0);
    }
}

#[test]
fn held_directions_stay_out_of_the_solution() {
    let matrix = plate(13, 1e-2);
    let n = DVec3::new(0.6, 0.0, 0.8);
    let across = DMat3::IDENTITY - crate::math::outer(n, n);
    let held = [(5, DMat3::ZERO), (30, across), (77, across)];
    let swept = swept_copy(&matrix, &held);
    let (x, _, residual) = solve(&matrix, &swept, &held, 1e-4);
    assert!(residual <= 1e-4, "{residual}");
    assert_eq!(x[5], DVec3::ZERO);
    for node in [30, 77] {
        assert!(x[node].length() > 0.0);
        assert!(
            x[node].dot(n).abs() <= 1e-6 * x[node].length(),
            "{}",
            x[node]
        );
    }
}

#[test]
fn rows_at_offsets_are_those_of_the_matrix() {
    let (side, matrix) = (11, plate(11, 1e-2));
    let count = side * side;
    let offsets = [1, 2, side - 1, side, side + 1, 2 * side];
    let mut blocks = DiagonalBlocks::with_offsets(count, offsets.to_vec());
    for row in 0..count {
        for slot in matrix.row_range(row) {
            let offset = matrix.column(slot).wrapping_sub(row);
            if let Some(diagonal) = offsets.iter().position(|&o| o == offset) {
                blocks.store(row, diagonal, *matrix.block(slot));
            }
        }
    }
    let mut swept = SweptMatrix::with_offsets(count, side, &offsets);
    swept
        .scale_by(|row| diagonal_block(&matrix, row), &[])
        .unwrap();
    for (index, &offset) in offsets.iter().enumerate() {
        let lines = &blocks.lines()[crate::linear::ENTRIES * index..];
        swept.fill_offset(offset, lines, blocks.lines_per_group());
    }
    let (x, ..) = solve(&matrix, &swept, &[], 1e-3);
    let (wanted, ..) = solve(&matrix, &swept_copy(&matrix, &[]), &[], 1e-3);
    for (x, wanted) in x.iter().zip(&wanted) {
        assert!(
            (*x - *wanted).length() < 1e-3 * (1.0 + wanted.length()),
            "{x} {wanted}"
        );
    }
}

/// Sweeps need a quarter of the iterations of the block diagonal, or fewer.
#[test]
fn sweeps_carry_farther_than_the_diagonal() {
    let matrix = plate(48, 1e-3);
    let rhs = noise_vectors(matrix.node_count());
    let mut diagonal = BlockConjugateGradient::new(&matrix);
    diagonal.prepare(&matrix).unwrap();
    let goal = Goal {
        residual: 1e-2 * dot(&rhs, &rhs).sqrt(),
        iterations: 1000,
    };
    let mut x = vec![DVec3::ZERO; rhs.len()];
    let by_diagonal = diagonal.solve(&matrix, &rhs, &mut x, goal).unwrap();
    let (_, by_sweeps, _) = solve(&matrix, &swept_copy(&matrix, &[]), &[], 1e-2);
    assert!(4 * by_sweeps <= by_diagonal, "{by_sweeps} {by_diagonal}");
}

#[test]
fn a_matrix_that_is_not_positive_is_refused() {
    let mut matrix = plate(5, 1.0);
    matrix.add(7, 7, DMat3::from_diagonal(DVec3::splat(-1e3)));
    let mut swept = SweptMatrix::new(&HalfBlocks::new(&matrix));
    let refused = swept.scale_by(|row| diagonal_block(&matrix, row), &[]);
    assert_eq!(refused, Err(LinearError::NotPositiveDefinite { row: 7 }));
}

/// Over-relaxation is symmetric and positive, and nearer to the inverse than the diagonal is.
#[test]
fn the_preconditioner_is_symmetric() {
    let matrix = plate(15, 1e-2);
    let swept = swept_copy(&matrix, &[]);
    let mut iteration = RoughIteration::new(&swept);
    iteration.relax(50.0);
    let u = noise_vectors(matrix.node_count());
    let v: Vec<DVec3> = u.iter().rev().map(|u| DVec3::new(u.y, u.z, u.x)).collect();
    let (mut mu, mut mv) = (vec![DVec3::ZERO; u.len()], vec![DVec3::ZERO; u.len()]);
    iteration.precondition(&swept, &u, &mut mu);
    iteration.precondition(&swept, &v, &mut mv);
    let (there, back) = (dot(&v, &mu), dot(&u, &mv));
    let size = (dot(&u, &mu) * dot(&v, &mv)).sqrt();
    assert!(dot(&u, &mu) > 0.0 && dot(&v, &mv) > 0.0);
    assert!((there - back).abs() < 1e-5 * size, "{there} {back} {size}");
}

/// Copies and sweeps have the same bits with all instructions that the processor has.
#[test]
fn sweeps_have_the_same_bits_on_every_processor() {
    let matrix = plate(9, 1e-2);
    let swept = swept_copy(&matrix, &[]);
    let start: Vec<Quad> = noise_vectors(matrix.node_count())
        .into_iter()
        .map(Quad::of)
        .collect();
    let run = |level: Level| {
        let [mut y, mut r, mut p, mut x, mut t] = std::array::from_fn(|_| start.clone());
        let squares = sweep_first_at(level, &swept, 1.3, &mut y, &mut r);
        sweep_back_at(level, &swept, [0.4, 0.7, 1.3], &r, &mut p, &mut x, &mut t);
        let curvature = sweep_forth_at(level, &swept, 1.3, &p, &t, &mut y);
        (squares, curvature, [y, r, p, x, t])
    };
    let levels = Level::all_of_this_processor();
    let wanted = run(levels[0]);
    assert!(wanted.0 > 0.0 && wanted.2[4] != start);
    for level in levels {
        assert_eq!(run(level), wanted, "{level:?}");
    }
}
