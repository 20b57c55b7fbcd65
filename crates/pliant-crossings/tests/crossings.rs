//! Known configurations, and the grid against brute force.

use glam::DVec3;
use pliant_crossings::{
    Crossing, CrossingsError, crossings, crossings_by_brute_force, segment_meets_triangle,
};

const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// The answer for a segment and a triangle in every order of their points, moved and turned by
/// amounts that round nothing.
fn meets(segment: [DVec3; 2], triangle: [DVec3; 3]) -> bool {
    let [p, q] = segment;
    let [a, b, c] = triangle;
    let mut answers = Vec::new();
    for corners in [
        [a, b, c],
        [b, c, a],
        [c, a, b],
        [a, c, b],
        [c, b, a],
        [b, a, c],
    ] {
        for ends in [[p, q], [q, p]] {
            for turned in 0..3 {
                let place = |point: DVec3| {
                    let turned_point = v(
                        point[turned],
                        point[(turned + 1) % 3],
                        point[(turned + 2) % 3],
                    );
                    4.0 * turned_point
                };
                answers.push(segment_meets_triangle(ends.map(place), corners.map(place)));
            }
        }
    }
    assert!(
        answers.iter().all(|&answer| answer == answers[0]),
        "{answers:?}"
    );
    answers[0]
}

#[test]
fn a_segment_through_the_inside_crosses() {
    assert!(meets([v(0.25, 0.25, -1.0), v(0.25, 0.25, 1.0)], TRIANGLE));
    assert!(meets([v(0.0, 0.5, -0.5), v(0.5, 0.0, 1.0)], TRIANGLE));
}

#[test]
fn a_segment_beside_above_or_short_of_it_does_not() {
    assert!(!meets([v(0.75, 0.75, -1.0), v(0.75, 0.75, 1.0)], TRIANGLE));
    assert!(!meets(
        [v(0.25, 0.25, 1e-300), v(0.25, 0.25, 1.0)],
        TRIANGLE
    ));
    assert!(!meets([v(-1.0, 0.25, 0.5), v(2.0, 0.25, 0.5)], TRIANGLE));
    assert!(!meets([v(0.25, 0.25, 1.0), v(0.25, 0.25, 0.125)], TRIANGLE));
}

#[test]
fn touching_counts_whatever_touches() {
    // An end inside, on a side, on a corner.
    assert!(meets([v(0.25, 0.25, 0.0), v(0.0, 0.0, 1.0)], TRIANGLE));
    assert!(meets([v(0.5, 0.0, 0.0), v(0.5, -1.0, 1.0)], TRIANGLE));
    assert!(meets([v(1.0, 0.0, 0.0), v(2.0, 0.0, 1.0)], TRIANGLE));
    // The middle on a side, on a corner.
    assert!(meets([v(0.5, 0.0, -1.0), v(0.5, 0.0, 1.0)], TRIANGLE));
    assert!(meets([v(0.0, 0.0, -1.0), v(0.0, 0.0, 1.0)], TRIANGLE));
    assert!(meets([v(1.0, -1.0, -1.0), v(1.0, 1.0, 1.0)], TRIANGLE));
}

#[test]
fn the_last_bit_decides() {
    // 2^-52 and 2^-53 beside the sides x = 0 and x + y = 1.
    let small = f64::EPSILON;
    for (beside, expected) in [(0.0, true), (-1e-300, false), (1e-300, true)] {
        assert_eq!(
            meets([v(beside, 0.5, -1.0), v(beside, 0.5, 1.0)], TRIANGLE),
            expected
        );
    }
    for (x, expected) in [
        (0.5, true),
        (0.5 + small / 2.0, false),
        (0.5 - small / 4.0, true),
    ] {
        assert_eq!(meets([v(x, 0.5, -1.0), v(x, 0.5, 1.0)], TRIANGLE), expected);
    }
}

#[test]
fn segments_in_the_plane_cross_where_they_overlap() {
    assert!(meets([v(0.125, 0.125, 0.0), v(0.25, 0.25, 0.0)], TRIANGLE)); // inside
    assert!(meets([v(-1.0, 0.25, 0.0), v(2.0, 0.25, 0.0)], TRIANGLE)); // across
    assert!(meets([v(-1.0, 0.25, 0.0), v(0.25, 0.25, 0.0)], TRIANGLE)); // into
    assert!(meets([v(-1.0, 0.0, 0.0), v(2.0, 0.0, 0.0)], TRIANGLE)); // along a side
    assert!(meets([v(0.25, 0.0, 0.0), v(0.5, 0.0, 0.0)], TRIANGLE)); // part of a side
    assert!(meets([v(-1.0, 1.0, 0.0), v(1.0, -1.0, 0.0)], TRIANGLE)); // through a corner only
    assert!(!meets([v(-1.0, 0.5, 0.0), v(0.5, -1.0, 0.0)], TRIANGLE));
    assert!(!meets([v(2.0, 0.0, 0.0), v(3.0, 0.0, 0.0)], TRIANGLE)); // on the line of a side
}

