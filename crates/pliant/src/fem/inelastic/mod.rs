//! Inelastic processes of bodies over tetrahedra.
//!
//! ```text
//! E = Σ over layers l and elements of  share V Ψ(F F_p⁻¹ F_l⁻¹)
//! ```
//!
//! Elements see their deformation gradient F without its permanent part F_p and, in layers that
//! relax, without their viscous part F_l. All of it is state ([`MeshInelasticity`]). Before each step
//! the energies of the body adopt it ([`ElementMemory`]); after each accepted step the processes
//! change it. They never touch positions of nodes that are not tied.
//!
//! | process of [`crate::inelastic`] | file | over a mesh |
//! |---|---|---|
//! | `Plastic` | `plastic.rs` | limits in Pa, or a strain; isotropic hardening |
//! | `Prony`, `Maxwell`, `FourUnit` | `viscoelastic.rs` | layers of elements |
//! | `Heat` | `conduction.rs` | conduction over the elements; softens, never melts |
//! | `Fracture` | `fracture.rs`, `joints.rs` | faces between elements; limits in Pa, or a strain |
//!
//! Implements: \[Terzopoulos1988\] sect. 4.

mod conduction;
mod elements;
mod fracture;
mod joints;
mod plastic;
mod support;
mod viscoelastic;

pub use joints::{Joint, Joints};
pub(super) use support::check_processes;

use crate::body::{Body, BodyDescription, IntegratorKind, Memory, Past, Processes, Ties};
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use crate::energy::ElementMemory;
use crate::math::parallel::for_each_chunk_mut;
use crate::obstacle::Obstacle;
use crate::process::{Heat, Plastic, ProcessKind};
use conduction::{MeshConduction, Surroundings};
use elements::Elements;
use fracture::FaceBreaker;
use glam::{DMat3, DVec3};
use plastic::{Flow, YieldLimit};
use std::sync::Arc;
use viscoelastic::{Branch, branches_of, kept_by_mean, mean_decay, relax};

/// What inelastic processes have changed in a body over a mesh. It persists, as positions and
/// velocities do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshInelasticity {
    /// F_p⁻¹ of each element that deforms; empty in a body that does not yield.
    pub plastic_inverses: Vec<DMat3>,
    /// Accumulated plastic strain α of each element; empty in a body that does not yield.
    pub plastic_strains: Vec<f64>,
    /// F_l⁻¹ of each element, for each layer that relaxes.
    pub viscous_inverses: Vec<Vec<DMat3>>,
    /// Temperature of each node, in kelvin; empty in a body that does not conduct heat.
    pub temperatures: Vec<f64>,
    /// Faces between elements that have broken, in the order of [`Joints::faces`].
    pub broken: Vec<bool>,
    /// Nodes that move as one, in a body that can break. It follows from `broken`.
    pub(crate) ties: Option<Arc<Ties>>,
}

impl MeshInelasticity {
    /// Of a body that has not deformed yet; nothing for a body without processes.
    pub(crate) fn of(description: &BodyDescription) -> Option<Self> {
        let settings = description.mesh()?;
        let kinds = || {
            description
                .processes
                .iter()
                .map(|scheduled| &scheduled.kind)
        };
        if description.processes.is_empty() && settings.joints().is_none() {
            return None;
        }
        let count = Elements::of(settings, description).map_or(0, |elements| elements.len());
        let yields = kinds().any(|kind| matches!(kind, ProcessKind::Plastic(_)));
        let plastic_count = if yields { count } else { 0 };
        let mut inelastic = Self {
            plastic_inverses: vec![DMat3::IDENTITY; plastic_count],
            plastic_strains: vec![0.0; plastic_count],
            viscous_inverses: vec![
                vec![DMat3::IDENTITY; count];
                branches_of(&description.processes).len()
            ],
            temperatures: description.heat().map_or(Vec::new(), |heat| {
                let nodes = 0..description.rest_positions.len();
                nodes.map(|node| heat.initial(node)).collect()
            }),
            broken: vec![false; settings.joints().map_or(0, |joints| joints.faces().len())],
            ties: None,
        };
        inelastic.find_what_follows(description);
        Some(inelastic)
    }

