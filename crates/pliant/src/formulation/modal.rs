//! Bodies that are sums of their lowest vibrations, in a frame that moves and turns with them.
//!
//! Implements: \[Gibson1997\] sect. 6.1.

use crate::body::{Body, BodyDescription, Integrator, IntegratorKind};
use crate::contact::ContactMethod;
use crate::fem::{MeshSettings, ReducedMesh, Reduction};
use crate::reduced::{ModalBasis, ModalBasisError, ModalDynamics, NoDynamics};
use std::sync::{Arc, Mutex, PoisonError};

/// A body of so many modes. Its modes are found when it is first needed and kept as long as stiffness,
/// masses and fixed nodes stay as they are.
#[derive(Clone, Debug)]
pub struct Modal {
    /// Number of modes, beside the motions of a rigid body.
    pub modes: usize,
    found: Arc<Mutex<Option<Arc<ModalBasis>>>>,
}

impl Default for Modal {
    fn default() -> Self {
        Self::new(20)
    }
}

impl Modal {
    /// Its name.
    pub const NAME: &'static str = "Modal";

    /// A body of so many modes.
    pub fn new(modes: usize) -> Self {
        Self {
            modes,
            found: Arc::default(),
        }
    }

    /// The modes of a body.
    pub fn basis(&self, body: &Body) -> Result<Arc<ModalBasis>, ModalBasisError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(basis) = found
            .as_ref()
            .filter(|b| b.serves(body.description(), self.modes))
        {
            if basis.len() == self.modes {
                return Ok(Arc::clone(basis));
            }
            return Ok(Arc::new(basis.lowest(self.modes)));
        }
        let basis = Arc::new(ModalBasis::new(body, self.modes)?);
        *found = Some(Arc::clone(&basis));
        Ok(basis)
    }
}

impl BodyDescription {
    /// Makes a body over a mesh one of modes. Nothing happens to other bodies.
    pub fn make_modal(&mut self, modal: Modal) {
        if let Some(mesh) = self.mesh().cloned() {
            self.formulation = Arc::new(ReducedMesh {
                mesh,
                reduction: Arc::new(modal),
            });
        }
    }

    /// Sets the number of modes of a body that has some; what was found of them is kept. Nothing happens to
    /// other bodies.
    pub fn change_modes(&mut self, modes: usize) {
        if let Some(modal) = self.modal() {
            let modal = Modal {
                modes,
                found: Arc::clone(&modal.found),
            };
            self.make_modal(modal);
        }
    }

    /// What makes a body one of modes.
    pub fn modal(&self) -> Option<&Modal> {
        let reduced = self.formulation.downcast::<ReducedMesh>()?;
        reduced.reduction.downcast()
    }
}

impl Reduction for Modal {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, description: &BodyDescription, _mesh: &MeshSettings) -> Result<(), String> {
        if self.modes == 0 {
            return Err("it needs at least one mode".to_owned());
        }
        if description.integrator == IntegratorKind::Static {
            return Err("its modes vibrate and have no statics".to_owned());
        }
        if description.contact.method != ContactMethod::Projection {
            let why = "it touches objects by the contact Projection only, which knows friction";
            return Err(why.to_owned());
        }
        ModalBasis::check(description, self.modes).map_err(|error| error.to_string())
    }

    /// The modes, and twice as many vectors of Lanczos' method while they are looked for.
    fn bytes_per_node(&self, _description: &BodyDescription) -> f64 {
        24.0 * (4.0 * self.modes as f64 + 60.0)
    }

    fn heeds_restitution(&self) -> bool {
        false
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        match self.basis(body) {
            Ok(basis) => Box::new(ModalDynamics::new(body, basis)),
            Err(_) => Box::new(NoDynamics("its modes could not be found")),
        }
    }

    fn afresh(&self) -> Arc<dyn Reduction> {
        Arc::new(Self::new(self.modes))
    }
}
