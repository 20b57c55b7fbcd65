//! Stiffness warping: the constant stiffness of the rest shape, turned at each vertex.
//!
//! ```text
//! f_i = -R_i Σ_j K_ij (R_iᵀ x_j - x⁰_j)
//! ```
//!
//! K is the Hessian at rest of any energy over the mesh: of tetrahedra (the paper's case) or of a
//! network of springs. It never changes, so a step costs one rotation per vertex and no element is
//! visited. The rotation of the row alone makes the product not symmetric and lets internal forces
//! push the whole body (ghost forces): the integrator restores the momenta of free bodies. For the
//! implicit matrix ½ (R_i K_ij R_iᵀ + R_j K_ij R_jᵀ) is used, with diagonal blocks that make the rows
//! sum to zero but for what is not symmetric: it hardly resists a shift of the whole, and is the
//! derivative where neighbours turn alike.
//!
//! There is no energy whose gradient these forces are. For reports
//! E = -¼ Σ_ij d_ijᵀ K_ij d_ij with d_ij = R_iᵀ (x_i - x_j) - (x⁰_i - x⁰_j) is used, which is the
//! exact one where all vertices turn alike.
//!
//! Implements: \[Mueller2002\] eq. 8-13.

use super::{Energy, RotationField, RotationMethod};
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use glam::{DMat3, DVec3};

/// A warped stiffness matrix.
#[derive(Debug)]
pub struct Warped {
    rest_positions: Vec<DVec3>,
    stiffness: BlockMatrix,
    field: RotationField,
    /// One for each vertex, found at the positions that were seen last.
    rotations: Vec<DMat3>,
    seen: Vec<DVec3>,
    /// The energy there, once it was asked for.
    seen_energy: Option<f64>,
    /// Slots of the blocks of `stiffness` in the matrix of the integrator.
    slots: Vec<u32>,
    /// Rows and columns of the blocks of `stiffness` below the diagonal, with the slots there of each and its
    /// mirror image.
    pairs: Vec<(u32, u32, [u32; 2])>,
    /// The sum of the blocks beside the diagonal of each row.
    sums: Vec<DMat3>,
    /// Whether the rotations stay as they are.
    is_held: bool,
}

impl Warped {
    /// Warps the stiffness that `energy` has at rest.
    pub fn new(
        rest_positions: &[DVec3],
        mut energy: Box<dyn Energy>,
        method: RotationMethod,
    ) -> Self {
        let mut couplings = Vec::new();
        energy.couplings(&mut |a, b| couplings.push((a, b)));
        let mut stiffness = BlockMatrix::new(rest_positions.len(), couplings.iter().copied());
        energy.attach(&stiffness);
        energy.add_hessian(rest_positions, Curvature::Positive, &mut stiffness);
        let mut pairs = Vec::new();
        stiffness.visit_couplings(&mut |row, column| {
            let slots = [(row, column), (column, row)].map(|(a, b)| stiffness.slot(a, b));
            if let [Some(slot), Some(mirrored)] = slots {
                let slots = [slot as u32, mirrored as u32];
                pairs.push((row as u32, column as u32, slots));
            }
        });
        Self {
            pairs,
            sums: vec![DMat3::ZERO; rest_positions.len()],
            field: RotationField::new(rest_positions, couplings.into_iter(), method),
            rotations: vec![DMat3::IDENTITY; rest_positions.len()],
            seen: Vec::with_capacity(rest_positions.len()),
            seen_energy: None,
            rest_positions: rest_positions.to_vec(),
            stiffness,
            slots: Vec::new(),
            is_held: false,
        }
    }

    /// Finds the rotations at positions, unless they are held or known.
    fn rotate(&mut self, positions: &[DVec3]) {
        if !self.is_held && self.seen != positions {
            self.field.find(positions, &mut self.rotations);
            self.seen.clear();
            self.seen.extend_from_slice(positions);
            self.seen_energy = None;
        }
    }

    /// The energy at positions, with the rotations as they are.
    fn energy_of(&self, positions: &[DVec3]) -> f64 {
        let mut sum = 0.0;
        for (row, rotation) in self.rotations.iter().enumerate() {
            for slot in self.stiffness.row_range(row) {
                let column = self.stiffness.column(slot);
                let edge = rotation.transpose() * (positions[row] - positions[column])
                    - (self.rest_positions[row] - self.rest_positions[column]);
                sum -= 0.25 * edge.dot(*self.stiffness.block(slot) * edge);
            }
        }
        sum
    }
}

impl Energy for Warped {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.stiffness.visit_couplings(visit);
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        self.slots = self.stiffness.slots_in(matrix);
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        self.rotate(positions);
        if self.is_held {
            return self.energy_of(positions);
        }
        let energy = self
            .seen_energy
            .unwrap_or_else(|| self.energy_of(positions));
        self.seen_energy = Some(energy);
        energy
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        self.rotate(positions);
        for (row, rotation) in self.rotations.iter().enumerate() {
            let mut force = DVec3::ZERO;
            for slot in self.stiffness.row_range(row) {
                let column = self.stiffness.column(slot);
                // Relative to the row's own vertex, since the blocks of a row sum to zero: no
                // digits are lost far from the origin.
                let edge = rotation.transpose() * (positions[column] - positions[row])
                    - (self.rest_positions[column] - self.rest_positions[row]);
                force += *self.stiffness.block(slot) * edge;
            }
            gradient[row] += *rotation * force;
        }
    }

    fn add_hessian(&mut self, positions: &[DVec3], _: Curvature, matrix: &mut BlockMatrix) {
        self.rotate(positions);
        let (stiffness, rotations) = (&self.stiffness, &self.rotations);
        let turned = |row: usize, slot: usize| {
            let rotation = rotations[row];
            rotation * *stiffness.block(slot) * rotation.transpose()
        };
        self.sums.fill(DMat3::ZERO);
        for &(row, column, [slot, mirrored]) in &self.pairs {
            let (row, column) = (row as usize, column as usize);
            let [slot, mirrored] = [slot as usize, mirrored as usize];
            let block = (turned(row, slot) + turned(column, mirrored).transpose()) * 0.5;
            matrix.add_at(self.slots[slot] as usize, block);
            matrix.add_at(self.slots[mirrored] as usize, block.transpose());
            self.sums[row] += block;
            self.sums[column] += block.transpose();
        }
        for (row, sum) in self.sums.iter().enumerate() {
            let diagonal = self.slots[stiffness.diagonal_slot(row)];
            matrix.add_at(diagonal as usize, (*sum + sum.transpose()) * -0.5);
        }
    }

    fn is_conservative(&self) -> bool {
        false
    }

    fn hold(&mut self, held: bool) {
        self.is_held = held;
    }
}
