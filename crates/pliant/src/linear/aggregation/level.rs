//! One level of a hierarchy, in single precision, for three right-hand sides at a time: smoothing,
//! residuals and the way to the next level and back.
//!
//! The smoother is a Chebyshev polynomial in D⁻¹ A, damping the upper part of the spectrum. It is a
//! sum of products with the matrix, so that rows can be worked on in any order, by any number of
//! threads, with the same bits; applied before and after the correction it makes a symmetric cycle.

use super::rows::{Rows, Table};
use crate::linear::LinearError;
use crate::linear::scalar_factor::Single;
use crate::math::parallel::{for_each_chunk_mut, for_each_chunk_of_two};
use crate::math::processor::for_this_processor;

/// Products with the matrix in one smoothing.
const DEGREE: usize = 2;

/// The smoother damps eigenvalues down to the largest by this number.
const SPAN: f64 = 6.0;

/// Products that estimate the largest eigenvalue, and what the estimate is multiplied by.
const POWER_ITERATIONS: usize = 12;
const CAUTION: f64 = 1.1;

/// An entry of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    column: u32,
    value: f32,
}

/// A sparse matrix in compressed rows, in single precision.
#[derive(Debug, Default)]
struct Compact {
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

/// A matrix and the memory to smooth with it; see the module.
#[derive(Debug)]
pub(super) struct Level {
    matrix: Compact,
    rest: Vec<f32>,
    inverse_diagonal: Vec<f32>,
    prolongation: Compact,
    restriction: Compact,
    /// Largest eigenvalue of D⁻¹ A.
    largest: f64,
    pub(super) b: Vec<Single>,
    pub(super) x: Vec<Single>,
    /// The next x, or a residual.
    other: Vec<Single>,
    /// The last change of x.
    change: Vec<Single>,
}

impl Compact {
    fn of(table: &Table) -> Self {
        let entry = |(&column, &value): (&u32, &f64)| Entry {
            column,
            value: value as f32,
        };
        let entries = table.columns.iter().zip(&table.values);
        Self {
            starts: table.starts.clone(),
            entries: entries.map(entry).collect(),
        }
    }
}

impl Level {
    /// A level over `rows`; fails with the first row whose diagonal is not positive.
    pub(super) fn new(
        rows: &Rows,
        prolongation: &Table,
        restriction: &Table,
    ) -> Result<Self, LinearError> {
        let count = rows.count();
        let mut inverse_diagonal = Vec::with_capacity(count);
        for row in 0..count {
            let diagonal = rows.diagonal(row);
            if !diagonal.is_finite() {
                return Err(LinearError::NotFinite);
            }
            if diagonal <= 0.0 {
                return Err(LinearError::NotPositiveDefinite { row });
            }
            inverse_diagonal.push((1.0 / diagonal) as f32);
        }
        let zeros = vec![[0.0; 4]; count];
        let mut level = Self {
            matrix: Compact::of(&rows.off_diagonal),
            rest: rows.rest.iter().map(|&rest| rest as f32).collect(),
            inverse_diagonal,
            prolongation: Compact::of(prolongation),
            restriction: Compact::of(restriction),
            largest: 2.0,
            b: zeros.clone(),
            x: zeros.clone(),
            other: zeros.clone(),
            change: zeros,
        };
        level.estimate_largest();
        Ok(level)
    }

    #[cfg(test)]
    /// Number of stored entries.
    pub(super) fn entry_count(&self) -> usize {
        self.matrix.entries.len() + self.rest.len()
    }

    /// The largest eigenvalue of D⁻¹ A by a few steps of the power method.
    fn estimate_largest(&mut self) {
        // Neighbours of opposite sign: near the roughest field.
        for (row, x) in self.x.iter_mut().enumerate() {
            let mixed = (row as u32).wrapping_mul(0x9e37_79b9) >> 8;
            let value = (f64::from(mixed) / f64::from(1 << 24) - 0.5) as f32;
            *x = [value, 0.0, 0.0, 0.0];
        }
        self.b.fill([0.0; 4]);
        let norm = |field: &[Single]| field.iter().map(|x| f64::from(x[0]).powi(2)).sum::<f64>();
        let mut largest = 2.0;
        for _ in 0..POWER_ITERATIONS {
            let before = norm(&self.x);
            self.find_residual();
            for ((x, r), inverse) in self
                .x
                .iter_mut()
                .zip(&self.other)
                .zip(&self.inverse_diagonal)
            {
                *x = r.map(|r| -inverse * r);
            }
            let after = norm(&self.x);
            if !(before > 0.0 && after > 0.0 && after.is_finite()) {
                break;
            }
            largest = (after / before).sqrt();
            let scale = after.sqrt().recip() as f32;
            for x in &mut self.x {
                *x = x.map(|value| scale * value);
            }
        }
        self.largest = CAUTION * largest.max(0.5);
    }

    /// other = b - A x.
    fn find_residual(&mut self) {
        let (matrix, rest, b, x) = (&self.matrix, &self.rest, &self.b, &self.x);
        for_each_chunk_mut(&mut self.other, |first, residual| {
            residuals(
                first,
                &matrix.starts,
                &matrix.entries,
                [rest],
                [b, x],
                residual,
            );
        });
    }

    /// residual = b - A x, of other fields.
    pub(super) fn residual_of(&self, b: &[Single], x: &[Single], residual: &mut [Single]) {
        let (matrix, rest) = (&self.matrix, &self.rest);
        for_each_chunk_mut(residual, |first, residual| {
            residuals(
                first,
                &matrix.starts,
                &matrix.entries,
                [rest],
                [b, x],
                residual,
            );
        });
    }

