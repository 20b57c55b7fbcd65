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
//! Rows of fixed nodes are those of the identity; p and z are zero there.
//!
//! Implements: \[Terzopoulos1988\] the matrix A of eq. 40 and 52, factorised once.

use super::material::{HybridMaterial, centre_of_mass};
use super::measure::Rates;
use super::spline::{fill_stiffness, stiffness_pattern};
use super::viscosity::Viscosity;
use crate::body::{BodyDescription, Grid};
use crate::linear::{GridMatrix, GridSolver, LinearError, SolveReport, SolverSettings};
use glam::{DMat3, DVec3};

/// How strongly the mass of a body has a say in its rotation beside the elastic force. It decides
/// where the elastic force does not know the shape (a flat plate without tension).
const MASS_SHARE: f64 = 1e-10;

/// A curve that leaves its chord by less than this share of its length has no inertia about itself.
const STRAIGHT: f64 = 0.03;

/// Factors of the diagonal part of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Factors {
    /// Of the masses, in 1/s².
    pub(super) mass: f64,
    /// Of the dampings, in 1/s.
    pub(super) damping: f64,
    /// Of the identity, in newtons a metre.
    pub(super) identity: f64,
}

/// How the elastic centre answers to a shift, if there are weights of order 0.
pub(super) struct Shift {
    /// k0 of each node.
    pub(super) weights: Vec<f64>,
    /// z of each node.
    pub(super) answer: Vec<f64>,
    /// σ.
    pub(super) total: f64,
    /// h.
    pub(super) arm: DVec3,
}

/// The matrix, its solver and what was solved for in advance; see the module.
pub(super) struct HybridSystem {
    pub(super) grid: Grid,
    settings: SolverSettings,
    bends: bool,
    /// K.
    pub(super) stiffness: GridMatrix,
    matrix: GridMatrix,
    solver: GridSolver,
    has_fixed_nodes: bool,
    /// Stamps of the material that K and s were made from.
    stamps: Option<[u64; 2]>,
    /// The diagonal with which A was factorised.
    pub(super) factorised: Option<Factors>,
    /// Whether p, z and B0 belong to A and s.
    pub(super) answered: bool,
    /// Factorisations not reported yet.
    factorisations: usize,
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
    /// B0, with the little that the mass adds to it.
    pub(super) base: DMat3,
    /// For weights of order 0.
    pub(super) shift: Option<Shift>,
    /// The axis of a reference shape that is a straight line, in the frame of the body.
    pub(super) axis: Option<DVec3>,
    /// For a body that has dashpots.
    pub(super) viscosity: Option<Viscosity>,
    /// Right-hand side, component by component.
    pub(super) right_hand_side: Vec<f64>,
    /// First guess and solution, component by component.
    pub(super) unknown: Vec<f64>,
}

