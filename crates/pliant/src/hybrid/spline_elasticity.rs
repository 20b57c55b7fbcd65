//! The spline energy of a hybrid body as an energy over its nodes, for steps in which it moves as one system
//! with others.
//!
//! ```text
//! E(x) = Σ over the pieces of  min over c and R of ½ eᵀ K e,     e = Rᵀ (x - c) - r
//! c = x̄ - R r̄   means by k0 = K 1, the weights of order 0 (where there are none c does not matter)
//! R : the rotation nearest to B = Σ y sᵀ,   y = x - x̄,   s = K (r - r̄)
//! ∂E/∂x = R K e
//! ∂²E/∂x² = K - k0 k0ᵀ / σ - (K J) F⁻¹ (K J)ᵀ,    (K J) a = a × R s,    F = tr(P) 1 - sym P,   P = B sum in the frame
//! ```
//!
//! K is the same for the three components, so that turning changes nothing in its blocks. The last two terms say
//! that the frame follows the nodes: with K alone, which is an upper bound, a stiff body could hardly be turned
//! by what touches it. They couple all nodes, and are handed out as [`Reliefs`]. At rest F is S = Jᵀ K J; for a
//! positive semi-definite Hessian what makes F less than S is left out.
//!
//! Implements: \[Terzopoulos1988\] eq. 11, 12 and 18, as in `mod.rs`.

use super::material::HybridMaterial;
use super::rotation::{best_rotation, nearest_rotation};
use super::spline::{fill_stiffness, stiffness_pattern};
use crate::energy::{Curvature, Energy, Reliefs};
use crate::linear::BlockMatrix;
use crate::math::{outer, positive_part, symmetric_eigen};
use glam::{DMat3, DQuat, DVec3};

/// A turn that the energy resists by less than this share of the most is open.
const OPEN: f64 = 1e-12;

/// The spline energy over nodes; see the module.
#[derive(Debug)]
pub(crate) struct SplineElasticity {
    /// K by rows: where each begins, its columns and its values.
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Where the blocks of K are in the matrix of an integrator.
    slots: Vec<u32>,
    pieces: Vec<Piece>,
    /// k0.
    zeroth: Vec<f64>,
    /// r - r̄.
    reference: Vec<DVec3>,
    /// s.
    moments: Vec<DVec3>,
    /// e, and K e.
    deformations: Vec<DVec3>,
    forces: Vec<DVec3>,
    /// R of each piece.
    rotations: Vec<DMat3>,
    /// The positions that these belong to: an iteration asks for energy, gradient and Hessian at the same.
    known: Vec<DVec3>,
}

/// Nodes with a frame of their own.
#[derive(Debug)]
struct Piece {
    nodes: Vec<u32>,
    /// Σ k0.
    zeroth: f64,
    /// S in the frame.
    resistance: DMat3,
}

impl SplineElasticity {
    /// The energy of a material as it is.
    pub(crate) fn new(material: &HybridMaterial) -> Self {
        let grid = material.grid();
        // With room for bending whatever the weights, so that the pattern never changes.
        let mut matrix = stiffness_pattern(grid, true);
        fill_stiffness(grid, material.weights(), &mut matrix);
        let count = grid.node_count();
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut found = Vec::new();
        for row in 0..count {
            matrix.couplings_of(row, &mut found);
            for &(column, slot) in &found {
                columns.push(column as u32);
                values.push(matrix.values(slot)[row]);
            }
            starts.push(columns.len() as u32);
        }
        let room = || vec![DVec3::ZERO; count];
        let mut elasticity = Self {
            starts,
            columns,
            values,
            slots: Vec::new(),
            pieces: Vec::new(),
            zeroth: material.weights().zeroth.clone(),
            reference: room(),
            moments: room(),
            deformations: room(),
            forces: room(),
            rotations: Vec::new(),
            known: Vec::with_capacity(count),
        };
        elasticity.take_pieces(material);
        elasticity
    }

