//! The formulations of the engine: how the shape of a body is described, one file each.
//!
//! | formulation | what it is |
//! |---|---|
//! | [`Primal`] | node positions on a grid, with an energy of metric and curvature |
//! | [`Hybrid`] | a rigid frame and a deformation relative to it, with a quadratic energy |
//! | [`Rod`] | a curve with a material frame, which resists bending and twisting |
//! | [`FittedSuperquadric`] | a superquadric that points draw to themselves |
//! | [`Snake`] | a curve without a rest shape that images draw to their features |
//! | [`Film`] | a surface of constant tension, which minimises its area |
//! | [`DynamicNurbs`] | a curve or surface that moves by its control points and weights |
//! | [`Sticks`] | particles whose distances are restored after each step of Verlet's rule |
//! | [`ChainMail`] | elements that follow each other within limits, without forces |
//! | [`MeshSettings`] | a mesh of elements with energies of finite elements, springs, bending |
//! | [`Modal`] | a sum of the lowest vibrations of a mesh, in a frame that moves |
//! | [`GlobalDeformation`] | a mesh that a polynomial map of few unknowns deforms as a whole |
//! | [`Condensed`] | a held linear mesh whose answers to forces on single nodes are computed before |
//! | [`Rigid`] | what moves and turns and keeps its shape |
//!
//! A new one is a file here that implements [`Formulation`](crate::Formulation), or
//! `GridMechanics` if its bodies are on grids, and a line in
//! [`NAMES`]; nothing else in the engine asks which one a body has. CONTRIBUTING.md has an example.

mod chain_mail;
mod condensed;
mod dynamic_nurbs;
mod film;
mod global;
mod grid_body;
mod grid_facets;
mod grid_footprint;
mod hybrid;
mod mesh;
mod modal;
mod primal;
mod reduced_mesh;
mod rigid;
mod rod;
mod snake;
mod sticks;
mod superquadric;

pub use crate::dynamic_nurbs::Trim;
pub use crate::fem::MeshSettings;
pub use crate::hybrid::Hybrid;
pub use chain_mail::ChainMail;
pub use condensed::Condensed;
pub use dynamic_nurbs::DynamicNurbs;
pub use film::Film;
pub use global::GlobalDeformation;
pub use grid_footprint::bytes_per_grid_node;
pub use mesh::BYTES_PER_SOLID_NODE;
pub use modal::Modal;
pub use primal::Primal;
pub use rigid::{Rigid, RigidError, RigidShape};
pub use rod::{Rod, RodSettings};
pub use snake::Snake;
pub use sticks::Sticks;
pub use superquadric::FittedSuperquadric;

use crate::body::{BodyDescription, OnGrid};
use crate::fem::{ReducedMesh, Reduction};
use std::sync::Arc;

/// The names of the formulations.
pub const NAMES: &[&str] = &[
    Primal::NAME,
    Hybrid::NAME,
    MeshSettings::NAME,
    Rigid::NAME,
    Modal::NAME,
    Condensed::NAME,
    GlobalDeformation::NAME,
    Sticks::NAME,
    ChainMail::NAME,
    Snake::NAME,
    Film::NAME,
    DynamicNurbs::NAME,
    Rod::NAME,
    FittedSuperquadric::NAME,
];

/// The names of those of bodies on grids that have an elastic energy.
pub const ON_GRIDS: &[&str] = &[Primal::NAME, Hybrid::NAME];

/// The names of all that bodies on grids can have, as scenes choose them.
pub const CHOICES_ON_GRIDS: &[&str] = &[
    Primal::NAME,
    Hybrid::NAME,
    Sticks::NAME,
    ChainMail::NAME,
    Snake::NAME,
    Film::NAME,
    DynamicNurbs::NAME,
    Rod::NAME,
    FittedSuperquadric::NAME,
];

/// The names of those of bodies over meshes, as scenes choose them.
pub const CHOICES_ON_MESHES: &[&str] = &[
    MeshSettings::NAME,
    Modal::NAME,
    Condensed::NAME,
    GlobalDeformation::NAME,
];

impl BodyDescription {
    /// Gives a body over a mesh another formulation by its name; says whether there is such a one.
    pub fn reformulate_mesh(&mut self, name: &str) -> bool {
        let Some(mesh) = self.mesh().cloned() else {
            return false;
        };
        let reduction: Arc<dyn Reduction> = match name {
            MeshSettings::NAME => {
                self.formulation = Arc::new(mesh);
                return true;
            }
            Modal::NAME => Arc::new(Modal::default()),
            Condensed::NAME => Arc::new(Condensed::default()),
            GlobalDeformation::NAME => Arc::new(GlobalDeformation::default()),
            _ => return false,
        };
        self.formulation = Arc::new(ReducedMesh { mesh, reduction });
        true
    }

    /// Gives a body on a grid another formulation by its name; says whether there is such a one.
    pub fn reformulate(&mut self, name: &str) -> bool {
        let Some(own) = self.on_grid().cloned() else {
            return false;
        };
        self.formulation = match name {
            Rod::NAME => {
                let settings = RodSettings::default();
                Arc::new(Rod { own, settings })
            }
            FittedSuperquadric::NAME => Arc::new(OnGrid {
                own,
                mechanics: FittedSuperquadric::default(),
            }),
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
            Snake::NAME => Arc::new(OnGrid {
                own,
                mechanics: Snake,
            }),
            Film::NAME => Arc::new(OnGrid {
                own,
                mechanics: Film,
            }),
            DynamicNurbs::NAME => Arc::new(OnGrid {
                own,
                mechanics: DynamicNurbs::default(),
            }),
            _ => return false,
        };
        true
    }
}
