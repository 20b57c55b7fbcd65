//! The linear system of a hybrid body, prepared once and kept as long as nothing in it changes.
//!
//! ```text
//! A = K + D,   D = a M + b C + k                  scalar, the same for x, y and z
//! s = K r,     u = A⁻¹ D r,    p = r - u          the answer of the shape to a turn of its frame
//! z = A⁻¹ K 1, k0 = K 1                           the same for a shift; zero without order 0
//! B0 = Σ u sᵀ - h hᵀ / σ,   h = Σ k0 u,   σ = Σ k0 (1 - z)
//! ```
//!
//! k is the stiffness of loads, where it is needed for stability (see [`held_stiffness`]).
//!
//! Each piece of a torn body has its own r (about its centre of mass), B0, h and σ; u, p and z need
//! one solve for all of them, since K does not join them.
//!
//! Rows of fixed nodes are those of the identity; p and z are zero there.
//!
//! Implements: \[Terzopoulos1988\] the matrix A of eq. 40 and 52, factorised once.

use super::answers::{PieceAnswer, Shift};
use super::material::HybridMaterial;
use super::measure::Rates;
use super::spline::{fill_stiffness, stiffness_pattern};
use super::viscosity::Viscosity;
use crate::body::BodyDescription;
use crate::grid::Grid;
use crate::linear::{GridMatrix, GridSolver, LinearError, SolveReport, SolverSettings};
use glam::DVec3;

/// Factors of the diagonal part of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Factors {
    /// Of the masses, in 1/s².
    pub(super) mass: f64,
    /// Of the dampings, in 1/s.
    pub(super) damping: f64,
    /// Of the identity, in newtons per metre.
    pub(super) identity: f64,
}

/// The matrix, its solver and what was solved for in advance; see the module.
pub(super) struct HybridSystem {
    pub(super) grid: Grid,
    settings: SolverSettings,
    bends: bool,
    /// K.
    pub(super) stiffness: GridMatrix,
    pub(super) matrix: GridMatrix,
    pub(super) solver: GridSolver,
    pub(super) has_fixed_nodes: bool,
    /// Stamps of the material that K and s were made from.
    stamps: Option<[u64; 2]>,
    /// The diagonal with which A was factorised.
    pub(super) factorised: Option<Factors>,
    /// Whether p, z and B0 belong to A and s.
    pub(super) answered: bool,
    /// Factorisations not reported yet.
    pub(super) factorisations: usize,
    /// D of each node.
    pub(super) diagonal: Vec<f64>,
    /// k of each node.
    pub(super) held: Vec<f64>,
    /// s of each node.
    pub(super) forces: Vec<DVec3>,
    /// s of a step: with dashpots, K' r + g.
    pub(super) step_forces: Vec<DVec3>,
    /// s of a step and the little that the mass adds to it.
    pub(super) moments: Vec<DVec3>,
    /// p of each node.
    pub(super) answer: Vec<DVec3>,
    /// Of each piece.
    pub(super) pieces: Vec<PieceAnswer>,
    /// For weights of order 0.
    pub(super) shift: Option<Shift>,
    /// For a body that has dashpots.
    pub(super) viscosity: Option<Viscosity>,
    /// Right-hand side, component by component.
    pub(super) right_hand_side: Vec<f64>,
    /// First guess and solution, component by component.
    pub(super) unknown: Vec<f64>,
}

impl HybridSystem {
    pub(super) fn new(description: &BodyDescription, material: &HybridMaterial) -> Self {
        let grid = description.material_grid().clone();
        let n = grid.node_count();
        let bends = material.weights().bends();
        let matrix = stiffness_pattern(&grid, bends);
        Self {
            settings: description.solver,
            bends,
            solver: GridSolver::new(description.solver, &matrix),
            stiffness: matrix.clone(),
            viscosity: Viscosity::of(description, material, &matrix),
            matrix,
            has_fixed_nodes: description.fixed.contains(&true),
            stamps: None,
            factorised: None,
            answered: false,
            factorisations: 0,
            diagonal: vec![0.0; n],
            held: vec![0.0; n],
            forces: vec![DVec3::ZERO; n],
            step_forces: vec![DVec3::ZERO; n],
            moments: vec![DVec3::ZERO; n],
            answer: vec![DVec3::ZERO; n],
            pieces: Vec::new(),
            shift: None,
            right_hand_side: vec![0.0; 3 * n],
            unknown: vec![0.0; 3 * n],
            grid,
        }
    }

    /// Takes in the material: K and s.
    pub(super) fn take_material(
        &mut self,
        description: &BodyDescription,
        material: &HybridMaterial,
    ) {
        let stamps = material.stamps();
        if self.stamps == Some(stamps) {
            return;
        }
        if self.stamps.is_none_or(|old| old[1] != stamps[1]) {
            let weights = material.weights();
            if weights.bends() && !self.bends {
                self.bends = true;
                self.stiffness = stiffness_pattern(&self.grid, true);
                self.matrix = self.stiffness.clone();
                self.solver = GridSolver::new(self.settings, &self.matrix);
            }
            fill_stiffness(&self.grid, weights, &mut self.stiffness);
            self.factorised = None;
        }
        self.take_pieces(description, material);
        for (node, r) in material.anchor().iter().enumerate() {
            let arm = *r - self.origin(material, node);
            put(&mut self.unknown, node, arm);
        }
        self.stiffness
            .multiply(&self.unknown, &mut self.right_hand_side);
        for (node, force) in self.forces.iter_mut().enumerate() {
            *force = get(&self.right_hand_side, node);
        }
        self.stamps = Some(stamps);
        self.answered = false;
    }

