//! One joint at work: its force, its potential and how both change with its gap.
//!
//! ```text
//! E = λ·c + ½ k |c|²
//! E = (|λ + k c|² - |λ|²) / 2 k  up to the largest force, a straight line beyond              (Motor)
//! E = ½ T² / k,   T = max(0, τ + k (L - most)) + min(0, τ + k (L - least))     (Distance)
//! ```

use super::joint_gap::Gap;
use super::rule::{ALPHA, GAMMA};
use crate::joint::Joint;
use crate::math::outer;
use glam::{DMat3, DVec3};

/// One joint that acts.
pub(super) struct Acting {
    /// Its place in the world.
    pub(super) joint: usize,
    pub(super) stiffness: f64,
    pub(super) is_hard: bool,
    /// How far its ends may be apart, in metres.
    pub(super) close: f64,
    /// λ, or τ along x.
    pub(super) force: DVec3,
    /// The smallest force that counts, in newtons.
    pub(super) slight: f64,
    /// The force of the last iteration.
    pub(super) last: DVec3,
    /// The force where the step began.
    pub(super) force_at_start: DVec3,
    /// The force at the end of the first of two stages.
    pub(super) force_between: Option<DVec3>,
    /// The force at the end of the last stage.
    pub(super) force_at_end: DVec3,
    /// The angle of a motor where the step began and at the end of the last stage, in radians.
    pub(super) angles: [f64; 2],
    /// Whether it holds to a place, or to a body that stays where it is.
    pub(super) is_anchored: bool,
}

impl Acting {
    /// The force that gives the impulse of the step.
    pub(super) fn mean_force(&self) -> DVec3 {
        let Some(between) = self.force_between else {
            return self.force_at_end;
        };
        let first = 0.5 * ALPHA * GAMMA * (self.force_at_start + between);
        first + 0.5 * GAMMA * self.force_at_end
    }

    /// λ, or τ for what is soft: nothing.
    pub(super) fn held(&self) -> DVec3 {
        if self.is_hard {
            self.force
        } else {
            DVec3::ZERO
        }
    }

    /// How far ahead of the first end a track is looked for.
    pub(super) fn ahead(&self) -> DVec3 {
        self.held() / self.stiffness
    }

    /// The tension with which a step begins. A string that has just become tight has borne a blow, which is over.
    pub(super) fn tension_at_start(&self, joint: &Joint) -> f64 {
        let (tension, most) = (self.force_at_start.x, 2.0 * joint.state.force_before);
        tension.clamp(-most, most)
    }

    /// Tensions against more than the most and less than the least.
    pub(super) fn tensions(&self, [least, most]: [f64; 2], gap: &Gap) -> [f64; 2] {
        let (length, tension) = (gap.gap.length(), self.held().x);
        let beyond = (tension + self.stiffness * (length - most)).max(0.0);
        let within = (tension + self.stiffness * (length - least)).min(0.0);
        [beyond, within]
    }

    /// The force of a motor if it had no largest one, and that.
    fn drive(&self, joint: &Joint, gap: &Gap) -> Option<(DVec3, f64)> {
        let motor = joint.motor()?;
        let force = gap.across * (self.held() + self.stiffness * gap.gap);
        Some((force, motor.torque / motor.radius))
    }

    /// The force on the second end and its change with the first.
    pub(super) fn pull(&self, joint: &Joint, gap: &Gap) -> (DVec3, DMat3) {
        if let Some((force, most)) = self.drive(joint, gap) {
            return match force.length() > most {
                true => (force.clamp_length_max(most), DMat3::ZERO),
                false => (force, self.stiffness * gap.change),
            };
        }
        let Some(limits) = joint.distances() else {
            let force = self.held() + self.stiffness * gap.gap;
            let block = self.stiffness * gap.change;
            // What slides on a line that turns has the rest of its gradient in how it slides.
            return match gap.slide {
                Some(_) => (force, block),
                None => (gap.across * force, block),
            };
        };
        let tension: f64 = self.tensions(limits, gap).iter().sum();
        let length = gap.gap.length();
        if tension == 0.0 || length == 0.0 {
            return (DVec3::ZERO, DMat3::ZERO);
        }
        let along = outer(gap.gap / length, gap.gap / length);
        let turning = (DMat3::IDENTITY - along) * (tension.max(0.0) / length);
        (
            gap.gap * (tension / length),
            along * self.stiffness + turning,
        )
    }

    pub(super) fn value(&self, joint: &Joint, gap: &Gap) -> f64 {
        if let Some((force, most)) = self.drive(joint, gap) {
            let (size, held) = (force.length(), (gap.across * self.held()).length());
            let square = match size > most {
                true => most * (2.0 * size - most),
                false => size * size,
            };
            return 0.5 * (square - held * held) / self.stiffness;
        }
        match joint.distances() {
            Some(limits) => {
                let squares = self.tensions(limits, gap).map(|tension| tension * tension);
                0.5 * squares.iter().sum::<f64>() / self.stiffness
            }
            None => self.held().dot(gap.gap) + 0.5 * self.stiffness * gap.gap.length_squared(),
        }
    }

    /// The force that would be kept.
    pub(super) fn renewed(&self, joint: &Joint, gap: &Gap) -> DVec3 {
        if let Some((force, most)) = self.drive(joint, gap) {
            return force.clamp_length_max(most);
        }
        match joint.distances() {
            Some(limits) => DVec3::new(self.tensions(limits, gap).iter().sum(), 0.0, 0.0),
            None => gap.across * (self.held() + self.stiffness * gap.gap),
        }
    }
}
