//! Closest points: weights are what they say, no other points are closer, the weights give the
//! gradient, degenerate features are no exception.

use super::exact::queries::Random;
use glam::DVec3;
use pliant_proximity::{Closest, Pair, PairKind, closest, smallest_distance};

fn vector(found: &Closest, points: &[DVec3; 4]) -> DVec3 {
    let terms = found.weights.iter().zip(points);
    terms.map(|(&weight, &point)| weight * point).sum()
}

fn size(points: &[DVec3; 4]) -> f64 {
    points
        .iter()
        .map(|point| (*point - points[0]).length())
        .fold(0.0, f64::max)
}

#[test]
fn weights_belong_to_the_features_and_give_the_distance() {
    let mut random = Random::new(3);
    for index in 0..50_000 {
        let query = random.query(index);
        let (kind, points) = (query.kind, query.from.map(|p| p - query.from[0]));
        let found = closest(kind, &points);
        let (first, second) = found.weights.split_at(kind.first_count());
        let context = || format!("{kind:?} {points:?} {found:?}");
        assert!(first.iter().all(|&w| w >= 0.0), "{}", context());
        assert!(second.iter().all(|&w| w <= 0.0), "{}", context());
        assert!((first.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert!((second.iter().sum::<f64>() + 1.0).abs() < 1e-14);
        assert!(found.weights[kind.node_count()..].iter().all(|&w| w == 0.0));
        let distance = found.squared_distance.sqrt();
        let error = (vector(&found, &points).length() - distance).abs();
        assert!(error <= 1e-11 * size(&points), "{error}: {}", context());
        // Weak duality: the distance is at most that of any two points of the features, and at
        // least the separation along any direction.
        let direction = vector(&found, &points).normalize_or_zero();
        let along = points.map(|point| direction.dot(point));
        let nearest = along[..kind.first_count()]
            .iter()
            .fold(f64::MAX, |a, &b| a.min(b));
        let farthest = along[kind.first_count()..kind.node_count()]
            .iter()
            .fold(f64::MIN, |a, &b| a.max(b));
        if distance > 1e-5 * size(&points) {
            let gap = distance - (nearest - farthest);
            assert!(
                gap <= 1e-6 * size(&points),
                "not the closest by {gap}: {}",
                context()
            );
        }
    }
}

#[test]
fn known_distances() {
    let v = DVec3::new;
    let triangle = |p: DVec3| {
        let points = [p, DVec3::ZERO, 2.0 * DVec3::X, 2.0 * DVec3::Y];
        closest(PairKind::PointTriangle, &points)
    };
    assert_eq!(triangle(v(0.5, 0.5, 3.0)).squared_distance, 9.0);
    assert_eq!(
        triangle(v(0.5, 0.5, 3.0)).weights,
        [1.0, -0.5, -0.25, -0.25]
    );
    assert_eq!(triangle(v(-1.0, -1.0, 0.0)).weights, [1.0, -1.0, 0.0, 0.0]);
    assert_eq!(triangle(v(1.0, -2.0, 0.0)).weights, [1.0, -0.5, -0.5, 0.0]);
    assert_eq!(triangle(v(2.0, 2.0, 0.0)).squared_distance, 2.0);
    let edges = |a: [DVec3; 2], b: [DVec3; 2]| {
        closest(PairKind::EdgeEdge, &[a[0], a[1], b[0], b[1]]).squared_distance
    };
    let along = [DVec3::ZERO, DVec3::X];
    assert_eq!(edges(along, [v(0.5, -1.0, 2.0), v(0.5, 1.0, 2.0)]), 4.0);
    // Parallel, beside each other, one behind the other, in one line and overlapping.
    assert_eq!(edges(along, [v(0.5, 1.0, 0.0), v(3.0, 1.0, 0.0)]), 1.0);
    assert_eq!(edges(along, [v(3.0, 0.0, 0.0), v(2.0, 0.0, 0.0)]), 1.0);
    assert_eq!(edges(along, [v(0.5, 0.0, 0.0), v(2.0, 0.0, 0.0)]), 0.0);
    // Edges and triangles without length.
    assert_eq!(edges([DVec3::Z; 2], along), 1.0);
    assert_eq!(edges([DVec3::Z; 2], [DVec3::X; 2]), 2.0);
    let collapsed = [DVec3::Z, DVec3::ZERO, DVec3::X, 0.5 * DVec3::X];
    assert_eq!(
        closest(PairKind::PointTriangle, &collapsed).squared_distance,
        1.0
    );
    let point = [DVec3::Z, DVec3::X, DVec3::X, DVec3::X];
    assert_eq!(
        closest(PairKind::PointTriangle, &point).squared_distance,
        2.0
    );
    assert_eq!(closest(PairKind::PointEdge, &point).squared_distance, 2.0);
}

#[test]
fn weights_give_the_gradient_of_the_squared_distance() {
    let mut random = Random::new(8);
    for index in 0..400 {
        // Points in general position.
        let query = random.query(10 * index);
        let (kind, points) = (query.kind, query.from);
        let found = closest(kind, &points);
        let vector = vector(&found, &points);
        for node in 0..kind.node_count() {
            for axis in 0..3 {
                let step = 1e-5;
                let at = |sign: f64| {
                    let mut moved = points;
                    moved[node][axis] += sign * step;
                    closest(kind, &moved).squared_distance
                };
                let difference = (at(1.0) - at(-1.0)) / (2.0 * step);
                let slope = 2.0 * found.weights[node] * vector[axis];
                // The second derivative jumps where another feature becomes the closest.
                assert!(
                    (difference - slope).abs() < 1e-3,
                    "{difference} {slope} {query:?}"
                );
            }
        }
    }
}

#[test]
fn the_smallest_distance_of_a_list() {
    let positions = [DVec3::ZERO, DVec3::X, 5.0 * DVec3::X, 5.5 * DVec3::X];
    let pairs = [
        Pair::point_point(0, 1),
        Pair::point_point(2, 3),
        Pair::point_point(1, 2),
    ];
    let found = smallest_distance(&pairs, &positions);
    assert_eq!(found, Some((pairs[1], 0.5)));
    assert_eq!(smallest_distance(&[], &positions), None);
}