    /// Makes the system ready for a step and factorises only what is new. `stiffness` is that of
    /// the loads, one per node.
    pub(super) fn prepare(
        &mut self,
        description: &BodyDescription,
        material: &HybridMaterial,
        factors: Factors,
        stiffness: &[f64],
    ) -> Result<(), LinearError> {
        self.take_material(description, material);
        for (node, &k) in stiffness.iter().enumerate() {
            if k == 0.0 && self.held[node] == 0.0 {
                continue;
            }
            let held = held_stiffness(k, factors.of(description, node));
            if held != self.held[node] {
                self.held[node] = held;
                self.factorised = None;
            }
        }
        if self.factorised != Some(factors) {
            self.factorised = None;
            self.answered = false;
            self.factorise(description, factors)?;
            self.factorised = Some(factors);
        }
        if !self.answered {
            self.find_answers(description, material)?;
            self.answered = true;
        }
        Ok(())
    }

    /// Solves for `unknown`.
    pub(super) fn solve(&mut self) -> Result<SolveReport, LinearError> {
        let (b, x) = (&self.right_hand_side, &mut self.unknown);
        let mut report = self.solver.substitute(&self.matrix, b, x)?;
        report.factorisations += std::mem::take(&mut self.factorisations);
        Ok(report)
    }

    fn factorise(
        &mut self,
        description: &BodyDescription,
        factors: Factors,
    ) -> Result<(), LinearError> {
        let stiffness = Viscosity::stiffness(&self.viscosity, &self.stiffness);
        for slot in 0..stiffness.offsets().len() {
            let values = stiffness.values(slot);
            self.matrix.values_mut(slot).copy_from_slice(values);
        }
        for (node, diagonal) in self.diagonal.iter_mut().enumerate() {
            *diagonal = factors.of(description, node) + self.held[node];
            self.matrix.add(node, node, *diagonal);
        }
        if self.has_fixed_nodes {
            self.matrix.scale_identity_rows(&description.fixed);
        }
        self.solver.prepare(&self.matrix)
    }

    /// K e, or K' e - g, of the e in `unknown`, in the right-hand side.
    pub(super) fn multiply(&mut self, rates: Rates) {
        let (e, force) = (&self.unknown, &mut self.right_hand_side);
        match (rates, Viscosity::force(&self.viscosity)) {
            (Rates::OfStep, Some(g)) => {
                Viscosity::stiffness(&self.viscosity, &self.stiffness).multiply(e, force);
                force.iter_mut().zip(g).for_each(|(force, g)| *force -= g);
            }
            _ => self.stiffness.multiply(e, force),
        }
    }
}

impl Factors {
    /// The diagonal of a node without the stiffness of loads.
    fn of(&self, description: &BodyDescription, node: usize) -> f64 {
        self.mass * description.masses[node]
            + self.damping * description.dampings[node]
            + self.identity
    }
}

/// The stiffness of a load that goes into the matrix.
///
/// Forces are taken at the predicted positions. A load softer than the inertia D of its node is
/// stable there without help, so that gravity, weak springs and thin fluids never touch the matrix.
/// A stiffer one counts with the next power of four, so that the matrix is factorised again only
/// when the stiffness changes a lot. More than needed is an inertia and does no harm.
fn held_stiffness(stiffness: f64, inertia: f64) -> f64 {
    if stiffness <= 0.5 * inertia || !stiffness.is_finite() {
        return 0.0;
    }
    let exponent = stiffness.log2() * 0.5;
    4.0_f64.powi(exponent.ceil() as i32)
}

/// Vector of a node in a flat, component-major field.
#[inline]
pub(super) fn get(flat: &[f64], node: usize) -> DVec3 {
    let n = flat.len() / 3;
    DVec3::new(flat[node], flat[node + n], flat[node + 2 * n])
}

/// Sets the vector of a node in a flat, component-major field.
#[inline]
pub(super) fn put(flat: &mut [f64], node: usize, value: DVec3) {
    let n = flat.len() / 3;
    flat[node] = value.x;
    flat[node + n] = value.y;
    flat[node + 2 * n] = value.z;
}

/// The components of a flat field.
#[inline]
pub(super) fn components(flat: &[f64]) -> [&[f64]; 3] {
    let n = flat.len() / 3;
    let (x, rest) = flat.split_at(n);
    let (y, z) = rest.split_at(n);
    [x, y, &z[..n]]
}

/// The components of a flat field, to write to.
#[inline]
pub(super) fn components_mut(flat: &mut [f64]) -> [&mut [f64]; 3] {
    let n = flat.len() / 3;
    let (x, rest) = flat.split_at_mut(n);
    let (y, z) = rest.split_at_mut(n);
    [x, y, &mut z[..n]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_loads_stay_out_of_the_matrix_and_hard_ones_change_it_seldom() {
        assert_eq!(held_stiffness(1.0, 10.0), 0.0);
        assert_eq!(held_stiffness(16.0, 10.0), 16.0);
        assert_eq!(held_stiffness(17.0, 10.0), 64.0);
        assert_eq!(held_stiffness(63.0, 10.0), 64.0);
        assert_eq!(held_stiffness(f64::INFINITY, 10.0), 0.0);
    }
}
