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
//! A new one is a file here that implements [`Formulation`], or
//! `GridMechanics` if its bodies are on grids, and a line in
//! `GRIDS` or `MESHES` below; nothing else in the engine asks which one a body has. CONTRIBUTING.md has an example.

mod chain_mail;
mod condensed;
mod dynamic_nurbs;
mod film;
mod global;
mod grid_body;
mod grid_facets;
mod grid_fields;
mod grid_footprint;
mod grid_uses;
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

use crate::body::{BodyDescription, Formulation, GridDescription, OnGrid};
use crate::fem::{ReducedMesh, Reduction};
use grid_body::GridMechanics;
pub use grid_uses::GridUses;
use std::sync::Arc;

/// What makes a formulation, with its default settings, of what bodies of its kind have.
struct Choice<D> {
    name: &'static str,
    uses: GridUses,
    make: fn(D) -> Arc<dyn Formulation>,
}

/// Those of bodies on grids.
const GRIDS: [Choice<GridDescription>; 9] = [
    on_grid::<Primal>(),
    on_grid::<Hybrid>(),
    on_grid::<Sticks>(),
    on_grid::<ChainMail>(),
    on_grid::<Snake>(),
    on_grid::<Film>(),
    on_grid::<DynamicNurbs>(),
    Choice {
        name: Rod::NAME,
        uses: GridUses::COMMON,
        make: |on_grid| {
            let settings = RodSettings::default();
            Arc::new(Rod { on_grid, settings })
        },
    },
    on_grid::<FittedSuperquadric>(),
];

/// Those of bodies over meshes.
const MESHES: [Choice<MeshSettings>; 4] = [
    Choice {
        name: MeshSettings::NAME,
        uses: GridUses::COMMON,
        make: |mesh| Arc::new(mesh),
    },
    reduced::<Modal>(Modal::NAME),
    reduced::<Condensed>(Condensed::NAME),
    reduced::<GlobalDeformation>(GlobalDeformation::NAME),
];

const fn on_grid<M: GridMechanics>() -> Choice<GridDescription> {
    Choice {
        name: M::FORMULATION,
        uses: M::USES,
        make: |on_grid| {
            let mechanics = M::default();
            Arc::new(OnGrid { on_grid, mechanics })
        },
    }
}

const fn reduced<R: Reduction + Default>(name: &'static str) -> Choice<MeshSettings> {
    Choice {
        name,
        uses: GridUses::COMMON,
        make: |mesh| {
            let reduction = Arc::new(R::default());
            Arc::new(ReducedMesh { mesh, reduction })
        },
    }
}

const fn names_of<D, const N: usize>(choices: &[Choice<D>; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = choices[index].name;
        index += 1;
    }
    names
}

/// The names of all that bodies on grids can have, as scenes choose them.
pub const CHOICES_ON_GRIDS: &[&str] = &names_of(&GRIDS);

/// The names of those of bodies over meshes, as scenes choose them.
pub const CHOICES_ON_MESHES: &[&str] = &names_of(&MESHES);

/// The names of those of bodies on grids that have an elastic energy.
pub const ON_GRIDS: &[&str] = &[Primal::NAME, Hybrid::NAME];

/// What a formulation on grids makes of the numbers of particles; what most do if there is no such one.
pub fn uses_of_particles(name: &str) -> GridUses {
    let choice = GRIDS.iter().find(|choice| choice.name == name);
    choice.map_or(GridUses::COMMON, |choice| choice.uses)
}

/// The names of all formulations: those of rigid bodies are made of objects.
pub fn names() -> Vec<&'static str> {
    [CHOICES_ON_GRIDS, CHOICES_ON_MESHES, &[Rigid::NAME]].concat()
}

impl BodyDescription {
    /// Gives a body over a mesh another formulation by its name; says whether there is such a one.
    pub fn reformulate_mesh(&mut self, name: &str) -> bool {
        let mesh = self.mesh().cloned();
        self.choose(&MESHES, name, mesh)
    }

    /// Gives a body on a grid another formulation by its name; says whether there is such a one.
    pub fn reformulate(&mut self, name: &str) -> bool {
        let on_grid = self.on_grid().cloned();
        self.choose(&GRIDS, name, on_grid)
    }

    fn choose<D>(&mut self, choices: &[Choice<D>], name: &str, geometry: Option<D>) -> bool {
        let choice = choices.iter().find(|choice| choice.name == name);
        let (Some(choice), Some(geometry)) = (choice, geometry) else {
            return false;
        };
        self.formulation = (choice.make)(geometry);
        true
    }

    /// Gives a body on a grid other mechanics. Nothing happens to other bodies.
    fn give<M: GridMechanics>(&mut self, mechanics: M) {
        if let Some(on_grid) = self.on_grid().cloned() {
            self.formulation = Arc::new(OnGrid { on_grid, mechanics });
        }
    }

    /// Changes the mechanics of a body that has these. Nothing happens to other bodies.
    fn change<M: GridMechanics>(&mut self, change: impl FnOnce(&mut M)) {
        if let Some(on_grid) = self.formulation.downcast::<OnGrid<M>>() {
            let mut mechanics = on_grid.mechanics.clone();
            change(&mut mechanics);
            self.give(mechanics);
        }
    }
}
