//! The hybrid formulation on a grid: a rigid frame and a deformation relative to it. The mechanics
//! is in `hybrid/`.
//!
//! Implements: \[Terzopoulos1988\] eq. 11-19 and 43-52.

use super::grid_body::GridMechanics;
use super::grid_footprint;
use super::grid_uses::GridUses;
use crate::body::{
    Body, BodyDescription, BodyError, Footprint, Integrator, IntegratorKind, Memory, State,
};
use crate::contact::ContactMethod;
use crate::energy::Energy;
use crate::hybrid::{
    self, DeformationEnergy, FramedElasticity, Hybrid, HybridMaterial, HybridWeights,
    InertialTerms, ReferenceShape, SplineElasticity, find_rotation,
};
use crate::inelastic::{FlowingShape, Inelasticity, Strains};

impl BodyDescription {
    /// Describes a body on a grid by a rigid frame and a deformation relative to it. Nothing happens
    /// to other bodies.
    pub fn make_hybrid(&mut self, mechanics: Hybrid) {
        self.give(mechanics);
    }
}

impl Hybrid {
    /// Its name.
    pub const NAME: &'static str = "Hybrid";

    /// The linearised energy has a constant matrix and no weights of its own.
    fn check_linearised(&self, description: &BodyDescription) -> Result<(), &'static str> {
        if !description.processes.is_empty() {
            return Err("a hybrid body with deformation Linearised has no processes; use Spline");
        }
        if self.inertial_terms != InertialTerms::default() || self.weights.is_some() {
            return Err(
                "a hybrid body with deformation Linearised has all inertial forces and the weights of \
                 the primal energy; use Spline to change them",
            );
        }
        if description.integrator == IntegratorKind::Explicit {
            return Err(
                "the elastic force of a hybrid body is always implicit; use TwoStage or \
                        Implicit with deformation Linearised",
            );
        }
        Ok(())
    }
}

impl GridMechanics for Hybrid {
    const FORMULATION: &'static str = Self::NAME;

    const USES: GridUses = GridUses {
        solid_rigidity: true,
        hold: true,
        newton: false,
    };

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let unsupported = |message| BodyError::Unsupported {
            body: description.name.to_string(),
            message,
        };
        if self.deformation == DeformationEnergy::Linearised {
            self.check_linearised(description).map_err(unsupported)?;
        }
        if self.deformation == DeformationEnergy::Spline && !description.sliders.is_empty() {
            return Err(unsupported(
                "a hybrid body with deformation Spline cannot have single coordinates fixed; use Linearised",
            ));
        }
        if let Some(weights) = &self.weights {
            let count = description.node_count();
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

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        Footprint {
            bytes_per_entry: 20.0,
            most_bytes_per_entry: 20.0,
            ..grid_footprint::of_grid(description, false)
        }
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        let mut material = HybridMaterial::new(description);
        state.rotation = find_rotation(&description.masses, material.reference(), &state.positions);
        let inelastic = Inelasticity::on_grid(description, &state.positions, true);
        if let Some(inelastic) = &inelastic {
            HybridWeights::initialise(description, inelastic, &mut material);
        }
        let mut memory: Vec<Box<dyn Memory>> = vec![Box::new(material)];
        memory.extend(inelastic.map(|inelastic| Box::new(inelastic) as Box<dyn Memory>));
        memory
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        let description = body.description();
        match self.deformation {
            DeformationEnergy::Spline => {
                let material = HybridMaterial::new(description);
                vec![Box::new(SplineElasticity::new(&material))]
            }
            DeformationEnergy::Linearised => {
                vec![Box::new(FramedElasticity::of_primal(description))]
            }
        }
    }

    fn present_energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        match body.hybrid() {
            Some(material) if self.deformation == DeformationEnergy::Spline => {
                vec![Box::new(SplineElasticity::new(material))]
            }
            _ => self.energies(body),
        }
    }

    fn energy_version(&self, body: &Body) -> u64 {
        match self.deformation {
            DeformationEnergy::Spline => body.hybrid().map_or(0, HybridMaterial::version),
            DeformationEnergy::Linearised => 0,
        }
    }

    /// Inertial forces that are switched off and dashpots are no part of an energy over nodes.
    fn joins_others(&self, description: &BodyDescription) -> bool {
        let mut processes = description.processes.iter();
        self.inertial_terms.all()
            && !processes.any(|scheduled| scheduled.kind.process().resists_rates())
    }

    fn integrator(&self, body: &Body) -> Option<Box<dyn Integrator>> {
        match self.deformation {
            DeformationEnergy::Spline => Some(hybrid::integrator(body)),
            DeformationEnergy::Linearised => None,
        }
    }

    fn flowing_shape(
        &self,
        description: &BodyDescription,
        strains: &Strains,
    ) -> Option<Box<dyn FlowingShape>> {
        Some(Box::new(ReferenceShape::new(description, strains)))
    }
}
