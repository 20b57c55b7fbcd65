//! The positive part of a tension tensor: what of it resists.
//!
//! For two directions it is the projection on the positive eigenvalues, in closed form,
//! a₊ = λ₁ (a - λ₂) / (λ₁ - λ₂) for λ₁ > 0 > λ₂. For three directions a positive semi-definite
//! tensor that is nowhere softer.

/// The positive semi-definite part of a symmetric tensor given by its six entries.
#[inline]
pub(super) fn positive_part(a: &[f64; 6]) -> [f64; 6] {
    if a[2] == 0.0 && a[4] == 0.0 && a[5] == 0.0 {
        return positive_part_2x2(a);
    }
    // For three directions: split each mixed entry into squares and keep the positive ones.
    let mut part = [a[0].max(0.0), a[1].max(0.0), a[2].max(0.0), 0.0, 0.0, 0.0];
    for (p, i, j) in [(3, 0, 1), (4, 0, 2), (5, 1, 2)] {
        part[i] += 0.5 * a[p].abs();
        part[j] += 0.5 * a[p].abs();
        part[p] = 0.5 * a[p];
    }
    part
}

#[inline]
fn positive_part_2x2(a: &[f64; 6]) -> [f64; 6] {
    let (x, y, z) = (a[0], a[1], a[3]);
    let determinant = x * y - z * z;
    if x >= 0.0 && y >= 0.0 && determinant >= 0.0 {
        return *a;
    }
    let mean = 0.5 * (x + y);
    let radius = (0.25 * (x - y) * (x - y) + z * z).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    if high <= 0.0 {
        return [0.0; 6];
    }
    if low >= 0.0 {
        return *a;
    }
    // a₊ = high (a - low) / (high - low)
    let factor = high / (high - low);
    [
        factor * (x - low),
        factor * (y - low),
        0.0,
        factor * z,
        0.0,
        0.0,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positive_part_is_positive_and_keeps_positive_tensors() {
        let kept = [2.0, 1.0, 0.0, 0.5, 0.0, 0.0];
        assert_eq!(positive_part(&kept), kept);
        let part = positive_part(&[1.0, -1.0, 0.0, 0.7, 0.0, 0.0]);
        assert!(part[0] * part[1] - part[3] * part[3] > -1e-12);
        assert!(part[0] > 1.0, "the part is no softer than the tensor");
        assert_eq!(positive_part(&[-1.0, -2.0, 0.0, 0.1, 0.0, 0.0]), [0.0; 6]);
    }
}
