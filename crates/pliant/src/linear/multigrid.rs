//! Geometric multigrid: one symmetric V-cycle as the preconditioner of conjugate gradients.
//!
//! Each level keeps every second node of the finer one in each direction (of any size, periodic
//! or not). A coarse correction is interpolated linearly, P, and the coarse matrices are those of
//! Galerkin, A_c = P^T A P. A cycle smooths by Gauss-Seidel sweeps in ascending order, corrects
//! from the coarser level, and smooths in descending order, so it is symmetric; the coarsest level
//! is solved by a dense Cholesky factorisation. Conjugate gradients around it converge for every
//! symmetric positive definite matrix, also where linear interpolation is of too low an order for
//! cycles alone (bending).
//!
//! Patterns and the contributions to each coarse entry are found once and refilled in place.
//!
//! Implements: the multigrid method of \[Terzopoulos1988\] section 5, after \[Hackbusch1985\].
//! Departure: it preconditions conjugate gradients instead of standing alone.

use super::compressed::{Compressed, Part};
use super::dense_cholesky::DenseCholesky;
use super::lanes::{Lanes, add_scaled};
use super::preconditioned::Preconditioner;
use super::relaxation::Relaxation;
use super::{GridMatrix, LinearError};
use crate::grid::Grid;

/// The coarsest level has at most so many nodes (or no direction left to coarsen).
const COARSEST: usize = 64;
/// Smoothing sweeps before and after each correction.
const SWEEPS: usize = 2;

/// From a level to the next coarser one.
struct Transfer {
    /// P by rows: for each fine node its coarse nodes and weights.
    starts: Vec<u32>,
    coarse: Vec<u32>,
    weights: Vec<f64>,
    /// For each coarse matrix entry the fine entries it sums, with weights (powers of two, so
    /// single precision is exact).
    contribution_starts: Vec<u32>,
    contributions: Vec<(u32, f32)>,
}

/// One grid of the hierarchy.
struct Level {
    grid: Grid,
    /// Finest nodes a node of this level, in each direction.
    scale: [usize; 3],
    rows: Relaxation,
    transfer: Option<Transfer>,
    b: Vec<Lanes>,
    x: Vec<Lanes>,
}

/// A hierarchy of grids; see the module.
pub(crate) struct Multigrid {
    finest_grid: Grid,
    levels: Vec<Level>,
    coarsest: DenseCholesky,
}

/// Coarse nodes and weights of a fine position in one direction.
fn interpolation(position: usize, count: usize, periodic: bool) -> [(usize, f64); 2] {
    let left = position / 2;
    if !coarsens(count) {
        [(position, 1.0), (0, 0.0)]
    } else if position.is_multiple_of(2) {
        [(left, 1.0), (0, 0.0)]
    } else if position + 1 < count {
        [(left, 0.5), (left + 1, 0.5)]
    } else if periodic {
        [(left, 0.5), (0, 0.5)]
    } else {
        [(left, 1.0), (0, 0.0)]
    }
}

fn coarsens(count: usize) -> bool {
    count >= 3
}

fn coarser(grid: &Grid) -> Grid {
    let d = grid.dimension();
    let counts = grid.counts().map(|count| {
        if coarsens(count) {
            count.div_ceil(2)
        } else {
            count
        }
    });
    Grid::new(&counts[..d], &grid.periodic()[..d])
}

impl Transfer {
    /// The transfer between two grids, and the pattern of the coarse matrix.
    fn new(fine: &Grid, coarse_grid: &Grid, matrix: &Compressed) -> (Self, Compressed) {
        let (counts, periodic) = (fine.counts(), fine.periodic());
        let mut starts = vec![0];
        let (mut coarse, mut weights) = (Vec::new(), Vec::new());
        for node in fine.nodes() {
            let [i, j, k] = std::array::from_fn(|d| interpolation(node[d], counts[d], periodic[d]));
            for (k, wk) in k {
                for (j, wj) in j {
                    for (i, wi) in i {
                        if wi * wj * wk > 0.0 {
                            coarse.push(coarse_grid.index([i, j, k]) as u32);
                            weights.push(wi * wj * wk);
                        }
                    }
                }
            }
            starts.push(coarse.len() as u32);
        }
        let mut transfer = Self {
            starts,
            coarse,
            weights,
            contribution_starts: vec![0],
            contributions: Vec::new(),
        };
        let pattern = transfer.find_contributions(coarse_grid.node_count(), matrix);
        (transfer, pattern)
    }

    fn row(&self, fine: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[fine] as usize..self.starts[fine + 1] as usize;
        let coarse = self.coarse[range.clone()].iter().map(|&node| node as usize);
        coarse.zip(self.weights[range].iter().copied())
    }

