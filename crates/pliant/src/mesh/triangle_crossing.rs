//! Whether two triangles pass through each other, and where. To touch is not to cross.

use glam::DVec3;

/// A point that two triangles have in common beyond the vertices and edges that they share by
/// number; none if there is none.
pub(super) fn crossing(corners: [[DVec3; 3]; 2], vertices: [[u32; 3]; 2]) -> Option<DVec3> {
    let shared = |triangle: usize, corner: usize| {
        vertices[1 - triangle].contains(&vertices[triangle][corner])
    };
    let shared_count = (0..3).filter(|&corner| shared(0, corner)).count();
    if shared_count == 3 {
        return None;
    }
    let normals = corners.map(|[a, b, c]| (b - a).cross(c - a));
    if normals[0].length_squared() == 0.0 || normals[1].length_squared() == 0.0 {
        return None;
    }
    let size = corners.iter().flatten().fold(0.0f64, |size, x| {
        size.max((*x - corners[0][0]).abs().max_element())
    });
    let unit = normals[0].normalize();
    let flat = 1e-10 * size;
    if (corners[1].iter()).all(|&x| unit.dot(x - corners[0][0]).abs() <= flat) {
        return overlap_in_plane(corners, unit);
    }
    if shared_count == 2 {
        return None;
    }
    for triangle in 0..2 {
        for corner in 0..3 {
            let next = (corner + 1) % 3;
            if shared(triangle, corner) || shared(triangle, next) {
                continue;
            }
            let [a, b] = [corners[triangle][corner], corners[triangle][next]];
            let found = pierce(a, b, corners[1 - triangle], normals[1 - triangle], flat);
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// Where the segment from `a` to `b` passes through a triangle.
fn pierce(a: DVec3, b: DVec3, t: [DVec3; 3], normal: DVec3, flat: f64) -> Option<DVec3> {
    let unit = normal.normalize();
    let (da, db) = (unit.dot(a - t[0]), unit.dot(b - t[0]));
    if da.abs() <= flat || db.abs() <= flat || da * db > 0.0 {
        return None;
    }
    let p = a.lerp(b, da / (da - db));
    let inside = (0..3).all(|corner| {
        let (x, y) = (t[corner], t[(corner + 1) % 3]);
        (y - x).cross(p - x).dot(normal) >= -1e-12 * normal.length_squared()
    });
    inside.then_some(p)
}

/// A common point of the insides of two triangles in one plane. They have none just if the line
/// along an edge of one has the other on its far side.
fn overlap_in_plane(corners: [[DVec3; 3]; 2], unit: DVec3) -> Option<DVec3> {
    let mut kept: Vec<DVec3> = corners[1].to_vec();
    let [a, b, c] = corners[0];
    let area = (b - a).cross(c - a).length();
    for (x, y) in [(a, b), (b, c), (c, a)] {
        // The height above the edge, inwards, as a part of the triangle's own.
        let height = |p: DVec3| (y - x).cross(p - x).dot(unit) / area;
        let mut clipped = Vec::with_capacity(kept.len() + 1);
        for (place, &p) in kept.iter().enumerate() {
            let q = kept[(place + 1) % kept.len()];
            let (hp, hq) = (height(p), height(q));
            if hp >= 0.0 {
                clipped.push(p);
            }
            if hp * hq < 0.0 {
                clipped.push(p.lerp(q, hp / (hp - hq)));
            }
        }
        kept = clipped;
        if kept.len() < 3 {
            return None;
        }
    }
    let first = kept[0];
    let doubled = |pair: &[DVec3]| (pair[0] - first).cross(pair[1] - first);
    let common = kept.windows(2).map(doubled).sum::<DVec3>().length();
    let middle = kept.iter().sum::<DVec3>() / kept.len() as f64;
    (common > 1e-9 * area).then_some(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const APART: [[u32; 3]; 2] = [[0, 1, 2], [3, 4, 5]];
    const BASE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    fn against_base(other: [[f64; 3]; 3], vertices: [[u32; 3]; 2]) -> Option<DVec3> {
        crossing([BASE, other.map(DVec3::from_array)], vertices)
    }

    #[test]
    fn crossing_triangles() {
        let spike = [[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [3.0, 3.0, 0.0]];
        let place = against_base(spike, APART).unwrap();
        assert!(place.z.abs() < 1e-12 && place.x <= 0.5 + 1e-12);
        // Through a shared corner and on through the middle.
        let spike = [[0.0, 0.0, 0.0], [-0.3, -0.3, -0.5], [-0.3, -0.3, 3.0]];
        assert!(against_base(spike, [[0, 1, 2], [0, 4, 5]]).is_none());
        let spike = [[0.0, 0.0, 0.0], [0.3, 0.3, -0.5], [0.3, 0.3, 3.0]];
        assert!(against_base(spike, [[0, 1, 2], [0, 4, 5]]).is_some());
    }

    #[test]
    fn neighbours_do_not_cross() {
        let above = [[0.2, 0.2, 0.1], [0.2, 0.2, 1.0], [3.0, 3.0, 0.2]];
        assert!(against_base(above, APART).is_none());
        let edge = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.3, 0.2, 1.0]];
        assert!(against_base(edge, [[0, 1, 2], [1, 0, 3]]).is_none());
        let beside = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.3, -0.5, 0.0]];
        assert!(against_base(beside, [[0, 1, 2], [1, 0, 3]]).is_none());
    }

    #[test]
    fn triangles_in_one_plane() {
        let over = [[0.1, 0.1, 0.0], [2.0, 0.1, 0.0], [0.1, 2.0, 0.0]];
        assert!(against_base(over, APART).is_some());
        let folded = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.3, 0.5, 0.0]];
        assert!(against_base(folded, [[0, 1, 2], [1, 0, 3]]).is_some());
        let beyond = [[1.1, 1.1, 0.0], [2.0, 1.1, 0.0], [1.1, 2.0, 0.0]];
        assert!(against_base(beyond, APART).is_none());
    }
}
