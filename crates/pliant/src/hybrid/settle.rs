//! The one linear solve of a step and the frame that belongs to its solution.
//!
//! ```text
//! e* = R*ᵀ (x* - c*) - r
//! A e' = D e* + R*ᵀ F + g
//! Q  : the rotation nearest to B = B0 + Σ e' sᵀ - g hᵀ / σ,   g = Σ k0 e'
//! x⁺ = x* + R* (e' - e* + (Q - 1) p + z γ),                   σ γ = g - (Q - 1) h
//! ```
//!
//! Symbols as in `system.rs` and, for the dashpots' g, `viscosity.rs`; g, h, γ and z are zero without weights of order 0.
//!
//! Implements: \[Terzopoulos1988\] eq. 50-52.

use super::material::HybridMaterial;
use super::rotation::{nearest_rotation, rotation_minus_identity};
use super::system::{HybridSystem, components, components_mut, get, outer, put};
use super::viscosity::Viscosity;
use crate::body::Body;
use crate::force::Loads;
use crate::integrate::{Problem, StepFailure};
use crate::linear::SolveReport;
use crate::loads::LoadEvaluator;
use glam::{DMat3, DQuat, DVec3};

/// The memory of a solve, and of the loads that go into it.
pub(super) struct HybridStep {
    pub(super) system: HybridSystem,
    pub(super) evaluator: LoadEvaluator,
    pub(super) loads: Loads,
    /// x*.
    pub(super) predicted: Vec<DVec3>,
    /// x⁺ - x*.
    pub(super) change: Vec<DVec3>,
    /// e*, component by component.
    start: Vec<f64>,
    pub(super) has_fixed_nodes: bool,
}

/// Where the solve starts from.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// c*.
    pub(super) centre: DVec3,
    /// R*.
    pub(super) rotation: DQuat,
    /// Whether the frame follows the shape.
    pub(super) follows: bool,
}

impl HybridStep {
    pub(super) fn new(body: &Body, material: &HybridMaterial) -> Self {
        let description = body.description();
        let n = body.node_count();
        Self {
            system: HybridSystem::new(description, material),
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(n, false),
            predicted: vec![DVec3::ZERO; n],
            change: vec![DVec3::ZERO; n],
            start: vec![0.0; 3 * n],
            has_fixed_nodes: description.fixed.contains(&true),
        }
    }

    /// Solves for the change from the predicted positions under forces in the world. Returns the
    /// frame's rotation after it.
    pub(super) fn settle(
        &mut self,
        problem: &Problem,
        material: &HybridMaterial,
        frame: &Frame,
        force: impl Fn(usize) -> DVec3,
    ) -> Result<(SolveReport, DQuat), StepFailure> {
        let body_from_world = DMat3::from_quat(frame.rotation).transpose();
        let reference = material.reference();
        self.fill(reference, frame.centre, &body_from_world, force);
        if self.has_fixed_nodes {
            self.fill_for_change(&problem.body.description().fixed);
        }
        let report = self.system.solve()?;
        if self.has_fixed_nodes {
            for (e, start) in self.system.unknown.iter_mut().zip(&self.start) {
                *e += start;
            }
        }
        Ok((report, self.place(frame)))
    }

    /// The change for the e' that stands in `unknown`. Returns the frame's rotation after it.
    pub(super) fn place(&mut self, frame: &Frame) -> DQuat {
        let turn = if frame.follows {
            self.turn_of_frame()
        } else {
            DQuat::IDENTITY
        };
        self.find_change(&DMat3::from_quat(frame.rotation), turn);
        frame.rotation * turn
    }