    /// Finds r - r̄, s and S of each piece.
    fn take_pieces(&mut self, material: &HybridMaterial) {
        let pieces = material.pieces();
        for piece in 0..pieces.count() {
            let nodes = pieces.nodes(piece).to_vec();
            let zeroth = nodes.iter().map(|&node| self.zeroth[node as usize]).sum();
            let made = Piece {
                nodes,
                zeroth,
                resistance: DMat3::ZERO,
            };
            let mean = self.mean(&made, material.reference());
            for &node in &made.nodes {
                let node = node as usize;
                self.reference[node] = material.reference()[node] - mean;
            }
            self.pieces.push(made);
        }
        let mut moments = std::mem::take(&mut self.moments);
        self.multiply(&self.reference, &mut moments);
        self.moments = moments;
        for piece in &mut self.pieces {
            let nodes = piece.nodes.iter().map(|&node| node as usize);
            let arms = nodes.map(|node| outer(self.reference[node], self.moments[node]));
            piece.resistance = turning(arms.fold(DMat3::ZERO, |sum, arm| sum + arm));
        }
        self.rotations = vec![DMat3::IDENTITY; self.pieces.len()];
    }

    /// The mean of places by k0; where there is none, the plain one.
    fn mean(&self, piece: &Piece, places: &[DVec3]) -> DVec3 {
        let nodes = || piece.nodes.iter().map(|&node| node as usize);
        match piece.zeroth > 0.0 {
            true => {
                nodes()
                    .map(|node| self.zeroth[node] * places[node])
                    .sum::<DVec3>()
                    / piece.zeroth
            }
            false => {
                nodes().map(|node| places[node]).sum::<DVec3>() / piece.nodes.len().max(1) as f64
            }
        }
    }

    /// K times a field.
    fn multiply(&self, x: &[DVec3], product: &mut [DVec3]) {
        for (row, product) in product.iter_mut().enumerate() {
            let range = self.starts[row] as usize..self.starts[row + 1] as usize;
            let entries = self.columns[range.clone()].iter().zip(&self.values[range]);
            *product = entries
                .map(|(&column, &value)| value * x[column as usize])
                .sum();
        }
    }

    /// x̄ and B of a piece.
    fn moment(&self, piece: &Piece, positions: &[DVec3]) -> (DVec3, DMat3) {
        let mean = self.mean(piece, positions);
        let mut b = DMat3::ZERO;
        for &node in &piece.nodes {
            let node = node as usize;
            b += outer(positions[node] - mean, self.moments[node]);
        }
        (mean, b)
    }

    /// Leaves the frames of all pieces, e and K e.
    fn strain(&mut self, positions: &[DVec3]) {
        if self.known == positions {
            return;
        }
        self.known.clear();
        self.known.extend_from_slice(positions);
        let mut deformations = std::mem::take(&mut self.deformations);
        deformations.fill(DVec3::ZERO);
        for index in 0..self.pieces.len() {
            let piece = &self.pieces[index];
            let (mean, b) = self.moment(piece, positions);
            let rotation = DMat3::from_quat(best_rotation(&b));
            let back = rotation.transpose();
            for &node in &piece.nodes {
                let node = node as usize;
                deformations[node] = back * (positions[node] - mean) - self.reference[node];
            }
            self.rotations[index] = rotation;
        }
        let mut forces = std::mem::take(&mut self.forces);
        self.multiply(&deformations, &mut forces);
        (self.deformations, self.forces) = (deformations, forces);
    }
}

/// tr(P) 1 - sym P.
fn turning(p: DMat3) -> DMat3 {
    let trace = p.x_axis.x + p.y_axis.y + p.z_axis.z;
    DMat3::from_diagonal(DVec3::splat(trace)) - 0.5 * (p + p.transpose())
}

impl Energy for SplineElasticity {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for row in 0..self.zeroth.len() {
            for slot in self.starts[row]..self.starts[row + 1] {
                let column = self.columns[slot as usize] as usize;
                if column < row {
                    visit(row, column);
                }
            }
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        self.slots.clear();
        for row in 0..self.zeroth.len() {
            for slot in self.starts[row]..self.starts[row + 1] {
                let column = self.columns[slot as usize] as usize;
                let slot = matrix.slot(row, column);
                self.slots
                    .push(slot.expect("the matrix has the couplings of its energies") as u32);
            }
        }
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        self.strain(positions);
        let products = self.deformations.iter().zip(&self.forces);
        0.5 * products.map(|(e, f)| e.dot(*f)).sum::<f64>()
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        self.strain(positions);
        for (piece, rotation) in self.pieces.iter().zip(&self.rotations) {
            for &node in &piece.nodes {
                gradient[node as usize] += *rotation * self.forces[node as usize];
            }
        }
    }

