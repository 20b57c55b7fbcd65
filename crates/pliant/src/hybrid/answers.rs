//! What a hybrid system solves for in advance, so that a turn of a frame takes no solve in a step.
//!
//! The equations and symbols are those of `system.rs`. Each piece of a torn body has its own r (about
//! its centre of mass), B0, h and σ; u, p and z need one solve for all of them, since K does not join
//! them.
//!
//! Implements: \[Terzopoulos1988\] eq. 50-52, for a frame that follows the shape.

use super::material::HybridMaterial;
use super::measure::Rates;
use super::system::{HybridSystem, get, put};
use super::viscosity::Viscosity;
use crate::body::BodyDescription;
use crate::linear::LinearError;
use crate::math::outer;
use glam::{DMat3, DVec3};

/// How strongly the mass of a body has a say in its rotation beside the elastic force. It decides
/// where the elastic force does not know the shape (a flat plate without tension).
const MASS_SHARE: f64 = 1e-10;

/// A curve that leaves its chord by less than this share of its length has no inertia about itself.
const STRAIGHT: f64 = 0.03;

/// How the elastic centre answers to a shift, if there are weights of order 0.
#[derive(Default)]
pub(super) struct Shift {
    /// k0 of each node.
    pub(super) weights: Vec<f64>,
    /// z of each node.
    pub(super) answer: Vec<f64>,
}

/// What was solved for in advance of one piece of the body; see the module.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PieceAnswer {
    /// The point of the reference shape that e is measured from: zero for a body in one piece.
    pub(super) origin: DVec3,
    /// B0, with the little that the mass adds to it.
    pub(super) base: DMat3,
    /// σ; 0 without weights of order 0.
    pub(super) total: f64,
    /// h.
    pub(super) arm: DVec3,
    /// The axis of a reference shape that is a straight line, in the frame of the piece.
    pub(super) axis: Option<DVec3>,
    /// Whether some of its nodes are fixed.
    pub(super) is_held: bool,
}

impl HybridSystem {
    /// What is known of the pieces before anything is solved for.
    pub(super) fn take_pieces(&mut self, description: &BodyDescription, material: &HybridMaterial) {
        let (pieces, shape) = (material.pieces(), material.anchor());
        self.pieces.clear();
        for piece in 0..pieces.count() {
            let nodes = || pieces.nodes(piece).iter().map(|&node| node as usize);
            let mut origin = DVec3::ZERO;
            if !pieces.is_whole() {
                let mass: f64 = nodes().map(|node| description.masses[node]).sum();
                let sum: DVec3 = nodes()
                    .map(|node| description.masses[node] * shape[node])
                    .sum();
                origin = sum / mass;
            }
            self.pieces.push(PieceAnswer {
                origin,
                axis: axis_of_line(nodes().map(|node| shape[node])),
                is_held: nodes().any(|node| description.fixed[node]),
                ..PieceAnswer::default()
            });
        }
    }

    /// The point of the reference shape that e of a node is measured from.
    pub(super) fn origin(&self, material: &HybridMaterial, node: usize) -> DVec3 {
        let piece = material.pieces().of_node(node);
        self.pieces
            .get(piece)
            .map_or(DVec3::ZERO, |answer| answer.origin)
    }

