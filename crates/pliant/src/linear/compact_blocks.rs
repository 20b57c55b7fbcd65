//! A copy of a matrix of 3x3 blocks in `f32`, in an order of its own, for products.
//!
//! ```text
//! (A x)_i = D_i x_i + sum over j of A_ij (x_j - x_i),     D_i = sum over all j of A_ij
//! ```
//!
//! Stiffness is large and answers to differences alone; taking these first loses no digits, so that
//! a product in `f32` serves stiff matrices. D, what is left of the diagonal, is summed in `f64`.

use super::BlockMatrix;
use super::scalar_factor::Single;
use crate::math::parallel::{CHUNK, runs_in_parallel};
use crate::math::processor::for_this_processor;
use glam::DMat3;
use rayon::prelude::*;

pub(crate) struct CompactBlocks {
    starts: Vec<u32>,
    columns: Vec<u32>,
    /// Nine numbers a block, by columns, and three more at the end.
    values: Vec<f32>,
    /// D.
    diagonal: Vec<f32>,
}

impl CompactBlocks {
    /// Room for matrices with the pattern of `matrix`, in the given order of its rows.
    pub(crate) fn new(matrix: &BlockMatrix, order: &[u32]) -> Self {
        let mut place = vec![0; order.len()];
        for (position, &row) in order.iter().enumerate() {
            place[row as usize] = position as u32;
        }
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for &row in order {
            for slot in matrix.row_range(row as usize) {
                if matrix.column(slot) != row as usize {
                    columns.push(place[matrix.column(slot)]);
                }
            }
            starts.push(columns.len() as u32);
        }
        Self {
            values: vec![0.0; 9 * columns.len() + 3],
            diagonal: vec![0.0; 9 * order.len() + 3],
            starts,
            columns,
        }
    }

    /// Takes in the numbers, multiplied by `scale`.
    pub(crate) fn fill(&mut self, matrix: &BlockMatrix, order: &[u32], scale: f64) {
        let (values, diagonal) = (&mut self.values[..], &mut self.diagonal[..]);
        fill(matrix, &self.starts, order, scale, values, diagonal);
    }

