//! The energy of a film: tension times area.
//!
//! ```text
//! E = Σ γ A,   A = ½ |n|,   n = (b - a) x (c - a)
//! ∂A/∂a = ½ n̂ x (c - b)
//! ∂²A/∂p∂q = [e_p]ᵀ (1 - n̂ n̂ᵀ) [e_q] / (2 |n|) ∓ ½ [n̂]      e_p: edge against p, [e]: matrix of e x
//! ```
//!
//! The area has curvature of both signs. The positive part that steps use is the Hessian of Dirichlet's
//! energy on the triangles as they are, ½ Σ cot θ |x_i - x_j|² / 2: it is nowhere below the area and touches
//! it there, so that a step with it never leads uphill.
//!
//! Nothing resists the motion of nodes within the surface but their mass and damping. A triangle that has
//! shrunk to nothing has no energy.
//!
//! Implements: \[Pinkall1993\].

use crate::energy::{Curvature, Energy};
use crate::linear::BlockMatrix;
use crate::math::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// A triangle is nothing below this share of the largest one's area.
const NOTHING: f64 = 1e-12;

/// Tension times area; see the module.
#[derive(Clone, Debug)]
pub(crate) struct AreaEnergy {
    triangles: Vec<[u32; 3]>,
    /// γ of each triangle, in newtons per metre.
    tensions: Vec<f64>,
    /// Twice the area below which a triangle is nothing, in square metres.
    least: f64,
    /// Where the blocks of the corners are in the matrix.
    slots: Vec<[[usize; 3]; 3]>,
}

impl AreaEnergy {
    /// Triangles with the mean tension of their corners.
    pub(crate) fn new(
        rest: &[DVec3],
        triangles: &[[u32; 3]],
        tension: impl Fn(usize) -> f64,
    ) -> Self {
        let whole = |t: &&[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        let triangles: Vec<[u32; 3]> = triangles.iter().filter(whole).copied().collect();
        let mean = |t: &[u32; 3]| t.iter().map(|&n| tension(n as usize)).sum::<f64>() / 3.0;
        let size = |t: &[u32; 3]| normal(t.map(|n| rest[n as usize])).length();
        Self {
            tensions: triangles.iter().map(mean).collect(),
            least: NOTHING * triangles.iter().map(size).fold(0.0, f64::max),
            triangles,
            slots: Vec::new(),
        }
    }

    /// Nodes, tension and corners of each triangle that is not nothing, with n and |n|.
    fn parts<'a>(&'a self, x: &'a [DVec3]) -> impl Iterator<Item = Part> + 'a {
        let parts = self.triangles.iter().zip(&self.tensions).enumerate();
        parts.filter_map(|(index, (triangle, &tension))| {
            let nodes = triangle.map(|node| node as usize);
            let corners = nodes.map(|node| x[node]);
            let n = normal(corners);
            let length = n.length();
            (length > self.least).then_some(Part {
                index,
                nodes,
                tension,
                corners,
                unit: n / length,
                length,
            })
        })
    }
}

struct Part {
    index: usize,
    nodes: [usize; 3],
    tension: f64,
    corners: [DVec3; 3],
    unit: DVec3,
    length: f64,
}

impl Part {
    /// The edges against the corners.
    fn edges(&self) -> [DVec3; 3] {
        let [a, b, c] = self.corners;
        [c - b, a - c, b - a]
    }
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

impl Energy for AreaEnergy {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for &[a, b, c] in &self.triangles {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                visit(p as usize, q as usize);
            }
        }
    }

