//! Inelastic processes of bodies over tetrahedra.
//!
//! ```text
//! E = Σ over layers l and elements of  share V Ψ(F F_p⁻¹ F_l⁻¹)
//! ```
//!
//! Elements see their deformation gradient F without its permanent part F_p and, in layers that
//! relax, without their viscous part F_l. All of it is state ([`Inelasticity`]). Before each step
//! the energies of the body adopt it ([`ElementMemory`]); after each accepted step the processes
//! change it. They never touch positions of nodes that are not tied.
//!
//! | process of [`crate::process`] | file | over a mesh |
//! |---|---|---|
//! | `Plastic` | `plastic.rs` | limits in Pa, or a strain; isotropic hardening |
//! | `Prony`, `Maxwell`, `FourUnit` | `viscoelastic.rs` | layers of elements |
//! | `Heat` | `heat_network.rs` | conduction over the elements; softens, never melts |
//! | `Fracture` | `fracture.rs`, `inner_faces.rs`, `parting.rs` | faces between elements; limits in Pa, or a strain |
//!
//! Implements: \[Terzopoulos1988\] sect. 4.

mod elements;
mod fracture;
mod heat_network;
mod inner_faces;
mod layers;
mod memory;
mod parting;
mod plastic;
mod support;
mod viscoelastic;

pub use inner_faces::{InnerFace, InnerFaces};
pub(crate) use memory::layer_count;
pub(crate) use parting::{part_pieces, parting_gap};
pub(super) use support::check_processes;

use crate::body::{Blade, Body, BodyDescription, Past, Ties};
use crate::energy::ElementMemory;
use crate::fem::MeshSettings;
use crate::inelastic::{AtWork, HeatNetwork, Inelasticity, Material, Moment};
use crate::process::{Fracture, Heat, Plastic, ProcessKind};
use elements::{Elements, MATRIX, fill, matrix_at};
use fracture::FaceBreaker;
use glam::DVec3;
use layers::Layers;
use plastic::{Flow, YieldLimit};
use std::sync::Arc;

/// The elements of one body, with scratch memory.
#[derive(Debug)]
pub(crate) struct MeshMaterial {
    elements: Elements,
    layers: Layers,
    ties: Option<Arc<Ties>>,
    breaker: Option<FaceBreaker>,
    /// Room for what elements flow in a step; empty in a body that does not yield.
    flows: Vec<Option<Flow>>,
}

impl MeshMaterial {
    /// The processes of a body that has some.
    pub(crate) fn at_work(settings: &MeshSettings, body: &Body) -> Option<AtWork<Self>> {
        let inelastic = body.inelastic()?;
        let description = body.description();
        let elements = Elements::of(settings, description)?;
        Some(AtWork::new(Self {
            layers: Layers::new(&elements, description),
            ties: inelastic.ties.clone(),
            flows: vec![None; inelastic.flows.len() / MATRIX],
            breaker: settings.inner_faces().map(|inner_faces| {
                FaceBreaker::new(&elements, inner_faces, &description.rest_positions)
            }),
            elements,
        }))
    }

    fn yield_elements(
        &mut self,
        (number, plastic): (usize, &Plastic),
        moment: &Moment,
        memory: &mut Inelasticity,
    ) {
        let portion = plastic.portion(moment.step);
        let (elements, state) = (&self.elements, &*memory);
        let heat = moment.description.heat();
        fill(&mut self.flows, |element| {
            let (material, young) = (elements.materials[element], elements.youngs[element]);
            let share = elements.thermal_share(heat, element, state);
            let limit = YieldLimit::new(plastic, &*elements.law, material, young, share);
            let before = Flow {
                inverse: matrix_at(&state.flows, element),
                strain: state.memories[number][element],
            };
            let deformation = elements.deformation(element, moment.positions);
            limit.flow(deformation, before, portion)
        });
        for (element, flow) in self.flows.iter().enumerate() {
            if let Some(flow) = flow {
                let inverse = &mut memory.flows[MATRIX * element..][..MATRIX];
                inverse.copy_from_slice(&flow.inverse.to_cols_array());
                memory.memories[number][element] = flow.strain;
            }
        }
    }
}

