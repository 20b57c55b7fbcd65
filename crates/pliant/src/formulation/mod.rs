//! The formulations of the engine: how the shape of a body is described, one file each.
//!
//! | formulation | what it is |
//! |---|---|
//! | [`Primal`] | node positions on a grid, with an energy of metric and curvature |
//! | [`Hybrid`] | a rigid frame and a deformation relative to it, with a quadratic energy |
//! | [`Sticks`] | particles whose distances are restored after each step of Verlet's rule |
//! | [`ChainMail`] | elements that follow each other within limits, without forces |
//! | [`MeshSettings`] | a mesh of elements with energies of finite elements, springs, bending |
//! | [`Rigid`] | what moves and turns and keeps its shape |
//!
//! A new one is a file here that implements [`Formulation`](crate::Formulation), or
//! `GridMechanics` if its bodies are on grids, and a line in
//! [`NAMES`]; nothing else in the engine asks which one a body has. CONTRIBUTING.md has an example.

mod chain_mail;
mod grid_body;
mod grid_facets;
mod hybrid;
mod mesh;
mod primal;
mod rigid;
mod sticks;

pub use crate::fem::MeshSettings;
pub use crate::hybrid::Hybrid;
pub use chain_mail::ChainMail;
pub use grid_body::bytes_per_grid_node;
pub use mesh::BYTES_PER_SOLID_NODE;
pub use primal::Primal;
pub use rigid::{Rigid, RigidError, RigidShape};
pub use sticks::Sticks;

use crate::body::{BodyDescription, OnGrid};
use std::sync::Arc;

/// The names of the formulations.
pub const NAMES: &[&str] = &[
    Primal::NAME,
    Hybrid::NAME,
    MeshSettings::NAME,
    Rigid::NAME,
    Sticks::NAME,
    ChainMail::NAME,
];

/// The names of those of bodies on grids that have an elastic energy.
pub const ON_GRIDS: &[&str] = &[Primal::NAME, Hybrid::NAME];

/// The names of all that bodies on grids can have, as scenes choose them.
pub const CHOICES_ON_GRIDS: &[&str] = &[Primal::NAME, Hybrid::NAME, Sticks::NAME, ChainMail::NAME];

impl BodyDescription {
    /// Gives a body on a grid another formulation by its name; says whether there is such a one.
    pub fn reformulate(&mut self, name: &str) -> bool {
        let Some(own) = self.on_grid().cloned() else {
            return false;
        };
        self.formulation = match name {
            Primal::NAME => Arc::new(OnGrid {
                own,
                mechanics: Primal,
            }),
            Hybrid::NAME => Arc::new(OnGrid {
                own,
                mechanics: Hybrid::default(),
            }),
            Sticks::NAME => Arc::new(OnGrid {
                own,
                mechanics: Sticks::default(),
            }),
            ChainMail::NAME => Arc::new(OnGrid {
                own,
                mechanics: ChainMail::default(),
            }),
            _ => return false,
        };
        true
    }
}
