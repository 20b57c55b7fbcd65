//! The one place where implicit bodies are moved.
//!
//! A step is one or two implicit stages (`rule.rs`). A stage minimises one potential
//! (`potential.rs`): inertia, damping, elastic energies, external forces, and contact with its
//! friction (`obstacle_contact.rs`), over unknowns that are 3-vectors (`unknowns.rs`). Newton's method
//! (`newton.rs`) finds the minimum. `mover.rs` puts them together.

mod affine;
mod bounds;
mod mover;
mod newton;
mod obstacle_contact;
mod potential;
mod rule;
mod tied;
mod unknowns;

pub(crate) use affine::ControlFrame;
pub(crate) use mover::Mover;