    /// Smooths x, which is taken to be zero if `from_zero`.
    pub(super) fn smooth(&mut self, from_zero: bool) {
        let (high, low) = (self.largest, self.largest / SPAN);
        let (middle, half) = (0.5 * (high + low), 0.5 * (high - low));
        let sigma = middle / half;
        let mut rho = 1.0 / sigma;
        for step in 0..DEGREE {
            let (keep, take) = if step == 0 {
                (0.0, 1.0 / middle)
            } else {
                let next = 1.0 / (2.0 * sigma - rho);
                let weights = (rho * next, 2.0 * next / half);
                rho = next;
                weights
            };
            let weights = [keep as f32, take as f32];
            if step == 0 && from_zero {
                let (inverse, b) = (&self.inverse_diagonal, &self.b);
                for_each_chunk_of_two(&mut self.change, &mut self.other, |first, change, next| {
                    begin(first, weights[1], inverse, b, change, next);
                });
            } else {
                let (matrix, rest, inverse) = (&self.matrix, &self.rest, &self.inverse_diagonal);
                let (b, x) = (&self.b, &self.x);
                for_each_chunk_of_two(&mut self.change, &mut self.other, |first, change, next| {
                    let diagonals: [&[f32]; 2] = [rest, inverse];
                    let (starts, entries) = (&matrix.starts, &matrix.entries);
                    let changed = [change, next];
                    relax(first, starts, entries, diagonals, [b, x], weights, changed);
                });
            }
            std::mem::swap(&mut self.x, &mut self.other);
        }
    }

    /// coarse = Pᵀ (b - A x).
    pub(super) fn restrict(&mut self, coarse: &mut [Single]) {
        self.find_residual();
        let (table, fine) = (&self.restriction, &self.other);
        for_each_chunk_mut(coarse, |first, coarse| {
            gather(first, &table.starts, &table.entries, fine, coarse);
        });
    }

    /// x += P coarse.
    pub(super) fn prolong(&mut self, coarse: &[Single]) {
        let table = &self.prolongation;
        for_each_chunk_mut(&mut self.x, |first, x| {
            add_gathered(first, &table.starts, &table.entries, coarse, x);
        });
    }
}

/// (A x)_i for the row with the given entries.
#[inline(always)]
fn row_product(entries: &[Entry], rest: f32, x: &[Single], here: &Single) -> Single {
    let mut sum: Single = here.map(|value| rest * value);
    for entry in entries {
        let other = &x[entry.column as usize];
        for c in 0..4 {
            sum[c] += entry.value * (other[c] - here[c]);
        }
    }
    sum
}

#[inline(always)]
fn row_of<'a>(starts: &[u32], entries: &'a [Entry], row: usize) -> &'a [Entry] {
    &entries[starts[row] as usize..starts[row + 1] as usize]
}

for_this_processor! {
    /// The residuals b - A x of the rows from `first` on.
    fn residuals(first: usize, starts: &[u32], entries: &[Entry], rest: [&[f32]; 1], fields: [&[Single]; 2], residual: &mut [Single]) {
        let [b, x] = fields;
        for (row, residual) in (first..).zip(residual) {
            let product = row_product(row_of(starts, entries, row), rest[0][row], x, &x[row]);
            *residual = std::array::from_fn(|c| b[row][c] - product[c]);
        }
    }
}

for_this_processor! {
    /// change = w D⁻¹ b, next = change.
    fn begin(first: usize, weight: f32, inverse: &[f32], b: &[Single], change: &mut [Single], next: &mut [Single]) {
        for (row, (change, next)) in (first..).zip(change.iter_mut().zip(next)) {
            let factor = weight * inverse[row];
            *change = b[row].map(|b| factor * b);
            *next = *change;
        }
    }
}

for_this_processor! {
    /// change = w₀ change + w₁ D⁻¹ (b - A x), next = x + change.
    fn relax(first: usize, starts: &[u32], entries: &[Entry], diagonals: [&[f32]; 2], fields: [&[Single]; 2], weights: [f32; 2], changed: [&mut [Single]; 2]) {
        let ([rest, inverse], [b, x], [change, next]) = (diagonals, fields, changed);
        for (row, (change, next)) in (first..).zip(change.iter_mut().zip(next)) {
            let here = &x[row];
            let product = row_product(row_of(starts, entries, row), rest[row], x, here);
            let factor = weights[1] * inverse[row];
            *change = std::array::from_fn(|c| weights[0] * change[c] + factor * (b[row][c] - product[c]));
            *next = std::array::from_fn(|c| here[c] + change[c]);
        }
    }
}

for_this_processor! {
    /// Rows from `first` on of a table times a field.
    fn gather(first: usize, starts: &[u32], entries: &[Entry], from: &[Single], to: &mut [Single]) {
        for (row, to) in (first..).zip(to) {
            let mut sum = [0.0; 4];
            for entry in row_of(starts, entries, row) {
                let from = &from[entry.column as usize];
                for c in 0..4 {
                    sum[c] += entry.value * from[c];
                }
            }
            *to = sum;
        }
    }
}

for_this_processor! {
    /// As `gather`, added.
    fn add_gathered(first: usize, starts: &[u32], entries: &[Entry], from: &[Single], to: &mut [Single]) {
        for (row, to) in (first..).zip(to) {
            for entry in row_of(starts, entries, row) {
                let from = &from[entry.column as usize];
                for c in 0..4 {
                    to[c] += entry.value * from[c];
                }
            }
        }
    }
}
