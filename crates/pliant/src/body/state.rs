//! What changes in a step.

use crate::math::add_bits;
use glam::{DQuat, DVec3};

/// What changes in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Node positions, in metres.
    pub positions: Vec<DVec3>,
    /// Node velocities, in metres per second.
    pub velocities: Vec<DVec3>,
    /// `world_from_body` rotation of the frame of a hybrid body, of its first piece if it is torn;
    /// the identity for others.
    pub rotation: DQuat,
    /// For each node of a torn hybrid body the rotation of the frame of its piece; else empty.
    pub piece_rotations: Vec<DQuat>,
    /// Control points of rigid cores, four each, in metres.
    pub controls: Vec<DVec3>,
    /// Their velocities, in metres per second.
    pub control_velocities: Vec<DVec3>,
}

impl State {
    /// The rotation of the frame that a node of a hybrid body belongs to.
    pub fn rotation_at(&self, node: usize) -> DQuat {
        let of_piece = self.piece_rotations.get(node);
        of_piece.copied().unwrap_or(self.rotation)
    }

    /// A number that is another one, all but certainly, in another state.
    pub(crate) fn checksum(&self) -> u64 {
        let mut sums = [0_u64; 3];
        for points in [
            &self.positions,
            &self.velocities,
            &self.controls,
            &self.control_velocities,
        ] {
            add_bits(points, &mut sums);
            // Places are no velocities.
            sums = sums.map(|sum| sum.rotate_left(9));
        }
        for rotation in self.piece_rotations.iter().chain([&self.rotation]) {
            for value in rotation.to_array() {
                sums[0] = sums[0].rotate_left(5).wrapping_add(value.to_bits());
            }
        }
        sums[0] ^ sums[1].rotate_left(21) ^ sums[2].rotate_left(42)
    }

    /// Copies another state of the same size.
    pub fn copy_from(&mut self, other: &State) {
        self.positions.copy_from_slice(&other.positions);
        self.velocities.copy_from_slice(&other.velocities);
        self.rotation = other.rotation;
        self.piece_rotations.clone_from(&other.piece_rotations);
        self.controls.clone_from(&other.controls);
        self.control_velocities
            .clone_from(&other.control_velocities);
    }
}
