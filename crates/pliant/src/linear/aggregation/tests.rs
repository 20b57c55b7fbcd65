//! The cycle is a symmetric positive definite preconditioner that converges at a rate which does not
//! depend on the size.

use super::*;
use crate::linear::test_systems::noise_vectors;
use glam::DMat3;

/// Nodes of a lattice with springs of given stiffness along the axes, and anchors.
fn lattice(counts: [usize; 3], stiffness: DVec3, anchor: f64) -> (BlockMatrix, Vec<DVec3>) {
    let index = |i, j, k| i + counts[0] * (j + counts[1] * k);
    let (mut places, mut couplings) = (Vec::new(), Vec::new());
    for k in 0..counts[2] {
        for j in 0..counts[1] {
            for i in 0..counts[0] {
                places.push(DVec3::new(i as f64, j as f64, k as f64));
                let ends = [[i + 1, j, k], [i, j + 1, k], [i, j, k + 1]];
                for (d, [a, b, c]) in ends.into_iter().enumerate() {
                    if a < counts[0] && b < counts[1] && c < counts[2] {
                        couplings.push((index(i, j, k), index(a, b, c), stiffness[d]));
                    }
                }
            }
        }
    }
    let pairs = couplings.iter().map(|&(a, b, _)| (a, b));
    let mut matrix = BlockMatrix::new(places.len(), pairs);
    for &(a, b, stiffness) in &couplings {
        for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            matrix.add(row, column, DMat3::IDENTITY * (sign * stiffness));
        }
    }
    for node in 0..places.len() {
        matrix.add(node, node, DMat3::IDENTITY * anchor);
    }
    (matrix, places)
}

fn singles(values: &[DVec3]) -> Vec<Single> {
    let single = |v: &DVec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
    values.iter().map(single).chain([[0.0; 4]]).collect()
}

fn product(a: &[Single], b: &[Single]) -> f64 {
    let terms = a
        .iter()
        .zip(b)
        .flat_map(|(a, b)| (0..3).map(|c| f64::from(a[c]) * f64::from(b[c])));
    terms.sum()
}

/// The factor by which a cycle shortens the residual, in the mean of the later cycles.
fn contraction(multigrid: &mut ScalarMultigrid, count: usize) -> f64 {
    let b = singles(&noise_vectors(count));
    let mut x = vec![[0.0; 4]; count + 1];
    let mut residual = b.clone();
    let mut sizes = Vec::new();
    for _ in 0..8 {
        sizes.push(product(&residual, &residual).sqrt());
        let mut change = residual.clone();
        multigrid.solve_in_place(&mut change);
        for (x, change) in x.iter_mut().zip(&change) {
            *x = std::array::from_fn(|c| x[c] + change[c]);
        }
        multigrid.levels[0].residual_of(&b[..count], &x[..count], &mut residual[..count]);
    }
    (sizes[6] / sizes[2]).powf(0.25)
}

#[test]
fn cycles_converge_at_a_rate_that_does_not_depend_on_the_size() {
    // Where one direction is much stiffer, groups are rows: three nodes become one.
    let uneven = DVec3::new(100.0, 1.0, 1.0);
    for (stiffness, bound, most) in [(DVec3::ONE, 0.45, 1.6), (uneven, 0.6, 3.5)] {
        for n in [12, 24, 40] {
            let (matrix, places) = lattice([n, n, n], stiffness, 1e-3);
            let mut multigrid = ScalarMultigrid::new(&matrix, &places);
            multigrid.refill(&matrix, 0.3).unwrap();
            let rate = contraction(&mut multigrid, places.len());
            assert!(rate < bound, "{n} {stiffness}: {rate}");
            // Storage and work of all levels stay a small multiple of the first.
            assert!(multigrid.complexity() < most, "{}", multigrid.complexity());
        }
    }
}

#[test]
fn a_cycle_is_symmetric_and_positive() {
    let (mut matrix, places) = lattice([15, 9, 11], DVec3::new(1.0, 30.0, 0.2), 1e-2);
    // Some nodes are held, a row of them cuts the body in two.
    let held: Vec<bool> = places.iter().map(|x| x.x == 7.0 || x.y == 0.0).collect();
    matrix.pin(&held);
    let mut multigrid = ScalarMultigrid::new(&matrix, &places);
    multigrid.refill(&matrix, 1.0).unwrap();
    let count = places.len();
    let fields: Vec<Vec<Single>> = (0..4)
        .map(|skip| singles(&noise_vectors(count + skip)[skip..]))
        .collect();
    let answers: Vec<Vec<Single>> = fields
        .iter()
        .map(|field| {
            let mut answer = field.clone();
            multigrid.solve_in_place(&mut answer);
            answer[count] = [0.0; 4];
            answer
        })
        .collect();
    for a in 0..4 {
        assert!(product(&fields[a], &answers[a]) > 0.0);
        for b in 0..a {
            let [ab, ba] = [
                product(&fields[a], &answers[b]),
                product(&fields[b], &answers[a]),
            ];
            let size = product(&fields[a], &answers[a]);
            assert!((ab - ba).abs() < 1e-5 * size, "{ab} {ba}");
        }
    }
}

#[test]
fn small_disconnected_and_loose_systems_are_solved() {
    // A single node; a row of nodes; nodes without any coupling.
    for (counts, stiffness) in [([1, 1, 1], 1.0), ([9, 1, 1], 5.0), ([7, 7, 7], 0.0)] {
        let (matrix, places) = lattice(counts, DVec3::splat(stiffness), 2.0);
        let mut multigrid = ScalarMultigrid::new(&matrix, &places);
        multigrid.refill(&matrix, 1.0).unwrap();
        let count = places.len();
        let b = singles(&noise_vectors(count));
        let mut x = b.clone();
        multigrid.solve_accurately(&mut x);
        let order = multigrid.order().to_vec();
        let place: Vec<usize> = (0..count as u32)
            .map(|row| order.iter().position(|&other| other == row).unwrap())
            .collect();
        for (position, &row) in order.iter().enumerate() {
            let mut sum = 0.0;
            for slot in matrix.row_range(row as usize) {
                let value = matrix.block(slot).x_axis.x;
                sum += value * f64::from(x[place[matrix.column(slot)]][0]);
            }
            assert!((sum - f64::from(b[position][0])).abs() < 0.05, "{counts:?}");
        }
    }
}

#[test]
fn matrices_that_are_not_positive_or_not_finite_are_refused() {
    let (mut matrix, places) = lattice([8, 8, 8], DVec3::ONE, 1.0);
    let mut multigrid = ScalarMultigrid::new(&matrix, &places);
    matrix.add(77, 77, DMat3::IDENTITY * -1e3);
    let refused = multigrid.refill(&matrix, 1.0);
    assert_eq!(refused, Err(LinearError::NotPositiveDefinite { row: 77 }));
    matrix.add(77, 77, DMat3::IDENTITY * f64::NAN);
    assert_eq!(multigrid.refill(&matrix, 1.0), Err(LinearError::NotFinite));
}