    /// Lists, coarse row by coarse row, which fine entries make up P^T A P.
    fn find_contributions(&mut self, coarse_count: usize, matrix: &Compressed) -> Compressed {
        let mut transposed = vec![Vec::new(); coarse_count];
        for fine in 0..matrix.line_count() {
            for (coarse, weight) in self.row(fine) {
                transposed[coarse].push((fine, weight));
            }
        }
        let mut starts = vec![0];
        let mut indices = Vec::new();
        let mut found: Vec<(usize, u32, f32)> = Vec::new();
        for fine_nodes in &transposed {
            found.clear();
            for &(fine, weight) in fine_nodes {
                for entry in matrix.line(fine) {
                    for (column, other) in self.row(matrix.indices[entry] as usize) {
                        found.push((column, entry as u32, (weight * other) as f32));
                    }
                }
            }
            found.sort_unstable_by_key(|&(column, entry, _)| (column, entry));
            for (position, &(column, entry, weight)) in found.iter().enumerate() {
                if position == 0 || found[position - 1].0 != column {
                    if !indices.is_empty() {
                        self.contribution_starts
                            .push(self.contributions.len() as u32);
                    }
                    indices.push(column as u32);
                }
                self.contributions.push((entry, weight));
            }
            starts.push(indices.len() as u32);
        }
        self.contribution_starts
            .push(self.contributions.len() as u32);
        Compressed::from_pattern(starts, indices)
    }

    /// A_c = P^T A P.
    fn coarsen(&self, fine: &Compressed, coarse: &mut Compressed) {
        for (value, range) in coarse
            .values
            .iter_mut()
            .zip(self.contribution_starts.windows(2))
        {
            let contributions = &self.contributions[range[0] as usize..range[1] as usize];
            *value = contributions
                .iter()
                .map(|&(entry, weight)| fine.values[entry as usize] * f64::from(weight))
                .sum();
        }
    }

    /// b_c = P^T (b - A x).
    fn restrict(&self, rows: &Relaxation, b: &[Lanes], x: &[Lanes], coarse: &mut [Lanes]) {
        coarse.fill([0.0; 4]);
        for fine in 0..b.len() {
            let rest = rows.residual(fine, b, x);
            for (node, weight) in self.row(fine) {
                coarse[node] = add_scaled(coarse[node], weight, rest);
            }
        }
    }

    /// x += P x_c.
    fn interpolate(&self, coarse: &[Lanes], x: &mut [Lanes]) {
        for (fine, x) in x.iter_mut().enumerate() {
            for (node, weight) in self.row(fine) {
                *x = add_scaled(*x, weight, coarse[node]);
            }
        }
    }
}

impl Level {
    fn new(grid: Grid, scale: [usize; 3], matrix: Compressed) -> Self {
        let field = vec![[0.0; 4]; grid.node_count()];
        Self {
            grid,
            scale,
            rows: Relaxation::new(matrix),
            transfer: None,
            b: field.clone(),
            x: field,
        }
    }
}

/// Improves `x`, zero at first, on the first of the levels.
fn cycle(levels: &mut [Level], coarsest: &DenseCholesky) {
    let Some((level, rest)) = levels.split_first_mut() else {
        return;
    };
    let Level { rows, b, x, .. } = level;
    x.fill([0.0; 4]);
    match (&level.transfer, rest.first_mut()) {
        (Some(transfer), Some(next)) => {
            for _ in 0..SWEEPS {
                rows.sweep_forward(b, x, 1.0);
            }
            transfer.restrict(rows, b, x, &mut next.b);
            cycle(rest, coarsest);
            transfer.interpolate(&rest[0].x, x);
            for _ in 0..SWEEPS {
                rows.sweep_backward(b, x, 1.0);
            }
        }
        _ => coarsest.solve(b, x),
    }
}

impl Preconditioner for Multigrid {
    fn new(matrix: &GridMatrix) -> Self {
        let finest = matrix.grid().clone();
        let first = Compressed::of_grid(matrix, Part::Rows);
        let mut levels = vec![Level::new(finest.clone(), [1; 3], first)];
        while let Some(level) = levels.last_mut() {
            let fine = level.grid.clone();
            let next = coarser(&fine);
            if fine.node_count() <= COARSEST || next == fine {
                break;
            }
            let (transfer, pattern) = Transfer::new(&fine, &next, &level.rows.matrix);
            let counts = fine.counts();
            let scale =
                std::array::from_fn(|d| level.scale[d] * if coarsens(counts[d]) { 2 } else { 1 });
            level.transfer = Some(transfer);
            levels.push(Level::new(next, scale, pattern));
        }
        let coarsest = levels.last().map_or(0, |level| level.grid.node_count());
        Self {
            finest_grid: finest,
            levels,
            coarsest: DenseCholesky::new(coarsest),
        }
    }

    fn refill(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.levels[0].rows.matrix.refill_from_grid(matrix);
        for index in 0..self.levels.len() {
            let (done, rest) = self.levels.split_at_mut(index + 1);
            let level = &mut done[index];
            let failed = |row: usize| {
                let coarse = level.grid.coordinates(row);
                let fine = std::array::from_fn(|d| coarse[d] * level.scale[d]);
                LinearError::NotPositiveDefinite {
                    row: self.finest_grid.index(fine),
                }
            };
            level.rows.refresh().map_err(failed)?;
            match (&level.transfer, rest.first_mut()) {
                (Some(transfer), Some(next)) => {
                    transfer.coarsen(&level.rows.matrix, &mut next.rows.matrix);
                }
                _ => self
                    .coarsest
                    .factorise(&level.rows.matrix)
                    .map_err(failed)?,
            }
        }
        Ok(())
    }

    fn apply(&mut self, r: &[Lanes], z: &mut [Lanes]) {
        self.levels[0].b.copy_from_slice(r);
        cycle(&mut self.levels, &self.coarsest);
        z.copy_from_slice(&self.levels[0].x);
    }

    fn multiply(&self, p: &[Lanes], q: &mut [Lanes]) {
        self.levels[0].rows.multiply(p, q);
    }
}
