//! Joints: points of bodies held together, to places, on lines, on tracks or within distances.
//!
//! ```text
//! c = a - b                        Point: the two ends lie in one place
//! c = a - b(s),  c ⟂ e             Line, Track: the first end slides along what the second carries
//! least <= |a - b| <= most         Distance
//! c = τ·(a - b(t))                 Motor: the first end is drawn along a circle (`motor.rs`)
//! ```
//!
//! A hard joint keeps c = 0 by a force that the step finds ([`JointState::force`]); a soft one is a spring of
//! ½ k |c|². Where bodies are joined, they move as one system (`system/island_joints.rs`).
//!
//! Implements: \[Gudukbay\] sect. 4, point-to-point, point-to-line and point-to-path constraints, with forces
//! that are spread over the material ([`BodyPoint::spread`]).

mod check;
mod motor;
mod point;
mod saved;
mod touch;
mod track;

pub use check::JointError;
pub use motor::{Motor, Turn};
pub use point::BodyPoint;
pub use track::Track;

use crate::body::Body;
use glam::DVec3;
use std::sync::Arc;

/// How far the ends of a hard joint may be apart at the start, by the size of its bodies.
const APART: f64 = 1e-3;

/// What a point is held to.
#[derive(Clone, Debug, PartialEq)]
pub enum JointEnd {
    /// A point of another body.
    Point(BodyPoint),
    /// A place that does not move.
    Place(DVec3),
    /// Places at times in seconds, with straight lines between them.
    Path(Arc<[(f64, DVec3)]>),
    /// A rigid body, by the point where it is touched: the joint waits until the first end is within reach
    /// of its surface, and then holds it as it is.
    Touch {
        /// The number of the body.
        body: usize,
        /// In metres.
        reach: f64,
    },
}

impl JointEnd {
    /// The point, if it is one of a body.
    pub fn point(&self) -> Option<&BodyPoint> {
        match self {
            Self::Point(point) => Some(point),
            _ => None,
        }
    }

    /// Where it is at a time, if it is not a point of a body.
    pub fn place_at(&self, time: f64) -> Option<DVec3> {
        match self {
            Self::Point(_) | Self::Touch { .. } => None,
            Self::Place(place) => Some(*place),
            Self::Path(places) => {
                let after = places.partition_point(|(moment, _)| *moment <= time);
                let Some((end, to)) = places.get(after) else {
                    return places.last().map(|(_, place)| *place);
                };
                let Some((start, from)) = after.checked_sub(1).map(|k| &places[k]) else {
                    return Some(*to);
                };
                Some(from.lerp(*to, (time - start) / (end - start)))
            }
        }
    }

    fn position(&self, bodies: &[Body], time: f64) -> DVec3 {
        match self {
            Self::Point(point) => point.position(bodies),
            _ => self.place_at(time).unwrap_or_default(),
        }
    }
}

/// What a joint keeps.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// Both ends lie in one place.
    Point,
    /// The first end lies on the straight line through the second and this one.
    Line(JointEnd),
    /// The first end lies on a line, which is carried along by the second.
    Track(Arc<Track>),
    /// The ends are at least and at most so far apart, in metres.
    Distance([f64; 2]),
    /// The first end is drawn along a circle, of which the second is the centre.
    Motor(Arc<Motor>),
}

/// A joint; see the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// What it is called.
    pub name: Arc<str>,
    /// What it keeps.
    pub kind: JointKind,
    /// The point that is held.
    pub first: BodyPoint,
    /// What it is held to.
    pub second: JointEnd,
    /// In newtons per metre; a joint without it is hard.
    pub stiffness: Option<f64>,
    /// The force at which it breaks, in newtons; it may be infinite.
    pub strength: f64,
    /// When it begins and ends to act, in seconds.
    pub times: [f64; 2],
    /// Whether it limits another joint, so that pictures do not show it.
    pub is_limit: bool,
    /// Whether it is one joint with the next: their forces are counted together, without those of limits, and
    /// they break together.
    pub with_next: bool,
    /// What steps change.
    pub state: JointState,
}

