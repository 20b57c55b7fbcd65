//! Smooth unit normals at the vertices of triangles.
//!
//! ```text
//! n = Σ (e₁ × e₂) / (|e₁|² |e₂|²)     over the corners at a vertex, e₁ and e₂ the edges from it
//! ```
//!
//! With these weights the normals of any triangulated sphere are exact, however uneven its
//! triangles, and no angle has to be found.
//!
//! Implements: N. Max, *Weights for computing vertex normals from facet normals* (1999).

use glam::DVec3;

/// Adds what each corner of the triangles gives to the normal of its class, then makes them unit
/// vectors. `classes` says for each corner which normal it shares; corners out of range and
/// triangles without area count nothing. A normal that nothing gave is the z axis.
pub fn class_normals(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    classes: &[[u32; 3]],
    normals: &mut Vec<DVec3>,
    class_count: usize,
) {
    normals.clear();
    normals.resize(class_count, DVec3::ZERO);
    for (triangle, class) in triangles.iter().zip(classes) {
        let [Some(&a), Some(&b), Some(&c)] = triangle.map(|node| positions.get(node as usize))
        else {
            continue;
        };
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let cross = ab.cross(-ca);
        let squares = [
            ab.length_squared(),
            bc.length_squared(),
            ca.length_squared(),
        ];
        let weights = [
            squares[0] * squares[2],
            squares[0] * squares[1],
            squares[1] * squares[2],
        ];
        for (&class, weight) in class.iter().zip(weights) {
            let share = cross / weight;
            if let Some(normal) = normals.get_mut(class as usize)
                && share.is_finite()
            {
                *normal += share;
            }
        }
    }
    for normal in normals.iter_mut() {
        *normal = unit_or(*normal, DVec3::Z);
    }
}

/// Normals at the nodes, all corners of a node sharing one.
pub fn node_normals(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = Vec::new();
    class_normals(
        positions,
        triangles,
        triangles,
        &mut normals,
        positions.len(),
    );
    normals
}

/// The unit vector along `vector`, or `otherwise` if it has no direction.
pub fn unit_or(vector: DVec3, otherwise: DVec3) -> DVec3 {
    // Scaled first: a vector of 1e-200 has a direction but no square.
    let scale = vector.abs().max_element();
    if scale > 0.0 && scale.is_finite() {
        (vector / scale).normalize()
    } else {
        otherwise
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_of_an_uneven_sphere_point_outwards_exactly() {
        // Rings at uneven heights, and the two poles.
        let mut positions = vec![DVec3::Z, -DVec3::Z];
        let heights = [0.8_f64, 0.5, -0.1, -0.9];
        for z in heights {
            for k in 0..7 {
                let angle = (k as f64 + 0.2 * (k as f64).sin()) * std::f64::consts::TAU / 7.0;
                let radius = (1.0 - z * z).sqrt();
                positions.push(DVec3::new(radius * angle.cos(), radius * angle.sin(), z));
            }
        }
        let at = |ring: usize, k: usize| (2 + 7 * ring + k % 7) as u32;
        let mut triangles = Vec::new();
        for k in 0..7 {
            triangles.push([0, at(0, k), at(0, k + 1)]);
            triangles.push([1, at(3, k + 1), at(3, k)]);
            for ring in 0..3 {
                triangles.push([at(ring, k), at(ring + 1, k), at(ring + 1, k + 1)]);
                triangles.push([at(ring, k), at(ring + 1, k + 1), at(ring, k + 1)]);
            }
        }
        let normals = node_normals(&positions, &triangles);
        for (normal, position) in normals.iter().zip(&positions) {
            assert!(
                (*normal - *position).length() < 1e-12,
                "{normal} at {position}"
            );
        }
    }

    #[test]
    fn bad_triangles_change_nothing() {
        let positions = [
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
            DVec3::splat(f64::NAN),
            DVec3::X,
        ];
        let triangles = [[0, 1, 2], [0, 1, 3], [1, 4, 2], [0, 1, 99]];
        let normals = node_normals(&positions, &triangles);
        assert_eq!(normals[0], DVec3::Z);
        assert!(normals.iter().all(|normal| normal.is_finite()));
    }
}
