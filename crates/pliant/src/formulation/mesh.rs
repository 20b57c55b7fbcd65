//! Bodies over meshes: finite elements, springs, bending and rigid cores. Elements and energies are
//! in `fem/`.

use crate::body::{
    Body, BodyDescription, BodyError, ContactFeatures, Footprint, Formulation, Integrator,
    IntegratorKind, Memory, Processes, State, breaks, corner_areas, edge_fields,
    has_scalar_integrator, third_areas, triangle_normals,
};
use crate::energy::Energy;
use crate::fem::isoparametric::{lumped_areas, nodal_strains};
use crate::fem::{
    MeshMaterial, MeshSettings, MusclesAtWork, layer_count, part_pieces, parting_gap,
};
use crate::frame::{FrameBody, NodalField, Topology};
use crate::inelastic::{Inelasticity, check_processes};
use crate::integrate::Explicit;
use crate::linear::Couplings;
use crate::mesh::{ElementMesh, Facets};
use crate::system::{Share, implicit_share, place_controls};
use glam::DVec3;
use std::collections::HashMap;
use std::sync::Arc;

impl MeshSettings {
    /// Its name as a formulation.
    pub const NAME: &'static str = "Mesh";
}

/// Bytes that a node of a solid over a mesh takes, beside factors.
pub const BYTES_PER_SOLID_NODE: f64 = 5_800.0;

