//! Scalar matrices of the set-up of a hierarchy, in double precision.
//!
//! A symmetric matrix is kept without its diagonal, by what each row answers to differences and to
//! a constant:
//!
//! ```text
//! (A x)_i = rest_i x_i + Σ_j a_ij (x_j - x_i),     A_ii = rest_i - Σ_j a_ij
//! ```
//!
//! Stiffness is large and has no rest, inertia is small and is all rest: kept apart, neither is lost
//! in the rounding of the other, on whatever level.

use rayon::prelude::*;

/// Rows of a product that one task works on.
const ROWS_PER_TASK: usize = 4096;

/// No entry.
const NONE: u32 = u32::MAX;

/// A symmetric matrix; see the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) off_diagonal: Table,
    pub(super) rest: Vec<f64>,
}

/// A sparse matrix in compressed rows.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) starts: Vec<u32>,
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f64>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl Table {
    /// Number of rows.
    pub(super) fn row_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Columns and values of a row.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        let columns = self.columns[range.clone()].iter();
        columns
            .zip(&self.values[range])
            .map(|(&column, &value)| (column as usize, value))
    }

    /// Adds an entry to the last row, which [`Table::end_row`] ends.
    pub(super) fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    pub(super) fn end_row(&mut self) {
        self.starts.push(self.columns.len() as u32);
    }

    /// The transposed matrix, which has `row_count` rows.
    pub(super) fn transposed(&self, row_count: usize) -> Self {
        let mut starts = vec![0; row_count + 1];
        for &column in &self.columns {
            starts[column as usize + 1] += 1;
        }
        for row in 0..row_count {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut columns = vec![0; self.columns.len()];
        let mut values = vec![0.0; self.values.len()];
        for row in 0..self.row_count() {
            for (column, value) in self.row(row) {
                let at = next[column] as usize;
                next[column] += 1;
                columns[at] = row as u32;
                values[at] = value;
            }
        }
        Self {
            starts,
            columns,
            values,
        }
    }

    /// Joins rows that follow each other.
    fn join(parts: Vec<Self>) -> Self {
        let mut whole = Self::default();
        for part in parts {
            let first = whole.columns.len() as u32;
            let ends = part.starts[1..].iter();
            whole.starts.extend(ends.map(|end| first + end));
            whole.columns.extend(part.columns);
            whole.values.extend(part.values);
        }
        whole
    }
}

impl Rows {
    /// Number of rows.
    pub(super) fn count(&self) -> usize {
        self.rest.len()
    }

    /// -Σ_j a_ij.
    pub(super) fn stiffness(&self, row: usize) -> f64 {
        -self.off_diagonal.row(row).map(|(_, a)| a).sum::<f64>()
    }

    /// A_ii.
    pub(super) fn diagonal(&self, row: usize) -> f64 {
        self.rest[row] + self.stiffness(row)
    }

    /// Pᵀ A P, for a P whose rows sum to one (or are empty where A has no couplings).
    pub(super) fn project(&self, prolongation: &Table, restriction: &Table) -> Self {
        let coarse = restriction.row_count();
        let tasks = coarse.div_ceil(ROWS_PER_TASK);
        let work = |task: usize| {
            let last = ((task + 1) * ROWS_PER_TASK).min(coarse);
            self.project_rows(prolongation, restriction, task * ROWS_PER_TASK..last)
        };
        let parts: Vec<Table> = (0..tasks).into_par_iter().map(work).collect();
        // Pᵀ A P 1 = Pᵀ A 1 = Pᵀ rest.
        let rest = (0..coarse).map(|row| {
            let fine = restriction.row(row);
            fine.map(|(i, weight)| weight * self.rest[i]).sum()
        });
        Self {
            rest: rest.collect(),
            off_diagonal: Table::join(parts),
        }
    }

    fn project_rows(
        &self,
        prolongation: &Table,
        restriction: &Table,
        rows: std::ops::Range<usize>,
    ) -> Table {
        let mut result = Table::default();
        let mut place = vec![NONE; restriction.row_count()];
        for row in rows {
            let first = result.columns.len();
            for (i, weight) in restriction.row(row) {
                let mut stiffness = 0.0;
                for (j, a) in self.off_diagonal.row(i) {
                    stiffness -= a;
                    add(&mut result, &mut place, prolongation, j, weight * a);
                }
                // The diagonal is rest plus stiffness; the rest has its own sum.
                let whole = weight * (stiffness + self.rest[i]);
                add(&mut result, &mut place, prolongation, i, whole);
            }
            for &column in &result.columns[first..] {
                place[column as usize] = NONE;
            }
            // The diagonal follows from the rest.
            if let Some(at) =
                (first..result.columns.len()).find(|&at| result.columns[at] == row as u32)
            {
                result.columns.swap_remove(at);
                result.values.swap_remove(at);
            }
            result.end_row();
        }
        result
    }
}

/// Adds a weight times a row of the prolongation to the last row of a table.
fn add(table: &mut Table, place: &mut [u32], prolongation: &Table, row: usize, weight: f64) {
    for (column, value) in prolongation.row(row) {
        let at = place[column];
        if at == NONE {
            place[column] = table.columns.len() as u32;
            table.push(column as u32, weight * value);
        } else {
            table.values[at as usize] += weight * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::noise;

    /// A ring of springs and masses.
    fn ring(count: usize) -> Rows {
        let mut rows = Rows::default();
        let numbers = noise(2 * count);
        for i in 0..count {
            let (before, after) = ((i + count - 1) % count, (i + 1) % count);
            rows.off_diagonal
                .push(before as u32, -1.5 - numbers[before]);
            rows.off_diagonal.push(after as u32, -1.5 - numbers[i]);
            rows.off_diagonal.end_row();
            rows.rest.push(0.01 + numbers[count + i].abs());
        }
        rows
    }

    fn multiply(rows: &Rows, x: &[f64]) -> Vec<f64> {
        let product = |i: usize| {
            let terms = rows.off_diagonal.row(i).map(|(j, a)| a * (x[j] - x[i]));
            rows.rest[i] * x[i] + terms.sum::<f64>()
        };
        (0..x.len()).map(product).collect()
    }

    #[test]
    fn projected_matrices_have_the_energies_of_prolonged_fields() {
        let rows = ring(60);
        let mut prolongation = Table::default();
        for i in 0..60u32 {
            // Weights that sum to one.
            let weight = 0.3 + 0.01 * f64::from(i % 7);
            prolongation.push(i / 5, 1.0 - weight);
            prolongation.push((i / 5 + 1) % 12, weight);
            prolongation.end_row();
        }
        let restriction = prolongation.transposed(12);
        assert_eq!(restriction.row_count(), 12);
        let coarse = rows.project(&prolongation, &restriction);
        let x = noise(12);
        let fine: Vec<f64> = (0..60)
            .map(|i| prolongation.row(i).map(|(c, w)| w * x[c]).sum())
            .collect();
        let product = multiply(&rows, &fine);
        let found = multiply(&coarse, &x);
        for (row, found) in found.into_iter().enumerate() {
            let wanted: f64 = restriction.row(row).map(|(i, w)| w * product[i]).sum();
            assert!((wanted - found).abs() < 1e-12, "{wanted} {found}");
            assert!(
                coarse
                    .off_diagonal
                    .row(row)
                    .all(|(column, _)| column != row)
            );
        }
    }
}