    /// e*, as the first guess too, and D e* + Rᵀ F.
    fn fill(
        &mut self,
        reference: &[DVec3],
        centre: DVec3,
        body_from_world: &DMat3,
        force: impl Fn(usize) -> DVec3,
    ) {
        let n = self.predicted.len();
        let system = &mut self.system;
        let (predicted, reference) = (&self.predicted[..n], &reference[..n]);
        let diagonal = &system.diagonal[..n];
        let start = components_mut(&mut self.start).map(|c| &mut c[..n]);
        let b = components_mut(&mut system.right_hand_side).map(|c| &mut c[..n]);
        for node in 0..n {
            let e = *body_from_world * (predicted[node] - centre) - reference[node];
            let rhs = *body_from_world * force(node) + diagonal[node] * e;
            (start[0][node], start[1][node], start[2][node]) = (e.x, e.y, e.z);
            (b[0][node], b[1][node], b[2][node]) = (rhs.x, rhs.y, rhs.z);
        }
        if let Some(g) = system.viscosity.as_ref().and_then(Viscosity::force) {
            let sums = system.right_hand_side.iter_mut().zip(g);
            sums.for_each(|(sum, g)| *sum += g);
        }
        system.unknown.copy_from_slice(&self.start);
    }

    /// Turns the system into one for e' - e*, which is zero where nodes are fixed: the right-hand
    /// side is Rᵀ F - K e*.
    fn fill_for_change(&mut self, fixed: &[bool]) {
        let system = &mut self.system;
        let mut resistance = std::mem::take(&mut system.unknown);
        system
            .step_stiffness()
            .multiply(&self.start, &mut resistance);
        system.unknown = resistance;
        for (node, &fixed) in fixed.iter().enumerate() {
            let resistance = get(&system.unknown, node);
            let inertia = system.diagonal[node] * get(&self.start, node);
            let net = get(&system.right_hand_side, node) - inertia - resistance;
            let net = if fixed { DVec3::ZERO } else { net };
            put(&mut system.right_hand_side, node, net);
        }
        system.unknown.fill(0.0);
    }

    /// Q.
    fn turn_of_frame(&self) -> DQuat {
        let system = &self.system;
        let [x, y, z] = components(&system.unknown);
        let mut columns = [DVec3::ZERO; 3];
        for (((moment, x), y), z) in system.moments.iter().zip(x).zip(y).zip(z) {
            let e = DVec3::new(*x, *y, *z);
            columns[0] += e * moment.x;
            columns[1] += e * moment.y;
            columns[2] += e * moment.z;
        }
        let mut b = system.base + DMat3::from_cols(columns[0], columns[1], columns[2]);
        if let Some(shift) = &system.shift {
            let sum = weighted_sum(&shift.weights, &system.unknown);
            b -= outer(sum, shift.arm) * (1.0 / shift.total);
        }
        nearest_rotation(&b, DQuat::IDENTITY)
    }

    /// x⁺ - x*.
    fn find_change(&mut self, world_from_body: &DMat3, turn: DQuat) {
        let system = &self.system;
        let turn = rotation_minus_identity(turn);
        let own = *world_from_body * turn;
        let n = self.change.len();
        let (change, answer) = (&mut self.change[..n], &system.answer[..n]);
        let e = components(&system.unknown).map(|c| &c[..n]);
        let start = components(&self.start).map(|c| &c[..n]);
        for node in 0..n {
            let moved = DVec3::new(
                e[0][node] - start[0][node],
                e[1][node] - start[1][node],
                e[2][node] - start[2][node],
            );
            change[node] = *world_from_body * moved + own * answer[node];
        }
        if let Some(shift) = &system.shift {
            let sum = weighted_sum(&shift.weights, &system.unknown) - turn * shift.arm;
            let moved = *world_from_body * (sum / shift.total);
            for (change, z) in self.change.iter_mut().zip(&shift.answer) {
                *change += *z * moved;
            }
        }
    }
}

/// Σ w e of a flat field.
fn weighted_sum(weights: &[f64], flat: &[f64]) -> DVec3 {
    let terms = weights.iter().enumerate();
    terms.map(|(node, w)| *w * get(flat, node)).sum()
}