/// Bytes per node of a mesh that can break, whose elements have nodes of their own.
const BYTES_PER_BREAKING_NODE: f64 = 1_900.0;

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

    fn elements(&self) -> Option<&ElementMesh> {
        Some(&self.mesh)
    }

    fn has_supports(&self) -> bool {
        !self.cores.is_empty()
    }

    fn dimension(&self, _description: &BodyDescription) -> usize {
        self.mesh.dimension().max(1)
    }

    fn has_energy(&self, _description: &BodyDescription) -> bool {
        self.model.is_conservative()
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
        let is_node = |other: &u32| *other as usize == node;
        if self.cores.iter().any(|core| core.nodes.iter().any(is_node)) {
            return None;
        }
        let ties = body
            .inelastic()
            .and_then(|inelastic| inelastic.ties.as_ref());
        Some(ties.map_or(vec![node], |ties| ties.tied_to(node)))
    }

    fn knows_processes(&self) -> bool {
        true
    }

    fn footprint(&self, description: &BodyDescription) -> Footprint {
        let dimension = self.mesh.blocks.iter().map(|block| block.kind.dimension());
        let each = match (dimension.max(), has_scalar_integrator(description)) {
            _ if breaks(description) => BYTES_PER_BREAKING_NODE,
            (Some(3), _) => BYTES_PER_SOLID_NODE,
            (_, true) => 4_500.0,
            (_, false) => 14_000.0,
        };
        let footprint = Footprint::new(description, true, true, each, "a coarser mesh");
        footprint.coupled(|| {
            let blocks = self.mesh.blocks.iter();
            let elements = blocks.flat_map(|b| b.nodes.chunks(b.kind.node_count()));
            let nodes = description.rest_positions.len();
            if self.dimension(description) == 3 {
                return Couplings::of_groups(nodes, elements);
            }
            let folds = folds(elements);
            Couplings::of_groups(nodes, folds.iter().map(Vec::as_slice))
        })
    }

    fn surface_triangles(&self, _description: &BodyDescription) -> Vec<[u32; 3]> {
        self.boundary().to_vec()
    }

    fn edges(&self, _description: &BodyDescription, visit: &mut dyn FnMut(usize, usize)) {
        for [a, b] in self.edges() {
            visit(*a as usize, *b as usize);
        }
    }

    fn node_extents(&self, description: &BodyDescription) -> Vec<f64> {
        lumped_areas(&self.mesh, &description.rest_positions).unwrap_or_else(|| {
            match self.dimension(description) {
                2 => third_areas(description, self.boundary()),
                _ => corner_areas(description, self.boundary()),
            }
        })
    }

    /// In a body that can break every element has nodes of its own: its outer triangles tell what is
    /// outside, and its edges cannot be told apart.
    fn facets(&self, _description: &BodyDescription, selected: &[bool]) -> Facets {
        let mut facets = Facets::of_mesh(&self.mesh, selected);
        if self.inner_faces().is_some() {
            facets = Facets {
                cells: facets.cells,
                ..Facets::of_triangles(self.boundary(), &[], selected)
            };
        }
        facets
    }

    /// A carried surface is stretched over cracks: it has no faces of its own there.
    fn topology(&self, body: &Body) -> Arc<Topology> {
        match (self.inner_faces(), body.inelastic()) {
            (Some(inner_faces), Some(inelastic)) if self.topology_version(body) != 0 => {
                match &inelastic.ties {
                    Some(ties) => Arc::new(inner_faces.topology(&inelastic.broken_faces, ties)),
                    None => Arc::clone(&self.surface.topology),
                }
            }
            _ => Arc::clone(&self.surface.topology),
        }
    }

    /// A carried surface moves with the mesh inside of it, which is what touches. Of nodes that are tied the
    /// first touches for all.
    fn contact_features(&self, body: &Body) -> ContactFeatures {
        if self.surface.embedding.is_some() {
            return ContactFeatures {
                triangles: self.boundary().to_vec(),
                ..ContactFeatures::default()
            };
        }
        let inelastic = body.inelastic();
        let ties = inelastic.and_then(|inelastic| Some((inelastic, inelastic.ties.as_ref()?)));
        match (self.inner_faces(), ties) {
            (Some(inner_faces), Some((inelastic, ties))) => ContactFeatures {
                gap: parting_gap(body.description()),
                ..ContactFeatures::of(&inner_faces.topology(&inelastic.broken_faces, ties))
            },
            _ => ContactFeatures::of(&self.topology(body)),
        }
    }

    fn strays(&self, body: &Body, times: [f64; 2]) -> bool {
        let mut cores = self.cores.iter();
        cores.any(|core| core.motion.strays(times, body.size()))
    }

    fn shows_its_elements(&self) -> bool {
        self.surface.embedding.is_none()
    }

    fn part_pieces(&self, body: &mut Body, before: &[bool]) {
        if let (description, state, Some(memory)) = body.parts_mut::<Inelasticity>() {
            part_pieces(description, state, memory, before);
        }
    }

    fn topology_version(&self, body: &Body) -> u64 {
        let ties = body
            .inelastic()
            .and_then(|inelastic| inelastic.ties.as_ref());
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
        let (rest, positions) = (&body.description().rest_positions, &body.state.positions);
        let strain = fields.iter_mut().find(|field| field.name == "strain");
        if let (Some(field), Some(values)) = (strain, nodal_strains(&self.mesh, rest, positions)) {
            field.values = values;
        }
        let inelastic = body.inelastic();
        let strains =
            inelastic.and_then(|inelastic| inelastic.nodal_plastic_strains(body.description()));
        fields.extend(strains.map(|values| NodalField {
            name: "plastic strain",
            unit: "",
            values,
        }));
        fields
    }

    fn show(&self, nodes: FrameBody, _bodies: &[Body]) -> FrameBody {
        self.surface.show(nodes)
    }

    fn begin(&self, description: &BodyDescription, state: &mut State) -> Vec<Box<dyn Memory>> {
        place_controls(&self.cores, description, state);
        let inelastic = Inelasticity::over_mesh(description);
        let boxed = inelastic.map(|inelastic| Box::new(inelastic) as Box<dyn Memory>);
        boxed.into_iter().collect()
    }

    fn restored(&self, body: &mut Body) {
        let (description, _, memory) = body.parts_mut::<Inelasticity>();
        if let Some(memory) = memory {
            memory.find_ties(description);
        }
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        // The description was checked when the body was made, so there is no error here.
        self.energies_at(&body.description().rest_positions)
            .expect("a body that was made has energies")
    }

    fn joins_others(&self, description: &BodyDescription) -> bool {
        description.scheme() != IntegratorKind::Explicit
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        let inelastic = body.inelastic();
        let mut share = Share::of(body);
        for _ in 0..layer_count(body.description()) {
            share.energies.extend(self.energies(body));
        }
        if body.description().scheme() == IntegratorKind::Explicit {
            return Box::new(Explicit::of_mesh(body, share.energies));
        }
        share.cores.clone_from(&self.cores);
        share.ties = inelastic.and_then(|inelastic| inelastic.ties.clone());
        share.keeps_momentum = self.keeps_momentum;
        implicit_share(body, share)
    }

    fn processes(&self, body: &Body) -> Option<Box<dyn Processes>> {
        if let Some(muscles) = MusclesAtWork::of(self, body) {
            return Some(Box::new(muscles));
        }
        let processes = MeshMaterial::at_work(self, body)?;
        Some(Box::new(processes))
    }
}

/// The nodes that bending couples: those of each element and of all that share an edge with it.
fn folds<'a>(elements: impl Iterator<Item = &'a [u32]>) -> Vec<Vec<u32>> {
    let elements: Vec<&[u32]> = elements.collect();
    let sides = |element: &'a [u32]| {
        (0..element.len()).map(|n| {
            let (a, b) = (element[n], element[(n + 1) % element.len()]);
            [a.min(b), a.max(b)]
        })
    };
    let mut sharing: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    for (index, element) in elements.iter().enumerate() {
        for side in sides(element) {
            sharing.entry(side).or_default().push(index);
        }
    }
    let fold = |element: &&'a [u32]| {
        let neighbours = sides(element).flat_map(|side| &sharing[&side]);
        let mut nodes: Vec<u32> = neighbours
            .flat_map(|&other| elements[other])
            .copied()
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    elements.iter().map(fold).collect()
}
