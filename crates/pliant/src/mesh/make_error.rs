//! Why a mesh could not be made.

use glam::DVec3;
use thiserror::Error;

/// Why a mesh could not be made, with where and what to do.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum MeshMakeError {
    #[error("{what} must be {wanted}, but is {value}")]
    BadNumber {
        what: &'static str,
        wanted: &'static str,
        value: f64,
    },
    #[error("{what} must have at least one part")]
    NoParts { what: &'static str },
    #[error("nothing lies inside the shape between {lowest} and {highest}")]
    NothingInside { lowest: DVec3, highest: DVec3 },
    #[error(
        "a spacing of {spacing} m is too coarse: the shape is thinner than that; try {try_spacing} m"
    )]
    TooCoarse { spacing: f64, try_spacing: f64 },
    #[error(
        "with a spacing of {spacing} m the shape falls apart into {pieces} pieces instead of \
         {expected}: some part is thinner than two spacings; try {try_spacing} m"
    )]
    FallsApart {
        spacing: f64,
        pieces: usize,
        expected: usize,
        try_spacing: f64,
    },
    #[error(
        "a spacing of {spacing} m would need {} lattice points (about {} MB), more than the {limit} \
         allowed; try {try_spacing} m",
        count(*points),
        count(*megabytes)
    )]
    TooLarge {
        spacing: f64,
        points: f64,
        megabytes: f64,
        limit: usize,
        try_spacing: f64,
    },
    #[error("the shape reaches out of its own bounds at {place}")]
    OutOfBounds { place: DVec3 },
    #[error("the shape has no finite value at {place}")]
    NotFinite { place: DVec3 },
    #[error("a division needs at least one cell in each direction, but {counts:?} were asked for")]
    NoCells { counts: [usize; 3] },
    #[error("a rectangle is made of triangles or quadrilaterals, not of {kind:?}")]
    NotAFace { kind: super::ElementKind },
    #[error("{} nodes are more than the {limit} that fit into 32-bit numbers", count(*nodes))]
    TooManyNodes { nodes: f64, limit: usize },
    #[error("the surface does not bound a solid: {fault}; `repair` may mend it")]
    BadSurface { fault: super::SurfaceFault },
    #[error(transparent)]
    BadMesh(#[from] super::MeshError),
    #[error("the mesh has no tetrahedra to embed a surface in")]
    NoTetrahedra,
}

/// A large number for people: never hundreds of digits.
fn count(number: f64) -> String {
    match number < 1e12 {
        true => format!("{number:.0}"),
        false => format!("{number:.1e}"),
    }
}

/// `value` if it is finite and above 0.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, MeshMakeError> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(MeshMakeError::BadNumber {
        what,
        wanted: "finite and above 0",
        value,
    })
}

/// `value` if it is finite and not below 0.
pub(super) fn not_negative(what: &'static str, value: f64) -> Result<f64, MeshMakeError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(value);
    }
    Err(MeshMakeError::BadNumber {
        what,
        wanted: "finite and not below 0",
        value,
    })
}

/// `vector` if each component is finite.
pub(super) fn finite(what: &'static str, vector: DVec3) -> Result<DVec3, MeshMakeError> {
    match vector.to_array().into_iter().find(|x| !x.is_finite()) {
        None => Ok(vector),
        Some(value) => Err(MeshMakeError::BadNumber {
            what,
            wanted: "finite",
            value,
        }),
    }
}
