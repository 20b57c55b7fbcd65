//! Normals at the nodes of a triangle surface.

use glam::DVec3;

/// Unit normal at each node: the mean of its triangles, weighted by their areas. Nodes without a
/// proper triangle get one that points up.
pub(crate) fn node_normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    let position = |node: u32| DVec3::from_array(positions[node as usize].map(f64::from));
    for &[a, b, c] in triangles {
        // Twice the area times the normal.
        let sum = (position(b) - position(a)).cross(position(c) - position(a));
        for node in [a, b, c] {
            sums[node as usize] += sum;
        }
    }
    sums.into_iter()
        .map(|sum| {
            sum.normalize_or(DVec3::Z)
                .to_array()
                .map(|value| value as f32)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_are_means_of_unit_length() {
        // Two sides of a roof, one three times as large as the other, and a node of nothing.
        let positions = [
            [0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [-3.0, 0.0, -3.0],
            [1.0, 0.0, -1.0],
            [9.0, 9.0, 9.0],
        ];
        let normals = node_normals(&positions, &[[0, 1, 2], [0, 3, 1]]);
        let half = 0.5_f32.sqrt();
        assert!((normals[2][0] + half).abs() < 1e-6 && (normals[2][2] - half).abs() < 1e-6);
        let ridge = normals[0];
        assert!((ridge[0] / ridge[2] + 0.5).abs() < 1e-6, "{ridge:?}");
        assert_eq!(normals[4], [0.0, 0.0, 1.0]);
        let collapsed = node_normals(&[[0.0; 3]; 3], &[[0, 1, 2]]);
        assert_eq!(collapsed[0], [0.0, 0.0, 1.0]);
    }
}
