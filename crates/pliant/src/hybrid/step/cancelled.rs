//! Inertial terms that are switched off.

use super::HybridDynamics;
use crate::body::BodyDescription;
use crate::hybrid::pieces::Pieces;
use crate::rigid_motion::RigidMotion;
use glam::{DQuat, DVec3};

/// Largest turn by angular acceleration in one step, in radians: beyond it a step resolves nothing.
const LARGEST_TURN: f64 = 0.5;

/// The inertial forces that are switched off, as forces that cancel them.
#[derive(Clone, Copy)]
pub(super) struct Cancelled {
    motion: RigidMotion,
    acceleration: DVec3,
    centrifugal: f64,
    coriolis: f64,
    transverse: f64,
}

impl Cancelled {
    /// Force on a unit of mass.
    pub(super) fn at(&self, position: DVec3, velocity: DVec3) -> DVec3 {
        let spin = self.motion.spin;
        let arm = position - self.motion.centre;
        let relative = velocity - self.motion.velocity_at(position);
        self.centrifugal * spin.cross(spin.cross(arm))
            + self.coriolis * 2.0 * spin.cross(relative)
            + self.transverse * self.acceleration.cross(arm)
    }
}

impl HybridDynamics {
    /// The inertial forces that are switched off, for each piece; nothing where none is. Frames that
    /// do not follow their shapes get the turn by torques.
    pub(super) fn cancelled_terms(
        &mut self,
        description: &BodyDescription,
        pieces: &Pieces,
        h: f64,
    ) -> Vec<Cancelled> {
        let mut cancelled = std::mem::take(&mut self.cancelled);
        cancelled.clear();
        let terms = description.inertial_terms();
        if terms.all() {
            return cancelled;
        }
        let left_out = |kept: bool| if kept { 0.0 } else { 1.0 };
        let inner = &self.inner;
        let all = self.frames.iter_mut().zip(&self.motions).enumerate();
        cancelled.extend(all.map(|(piece, (frame, motion))| {
            let torque = inner.torque(frame.centre, pieces.nodes(piece));
            let turning = motion.turn_by(torque);
            let tumbling = motion.turn_by(motion.angular.cross(motion.spin));
            if !frame.follows {
                let angle = (turning + 0.5 * tumbling) * (h * h);
                let more = DQuat::from_scaled_axis(angle.clamp_length_max(LARGEST_TURN));
                frame.rotation = (more * frame.rotation).normalize();
            }
            Cancelled {
                motion: *motion,
                acceleration: turning + tumbling,
                centrifugal: left_out(terms.centrifugal),
                coriolis: left_out(terms.coriolis),
                transverse: left_out(terms.transverse),
            }
        }));
        cancelled
    }
}
