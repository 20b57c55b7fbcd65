//! Tests of the kernels of open surfaces, against the terms that they stand for.

use super::*;
use crate::elastic::measure::MeasureKind;
use crate::elastic::{TermGroup, primal_terms};
use crate::energy::Curvature;
use crate::linear::NodeBlocks;
use glam::DMat3;

/// A number between -1 and 1 that looks random.
fn noise(seed: usize) -> f64 {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)) % 20_011) as f64 / 10_005.5 - 1.0
}

#[test]
fn the_kernels_agree_with_the_terms() {
    compare([9, 7]);
}

#[test]
fn the_kernels_agree_with_the_terms_over_several_bands() {
    compare([21, 40]);
}

fn compare(counts: [usize; 2]) {
    let grid = Grid::new(&counts, &[false, false]);
    let count = grid.node_count();
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|c| {
            let [u, v, _] = grid.material_coordinates(c);
            DVec3::new(2.0 * u, 1.5 * v + 0.2 * u, 0.4 * (3.0 * u).sin() * v)
        })
        .collect();
    let positions: Vec<DVec3> = rest
        .iter()
        .enumerate()
        .map(|(i, x)| *x + 0.08 * DVec3::new(noise(3 * i), noise(3 * i + 1), noise(3 * i + 2)))
        .collect();
    for (rigidity, poisson) in [(0.0, 0.0), (0.3, 0.0), (0.3, 0.4), (0.3, -0.4)] {
        let mut weights = Weights::uniform(count, 2.0, rigidity, 0.0);
        weights.poisson = poisson;
        for node in 0..count {
            weights.tensions[node][0][1] *= 1.0 + 0.3 * noise(node);
            weights.tensions[node][1][1] *= 1.0 + 0.2 * noise(node + 7);
            weights.rigidities[node][0][0] *= 1.0 + 0.3 * noise(node + 9);
        }
        let groups = primal_terms(&grid, &rest, &weights);
        let mut expected = vec![DVec3::ZERO; count];
        let mut expected_weights = vec![0.0; 3 * count];
        for group in &groups {
            group.add_gradient_and_majorant(&positions, &mut expected, &mut expected_weights);
        }
        let mut lanes = SurfaceLanes::new(&grid, &rest, &weights).unwrap();
        lanes.evaluate(&positions);
        let energy: f64 = groups.iter().map(|group| group.energy(&positions)).sum();
        assert!((lanes.energy() - energy).abs() < 1e-12 * energy);
        let known = lanes.energy();
        lanes.known.clear();
        assert_eq!(lanes.energy_alone(&positions), known);
        lanes.evaluate(&positions);
        let mut gradient = vec![DVec3::ZERO; count];
        lanes.add_gradient(&mut gradient);
        let size = expected.iter().map(|f| f.length()).fold(0.0, f64::max);
        for (node, (a, b)) in gradient.iter().zip(&expected).enumerate() {
            assert!(
                (*a - *b).length() < 1e-11 * size,
                "node {node}: {a} and {b}"
            );
        }
        compare_hessians(groups, &mut lanes, &grid, [&rest, &positions]);
        for direction in 0..2 {
            let scale = lanes.edges.inverse_spacing[direction].powi(2);
            let found = lanes.forces.weights[direction].values(&lanes.edges.layout);
            for node in 0..count {
                let (a, b) = (scale * found[node], expected_weights[3 * node + direction]);
                assert!(
                    (a - b).abs() <= 1e-9 * b,
                    "edge {node} {direction}: {a} and {b}"
                );
            }
        }
    }
}

