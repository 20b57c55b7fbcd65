//! Bodies of sticks: particles on a grid whose distances are restored after each step of Verlet's rule.
//!
//! Weights of tension and rigidity play no part; how stiff it is follows from the number of rounds and
//! from the particles. Implements: \[Thesis2004\] sect. 5.2, the method it compares itself with.

use super::grid_body::GridMechanics;
use crate::body::{Body, BodyDescription, BodyError, Footprint, Integrator, IntegratorKind};
use crate::contact::ContactMethod;
use crate::sticks::Verlet;

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
    /// Makes a body on a grid one of sticks. Nothing happens to other bodies.
    pub fn make_sticks(&mut self, mechanics: Sticks) {
        self.give(mechanics);
    }

    /// Changes what a body of sticks is made of. Nothing happens to other bodies.
    pub fn change_sticks(&mut self, change: impl FnOnce(&mut Sticks)) {
        self.change(change);
    }
}

impl GridMechanics for Sticks {
    const FORMULATION: &'static str = Self::NAME;

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let message = if self.iterations == 0 || self.reach == 0 {
            "sticks need at least one round and reach one step".to_owned()
        } else if !description.processes.is_empty() {
            "sticks have no processes".to_owned()
        } else if description.integrator == IntegratorKind::Static {
            "sticks move by Verlet's rule and have no statics".to_owned()
        } else if description.contact.method != ContactMethod::Projection {
            "sticks touch objects by the contact Projection only: Verlet's rule would gain energy by a potential"
                .to_owned()
        } else {
            return Ok(());
        };
        Err(BodyError::Formulation {
            body: description.name.to_string(),
            message,
        })
    }

    /// Sticks reach far in solids: 13 of them for each step of `reach`.
    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let sticks =
            [1.0, 4.0, 13.0][description.material_grid().dimension() - 1] * self.reach as f64;
        Footprint::new(
            description,
            false,
            false,
            300.0 + 16.0 * sticks,
            "a coarser grid",
        )
    }

    /// What rebounds is one node; sticks to the others take its speed away.
    fn heeds_restitution(&self) -> bool {
        false
    }

    fn integrator(&self, body: &Body) -> Option<Box<dyn Integrator>> {
        Some(Box::new(Verlet::new(body, self.reach, self.iterations)))
    }
}
