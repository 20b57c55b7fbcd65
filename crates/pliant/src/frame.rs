//! What leaves the physics: the state of the world at one moment, ready to be drawn or written.
//!
//! A `Frame` is plain data. Exporters and renderers see frames and never a body, so a new
//! formulation needs no change in them.

pub use crate::appearance::{Appearance, BaseColor, Finish, FinishPreset, ImageCorners};

use glam::DVec3;
use std::sync::Arc;

/// The world at one moment.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Number of the frame, counted from 0.
    pub number: usize,
    /// Simulated time in seconds.
    pub time: f64,
    /// Every deformable body.
    pub bodies: Vec<FrameBody>,
    /// Every visible obstacle.
    pub obstacles: Vec<FrameObstacle>,
}

/// A deformable body at one moment. All per-node lists have the same length and order.
#[derive(Clone, Debug)]
pub struct FrameBody {
    /// The name of the body, as in the scene.
    pub name: Arc<str>,
    /// How the nodes are connected.
    pub topology: Arc<Topology>,
    /// How the body looks.
    pub appearance: Arc<Appearance>,
    /// Node positions, in metres.
    pub positions: Vec<DVec3>,
    /// Node velocities, in metres per second.
    pub velocities: Vec<DVec3>,
    /// Elastic force at each node, in newtons.
    pub elastic_forces: Vec<DVec3>,
    /// Sum of the external forces at each node, in newtons.
    pub external_forces: Vec<DVec3>,
    /// Nodes that are held fixed.
    pub fixed: Arc<Vec<bool>>,
    /// Numbers at the nodes, such as strain, that pictures can be coloured by.
    pub fields: Vec<NodalField>,
    /// Radius of a loose particle (see [`Topology::points`]), in metres.
    pub particle_radius: f64,
}

/// A number at each node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodalField {
    /// What it is: `strain`, `stress`, `temperature`.
    pub name: &'static str,
    /// Its unit; empty for a ratio.
    pub unit: &'static str,
    /// The value at each node.
    pub values: Vec<f64>,
}

/// How the nodes of a body are connected: lines of a curve, triangles of a surface, and for a
/// solid its boundary triangles and its hexahedra or tetrahedra.
///
/// A body that tears or melts has another topology from one frame to the next; the nodes and their
/// order stay the same.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Nodes that belong to nothing else: particles of a fluid.
    pub points: Vec<u32>,
    /// Segments of a curve.
    pub lines: Vec<[u32; 2]>,
    /// Surface triangles; for a solid, its boundary, oriented outwards.
    pub triangles: Vec<[u32; 3]>,
    /// Cells of a solid, in the node order of the VTK hexahedron.
    pub hexahedra: Vec<[u32; 8]>,
    /// Tetrahedra of a solid, positively oriented.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Material coordinates of each node, between 0 and 1: texture coordinates.
    pub material_coordinates: Vec<[f64; 3]>,
    /// Neighbours on a grid whose link is broken. Pictures of torn
    /// grids are made from these; the other lists leave out what a broken link belongs to.
    pub broken_links: Vec<[u32; 2]>,
    /// Positions of the nodes at rest, in metres, where links are broken; else empty.
    pub rest_positions: Vec<DVec3>,
}

/// A rigid obstacle as triangles.
#[derive(Clone, Debug)]
pub struct FrameObstacle {
    /// The name of the obstacle, as in the scene.
    pub name: Arc<str>,
    /// Its surface, in world coordinates.
    pub mesh: Arc<TriangleMesh>,
    /// How the obstacle looks.
    pub appearance: Arc<Appearance>,
}

/// Vertices and the triangles between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions, in metres.
    pub positions: Vec<DVec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}
