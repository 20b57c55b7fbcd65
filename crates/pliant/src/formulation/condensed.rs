//! Linear bodies over meshes whose answers to forces on single nodes are computed once and summed up.
//!
//! Implements: \[Gibson1997\] sect. 4.3, the precomputed methods of Bro-Nielsen and of Cotin et al.

use crate::body::{Body, BodyDescription, Integrator, IntegratorKind};
use crate::fem::{MeshSettings, ReducedMesh, Reduction};
use crate::linear::LinearError;
use crate::reduced::{CondensedStatics, ElementaryDisplacements, ModalBasis, NoDynamics};
use std::sync::{Arc, Mutex, PoisonError};

/// Columns that the estimate of memory counts with.
const USUAL_COLUMNS: usize = 300;

/// What was found for a body, and for whom.
type Found = Option<Arc<Mutex<ElementaryDisplacements>>>;

/// A held linear body in balance. The answers to forces on nodes are kept as long as stiffness and fixed
/// nodes stay as they are.
#[derive(Clone, Debug, Default)]
pub struct Condensed {
    /// Whether the answers to forces on all nodes of the surface are computed at the start; else when a node
    /// is first touched.
    pub precompute: bool,
    found: Arc<Mutex<Found>>,
}

impl Condensed {
    /// Its name.
    pub const NAME: &'static str = "Condensed";

    /// The elementary displacements of a body.
    pub fn displacements(
        &self,
        body: &Body,
    ) -> Result<Arc<Mutex<ElementaryDisplacements>>, LinearError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = found.as_ref() {
            let displacements = known.lock().unwrap_or_else(PoisonError::into_inner);
            if displacements.serves(body.description()) {
                return Ok(Arc::clone(known));
            }
        }
        let mut made = ElementaryDisplacements::new(body)?;
        if self.precompute {
            let mut nodes = body
                .formulation()
                .surface_triangles(body.description())
                .concat();
            nodes.sort_unstable();
            nodes.dedup();
            for node in nodes {
                made.find(node as usize)?;
            }
        }
        let made = Arc::new(Mutex::new(made));
        *found = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl BodyDescription {
    /// Makes a body over a mesh a condensed one. Nothing happens to other bodies.
    pub fn make_condensed(&mut self, condensed: Condensed) {
        if let Some(mesh) = self.mesh().cloned() {
            self.formulation = Arc::new(ReducedMesh {
                mesh,
                reduction: Arc::new(condensed),
            });
        }
    }

    /// What makes a body a condensed one.
    pub fn condensed(&self) -> Option<&Condensed> {
        let reduced = self.formulation.downcast::<ReducedMesh>()?;
        reduced.reduction.downcast()
    }

    /// Says whether a condensed body computes all answers at the start. Nothing happens to other bodies.
    pub fn change_precompute(&mut self, precompute: bool) {
        if self.condensed().is_some() {
            self.make_condensed(Condensed {
                precompute,
                ..Condensed::default()
            });
        }
    }
}

impl Reduction for Condensed {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, description: &BodyDescription, _mesh: &MeshSettings) -> Result<(), String> {
        if description.integrator != IntegratorKind::Static {
            return Err("it has statics only: give it the integrator Static".to_owned());
        }
        if !description.fixed.contains(&true) {
            return Err("a body that nothing holds has no balance: fix some nodes".to_owned());
        }
        ModalBasis::check(description, 1).map_err(|error| error.to_string())
    }

    fn bytes_per_node(&self, description: &BodyDescription) -> f64 {
        let nodes = description.rest_positions.len();
        let columns = if self.precompute {
            nodes
        } else {
            USUAL_COLUMNS.min(nodes)
        };
        72.0 * columns as f64
    }

    fn heeds_restitution(&self) -> bool {
        false
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        match self.displacements(body) {
            Ok(columns) => Box::new(CondensedStatics::new(body, columns)),
            Err(_) => Box::new(NoDynamics("its stiffness could not be factorised")),
        }
    }

    fn afresh(&self) -> Arc<dyn Reduction> {
        Arc::new(Self {
            precompute: self.precompute,
            ..Self::default()
        })
    }
}