/// Where every cell is stretched, the positive Hessian has all that stress adds; elsewhere it is positive, and not
/// less than what the terms add up to.
fn compare_hessians(
    mut groups: Vec<Box<dyn TermGroup>>,
    lanes: &mut SurfaceLanes,
    grid: &Grid,
    [rest, positions]: [&[DVec3]; 2],
) {
    let mut couplings = Vec::new();
    for group in &groups {
        group.couplings(&mut |i, j| couplings.push((i, j)));
    }
    let empty = BlockMatrix::new(grid.node_count(), couplings.into_iter());
    lanes.attach(grid, &empty);
    let mut both = |x: &[DVec3]| {
        let (mut terms, mut found) = (empty.clone(), empty.clone());
        for group in &mut groups {
            let mut curvature = Curvature::Positive;
            group.describe(&mut |term| {
                if matches!(term.kind, MeasureKind::Metric | MeasureKind::Shear) {
                    curvature = Curvature::Full;
                }
            });
            group.prepare_hessian(&terms);
            group.add_hessian(x, curvature, &mut terms);
        }
        lanes.add_hessian(x, &mut found);
        (terms, found)
    };
    let size = |block: &DMat3| {
        let entries = block.to_cols_array().into_iter();
        entries.fold(0.0, |a: f64, b| a.max(b.abs()))
    };
    let [along, across] = [1, grid.counts()[0]].map(|next| rest[0].distance(rest[next]));
    let stretched: Vec<DVec3> = rest
        .iter()
        .zip(positions)
        .map(|(rest, x)| 1.5 * *rest + 0.5 * along.min(across) * (*x - *rest))
        .collect();
    let (terms, found) = both(&stretched);
    let largest = terms.blocks().iter().map(size).fold(0.0, f64::max);
    for (slot, (a, b)) in found.blocks().iter().zip(terms.blocks()).enumerate() {
        let column = found.column(slot);
        assert!(
            size(&(*a - *b)) <= 1e-11 * largest,
            "column {column}: {a} and {b}"
        );
    }
    let (terms, found) = both(positions);
    let largest = found.blocks().iter().map(size).fold(0.0, f64::max);
    let mut products = vec![DVec3::ZERO; positions.len()];
    for seed in 0..20 {
        let number = |node: usize, d: usize| noise(3 * (node + 7919 * seed) + d);
        let nodes = 0..positions.len();
        let v: Vec<DVec3> = nodes
            .map(|node| DVec3::new(number(node, 0), number(node, 1), number(node, 2)))
            .collect();
        let mut form = |matrix: &BlockMatrix| {
            matrix.multiply(&v, &mut products);
            v.iter().zip(&products).map(|(v, p)| v.dot(*p)).sum::<f64>()
        };
        let (of_terms, of_lanes) = (form(&terms), form(&found));
        assert!(of_lanes >= of_terms.max(0.0) - 1e-10 * largest);
    }
    compare_stencil(lanes, positions, &found, largest);
}

/// The Hessian in single precision is that of double precision, and so are its products.
fn compare_stencil(
    lanes: &mut SurfaceLanes,
    positions: &[DVec3],
    matrix: &BlockMatrix,
    largest: f64,
) {
    let count = positions.len();
    let mut stencil = lanes.stencil().unwrap();
    // Filled twice: nothing of the first time is left.
    let other: Vec<DVec3> = positions.iter().map(|x| 0.7 * *x).collect();
    lanes.fill_stencil(&other, &other, &mut stencil);
    lanes.fill_stencil(positions, positions, &mut stencil);
    let inertia = DMat3::from_diagonal(DVec3::new(0.1, 0.2, 0.3) * largest);
    let numbers: Vec<f64> = (0..3 * count).map(noise).collect();
    let x: Vec<DVec3> = numbers.chunks(3).map(DVec3::from_slice).collect();
    let mut expected = vec![DVec3::ZERO; count];
    matrix.multiply(&x, &mut expected);
    for (node, v) in x.iter().enumerate() {
        stencil.set_added(node, inertia);
        let diagonal = *matrix.block(matrix.diagonal_slot(node)) + inertia;
        assert!((stencil.diagonal_block(node) * *v - diagonal * *v).length() < 1e-12 * largest);
        let mut sum = DVec3::ZERO;
        stencil.visit_row(node, *v, |other, pull| {
            let slot = matrix.slot(node, other);
            let block = slot.map_or(DMat3::ZERO, |slot| *matrix.block(slot));
            let difference = pull - block.transpose() * *v;
            assert!(difference.length() < 1e-6 * largest, "{node} {other}");
            sum += pull;
        });
        assert!((sum + *matrix.block(matrix.diagonal_slot(node)) * *v).length() < 1e-5 * largest);
    }
    stencil.finish();
    let (mut single, mut product) = (stencil.field(), stencil.field());
    single.fill_from(&x, stencil.room(), 1.0);
    stencil.multiply(&single, &mut product);
    for (node, (expected, x)) in expected.iter().zip(&x).enumerate() {
        let expected = *expected + inertia * *x;
        let found = product.get(stencil.room() + node);
        assert!((found - expected).length() < 1e-5 * largest, "{node}");
    }
}
