//! The kernels against the stencils.

use super::*;
use crate::linear::GridMatrix;

#[test]
fn the_kernels_agree_with_the_stencils() {
    // The second one takes more than one part.
    for counts in [[7, 6], [61, 57]] {
        compare_lanes(&Grid::new(&counts, &[false, false]));
    }
}

fn compare_lanes(grid: &Grid) {
    let count = grid.node_count();
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|c| {
            let [u, v, _] = grid.material_coordinates(c);
            DVec3::new(2.0 * u, 1.5 * v + 0.2 * u, 0.3 * (3.0 * u).sin() * v)
        })
        .collect();
    let positions: Vec<DVec3> = rest
        .iter()
        .enumerate()
        .map(|(i, x)| {
            let t = i as f64;
            *x + 0.1 * DVec3::new((5.1 * t).sin(), (3.7 * t).cos(), (7.3 * t).sin())
        })
        .collect();
    let weights = Weights::uniform(count, 2.0, 0.3, 0.0);
    let mut published = PublishedElasticity::new(grid, &rest, &weights, PublishedForm::Stable);
    let evaluate = |published: &mut PublishedElasticity| {
        let mut gradient = vec![DVec3::ZERO; count];
        let mut matrix = GridMatrix::new(grid, published.steps());
        published.evaluate_and_add_gradient(&positions, &positions, &mut gradient);
        published.set_implicit_stiffness(&mut matrix);
        (gradient, matrix)
    };
    assert!(published.lanes.is_some());
    let (fast, fast_matrix) = evaluate(&mut published);
    published.lanes = None;
    let (slow, slow_matrix) = evaluate(&mut published);
    let size = slow.iter().map(|f| f.length()).fold(0.0, f64::max);
    for (a, b) in fast.iter().zip(&slow) {
        assert!((*a - *b).length() < 1e-11 * size, "{a} and {b}");
    }
    for slot in 0..slow_matrix.offsets().len() {
        let (a, b) = (fast_matrix.values(slot), slow_matrix.values(slot));
        for node in 0..count {
            let scale = slow_matrix.values(slow_matrix.diagonal_of(0).unwrap())[node];
            assert!(
                (a[node] - b[node]).abs() < 1e-9 * scale,
                "slot {slot} node {node}"
            );
        }
    }
}
