//! How far the neighbourhood of each vertex has turned.
//!
//! By frames: three edges e1, e2, e3 that leave the vertex span a frame at rest, M, and deformed, N:
//!
//! ```text
//! n1 = (e1 + e2 + e3) / |…|,   n2 = n1 x e1 / |…|,   n3 = n1 x n2,     R = N Mᵀ
//! ```
//!
//! with the edges made unit vectors first. By singular values: R is the rotation nearest to
//! Σ e e⁰ᵀ over all edges that leave the vertex.
//!
//! A frame takes a shear of its edges for a turn, to first order: soft bars with one frame a vertex
//! flutter and burst at steps that the paper calls stable. So each vertex takes the mean of its own
//! and its neighbours' frames, whose errors cancel. Singular values weigh all edges and need no such
//! mean. Implements: \[Mueller2002\] sect. 3.1, Fig. 5, eq. 14-15.

use crate::math::{nearest_rotation, outer};
use glam::{DMat3, DVec3};

/// How rotations are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RotationMethod {
    /// From frames of three edges.
    Frames,
    /// From the singular values of all edges.
    #[default]
    Svd,
}

/// One rotation a vertex.
#[derive(Debug)]
pub struct RotationField {
    method: RotationMethod,
    /// Where the neighbours of each vertex begin.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    rest: Vec<DVec3>,
    /// The three neighbours and the rest frame of each vertex.
    frames: Vec<([u32; 3], DMat3)>,
    /// How far the frame of each vertex has turned.
    turned: Vec<DMat3>,
}

impl RotationField {
    /// For vertices joined by edges.
    pub fn new(
        rest_positions: &[DVec3],
        edges: impl Iterator<Item = (usize, usize)>,
        method: RotationMethod,
    ) -> Self {
        let mut pairs: Vec<(u32, u32)> = edges
            .flat_map(|(a, b)| [(a as u32, b as u32), (b as u32, a as u32)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; rest_positions.len() + 1];
        for &(vertex, _) in &pairs {
            starts[vertex as usize + 1] += 1;
        }
        for vertex in 0..rest_positions.len() {
            starts[vertex + 1] += starts[vertex];
        }
        let mut field = Self {
            method,
            starts,
            neighbours: pairs.iter().map(|&(_, end)| end).collect(),
            rest: rest_positions.to_vec(),
            frames: Vec::new(),
            turned: Vec::new(),
        };
        if method == RotationMethod::Frames {
            let vertices = 0..rest_positions.len();
            field.frames = vertices.map(|vertex| field.choose_frame(vertex)).collect();
            field.turned = vec![DMat3::IDENTITY; rest_positions.len()];
        }
        field
    }

    fn neighbours(&self, vertex: usize) -> &[u32] {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        &self.neighbours[range]
    }

    /// Of all triples of edges the one that spans the largest angle.
    fn choose_frame(&self, vertex: usize) -> ([u32; 3], DMat3) {
        let directions: Vec<(u32, DVec3)> = self
            .neighbours(vertex)
            .iter()
            .map(|&end| {
                let edge = self.rest[end as usize] - self.rest[vertex];
                (end, edge.normalize_or_zero())
            })
            .collect();
        let mut best = ([vertex as u32; 3], DMat3::IDENTITY);
        let mut largest = 0.0;
        for (i, a) in directions.iter().enumerate() {
            for (j, b) in directions.iter().enumerate().skip(i + 1) {
                for c in &directions[j + 1..] {
                    let angle = a.1.dot(b.1.cross(c.1)).abs();
                    let middle = (a.1 + b.1 + c.1).length_squared();
                    if angle * middle > largest {
                        largest = angle * middle;
                        best = ([a.0, b.0, c.0], DMat3::IDENTITY);
                    }
                }
            }
        }
        best.1 = frame(&self.rest, vertex, best.0);
        best
    }

    /// The rotation of each vertex at given positions.
    pub fn find(&mut self, positions: &[DVec3], rotations: &mut [DMat3]) {
        if self.method == RotationMethod::Svd {
            for (vertex, rotation) in rotations.iter_mut().enumerate() {
                *rotation = self.fit(positions, vertex);
            }
            return;
        }
        for (vertex, (turned, (ends, rest))) in self.turned.iter_mut().zip(&self.frames).enumerate()
        {
            *turned = frame(positions, vertex, *ends) * rest.transpose();
        }
        for (vertex, rotation) in rotations.iter_mut().enumerate() {
            let neighbours = self.neighbours(vertex);
            let mut sum = self.turned[vertex];
            for &end in neighbours {
                sum += self.turned[end as usize];
            }
            *rotation = nearest_rotation(sum * (1.0 / (neighbours.len() + 1) as f64));
        }
    }

    fn fit(&self, positions: &[DVec3], vertex: usize) -> DMat3 {
        let mut sum = DMat3::ZERO;
        let mut squares = 0.0;
        for &end in self.neighbours(vertex) {
            let rest = self.rest[end as usize] - self.rest[vertex];
            let now = positions[end as usize] - positions[vertex];
            sum += outer(now, rest);
            squares += rest.length_squared();
        }
        if squares > 0.0 {
            nearest_rotation(sum * (3.0 / squares))
        } else {
            DMat3::IDENTITY
        }
    }
}

/// The orthonormal frame of three edges; the identity where they span none.
fn frame(positions: &[DVec3], vertex: usize, ends: [u32; 3]) -> DMat3 {
    let edges = ends.map(|end| (positions[end as usize] - positions[vertex]).normalize_or_zero());
    let first = (edges[0] + edges[1] + edges[2]).normalize_or_zero();
    let second = first.cross(edges[0]).normalize_or_zero();
    if first == DVec3::ZERO || second == DVec3::ZERO {
        return DMat3::IDENTITY;
    }
    DMat3::from_cols(first, second, first.cross(second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn a_turned_neighbourhood_is_found_turned() {
        let rest = [
            DVec3::ZERO,
            DVec3::X,
            1.3 * DVec3::Y,
            0.7 * DVec3::Z + 0.2 * DVec3::X,
            DVec3::new(-1.0, -0.4, 0.2),
        ];
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(1.4, 0.9, -2.0)));
        let turned = rest.map(|x| turn * x + DVec3::ONE);
        for method in [RotationMethod::Frames, RotationMethod::Svd] {
            let edges = (0..5).flat_map(|a| (0..a).map(move |b| (a, b)));
            let mut field = RotationField::new(&rest, edges, method);
            let mut rotations = vec![DMat3::ZERO; 5];
            field.find(&turned, &mut rotations);
            for rotation in rotations {
                let error = (rotation - turn).to_cols_array();
                assert!(error.iter().all(|e| e.abs() < 1e-14), "{method:?}");
            }
        }
    }
}