#[test]
fn degenerate_triangles_and_segments_are_what_they_are() {
    let line = [DVec3::ZERO, v(1.0, 1.0, 1.0), v(0.5, 0.5, 0.5)];
    assert!(meets([v(0.25, 0.25, -1.0), v(0.25, 0.25, 1.0)], line));
    assert!(!meets([v(0.25, 0.5, -1.0), v(0.25, 0.5, 1.0)], line));
    assert!(meets([v(0.75, 0.75, 0.75), v(2.0, 2.0, 2.0)], line));
    assert!(!meets([v(1.5, 1.5, 1.5), v(2.0, 2.0, 2.0)], line));
    let point = [DVec3::ONE; 3];
    assert!(meets([DVec3::ZERO, v(2.0, 2.0, 2.0)], point));
    assert!(meets([DVec3::ONE, DVec3::ONE], point));
    assert!(!meets([DVec3::ZERO, v(2.0, 2.0, 2.5)], point));
    // A segment that is a point.
    assert!(meets([v(0.25, 0.25, 0.0); 2], TRIANGLE));
    assert!(!meets([v(0.25, 0.25, 1e-300); 2], TRIANGLE));
    assert!(!meets([v(0.75, 0.75, 0.0); 2], TRIANGLE));
}

#[test]
fn bad_input_is_refused() {
    let mut positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];
    let missing = crossings(&positions, &[[0, 1, 2]], &[[3, 7]]);
    assert_eq!(
        missing,
        Err(CrossingsError::Missing {
            vertex: 7,
            vertices: 5
        })
    );
    positions[4].y = f64::NAN;
    let error = crossings(&positions, &[[0, 1, 2]], &[[3, 4]]).unwrap_err();
    assert_eq!(error.to_string(), "the position of vertex 4 is not finite");
    // A vertex that nothing uses may be anywhere.
    assert_eq!(crossings(&positions, &[[0, 1, 2]], &[]), Ok(vec![]));
}

/// Whole numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % count
    }
}

/// Features between points of a lattice that is so coarse that many touch and lie in one plane, or
/// so fine that few do.
fn soup(random: &mut Random, steps: u64, count: u32) -> (Vec<DVec3>, Vec<[u32; 3]>, Vec<[u32; 2]>) {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let mut edges = Vec::new();
    for feature in 0..count {
        let size = if feature % 50 == 0 {
            steps
        } else {
            steps.div_ceil(8) + 1
        };
        let base = [0; 3].map(|_: u64| random.below(steps));
        let first = positions.len() as u32;
        for _ in 0..3 {
            let place = base.map(|base| (base + random.below(size)) as f64);
            positions.push(DVec3::from(place) * 0.125 - DVec3::splat(0.7));
        }
        triangles.push([first, first + 1, first + 2]);
        edges.push([first, first + 1]);
        edges.push([random.below(u64::from(first) + 3) as u32, first + 2]);
    }
    (positions, triangles, edges)
}

#[test]
fn grid_and_brute_force_agree() {
    let mut random = Random(11);
    let mut total = 0;
    for steps in [3, 6, 20, 1 << 20] {
        for count in [40, 300] {
            let (positions, triangles, edges) = soup(&mut random, steps, count);
            let all = crossings_by_brute_force(&positions, &triangles, &edges).unwrap();
            let found = crossings(&positions, &triangles, &edges).unwrap();
            assert_eq!(found, all, "{steps} steps, {count} features");
            total += all.len();
        }
    }
    assert!(total > 1000, "{total}");
}

#[test]
fn a_folded_sheet_crosses_itself_only_when_pushed_through() {
    // Two sheets of 16 x 16 cells, one over the other.
    let side = 17;
    let mut triangles = Vec::new();
    let mut edges = Vec::new();
    for sheet in 0..2 {
        let node = |i: u32, j: u32| sheet * side * side + i * side + j;
        for i in 0..side - 1 {
            for j in 0..side - 1 {
                let [a, b, c, d] = [
                    node(i, j),
                    node(i + 1, j),
                    node(i + 1, j + 1),
                    node(i, j + 1),
                ];
                triangles.extend([[a, b, c], [a, c, d]]);
                edges.extend([[a, b], [a, c], [a, d]]);
            }
        }
    }
    let wave = |x: f64, y: f64| (7.0 * x).sin() * (5.0 * y).cos();
    let place = |gap: f64| -> Vec<DVec3> {
        let height = |sheet: u32, x: f64, y: f64| wave(x, y) + gap * f64::from(sheet);
        (0..2 * side * side)
            .map(|k| {
                let (sheet, i, j) = (k / (side * side), k / side % side, k % side);
                let (x, y) = (f64::from(i) / 16.0, f64::from(j) / 16.0);
                v(x, y, height(sheet, x, y))
            })
            .collect()
    };
    assert_eq!(crossings(&place(1e-9), &triangles, &edges).unwrap(), []);
    // One node of the upper sheet is pushed through the lower one: its edges cross.
    let mut pushed = place(0.01);
    let node = side * side + 8 * side + 8;
    pushed[node as usize].z -= 0.02;
    let found = crossings(&pushed, &triangles, &edges).unwrap();
    let expected = crossings_by_brute_force(&pushed, &triangles, &edges).unwrap();
    assert_eq!(found, expected);
    let crossing_edges: Vec<usize> = found.iter().map(|&Crossing { edge, .. }| edge).collect();
    assert!(
        crossing_edges
            .iter()
            .any(|&edge| edges[edge].contains(&node))
    );
    // The two sheets in the same place: every inner edge lies in triangles of the other.
    assert!(crossings(&place(0.0), &triangles, &edges).unwrap().len() > 4 * edges.len());
}
