//! The primal formulation: node positions on a grid, with an energy of metric and curvature.
//!
//! Implements: \[Terzopoulos1988\] eq. 8-10; \[Thesis2004\] ch. 3.

use super::grid_body::{self, shared_on_grids};
use crate::body::{
    Body, BodyDescription, BodyError, EnergyVariant, Footprint, Formulation, Integrator,
    IntegratorKind, Memory, Processes, State, has_scalar_integrator,
};
use crate::elastic::{ExactElasticity, Weights};
use crate::energy::Energy;
use crate::frame::{NodalField, Topology};
use crate::grid::{Grid, surface_directions};
use crate::inelastic::{GridMaterial, Inelasticity};
use crate::integrate::{Explicit, SemiImplicit};
use crate::system::{Share, implicit_share};
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
        let node_count = grid.node_count();
        Self {
            masses: vec![1.0; node_count],
            dampings: vec![0.0; node_count],
            fixed: vec![false; node_count],
            grid,
            weights,
            ..Self::of(name, Arc::new(Primal), rest_positions)
        }
    }
}

impl Formulation for Primal {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        grid_body::check(description)?;
        let conservative = !matches!(
            description.scheme(),
            IntegratorKind::SemiImplicit | IntegratorKind::Explicit
        );
        if conservative && description.energy != EnergyVariant::Exact {
            return Err(BodyError::Unsupported {
                body: description.name.to_string(),
                message: "the published force is not the gradient of an energy, which this \
                          integrator needs; use energy Exact, or the SemiImplicit or Explicit \
                          integrator",
            });
        }
        Ok(())
    }

    shared_on_grids!();

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let footprint = grid_body::footprint(description, !has_scalar_integrator(description));
        footprint.coupled(|| grid_body::couplings(&description.grid))
    }

    fn scale_stiffness(&self, description: &mut BodyDescription, factor: f64) -> bool {
        description.weights.scale(factor);
        true
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        let inelastic = Inelasticity::on_grid(description, &state.positions, false);
        let boxed = inelastic.map(|own| Box::new(own) as Box<dyn Memory>);
        boxed.into_iter().collect()
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        let description = body.description();
        vec![Box::new(ExactElasticity::new(
            &description.grid,
            &description.rest_positions,
            &description.weights,
            !description.processes.is_empty(),
        ))]
    }

    fn joins_others(&self, description: &BodyDescription) -> bool {
        !matches!(
            description.scheme(),
            IntegratorKind::SemiImplicit | IntegratorKind::Explicit
        )
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        let description = body.description();
        match description.scheme() {
            IntegratorKind::SemiImplicit => Box::new(SemiImplicit::new(body)),
            IntegratorKind::Explicit => Box::new(Explicit::new(body)),
            _ => implicit_share(
                body,
                Share {
                    grid: Some(description.grid.clone()),
                    ..Share::of(body)
                },
            ),
        }
    }

    fn processes(&self, body: &Body) -> Option<Box<dyn Processes>> {
        let own = GridMaterial::at_work(body, |_, _| None)?;
        Some(Box::new(own))
    }
}
