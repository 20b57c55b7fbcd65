//! Flat faces of rigid shapes that several triangles make up.
//!
//! The sides between such triangles are no edges of the shape. What slides over a face must not feel
//! them: they take no part in contact of edges, and of the triangles of a face only the nearest pushes a
//! point. Nothing can pass through a flat face without meeting its rim or being met by its inside.

use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Largest sine of the angle between triangles of a flat face.
const FLAT: f64 = 1e-9;

/// Which sides are no edges, and which triangles share a face.
#[derive(Debug, Default)]
pub(super) struct FlatFaces {
    /// Sides between triangles of a face, the lower vertex first.
    pub(super) inner_sides: BTreeSet<[u32; 2]>,
    /// Triangles that share a face and a side with each triangle.
    mates: BTreeMap<[u32; 3], Vec<[u32; 3]>>,
}

impl FlatFaces {
    /// Of rigid triangles.
    pub(super) fn new<'a>(
        triangles: impl Iterator<Item = &'a [u32; 3]>,
        positions: &[DVec3],
    ) -> Self {
        let mut sharing: BTreeMap<[u32; 2], Vec<[u32; 3]>> = BTreeMap::new();
        for &[a, b, c] in triangles {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let side = [from.min(to), from.max(to)];
                sharing.entry(side).or_default().push([a, b, c]);
            }
        }
        let normal = |t: [u32; 3]| {
            let [a, b, c] = t.map(|v| positions[v as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let mut faces = Self::default();
        for (side, sharing) in sharing {
            let &[one, other] = &sharing[..] else {
                continue;
            };
            let [m, n] = [normal(one), normal(other)];
            if m.dot(n) > 0.5 && m.cross(n).length() < FLAT {
                faces.inner_sides.insert(side);
                faces.mates.entry(one).or_default().push(other);
                faces.mates.entry(other).or_default().push(one);
            }
        }
        faces
    }

    /// Triangles that share a face and a side with one.
    pub(super) fn mates(&self, triangle: [u32; 3]) -> &[[u32; 3]] {
        self.mates.get(&triangle).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::{Cuboid, ImplicitSurface};

    #[test]
    fn a_box_has_six_faces_and_twelve_edges() {
        let mesh = Cuboid::new(DVec3::ONE, DVec3::new(1.0, 2.0, 3.0));
        let mesh = mesh.unwrap().mesh(1.0, 8);
        let faces = FlatFaces::new(mesh.triangles.iter(), &mesh.positions);
        assert_eq!(faces.inner_sides.len(), 6);
        for &triangle in &mesh.triangles {
            let [mate] = faces.mates(triangle) else {
                panic!("{triangle:?}");
            };
            assert_eq!(faces.mates(*mate), [triangle]);
        }
    }
}
