//! The features that can touch: points, edges and triangles over one list of vertices.

use std::collections::BTreeSet;
use std::fmt;

/// Points, edges and triangles over one list of vertices.
///
/// Points against triangles and edges against edges cover surfaces and curves. Points of no edge
/// and no triangle (particles) also need pairs with each other and with edges of no triangle;
/// [`Search`](crate::Search) finds out which those are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complex {
    /// Vertices that can touch.
    pub points: Vec<u32>,
    /// Edges of triangles and of curves, each once.
    pub edges: Vec<[u32; 2]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// For each vertex: which body it belongs to. The vertices of a feature belong to one body.
    pub group: Vec<u32>,
    /// For each vertex: whether it never moves. Pairs in which all vertices are still are left out.
    pub still: Vec<bool>,
}

impl Complex {
    /// Features of triangles, curves (as edges) and particles; `group` and `still` are per vertex.
    /// Edges of triangles are found and listed once. Points and edges are sorted.
    pub fn of_parts(
        triangles: Vec<[u32; 3]>,
        curve_edges: &[[u32; 2]],
        particles: &[u32],
        group: Vec<u32>,
        still: Vec<bool>,
    ) -> Self {
        let sides = triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let edges: BTreeSet<[u32; 2]> = sides
            .chain(curve_edges.iter().copied())
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let points: BTreeSet<u32> = triangles
            .iter()
            .flatten()
            .chain(curve_edges.iter().flatten())
            .chain(particles)
            .copied()
            .collect();
        Self {
            points: points.into_iter().collect(),
            edges: edges.into_iter().collect(),
            triangles,
            group,
            still,
        }
    }

    /// Whether lists fit each other and each feature belongs to one group.
    pub fn check(&self) -> Result<(), ComplexError> {
        let vertices = self.group.len();
        if self.still.len() != vertices {
            let still = self.still.len();
            return Err(ComplexError::Lengths { vertices, still });
        }
        let points = self.points.iter().map(std::slice::from_ref);
        let edges = self.edges.iter().map(<[u32; 2]>::as_slice);
        let triangles = self.triangles.iter().map(<[u32; 3]>::as_slice);
        for feature in points.chain(edges).chain(triangles) {
            if let Some(&vertex) = feature.iter().find(|&&v| v as usize >= vertices) {
                return Err(ComplexError::Missing { vertex, vertices });
            }
            let earlier = |&(k, v): &(usize, &u32)| feature[..k].contains(v);
            if let Some((_, &vertex)) = feature.iter().enumerate().find(earlier) {
                return Err(ComplexError::Repeated { vertex });
            }
            let group = self.group[feature[0] as usize];
            if let Some(&vertex) = feature.iter().find(|&&v| self.group[v as usize] != group) {
                let first = feature[0];
                return Err(ComplexError::Groups { first, vertex });
            }
        }
        Ok(())
    }
}

/// Which pairs of groups are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Groups whose features are not paired with those of the same group.
    pub without_self: Vec<u32>,
    /// Pairs of groups whose features are not paired with each other.
    pub apart: Vec<[u32; 2]>,
}

/// What is wrong with a complex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComplexError {
    /// `group` and `still` differ in length.
    Lengths {
        /// Entries of `group`.
        vertices: usize,
        /// Entries of `still`.
        still: usize,
    },
    /// A feature names a vertex that is not there.
    Missing {
        /// The vertex.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A feature names a vertex more than once.
    Repeated {
        /// The vertex.
        vertex: u32,
    },
    /// The vertices of a feature belong to different groups.
    Groups {
        /// The first vertex of the feature.
        first: u32,
        /// The vertex that belongs to another group.
        vertex: u32,
    },
}

impl fmt::Display for ComplexError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Lengths { vertices, still } => write!(
                f,
                "{vertices} vertices have a group, but {still} say whether they are still"
            ),
            Self::Missing { vertex, vertices } => {
                write!(f, "a feature names vertex {vertex} of {vertices}")
            }
            Self::Repeated { vertex } => {
                write!(f, "a feature names vertex {vertex} more than once")
            }
            Self::Groups { first, vertex } => write!(
                f,
                "vertices {first} and {vertex} of one feature belong to different groups"
            ),
        }
    }
}

impl std::error::Error for ComplexError {}
