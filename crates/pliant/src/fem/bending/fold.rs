//! The angle between two triangles that share an edge, and its derivatives.
//!
//! Implements: \[Grinspun2003\], discrete shells: θ is the angle between the two normals, with its
//! sign, and 0 where the surface is flat.
//!
//! From the start of the edge, let e be the edge, a and b the opposite corners of the two triangles,
//! N_a = e × a and N_b = b × e their normals of twice the area, t_a = a·e / e² where a is along the
//! edge. Then
//!
//! ```text
//! ∂θ/∂a = -|e| N_a / N_a²,  ∂θ/∂b = -|e| N_b / N_b²,  ∂θ/∂e = -t_a ∂θ/∂a - t_b ∂θ/∂b
//! ```
//!
//! and the second derivatives follow from these; θ does not couple a with b.

use crate::math::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// Triangles smaller than this part of the squared length of their edge have no normal.
pub(super) const SMALLEST: f64 = 1e-12;

/// A hinge as it is now: vectors from the start of its edge.
pub(super) struct Fold {
    edge: DVec3,
    length: f64,
    /// 1 / e², or 0 for an edge without length.
    inverse_square: f64,
    sides: [Side; 2],
}

/// One of the two triangles of a fold.
struct Side {
    /// The opposite corner.
    corner: DVec3,
    /// N, twice the area long.
    normal: DVec3,
    /// 1 / N², or 0 for a triangle without area.
    inverse_square: f64,
    /// Where the corner is along the edge: 0 at its start, 1 at its end.
    along: f64,
}

impl Fold {
    #[inline]
    pub(super) fn new(positions: &[DVec3], nodes: &[u32; 4]) -> Self {
        let [start, end, a, b] = nodes.map(|node| positions[node as usize]);
        let (edge, a, b) = (end - start, a - start, b - start);
        let square = edge.length_squared();
        let smallest = SMALLEST * square;
        let inverse_square = inverse_above(square, 0.0);
        let side = |corner: DVec3, normal: DVec3| Side {
            corner,
            normal,
            inverse_square: inverse_above(normal.length_squared(), smallest * smallest),
            along: corner.dot(edge) * inverse_square,
        };
        Self {
            edge,
            length: square.sqrt(),
            inverse_square,
            sides: [side(a, edge.cross(a)), side(b, b.cross(edge))],
        }
    }

    #[cfg(test)]
    pub(super) fn angle(&self) -> f64 {
        let [a, b] = [self.sides[0].normal, self.sides[1].normal];
        let sine = self.edge.dot(a.cross(b));
        sine.atan2(self.length * a.dot(b))
    }

    /// ∂θ/∂a, ∂θ/∂b.
    #[inline]
    fn corner_slopes(&self) -> [DVec3; 2] {
        [0, 1].map(|i| {
            let side = &self.sides[i];
            side.normal * (-self.length * side.inverse_square)
        })
    }

    /// ∂θ/∂x of the four nodes.
    #[cfg(test)]
    pub(super) fn slopes(&self) -> [DVec3; 4] {
        let [a, b] = self.corner_slopes();
        let end = -(a * self.sides[0].along) - b * self.sides[1].along;
        [-end - a - b, end, a, b]
    }

    /// The second derivatives by e, a and b: ee, ea, eb, aa, ab, bb.
    #[inline]
    pub(super) fn second_slopes(&self) -> [DMat3; 6] {
        let slopes = self.corner_slopes();
        let direction = self.edge * (self.length * self.inverse_square);
        let edge = cross_matrix(self.edge);
        let mut ee = DMat3::ZERO;
        // The side's corner with e, and with itself.
        let mixed = [0, 1].map(|i| {
            let side = &self.sides[i];
            // N turns as de × c + e × dc on the first side, and as the opposite on the second.
            let sign = if i == 0 { 1.0 } else { -1.0 };
            let scaled = side.normal * side.inverse_square;
            let reflection = DMat3::IDENTITY - outer(2.0 * scaled, side.normal);
            let reflection = reflection * (-sign * self.length * side.inverse_square);
            let ce = -(reflection * cross_matrix(side.corner)) - outer(scaled, direction);
            let along_slope = (side.corner - 2.0 * side.along * self.edge) * self.inverse_square;
            ee -= outer(slopes[i], along_slope) + side.along * ce;
            [ce.transpose(), reflection * edge]
        });
        let [[ea, aa], [eb, bb]] = mixed;
        [ee, ea, eb, aa, DMat3::ZERO, bb]
    }
}

#[inline]
fn inverse_above(value: f64, smallest: f64) -> f64 {
    if value > smallest && value > f64::MIN_POSITIVE {
        1.0 / value
    } else {
        0.0
    }
}
