//! What a stage is solved for: 3-vectors of which every node is a fixed linear combination.
//!
//! ```text
//! x = J q,        Jᵀ A J dq = Jᵀ b
//! ```
//!
//! A free node is its own unknown. In a body that can break, tied nodes share one (`tied.rs`). The
//! nodes of a rigid core follow four control points (`affine.rs`), whose rows come after those of the
//! nodes; rows of nodes that are held or belong to a core are those of the identity.

use super::affine::ControlFrame;
use super::reduced_matrix::Reduced;
use super::tied::TiedUnknowns;
use super::{CoreMotion, RigidCore};
use crate::body::{Body, Ties};
use crate::linear::BlockMatrix;
use glam::{DMat3, DMat4, DVec3, DVec4};

/// No core.
pub(super) const NONE: u32 = u32::MAX;

/// The unknowns of one body.
#[derive(Debug)]
pub(super) struct Unknowns {
    pub(super) node_count: usize,
    /// Nodes that the solve does not move by themselves: fixed ones and those of cores.
    pub(super) held: Vec<bool>,
    /// The core of each node; empty without cores.
    pub(super) core_of: Vec<u32>,
    pub(super) cores: Vec<Core>,
    pub(super) reduced: Option<Reduced>,
    /// Slots of the blocks of held nodes in the matrix of nodes, and whether they are diagonal.
    pub(super) held_slots: Vec<(u32, bool)>,
    /// In a body that can break, which has no cores.
    pub(super) tied: Option<TiedUnknowns>,
    /// What couples the nodes of a core with each other beside the matrix of nodes: the core, how much each
    /// control point counts, and the block.
    pub(super) core_links: Vec<(u32, [f64; 4], DMat3)>,
    /// Whether Newton's steps turn free cores. Where joints hold them, straight ways would stretch them; where
    /// they only touch, contact leads them along straight ways.
    pub(super) turns: bool,
    /// Whether nodes are held along single directions.
    has_sliders: bool,
}

#[derive(Debug)]
pub(super) struct Core {
    pub(super) nodes: Vec<u32>,
    /// Of each node, for the four control points.
    pub(super) weights: Vec<[f64; 4]>,
    pub(super) frame: ControlFrame,
    /// Of all nodes, in kilograms.
    mass: f64,
    pub(super) path: Option<CoreMotion>,
    /// (Jᵀ M J)⁻¹ over the control points that are not held.
    inverse_mass: DMat4,
}

impl Unknowns {
    /// Makes rigid parts stiffer.
    pub(super) fn reinforce(&mut self, factor: f64) {
        self.cores
            .iter_mut()
            .for_each(|core| core.frame.reinforce(factor));
    }

    /// The largest strain of a rigid part, for places of nodes and control points.
    pub(super) fn rigid_strain(&self, places: &[DVec3]) -> f64 {
        let frames = self.cores.iter().enumerate();
        let strains = frames.map(|(k, core)| {
            let first = self.node_count + 4 * k;
            core.frame.strain(&places[first..first + 4])
        });
        strains.fold(0.0, f64::max)
    }

    /// Of a body, for a matrix over its nodes.
    pub(super) fn new(body: &Body, cores: &[RigidCore], matrix: &BlockMatrix) -> Self {
        let description = body.description();
        let (masses, rest) = (&description.masses, &description.rest_positions);
        let mut unknowns = Self {
            node_count: masses.len(),
            held: description.fixed.clone(),
            core_of: Vec::new(),
            cores: Vec::new(),
            reduced: None,
            held_slots: Vec::new(),
            tied: None,
            core_links: Vec::new(),
            turns: false,
            has_sliders: !description.sliders.is_empty(),
        };
        for core in cores {
            unknowns.core_of.resize(masses.len(), NONE);
            let frame = ControlFrame::new(core, masses, rest);
            for &node in &core.nodes {
                unknowns.held[node as usize] = true;
                unknowns.core_of[node as usize] = unknowns.cores.len() as u32;
            }
            let weights = |&node: &u32| frame.weights(rest[node as usize]);
            let weights: Vec<_> = core.nodes.iter().map(weights).collect();
            unknowns.cores.push(Core {
                inverse_mass: inverse_mass(core.nodes.iter().zip(&weights), masses, frame.held),
                mass: core.nodes.iter().map(|&node| masses[node as usize]).sum(),
                nodes: core.nodes.clone(),
                weights,
                frame,
                path: core.motion.pose_at(0.0).map(|_| core.motion.clone()),
            });
        }
        for row in 0..unknowns.node_count {
            for slot in matrix.row_range(row) {
                let column = matrix.column(slot);
                if unknowns.held[row] || unknowns.held[column] {
                    unknowns.held_slots.push((slot as u32, row == column));
                }
            }
        }
        if !unknowns.cores.is_empty() {
            unknowns.reduced = Some(unknowns.make_reduced(matrix));
        }
        unknowns
    }