    /// The places that a row is coupled to, without itself.
    pub(crate) fn columns_of(&self, row: usize) -> &[u32] {
        &self.columns[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// One row of a product.
    pub(crate) fn row_product(&self, row: usize, x: &[Single]) -> Single {
        let mut sum = [0.0; 4];
        add_row(
            row,
            &self.starts,
            &self.columns,
            [&self.values, &self.diagonal],
            x,
            &mut sum,
        );
        sum
    }

    /// y = A x; returns x y. `partial` has one number per chunk of rows.
    pub(crate) fn multiply(&self, x: &[Single], y: &mut [Single], partial: &mut [f64]) -> f64 {
        let chunks = y.len().div_ceil(CHUNK);
        let work = |index: usize, y: &mut [Single], sum: &mut f64| {
            let blocks: [&[f32]; 2] = [&self.values, &self.diagonal];
            multiply(
                index * CHUNK,
                &self.starts,
                &self.columns,
                blocks,
                x,
                y,
                sum,
            );
        };
        if runs_in_parallel(y.len()) {
            y.par_chunks_mut(CHUNK)
                .zip(partial.par_iter_mut())
                .enumerate()
                .for_each(|(index, (y, sum))| work(index, y, sum));
        } else {
            for (index, (y, sum)) in y.chunks_mut(CHUNK).zip(partial.iter_mut()).enumerate() {
                work(index, y, sum);
            }
        }
        partial[..chunks].iter().sum()
    }
}

/// Fills the rows of a part of the order, whose entries begin where `starts` says; halves that are
/// large enough are filled at the same time.
fn fill(
    matrix: &BlockMatrix,
    starts: &[u32],
    order: &[u32],
    scale: f64,
    values: &mut [f32],
    diagonal: &mut [f32],
) {
    if runs_in_parallel(order.len()) {
        let half = order.len() / 2;
        let (lower, upper) = order.split_at(half);
        let (low, high) = values.split_at_mut(9 * (starts[half] - starts[0]) as usize);
        let (first, second) = diagonal.split_at_mut(9 * half);
        rayon::join(
            || fill(matrix, &starts[..=half], lower, scale, low, first),
            || fill(matrix, &starts[half..], upper, scale, high, second),
        );
        return;
    }
    let mut values = values.chunks_exact_mut(9);
    for (&row, target) in order.iter().zip(diagonal.chunks_exact_mut(9)) {
        let mut sum = DMat3::ZERO;
        for slot in matrix.row_range(row as usize) {
            let block = *matrix.block(slot) * scale;
            sum += block;
            if matrix.column(slot) != row as usize
                && let Some(value) = values.next()
            {
                store(block, value);
            }
        }
        store(sum, target);
    }
}

fn store(block: DMat3, target: &mut [f32]) {
    for (target, value) in target.iter_mut().zip(block.to_cols_array()) {
        *target = value as f32;
    }
}

/// Adds a block times a vector; the fourth number is left to chance.
#[inline(always)]
fn add_block(sum: &mut Single, block: &[f32; 12], x: &Single) {
    for row in 0..4 {
        sum[row] += block[row] * x[0];
    }
    for row in 0..4 {
        sum[row] += block[row + 3] * x[1];
    }
    for row in 0..4 {
        sum[row] += block[row + 6] * x[2];
    }
}

/// The block at an index.
#[inline(always)]
fn block_at(values: &[f32], index: usize) -> &[f32; 12] {
    let part = &values[9 * index..9 * index + 12];
    match part.first_chunk::<12>() {
        Some(block) => block,
        None => &[0.0; 12],
    }
}

/// One row of a product, by differences.
#[inline(always)]
fn add_row(
    row: usize,
    starts: &[u32],
    columns: &[u32],
    [values, diagonal]: [&[f32]; 2],
    x: &[Single],
    sum: &mut Single,
) {
    let here = x[row];
    add_block(sum, block_at(diagonal, row), &here);
    let range = starts[row] as usize..starts[row + 1] as usize;
    for (&column, index) in columns[range.clone()].iter().zip(range) {
        let other = &x[column as usize];
        let difference = std::array::from_fn(|c| other[c] - here[c]);
        add_block(sum, block_at(values, index), &difference);
    }
    sum[3] = 0.0;
}

for_this_processor! {
    /// The rows from `first` on.
    fn multiply(first: usize, starts: &[u32], columns: &[u32], blocks: [&[f32]; 2], x: &[Single], y: &mut [Single], product: &mut f64) {
        let mut total = [0.0_f64; 4];
        for (row, y) in (first..).zip(y.iter_mut()) {
            let mut sum = [0.0; 4];
            add_row(row, starts, columns, blocks, x, &mut sum);
            *y = sum;
            for c in 0..4 {
                total[c] += f64::from(x[row][c]) * f64::from(sum[c]);
            }
        }
        *product = total[0] + total[1] + total[2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::{block_noise, noise_vectors};
    use glam::DVec3;

    #[test]
    fn products_are_those_of_the_matrix() {
        let couplings = [(0, 3), (1, 2), (2, 4), (0, 4), (3, 4)];
        let mut matrix = BlockMatrix::new(5, couplings.into_iter());
        for (index, &(a, b)) in couplings.iter().enumerate() {
            let block = block_noise(index);
            matrix.add(a, b, block);
            matrix.add(b, a, block.transpose());
        }
        for node in 0..5 {
            matrix.add(node, node, block_noise(node + 10));
        }
        let order = [3, 1, 4, 0, 2];
        let mut compact = CompactBlocks::new(&matrix, &order);
        compact.fill(&matrix, &order, 2.0);
        let x = noise_vectors(5);
        let mut wanted = vec![DVec3::ZERO; 5];
        matrix.multiply(&x, &mut wanted);
        let single = order.map(|row: u32| {
            let x = x[row as usize];
            [x.x as f32, x.y as f32, x.z as f32, 0.0]
        });
        let mut y = [[0.0; 4]; 5];
        let product = compact.multiply(&single, &mut y, &mut [0.0]);
        let mut expected = 0.0;
        for (y, &row) in y.iter().zip(&order) {
            let wanted = 2.0 * wanted[row as usize];
            let found = DVec3::new(y[0].into(), y[1].into(), y[2].into());
            assert!((found - wanted).length() < 1e-5, "{found} {wanted}");
            expected += wanted.dot(x[row as usize]);
        }
        assert!((product - expected).abs() < 1e-5);
    }
}
