//! Motors of hinges.
//!
//! ```text
//! φ*(t) = φ_n + ω (t - t_n)            where the first end should be, by where it is when a step begins
//! c     = τ·(a - b(φ*)),  |f| <= T / r
//! ```
//!
//! The second body carries a circle about the axis; the motor draws the first end along it. It has the speed ω
//! as long as that takes no more than its torque T, and its torque where it has not. A motor of no speed is a
//! brake. τ is the direction of the circle where the first end would be with the speed that it has when the step
//! begins, so that a motor that cannot reach its speed has its whole torque.

use super::{Joint, JointEnd, JointKind};
use crate::body::Body;
use glam::DVec3;

/// How far a motor draws ahead of where the first end would be, in radians.
const AHEAD: f64 = 1.0;

/// A motor about the axis of a hinge.
#[derive(Clone, Debug, PartialEq)]
pub struct Motor {
    /// Of the circle: its centre, the place at the angle zero and that at a quarter of a turn. All are places, or
    /// points of one rigid body.
    pub circle: [JointEnd; 3],
    /// In radians per second, from the angle zero to a quarter of a turn.
    pub speed: f64,
    /// The largest torque, in newton metres; it may be infinite.
    pub torque: f64,
    /// The radius of the circle, in metres.
    pub radius: f64,
}

/// Where a motor is when a step begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// The angle of the first end, in radians.
    pub angle: f64,
    /// How fast it turned, in radians per second.
    pub speed: f64,
    /// When that was, in seconds.
    pub time: f64,
    /// Unit vectors from the centre of the circle to its angle zero and to a quarter of a turn.
    pub directions: [DVec3; 2],
}

impl Motor {
    /// Shares of the three places of the circle in the place at an angle.
    pub(crate) fn shares(angle: f64) -> [f64; 3] {
        let (sine, cosine) = angle.sin_cos();
        [1.0 - cosine - sine, cosine, sine]
    }

    /// The angle of a place, for the places of the circle.
    pub(crate) fn angle(place: DVec3, [centre, zero, quarter]: [DVec3; 3]) -> f64 {
        let from = place - centre;
        let along = |to: DVec3| from.dot((to - centre).normalize_or_zero());
        along(quarter).atan2(along(zero))
    }
}

impl Joint {
    /// The motor, if it is one.
    pub fn motor(&self) -> Option<&Motor> {
        match &self.kind {
            JointKind::Motor(motor) => Some(motor),
            _ => None,
        }
    }

    /// The angle at which a motor should be at a time, and the direction of its circle where it would be.
    pub(crate) fn turned(&self, motor: &Motor, time: f64) -> (f64, DVec3) {
        let Turn {
            angle,
            speed,
            time: begin,
            directions: [zero, quarter],
        } = self.state.turn;
        let passed = time - begin;
        let would_be = angle + speed * passed;
        let ahead = ((motor.speed - speed) * passed).clamp(-AHEAD, AHEAD);
        let (sine, cosine) = would_be.sin_cos();
        (would_be + ahead, cosine * quarter - sine * zero)
    }

    /// Takes note of where a motor is when a step begins.
    pub(super) fn note_turn(&mut self, bodies: &[Body], time: f64) {
        if let JointKind::Motor(motor) = &self.kind {
            let circle = [0, 1, 2].map(|k| motor.circle[k].position(bodies, time));
            let from_centre = |k: usize| (circle[k] - circle[0]).normalize_or_zero();
            let angle = Motor::angle(self.first.position(bodies), circle);
            let [zero, quarter] = [from_centre(1), from_centre(2)];
            // What the circle itself moves there is no turning of the motor.
            let moved = |end: &JointEnd| end.point().map_or(DVec3::ZERO, |p| p.velocity(bodies));
            let carried = motor.circle.iter().zip(Motor::shares(angle));
            let carried: DVec3 = carried.map(|(end, share)| share * moved(end)).sum();
            let (sine, cosine) = angle.sin_cos();
            let along = cosine * quarter - sine * zero;
            let speed = along.dot(self.first.velocity(bodies) - carried) / motor.radius;
            self.state.turn = Turn {
                angle,
                speed,
                time,
                directions: [zero, quarter],
            };
        }
    }
}
