//! The elastic side of a body as the published schemes see it.

use crate::body::{Body, EnergyVariant, Past};
use crate::elastic::{ExactElasticity, PublishedElasticity, PublishedForm};
use glam::DVec3;

/// Either variant, for the integrators that take both.
#[derive(Debug)]
pub(super) enum Elasticity {
    Exact(Box<ExactElasticity>),
    Published(Box<PublishedElasticity>),
}

impl Elasticity {
    pub(super) fn new(body: &Body) -> Self {
        let description = body.description();
        let form = match description.energy() {
            EnergyVariant::Exact => {
                let exact = ExactElasticity::new(
                    description.material_grid(),
                    &description.rest_positions,
                    description.material_weights(),
                    !description.processes.is_empty(),
                );
                return Self::Exact(Box::new(exact));
            }
            EnergyVariant::Published => PublishedForm::Stable,
            EnergyVariant::AsPrinted => PublishedForm::AsPrinted,
        };
        Self::Published(Box::new(PublishedElasticity::new(
            description.material_grid(),
            &description.rest_positions,
            description.material_weights(),
            form,
        )))
    }

    /// See [`ExactElasticity::adopt`]; the published forces know no inelastic process.
    pub(super) fn adopt(&mut self, past: Past) -> bool {
        match (self, past) {
            (Self::Exact(exact), Past::Springs(springs)) => exact.adopt(springs),
            _ => false,
        }
    }

    pub(super) fn energy(&mut self, positions: &[DVec3]) -> f64 {
        match self {
            Self::Exact(exact) => exact.energy_alone(positions),
            Self::Published(published) => published.energy(positions),
        }
    }

    pub(super) fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        match self {
            Self::Exact(exact) => exact.add_gradient(positions, gradient),
            Self::Published(published) => {
                published.evaluate(positions);
                published.add_gradient(positions, gradient);
            }
        }
    }
}
