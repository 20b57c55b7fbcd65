//! The unknowns of a step: the free nodes, and six numbers for each rigid core. In a body that can
//! break, one for each group of tied nodes: see `tied.rs`.
//!
//! A core adds two vectors to the unknowns, its shift t and its turn θ, after those of the nodes.
//! With J = dx/d(t, θ), the system A dx = b over nodes becomes Jᵀ A J dq = Jᵀ b, again a matrix of
//! 3x3 blocks, so that every solver can take it. Rows of nodes that are held or belong to a core are
//! those of the identity.

use super::MeshSettings;
use super::inelastic::Ties;
use super::rigid_core::{CoreMotion, Pose};
use super::tied::TiedUnknowns;
use crate::body::{Body, BodyDescription};
use crate::linear::BlockMatrix;
use crate::math::{cross_matrix, outer};
use glam::{DMat3, DQuat, DVec3};

/// No core.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Coordinates {
    node_count: usize,
    /// Nodes that the solve does not move: fixed ones and those of cores.
    held: Vec<bool>,
    /// The core of each node that belongs to a moving one; empty without cores.
    core_of: Vec<u32>,
    cores: Vec<Core>,
    /// Over nodes and cores; nothing where there is no core, and the matrix of nodes will do.
    reduced: Option<BlockMatrix>,
    /// Slots of the blocks of held nodes in the matrix of nodes, and whether they are diagonal.
    held_slots: Vec<(u32, bool)>,
    /// In a body that can break, which has no cores.
    tied: Option<TiedUnknowns>,
}

#[derive(Debug)]
struct Core {
    nodes: Vec<u32>,
    mass: f64,
    motion: CoreMotion,
    turns: DMat3,
    shifts: bool,
    /// Centre at the positions of the last [`Coordinates::place`].
    centre: DVec3,
}

impl Coordinates {
    pub(super) fn new(body: &Body, settings: &MeshSettings, matrix: &BlockMatrix) -> Self {
        let description = body.description();
        let node_count = description.masses.len();
        let mut held = description.fixed.clone();
        let mut core_of = Vec::new();
        let mut cores: Vec<Core> = Vec::new();
        for core in &settings.cores {
            for &node in &core.nodes {
                held[node as usize] = true;
            }
            if matches!(core.motion, CoreMotion::Path(_)) {
                continue;
            }
            core_of.resize(node_count, NONE);
            for &node in &core.nodes {
                core_of[node as usize] = cores.len() as u32;
            }
            let masses = core.nodes.iter().map(|&n| description.masses[n as usize]);
            cores.push(Core {
                nodes: core.nodes.clone(),
                mass: masses.sum(),
                motion: core.motion.clone(),
                turns: core.motion.allowed_turns(),
                shifts: core.motion.shifts(),
                centre: DVec3::ZERO,
            });
        }
        let mut coordinates = Self {
            node_count,
            held,
            core_of,
            cores,
            reduced: None,
            held_slots: Vec::new(),
            tied: None,
        };
        for row in 0..node_count {
            for slot in matrix.row_range(row) {
                let column = matrix.column(slot);
                if coordinates.held[row] || coordinates.held[column] {
                    coordinates.held_slots.push((slot as u32, row == column));
                }
            }
        }
        if !coordinates.cores.is_empty() {
            coordinates.reduced = Some(coordinates.pattern(matrix));
        }
        let inelastic = body.mesh_inelastic.as_ref();
        if let Some(ties) = inelastic.and_then(|own| own.ties.as_ref()) {
            coordinates.tie(ties, matrix);
        }
        coordinates
    }

    /// Takes over which nodes move as one.
    pub(super) fn tie(&mut self, ties: &Ties, matrix: &BlockMatrix) {
        self.tied = Some(TiedUnknowns::new(ties, &self.held, matrix));
    }

    /// Couplings of the reduced matrix.
    fn pattern(&self, matrix: &BlockMatrix) -> BlockMatrix {
        let mut couplings = Vec::new();
        for index in 0..self.cores.len() {
            let shift = self.node_count + 2 * index;
            couplings.push((shift, shift + 1));
        }
        for row in 0..self.node_count {
            for slot in matrix.row_range(row) {
                let column = matrix.column(slot);
                for (a, _) in self.targets(row, DVec3::ZERO).into_iter().flatten() {
                    for (b, _) in self.targets(column, DVec3::ZERO).into_iter().flatten() {
                        couplings.push((a, b));
                    }
                }
            }
        }
        BlockMatrix::new(self.unknowns(), couplings.into_iter())
    }

