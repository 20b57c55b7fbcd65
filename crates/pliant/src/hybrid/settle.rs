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

use super::answers::Shift;
use super::material::HybridMaterial;
use super::rotation::{nearest_rotation, rotation_minus_identity};
use super::system::{HybridSystem, components, components_mut, get, put};
use super::viscosity::Viscosity;
use crate::body::{Body, State};
use crate::body::{Problem, StepFailure};
use crate::force::Loads;
use crate::linear::SolveReport;
use crate::loads::LoadEvaluator;
use crate::math::outer;
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
    /// Of each piece.
    views: Vec<View>,
    /// R* and R* (Q - 1) of each piece.
    turned: Vec<[DMat3; 2]>,
    /// R of each piece, as last measured.
    pub(super) rotations: Vec<DMat3>,
    /// Q of each piece.
    pub(super) turns: Vec<DQuat>,
    /// e*, component by component.
    start: Vec<f64>,
    pub(super) has_fixed_nodes: bool,
}

/// Where the solve of one piece starts from.
#[derive(Clone, Copy)]
pub(super) struct StartFrame {
    /// c*.
    pub(super) centre: DVec3,
    /// R*.
    pub(super) rotation: DQuat,
    /// Whether the frame follows the shape.
    pub(super) follows: bool,
}

