//! Inverses of small symmetric positive definite matrices.

/// The inverse, by Cholesky's factorisation; nothing if the matrix is not positive definite.
pub(super) fn inverse<const N: usize>(matrix: &[[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut factor = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let value = matrix[i][j] - sum;
            factor[i][j] = if i == j {
                value.sqrt()
            } else {
                value / factor[j][j]
            };
        }
        if !(factor[i][i] > 0.0 && factor[i][i].is_finite()) {
            return None;
        }
    }
    let mut inverse = [[0.0; N]; N];
    for column in 0..N {
        let mut x = [0.0; N];
        for i in 0..N {
            let sum: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
            x[i] = (f64::from(u8::from(i == column)) - sum) / factor[i][i];
        }
        for i in (0..N).rev() {
            let sum: f64 = (i + 1..N).map(|k| factor[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / factor[i][i];
        }
        for (row, value) in inverse.iter_mut().zip(x) {
            row[column] = value;
        }
    }
    Some(inverse)
}

pub(super) fn product<const N: usize>(matrix: &[[f64; N]; N], x: &[f64; N]) -> [f64; N] {
    std::array::from_fn(|i| matrix[i].iter().zip(x).map(|(a, b)| a * b).sum())
}
