//! Where a force comes from, for whoever wants to show it.

use super::Raster;
use glam::DVec3;
use std::sync::Arc;

/// Where a force comes from: plain data, without what it does to a node.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceSource {
    /// A point that pulls, moving evenly from one place to another while it does, in metres.
    Point {
        /// Where it is at the begin and at the end.
        path: [DVec3; 2],
        /// When it begins and when it ends to pull, in seconds.
        span: [f64; 2],
    },
    /// Something that pushes in one direction.
    Push {
        /// The force, in newtons.
        force: DVec3,
        /// When it begins and when it ends to push, in seconds.
        span: [f64; 2],
    },
    /// A medium that moves with about this velocity, in metres per second.
    Stream {
        /// The velocity.
        velocity: DVec3,
    },
    /// An image in a plane of constant z, as what it pulls sees it: blurred.
    Image {
        /// Its lower left corner, in metres.
        corner: DVec3,
        /// Side of a pixel, in metres.
        pixel: f64,
        /// The image from each of some times on, in seconds.
        moments: Arc<[(f64, Raster)]>,
    },
}
