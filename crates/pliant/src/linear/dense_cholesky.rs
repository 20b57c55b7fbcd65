//! A small dense Cholesky factorisation A = L L^T, for the coarsest grid of multigrid.

use super::compressed::Compressed;
use super::lanes::{Lanes, add_scaled};

/// A lower triangular factor, row after row, with the inverses of its diagonal on the diagonal.
pub(crate) struct DenseCholesky {
    size: usize,
    factor: Vec<f64>,
}

impl DenseCholesky {
    /// Memory for `size` unknowns.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            factor: vec![0.0; size * size],
        }
    }

    /// Factorises a matrix in rows; fails with the row whose pivot is not positive.
    pub(crate) fn factorise(&mut self, matrix: &Compressed) -> Result<(), usize> {
        self.factorise_from(|row, target| {
            target.fill(0.0);
            for entry in matrix.line(row) {
                target[matrix.indices[entry] as usize] = matrix.values[entry];
            }
        })
    }

    /// Factorises a matrix whose rows are filled in by a function of the row's number; fails with
    /// the row whose pivot is not positive.
    pub(crate) fn factorise_from(&mut self, fill: impl Fn(usize, &mut [f64])) -> Result<(), usize> {
        let n = self.size;
        for (row, target) in self.factor.chunks_exact_mut(n.max(1)).enumerate() {
            fill(row, target);
        }
        for i in 0..n {
            let (done, rest) = self.factor.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in 0..i {
                let other = &done[j * n..j * n + j + 1];
                row[j] = (row[j] - product(&row[..j], &other[..j])) * other[j];
            }
            let pivot = row[i] - product(&row[..i], &row[..i]);
            if pivot.is_nan() || pivot <= 0.0 {
                return Err(i);
            }
            row[i] = 1.0 / pivot.sqrt();
        }
        Ok(())
    }

    /// Solves for three components.
    pub(crate) fn solve(&self, b: &[Lanes], x: &mut [Lanes]) {
        let n = self.size;
        for i in 0..n {
            let row = &self.factor[i * n..i * n + i + 1];
            let mut value = b[i];
            for (l, x) in row[..i].iter().zip(x.iter()) {
                value = add_scaled(value, -l, *x);
            }
            x[i] = value.map(|value| value * row[i]);
        }
        for i in (0..n).rev() {
            let row = &self.factor[i * n..i * n + i + 1];
            let value = x[i].map(|value| value * row[i]);
            x[i] = value;
            for (l, x) in row[..i].iter().zip(x.iter_mut()) {
                *x = add_scaled(*x, -l, value);
            }
        }
    }
}

/// Σ a b, as eight sums side by side.
fn product(a: &[f64], b: &[f64]) -> f64 {
    let (a_packs, a_rest) = a.as_chunks::<8>();
    let (b_packs, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a_packs.iter().zip(b_packs) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}
