//! Films: surfaces that minimise their area.
//!
//! Implements: \[Gibson1997\] sect. 2, minimal-energy surfaces.

use super::grid_body::GridMechanics;
use super::grid_footprint;
use crate::body::{Body, BodyDescription, BodyError, Footprint, IntegratorKind};
use crate::energy::Energy;
use crate::film::AreaEnergy;
use crate::linear::SolverKind;

/// A surface of constant tension, that of its nodes, in newtons per metre (both faces of a soap film
/// together).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Film;

impl Film {
    /// Its name.
    pub const NAME: &'static str = "Film";
}

impl BodyDescription {
    /// Makes a surface on a grid a film. Nothing happens to other bodies.
    pub fn make_film(&mut self) {
        self.give(Film);
    }
}

impl GridMechanics for Film {
    const FORMULATION: &'static str = Self::NAME;

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let message = if description.material_grid().dimension() != 2 {
            "a film is a surface"
        } else if matches!(
            description.solver.kind,
            SolverKind::Adi | SolverKind::Multigrid
        ) {
            "a film knows the solvers ADI and Multigrid not: its energy is not that of a grid"
        } else if !description.processes.is_empty() {
            "a film has no processes"
        } else if matches!(
            description.integrator,
            IntegratorKind::SemiImplicit | IntegratorKind::Explicit | IntegratorKind::Static
        ) {
            "a film moves by the integrators TwoStage, Implicit, Midpoint and Newmark: nothing but inertia \
             and damping holds its nodes within the surface"
        } else {
            return Ok(());
        };
        Err(BodyError::Unsupported {
            body: description.name.to_string(),
            message,
        })
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        grid_footprint::of_grid(description, true)
    }

    fn follows_weights(&self) -> bool {
        true
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        let description = body.description();
        let triangles = body.formulation().surface_triangles(description);
        let weights = description.material_weights();
        let tension = |node: usize| weights.tensions[node][0][0];
        let rest = &description.rest_positions;
        vec![Box::new(AreaEnergy::new(rest, &triangles, tension))]
    }

    fn joins_others(&self, _description: &BodyDescription) -> bool {
        true
    }
}