    fn is_saddle(&self) -> bool {
        true
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let slot = |row: u32, column: u32| match matrix.slot(row as usize, column as usize) {
            Some(slot) => slot,
            None => panic!("nodes {row} and {column} of a triangle are not coupled in the matrix"),
        };
        let slots = |t: &[u32; 3]| t.map(|row| t.map(|column| slot(row, column)));
        self.slots = self.triangles.iter().map(slots).collect();
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        self.parts(positions)
            .map(|part| 0.5 * part.tension * part.length)
            .sum()
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        for part in self.parts(positions) {
            for (node, edge) in part.nodes.into_iter().zip(part.edges()) {
                gradient[node] += 0.5 * part.tension * part.unit.cross(edge);
            }
        }
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        for part in self.parts(positions) {
            let edges = part.edges();
            let across = DMat3::IDENTITY - outer(part.unit, part.unit);
            for p in 0..3 {
                for q in 0..3 {
                    let block = match curvature {
                        // Of Dirichlet's energy: e_p · e_q / (2 |n|).
                        Curvature::Positive => {
                            let value = edges[p].dot(edges[q]) / (2.0 * part.length);
                            DMat3::from_diagonal(DVec3::splat(value))
                        }
                        Curvature::Material => DMat3::ZERO,
                        Curvature::Full => {
                            let (left, right) = (cross_matrix(edges[p]), cross_matrix(edges[q]));
                            let stretch = left.transpose() * across * right;
                            let turn = match (q + 3 - p) % 3 {
                                1 => -0.5,
                                2 => 0.5,
                                _ => 0.0,
                            };
                            stretch * (0.5 / part.length) + cross_matrix(part.unit) * turn
                        }
                    };
                    matrix.add_at(self.slots[part.index][p][q], block * part.tension);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fan() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let places = vec![
            DVec3::new(0.1, 0.0, 0.3),
            DVec3::new(1.0, 0.2, 0.0),
            DVec3::new(0.3, 0.9, -0.2),
            DVec3::new(-0.8, 0.4, 0.1),
            DVec3::new(-0.2, -1.0, 0.2),
        ];
        (places, vec![[0, 1, 2], [0, 2, 3], [0, 3, 4]])
    }

    fn made() -> (AreaEnergy, Vec<DVec3>, Vec<DVec3>) {
        let (x, triangles) = fan();
        let direction = x
            .iter()
            .map(|x| DVec3::new(x.y, 0.5 - x.z, x.x * x.y))
            .collect();
        let tension = |node: usize| 1.0 + node as f64;
        (AreaEnergy::new(&x, &triangles, tension), x, direction)
    }

    fn moved(x: &[DVec3], d: &[DVec3], t: f64) -> Vec<DVec3> {
        x.iter().zip(d).map(|(x, d)| *x + t * *d).collect()
    }

    fn matrix(energy: &mut AreaEnergy, x: &[DVec3], curvature: Curvature) -> BlockMatrix {
        let mut pairs = Vec::new();
        energy.couplings(&mut |a, b| pairs.push((a, b)));
        let mut matrix = BlockMatrix::new(x.len(), pairs.into_iter());
        energy.attach(&matrix);
        energy.add_hessian(x, curvature, &mut matrix);
        matrix
    }

    #[test]
    fn gradient_and_hessian_are_derivatives() {
        let (mut energy, x, d) = made();
        let mut gradient = vec![DVec3::ZERO; 5];
        energy.add_gradient(&x, &mut gradient);
        let slope: f64 = gradient.iter().zip(&d).map(|(g, d)| g.dot(*d)).sum();
        let h = 1e-5;
        let expected =
            (energy.energy(&moved(&x, &d, h)) - energy.energy(&moved(&x, &d, -h))) / (2.0 * h);
        assert!((slope - expected).abs() < 1e-8, "{slope} {expected}");
        let full = matrix(&mut energy, &x, Curvature::Full);
        let mut product = vec![DVec3::ZERO; 5];
        full.multiply(&d, &mut product);
        let (mut after, mut before) = (vec![DVec3::ZERO; 5], vec![DVec3::ZERO; 5]);
        energy.add_gradient(&moved(&x, &d, h), &mut after);
        energy.add_gradient(&moved(&x, &d, -h), &mut before);
        for node in 0..5 {
            let expected = (after[node] - before[node]) / (2.0 * h);
            assert!(product[node].distance(expected) < 1e-7, "{node}");
        }
    }

    /// E(x + d) <= E(x) + g·d + ½ dᵀ H d for every d.
    #[test]
    fn the_positive_part_is_above_the_area() {
        let (mut energy, x, d) = made();
        let mut gradient = vec![DVec3::ZERO; 5];
        energy.add_gradient(&x, &mut gradient);
        let positive = matrix(&mut energy, &x, Curvature::Positive);
        for t in [-2.0, -0.5, 0.1, 0.7, 3.0] {
            let by: Vec<DVec3> = d.iter().map(|d| t * *d).collect();
            let mut product = vec![DVec3::ZERO; 5];
            positive.multiply(&by, &mut product);
            let terms = gradient.iter().zip(&product).zip(&by);
            let bound: f64 = terms.map(|((g, p), d)| g.dot(*d) + 0.5 * p.dot(*d)).sum();
            let change = energy.energy(&moved(&x, &by, 1.0)) - energy.energy(&x);
            assert!(change <= bound + 1e-12, "{t}: {change} {bound}");
        }
    }
}
