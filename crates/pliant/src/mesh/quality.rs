//! How well shaped tetrahedra are: their dihedral angles.

use super::ElementMesh;
use super::boundary::tetrahedra;
use glam::DVec3;

/// The six angles between the faces of a tetrahedron, in degrees, at the edges 01, 02, 03, 12, 13
/// and 23. A regular tetrahedron has 70.53 everywhere.
pub fn dihedral_angles(corners: [DVec3; 4]) -> [f64; 6] {
    const EDGES: [[usize; 4]; 6] = [
        [0, 1, 2, 3],
        [0, 2, 1, 3],
        [0, 3, 1, 2],
        [1, 2, 0, 3],
        [1, 3, 0, 2],
        [2, 3, 0, 1],
    ];
    EDGES.map(|edge| {
        let [a, b, c, d] = edge.map(|corner| corners[corner]);
        let m = (b - a).cross(c - a);
        let n = (b - a).cross(d - a);
        m.cross(n).length().atan2(m.dot(n)).to_degrees()
    })
}

/// The smallest and the largest dihedral angle of all tetrahedra, in degrees; none without
/// tetrahedra.
pub fn dihedral_range(mesh: &ElementMesh) -> Option<(f64, f64)> {
    let mut range: Option<(f64, f64)> = None;
    for nodes in tetrahedra(mesh) {
        for angle in dihedral_angles(nodes.map(|node| mesh.positions[node as usize])) {
            let (least, most) = range.unwrap_or((angle, angle));
            range = Some((least.min(angle), most.max(angle)));
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_of_known_tetrahedra() {
        let regular = [
            DVec3::new(1.0, 1.0, 1.0),
            DVec3::new(1.0, -1.0, -1.0),
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(-1.0, -1.0, 1.0),
        ];
        let expected = (1.0f64 / 3.0).acos().to_degrees();
        for angle in dihedral_angles(regular) {
            assert!((angle - expected).abs() < 1e-12);
        }
        // The corner of a cube: right angles at the three edges of the corner.
        let corner = dihedral_angles([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
        let slant = (1.0f64 / 3.0).sqrt().acos().to_degrees();
        for (angle, expected) in corner
            .into_iter()
            .zip([90.0, 90.0, 90.0, slant, slant, slant])
        {
            assert!((angle - expected).abs() < 1e-12);
        }
    }
}
