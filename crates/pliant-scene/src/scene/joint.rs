//! Joints as a scene describes them.

use crate::Location;
use glam::DVec3;
use pliant::joint::Track;

/// What holds a point of a body to a point of another, or to a place.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// What it keeps.
    pub kind: JointKind,
    /// The body, by its place in the world.
    pub body: usize,
    /// The other one; the world if there is none.
    pub other: Option<usize>,
    /// Where it is at the start.
    pub at: DVec3,
    /// Whether contact acts between the two bodies.
    pub meets: bool,
    /// The length over which its force is spread, in metres.
    pub spread: Option<f64>,
    /// In newtons per metre; hard if there is none.
    pub stiffness: Option<f64>,
    /// The force at which it breaks, in newtons.
    pub strength: f64,
    /// When it begins and ends, in seconds.
    pub times: [f64; 2],
}

/// What a joint keeps.
#[derive(Clone, Debug)]
pub enum JointKind {
    /// Both ends in one place.
    Point,
    /// An axis, with the least and the largest angle in degrees.
    Hinge {
        /// Its direction.
        axis: DVec3,
        /// In degrees; infinite where there is none.
        limits: Option<[f64; 2]>,
        /// What turns it: degrees per second and the largest torque in newton metres.
        motor: Option<[f64; 2]>,
    },
    /// On the line to this place.
    Line(DVec3),
    /// From this place, with the least and the largest distance.
    Distance {
        /// The other end.
        to: DVec3,
        /// In metres; that of the start if there are none.
        limits: Option<[f64; 2]>,
    },
    /// On a line.
    Track(Track),
    /// Along places in time.
    Path(Vec<(f64, DVec3)>),
    /// Where nodes near the joint touch the other body.
    Sticky {
        /// How far nodes are from the joint at most, in metres.
        radius: f64,
        /// How near they come, in metres.
        reach: f64,
    },
}