/// What steps change of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointState {
    /// The force with which the first end pulls, in newtons: that on the second end. Of distances it is
    /// the tension alone, along x.
    pub force: DVec3,
    /// The size of the force where the last step began, in newtons.
    pub force_before: f64,
    /// Whether it has broken.
    pub is_broken: bool,
    /// What it has taken hold of, if it was not there at the start.
    pub taken: Option<Taken>,
    /// Where a motor was when the last step began.
    pub turn: Turn,
}

/// What a joint holds that took hold at a moment, as things were then.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken {
    /// A point of a body.
    Point(BodyPoint),
    /// A place so far from the one that the joint names, in metres.
    Shift(DVec3),
    /// A distance, in metres.
    Length(f64),
}

impl Joint {
    /// A hard joint that never breaks.
    pub fn new(name: &str, kind: JointKind, first: BodyPoint, second: JointEnd) -> Self {
        Self {
            name: name.into(),
            kind,
            first,
            second,
            stiffness: None,
            strength: f64::INFINITY,
            times: [0.0, f64::INFINITY],
            is_limit: false,
            with_next: false,
            state: JointState::default(),
        }
    }

    /// A hinge: two joints that hold two points of its axis.
    pub fn hinge(name: &str, ends: [(BodyPoint, JointEnd); 2]) -> [Self; 2] {
        let mut pins = ends.map(|(first, second)| Self::new(name, JointKind::Point, first, second));
        pins[0].with_next = true;
        pins
    }

    /// Whether it acts at a time.
    pub fn acts_at(&self, time: f64) -> bool {
        !(self.takes_hold() && self.state.taken.is_none()) && self.may_act_at(time)
    }

    /// Whether it holds what is there when it begins, and as it is then: drawing ends together that are far from
    /// each other would take a blow.
    fn takes_hold(&self) -> bool {
        let is_motor = self.motor().is_some();
        let begins_later = self.stiffness.is_none() && self.times[0] > 0.0 && !is_motor;
        begins_later || matches!(self.second, JointEnd::Touch { .. })
    }

    fn may_act_at(&self, time: f64) -> bool {
        !self.state.is_broken && self.times[0] <= time && time < self.times[1]
    }

    /// Begins a step: takes hold where the joint waits for a touch or for its time, and bears nothing where it does
    /// not act.
    pub(crate) fn begin_step(&mut self, bodies: &[Body], time: f64) {
        if !self.may_act_at(time) {
            self.state.force = DVec3::ZERO;
            self.state.force_before = 0.0;
        }
        self.note_turn(bodies, time);
        if !self.takes_hold() || self.state.taken.is_some() || !self.may_act_at(time) {
            return;
        }
        let place = self.first.position(bodies);
        let near = |body: usize| Taken::Point(BodyPoint::near(bodies, body, place));
        self.state.taken = match (&self.second, &self.kind) {
            (&JointEnd::Touch { body, reach }, _) => {
                let may_move =
                    self.first.may_move(bodies) || !bodies[body].formulation().is_driven();
                let touches = may_move && touch::distance(&bodies[body], place) <= reach;
                touches.then(|| near(body))
            }
            (_, JointKind::Distance(_)) => {
                let second = self.second_position(bodies, time);
                Some(Taken::Length(place.distance(second)))
            }
            (JointEnd::Point(second), _) => {
                let other = &bodies[second.body];
                // A point of what is soft is where its nodes are: the first end has to come to it.
                let size = bodies[self.first.body].size().min(other.size());
                let is_close = second.position(bodies).distance(place) <= APART * size;
                match (is_close, point::is_rigid(other)) {
                    (true, _) => Some(Taken::Point(second.clone())),
                    (false, true) => Some(near(second.body)),
                    (false, false) => None,
                }
            }
            (end, _) => {
                let named = end.place_at(time).unwrap_or_default();
                Some(Taken::Shift(place - named))
            }
        };
    }