    /// Number of vectors to solve for.
    pub(super) fn unknowns(&self) -> usize {
        let tied = self.tied.as_ref();
        tied.map_or(self.node_count + 2 * self.cores.len(), TiedUnknowns::count)
    }

    /// Whether nothing holds the body: no fixed node, no path and no hinge.
    pub(super) fn is_free(&self, body: &Body, settings: &MeshSettings) -> bool {
        let fixed = &body.description().fixed;
        let free = |motion: &CoreMotion| matches!(motion, CoreMotion::Free);
        !fixed.contains(&true) && settings.cores.iter().all(|core| free(&core.motion))
    }

    /// The unknowns that move a node, with the transposed derivative of its position by each.
    fn targets(&self, node: usize, arm: DVec3) -> [Option<(usize, DMat3)>; 2] {
        let core = self.core_of.get(node).copied().unwrap_or(NONE);
        if core != NONE {
            let first = self.node_count + 2 * core as usize;
            let own = &self.cores[core as usize];
            let shift = own.shifts.then_some((first, DMat3::IDENTITY));
            return [shift, Some((first + 1, own.turns * cross_matrix(arm)))];
        }
        let free = !self.held[node];
        [free.then_some((node, DMat3::IDENTITY)), None]
    }

    fn arm(&self, node: usize, positions: &[DVec3]) -> DVec3 {
        match self.core_of.get(node) {
            Some(&core) if core != NONE => positions[node] - self.cores[core as usize].centre,
            _ => DVec3::ZERO,
        }
    }

    /// Takes the centres of the cores at given positions.
    pub(super) fn place(&mut self, description: &BodyDescription, positions: &[DVec3]) {
        for core in &mut self.cores {
            let mut sum = DVec3::ZERO;
            for &node in &core.nodes {
                sum += description.masses[node as usize] * positions[node as usize];
            }
            core.centre = core.motion.centre(sum / core.mass);
        }
    }

    /// Puts the nodes of cores on paths where they are at a time.
    pub(super) fn follow_paths(
        settings: &MeshSettings,
        rest: &[DVec3],
        time: f64,
        positions: &mut [DVec3],
    ) {
        for core in &settings.cores {
            let CoreMotion::Path(path) = &core.motion else {
                continue;
            };
            let Some(pose) = Pose::at(path, time) else {
                continue;
            };
            for &node in &core.nodes {
                positions[node as usize] = pose.apply(rest[node as usize]);
            }
        }
    }

    /// Gives the cores their shape at rest again, where contact or rounding has moved their nodes
    /// one by one.
    pub(super) fn straighten(&self, description: &BodyDescription, positions: &mut [DVec3]) {
        let (masses, rest) = (&description.masses, &description.rest_positions);
        for core in &self.cores {
            let centre_of = |x: &[DVec3]| {
                let weighted = |&node: &u32| masses[node as usize] * x[node as usize];
                core.motion
                    .centre(core.nodes.iter().map(weighted).sum::<DVec3>() / core.mass)
            };
            let (before, now) = (centre_of(rest), centre_of(positions));
            let mut moment = DMat3::ZERO;
            let mut size = 0.0;
            for &node in &core.nodes {
                let (mass, node) = (masses[node as usize], node as usize);
                let (r, x) = (rest[node] - before, mass * (positions[node] - now));
                moment += outer(x, r);
                size += mass * r.length_squared();
            }
            let turn = core
                .motion
                .nearest_turn(moment * (3.0 / size.max(f64::MIN_POSITIVE)));
            for &node in &core.nodes {
                positions[node as usize] = now + turn * (rest[node as usize] - before);
            }
        }
    }

    /// The direction of a step in which every free node keeps its velocity; cores stay.
    pub(super) fn coast(&self, velocities: &[DVec3], step: f64, direction: &mut [DVec3]) {
        direction.fill(DVec3::ZERO);
        if let Some(tied) = &self.tied {
            return tied.coast(velocities, step, direction);
        }
        let nodes = direction.iter_mut().zip(velocities).zip(&self.held);
        for ((direction, velocity), _) in nodes.filter(|(_, held)| !**held) {
            *direction = step * *velocity;
        }
    }

