//! The part of a body that a load is spread over: how much of it each node stands for.
//!
//! ```text
//! s_a = ∫ N_a dS          n_a = ∫ N_a n dS
//! ```
//!
//! N_a are the interpolation functions of the elements, n the outward unit normal at rest, dS an
//! element of area, length or volume. A load of q per size is then q s_a at the node a: the forces
//! that do the same work as the spread load in every motion the elements can make ("consistent").

use glam::DVec3;

/// What one node stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeShare {
    /// The node.
    pub node: usize,
    /// s: length, area or volume, in powers of metres. It can be negative at the corners of elements
    /// with nodes in the middle of their edges.
    pub size: f64,
    /// n: the area along the outward normal, in square metres; zero for lengths and volumes.
    pub normal: DVec3,
}

/// A part of a body, all of it at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedPart {
    /// Number of nodes of the whole body.
    pub node_count: usize,
    /// Shares of the faces in the part: of a surface, or of the boundary of a solid.
    pub faces: Vec<NodeShare>,
    /// Shares of the edges in the part that lie in none of its faces, of the rim of a surface, and of
    /// a curve.
    pub edges: Vec<NodeShare>,
    /// Shares of the volume of the part; empty for curves and surfaces.
    pub volume: Vec<NodeShare>,
}
