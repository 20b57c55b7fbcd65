//! Bodies over meshes that move in another way than node by node: what they share.

use crate::body::{
    Body, BodyDescription, BodyError, ContactFeatures, Footprint, Formulation, Integrator,
};
use crate::energy::Energy;
use crate::fem::ReducedMesh;
use crate::frame::{FrameBody, NodalField, Topology};
use crate::linear::SolverKind;
use crate::mesh::{ElementMesh, Facets};
use glam::DVec3;
use std::sync::Arc;

impl ReducedMesh {
    fn refuse(description: &BodyDescription, message: impl Into<String>) -> BodyError {
        BodyError::Formulation {
            body: description.name.to_string(),
            message: message.into(),
        }
    }
}

impl Formulation for ReducedMesh {
    fn name(&self) -> &'static str {
        self.reduction.name()
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let name = self.name();
        Formulation::check(&self.mesh, description)?;
        let what = if !self.mesh.cores.is_empty() {
            "rigid cores"
        } else if !self.mesh.model.is_conservative() {
            "forces without an energy (strain Warped, springs with a rotation)"
        } else if !description.sliders.is_empty() {
            "nodes that are held along single coordinates"
        } else if self
            .mesh
            .model
            .springs()
            .is_some_and(|springs| !springs.muscles.is_empty())
        {
            "muscles, which change what is computed once"
        } else if self.mesh.inner_faces().is_some() {
            "elements that come apart"
        } else {
            let checked = self.reduction.check(description, &self.mesh);
            return checked.map_err(|message| {
                Self::refuse(description, format!("formulation {name}: {message}"))
            });
        };
        let message = format!("formulation {name} cannot have {what}");
        Err(Self::refuse(description, message))
    }

    fn dimension(&self, description: &BodyDescription) -> usize {
        self.mesh.dimension(description)
    }

    fn scale_stiffness(&self, description: &mut BodyDescription, factor: f64) -> bool {
        let Some(model) = self.mesh.model.stiffened(factor) else {
            return false;
        };
        let mut mesh = self.mesh.clone();
        mesh.model = model;
        let reduction = self.reduction.afresh();
        description.formulation = Arc::new(Self { mesh, reduction });
        true
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let mut factorised = description.clone();
        factorised.solver.kind = SolverKind::Cholesky;
        let mut footprint = self.mesh.footprint(&factorised);
        footprint.bytes_per_node += self.reduction.bytes_per_node(description);
        footprint
    }

    fn surface_triangles(&self, _description: &BodyDescription) -> Vec<[u32; 3]> {
        self.mesh.boundary().to_vec()
    }

    fn edges(&self, description: &BodyDescription, visit: &mut dyn FnMut(usize, usize)) {
        Formulation::edges(&self.mesh, description, visit);
    }

    fn elements(&self) -> Option<&ElementMesh> {
        self.mesh.elements()
    }

    fn has_supports(&self) -> bool {
        self.mesh.has_supports()
    }

    fn facets(&self, description: &BodyDescription, selected: &[bool]) -> Facets {
        self.mesh.facets(description, selected)
    }

    fn topology(&self, _body: &Body) -> Arc<Topology> {
        Arc::clone(&self.mesh.surface.topology)
    }

    fn contact_features(&self, body: &Body) -> ContactFeatures {
        self.mesh.contact_features(body)
    }

    fn directions(&self, body: &Body, positions: &[DVec3], directions: &mut [DVec3]) {
        self.mesh.directions(body, positions, directions);
    }

    fn fields(&self, body: &Body) -> Vec<NodalField> {
        self.mesh.fields(body)
    }

    fn show(&self, nodes: FrameBody, _bodies: &[Body]) -> FrameBody {
        self.mesh.surface.show(nodes)
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        self.mesh.energies(body)
    }

    fn heeds_restitution(&self) -> bool {
        self.reduction.heeds_restitution()
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        self.reduction.integrator(body)
    }
}