    /// Whether the solve moves a node, by itself or with its core.
    pub(super) fn moves(&self, node: usize) -> bool {
        let core = self.core_of.get(node).copied().unwrap_or(NONE);
        core != NONE || !self.held[node]
    }

    /// Whether nodes are tied together: the unknowns are then groups of nodes.
    pub(super) fn is_tied(&self) -> bool {
        self.tied.is_some()
    }

    /// Jᵀ g, without what is held.
    pub(super) fn reduce(&self, positions: &[DVec3], gradient: &[DVec3], reduced: &mut [DVec3]) {
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
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            for &node in &core.nodes {
                let g = gradient[node as usize];
                force += g;
                torque += (positions[node as usize] - core.centre).cross(g);
            }
            let first = self.node_count + 2 * index;
            reduced[first] = if core.shifts { force } else { DVec3::ZERO };
            reduced[first + 1] = core.turns * torque;
        }
    }

    /// Jᵀ A J, or A itself with the rows of held nodes made those of the identity.
    pub(super) fn reduce_matrix<'a>(
        &'a mut self,
        positions: &[DVec3],
        matrix: &'a mut BlockMatrix,
    ) -> &'a BlockMatrix {
        if self.tied.is_some() {
            // A borrow that is returned from a branch would last for the rest of the function.
            return match &mut self.tied {
                Some(tied) => tied.reduce_matrix(matrix),
                None => matrix,
            };
        }
        let Some(mut reduced) = self.reduced.take() else {
            let blocks = matrix.blocks_mut();
            for &(slot, is_diagonal) in &self.held_slots {
                blocks[slot as usize] = if is_diagonal {
                    DMat3::IDENTITY
                } else {
                    DMat3::ZERO
                };
            }
            return matrix;
        };
        reduced.clear();
        for row in 0..self.node_count {
            let rows = self.targets(row, self.arm(row, positions));
            for slot in matrix.row_range(row) {
                let column = matrix.column(slot);
                let columns = self.targets(column, self.arm(column, positions));
                for (a, left) in rows.into_iter().flatten() {
                    for (b, right) in columns.into_iter().flatten() {
                        reduced.add(a, b, left * *matrix.block(slot) * right.transpose());
                    }
                }
            }
            if self.held[row] {
                reduced.add(row, row, DMat3::IDENTITY);
            }
        }
        for (index, core) in self.cores.iter().enumerate() {
            let first = self.node_count + 2 * index;
            if !core.shifts {
                reduced.add(first, first, DMat3::IDENTITY);
            }
            // Turns that are not allowed get the stiffness of one: the matrix stays regular.
            let missing = DMat3::IDENTITY - core.turns;
            reduced.add(first + 1, first + 1, missing);
        }
        self.reduced.insert(reduced)
    }

    /// The matrix that [`Coordinates::reduce_matrix`] fills, for its pattern.
    pub(super) fn pattern_of<'a>(&'a self, matrix: &'a BlockMatrix) -> &'a BlockMatrix {
        let tied = self.tied.as_ref().map(TiedUnknowns::pattern);
        tied.or(self.reduced.as_ref()).unwrap_or(matrix)
    }

    /// Moves positions along a direction of the unknowns, `factor` times its length; cores turn.
    pub(super) fn advance(
        &self,
        positions: &[DVec3],
        direction: &[DVec3],
        factor: f64,
        moved: &mut [DVec3],
    ) {
        if let Some(tied) = &self.tied {
            return tied.advance(positions, direction, factor, moved);
        }
        for (node, target) in moved.iter_mut().enumerate() {
            *target = if self.held[node] {
                positions[node]
            } else {
                positions[node] + factor * direction[node]
            };
        }
        for (index, core) in self.cores.iter().enumerate() {
            let first = self.node_count + 2 * index;
            let shift = if core.shifts {
                factor * direction[first]
            } else {
                DVec3::ZERO
            };
            let turn = DQuat::from_scaled_axis(core.turns * (factor * direction[first + 1]));
            for &node in &core.nodes {
                let arm = positions[node as usize] - core.centre;
                moved[node as usize] = core.centre + shift + turn * arm;
            }
        }
    }
}
