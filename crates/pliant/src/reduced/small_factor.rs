//! Cholesky's factorisation of a small dense matrix.

/// L of A = L Lᵀ, row after row.
#[derive(Clone, Debug)]
pub(super) struct SmallFactor {
    size: usize,
    factor: Vec<f64>,
}

impl SmallFactor {
    /// Of a symmetric matrix, row after row; nothing if it is not positive definite.
    pub(super) fn new(size: usize, matrix: &[f64]) -> Option<Self> {
        let mut factor = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..=i {
                let sum: f64 = (0..j)
                    .map(|k| factor[i * size + k] * factor[j * size + k])
                    .sum();
                let value = matrix[i * size + j] - sum;
                factor[i * size + j] = if i == j {
                    value.sqrt()
                } else {
                    value / factor[j * size + j]
                };
            }
            let pivot = factor[i * size + i];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
        }
        Some(Self { size, factor })
    }

    /// A⁻¹ b.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.backward(&self.forward(b))
    }

    /// L⁻¹ b.
    pub(super) fn forward(&self, b: &[f64]) -> Vec<f64> {
        let n = self.size;
        let at = |i: usize, j: usize| self.factor[i * n + j];
        let mut x = b.to_vec();
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| at(i, k) * x[k]).sum();
            x[i] = (x[i] - sum) / at(i, i);
        }
        x
    }

    /// L⁻ᵀ b.
    pub(super) fn backward(&self, b: &[f64]) -> Vec<f64> {
        let n = self.size;
        let at = |i: usize, j: usize| self.factor[i * n + j];
        let mut x = b.to_vec();
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| at(k, i) * x[k]).sum();
            x[i] = (x[i] - sum) / at(i, i);
        }
        x
    }
}

/// δ and λ with H δ = r + Aᵀ λ and A δ = b: the rows of A hold what λ pushes against. Rows that say the same
/// share their push.
pub(super) fn constrained(
    factor: &SmallFactor,
    right: &[f64],
    rows: &[Vec<f64>],
    wanted: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let free = factor.solve(right);
    if rows.is_empty() {
        return Some((free, Vec::new()));
    }
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let answers: Vec<Vec<f64>> = rows.iter().map(|row| factor.solve(row)).collect();
    let count = rows.len();
    let mut matrix = vec![0.0; count * count];
    for i in 0..count {
        for j in 0..count {
            matrix[i * count + j] = dot(&rows[i], &answers[j]);
        }
    }
    let largest = (0..count)
        .map(|i| matrix[i * count + i])
        .fold(0.0, f64::max);
    for i in 0..count {
        matrix[i * count + i] += 1e-11 * largest * count as f64;
    }
    let missing: Vec<f64> = (0..count)
        .map(|i| wanted[i] - dot(&rows[i], &free))
        .collect();
    let pushes = SmallFactor::new(count, &matrix)?.solve(&missing);
    let mut change = free;
    for (push, answer) in pushes.iter().zip(&answers) {
        for (value, part) in change.iter_mut().zip(answer) {
            *value += push * part;
        }
    }
    Some((change, pushes))
}
