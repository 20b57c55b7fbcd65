//! What nodes stand for by the triangles round them.
//!
//! ```text
//! A_a = (|ab|² cot γ + |ac|² cot β) / 8        the points of a triangle that are nearest to its corner a
//! ```
//!
//! A triangle with an obtuse angle gives half of its area to that corner and a quarter to each of the others.
//! Where two triangles are a rectangle, each corner of it gets a quarter, whichever diagonal cuts it: with a
//! third of each triangle instead, a block that a stream blows at would be pushed sideways.
//!
//! Implements: \[Meyer2003\] sect. 3.3 (mixed areas).

use super::BodyDescription;
use glam::DVec3;

/// Twice the area of a triangle as a vector, and the share of each corner in it.
#[inline(always)]
fn corner_shares([a, b, c]: [DVec3; 3]) -> (DVec3, [f64; 3]) {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let cross = ab.cross(ac);
    let squared = cross.length_squared();
    // Cosines times the lengths of both sides.
    let [at_a, at_b, at_c] = [ab.dot(ac), -ab.dot(bc), ac.dot(bc)];
    let shares = if at_a <= 0.0 {
        [0.5, 0.25, 0.25]
    } else if at_b <= 0.0 {
        [0.25, 0.5, 0.25]
    } else if at_c <= 0.0 {
        [0.25, 0.25, 0.5]
    } else {
        // cot = cosine / cross; by the area, |cross| / 2.
        let quarter = 0.25 / squared;
        let [ab, ac, bc] = [ab, ac, bc].map(|side| side.length_squared());
        [
            quarter * (ab * at_c + ac * at_b),
            quarter * (ab * at_c + bc * at_a),
            quarter * (ac * at_b + bc * at_a),
        ]
    };
    (cross, shares)
}

/// Area at rest that each node stands for, in square metres.
pub fn corner_areas(description: &BodyDescription, triangles: &[[u32; 3]]) -> Vec<f64> {
    let rest = &description.rest_positions;
    let mut extents = vec![0.0; rest.len()];
    for triangle in triangles {
        let (cross, shares) = corner_shares(triangle.map(|node| rest[node as usize]));
        let area = 0.5 * cross.length();
        // A triangle without area stands for nothing.
        if area > 0.0 {
            for (node, share) in triangle.iter().zip(shares) {
                extents[*node as usize] += share * area;
            }
        }
    }
    extents
}

/// The same of a sheet whose triangles give each corner a third of their mass.
pub fn third_areas(description: &BodyDescription, triangles: &[[u32; 3]]) -> Vec<f64> {
    let rest = &description.rest_positions;
    let mut extents = vec![0.0; rest.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|node| rest[node as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle
            .iter()
            .for_each(|node| extents[*node as usize] += third);
    }
    extents
}

/// Fills `normals` with the unit normals of triangles at their corners, weighted by the areas that the
/// corners stand for.
pub fn triangle_normals(triangles: &[[u32; 3]], positions: &[DVec3], normals: &mut [DVec3]) {
    normals.fill(DVec3::ZERO);
    for triangle in triangles {
        let (cross, shares) = corner_shares(triangle.map(|node| positions[node as usize]));
        if cross != DVec3::ZERO {
            for (node, share) in triangle.iter().zip(shares) {
                normals[*node as usize] += share * cross;
            }
        }
    }
    for normal in normals {
        *normal = normal.normalize_or_zero();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_one_and_are_those_of_the_nearest_points() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.9, 0.2)];
        let (_, shares) = corner_shares(corners);
        assert!(
            (shares.iter().sum::<f64>() - 1.0).abs() < 1e-14,
            "{shares:?}"
        );
        // A fine grid of points of the triangle, each with its nearest corner.
        let (n, mut counts, mut all) = (600, [0.0; 3], 0.0);
        for i in 0..n {
            for j in 0..n - i {
                let [u, v] = [i, j].map(|k| (f64::from(k) + 1.0 / 3.0) / f64::from(n));
                let at = u * corners[1] + v * corners[2];
                let distances = corners.map(|corner| corner.distance(at));
                let nearest = (0..3).min_by(|&a, &b| distances[a].total_cmp(&distances[b]));
                counts[nearest.unwrap()] += 1.0;
                all += 1.0;
            }
        }
        for (share, count) in shares.iter().zip(counts) {
            assert!((share - count / all).abs() < 0.005, "{shares:?} {counts:?}");
        }
    }

    /// A rectangle cut by either diagonal.
    #[test]
    fn the_diagonal_of_a_rectangle_does_not_matter() {
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let corners = [at(0.0, 0.0), at(2.0, 0.0), at(2.0, 0.7), at(0.0, 0.7)];
        for cut in [[[0, 1, 2], [0, 2, 3]], [[1, 2, 3], [1, 3, 0]]] {
            let mut sums = [0.0; 4];
            for triangle in cut {
                let (cross, shares) = corner_shares(triangle.map(|k| corners[k]));
                for (corner, share) in triangle.into_iter().zip(shares) {
                    sums[corner] += 0.5 * share * cross.length();
                }
            }
            for sum in sums {
                assert!((sum - 0.25 * 1.4).abs() < 1e-14, "{sums:?}");
            }
        }
    }
}