    /// The point of a body that the first end is held to.
    pub fn second_point(&self) -> Option<&BodyPoint> {
        match &self.state.taken {
            Some(Taken::Point(point)) => Some(point),
            _ => self.second.point(),
        }
    }

    /// Where the second end is at a time, if it is no point of a body.
    pub fn second_place(&self, time: f64) -> Option<DVec3> {
        let named = self.second.place_at(time)?;
        Some(match &self.state.taken {
            Some(Taken::Shift(shift)) => named + *shift,
            _ => named,
        })
    }

    fn second_position(&self, bodies: &[Body], time: f64) -> DVec3 {
        match self.second_point() {
            Some(point) => point.position(bodies),
            None => self.second_place(time).unwrap_or_default(),
        }
    }

    /// The distances between which it keeps its ends, in metres, if it is of that kind.
    pub fn distances(&self) -> Option<[f64; 2]> {
        let JointKind::Distance([least, most]) = self.kind else {
            return None;
        };
        Some(match self.state.taken {
            Some(Taken::Length(length)) => [least.min(length), most.max(length)],
            _ => [least, most],
        })
    }

    /// The points of bodies that it holds.
    pub fn points(&self) -> impl Iterator<Item = &BodyPoint> + Clone {
        let line = match &self.kind {
            JointKind::Line(end) => end.point(),
            _ => None,
        };
        std::iter::once(&self.first)
            .chain(self.second_point())
            .chain(line)
    }

    /// Whether an end of it is a place of the world, at rest or led.
    pub(crate) fn holds_to_place(&self) -> bool {
        let line = match &self.kind {
            JointKind::Line(end) => end.point().is_none(),
            _ => false,
        };
        line || self.second_point().is_none()
    }

    /// Whether it is the same but for what steps change.
    pub(crate) fn is_described_as(&self, other: &Self) -> bool {
        self.first == other.first
            && self.second == other.second
            && self.kind == other.kind
            && self.times == other.times
            && self.stiffness == other.stiffness
            && self.strength == other.strength
            && self.is_limit == other.is_limit
            && self.with_next == other.with_next
            && self.name == other.name
    }

    /// The bodies that it joins; the second is missing where it holds to a place.
    pub fn bodies(&self) -> (usize, Option<usize>) {
        (self.first.body, self.second_point().map(|point| point.body))
    }

    /// The force that it bears, in newtons.
    pub fn load(&self) -> f64 {
        self.state.force.length()
    }

    /// The energy of a soft joint, in joules.
    pub(crate) fn energy(&self, bodies: &[Body], time: f64) -> f64 {
        let stiffness = self.stiffness.unwrap_or(0.0);
        0.5 * stiffness * self.apart(bodies, time).powi(2)
    }

    /// How far its ends are at a time from where it holds them, as the bodies are, in metres.
    pub fn apart(&self, bodies: &[Body], time: f64) -> f64 {
        let a = self.first.position(bodies);
        let b = self.second_position(bodies, time);
        match &self.kind {
            JointKind::Point => a.distance(b),
            JointKind::Line(end) => {
                let along = (end.position(bodies, time) - b).normalize_or_zero();
                (a - b).reject_from(along).length()
            }
            JointKind::Track(track) => track.nearest(a - b).place.distance(a - b),
            JointKind::Distance(named) => {
                let [least, most] = self.distances().unwrap_or(*named);
                let length = a.distance(b);
                (length - length.clamp(least, most)).abs()
            }
            // It holds nothing in its place.
            JointKind::Motor(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_straight_from_place_to_place_and_stays_at_its_ends() {
        let path = JointEnd::Path([(1.0, DVec3::ZERO), (3.0, DVec3::X)].into());
        for (time, x) in [(0.0, 0.0), (1.0, 0.0), (1.5, 0.25), (3.0, 1.0), (9.0, 1.0)] {
            assert_eq!(path.place_at(time), Some(DVec3::new(x, 0.0, 0.0)), "{time}");
        }
    }
}