impl HybridSystem {
    pub(super) fn new(description: &BodyDescription, material: &HybridMaterial) -> Self {
        let grid = description.grid.clone();
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
            base: DMat3::ZERO,
            shift: None,
            axis: None,
            right_hand_side: vec![0.0; 3 * n],
            unknown: vec![0.0; 3 * n],
            grid,
        }
    }

    /// Takes in the material: K and s.
    pub(super) fn take_material(&mut self, material: &HybridMaterial) {
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
        for (node, r) in material.anchor().iter().enumerate() {
            put(&mut self.unknown, node, *r);
        }
        self.stiffness
            .multiply(&self.unknown, &mut self.right_hand_side);
        for (node, force) in self.forces.iter_mut().enumerate() {
            *force = get(&self.right_hand_side, node);
        }
        self.axis = axis_of_line(material.anchor());
        self.stamps = Some(stamps);
        self.answered = false;
    }

    /// Makes the system ready for a step and factorises only what is new. `stiffness` is that of
    /// the loads, one a node.
    pub(super) fn prepare(
        &mut self,
        description: &BodyDescription,
        material: &HybridMaterial,
        factors: Factors,
        stiffness: &[f64],
    ) -> Result<(), LinearError> {
        self.take_material(material);
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
        let mut matrix = std::mem::replace(&mut self.matrix, GridMatrix::new(&self.grid, &[]));
        let stiffness = self.step_stiffness();
        for slot in 0..stiffness.offsets().len() {
            let values = stiffness.values(slot);
            matrix.values_mut(slot).copy_from_slice(values);
        }
        self.matrix = matrix;
        for (node, diagonal) in self.diagonal.iter_mut().enumerate() {
            *diagonal = factors.of(description, node) + self.held[node];
            self.matrix.add(node, node, *diagonal);
        }
        if self.has_fixed_nodes {
            self.matrix.scale_identity_rows(&description.fixed);
        }
        self.solver.prepare(&self.matrix)
    }

    /// p, z and B0.
    fn find_answers(
        &mut self,
        description: &BodyDescription,
        material: &HybridMaterial,
    ) -> Result<(), LinearError> {
        let (fixed, masses) = (&description.fixed, &description.masses);
        let zeroth = self.step_zeroth(material).to_vec();
        let shape = if self.viscous_force().is_some() {
            material.reference()
        } else {
            material.anchor()
        };
        self.find_step_forces(shape);
        self.solve_for(fixed, true, |node| shape[node])?;
        let centre = centre_of_mass(masses, shape);
        let (mut base, mut arm) = (DMat3::ZERO, DVec3::ZERO);
        let (mut largest, mut inertia) = (0.0, 0.0);
        let own_stiffness = self.stiffness.diagonal_of(0);
        for (node, r) in shape.iter().enumerate() {
            let u = get(&self.unknown, node);
            self.answer[node] = if fixed[node] { DVec3::ZERO } else { *r - u };
            base += outer(u, self.step_forces[node]);
            arm += zeroth[node] * u;
            let stiffness = own_stiffness.map_or(0.0, |slot| self.stiffness.values(slot)[node]);
            largest += stiffness * (*r - centre).length_squared();
            inertia += masses[node] * (*r - centre).length_squared();
        }
        self.shift = None;
        if zeroth.iter().any(|&w| w > 0.0) {
            let shift = self.answer_to_shift(fixed, zeroth, arm)?;
            base -= outer(arm, arm) * (1.0 / shift.total);
            self.shift = Some(shift);
        }
        let trace = base.x_axis.x + base.y_axis.y + base.z_axis.z;
        let strength = MASS_SHARE * trace.max(0.01 * largest);
        let strength = if strength > 0.0 { strength } else { 1.0 };
        let share = if inertia > 0.0 {
            strength / inertia
        } else {
            0.0
        };
        for (node, r) in shape.iter().enumerate() {
            let own = share * masses[node] * (*r - centre);
            self.moments[node] = self.step_forces[node] + own;
            base += outer(*r - centre, own);
        }
        self.base = (base + base.transpose()) * 0.5;
        Ok(())
    }

    fn answer_to_shift(
        &mut self,
        fixed: &[bool],
        zeroth: Vec<f64>,
        arm: DVec3,
    ) -> Result<Shift, LinearError> {
        self.solve_for(fixed, false, |_| DVec3::X)?;
        let left = |node: usize| self.unknown[node];
        Ok(Shift {
            answer: (0..fixed.len())
                .map(|node| if fixed[node] { 0.0 } else { 1.0 - left(node) })
                .collect(),
            total: (0..fixed.len()).map(|node| zeroth[node] * left(node)).sum(),
            arm,
            weights: zeroth,
        })
    }

    /// K e, or K' e - g, of the e in `unknown`, in the right-hand side.
    pub(super) fn multiply(&mut self, rates: Rates) {
        let mut force = std::mem::take(&mut self.right_hand_side);
        match (rates, self.viscous_force()) {
            (Rates::OfStep, Some(g)) => {
                self.step_stiffness().multiply(&self.unknown, &mut force);
                force.iter_mut().zip(g).for_each(|(force, g)| *force -= g);
            }
            _ => self.stiffness.multiply(&self.unknown, &mut force),
        }
        self.right_hand_side = force;
    }

    /// s of a step for a reference shape.
    pub(super) fn find_step_forces(&mut self, shape: &[DVec3]) {
        if self.viscous_force().is_none() {
            self.step_forces.copy_from_slice(&self.forces);
            return;
        }
        for (node, r) in shape.iter().enumerate() {
            put(&mut self.unknown, node, -*r);
        }
        self.multiply(Rates::OfStep);
        for (node, force) in self.step_forces.iter_mut().enumerate() {
            *force = -get(&self.right_hand_side, node);
        }
    }

    /// Leaves A⁻¹ D v in `unknown`, or A⁻¹ (D v - g); where nodes are fixed, what v is less the
    /// answer to K v.
    fn solve_for(
        &mut self,
        fixed: &[bool],
        resisted: bool,
        value: impl Fn(usize) -> DVec3,
    ) -> Result<(), LinearError> {
        self.right_hand_side.fill(0.0);
        if self.has_fixed_nodes {
            for (node, &fixed) in fixed.iter().enumerate() {
                let own = if fixed { value(node) } else { DVec3::ZERO };
                put(&mut self.unknown, node, own);
            }
            let mut from_fixed = std::mem::take(&mut self.right_hand_side);
            self.step_stiffness()
                .multiply(&self.unknown, &mut from_fixed);
            self.right_hand_side = from_fixed;
        }
        if resisted && let Some(g) = self.viscosity.as_ref().and_then(Viscosity::force) {
            let sums = self.right_hand_side.iter_mut().zip(g);
            sums.for_each(|(sum, g)| *sum += g);
        }
        for (node, &fixed) in fixed.iter().enumerate() {
            let taken = get(&self.right_hand_side, node);
            let own = if fixed {
                value(node)
            } else {
                self.diagonal[node] * value(node) - taken
            };
            put(&mut self.right_hand_side, node, own);
            put(&mut self.unknown, node, value(node));
        }
        let (b, x) = (&self.right_hand_side, &mut self.unknown);
        let report = self.solver.solve(&self.matrix, b, x)?;
        self.factorisations += report.factorisations;
        Ok(())
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

/// The direction of a straight line of points; `None` if they are none.
fn axis_of_line(points: &[DVec3]) -> Option<DVec3> {
    let start = *points.first()?;
    let arms = || points.iter().map(|point| *point - start);
    let longest = arms().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))?;
    let axis = longest.try_normalize()?;
    let off = |arm: DVec3| arm.reject_from_normalized(axis).length();
    let straight = arms().all(|arm| off(arm) < STRAIGHT * longest.length());
    straight.then_some(axis)
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

/// a bᵀ.
#[inline]
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
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
