//! The functions that carry the control points of a lattice through space.

use crate::math::{KnotError, SplineBasis};

/// Which functions a lattice uses along each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatticeBasis {
    /// Bernstein polynomials: each control point moves the whole lattice a little.
    Bernstein,
    /// B-splines of a degree, or of the highest that the number of points allows: a control point
    /// moves what is near.
    BSpline {
        /// The degree, at least 1.
        degree: usize,
    },
}

impl LatticeBasis {
    /// The functions for a number of control points along one direction.
    pub fn along(self, count: usize) -> Result<SplineBasis, KnotError> {
        match self {
            Self::Bernstein => SplineBasis::bernstein(count),
            Self::BSpline { degree } => {
                SplineBasis::clamped(count, degree.min(count.saturating_sub(1)))
            }
        }
    }
}
