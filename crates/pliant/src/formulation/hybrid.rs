//! The hybrid formulation on a grid: a rigid frame and a deformation relative to it. The mechanics
//! is in `hybrid/`.
//!
//! Implements: \[Terzopoulos1988\] eq. 11-19 and 43-52.

use super::grid_body::{self, shared_on_grids};
use crate::body::{
    Body, BodyDescription, BodyError, EnergyVariant, Footprint, Formulation, Integrator,
    IntegratorKind, Memory, Processes, State,
};
use crate::contact::ContactMethod;
use crate::energy::Energy;
use crate::frame::{NodalField, Topology};
use crate::grid::surface_directions;
use crate::hybrid::{self, Hybrid, HybridMaterial, HybridWeights, ReferenceShape, find_rotation};
use crate::inelastic::{GridMaterial, Inelasticity};
use glam::DVec3;
use std::sync::Arc;

impl Hybrid {
    /// Its name.
    pub const NAME: &'static str = "Hybrid";
}

impl Formulation for Hybrid {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        grid_body::check(description)?;
        let unsupported = |message| BodyError::Unsupported {
            body: description.name.to_string(),
            message,
        };
        if let Some(weights) = &self.weights {
            let count = description.grid.node_count();
            weights.check(count).map_err(unsupported)?;
        }
        if description.integrator == IntegratorKind::Static
            && description.contact.method == ContactMethod::Projection
            && !description.collides_with.is_empty()
        {
            return Err(unsupported(
                "the equilibrium of a hybrid body with obstacles needs a contact potential; use \
                 contact Exponential or Quadratic",
            ));
        }
        Ok(())
    }

    shared_on_grids!();

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let footprint = Footprint {
            bytes_per_entry: 20.0,
            most_bytes_per_entry: 20.0,
            ..grid_body::footprint(description, false)
        };
        footprint.coupled(|| grid_body::couplings(&description.grid))
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        let mut material = HybridMaterial::new(description);
        state.rotation = find_rotation(&description.masses, material.reference(), &state.positions);
        let inelastic = Inelasticity::on_grid(description, &state.positions, true);
        if let Some(inelastic) = &inelastic {
            HybridWeights::initialise(description, inelastic, &mut material);
        }
        let mut memory: Vec<Box<dyn Memory>> = vec![Box::new(material)];
        memory.extend(inelastic.map(|own| Box::new(own) as Box<dyn Memory>));
        memory
    }

    /// None over nodes alone: its energy is that of the deformation relative to the frame.
    fn energies(&self, _body: &Body) -> Vec<Box<dyn Energy>> {
        Vec::new()
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        hybrid::integrator(body)
    }

    fn processes(&self, body: &Body) -> Option<Box<dyn Processes>> {
        let own = GridMaterial::at_work(body, |description, strains| {
            Some(Box::new(ReferenceShape::new(description, strains)))
        })?;
        Some(Box::new(own))
    }
}
