//! What nodes stand for by the triangles round them.

use super::BodyDescription;
use glam::DVec3;

/// Area at rest that each node stands for: a third of each triangle for each of its corners.
pub fn third_parts(description: &BodyDescription, triangles: &[[u32; 3]]) -> Vec<f64> {
    let rest = &description.rest_positions;
    let mut extents = vec![0.0; rest.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|node| rest[node as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        for node in *triangle {
            extents[node as usize] += area / 3.0;
        }
    }
    extents
}

/// Fills `normals` with the unit normals of triangles at their corners, weighted by area.
pub fn triangle_normals(triangles: &[[u32; 3]], positions: &[DVec3], normals: &mut [DVec3]) {
    normals.fill(DVec3::ZERO);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|node| positions[node as usize]);
        let area = (b - a).cross(c - a);
        for node in *triangle {
            normals[node as usize] += area;
        }
    }
    for normal in normals {
        *normal = normal.normalize_or_zero();
    }
}
