//! Gauss-Seidel relaxation of a scalar matrix for three components, node after node:
//!
//! x_i += omega (b_i - sum over j of A_ij x_j) / A_ii

use super::compressed::Compressed;
use super::lanes::{Lanes, add_scaled};

/// A matrix in rows and the inverse of its diagonal.
pub(crate) struct Relaxation {
    pub(crate) matrix: Compressed,
    inverse_diagonal: Vec<f64>,
}

impl Relaxation {
    /// Memory for a matrix in rows.
    pub(crate) fn new(matrix: Compressed) -> Self {
        Self {
            inverse_diagonal: vec![0.0; matrix.line_count()],
            matrix,
        }
    }

    /// Takes in the diagonal after the matrix has new numbers; fails with the first row whose
    /// diagonal entry is not positive.
    pub(crate) fn refresh(&mut self) -> Result<(), usize> {
        for (row, inverse) in self.inverse_diagonal.iter_mut().enumerate() {
            let line = self.matrix.line(row);
            let found = self.matrix.indices[line.clone()].binary_search(&(row as u32));
            let value = found.map_or(0.0, |position| self.matrix.values[line.start + position]);
            if value.is_nan() || value <= 0.0 {
                return Err(row);
            }
            *inverse = 1.0 / value;
        }
        Ok(())
    }

    /// b_i - sum over j of A_ij x_j.
    #[inline(always)]
    pub(crate) fn residual(&self, row: usize, b: &[Lanes], x: &[Lanes]) -> Lanes {
        let line = self.matrix.line(row);
        let entries = self.matrix.indices[line.clone()]
            .iter()
            .zip(&self.matrix.values[line]);
        let mut rest = b[row];
        for (&column, &value) in entries {
            rest = add_scaled(rest, -value, x[column as usize]);
        }
        rest
    }

    /// Relaxes all nodes in ascending order.
    pub(crate) fn sweep_forward(&self, b: &[Lanes], x: &mut [Lanes], omega: f64) {
        for row in 0..self.inverse_diagonal.len() {
            self.relax(row, b, x, omega);
        }
    }

    /// Relaxes all nodes in descending order.
    pub(crate) fn sweep_backward(&self, b: &[Lanes], x: &mut [Lanes], omega: f64) {
        for row in (0..self.inverse_diagonal.len()).rev() {
            self.relax(row, b, x, omega);
        }
    }

    #[inline(always)]
    fn relax(&self, row: usize, b: &[Lanes], x: &mut [Lanes], omega: f64) {
        let rest = self.residual(row, b, x);
        x[row] = add_scaled(x[row], omega * self.inverse_diagonal[row], rest);
    }

    /// y = A x.
    pub(crate) fn multiply(&self, x: &[Lanes], y: &mut [Lanes]) {
        for (row, y) in y.iter_mut().enumerate() {
            let line = self.matrix.line(row);
            let entries = self.matrix.indices[line.clone()]
                .iter()
                .zip(&self.matrix.values[line]);
            let mut sum = [0.0; 4];
            for (&column, &value) in entries {
                sum = add_scaled(sum, value, x[column as usize]);
            }
            *y = sum;
        }
    }

    /// |b - A x|, all components together.
    pub(crate) fn residual_norm(&self, b: &[Lanes], x: &[Lanes]) -> f64 {
        let mut sums = [0.0; 4];
        for row in 0..self.inverse_diagonal.len() {
            let rest = self.residual(row, b, x);
            sums = std::array::from_fn(|c| sums[c] + rest[c] * rest[c]);
        }
        (sums[0] + sums[1] + sums[2]).sqrt()
    }
}
