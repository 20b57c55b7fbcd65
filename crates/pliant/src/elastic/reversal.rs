//! How far the planes in which a curve bends at two nodes in a row turn against each other.
//!
//! ```text
//! s = c (|A||B| - A·B),   A = (e x f, ε |e x f|⁰),   B = (f x g, ε |f x g|⁰)
//! ```
//!
//! e, f and g are three edges in a row, ⁰ is the rest shape. With the angle α between the planes, s is
//! c |e x f||f x g| (1 - cos α), and the torsion of `volume.rs` the same with sin α: together they are the
//! chord 2 sin(α/2) of the angle. The sine alone has no value for a curve that bends to the other side from
//! one node on (α = π), and neither has the curvature, which is a length: such a curve would be at rest.
//! Where the curve bends smoothly, s is of second order in the torsion and its energy vanishes with the
//! length of the edges. ε smooths the lengths where a curve straightens.
//!
//! Implements: \[Terzopoulos1988\] eq. 8 (torsion), completed by the sign of the curvature.

use super::measure::{Measure, MeasureKind};
use crate::energy::Curvature;
use crate::math::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// ε.
const SMOOTHING: f64 = 1e-3;

/// s over four nodes in a row.
#[derive(Clone, Copy, Debug)]
pub struct PlaneReversal {
    /// The factor c.
    scale: f64,
    /// ε² |e x f|⁰² and ε² |f x g|⁰².
    smoothing: [f64; 2],
}

/// The edges, e x f and f x g, and their smoothed lengths.
struct Planes {
    edges: [DVec3; 3],
    a: DVec3,
    b: DVec3,
    lengths: [f64; 2],
}

impl PlaneReversal {
    /// The measure with a factor for a curve of given rest positions.
    pub fn new(scale: f64, rest: &[DVec3; 4]) -> Self {
        let [e, f, g] = edges(rest);
        let squares = [e.cross(f), f.cross(g)].map(DVec3::length_squared);
        Self {
            scale,
            smoothing: squares.map(|square| SMOOTHING * SMOOTHING * square),
        }
    }

    fn planes(&self, x: &[DVec3; 4]) -> Planes {
        let edges = edges(x);
        let (a, b) = (edges[0].cross(edges[1]), edges[1].cross(edges[2]));
        let [of_a, of_b] = self.smoothing;
        Planes {
            edges,
            a,
            b,
            lengths: [a.length_squared() + of_a, b.length_squared() + of_b].map(f64::sqrt),
        }
    }

    /// The derivatives by a and b.
    fn plane_slopes(&self, planes: &Planes) -> [DVec3; 2] {
        let Planes { a, b, lengths, .. } = planes;
        let ratio = lengths[1] / lengths[0];
        [
            self.scale * (ratio * *a - *b),
            self.scale * (*b / ratio - *a),
        ]
    }

    /// s and its derivatives by the edges.
    fn slopes(&self, x: &[DVec3; 4]) -> (f64, [DVec3; 3]) {
        let planes = self.planes(x);
        let Planes { a, b, lengths, .. } = planes;
        let [e, f, g] = planes.edges;
        let [by_a, by_b] = self.plane_slopes(&planes);
        let value = self.scale * (lengths[0] * lengths[1] - a.dot(b));
        let by_f = by_a.cross(e) + g.cross(by_b);
        (value, [f.cross(by_a), by_f, by_b.cross(f)])
    }

    /// The second derivatives by the edges.
    fn second_slopes(&self, x: &[DVec3; 4]) -> [[DMat3; 3]; 3] {
        let planes = self.planes(x);
        let Planes { a, b, lengths, .. } = planes;
        let [e, f, g] = planes.edges;
        let [by_a, by_b] = self.plane_slopes(&planes);
        let unit = DMat3::IDENTITY;
        let (m, n) = (a / lengths[0], b / lengths[1]);
        let ratio = lengths[1] / lengths[0];
        let aa = (unit - outer(m, m)) * (self.scale * ratio);
        let ab = (outer(m, n) - unit) * self.scale;
        let bb = (unit - outer(n, n)) * (self.scale / ratio);
        // da = -f x de + e x df, db = -g x df + f x dg.
        let of_a = [cross_matrix(-f), cross_matrix(e), DMat3::ZERO];
        let of_b = [DMat3::ZERO, cross_matrix(-g), cross_matrix(f)];
        let mut blocks: [[DMat3; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let mixed = of_a[i].transpose() * ab * of_b[j];
                let mirrored = of_b[i].transpose() * ab.transpose() * of_a[j];
                of_a[i].transpose() * aa * of_a[j]
                    + of_b[i].transpose() * bb * of_b[j]
                    + mixed
                    + mirrored
            })
        });
        // by_a · (de x df) and by_b · (df x dg).
        for (i, slope) in [(0, by_a), (1, by_b)] {
            blocks[i][i + 1] += cross_matrix(-slope);
            blocks[i + 1][i] += cross_matrix(slope);
        }
        blocks
    }
}

fn edges(x: &[DVec3; 4]) -> [DVec3; 3] {
    [x[1] - x[0], x[2] - x[1], x[3] - x[2]]
}

impl Measure<4, 3> for PlaneReversal {
    fn kind(&self) -> MeasureKind {
        MeasureKind::Torsion
    }

    fn gradient(&self, x: &[DVec3; 4]) -> (f64, [DVec3; 4]) {
        let (value, [e, f, g]) = self.slopes(x);
        (value, [-e, e - f, f - g, g])
    }

    fn second_derivative(
        &self,
        x: &[DVec3; 4],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; 4]; 4] {
        if curvature != Curvature::Full {
            return [[DMat3::ZERO; 4]; 4];
        }
        let blocks = self.second_slopes(x);
        // A node ends one edge and begins the next.
        let signs = [
            [-1.0, 0.0, 0.0],
            [1.0, -1.0, 0.0],
            [0.0, 1.0, -1.0],
            [0.0, 0.0, 1.0],
        ];
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let mut sum = DMat3::ZERO;
                for (p, row) in blocks.iter().enumerate() {
                    for (q, block) in row.iter().enumerate() {
                        sum += *block * (residual * signs[i][p] * signs[j][q]);
                    }
                }
                sum
            })
        })
    }

    fn majorant(&self, x: &[DVec3; 4], residual: f64) -> [f64; 3] {
        let (_, slopes) = self.slopes(x);
        let slopes = slopes.map(DVec3::length);
        let total: f64 = slopes.iter().sum();
        // |d²s| <= c (3 ρ |da|² + 3 |db|² / ρ) + 2 |s_a||de||df| + 2 |s_b||df||dg| with ρ = |B| / |A|,
        // |s_a| <= 2 c |B|, |s_b| <= 2 c |A| and |da|² <= 2 (|f|² |de|² + |e|² |df|²).
        let planes = self.planes(x);
        let [e, f, g] = planes.edges.map(DVec3::length_squared);
        let [a, b] = planes.lengths;
        let bend = (self.scale * residual).abs();
        let (of_a, of_b) = (6.0 * bend * b / a, 6.0 * bend * a / b);
        [
            total * slopes[0] + of_a * f + 2.0 * bend * b,
            total * slopes[1] + of_a * e + of_b * g + 2.0 * bend * (a + b),
            total * slopes[2] + of_b * f + 2.0 * bend * a,
        ]
    }
}
