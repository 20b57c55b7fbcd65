//! The primal formulation: node positions on a grid, with an energy of metric and curvature.
//!
//! Implements: \[Terzopoulos1988\] eq. 8-10; \[Thesis2004\] ch. 3.

use super::grid_body::GridMechanics;
use super::grid_footprint;
use crate::body::{
    Body, BodyDescription, BodyError, EnergyVariant, Footprint, GridDescription, Integrator,
    IntegratorKind, Memory, OnGrid, State, has_scalar_integrator,
};
use crate::elastic::{ExactElasticity, Weights};
use crate::energy::Energy;
use crate::grid::Grid;
use crate::inelastic::Inelasticity;
use crate::integrate::{Explicit, SemiImplicit};
use glam::DVec3;
use std::sync::Arc;

/// Node positions, with an energy of metric and curvature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Primal;

impl Primal {
    /// Its name.
    pub const NAME: &'static str = "Primal";
}

impl BodyDescription {
    /// A body on a grid, of the primal formulation: of unit masses, without damping, forces or contact,
    /// every node free to move.
    pub fn new(name: &str, grid: Grid, rest_positions: Vec<DVec3>, weights: Weights) -> Self {
        let on_grid = GridDescription {
            grid,
            weights,
            energy: EnergyVariant::default(),
        };
        let mechanics = Primal;
        Self::of(
            name,
            Arc::new(OnGrid { on_grid, mechanics }),
            rest_positions,
        )
    }
}

/// Whether the body is moved by a scheme as published, for which the force need have no energy.
fn has_published_scheme(description: &BodyDescription) -> bool {
    matches!(
        description.scheme(),
        IntegratorKind::SemiImplicit | IntegratorKind::Explicit
    )
}

impl GridMechanics for Primal {
    const FORMULATION: &'static str = Self::NAME;

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        if !has_published_scheme(description) && description.energy() != EnergyVariant::Exact {
            return Err(BodyError::Unsupported {
                body: description.name.to_string(),
                message: "the published force is not the gradient of an energy, which this \
                          integrator needs; use energy Exact, or the SemiImplicit or Explicit \
                          integrator",
            });
        }
        let mut processes = description.processes.iter();
        if description.scheme() == IntegratorKind::Explicit
            && processes.any(|scheduled| scheduled.kind.process().resists_rates())
        {
            return Err(BodyError::Unsupported {
                body: description.name.to_string(),
                message: "explicit steps would have to be as short as the dashpots of a Voigt process are \
                          stiff; use the Implicit integrator, or the formulation Hybrid",
            });
        }
        Ok(())
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        grid_footprint::of_grid(description, !has_scalar_integrator(description))
    }

    fn follows_weights(&self) -> bool {
        true
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        let inelastic = Inelasticity::on_grid(description, &state.positions, false);
        let boxed = inelastic.map(|inelastic| Box::new(inelastic) as Box<dyn Memory>);
        boxed.into_iter().collect()
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        let description = body.description();
        vec![Box::new(ExactElasticity::new(
            description.material_grid(),
            &description.rest_positions,
            description.material_weights(),
            !description.processes.is_empty(),
        ))]
    }

    fn joins_others(&self, description: &BodyDescription) -> bool {
        !has_published_scheme(description)
    }

    fn integrator(&self, body: &Body) -> Option<Box<dyn Integrator>> {
        match body.description().scheme() {
            IntegratorKind::SemiImplicit => Some(Box::new(SemiImplicit::new(body))),
            IntegratorKind::Explicit => Some(Box::new(Explicit::new(body))),
            _ => None,
        }
    }
}