    /// Finds the ties after `broken` has been replaced.
    pub(crate) fn find_what_follows(&mut self, description: &BodyDescription) {
        let joints = description.mesh().and_then(|mesh| mesh.joints());
        self.ties = joints.map(|joints| Arc::new(joints.ties(&self.broken)));
    }

    /// The largest plastic strain of the elements at each node; nothing in a body that does not
    /// yield.
    pub(crate) fn nodal_plastic_strains(&self, description: &BodyDescription) -> Option<Vec<f64>> {
        if self.plastic_strains.is_empty() {
            return None;
        }
        let elements = Elements::of(description.mesh()?, description)?;
        let mut nodal = vec![0.0_f64; description.rest_positions.len()];
        for (nodes, &strain) in elements.nodes.iter().zip(&self.plastic_strains) {
            for &node in nodes {
                nodal[node as usize] = nodal[node as usize].max(strain);
            }
        }
        Some(nodal)
    }

    /// Number of layers that relax.
    pub(crate) fn layer_count(&self) -> usize {
        self.viscous_inverses.len()
    }

    /// The share of its stiffness that heat leaves an element.
    fn thermal_share(&self, heat: Option<&Heat>, elements: &Elements, element: usize) -> f64 {
        heat.map_or(1.0, |heat| {
            heat.share(elements.mean(element, &self.temperatures))
        })
    }

    fn plastic_inverse(&self, element: usize) -> DMat3 {
        let own = self.plastic_inverses.get(element);
        own.copied().unwrap_or(DMat3::IDENTITY)
    }
}

impl Memory for MeshInelasticity {
    fn save(&self, writer: &mut SnapshotWriter) {
        writer.matrices(&self.plastic_inverses);
        writer.numbers(&self.plastic_strains);
        let layers = self.viscous_inverses.iter();
        layers.for_each(|layer| writer.matrices(layer));
        writer.numbers(&self.temperatures);
        writer.flags(&self.broken);
    }

    fn restore(
        &mut self,
        description: &BodyDescription,
        reader: &mut SnapshotReader,
    ) -> Result<(), SnapshotError> {
        reader.matrices(&mut self.plastic_inverses)?;
        reader.numbers(&mut self.plastic_strains)?;
        for layer in &mut self.viscous_inverses {
            reader.matrices(layer)?;
        }
        reader.numbers(&mut self.temperatures)?;
        reader.flags(&mut self.broken)?;
        self.find_what_follows(description);
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Memory> {
        Box::new(self.clone())
    }

    fn temperatures(&self) -> &[f64] {
        &self.temperatures
    }

    fn broken_count(&self) -> usize {
        self.broken.iter().filter(|&&broken| broken).count()
    }
}

impl Body {
    /// What inelastic processes have changed in a body over a mesh; nothing for an elastic body.
    pub fn mesh_inelastic(&self) -> Option<&MeshInelasticity> {
        self.memory()
    }
}

/// Scratch memory of the processes of one body over a mesh.
#[derive(Debug)]
pub(crate) struct MeshInelasticWorkspace {
    elements: Elements,
    branches: Vec<Branch>,
    /// Whether elements change at all: a body that only breaks needs no layers.
    changes_elements: bool,
    layers: Vec<ElementMemory>,
    ties: Option<Arc<Ties>>,
    /// F_l⁻¹ of the layers for a step that is under way, see `viscoelastic.rs`.
    within_step: Vec<Vec<DMat3>>,
    conduction: Option<MeshConduction>,
    breaker: Option<FaceBreaker>,
    /// Room for what elements flow in a step; empty in a body that does not yield.
    flows: Vec<Option<Flow>>,
}

impl MeshInelasticWorkspace {
    /// For a body that has processes.
    pub(crate) fn new(body: &Body) -> Option<Self> {
        let inelastic = body.mesh_inelastic()?;
        let description = body.description();
        let settings = description.mesh()?;
        let elements = Elements::of(settings, description)?;
        let kinds = || {
            description
                .processes
                .iter()
                .map(|scheduled| &scheduled.kind)
        };
        let layer = ElementMemory {
            rests: vec![DMat3::IDENTITY; elements.len()],
            shares: vec![1.0; elements.len()],
        };
        let changes_elements = !kinds().all(|kind| matches!(kind, ProcessKind::Fracture(_)));
        let layers = usize::from(changes_elements) + inelastic.layer_count();
        Some(Self {
            branches: branches_of(&description.processes),
            changes_elements,
            layers: vec![layer; layers],
            ties: inelastic.ties.clone(),
            within_step: inelastic.viscous_inverses.clone(),
            flows: vec![None; inelastic.plastic_inverses.len()],
            conduction: description
                .heat()
                .map(|heat| MeshConduction::new(settings, description, heat)),
            breaker: settings
                .joints()
                .map(|joints| FaceBreaker::new(&elements, joints, &description.rest_positions)),
            elements,
        })
    }