impl Material for MeshMaterial {
    fn adopt<'a>(&'a mut self, body: &Body, time: f64, step: f64) -> Past<'a> {
        if let Some(memory) = body.inelastic() {
            self.ties.clone_from(&memory.ties);
            let moment = Moment {
                time,
                step,
                description: body.description(),
                positions: &body.state.positions,
                obstacles: &[],
            };
            self.layers.fill(&self.elements, &moment, memory);
        }
        Past::Elements {
            layers: self.layers.adopted(),
            ties: self.ties.as_ref(),
        }
    }

    fn settle(&mut self, body: &mut Body) {
        let (description, state, memory) = body.parts_mut::<Inelasticity>();
        if let Some(ties) = memory.and_then(|memory| memory.ties.as_ref()) {
            ties.unite(&description.masses, state);
        }
    }

    fn prepares_by_step(&self, _description: &BodyDescription) -> bool {
        self.layers.relax_any()
    }

    fn flow(&mut self, process: usize, moment: &Moment, memory: &mut Inelasticity) {
        match &moment.description.processes[process].kind {
            ProcessKind::Plastic(plastic) => {
                self.yield_elements((process, plastic), moment, memory);
            }
            _ => self.layers.relax(process, &self.elements, moment, memory),
        }
    }

    fn heat_network(
        &self,
        description: &BodyDescription,
        heat: &Heat,
        memory: &Inelasticity,
    ) -> HeatNetwork {
        description
            .mesh()
            .map_or_else(HeatNetwork::default, |settings| {
                heat_network::heat_network(settings, description, heat, memory)
            })
    }

    fn network_version(&self, memory: &Inelasticity) -> u64 {
        memory.ties.as_ref().map_or(0, |ties| ties.version)
    }

    fn find_overloaded(
        &mut self,
        fracture: &Fracture,
        moment: &Moment,
        memory: &Inelasticity,
        found: &mut Vec<(f64, usize)>,
    ) {
        let inner_faces = moment
            .description
            .mesh()
            .and_then(|mesh| mesh.inner_faces());
        let (Some(inner_faces), Some(breaker)) = (inner_faces, &mut self.breaker) else {
            return;
        };
        let still = Moment {
            step: 0.0,
            ..*moment
        };
        self.layers.fill(&self.elements, &still, memory);
        let layers = self.layers.adopted();
        let (elements, broken) = (&self.elements, &memory.broken_faces);
        let loaded = Loaded {
            elements,
            layers,
            positions: moment.positions,
        };
        breaker.find_overloaded(fracture, inner_faces, loaded, broken, found);
    }

    fn tear(
        &mut self,
        _fracture: &Fracture,
        parts: &[(f64, usize)],
        moment: &Moment,
        memory: &mut Inelasticity,
    ) {
        for &(_, face) in parts {
            memory.broken_faces[face] = true;
        }
        memory.find_ties(moment.description);
    }

    /// Faces come apart that have the middles of their elements on both sides of the blade.
    fn cut(&mut self, body: &mut Body, blade: &Blade) -> usize {
        let (description, state, memory) = body.parts_mut::<Inelasticity>();
        let inner_faces = description.mesh().and_then(|mesh| mesh.inner_faces());
        let (Some(inner_faces), Some(memory)) = (inner_faces, memory) else {
            return 0;
        };
        let middle = |element: u32| {
            let nodes = self.elements.nodes[element as usize];
            nodes
                .map(|node| state.positions[node as usize])
                .iter()
                .sum::<DVec3>()
                / 4.0
        };
        let mut count = 0;
        for (face, broken) in inner_faces.faces().iter().zip(&mut memory.broken_faces) {
            let [one, other] = face.elements.map(middle);
            if !*broken && blade.severs(one, other) {
                *broken = true;
                count += 1;
            }
        }
        if count > 0 {
            memory.find_ties(description);
        }
        count
    }
}

/// Elements as they are loaded.
#[derive(Clone, Copy, Debug)]
struct Loaded<'a> {
    elements: &'a Elements,
    /// The rest states of the elements as they are; none where they are as they were.
    layers: &'a [ElementMemory],
    positions: &'a [DVec3],
}
