//! What changes in a step.

use crate::math::keep_same;
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
        let own = self.piece_rotations.get(node);
        own.copied().unwrap_or(self.rotation)
    }

    /// Whether nodes are where they are in another state and move alike, bit by bit, and all else is equal.
    pub(crate) fn is_same(&self, other: &State) -> bool {
        let State {
            positions,
            velocities,
            rotation,
            piece_rotations,
            controls,
            control_velocities,
        } = other;
        let mut same = true;
        keep_same(&self.positions, positions, &mut same);
        keep_same(&self.velocities, velocities, &mut same);
        same && self.rotation == *rotation
            && self.piece_rotations == *piece_rotations
            && self.controls == *controls
            && self.control_velocities == *control_velocities
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