    /// Fills what the energies adopt for a step from `time` on that takes `step` seconds; without a
    /// step, for the elastic energy as it is.
    fn fill_layers(&mut self, body: &Body, time: f64, step: f64) {
        let Some(inelastic) = body.mesh_inelastic() else {
            return;
        };
        self.ties.clone_from(&inelastic.ties);
        if !self.changes_elements {
            return;
        }
        let description = body.description();
        let positions = &body.state.positions;
        // The midpoint rule looks at forces in the middle of the step.
        let seen = match description.integrator {
            IntegratorKind::Midpoint => 0.5 * step,
            _ => step,
        };
        let elements = &self.elements;
        let heat = description.heat();
        let share_left = |element: usize| inelastic.thermal_share(heat, elements, element);
        let lasting = 1.0 - self.branches.iter().map(|b| b.share).sum::<f64>();
        let [base, layers @ ..] = &mut self.layers[..] else {
            return;
        };
        for element in 0..elements.len() {
            base.rests[element] = inelastic.plastic_inverse(element);
            base.shares[element] = lasting.max(0.0) * share_left(element);
        }
        for (index, layer) in layers.iter_mut().enumerate() {
            let branch = &self.branches[index];
            let inverses = &inelastic.viscous_inverses[index];
            let relaxes = step > 0.0 && description.processes[branch.process].is_at_work(time);
            let begin = |element: usize, length: f64| {
                let inverse = inverses[element];
                let plastic = inelastic.plastic_inverse(element);
                let deformation = elements.deformation(element, positions) * plastic * inverse;
                let z = length / elements.mean(element, &branch.times);
                relax(inverse, deformation, kept_by_mean(z))
            };
            let rests = &mut self.within_step[index];
            if relaxes {
                fill(rests, |element| begin(element, step));
            } else {
                rests.copy_from_slice(inverses);
            }
            if relaxes && seen != step {
                fill(&mut layer.rests, |element| begin(element, seen));
            } else {
                layer.rests.copy_from_slice(rests);
            }
            for element in 0..elements.len() {
                let rest = &mut layer.rests[element];
                *rest = inelastic.plastic_inverse(element) * *rest;
                let z = if relaxes {
                    seen / elements.mean(element, &branch.times)
                } else {
                    0.0
                };
                layer.shares[element] = branch.share * mean_decay(z) * share_left(element);
            }
        }
    }

    /// Fracture comes last: it looks at the elements as the other processes leave them.
    fn break_faces(&mut self, body: &mut Body, time: f64) {
        self.fill_layers(body, time, 0.0);
        let (description, state, inelastic) = body.parts_mut::<MeshInelasticity>();
        let joints = description.mesh().and_then(|mesh| mesh.joints());
        let (Some(inelastic), Some(joints), Some(breaker)) = (inelastic, joints, &mut self.breaker)
        else {
            return;
        };
        let mut any = false;
        for scheduled in &description.processes {
            if let ProcessKind::Fracture(fracture) = &scheduled.kind
                && scheduled.is_at_work(time)
            {
                let (elements, layers) = (&self.elements, &self.layers);
                let positions = &state.positions;
                any |=
                    breaker.break_faces(fracture, elements, joints, layers, positions, inelastic);
            }
        }
        if any {
            inelastic.find_what_follows(description);
        }
    }

