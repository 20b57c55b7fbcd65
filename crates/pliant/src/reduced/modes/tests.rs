//! Chains against the book.

use super::*;

/// A chain of masses between two walls that moves along x, y and z alike:
/// ω = 2 √(k/m) sin(π j / (2 (n + 1))), three times each.
#[test]
fn a_chain_has_the_frequencies_of_the_book() {
    let n = 400;
    let mut matrix = BlockMatrix::new(n, (1..n).map(|i| (i - 1, i)));
    for i in 0..n {
        matrix.add(i, i, DMat3::from_diagonal(DVec3::splat(2.0 * 50.0)));
        if i > 0 {
            let block = DMat3::from_diagonal(DVec3::splat(-50.0));
            matrix.add(i, i - 1, block);
            matrix.add(i - 1, i, block);
        }
    }
    let modes = lowest_modes(&matrix, &vec![0.2; n], &vec![false; n], &[], 24).unwrap();
    for (k, square) in modes.squares.iter().enumerate() {
        let angle = std::f64::consts::PI * (k / 3 + 1) as f64 / (2.0 * (n + 1) as f64);
        let expected = 4.0 * 250.0 * angle.sin().powi(2);
        assert!(
            (square / expected - 1.0).abs() < 1e-9,
            "{k}: {square} {expected}"
        );
    }
    for (i, a) in modes.shapes.iter().enumerate() {
        for (j, b) in modes.shapes.iter().enumerate() {
            let product = 0.2 * dot(a, b);
            assert!((product - f64::from(i == j)).abs() < 1e-10, "{i} {j}");
        }
    }
}

/// Bodies that fall apart have as many modes without a frequency as parts.
#[test]
fn many_modes_of_no_frequency_are_all_found() {
    let n = 300;
    let mut matrix = BlockMatrix::new(n, std::iter::empty());
    for i in 30..n {
        let value = 1.0 + i as f64;
        matrix.add(i, i, DMat3::from_diagonal(DVec3::splat(value)));
    }
    let modes = lowest_modes(&matrix, &vec![1.0; n], &vec![false; n], &[], 93).unwrap();
    assert!(modes.squares[..90].iter().all(|square| square.abs() < 1e-9));
    for square in &modes.squares[90..] {
        assert!((square - 31.0).abs() < 1e-6, "{square}");
    }
}