/// A frame as the nodes of its piece see it.
#[derive(Clone, Copy)]
struct View {
    body_from_world: DMat3,
    centre: DVec3,
    origin: DVec3,
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
            views: Vec::new(),
            turned: Vec::new(),
            rotations: Vec::new(),
            turns: Vec::new(),
            start: vec![0.0; 3 * n],
            has_fixed_nodes: description.fixed.contains(&true),
        }
    }

    /// Solves for the change from the predicted positions under forces in the world; `turns` are
    /// those of the frames by it.
    pub(super) fn settle(
        &mut self,
        problem: &Problem,
        material: &HybridMaterial,
        frames: &[StartFrame],
        force: impl Fn(usize) -> DVec3,
    ) -> Result<SolveReport, StepFailure> {
        let pieces = material.pieces();
        let view = |piece: usize| View {
            body_from_world: DMat3::from_quat(frames[piece].rotation).transpose(),
            centre: frames[piece].centre,
            origin: self.system.pieces[piece].origin,
        };
        if pieces.is_whole() {
            let whole = view(0);
            self.fill(material.reference(), |_| Some(whole), force);
        } else {
            let mut views = std::mem::take(&mut self.views);
            views.clear();
            views.extend((0..frames.len()).map(view));
            let of_node = |node: usize| views.get(pieces.of_node(node)).copied();
            self.fill(material.reference(), of_node, force);
            self.views = views;
        }
        if self.has_fixed_nodes {
            self.fill_for_change(&problem.body.description().fixed);
        }
        let report = self.system.solve()?;
        if self.has_fixed_nodes {
            for (e, start) in self.system.unknown.iter_mut().zip(&self.start) {
                *e += start;
            }
        }
        self.place(material, frames);
        Ok(report)
    }

    /// The change, and the turns of the frames, for the e' that stands in `unknown`.
    pub(super) fn place(&mut self, material: &HybridMaterial, frames: &[StartFrame]) {
        let pieces = material.pieces();
        self.turns.clear();
        for (piece, frame) in frames.iter().enumerate() {
            let turn = match (frame.follows, pieces.is_whole()) {
                (false, _) => DQuat::IDENTITY,
                (true, true) => self.turn_of_frame(0, 0..self.change.len()),
                (true, false) => {
                    let nodes = pieces.nodes(piece).iter();
                    self.turn_of_frame(piece, nodes.map(|&node| node as usize))
                }
            };
            self.turns.push(turn);
        }
        let turned = |piece: usize| {
            let world_from_body = DMat3::from_quat(frames[piece].rotation);
            let turn = rotation_minus_identity(self.turns[piece]);
            [world_from_body, world_from_body * turn]
        };
        if pieces.is_whole() {
            let whole = turned(0);
            self.find_change(|_| whole);
        } else {
            let mut all = std::mem::take(&mut self.turned);
            all.clear();
            all.extend((0..frames.len()).map(turned));
            let loose = [DMat3::IDENTITY, DMat3::ZERO];
            self.find_change(|node| all.get(pieces.of_node(node)).copied().unwrap_or(loose));
            self.turned = all;
        }
        self.shift_pieces(material, frames);
    }

    /// Puts the frames after the turns into a state.
    pub(super) fn turn_frames(
        &self,
        material: &HybridMaterial,
        frames: &[StartFrame],
        candidate: &mut State,
    ) {
        let pieces = material.pieces();
        let turned = |piece: usize| (frames[piece].rotation * self.turns[piece]).normalize();
        candidate.rotation = turned(0);
        candidate.piece_rotations.clear();
        if !pieces.is_whole() {
            let n = self.change.len();
            candidate.piece_rotations.resize(n, candidate.rotation);
            for piece in 0..pieces.count() {
                let rotation = turned(piece);
                for &node in pieces.nodes(piece) {
                    candidate.piece_rotations[node as usize] = rotation;
                }
            }
        }
    }

    /// e*, as the first guess too, and D e* + Rᵀ F + g. A loose node has no view, and e* = 0.
    fn fill(
        &mut self,
        reference: &[DVec3],
        view: impl Fn(usize) -> Option<View>,
        force: impl Fn(usize) -> DVec3,
    ) {
        let n = self.predicted.len();
        let system = &mut self.system;
        let (predicted, reference) = (&self.predicted[..n], &reference[..n]);
        let diagonal = &system.diagonal[..n];
        let start = components_mut(&mut self.start).map(|c| &mut c[..n]);
        let b = components_mut(&mut system.right_hand_side).map(|c| &mut c[..n]);
        for node in 0..n {
            let (e, rhs) = match view(node) {
                Some(view) => {
                    let arm = view.body_from_world * (predicted[node] - view.centre);
                    let e = arm - (reference[node] - view.origin);
                    let load = view.body_from_world * force(node);
                    (e, load + diagonal[node] * e)
                }
                None => (DVec3::ZERO, force(node)),
            };
            (start[0][node], start[1][node], start[2][node]) = (e.x, e.y, e.z);
            (b[0][node], b[1][node], b[2][node]) = (rhs.x, rhs.y, rhs.z);
        }
        if let Some(g) = Viscosity::force(&system.viscosity) {
            let sums = system.right_hand_side.iter_mut().zip(g);
            sums.for_each(|(sum, g)| *sum += g);
        }
        system.unknown.copy_from_slice(&self.start);
    }

    /// Turns the system into one for e' - e*, which is zero where nodes are fixed: the right-hand
    /// side is Rᵀ F - K e*.
    fn fill_for_change(&mut self, fixed: &[bool]) {
        let system = &mut self.system;
        Viscosity::stiffness(&system.viscosity, &system.stiffness)
            .multiply(&self.start, &mut system.unknown);
        for (node, &fixed) in fixed.iter().enumerate() {
            let resistance = get(&system.unknown, node);
            let inertia = system.diagonal[node] * get(&self.start, node);
            let net = get(&system.right_hand_side, node) - inertia - resistance;
            let net = if fixed { DVec3::ZERO } else { net };
            put(&mut system.right_hand_side, node, net);
        }
        system.unknown.fill(0.0);
    }

    /// Q of a piece.
    fn turn_of_frame(&self, piece: usize, nodes: impl Iterator<Item = usize> + Clone) -> DQuat {
        let system = &self.system;
        let [x, y, z] = components(&system.unknown);
        let mut columns = [DVec3::ZERO; 3];
        for node in nodes.clone() {
            let (e, moment) = (DVec3::new(x[node], y[node], z[node]), system.moments[node]);
            columns[0] += e * moment.x;
            columns[1] += e * moment.y;
            columns[2] += e * moment.z;
        }
        let answer = &system.pieces[piece];
        let mut b = answer.base + DMat3::from_cols(columns[0], columns[1], columns[2]);
        if let Some(shift) = &system.shift
            && answer.total > 0.0
        {
            let sum = self.pull_of_centre(shift, nodes);
            b -= outer(sum, answer.arm) * (1.0 / answer.total);
        }
        nearest_rotation(&b, DQuat::IDENTITY)
    }

    /// x⁺ - x* but for shifts, from R* and R* (Q - 1) of each node.
    fn find_change(&mut self, turned: impl Fn(usize) -> [DMat3; 2]) {
        let system = &self.system;
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
            let [world_from_body, turn] = turned(node);
            change[node] = world_from_body * moved + turn * answer[node];
        }
    }

    /// What weights of order 0 add to the change.
    fn shift_pieces(&mut self, material: &HybridMaterial, frames: &[StartFrame]) {
        let Some(shift) = &self.system.shift else {
            return;
        };
        for (piece, frame) in frames.iter().enumerate() {
            let answer = &self.system.pieces[piece];
            if answer.total <= 0.0 {
                continue;
            }
            let nodes = || material.pieces().nodes(piece).iter().map(|&n| n as usize);
            let turn = rotation_minus_identity(self.turns[piece]);
            let sum = self.pull_of_centre(shift, nodes()) - turn * answer.arm;
            let moved = DMat3::from_quat(frame.rotation) * (sum / answer.total);
            for node in nodes() {
                self.change[node] += shift.answer[node] * moved;
            }
        }
    }

    /// g of the module: Σ k0 e' over a piece.
    fn pull_of_centre(&self, shift: &Shift, nodes: impl Iterator<Item = usize>) -> DVec3 {
        let terms = nodes.map(|node| shift.weights[node] * get(&self.system.unknown, node));
        terms.sum()
    }
}