    fn relax_layers(
        &self,
        description: &BodyDescription,
        positions: &[DVec3],
        inelastic: &mut MeshInelasticity,
        time: f64,
        step: f64,
    ) {
        for (index, branch) in self.branches.iter().enumerate() {
            if !description.processes[branch.process].is_at_work(time) {
                continue;
            }
            let (elements, begins) = (&self.elements, &self.within_step[index]);
            let mut inverses = std::mem::take(&mut inelastic.viscous_inverses[index]);
            fill(&mut inverses, |element| {
                let plastic = inelastic.plastic_inverse(element);
                let inverse = begins[element];
                let deformation = elements.deformation(element, positions) * plastic;
                let z = step / elements.mean(element, &branch.times);
                relax(inverse, deformation * inverse, mean_decay(z))
            });
            inelastic.viscous_inverses[index] = inverses;
        }
    }

    fn yield_elements(
        &mut self,
        plastic: &Plastic,
        heat: Option<&Heat>,
        positions: &[DVec3],
        inelastic: &mut MeshInelasticity,
        step: f64,
    ) {
        let portion = if plastic.time > 0.0 {
            -(-step / plastic.time).exp_m1()
        } else {
            1.0
        };
        let elements = &self.elements;
        let state = &*inelastic;
        fill(&mut self.flows, |element| {
            let (material, young) = (elements.materials[element], elements.youngs[element]);
            let share = state.thermal_share(heat, elements, element);
            let limit = YieldLimit::new(plastic, &*elements.law, material, young, share);
            let before = Flow {
                inverse: state.plastic_inverses[element],
                strain: state.plastic_strains[element],
            };
            limit.flow(elements.deformation(element, positions), before, portion)
        });
        for (element, flow) in self.flows.iter().enumerate() {
            if let Some(flow) = flow {
                inelastic.plastic_inverses[element] = flow.inverse;
                inelastic.plastic_strains[element] = flow.strain;
            }
        }
    }
}

impl Processes for MeshInelasticWorkspace {
    fn prepare<'a>(&'a mut self, body: &Body, time: f64, step: f64) -> Past<'a> {
        self.fill_layers(body, time, step);
        Past::Elements {
            layers: &self.layers,
            ties: self.ties.as_ref(),
        }
    }

    fn commit(&mut self, body: &mut Body, obstacles: &[Obstacle], time: f64, step: f64) {
        let (description, state, inelastic) = body.parts_mut::<MeshInelasticity>();
        let Some(inelastic) = inelastic else { return };
        if let Some(ties) = &inelastic.ties {
            ties.unite(&description.masses, state);
        }
        let positions = &state.positions;
        self.relax_layers(description, positions, inelastic, time, step);
        let mut breaks = false;
        for scheduled in &description.processes {
            if !scheduled.is_at_work(time) {
                continue;
            }
            match &scheduled.kind {
                ProcessKind::Plastic(plastic) => {
                    self.yield_elements(plastic, description.heat(), positions, inelastic, step);
                }
                ProcessKind::Heat(heat) => {
                    let Some(conduction) = &mut self.conduction else {
                        continue;
                    };
                    let surroundings = Surroundings {
                        description,
                        positions,
                        obstacles,
                        broken: &inelastic.broken,
                        step,
                    };
                    let ties = inelastic.ties.as_deref();
                    conduction.advance(heat, &surroundings, ties, &mut inelastic.temperatures);
                }
                ProcessKind::Fracture(_) => breaks = true,
                _ => {}
            }
        }
        if breaks {
            self.break_faces(body, time);
        }
    }
}

/// Sets every entry to a function of its place.
fn fill<T: Send>(values: &mut [T], value: impl Fn(usize) -> T + Sync) {
    for_each_chunk_mut(values, |first, chunk| {
        for (index, target) in chunk.iter_mut().enumerate() {
            *target = value(first + index);
        }
    });
}
