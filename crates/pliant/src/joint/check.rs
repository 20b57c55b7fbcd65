//! What is wrong with a joint.

use super::point::is_rigid;
use super::{APART, Joint, JointEnd, JointKind, Motor};
use crate::body::Body;

/// Why a joint cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum JointError {
    #[error("there is no body {body}; the world has {count}")]
    NoBody { body: usize, count: usize },
    #[error("its nodes and weights are not those of a point of the body")]
    BadPoint,
    #[error(
        "its ends are {apart:.3e} m apart at the start, and a hard joint would tear them together"
    )]
    Apart { apart: f64 },
    #[error("its ends are {length:.4} m apart at the start, not {least} to {most} m")]
    OutOfRange { length: f64, least: f64, most: f64 },
    #[error("{what}")]
    Bad { what: &'static str },
}

impl Joint {
    /// What is wrong with it for some bodies.
    pub fn check(&self, bodies: &[Body]) -> Result<(), JointError> {
        for point in self.points() {
            point.check(bodies)?;
        }
        let bad = |what| Err(JointError::Bad { what });
        if self
            .second_point()
            .is_some_and(|point| *point == self.first)
        {
            return bad("both of its ends are the same point");
        }
        let is_touch = matches!(self.second, JointEnd::Touch { .. });
        if !is_touch && !self.points().any(|point| point.may_move(bodies)) {
            return bad("nothing that it holds can move");
        }
        if let Some(stiffness) = self.stiffness
            && !(stiffness > 0.0 && stiffness.is_finite())
        {
            return bad("its stiffness must be positive");
        }
        if self.strength.is_nan() || self.strength <= 0.0 {
            return bad("its strength must be positive");
        }
        if self.times.iter().any(|time| time.is_nan()) || self.times[0] >= self.times[1] {
            return bad("it must end after it begins");
        }
        self.check_kind()?;
        if let JointEnd::Touch { body, reach } = self.second {
            let count = bodies.len();
            let holder = bodies.get(body).ok_or(JointError::NoBody { body, count })?;
            return match (
                is_rigid(holder) && self.kind == JointKind::Point,
                reach > 0.0,
            ) {
                (false, _) => bad("only a rigid body holds what it touches, at a point"),
                (_, false) => bad("its reach must be positive"),
                _ => Ok(()),
            };
        }
        if self.stiffness.is_some() || self.takes_hold() {
            return Ok(());
        }
        let size = self.points().map(|point| bodies[point.body].size());
        let size = size.fold(f64::INFINITY, f64::min);
        let apart = self.apart(bodies, 0.0);
        if apart > APART * size {
            let Some([least, most]) = self.distances() else {
                return Err(JointError::Apart { apart });
            };
            let second = self.second_position(bodies, 0.0);
            let length = self.first.position(bodies).distance(second);
            return Err(JointError::OutOfRange {
                length,
                least,
                most,
            });
        }
        Ok(())
    }

    fn check_motor(&self, motor: &Motor) -> Result<(), JointError> {
        let bad = |what| Err(JointError::Bad { what });
        let is_place = |end: &JointEnd| matches!(end, JointEnd::Place(_) | JointEnd::Point(_));
        let body = |end: &JointEnd| end.point().map(|point| point.body);
        let ends = &motor.circle;
        if !ends
            .iter()
            .all(|end| is_place(end) && body(end) == body(&ends[0]))
        {
            return bad("the circle of a motor is made of places, or of points of one body");
        }
        if self.second != ends[0] || self.stiffness.is_some() {
            return bad("a motor is held to the centre of its circle, and has no stiffness");
        }
        if !(motor.speed.is_finite() && motor.torque > 0.0 && motor.radius > 0.0) {
            return bad("a motor has a speed, a torque above zero and a radius above zero");
        }
        Ok(())
    }

    fn check_kind(&self) -> Result<(), JointError> {
        let bad = |what| Err(JointError::Bad { what });
        match &self.kind {
            JointKind::Distance([least, most])
                if !(*least >= 0.0 && most >= least && *most > 0.0) =>
            {
                return bad(
                    "the least distance must not be negative, and the largest not below it",
                );
            }
            JointKind::Track(track) if track.places().len() < 2 => {
                return bad("a track has at least two places");
            }
            JointKind::Track(_) | JointKind::Line(_)
                if self.stiffness.is_none() && self.times[0] > 0.0 =>
            {
                return bad("what slides begins at the start; with a stiffness it may begin later");
            }
            JointKind::Motor(motor) => return self.check_motor(motor),
            JointKind::Line(JointEnd::Path(_) | JointEnd::Touch { .. }) => {
                return bad("the second place of a line is a place or a point of a body");
            }
            _ => {}
        }
        if let JointEnd::Path(places) = &self.second {
            let rises = places.windows(2).all(|pair| pair[0].0 < pair[1].0);
            if places.is_empty() || !rises {
                return bad("the times of a path must rise");
            }
            if self.kind != JointKind::Point {
                return bad("a path leads a point alone, not a line, a track or a distance");
            }
        }
        Ok(())
    }
}
