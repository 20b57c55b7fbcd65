//! Bodies over meshes: finite elements, springs, bending and rigid cores. Elements and energies are
//! in `fem/`.

use crate::body::{
    Body, BodyDescription, BodyError, EnergyVariant, Formulation, Integrator, IntegratorKind,
    Memory, Processes, State, edge_fields, triangle_normals,
};
use crate::energy::Energy;
use crate::fem::{MeshInelasticWorkspace, MeshInelasticity, MeshSettings};
use crate::frame::{FrameBody, NodalField, Topology};
use crate::inelastic::check_processes;
use crate::integrate::Explicit;
use crate::system::{Share, implicit_share, place_controls};
use glam::DVec3;
use std::sync::Arc;

impl MeshSettings {
    /// Its name as a formulation.
    pub const NAME: &'static str = "Mesh";
}

impl BodyDescription {
    /// A body over a mesh, at rest where the mesh is, with the mass of each node given.
    pub fn of_mesh(name: &str, settings: MeshSettings, masses: Vec<f64>) -> Self {
        let rest_positions = settings.mesh.positions.clone();
        Self {
            masses,
            ..Self::of(name, Arc::new(settings), rest_positions)
        }
    }
}

impl Formulation for MeshSettings {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        check_processes(description)?;
        let refused = |error: crate::fem::FemError| BodyError::Formulation {
            body: description.name.to_string(),
            message: error.to_string(),
        };
        MeshSettings::check(self, description).map_err(refused)
    }

    fn dimension(&self, _description: &BodyDescription) -> usize {
        self.mesh.dimension().max(1)
    }

    fn has_energy(&self, description: &BodyDescription) -> bool {
        description.energy == EnergyVariant::Exact && self.model.is_conservative()
    }

    fn scale_stiffness(&self, description: &mut BodyDescription, factor: f64) -> bool {
        let Some(model) = self.model.stiffened(factor) else {
            return false;
        };
        let mut stiffened = self.clone();
        stiffened.model = model;
        description.formulation = Arc::new(stiffened);
        true
    }

    /// Copies of a vertex in a body that can break are held together; a part of a core is not held.
    fn held_together(&self, body: &Body, node: usize) -> Option<Vec<usize>> {
        let is_node = |own: &u32| *own as usize == node;
        if self.cores.iter().any(|core| core.nodes.iter().any(is_node)) {
            return None;
        }
        let ties = body.mesh_inelastic().and_then(|own| own.ties.as_ref());
        Some(ties.map_or(vec![node], |ties| ties.tied_to(node)))
    }

    fn knows_processes(&self) -> bool {
        true
    }

    fn rayleigh_damping(&self, _description: &BodyDescription) -> [f64; 2] {
        [self.mass_damping, self.stiffness_damping]
    }

    fn surface_triangles(&self, _description: &BodyDescription) -> Vec<[u32; 3]> {
        self.boundary().to_vec()
    }

    fn edges(&self, _description: &BodyDescription, visit: &mut dyn FnMut(usize, usize)) {
        for [a, b] in self.edges() {
            visit(*a as usize, *b as usize);
        }
    }

    /// A carried surface is stretched over cracks: it has no faces of its own there.
    fn topology(&self, body: &Body) -> Arc<Topology> {
        match (self.joints(), body.mesh_inelastic()) {
            (Some(joints), Some(own)) if self.topology_version(body) != 0 => match &own.ties {
                Some(ties) => Arc::new(joints.topology(&own.broken, ties)),
                None => Arc::clone(&self.surface.topology),
            },
            _ => Arc::clone(&self.surface.topology),
        }
    }

    fn topology_version(&self, body: &Body) -> u64 {
        let ties = body.mesh_inelastic().and_then(|own| own.ties.as_ref());
        match &self.surface.embedding {
            Some(_) => 0,
            None => ties.map_or(0, |ties| ties.version),
        }
    }

    fn directions(&self, _body: &Body, positions: &[DVec3], directions: &mut [DVec3]) {
        triangle_normals(self.boundary(), positions, directions);
    }

    fn fields(&self, body: &Body) -> Vec<NodalField> {
        let mut fields = edge_fields(body);
        let inelastic = body.mesh_inelastic();
        let strains = inelastic.and_then(|own| own.nodal_plastic_strains(body.description()));
        fields.extend(strains.map(|values| NodalField {
            name: "plastic strain",
            unit: "",
            values,
        }));
        fields
    }

    fn show(&self, nodes: FrameBody) -> FrameBody {
        self.surface.show(nodes)
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        place_controls(&self.cores, description, state);
        let inelastic = MeshInelasticity::of(description);
        let boxed = inelastic.map(|own| Box::new(own) as Box<dyn Memory>);
        boxed.into_iter().collect()
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        // The description was checked when the body was made, so there is no error here.
        self.energies_at(&body.description().rest_positions)
            .expect("a body that was made has energies")
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        let inelastic = body.mesh_inelastic();
        let mut share = Share::of(body);
        for _ in 0..inelastic.map_or(0, |own| own.layer_count()) {
            share.energies.extend(self.energies(body));
        }
        if body.description().scheme() == IntegratorKind::Explicit {
            return Box::new(Explicit::of_mesh(body, share.energies));
        }
        share.cores.clone_from(&self.cores);
        share.ties = inelastic.and_then(|own| own.ties.clone());
        share.keeps_momentum = self.keeps_momentum;
        implicit_share(body, share)
    }

    fn processes(&self, body: &Body) -> Option<Box<dyn Processes>> {
        let own = MeshInelasticWorkspace::new(body)?;
        Some(Box::new(own))
    }
}
