//! A scalar matrix that resembles a matrix of 3x3 blocks, solved nearly by one multigrid cycle, for
//! three right-hand sides at a time.
//!
//! ```text
//! S_ij = tr A_ij / 3,     z ≈ S⁻¹ r
//! ```
//!
//! S is the matrix that `scalar_factor.rs` factorises; set-up, memory and a cycle grow with the
//! number of nodes, where those of a factor grow faster. Coarser matrices are Pᵀ S P with the smoothed
//! aggregation of `groups.rs`, so that the mesh may be any; the coarsest is factorised. One V-cycle
//! with equal smoothing before and after (`level.rs`) is symmetric and positive definite.
//!
//! The nodes are kept in the order of a curve that fills space, so that neighbours are near in memory
//! however a file numbers them.

mod groups;
mod level;
mod rows;
#[cfg(test)]
mod tests;

use self::groups::{NONE, Strength, groups, prolongation};
use self::level::Level;
use self::rows::{Rows, Table};
use super::dense_cholesky::DenseCholesky;
use super::lanes::Lanes;
use super::scalar_factor::Single;
use super::scalar_solver::ScalarSolver;
use super::{BlockMatrix, LinearError};
use glam::DVec3;

/// Rows up to which a matrix is factorised.
const COARSEST: usize = 300;

/// A level must have at most this share of the rows of the one before.
const COARSENING: f64 = 0.7;

/// Share of the diagonal that is added on the coarsest level: single precision cannot tell less.
const SHIFT: f64 = 1e-7;

/// Cycles of an accurate solve.
const ACCURATE_CYCLES: usize = 6;

/// A hierarchy of scalar matrices; see the module.
pub(crate) struct ScalarMultigrid {
    order: Vec<u32>,
    levels: Vec<Level>,
    coarsest: Coarsest,
    /// For an accurate solve.
    right_side: Vec<Single>,
}

/// The last matrix.
struct Coarsest {
    b: Vec<Single>,
    x: Vec<Single>,
    wide: [Vec<Lanes>; 2],
    solver: CoarsestSolver,
}

enum CoarsestSolver {
    Factor(DenseCholesky),
    /// Of a matrix that is too large to factorise and cannot be made smaller.
    Smoothing(Box<Level>),
    Nothing,
}

impl ScalarMultigrid {
    /// For matrices whose first rows are those of nodes at `places`; the others are left out.
    pub(crate) fn new(matrix: &BlockMatrix, places: &[DVec3]) -> Self {
        let count = places.len().min(matrix.node_count());
        Self {
            order: order_along_curve(&places[..count]),
            levels: Vec::new(),
            coarsest: Coarsest::new(0, CoarsestSolver::Nothing),
            right_side: vec![[0.0; 4]; count],
        }
    }

    #[cfg(test)]
    /// Stored entries of all levels by those of the first.
    pub(crate) fn complexity(&self) -> f64 {
        let all: usize = self.levels.iter().map(Level::entry_count).sum();
        let first = self.levels.first().map_or(1, Level::entry_count);
        all as f64 / first as f64
    }

    /// The traces of the blocks in the order of the curve, multiplied by `scale`.
    fn traces(&self, matrix: &BlockMatrix, scale: f64) -> Rows {
        let mut place = vec![NONE; matrix.node_count()];
        for (position, &row) in self.order.iter().enumerate() {
            place[row as usize] = position as u32;
        }
        let mut rows = Rows::default();
        for &row in &self.order {
            let mut sum = 0.0;
            for slot in matrix.row_range(row as usize) {
                let block = matrix.block(slot);
                let value = scale / 3.0 * (block.x_axis.x + block.y_axis.y + block.z_axis.z);
                let column = place[matrix.column(slot)];
                if column == NONE {
                    continue;
                }
                sum += value;
                if matrix.column(slot) != row as usize && value != 0.0 {
                    rows.off_diagonal.push(column, value);
                }
            }
            rows.off_diagonal.end_row();
            rows.rest.push(sum);
        }
        rows
    }

    /// The cycle from a level on, for the right side that stands in it.
    fn cycle(&mut self, index: usize) {
        let (upper, lower) = self.levels.split_at_mut(index + 1);
        let Some(level) = upper.last_mut() else {
            return;
        };
        level.smooth(true);
        match lower.first_mut() {
            Some(next) => level.restrict(&mut next.b),
            None => level.restrict(&mut self.coarsest.b),
        }
        if index + 1 < self.levels.len() {
            self.cycle(index + 1);
        } else {
            self.coarsest.solve();
        }
        let (upper, lower) = self.levels.split_at_mut(index + 1);
        let coarse = lower.first().map_or(&self.coarsest.x, |next| &next.x);
        if let Some(level) = upper.last_mut() {
            level.prolong(coarse);
            level.smooth(false);
        }
    }
}

impl ScalarSolver for ScalarMultigrid {
    fn order(&self) -> &[u32] {
        &self.order
    }

