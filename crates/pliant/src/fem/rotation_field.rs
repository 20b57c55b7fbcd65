//! How far the neighbourhood of each vertex has turned.
//!
//! By frames: three edges e1, e2, e3 that leave the vertex span a frame at rest, M, and deformed, N:
//!
//! ```text
//! n1 = (e1 + e2 + e3) / |…|,   n2 = n1 x e1 / |…|,   n3 = n1 x n2,     R = N Mᵀ
//! ```
//!
//! By singular values: R is the rotation nearest to Σ e e⁰ᵀ over all edges that leave the vertex.
//!
//! **Departure.** With three edges of the mesh and one frame, slender bars flutter, drift out of
//! the plane of a symmetric load and burst, at every step length. Two things are wrong, and mending
//! one of them is not enough. Three of many edges see the wiggles of single nodes as turns of the
//! neighbourhood; so the three edges are weighted means of all of them, with weights by which they
//! are the unit vectors of the axes at rest (least squares). And a frame takes shear for a turn, to
//! first order: n1 follows the shear of its three edges. The mistakes of the frames with n1 along
//! ±e1 ± e2 ± e3, each turned to e1, e2 or e3, sum to zero to first order; so R is the mean of these
//! twelve. Implements: \[Mueller2002\] sect. 3.1, Fig. 5, eq. 14-15.

use crate::math::{SignedSvd, nearest_rotation, outer};
use glam::{DMat3, DVec3};

/// Edges whose squares across a plane are below this part of those along it lie in the plane.
const FLAT: f64 = 1e-9;

/// How rotations are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RotationMethod {
    /// From frames of three edges.
    Frames,
    /// From the singular values of all edges.
    #[default]
    Svd,
}

