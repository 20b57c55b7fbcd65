//! Counts edges that cross triangles, with exact predicates.
//!
//! A referee for contact: it shares no code with the search, the distances and the proofs that
//! contact uses. A triangle and an edge that share no vertex *cross* if the closed triangle and the
//! closed segment have a point in common. Touching counts, and whether they touch is decided
//! exactly: the signs of determinants come from adaptive exact arithmetic (Shewchuk 1997, crate
//! `robust`), and all else is comparisons. There is no tolerance.
//!
//! Surfaces that intersect have an edge of one that crosses a triangle of the other, so edges
//! against triangles are all that surfaces need. Curves cross surfaces in the same way. Curves do
//! not cross curves: two segments that pass through each other meet for one instant only, and have
//! no point in common before or after, so positions at one time say nothing about it.
//!
//! Coordinates must differ by more than 1e-70 where they differ, and be below 1e70, since
//! products of three differences must neither underflow nor overflow.
//!
//! ```
//! use glam::DVec3;
//! use pliant_crossings::{Crossing, crossings};
//!
//! let positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::splat(0.2), -DVec3::splat(0.1)];
//! let found = crossings(&positions, &[[0, 1, 2]], &[[3, 4], [0, 3]])?;
//! // The second edge shares a vertex with the triangle.
//! assert_eq!(found, [Crossing { edge: 0, triangle: 0 }]);
//! # Ok::<(), pliant_crossings::CrossingsError>(())
//! ```

mod grid;
mod segment_segment;
mod segment_triangle;

pub use segment_triangle::segment_meets_triangle;

use glam::DVec3;
use std::fmt;

/// Below this many pairs all are tried.
const FEW_PAIRS: usize = 4096;

/// An edge and a triangle that cross, as indices into the lists that were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Crossing {
    /// Which edge.
    pub edge: usize,
    /// Which triangle.
    pub triangle: usize,
}

/// Why crossings cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrossingsError {
    /// A vertex of a triangle or an edge has a coordinate that is not finite.
    NotFinite {
        /// The vertex.
        vertex: u32,
    },
    /// A triangle or an edge names a vertex that is not there.
    Missing {
        /// The vertex.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
}

impl fmt::Display for CrossingsError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotFinite { vertex } => {
                write!(f, "the position of vertex {vertex} is not finite")
            }
            Self::Missing { vertex, vertices } => {
                write!(
                    f,
                    "a triangle or an edge names vertex {vertex} of {vertices}"
                )
            }
        }
    }
}

impl std::error::Error for CrossingsError {}

/// All edges that cross triangles with which they share no vertex, sorted. The count is the length
/// of the list.
pub fn crossings(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
) -> Result<Vec<Crossing>, CrossingsError> {
    if triangles.len().saturating_mul(edges.len()) <= FEW_PAIRS {
        return crossings_by_brute_force(positions, triangles, edges);
    }
    check(positions, triangles, edges)?;
    Ok(grid::crossings(positions, triangles, edges))
}

/// As [`crossings`], by trying all edges with all triangles.
pub fn crossings_by_brute_force(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
) -> Result<Vec<Crossing>, CrossingsError> {
    check(positions, triangles, edges)?;
    let mut found = Vec::new();
    for (edge, &ends) in edges.iter().enumerate() {
        for (triangle, &corners) in triangles.iter().enumerate() {
            if cross(positions, ends, corners) {
                found.push(Crossing { edge, triangle });
            }
        }
    }
    Ok(found)
}

/// Whether an edge crosses a triangle with which it shares no vertex.
fn cross(positions: &[DVec3], ends: [u32; 2], corners: [u32; 3]) -> bool {
    let place = |vertex: u32| positions[vertex as usize];
    !ends.iter().any(|end| corners.contains(end))
        && segment_meets_triangle(ends.map(place), corners.map(place))
}

fn check(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
) -> Result<(), CrossingsError> {
    let vertices = positions.len();
    for &vertex in triangles.iter().flatten().chain(edges.iter().flatten()) {
        match positions.get(vertex as usize) {
            None => return Err(CrossingsError::Missing { vertex, vertices }),
            Some(place) if !place.is_finite() => return Err(CrossingsError::NotFinite { vertex }),
            Some(_) => {}
        }
    }
    Ok(())
}
