//! Global deformations: meshes that a polynomial map of few unknowns deforms as a whole.
//!
//! Implements: \[Witkin1990\], \[Gibson1997\] sect. 6.2.

use crate::body::{Body, BodyDescription, Integrator, IntegratorKind};
use crate::contact::ContactMethod;
use crate::fem::{MeshSettings, ReducedMesh, Reduction};
use crate::reduced::{NoDynamics, PolynomialDynamics};
use std::sync::Arc;

/// A body over a mesh that moves by a polynomial map of degree 1 (twelve unknown numbers) or 2 (thirty).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalDeformation {
    /// 1 or 2.
    pub degree: usize,
}

impl Default for GlobalDeformation {
    fn default() -> Self {
        Self { degree: 2 }
    }
}

impl GlobalDeformation {
    /// Its name.
    pub const NAME: &'static str = "Global";
}

impl BodyDescription {
    /// Lets a polynomial map deform a body over a mesh. Nothing happens to other bodies.
    pub fn make_global(&mut self, global: GlobalDeformation) {
        if let Some(mesh) = self.mesh().cloned() {
            self.formulation = Arc::new(ReducedMesh {
                mesh,
                reduction: Arc::new(global),
            });
        }
    }

    /// Sets the degree of the map of a body that has one. Nothing happens to other bodies.
    pub fn change_degree(&mut self, degree: usize) {
        let reduced = self.formulation.downcast::<ReducedMesh>();
        let global = reduced.and_then(|reduced| reduced.reduction.downcast::<GlobalDeformation>());
        if global.is_some() {
            self.make_global(GlobalDeformation { degree });
        }
    }
}

impl Reduction for GlobalDeformation {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, description: &BodyDescription, _mesh: &MeshSettings) -> Result<(), String> {
        let what = if !matches!(self.degree, 1 | 2) {
            "its degree is 1 or 2"
        } else if !matches!(
            description.scheme(),
            IntegratorKind::TwoStage | IntegratorKind::Implicit
        ) {
            "it moves by the integrators TwoStage and Implicit"
        } else if description.contact.method != ContactMethod::Projection {
            "it touches objects by the contact Projection only"
        } else if !description.processes.is_empty() {
            "it has no processes"
        } else {
            return Ok(());
        };
        Err(what.to_owned())
    }

    fn bytes_per_node(&self, _description: &BodyDescription) -> f64 {
        200.0
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        match PolynomialDynamics::new(body, self.degree) {
            Some(dynamics) => Box::new(dynamics),
            None => Box::new(NoDynamics("its masses do not tell its unknowns apart")),
        }
    }

    fn afresh(&self) -> Arc<dyn Reduction> {
        Arc::new(*self)
    }
}