    fn refill(&mut self, matrix: &BlockMatrix, scale: f64) -> Result<(), LinearError> {
        self.levels.clear();
        self.coarsest = Coarsest::new(0, CoarsestSolver::Nothing);
        let mut rows = self.traces(matrix, scale);
        let named = |error: LinearError, order: &[u32], is_first: bool| match error {
            LinearError::NotPositiveDefinite { row } if is_first => {
                LinearError::NotPositiveDefinite {
                    row: order[row] as usize,
                }
            }
            error => error,
        };
        loop {
            let strength = Strength::of(&rows);
            let (group_of, count) = groups(&rows, &strength);
            let is_last = !self.levels.is_empty() && rows.count() <= COARSEST;
            if is_last || count == 0 || count as f64 > COARSENING * rows.count() as f64 {
                break;
            }
            let prolongation = prolongation(&rows, &group_of, &strength);
            let restriction = prolongation.transposed(count);
            let level = Level::new(&rows, &prolongation, &restriction)
                .map_err(|error| named(error, &self.order, self.levels.is_empty()))?;
            self.levels.push(level);
            rows = rows.project(&prolongation, &restriction);
        }
        let is_first = self.levels.is_empty();
        self.coarsest = Coarsest::of(&rows).map_err(|error| named(error, &self.order, is_first))?;
        Ok(())
    }

    fn solve_in_place(&mut self, x: &mut [Single]) {
        let count = self.order.len();
        if self.levels.is_empty() {
            self.coarsest.b.copy_from_slice(&x[..count]);
            self.coarsest.solve();
            x[..count].copy_from_slice(&self.coarsest.x);
            return;
        }
        self.levels[0].b.copy_from_slice(&x[..count]);
        self.cycle(0);
        x[..count].copy_from_slice(&self.levels[0].x);
    }

    fn solve_accurately(&mut self, x: &mut [Single]) {
        let count = self.order.len();
        self.right_side.copy_from_slice(&x[..count]);
        self.solve_in_place(x);
        if self.levels.is_empty() {
            return;
        }
        let mut residual = vec![[0.0; 4]; count];
        for _ in 1..ACCURATE_CYCLES {
            self.levels[0].residual_of(&self.right_side, &x[..count], &mut residual);
            self.solve_in_place(&mut residual);
            for (x, change) in x.iter_mut().zip(&residual) {
                *x = std::array::from_fn(|c| x[c] + change[c]);
            }
        }
    }
}

impl Coarsest {
    fn new(count: usize, solver: CoarsestSolver) -> Self {
        Self {
            b: vec![[0.0; 4]; count],
            x: vec![[0.0; 4]; count],
            wide: [vec![[0.0; 4]; count], vec![[0.0; 4]; count]],
            solver,
        }
    }

    fn of(rows: &Rows) -> Result<Self, LinearError> {
        let count = rows.count();
        if count > COARSEST {
            let nothing = Table::default();
            let level = Level::new(rows, &nothing, &nothing)?;
            return Ok(Self::new(count, CoarsestSolver::Smoothing(Box::new(level))));
        }
        let mut factor = DenseCholesky::new(count);
        let filled = factor.factorise_from(|row, target| {
            target.fill(0.0);
            target[row] = (1.0 + SHIFT) * rows.diagonal(row);
            for (column, value) in rows.off_diagonal.row(row) {
                target[column] += value;
            }
        });
        filled.map_err(|row| LinearError::NotPositiveDefinite { row })?;
        Ok(Self::new(count, CoarsestSolver::Factor(factor)))
    }

    fn solve(&mut self) {
        match &mut self.solver {
            CoarsestSolver::Factor(factor) => {
                let [wide_b, wide_x] = &mut self.wide;
                for (wide, b) in wide_b.iter_mut().zip(&self.b) {
                    *wide = b.map(f64::from);
                }
                factor.solve(wide_b, wide_x);
                for (x, wide) in self.x.iter_mut().zip(wide_x) {
                    *x = wide.map(|value| value as f32);
                }
            }
            CoarsestSolver::Smoothing(level) => {
                level.b.copy_from_slice(&self.b);
                level.smooth(true);
                level.smooth(false);
                self.x.copy_from_slice(&level.x);
            }
            CoarsestSolver::Nothing => {}
        }
    }
}

/// The nodes in the order of a curve that fills space (that of Morton).
fn order_along_curve(places: &[DVec3]) -> Vec<u32> {
    let low = places.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = places.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (high - low).max_element();
    let scale = if size > 0.0 {
        f64::from((1 << 20) - 1) / size
    } else {
        0.0
    };
    let spread = |value: f64| {
        // Two zeros between any two bits.
        let mut bits = value as u64 & 0x1f_ffff;
        bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
        bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
        bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
        bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
        (bits | bits << 2) & 0x1249_2492_4924_9249
    };
    let key = |place: &DVec3| {
        let [x, y, z] = ((*place - low) * scale).to_array().map(spread);
        x | y << 1 | z << 2
    };
    let mut keys: Vec<(u64, u32)> = (0..).zip(places).map(|(i, x)| (key(x), i)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, node)| node).collect()
}