    /// Takes over which nodes move as one.
    pub(super) fn tie(&mut self, ties: &Ties, matrix: &BlockMatrix) {
        self.tied = Some(TiedUnknowns::new(ties, &self.held, matrix));
    }

    /// Number of vectors to solve for.
    pub(super) fn count(&self) -> usize {
        let tied = self.tied.as_ref();
        tied.map_or(self.node_count + 4 * self.cores.len(), TiedUnknowns::count)
    }

    /// Nodes and control points: the length of lists of positions and velocities.
    pub(super) fn place_count(&self) -> usize {
        self.node_count + 4 * self.cores.len()
    }

    /// Whether nothing holds the body: no fixed node, no path and no hinge.
    pub(super) fn is_free(&self) -> bool {
        let held =
            |node: usize| self.held[node] && self.core_of.get(node).is_none_or(|&c| c == NONE);
        let free = |core: &Core| core.frame.held == [false; 4];
        !self.has_sliders && self.cores.iter().all(free) && !(0..self.node_count).any(held)
    }

    /// The core of a node.
    pub(super) fn core(&self, node: usize) -> Option<u32> {
        self.core_of.get(node).copied().filter(|core| *core != NONE)
    }

    /// Couples nodes of one core, with weights w_k, by the blocks w_k w_l B.
    pub(super) fn link_core(
        &mut self,
        core: u32,
        nodes: impl Iterator<Item = (DVec3, f64)>,
        block: DMat3,
    ) {
        let sums = self.controls(core, nodes);
        self.core_links.push((core, sums, block));
    }

    /// The weights of the control points of a core in a sum of its nodes, by their places at rest.
    fn controls(&self, core: u32, nodes: impl Iterator<Item = (DVec3, f64)>) -> [f64; 4] {
        let frame = &self.cores[core as usize].frame;
        let mut sums = [0.0; 4];
        for (rest, weight) in nodes {
            let weights = frame.weights(rest);
            for (sum, share) in sums.iter_mut().zip(weights) {
                *sum += weight * share;
            }
        }
        sums
    }

    /// The same without those that the solve does not move.
    pub(super) fn free_controls(
        &self,
        core: u32,
        nodes: impl Iterator<Item = (DVec3, f64)>,
    ) -> [f64; 4] {
        let held = self.cores[core as usize].frame.held;
        let sums = self.controls(core, nodes);
        std::array::from_fn(|k| if held[k] { 0.0 } else { sums[k] })
    }

    /// The place of the first control point among the unknowns.
    pub(super) fn first_control(&self) -> usize {
        self.node_count
    }

    /// Whether the solve moves a node, by itself or with its core.
    pub(super) fn moves(&self, node: usize) -> bool {
        match self.core_of.get(node) {
            Some(&core) if core != NONE => self.cores[core as usize].frame.held != [true; 4],
            _ => !self.held[node],
        }
    }

    /// Whether a node is an unknown of its own, which nothing else follows.
    pub(super) fn is_independent(&self, node: usize) -> bool {
        self.tied.is_none() && !self.held[node]
    }

    /// The mass that a push at a node meets at most: that of its core, or its own.
    pub(super) fn pushed_mass(&self, node: usize, masses: &[f64]) -> f64 {
        match self.core_of.get(node) {
            Some(&core) if core != NONE => self.cores[core as usize].mass,
            _ => masses[node],
        }
    }

