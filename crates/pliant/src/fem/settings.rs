//! What makes a body a mesh: its elements, what they are made of, what holds parts of it together.

use super::inelastic::{InnerFaces, check_processes};
use super::{Energy, FemError, ReducedMesh, RigidCore, SolidModel, SpringModel};
use crate::body::{BodyDescription, IntegratorKind, Slider};
use crate::frame::{FrameBody, NodalField, Topology, TriangleMesh};
use crate::linear::SolverKind;
use crate::mesh::{ElementMesh, Embedding, MeshMakeError, boundary_triangles, edges, tetrahedra};
use glam::DVec3;
use std::sync::Arc;

/// What a model makes energies of.
#[derive(Clone, Copy, Debug)]
pub struct ModelInput<'a> {
    /// The elements.
    pub mesh: &'a ElementMesh,
    /// Where the nodes are at rest, in metres.
    pub rest_positions: &'a [DVec3],
    /// The core that each node belongs to, counted from 1; 0 for none.
    pub cores: &'a [u32],
}

impl ModelInput<'_> {
    /// Whether an element lies in one core and so never deforms.
    pub fn is_rigid(&self, nodes: &[u32]) -> bool {
        let core = self.cores[nodes[0] as usize];
        core > 0 && nodes.iter().all(|&node| self.cores[node as usize] == core)
    }
}

/// How the elements of a mesh answer to deformation: the energies of a body.
pub trait MeshModel: std::fmt::Debug + Send + Sync {
    /// The energies over the nodes of a mesh.
    fn energies(&self, input: ModelInput) -> Result<Vec<Box<dyn Energy>>, FemError>;

    /// The mass of each node of a mesh at rest, in kilograms.
    fn masses(&self, mesh: &ElementMesh) -> Result<Vec<f64>, FemError>;

    /// The same with all stiffnesses multiplied by a factor, if that can be done.
    fn stiffened(&self, _factor: f64) -> Option<Arc<dyn MeshModel>> {
        None
    }

    /// Whether its forces are the gradient of an energy.
    fn is_conservative(&self) -> bool {
        true
    }

    /// The solid of tetrahedra that it is, if it is one: only such bodies can have inelastic
    /// processes.
    fn solid(&self) -> Option<&SolidModel> {
        None
    }

    /// The network of springs that it is, if it is one: only such bodies can have muscles.
    fn springs(&self) -> Option<&SpringModel> {
        None
    }
}

/// All that only bodies over a mesh have.
#[derive(Clone, Debug)]
pub struct MeshSettings {
    /// The elements, where they are at rest.
    pub mesh: Arc<ElementMesh>,
    /// Its energies.
    pub model: Arc<dyn MeshModel>,
    /// What is drawn: the boundary of the mesh, or a fine surface carried by it.
    pub surface: MeshSurface,
    /// Parts that move as rigid bodies.
    pub cores: Vec<RigidCore>,
    /// Whether a free body is given the momenta that external forces alone would give it: what
    /// ghost forces and numerical damping take or add is restored.
    pub keeps_momentum: bool,
    /// Boundary triangles, in nodes of the mesh.
    boundary: Arc<Vec<[u32; 3]>>,
    /// Edges of the elements.
    edges: Arc<Vec<[u32; 2]>>,
    /// What holds the elements together in a body that can break.
    inner_faces: Option<Arc<InnerFaces>>,
}

impl MeshSettings {
    /// A body without cores that shows the boundary of its mesh.
    pub fn new(mesh: Arc<ElementMesh>, model: Arc<dyn MeshModel>) -> Self {
        let boundary = Arc::new(boundary_triangles(&mesh));
        let edges = Arc::new(edges(&mesh));
        let no_faces = boundary.is_empty();
        let topology = Topology {
            triangles: boundary.to_vec(),
            lines: if no_faces { edges.to_vec() } else { Vec::new() },
            tetrahedra: tetrahedra(&mesh).collect(),
            ..Topology::default()
        };
        Self {
            mesh,
            model,
            surface: MeshSurface {
                topology: Arc::new(topology),
                embedding: None,
            },
            cores: Vec::new(),
            keeps_momentum: false,
            boundary,
            edges,
            inner_faces: None,
        }
    }

    /// A body whose tetrahedra can come apart. Its mesh is `mesh` with nodes of its own for each
    /// element: node 4 e + c is corner c of element e, see [`InnerFaces`]. Masses, fixed nodes and forces
    /// are those of these nodes.
    pub fn breakable(mesh: &ElementMesh, model: Arc<dyn MeshModel>) -> Result<Self, FemError> {
        let (apart, inner_faces) = InnerFaces::take_apart(mesh)?;
        let broken = vec![false; inner_faces.faces().len()];
        let topology = inner_faces.topology(&broken, &inner_faces.ties(&broken));
        Ok(Self {
            surface: MeshSurface {
                topology: Arc::new(topology),
                embedding: None,
            },
            boundary: Arc::clone(inner_faces.boundary()),
            inner_faces: Some(Arc::new(inner_faces)),
            ..Self::new(Arc::new(apart), model)
        })
    }

    /// What holds the elements together in a body that can break.
    pub fn inner_faces(&self) -> Option<&InnerFaces> {
        self.inner_faces.as_deref()
    }

    /// Boundary triangles of the elements, in nodes of the mesh, seen from outside.
    pub fn boundary(&self) -> &[[u32; 3]] {
        &self.boundary
    }

