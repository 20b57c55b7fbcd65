//! Systems that the tests of all solvers share.

use super::{BlockMatrix, GridMatrix};
use crate::grid::Grid;
use glam::{DMat3, DVec3};

/// The 13-point stencil of the biharmonic operator and its three-dimensional sister.
pub(crate) const THIRTEEN: [[i32; 3]; 12] = [
    [1, 0, 0],
    [2, 0, 0],
    [0, 1, 0],
    [0, 2, 0],
    [1, 1, 0],
    [1, -1, 0],
    [0, 0, 1],
    [0, 0, 2],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
];

/// Curves, surfaces and solids, odd and even, closed in any direction, some tiny.
pub(crate) fn grids() -> Vec<Grid> {
    let mut grids = vec![
        Grid::new(&[1], &[false]),
        Grid::new(&[2], &[true]),
        Grid::new(&[3], &[true]),
        Grid::new(&[4], &[true]),
        Grid::new(&[37], &[false]),
        Grid::new(&[64], &[true]),
        Grid::new(&[150], &[true]),
        Grid::new(&[3, 3, 3], &[true, true, true]),
        Grid::new(&[1, 9], &[true, false]),
    ];
    for periodic in [[false, false], [true, false], [false, true], [true, true]] {
        grids.push(Grid::new(&[13, 17], &periodic));
        grids.push(Grid::new(&[12, 8], &periodic));
    }
    for bits in 0..8 {
        let periodic = [bits & 1 != 0, bits & 2 != 0, bits & 4 != 0];
        grids.push(Grid::new(&[5, 7, 6], &periodic));
    }
    grids
}

/// Numbers between -1 and 1 without pattern.
pub(crate) fn noise(length: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        })
        .collect()
}

/// A diagonally dominant symmetric matrix with the thirteen-point couplings.
pub(crate) fn random_matrix(grid: &Grid) -> GridMatrix {
    let mut matrix = GridMatrix::new(grid, &THIRTEEN);
    let numbers = noise(100 * grid.node_count());
    let mut next = numbers.into_iter();
    let mut found = Vec::new();
    for row in 0..grid.node_count() {
        matrix.couplings_of(row, &mut found);
        matrix.add(row, row, 1.0);
        for &(column, _) in &found {
            if column > row {
                let value = next.next().unwrap_or(0.5);
                matrix.add(row, column, value);
                matrix.add(column, row, value);
                matrix.add(row, row, value.abs());
                matrix.add(column, column, value.abs());
            }
        }
    }
    matrix
}

/// Mass and `stiffness` times the squared second differences (the energy of a thin plate), with
/// free edges where a direction is not periodic.
pub(crate) fn plate_matrix(grid: &Grid, mass: f64, stiffness: f64) -> GridMatrix {
    let mut matrix = GridMatrix::new(grid, &THIRTEEN);
    for row in 0..grid.node_count() {
        matrix.add(row, row, mass);
    }
    for (row, coordinates) in grid.nodes().enumerate() {
        for d in 0..grid.dimension() {
            let mut step = [0; 3];
            step[d] = 1;
            let next = grid.neighbour(coordinates, step);
            let previous = grid.neighbour(coordinates, step.map(|s: i32| -s));
            if let (Some(next), Some(previous)) = (next, previous) {
                let second = [(previous, 1.0), (row, -2.0), (next, 1.0)];
                add_square(&mut matrix, &second, stiffness);
            }
            for e in 0..d {
                let mut other = [0; 3];
                other[e] = 1;
                let mut both = step;
                both[e] = 1;
                let a = grid.neighbour(coordinates, step);
                let b = grid.neighbour(coordinates, other);
                let ab = grid.neighbour(coordinates, both);
                if let (Some(a), Some(b), Some(ab)) = (a, b, ab) {
                    let mixed = [(row, 1.0), (a, -1.0), (b, -1.0), (ab, 1.0)];
                    add_square(&mut matrix, &mixed, 2.0 * stiffness);
                }
            }
        }
    }
    matrix
}

fn add_square(matrix: &mut GridMatrix, difference: &[(usize, f64)], weight: f64) {
    for &(i, a) in difference {
        for &(j, b) in difference {
            matrix.add(i, j, weight * a * b);
        }
    }
}

/// Every seventh node fixed, and the first.
pub(crate) fn some_fixed(node_count: usize) -> Vec<bool> {
    (0..node_count).map(|node| node % 7 == 0).collect()
}

/// Vectors without pattern.
pub(crate) fn noise_vectors(count: usize) -> Vec<DVec3> {
    let numbers = noise(3 * count);
    numbers.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// A 3x3 block without pattern or symmetry.
pub(crate) fn block_noise(seed: usize) -> DMat3 {
    DMat3::from_cols_slice(&noise(9 * (seed + 1))[9 * seed..])
}

/// A block matrix with the pattern of `scalar`: its entries on the diagonals of the blocks, and
/// couplings between the components that keep it positive definite.
pub(crate) fn block_matrix(scalar: &GridMatrix) -> BlockMatrix {
    let n = scalar.node_count();
    let mut found = Vec::new();
    let mut pairs = Vec::new();
    for row in 0..n {
        scalar.couplings_of(row, &mut found);
        pairs.extend(found.iter().map(|&(column, _)| (row, column)));
    }
    let mut matrix = BlockMatrix::new(n, pairs.iter().copied());
    for &(row, column) in &pairs {
        if let Some(slot) = scalar.diagonal_of(column as isize - row as isize) {
            let value = scalar.values(slot)[row];
            matrix.add(row, column, DMat3::from_diagonal(DVec3::splat(value)));
        }
        if row < column {
            let mut g = block_noise(row % 5);
            g = g * g.transpose() * 0.3;
            matrix.add(row, row, g);
            matrix.add(column, column, g);
            matrix.add(row, column, -g);
            matrix.add(column, row, -g);
        }
    }
    matrix
}
