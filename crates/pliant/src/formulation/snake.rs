//! Snakes: curves without a rest shape that images draw to their features.
//!
//! Implements: \[Gibson1997\] eq. 11.

use super::grid_body::GridMechanics;
use super::grid_footprint;
use crate::body::{Body, BodyDescription, BodyError, Footprint, IntegratorKind};
use crate::energy::Energy;
use crate::linear::SolverKind;
use crate::snake::SnakeEnergy;

/// A curve that shrinks and straightens: α is the tension of its nodes, β their rigidity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snake;

impl Snake {
    /// Its name.
    pub const NAME: &'static str = "Snake";
}

impl BodyDescription {
    /// Makes a curve on a grid a snake. Nothing happens to other bodies.
    pub fn make_snake(&mut self) {
        self.give(Snake);
    }
}

impl GridMechanics for Snake {
    const FORMULATION: &'static str = Self::NAME;

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let least = if description.material_grid().periodic()[0] {
            3
        } else {
            2
        };
        let message = if description.material_grid().dimension() != 1 {
            "a snake is a curve"
        } else if description.node_count() < least {
            "a snake needs at least two nodes, three if it is closed"
        } else if matches!(
            description.solver.kind,
            SolverKind::Adi | SolverKind::Multigrid
        ) {
            "a snake knows the solvers ADI and Multigrid not: its energy is not that of a grid"
        } else if !description.processes.is_empty() {
            "a snake has no processes"
        } else if matches!(
            description.integrator,
            IntegratorKind::SemiImplicit | IntegratorKind::Explicit
        ) {
            "a snake moves by the integrators that are implicit: TwoStage, Implicit, Midpoint, Newmark, \
             Static"
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
        vec![Box::new(SnakeEnergy::new(
            description.material_grid(),
            &description.rest_positions,
            description.material_weights(),
        ))]
    }

    fn joins_others(&self, _description: &BodyDescription) -> bool {
        true
    }

    fn meets_unasked(&self) -> bool {
        false
    }
}
