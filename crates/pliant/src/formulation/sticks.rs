//! Bodies of sticks: particles on a grid whose distances are restored after each step of Verlet's rule.
//!
//! Weights of tension and rigidity play no part; how stiff it is follows from the number of rounds and
//! from the particles. Implements: \[Thesis2004\] sect. 5.2, the method it compares itself with.

use super::{grid_body, grid_facets};
use crate::body::{
    Body, BodyDescription, BodyError, Footprint, Formulation, Integrator, IntegratorKind,
};
use crate::energy::Energy;
use crate::frame::{NodalField, Topology};
use crate::grid::{grid_topology, surface_directions};
use crate::mesh::Facets;
use crate::sticks::Verlet;
use glam::DVec3;
use std::sync::Arc;

/// Particles held at their distances by sticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sticks {
    /// Rounds over all sticks in a step.
    pub iterations: usize,
    /// How many steps of the grid the longest sticks reach.
    pub reach: usize,
}

impl Default for Sticks {
    fn default() -> Self {
        Self {
            iterations: 10,
            reach: 2,
        }
    }
}

impl Sticks {
    /// Its name.
    pub const NAME: &'static str = "Sticks";
}

impl BodyDescription {
    /// Changes what a body of sticks is made of; nothing for others.
    pub fn change_sticks(&mut self, change: impl FnOnce(&mut Sticks)) {
        if let Some(own) = self.formulation.downcast::<Sticks>() {
            let mut own = *own;
            change(&mut own);
            self.formulation = Arc::new(own);
        }
    }
}

impl Formulation for Sticks {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let message = if self.iterations == 0 || self.reach == 0 {
            "sticks need at least one round and reach one step".to_owned()
        } else if !description.processes.is_empty() {
            "sticks have no processes".to_owned()
        } else if description.integrator == IntegratorKind::Static {
            "sticks move by Verlet's rule and have no statics".to_owned()
        } else {
            return Ok(());
        };
        Err(BodyError::Formulation {
            body: description.name.to_string(),
            message,
        })
    }

    fn dimension(&self, description: &BodyDescription) -> usize {
        description.grid.dimension()
    }

    fn surface_triangles(&self, description: &BodyDescription) -> Vec<[u32; 3]> {
        grid_body::surface_triangles(description)
    }

    fn edges(&self, description: &BodyDescription, visit: &mut dyn FnMut(usize, usize)) {
        grid_body::edges(description, visit);
    }

    fn node_extents(&self, description: &BodyDescription) -> Vec<f64> {
        grid_body::node_extents(description)
    }

    fn facets(&self, description: &BodyDescription, selected: &[bool]) -> Facets {
        grid_facets::facets(&description.grid, selected)
    }

    fn topology(&self, body: &Body) -> Arc<Topology> {
        Arc::new(grid_topology(&body.description().grid))
    }

    fn directions(&self, body: &Body, positions: &[DVec3], directions: &mut [DVec3]) {
        surface_directions(&body.description().grid, positions, directions);
    }

    fn fields(&self, body: &Body) -> Vec<NodalField> {
        crate::body::edge_fields(body)
    }

    /// Sticks reach far in solids: 13 of them for each step of `reach`.
    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let sticks = [1.0, 4.0, 13.0][description.grid.dimension() - 1] * self.reach as f64;
        Footprint::new(
            description,
            false,
            false,
            300.0 + 16.0 * sticks,
            "a coarser grid",
        )
    }

    fn energies(&self, _body: &Body) -> Vec<Box<dyn Energy>> {
        Vec::new()
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        Box::new(Verlet::new(body, self.reach, self.iterations))
    }
}