/// One rotation per vertex.
#[derive(Debug)]
pub struct RotationField {
    method: RotationMethod,
    /// Where the neighbours of each vertex begin.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    rest: Vec<DVec3>,
    /// By how much each neighbour counts in the three mean edges of its vertex, in 1/m.
    weights: Vec<DVec3>,
    /// The direction across a neighbourhood that is flat at rest, else zero.
    across: Vec<DVec3>,
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
            weights: Vec::new(),
            across: Vec::new(),
        };
        if method == RotationMethod::Frames {
            for vertex in 0..rest_positions.len() {
                field.weigh_edges(vertex);
            }
        }
        field
    }

    fn neighbours(&self, vertex: usize) -> &[u32] {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        &self.neighbours[range]
    }

    /// Finds the weights of the edges of a vertex: w = A⁻¹ e⁰ with A = Σ e⁰ e⁰ᵀ, so that
    /// Σ e wᵀ is the deformation gradient that fits the edges best.
    fn weigh_edges(&mut self, vertex: usize) {
        let edges: Vec<DVec3> = self
            .neighbours(vertex)
            .iter()
            .map(|&end| self.rest[end as usize] - self.rest[vertex])
            .collect();
        let squares: DMat3 = edges.iter().map(|&edge| outer(edge, edge)).sum();
        let SignedSvd { values, right, .. } = SignedSvd::new(squares);
        let inverse = |value: f64| {
            if value > FLAT * values.x {
                1.0 / value
            } else {
                0.0
            }
        };
        let inverses = DVec3::from_array(values.to_array().map(inverse));
        let flat = inverses.z == 0.0 && inverses.y > 0.0;
        self.across
            .push(if flat { right.z_axis } else { DVec3::ZERO });
        let inverse = right * DMat3::from_diagonal(inverses) * right.transpose();
        self.weights
            .extend(edges.into_iter().map(|edge| inverse * edge));
    }

    /// The rotation of each vertex at given positions.
    pub fn find(&mut self, positions: &[DVec3], rotations: &mut [DMat3]) {
        let at_rest = frames(DMat3::IDENTITY);
        for (vertex, rotation) in rotations.iter_mut().enumerate() {
            *rotation = match self.method {
                RotationMethod::Frames => {
                    mean_of_frames(self.mean_edges(positions, vertex), &at_rest)
                }
                RotationMethod::Svd => self.fit(positions, vertex),
            };
        }
    }

    /// The three mean edges of a vertex, which are the axes at rest.
    fn mean_edges(&self, positions: &[DVec3], vertex: usize) -> DMat3 {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        let mut edges = DMat3::ZERO;
        for (&end, &weight) in self.neighbours[range.clone()]
            .iter()
            .zip(&self.weights[range])
        {
            edges += outer(positions[end as usize] - positions[vertex], weight);
        }
        let across = self.across[vertex];
        if across != DVec3::ZERO {
            // A flat neighbourhood has a normal in place of the third edge.
            let (a, b) = across.any_orthonormal_pair();
            let sign = a.cross(b).dot(across).signum();
            let normal = sign * (edges * a).cross(edges * b).normalize_or_zero();
            edges += outer(normal, across);
        }
        edges
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

/// Signs of the sums of edges along which frames lie.
const SIGNS: [DVec3; 4] = [
    DVec3::ONE,
    DVec3::new(-1.0, 1.0, 1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
];

/// The twelve frames of three edges: for each sum of edges one turned to each edge.
fn frames(edges: DMat3) -> [DMat3; 12] {
    let along = SIGNS.map(|signs| (edges * signs).normalize_or_zero());
    std::array::from_fn(|index| frame(along[index / 3], edges.col(index % 3)))
}

/// The mean turn of the frames of three edges from those at rest.
fn mean_of_frames(edges: DMat3, at_rest: &[DMat3; 12]) -> DMat3 {
    let pairs = frames(edges).into_iter().zip(at_rest);
    let sum: DMat3 = pairs.map(|(now, rest)| now * rest.transpose()).sum();
    nearest_rotation(sum * (1.0 / 12.0))
}

/// The orthonormal frame along the direction of a sum of the edges, turned to one of them; the identity
/// where they span none.
fn frame(first: DVec3, edge: DVec3) -> DMat3 {
    let second = first.cross(edge).normalize_or_zero();
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

    #[test]
    fn frames_turn_with_a_flat_neighbourhood() {
        let rest = [
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
            -DVec3::X,
            DVec3::new(-0.5, -1.0, 0.0),
        ];
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(1.4, 0.9, -2.0)));
        let turned = rest.map(|x| turn * x + DVec3::ONE);
        let edges = (1..5).map(|end| (0, end));
        let mut field = RotationField::new(&rest, edges, RotationMethod::Frames);
        let mut rotations = vec![DMat3::ZERO; 5];
        field.find(&turned, &mut rotations);
        let error = (rotations[0] - turn).to_cols_array();
        assert!(error.iter().all(|e| e.abs() < 1e-14), "{}", rotations[0]);
    }

    #[test]
    fn frames_do_not_take_strain_for_a_turn() {
        // A stretch by 1 + ε: the turn that is found is of the order ε².
        let angle = |strain: f64| {
            let e = DMat3::from_cols(
                DVec3::new(0.7, 0.5, -0.4),
                DVec3::new(0.5, -0.3, 0.6),
                DVec3::new(-0.4, 0.6, 0.2),
            );
            let at_rest = frames(DMat3::IDENTITY);
            let turn = mean_of_frames(DMat3::IDENTITY + e * strain, &at_rest);
            DQuat::from_mat3(&turn).to_scaled_axis().length()
        };
        assert!(angle(1e-3) < 3e-6, "{}", angle(1e-3));
        // As published: one frame turns by about half the strain.
        let sheared = DMat3::IDENTITY + DMat3::from_cols(DVec3::Y, DVec3::X, DVec3::ZERO) * 1e-3;
        let alone = frames(sheared)[0] * frames(DMat3::IDENTITY)[0].transpose();
        let turned = DQuat::from_mat3(&alone).to_scaled_axis().length();
        assert!(turned > 1e-4, "{turned}");
    }
}