    /// p, z and B0.
    pub(super) fn find_answers(
        &mut self,
        description: &BodyDescription,
        material: &HybridMaterial,
    ) -> Result<(), LinearError> {
        let (fixed, masses) = (&description.fixed, &description.masses);
        let shape = match Viscosity::force(&self.viscosity) {
            Some(_) => material.reference(),
            None => material.anchor(),
        };
        self.find_step_forces(material, shape);
        let mut pieces = std::mem::take(&mut self.pieces);
        let of_node = |node: usize| material.pieces().of_node(node);
        let place = |pieces: &[PieceAnswer], node: usize| {
            shape[node] - pieces.get(of_node(node)).map_or(DVec3::ZERO, |p| p.origin)
        };
        let solved = self.solve_for(fixed, true, |node| place(&pieces, node));
        if solved.is_ok() {
            for (piece, found) in pieces.iter_mut().enumerate() {
                let nodes = material.pieces().nodes(piece);
                let (origin, zeroth) = (found.origin, &self.viscosity);
                let zeroth = Viscosity::zeroth(zeroth, material);
                let (mut base, mut arm) = (DMat3::ZERO, DVec3::ZERO);
                for node in nodes.iter().map(|&node| node as usize) {
                    let u = get(&self.unknown, node);
                    let r = shape[node] - origin;
                    self.answer[node] = if fixed[node] { DVec3::ZERO } else { r - u };
                    base += outer(u, self.step_forces[node]);
                    arm += zeroth[node] * u;
                }
                (found.base, found.arm) = (base, arm);
            }
            for node in (0..fixed.len()).filter(|&node| material.pieces().is_loose(node)) {
                (self.answer[node], self.moments[node]) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
        self.pieces = pieces;
        solved?;
        self.answer_to_shift(fixed, material)?;
        for piece in 0..self.pieces.len() {
            self.let_mass_decide(piece, masses, material, shape);
        }
        Ok(())
    }

    /// Adds the little that the mass says about the rotation of a piece.
    fn let_mass_decide(
        &mut self,
        piece: usize,
        masses: &[f64],
        material: &HybridMaterial,
        shape: &[DVec3],
    ) {
        let answer = &mut self.pieces[piece];
        let nodes = || material.pieces().nodes(piece).iter().map(|&n| n as usize);
        let mass: f64 = nodes().map(|node| masses[node]).sum();
        let sum: DVec3 = nodes().map(|node| masses[node] * shape[node]).sum();
        let centre = sum / mass;
        let (mut largest, mut inertia) = (0.0, 0.0);
        let diagonal = self.stiffness.diagonal_of(0);
        for node in nodes() {
            let arm = (shape[node] - centre).length_squared();
            let stiffness = diagonal.map_or(0.0, |slot| self.stiffness.values(slot)[node]);
            largest += stiffness * arm;
            inertia += masses[node] * arm;
        }
        if answer.total > 0.0 {
            answer.base -= outer(answer.arm, answer.arm) * (1.0 / answer.total);
        }
        let trace = answer.base.x_axis.x + answer.base.y_axis.y + answer.base.z_axis.z;
        let strength = MASS_SHARE * trace.max(0.01 * largest);
        let strength = if strength > 0.0 { strength } else { 1.0 };
        let share = if inertia > 0.0 {
            strength / inertia
        } else {
            0.0
        };
        for node in nodes() {
            let arm = shape[node] - centre;
            let moment = share * masses[node] * arm;
            self.moments[node] = self.step_forces[node] + moment;
            answer.base += outer(arm, moment);
        }
        // Symmetric but for rounding, unless dashpots pull.
        if Viscosity::force(&self.viscosity).is_none() {
            answer.base = (answer.base + answer.base.transpose()) * 0.5;
        }
    }

    /// z and σ, where there are weights of order 0.
    fn answer_to_shift(
        &mut self,
        fixed: &[bool],
        material: &HybridMaterial,
    ) -> Result<(), LinearError> {
        let zeroth = Viscosity::zeroth(&self.viscosity, material);
        if zeroth.iter().all(|&w| w == 0.0) {
            self.shift = None;
            return Ok(());
        }
        let mut shift = self.shift.take().unwrap_or_default();
        shift.weights.clear();
        shift.weights.extend(zeroth);
        self.solve_for(fixed, false, |_| DVec3::X)?;
        shift.answer.clear();
        let left = |node: usize| self.unknown[node];
        let answers = fixed.iter().enumerate();
        shift
            .answer
            .extend(answers.map(|(node, &fixed)| if fixed { 0.0 } else { 1.0 - left(node) }));
        for (piece, answer) in self.pieces.iter_mut().enumerate() {
            let nodes = material.pieces().nodes(piece).iter();
            let terms =
                nodes.map(|&node| shift.weights[node as usize] * self.unknown[node as usize]);
            answer.total = terms.sum();
        }
        self.shift = Some(shift);
        Ok(())
    }

    /// s of a step for a reference shape.
    pub(super) fn find_step_forces(&mut self, material: &HybridMaterial, shape: &[DVec3]) {
        if Viscosity::force(&self.viscosity).is_none() {
            self.step_forces.copy_from_slice(&self.forces);
            return;
        }
        for (node, r) in shape.iter().enumerate() {
            let opposite = self.origin(material, node) - *r;
            put(&mut self.unknown, node, opposite);
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
                let entry = if fixed { value(node) } else { DVec3::ZERO };
                put(&mut self.unknown, node, entry);
            }
            Viscosity::stiffness(&self.viscosity, &self.stiffness)
                .multiply(&self.unknown, &mut self.right_hand_side);
        }
        if resisted && let Some(g) = Viscosity::force(&self.viscosity) {
            let sums = self.right_hand_side.iter_mut().zip(g);
            sums.for_each(|(sum, g)| *sum += g);
        }
        for (node, &fixed) in fixed.iter().enumerate() {
            let taken = get(&self.right_hand_side, node);
            let entry = if fixed {
                value(node)
            } else {
                self.diagonal[node] * value(node) - taken
            };
            put(&mut self.right_hand_side, node, entry);
            put(&mut self.unknown, node, value(node));
        }
        let (b, x) = (&self.right_hand_side, &mut self.unknown);
        let report = self.solver.solve(&self.matrix, b, x)?;
        self.factorisations += report.factorisations;
        Ok(())
    }
}

/// The direction of a straight line of points; `None` if they are none.
fn axis_of_line(points: impl Iterator<Item = DVec3> + Clone) -> Option<DVec3> {
    let start = points.clone().next()?;
    let arms = || points.clone().map(|point| point - start);
    let longest = arms().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))?;
    let axis = longest.try_normalize()?;
    let off = |arm: DVec3| arm.reject_from_normalized(axis).length();
    let straight = arms().all(|arm| off(arm) < STRAIGHT * longest.length());
    straight.then_some(axis)
}