    /// Puts control points on paths where they are at a time.
    pub(super) fn follow_paths(&self, time: f64, places: &mut [DVec3]) {
        for (index, core) in self.cores.iter().enumerate() {
            if let Some(path) = &core.path {
                let first = self.node_count + 4 * index;
                let controls = core.frame.on_path(path, time);
                places[first..first + 4].copy_from_slice(&controls);
            }
        }
        self.follow_controls(places);
    }

    /// Puts the nodes of cores where their control points say; works for velocities too.
    pub(super) fn follow_controls(&self, places: &mut [DVec3]) {
        for (index, core) in self.cores.iter().enumerate() {
            let first = self.node_count + 4 * index;
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| places[first + k]);
            for (&node, weights) in core.nodes.iter().zip(&core.weights) {
                let [wa, wb, wc, wd] = *weights;
                places[node as usize] = wa * a + wb * b + wc * c + wd * d;
            }
        }
    }

    /// Turns forces at nodes into the accelerations that they cause, at nodes and control points; with
    /// what keeps cores rigid, if their places are given.
    pub(super) fn accelerate(
        &self,
        masses: &[f64],
        places: Option<&[DVec3]>,
        values: &mut [DVec3],
    ) {
        if let Some(tied) = &self.tied {
            return tied.accelerate(masses, values);
        }
        for (index, core) in self.cores.iter().enumerate() {
            let mut sums = [DVec3::ZERO; 4];
            if let Some(places) = places {
                let first = self.node_count + 4 * index;
                core.frame
                    .add_gradient(&places[first..first + 4], &mut sums);
                sums = sums.map(|sum| -sum);
            }
            for (&node, weights) in core.nodes.iter().zip(&core.weights) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += *weight * values[node as usize];
                }
            }
            let axis =
                |pick: fn(DVec3) -> f64| core.inverse_mass * DVec4::from_array(sums.map(pick));
            let [x, y, z] = [axis(|v| v.x), axis(|v| v.y), axis(|v| v.z)];
            for k in 0..4 {
                values[self.node_count + 4 * index + k] = DVec3::new(x[k], y[k], z[k]);
            }
        }
        for (node, mass) in masses.iter().enumerate() {
            values[node] = if self.held[node] {
                DVec3::ZERO
            } else {
                values[node] / *mass
            };
        }
        self.follow_controls(values);
    }

    /// Jᵀ g, without what is held, with the gradient of what keeps cores rigid.
    pub(super) fn reduce(&self, places: &[DVec3], gradient: &[DVec3], reduced: &mut [DVec3]) {
        if let Some(tied) = &self.tied {
            return tied.reduce(gradient, reduced);
        }
        for (node, value) in reduced[..self.node_count].iter_mut().enumerate() {
            *value = if self.held[node] {
                DVec3::ZERO
            } else {
                gradient[node]
            };
        }
        for (index, core) in self.cores.iter().enumerate() {
            let first = self.node_count + 4 * index;
            let controls = &mut reduced[first..first + 4];
            controls.fill(DVec3::ZERO);
            core.frame.add_gradient(&places[first..first + 4], controls);
            for (&node, weights) in core.nodes.iter().zip(&core.weights) {
                for (sum, weight) in controls.iter_mut().zip(weights) {
                    *sum += *weight * gradient[node as usize];
                }
            }
            for (value, held) in controls.iter_mut().zip(core.frame.held) {
                if held {
                    *value = DVec3::ZERO;
                }
            }
        }
    }

    /// Energy of what keeps cores rigid, in joules.
    pub(super) fn rigidity_energy(&self, places: &[DVec3]) -> f64 {
        let energies = self.cores.iter().enumerate().map(|(index, core)| {
            let first = self.node_count + 4 * index;
            core.frame.energy(&places[first..first + 4])
        });
        energies.sum()
    }

    /// Whether a core follows a path.
    pub(super) fn has_paths(&self) -> bool {
        self.cores.iter().any(|core| core.path.is_some())
    }

    /// The motion J dq of the nodes by one of the unknowns.
    pub(super) fn spread(&self, direction: &[DVec3], nodes: &mut [DVec3]) {
        if let Some(tied) = &self.tied {
            return tied.spread(direction, nodes);
        }
        for (node, target) in nodes.iter_mut().enumerate() {
            *target = if self.held[node] {
                DVec3::ZERO
            } else {
                direction[node]
            };
        }
        for (index, core) in self.cores.iter().enumerate() {
            let first = self.node_count + 4 * index;
            for (&node, weights) in core.nodes.iter().zip(&core.weights) {
                for k in (0..4).filter(|&k| !core.frame.held[k]) {
                    nodes[node as usize] += weights[k] * direction[first + k];
                }
            }
        }
    }

    /// The way of the unknowns in so many seconds if nodes and control points keep their velocities.
    pub(super) fn guess_by(&self, velocities: &[DVec3], time: f64, direction: &mut [DVec3]) {
        if let Some(tied) = &self.tied {
            return tied.guess_by(velocities, time, direction);
        }
        for (index, target) in direction.iter_mut().enumerate() {
            let held = self.held.get(index).is_some_and(|&held| held);
            *target = match held {
                true => DVec3::ZERO,
                false => time * velocities[index],
            };
        }
    }

    /// Adds Jᵀ of forces at the nodes.
    pub(super) fn collect(&self, forces: &[DVec3], reduced: &mut [DVec3]) {
        if let Some(tied) = &self.tied {
            return tied.collect(forces, reduced);
        }
        for (node, force) in forces.iter().enumerate() {
            if !self.held[node] {
                reduced[node] += *force;
            }
        }
        for (index, core) in self.cores.iter().enumerate() {
            let first = self.node_count + 4 * index;
            for (&node, weights) in core.nodes.iter().zip(&core.weights) {
                for k in (0..4).filter(|&k| !core.frame.held[k]) {
                    reduced[first + k] += weights[k] * forces[node as usize];
                }
            }
        }
    }

    /// Moves nodes and control points along a direction of the unknowns, `factor` times its length.
    pub(super) fn advance(
        &self,
        places: &[DVec3],
        direction: &[DVec3],
        factor: f64,
        moved: &mut [DVec3],
    ) {
        if let Some(tied) = &self.tied {
            return tied.advance(places, direction, factor, moved);
        }
        for (index, target) in moved.iter_mut().enumerate() {
            let held = self.held.get(index).is_some_and(|&held| held);
            *target = places[index];
            if !held {
                *target += factor * direction[index];
            }
        }
        let turning = self.cores.iter().enumerate().filter(|_| self.turns);
        for (index, core) in turning {
            let first = self.node_count + 4 * index;
            let range = first..first + 4;
            let before = &places[range.clone()];
            core.frame.turn(before, &mut moved[range]);
        }
        self.follow_controls(moved);
    }
}

