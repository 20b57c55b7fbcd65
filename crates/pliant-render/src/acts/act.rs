//! Plain data about what acts.

use super::ImagePlane;
use glam::DVec3;

/// Something that acts on a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A spring from a node to a point, which may move evenly.
    Spring {
        /// Index of the body in the frame.
        body: usize,
        /// Its node.
        node: usize,
        /// The point, in metres, at the begin and at the end.
        anchor: [DVec3; 2],
        /// When it begins and when it ends to act, in seconds.
        span: [f64; 2],
    },
    /// A node that is held.
    Pin {
        /// Index of the body in the frame.
        body: usize,
        /// Its node.
        node: usize,
    },
    /// A row of nodes that is held: a rail runs along it.
    Clamp {
        /// Index of the body in the frame.
        body: usize,
        /// Its nodes, one after the other.
        nodes: Vec<usize>,
        /// Whether the last is the neighbour of the first.
        closed: bool,
    },
    /// A place that holds a point of a body and may be led along a path.
    Hook {
        /// Places at times in seconds, with straight lines between them.
        path: Vec<(f64, DVec3)>,
        /// When it begins and when it ends to act, in seconds.
        span: [f64; 2],
    },
    /// A node with much more mass than the others.
    Weight {
        /// Index of the body in the frame.
        body: usize,
        /// Its node.
        node: usize,
        /// Size of the ball that stands for it; 1 is usual.
        size: f64,
    },
    /// A constant force on a node, or on the whole body.
    Push {
        /// Index of the body in the frame.
        body: usize,
        /// Its node; `None` for all.
        node: Option<usize>,
        /// The force; only its direction counts.
        force: DVec3,
        /// When it begins and when it ends to act, in seconds.
        span: [f64; 2],
    },
    /// A load that is spread over a part of a body.
    Load {
        /// Index of the body in the frame.
        body: usize,
        /// Loaded nodes, and the directions of their loads.
        loads: Vec<(usize, DVec3)>,
        /// Whether it pulls: its arrows begin at the nodes and lie outside of the body. Those of a load that pushes
        /// end there.
        pulls: bool,
        /// The share of the greatest load at times in seconds.
        strength: Vec<[f64; 2]>,
    },
    /// A thread between two points; a slack one hangs down.
    Thread {
        /// Its ends.
        ends: [ThreadEnd; 2],
        /// Its length, in metres; infinite if it has none.
        length: f64,
        /// When it begins and when it ends to act, in seconds.
        span: [f64; 2],
    },
    /// A stream of that velocity, in m/s.
    Wind(DVec3),
    /// An image that pulls curves in its plane.
    Image(ImagePlane),
    /// A letter beside an obstacle.
    Letter {
        /// What is written.
        text: String,
        /// Where, in metres.
        place: DVec3,
    },
}

/// An end of a thread.
#[derive(Clone, Debug, PartialEq)]
pub enum ThreadEnd {
    /// A place, in metres.
    Place(DVec3),
    /// A mean of nodes of a body.
    Nodes {
        /// Index of the body in the frame.
        body: usize,
        /// Nodes and weights.
        nodes: Vec<(u32, f64)>,
    },
}

impl ThreadEnd {
    /// Where it is, by the places of nodes.
    pub(super) fn place(&self, at: &dyn Fn(usize, usize) -> Option<DVec3>) -> Option<DVec3> {
        match self {
            Self::Place(place) => Some(*place),
            Self::Nodes { body, nodes } => {
                let parts = nodes.iter();
                parts
                    .map(|(node, weight)| Some(*weight * at(*body, *node as usize)?))
                    .sum()
            }
        }
    }
}