    /// Edges of the elements, in nodes of the mesh.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The core of each node, counted from 1.
    pub(super) fn core_numbers(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.mesh.positions.len()];
        for (index, core) in self.cores.iter().enumerate() {
            for &node in &core.nodes {
                numbers[node as usize] = index as u32 + 1;
            }
        }
        numbers
    }

    /// The energies of a body.
    pub(crate) fn energies_at(
        &self,
        rest_positions: &[DVec3],
    ) -> Result<Vec<Box<dyn Energy>>, FemError> {
        self.model.energies(ModelInput {
            mesh: &self.mesh,
            rest_positions,
            cores: &self.core_numbers(),
        })
    }

    /// Whether a body can be made of it.
    pub(crate) fn check(&self, description: &BodyDescription) -> Result<(), FemError> {
        self.mesh.check()?;
        let count = self.mesh.positions.len();
        let mut taken = vec![false; count];
        for core in &self.cores {
            core.check(count, &mut taken)
                .map_err(|what| FemError::Core { what })?;
        }
        if description.solver.kind == SolverKind::Adi {
            let what = "the solver ADI, which goes along the lines of a grid; Multigrid it can";
            return Err(FemError::Unsupported { what });
        }
        if description.integrator == IntegratorKind::Explicit {
            self.check_explicit()?;
        }
        let undamped = matches!(
            description.scheme(),
            IntegratorKind::TwoStage | IntegratorKind::Midpoint | IntegratorKind::Newmark
        );
        if undamped && !self.model.is_conservative() {
            let what = "an integrator of second order with strain Warped, whose forces have no energy; \
                        SemiImplicit and Implicit can";
            return Err(FemError::Unsupported { what });
        }
        let rings = matches!(
            description.scheme(),
            IntegratorKind::Midpoint | IntegratorKind::Newmark
        );
        if rings && !self.cores.is_empty() {
            let what =
                "rigid cores with an integrator that damps nothing; TwoStage and Implicit can";
            return Err(FemError::Unsupported { what });
        }
        let in_core = |slider: &Slider| {
            let node = slider.node as u32;
            self.cores.iter().any(|core| core.nodes.contains(&node))
        };
        let breaks = self.inner_faces().is_some() && !description.sliders.is_empty();
        if breaks || description.sliders.iter().any(in_core) {
            let what = "single coordinates of nodes that belong to a rigid core or to a body that can \
                        break";
            return Err(FemError::Unsupported { what });
        }
        check_processes(self, description)?;
        self.energies_at(&description.rest_positions).map(|_| ())
    }

    /// The explicit step moves nodes one by one, by forces that have an energy.
    fn check_explicit(&self) -> Result<(), FemError> {
        let what = if !self.cores.is_empty() {
            "rigid cores with the Explicit integrator"
        } else if self.inner_faces().is_some() {
            "a Fracture process with the Explicit integrator"
        } else if !self.model.is_conservative() {
            "strain Warped with the Explicit integrator, since its forces have no energy"
        } else {
            return Ok(());
        };
        Err(FemError::Unsupported { what })
    }
}

impl BodyDescription {
    /// What only bodies over a mesh have; `None` for others.
    pub fn mesh(&self) -> Option<&MeshSettings> {
        let reduced = || self.formulation.downcast::<ReducedMesh>();
        self.formulation
            .downcast()
            .or_else(|| reduced().map(|reduced| &reduced.mesh))
    }
}

/// What is drawn of a mesh.
#[derive(Clone, Debug, Default)]
pub struct MeshSurface {
    /// Lines, triangles and cells between the vertices.
    pub topology: Arc<Topology>,
    /// Where the vertices are in the mesh; they are its nodes if `None`.
    pub embedding: Option<Arc<Embedding>>,
}

impl MeshSurface {
    /// A fine surface carried by the tetrahedra of a mesh.
    pub fn embedded(mesh: &ElementMesh, surface: &TriangleMesh) -> Result<Self, MeshMakeError> {
        Ok(Self {
            embedding: Some(Arc::new(Embedding::new(mesh, &surface.positions)?)),
            topology: Arc::new(Topology {
                triangles: surface.triangles.clone(),
                ..Topology::default()
            }),
        })
    }

    /// A body as its surface shows it. Forces at nodes have no place on a carried surface.
    pub(crate) fn show(&self, body: FrameBody) -> FrameBody {
        if self.embedding.is_none() {
            return body;
        }
        let positions = self.carry(body.positions);
        let none = vec![DVec3::ZERO; positions.len()];
        let carried = |field: NodalField| NodalField {
            values: self.carry_numbers(field.values),
            ..field
        };
        FrameBody {
            velocities: self.carry(body.velocities),
            elastic_forces: none.clone(),
            external_forces: none,
            fixed: Arc::new(vec![false; positions.len()]),
            fields: body.fields.into_iter().map(carried).collect(),
            positions,
            ..body
        }
    }

    /// Carries vectors at the nodes of the mesh to the vertices of the surface.
    fn carry(&self, nodal: Vec<DVec3>) -> Vec<DVec3> {
        let Some(embedding) = &self.embedding else {
            return nodal;
        };
        let mut carried = vec![DVec3::ZERO; embedding.len()];
        embedding.apply(&nodal, &mut carried);
        carried
    }

    /// Carries numbers at the nodes of the mesh to the vertices of the surface.
    fn carry_numbers(&self, nodal: Vec<f64>) -> Vec<f64> {
        let Some(embedding) = &self.embedding else {
            return nodal;
        };
        let places = embedding.nodes.iter().zip(&embedding.weights);
        let value = |(nodes, weights): (&[u32; 4], &[f64; 4])| -> f64 {
            let terms = nodes.iter().zip(weights);
            terms
                .map(|(&node, weight)| weight * nodal[node as usize])
                .sum()
        };
        places.map(value).collect()
    }
}
