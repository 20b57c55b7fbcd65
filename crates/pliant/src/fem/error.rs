//! What can be wrong with an energy over a mesh.

use crate::mesh::{ElementKind, MeshError};

/// Why an energy cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FemError {
    /// A parameter is out of range.
    #[error("{parameter} must be {expected}, but is {value}")]
    Parameter {
        /// Name of the parameter.
        parameter: &'static str,
        /// Allowed values, in words.
        expected: &'static str,
        /// The value given.
        value: f64,
    },
    /// The mesh does not make sense.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The energy is not defined for such elements.
    #[error("{energy} needs {expected}, but the elements are of kind {given:?}")]
    WrongKind {
        /// Name of the energy.
        energy: &'static str,
        /// The kinds it can use, in words.
        expected: &'static str,
        /// The kind given.
        given: ElementKind,
    },
    /// An element has no length, area or volume at rest, or is inside out.
    #[error("element {element} is degenerate at rest: its {measure} is {value}")]
    Degenerate {
        /// Index of the element.
        element: usize,
        /// "length", "area" or "volume".
        measure: &'static str,
        /// What it is.
        value: f64,
    },
    /// A rigid core does not make sense.
    #[error("{what}")]
    Core {
        /// What is wrong.
        what: &'static str,
    },
    /// What bodies over a mesh cannot do.
    #[error("a body over a mesh cannot have {what}")]
    Unsupported {
        /// What.
        what: &'static str,
    },
    /// There is one value too few or too many.
    #[error("{what} must have {expected} values, but has {given}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        given: usize,
    },
}
