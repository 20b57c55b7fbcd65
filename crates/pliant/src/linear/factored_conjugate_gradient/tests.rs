//! The preconditioner as a whole, and how many iterations it needs.

use super::*;
use crate::linear::single_fields::inner_product;
use crate::linear::test_systems::noise_vectors;
use crate::math::outer;
use glam::DMat3;

/// A lattice of springs with masses, four control points that hold its first layer, and, if asked
/// for, a hard floor under its last one.
fn system(n: usize, floor: f64) -> (BlockMatrix, Vec<DVec3>) {
    let index = |i: usize, j: usize, k: usize| i + n * (j + n * k);
    let (mut places, mut springs) = (Vec::new(), Vec::new());
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                places.push(DVec3::new(i as f64, j as f64, k as f64));
                let ends = [
                    [i + 1, j, k],
                    [i, j + 1, k],
                    [i, j, k + 1],
                    [i + 1, j + 1, k + 1],
                ];
                let inside = ends.into_iter().filter(|end| end.iter().all(|&x| x < n));
                springs.extend(inside.map(|[a, b, c]| (index(i, j, k), index(a, b, c))));
            }
        }
    }
    let nodes = places.len();
    for node in 0..n * n {
        springs.extend((0..4).map(|control| (node, nodes + control)));
    }
    springs.extend((0..4).flat_map(|a| (0..a).map(move |b| (nodes + a, nodes + b))));
    let mut matrix = BlockMatrix::new(nodes + 4, springs.iter().copied());
    for (index, &(a, b)) in springs.iter().enumerate() {
        let stiffness = if a >= nodes { 1e4 } else { 10.0 };
        let along = noise_vectors(index % 50 + 1)[index % 50].normalize();
        let block = (DMat3::IDENTITY * 0.2 + outer(along, along)) * stiffness;
        for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            matrix.add(row, column, block * sign);
        }
    }
    for node in 0..nodes + 4 {
        matrix.add(node, node, DMat3::IDENTITY);
    }
    for node in nodes - n * n..nodes {
        matrix.add(node, node, outer(DVec3::Z, DVec3::Z) * floor);
    }
    (matrix, places)
}

#[test]
fn the_whole_preconditioner_is_symmetric_and_positive() {
    for kind in [SolverKind::ConjugateGradient, SolverKind::Multigrid] {
        let (at_rest, places) = system(6, 0.0);
        let (matrix, _) = system(6, 3000.0);
        let mut method = FactoredConjugateGradient::new(kind, &matrix, &places).unwrap();
        method.prepare_metric(&at_rest).unwrap();
        method.place(&places);
        method.prepare(&matrix).unwrap();
        assert!(!method.stiff.is_empty() && !method.controls.is_empty());
        let count = matrix.node_count();
        let fields: Vec<Vec<DVec3>> = (0..5)
            .map(|skip| noise_vectors(count + skip)[skip..].to_vec())
            .collect();
        let mut answer = |field: &[DVec3]| {
            set_residual(&mut method.r, &mut method.z, |place| field[place]);
            method.apply_preconditioner();
            method.z[..count].to_vec()
        };
        let answers: Vec<Vec<Single>> = fields.iter().map(|field| answer(field)).collect();
        for a in 0..5 {
            let square = inner_product(&fields[a], &answers[a]);
            assert!(square > 0.0, "{kind:?}");
            for b in 0..a {
                let there = inner_product(&fields[a], &answers[b]);
                let back = inner_product(&fields[b], &answers[a]);
                // The factor is kept in 16 bits.
                assert!(
                    (there - back).abs() < 1e-3 * square,
                    "{kind:?}: {there} {back}"
                );
            }
        }
    }
}

#[test]
fn stiff_control_points_and_hard_floors_cost_few_iterations() {
    for kind in [SolverKind::ConjugateGradient, SolverKind::Multigrid] {
        let (at_rest, places) = system(9, 0.0);
        for floor in [0.0, 3e2, 3e4] {
            let (matrix, _) = system(9, floor);
            let mut method = FactoredConjugateGradient::new(kind, &matrix, &places).unwrap();
            method.prepare_metric(&at_rest).unwrap();
            method.place(&places);
            method.prepare(&matrix).unwrap();
            let rhs = noise_vectors(matrix.node_count());
            let mut x = vec![DVec3::ZERO; rhs.len()];
            let goal = Goal {
                residual: 1e-6 * dot(&rhs, &rhs).sqrt(),
                iterations: 500,
            };
            let iterations = method.solve(&matrix, &rhs, &mut x, goal).unwrap();
            let mut product = vec![DVec3::ZERO; rhs.len()];
            matrix.multiply(&x, &mut product);
            let missing: f64 = (product.iter().zip(&rhs))
                .map(|(a, b)| (*a - *b).length_squared())
                .sum();
            assert!(missing.sqrt() <= 1.5 * goal.residual, "{kind:?} {floor}");
            assert!(iterations <= 45, "{kind:?} {floor}: {iterations}");
        }
    }
}