/// (Jᵀ M J)⁻¹ over the control points that are not held; zero for those that are.
fn inverse_mass<'a>(
    nodes: impl Iterator<Item = (&'a u32, &'a [f64; 4])>,
    masses: &[f64],
    held: [bool; 4],
) -> DMat4 {
    let mut sums = DMat4::ZERO;
    let mut total = 0.0;
    for (&node, weights) in nodes {
        let w = DVec4::from_array(*weights);
        let mass = masses[node as usize];
        total += mass;
        for k in 0..4 {
            *sums.col_mut(k) += mass * w[k] * w;
        }
    }
    // Flat and straight cores have no inertia in some directions: a trace of it keeps them regular. It
    // adds nothing to the mass of the whole, so that momentum is kept.
    for (k, held) in held.into_iter().enumerate() {
        sums.col_mut(k)[k] += 1e-9 * total;
        *sums.col_mut(k) -= DVec4::splat(0.25e-9 * total);
        if held {
            for other in 0..4 {
                sums.col_mut(k)[other] = 0.0;
                sums.col_mut(other)[k] = 0.0;
            }
            sums.col_mut(k)[k] = 1.0;
        }
    }
    let mut inverse = sums.inverse();
    for k in (0..4).filter(|&k| held[k]) {
        inverse.col_mut(k)[k] = 0.0;
    }
    inverse
}
