//! Joints: points of bodies held together, to places, on lines, on tracks or within distances.
//!
//! ```text
//! c = a - b                        Point: the two ends lie in one place
//! c = a - b(s),  c ⟂ e             Line, Track: the first end slides along what the second carries
//! least <= |a - b| <= most         Distance
//! ```
//!
//! A hard joint keeps c = 0 by a force that the step finds ([`JointState::force`]); a soft one is a spring of
//! ½ k |c|². Where bodies are joined, they move as one system (`system/island_joints.rs`).
//!
//! Implements: \[Gudukbay\] sect. 4, point-to-point, point-to-line and point-to-path constraints, with forces
//! that are spread over the material ([`BodyPoint::spread`]).

mod point;
mod touch;

pub use point::BodyPoint;

use crate::body::Body;
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
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
    /// The first end lies on a line through these places, which are carried along by the second.
    Track(Arc<[DVec3]>),
    /// The ends are at least and at most so far apart, in metres.
    Distance([f64; 2]),
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
    /// What steps change.
    pub state: JointState,
}

/// What steps change of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointState {
    /// The force with which the first end pulls, in newtons: that on the second end. Of distances it is
    /// the tension alone, along x.
    pub force: DVec3,
    /// Whether it has broken.
    pub is_broken: bool,
    /// The point of a body that is held where it was touched.
    pub touched: Option<BodyPoint>,
}

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
    #[error("{what}")]
    Bad { what: &'static str },
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
            state: JointState::default(),
        }
    }

    /// A hinge: two joints that hold two points of its axis.
    pub fn hinge(name: &str, ends: [(BodyPoint, JointEnd); 2]) -> [Self; 2] {
        ends.map(|(first, second)| Self::new(name, JointKind::Point, first, second))
    }

    /// Whether it acts at a time.
    pub fn acts_at(&self, time: f64) -> bool {
        let waits = matches!(self.second, JointEnd::Touch { .. }) && self.state.touched.is_none();
        !waits && self.may_act_at(time)
    }

    fn may_act_at(&self, time: f64) -> bool {
        !self.state.is_broken && self.times[0] <= time && time < self.times[1]
    }

    /// Takes hold where a joint waits for a touch.
    pub(crate) fn touch(&mut self, bodies: &[Body], time: f64) {
        if let JointEnd::Touch { body, reach } = self.second
            && self.state.touched.is_none()
            && self.may_act_at(time)
        {
            let place = self.first.position(bodies);
            if touch::distance(&bodies[body], place) <= reach {
                self.state.touched = Some(BodyPoint::near(bodies, body, place));
            }
        }
    }

    /// The point of a body that the first end is held to.
    pub fn second_point(&self) -> Option<&BodyPoint> {
        self.second.point().or(self.state.touched.as_ref())
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

    /// The bodies that it joins; the second is missing where it holds to a place.
    pub fn bodies(&self) -> (usize, Option<usize>) {
        (self.first.body, self.second_point().map(|point| point.body))
    }

    /// The force that it bears, in newtons.
    pub fn load(&self) -> f64 {
        self.state.force.length()
    }

    /// What is wrong with it for some bodies.
    pub fn check(&self, bodies: &[Body]) -> Result<(), JointError> {
        for point in self.points() {
            point.check(bodies)?;
        }
        let bad = |what| Err(JointError::Bad { what });
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
        match &self.kind {
            JointKind::Distance([least, most])
                if !(*least >= 0.0 && most >= least && *most > 0.0) =>
            {
                return bad(
                    "the least distance must not be negative, and the largest not below it",
                );
            }
            JointKind::Track(places) if places.len() < 2 => {
                return bad("a track has at least two places");
            }
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
        }
        if let JointEnd::Touch { body, reach } = self.second {
            let count = bodies.len();
            let own = bodies.get(body).ok_or(JointError::NoBody { body, count })?;
            let is_rigid = own.formulation().contact_features(own).frame.is_some();
            return match (is_rigid && self.kind == JointKind::Point, reach > 0.0) {
                (false, _) => bad("only a rigid body holds what it touches, at a point"),
                (_, false) => bad("its reach must be positive"),
                _ => Ok(()),
            };
        }
        let size = self.points().map(|point| bodies[point.body].size());
        let size = size.fold(f64::INFINITY, f64::min);
        let apart = self.apart(bodies, self.times[0].max(0.0));
        if self.stiffness.is_none() && apart > APART * size {
            return Err(JointError::Apart { apart });
        }
        Ok(())
    }

    /// The energy of a soft joint, in joules.
    pub(crate) fn energy(&self, bodies: &[Body], time: f64) -> f64 {
        let stiffness = self.stiffness.unwrap_or(0.0);
        0.5 * stiffness * self.apart(bodies, time).powi(2)
    }

    /// How far its ends are at a time from where it holds them, as the bodies are, in metres.
    pub fn apart(&self, bodies: &[Body], time: f64) -> f64 {
        let a = self.first.position(bodies);
        let b = match self.second_point() {
            Some(point) => point.position(bodies),
            None => self.second.position(bodies, time),
        };
        match &self.kind {
            JointKind::Point => a.distance(b),
            JointKind::Line(end) => {
                let along = (end.position(bodies, time) - b).normalize_or_zero();
                (a - b).reject_from(along).length()
            }
            JointKind::Track(places) => nearest_on_track(places, a - b).0.distance(a - b),
            JointKind::Distance([least, most]) => {
                let length = a.distance(b);
                (length - length.clamp(*least, *most)).abs()
            }
        }
    }

    pub(crate) fn save(&self, writer: &mut SnapshotWriter) {
        writer.plain_numbers(&self.state.force.to_array());
        writer.number(f64::from(u8::from(self.state.is_broken)));
        let touched = self.state.touched.iter().flat_map(|point| &point.nodes);
        writer.count(touched.clone().count());
        for (node, weight) in touched {
            writer.count(*node as usize);
            writer.number(*weight);
        }
    }

    pub(crate) fn restore(&mut self, reader: &mut SnapshotReader) -> Result<(), SnapshotError> {
        let mut force = [0.0; 3];
        reader.plain_numbers(&mut force)?;
        self.state.force = DVec3::from_array(force);
        self.state.is_broken = reader.number()? != 0.0;
        let count = reader.count()?;
        let mut nodes = Vec::new();
        for _ in 0..count {
            nodes.push((reader.count()? as u32, reader.number()?));
        }
        self.state.touched = match self.second {
            JointEnd::Touch { body, .. } if count > 0 => Some(BodyPoint { body, nodes }),
            _ => None,
        };
        Ok(())
    }
}

/// The nearest place of a line through places, and its direction there: none at a corner or an end.
pub(crate) fn nearest_on_track(places: &[DVec3], at: DVec3) -> (DVec3, Option<DVec3>) {
    let mut best = (places[0], None);
    let mut least = f64::INFINITY;
    for pair in places.windows(2) {
        let along = pair[1] - pair[0];
        let share = (at - pair[0]).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        let inside = (0.0..=1.0).contains(&share);
        let place = pair[0] + share.clamp(0.0, 1.0) * along;
        let distance = place.distance_squared(at);
        if distance < least {
            least = distance;
            best = (place, inside.then(|| along.normalize_or_zero()));
        }
    }
    best
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

    #[test]
    fn the_nearest_place_of_a_track_is_known_with_its_direction() {
        let track = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y];
        let (place, along) = nearest_on_track(&track, DVec3::new(0.3, -0.2, 0.1));
        assert_eq!((place, along), (DVec3::new(0.3, 0.0, 0.0), Some(DVec3::X)));
        let (place, along) = nearest_on_track(&track, DVec3::new(1.2, -0.2, 0.0));
        assert_eq!((place, along), (DVec3::X, None));
    }
}