    fn add_hessian(&mut self, _: &[DVec3], _: Curvature, matrix: &mut BlockMatrix) {
        let blocks = matrix.blocks_mut();
        for (slot, value) in self.slots.iter().zip(&self.values) {
            let block = &mut blocks[*slot as usize];
            block.x_axis.x += value;
            block.y_axis.y += value;
            block.z_axis.z += value;
        }
    }

    fn add_reliefs(&mut self, positions: &[DVec3], curvature: Curvature, reliefs: &mut Reliefs) {
        self.strain(positions);
        for (piece, &rotation) in self.pieces.iter().zip(&self.rotations) {
            let nodes = || piece.nodes.iter().map(|&node| node as usize);
            if piece.zeroth > 0.0 {
                let share = piece.zeroth.sqrt().recip();
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    reliefs.push(nodes().map(|node| (node, share * self.zeroth[node] * axis)));
                }
            }
            let strained = nodes().map(|node| outer(self.deformations[node], self.moments[node]));
            let change = turning(strained.fold(DMat3::ZERO, |sum, arm| sum + arm));
            let resistance = match curvature {
                Curvature::Full => piece.resistance + change,
                Curvature::Positive => piece.resistance + positive_part(change),
                Curvature::Material => piece.resistance,
            };
            let (sizes, axes) = symmetric_eigen(resistance);
            for (size, axis) in
                sizes
                    .to_array()
                    .into_iter()
                    .zip([axes.x_axis, axes.y_axis, axes.z_axis])
            {
                if size > OPEN * sizes.max_element().max(f64::MIN_POSITIVE) {
                    let share = size.sqrt().recip();
                    let turned = |node: usize| rotation * (share * axis.cross(self.moments[node]));
                    reliefs.push(nodes().map(|node| (node, turned(node))));
                }
            }
        }
    }

    fn turn_frames(&mut self, positions: &[DVec3], whole: &mut DQuat, of_nodes: &mut Vec<DQuat>) {
        let is_whole = matches!(&self.pieces[..], [piece] if piece.nodes.len() == positions.len());
        if is_whole {
            of_nodes.clear();
        } else {
            of_nodes.resize(positions.len(), *whole);
        }
        for (index, piece) in self.pieces.iter().enumerate() {
            let (_, b) = self.moment(piece, positions);
            let first = piece.nodes[0] as usize;
            let before = of_nodes.get(first).copied().unwrap_or(*whole);
            let now = nearest_rotation(&b, before);
            if index == 0 {
                *whole = now;
            }
            for &node in &piece.nodes {
                if let Some(rotation) = of_nodes.get_mut(node as usize) {
                    *rotation = now;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyDescription;
    use crate::elastic::Weights;
    use crate::energy::contract::{Random, dense, gradient, hessian, is_positive_definite};
    use crate::grid::Grid;
    use crate::hybrid::NodeWeights;
    use crate::hybrid::weights::SplineWeights;

    /// Materials of curves, sheets and solids, with weights of order 0, and one that is cut in two.
    fn materials() -> Vec<(Vec<DVec3>, HybridMaterial)> {
        let mut all = Vec::new();
        for (counts, zeroth, is_cut) in [
            (&[7][..], 0.0, false),
            (&[5, 4][..], 0.0, false),
            (&[4, 3, 3][..], 0.0, false),
            (&[4, 3, 3][..], 0.4, false),
            (&[6, 3][..], 0.0, true),
        ] {
            let grid = Grid::new(counts, &vec![false; counts.len()]);
            let place = |at| {
                let [u, v, w] = grid.material_coordinates(at);
                DVec3::new(
                    u + 0.2 * v * v,
                    0.7 * v + 0.3 * u * u,
                    0.5 * w + 0.1 * u * v,
                )
            };
            let rest: Vec<DVec3> = grid.nodes().map(place).collect();
            let weights = Weights::uniform(grid.node_count(), 3.0, 0.1, 0.0);
            let description = BodyDescription::new("body", grid.clone(), rest.clone(), weights);
            let mut material = HybridMaterial::new(&description);
            material.change_weights(|weights| {
                *weights = SplineWeights::from_nodes(&grid, |node| NodeWeights {
                    zeroth: zeroth * (1.0 + 0.3 * (node as f64).sin()),
                    first: [1.0, 1.4, 0.8],
                    second: [0.02, 0.01, 0.03],
                    mixed: [0.02, 0.015, 0.01],
                });
            });
            if is_cut {
                let across: Vec<(usize, usize)> = (0..3).map(|j| (2 + 6 * j, 0)).collect();
                material.cut(&grid, &across);
                assert_eq!(material.pieces().count(), 2);
            }
            all.push((rest, material));
        }
        all
    }

    /// The Hessian with all that couples nodes far apart.
    fn whole_hessian(
        energy: &mut SplineElasticity,
        x: &[DVec3],
        curvature: Curvature,
    ) -> Vec<Vec<f64>> {
        let mut whole = dense(&hessian(energy, x, curvature));
        let mut reliefs = Reliefs::default();
        energy.add_reliefs(x, curvature, &mut reliefs);
        for (column, _) in x.iter().enumerate() {
            for axis in 0..3 {
                let (mut motion, mut force) =
                    (vec![DVec3::ZERO; x.len()], vec![DVec3::ZERO; x.len()]);
                motion[column][axis] = 1.0;
                reliefs.subtract(&motion, &mut force);
                for (row, force) in force.iter().enumerate() {
                    for other in 0..3 {
                        whole[3 * row + other][3 * column + axis] += force[other];
                    }
                }
            }
        }
        whole
    }

    #[test]
    fn gradient_and_hessian_are_derivatives() {
        let mut random = Random(3);
        for (rest, material) in materials() {
            let mut energy = SplineElasticity::new(&material);
            let turn = DQuat::from_scaled_axis(DVec3::new(0.7, -1.3, 2.0));
            let x: Vec<DVec3> = rest
                .iter()
                .map(|&r| turn * r + 0.04 * random.vector())
                .collect();
            let g = gradient(&mut energy, &x);
            let exact = whole_hessian(&mut energy, &x, Curvature::Full);
            let step = 1e-5;
            let size = exact.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
            for node in 0..x.len() {
                for axis in 0..3 {
                    let moved = |by: f64| {
                        let mut x = x.clone();
                        x[node][axis] += by;
                        x
                    };
                    let (ahead, behind) = (moved(step), moved(-step));
                    let slope = (energy.energy(&ahead) - energy.energy(&behind)) / (2.0 * step);
                    assert!(
                        (slope - g[node][axis]).abs() < 1e-6 * size,
                        "{slope} {}",
                        g[node]
                    );
                    let (a, b) = (
                        gradient(&mut energy, &ahead),
                        gradient(&mut energy, &behind),
                    );
                    for other in 0..x.len() {
                        let found = (a[other] - b[other]) / (2.0 * step);
                        for c in 0..3 {
                            let expected = exact[3 * other + c][3 * node + axis];
                            assert!(
                                (found[c] - expected).abs() < 1e-5 * size,
                                "{found} {expected}"
                            );
                        }
                    }
                }
            }
            let positive = whole_hessian(&mut energy, &x, Curvature::Positive);
            assert!(is_positive_definite(&positive, 1e-9 * size));
        }
    }

    /// Rigid motions cost nothing and are not resisted at rest.
    #[test]
    fn bodies_may_turn_and_move() {
        for (rest, material) in materials() {
            let mut energy = SplineElasticity::new(&material);
            let turn = DQuat::from_scaled_axis(DVec3::new(-2.0, 0.5, 1.0));
            let x: Vec<DVec3> = rest.iter().map(|&r| turn * r + DVec3::ONE).collect();
            assert!(energy.energy(&x) < 1e-20);
            let hessian = whole_hessian(&mut energy, &x, Curvature::Positive);
            let spin = DVec3::new(0.3, 0.2, -0.6);
            let motion: Vec<DVec3> = x.iter().map(|&x| DVec3::X + spin.cross(x)).collect();
            let flat: Vec<f64> = motion.iter().flat_map(|v| v.to_array()).collect();
            for row in &hessian {
                let force: f64 = row.iter().zip(&flat).map(|(a, b)| a * b).sum();
                assert!(force.abs() < 1e-10, "{force}");
            }
        }
    }
}
