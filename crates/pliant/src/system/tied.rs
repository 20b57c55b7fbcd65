//! The unknowns of a body whose nodes are tied: one for each group of tied nodes that is free.
//!
//! With dx = J dq, where J repeats an unknown for every node of its group, A dx = b over nodes becomes
//! Jᵀ A J dq = Jᵀ b: rows and columns of tied nodes are summed. Groups with a held node have none.

use crate::body::Ties;
use crate::linear::BlockMatrix;
use glam::DVec3;

/// A group that the solve does not move.
const HELD: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct TiedUnknowns {
    unknown_of: Vec<u32>,
    count: usize,
    reduced: BlockMatrix,
    /// Where each block of the matrix over nodes goes.
    slots: Vec<u32>,
}

impl TiedUnknowns {
    pub(super) fn new(ties: &Ties, held: &[bool], matrix: &BlockMatrix) -> Self {
        let mut is_held = vec![false; held.len()];
        for (&root, &held) in ties.roots.iter().zip(held) {
            is_held[root as usize] |= held;
        }
        let mut count = 0;
        let mut unknown_of = vec![HELD; held.len()];
        for (node, &root) in ties.roots.iter().enumerate() {
            unknown_of[node] = if is_held[root as usize] {
                HELD
            } else if root as usize == node {
                count += 1;
                count - 1
            } else {
                unknown_of[root as usize]
            };
        }
        let pair = |row: usize, slot: usize| {
            let (a, b) = (unknown_of[row], unknown_of[matrix.column(slot)]);
            (a != HELD && b != HELD).then_some((a as usize, b as usize))
        };
        let rows = || 0..matrix.node_count();
        let blocks = || rows().flat_map(|row| matrix.row_range(row).map(move |slot| (row, slot)));
        let couplings = blocks().filter_map(|(row, slot)| pair(row, slot));
        // A body that is held everywhere still needs a matrix; it is never solved.
        let reduced = BlockMatrix::new((count as usize).max(1), couplings);
        let slots = blocks().map(|(row, slot)| {
            let place = pair(row, slot).and_then(|(a, b)| reduced.slot(a, b));
            place.map_or(HELD, |place| place as u32)
        });
        Self {
            slots: slots.collect(),
            count: reduced.node_count(),
            unknown_of,
            reduced,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn pattern(&self) -> &BlockMatrix {
        &self.reduced
    }

    /// J dq.
    pub(super) fn spread(&self, direction: &[DVec3], nodes: &mut [DVec3]) {
        for (target, &unknown) in nodes.iter_mut().zip(&self.unknown_of) {
            *target = match unknown {
                HELD => DVec3::ZERO,
                _ => direction[unknown as usize],
            };
        }
    }

    /// Jᵀ g.
    pub(super) fn reduce(&self, gradient: &[DVec3], reduced: &mut [DVec3]) {
        reduced.fill(DVec3::ZERO);
        self.collect(gradient, reduced);
    }

    /// Adds Jᵀ g.
    pub(super) fn collect(&self, gradient: &[DVec3], reduced: &mut [DVec3]) {
        for (&unknown, value) in self.unknown_of.iter().zip(gradient) {
            if unknown != HELD {
                reduced[unknown as usize] += *value;
            }
        }
    }

    /// Turns forces at nodes into accelerations: those of the groups that they move.
    pub(super) fn accelerate(&self, masses: &[f64], values: &mut [DVec3]) {
        let mut sums = vec![(DVec3::ZERO, 0.0); self.count];
        for (node, &unknown) in self.unknown_of.iter().enumerate() {
            if unknown != HELD {
                let (force, mass) = &mut sums[unknown as usize];
                *force += values[node];
                *mass += masses[node];
            }
        }
        for (node, &unknown) in self.unknown_of.iter().enumerate() {
            values[node] = match unknown {
                HELD => DVec3::ZERO,
                _ => sums[unknown as usize].0 / sums[unknown as usize].1,
            };
        }
    }

    /// The way of the unknowns in so many seconds if nodes keep their velocities.
    pub(super) fn guess_by(&self, velocities: &[DVec3], time: f64, direction: &mut [DVec3]) {
        direction.fill(DVec3::ZERO);
        for (&unknown, velocity) in self.unknown_of.iter().zip(velocities) {
            if unknown != HELD {
                direction[unknown as usize] = time * *velocity;
            }
        }
    }

    /// Jᵀ A J.
    pub(super) fn reduce_matrix(&mut self, matrix: &BlockMatrix) -> &BlockMatrix {
        self.reduced.clear();
        for (block, &slot) in matrix.blocks().iter().zip(&self.slots) {
            if slot != HELD {
                self.reduced.add_at(slot as usize, *block);
            }
        }
        &self.reduced
    }

    /// Moves the nodes along a direction of the unknowns; tied nodes that coincide stay together to
    /// the bit.
    pub(super) fn advance(
        &self,
        positions: &[DVec3],
        direction: &[DVec3],
        factor: f64,
        moved: &mut [DVec3],
    ) {
        for (node, target) in moved.iter_mut().enumerate() {
            let unknown = self.unknown_of[node];
            *target = positions[node];
            if unknown != HELD {
                *target += factor * direction[unknown as usize];
            }
        }
    }
}
