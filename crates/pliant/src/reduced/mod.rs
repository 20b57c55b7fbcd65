//! Solids and shells with few unknowns, or with answers that were computed before.
//!
//! The first two start from the stiffness K of a mesh at rest (`stiffness.rs`):
//!
//! - *modes* (`modes.rs`, `basis.rs`, `modal_step.rs`): the shape is a sum of the lowest vibrations, each an
//!   oscillator of its own, seen from a frame that moves and turns with the body;
//! - *elementary displacements* (`elementary.rs`, `condensed_step.rs`): the shape that a force on one node
//!   gives is computed once and kept; any load is a sum of them;
//! - *polynomial maps* (`polynomial.rs`, `polynomial_step.rs`): the shape is a map of degree 1 or 2 of the rest
//!   shape, with the energies of its elements as they are.
//!
//! What touches the body, and springs that are too hard for the step, are forces on single nodes that are
//! found together (`points.rs`, `touch.rs`).
//!
//! Implements: \[Gibson1997\] sect. 4.3 and 6.1.

mod basis;
mod condensed_step;
mod elementary;
mod modal_loss;
mod modal_step;
mod modal_yield;
mod modes;
mod oscillator;
mod points;
mod polynomial;
mod polynomial_constraints;
mod polynomial_friction;
mod polynomial_stages;
mod polynomial_step;
mod small_factor;
mod stiffness;
mod touch;

pub use basis::{ModalBasis, ModalBasisError};
pub(crate) use condensed_step::CondensedStatics;
pub use elementary::ElementaryDisplacements;
pub(crate) use modal_step::{ModalDynamics, NoDynamics};
pub use modes::{ModeError, Modes, lowest_modes};
pub(crate) use polynomial_step::PolynomialDynamics;
pub(crate) use stiffness::rest_stiffness;
