//! What inelastic processes do to a hybrid body.
//!
//! Its flow is that of the reference shape: e, three components a node, in units of the spacing of
//! the grid. `ṙ = e / η` of the paper is then the same line as for primal bodies.
//!
//! ```text
//! total = (q - r⁰) / l,      flow = (r - r⁰) / l,      elastic = e / l
//! ```
//!
//! Nodes flow together (`hybrid/differences.rs`), and flow keeps the volume of a solid (`volume.rs`).
//! The weights follow what is broken, molten or hot (`weights.rs`), and pieces that solidify become
//! one again (`joining.rs`).
//!
//! Implements: \[Terzopoulos1988\] sect. 4.4.

mod joining;
mod volume;
mod weights;

pub(crate) use weights::HybridWeights;

use super::spline::energy_of;
use super::{Differences, HybridMaterial, deformations};
use crate::body::{Body, BodyDescription};
use crate::inelastic::{FlowingShape, Inelasticity, Strains};
use glam::DVec3;
use volume::CellVolumes;

/// The reference shape of a hybrid body, as processes see it.
#[derive(Debug)]
pub(crate) struct ReferenceShape {
    /// r⁰.
    initial: Vec<DVec3>,
    /// e.
    deformation: Vec<DVec3>,
    /// What flow solves for.
    differences: Differences,
    pull: Vec<DVec3>,
    flow: Vec<DVec3>,
    /// For a solid.
    volumes: Option<CellVolumes>,
    /// l: mean distance of neighbours at rest, in metres.
    spacing: f64,
    weights: HybridWeights,
}

impl ReferenceShape {
    /// Of a hybrid body with strains as described.
    pub(crate) fn new(description: &BodyDescription, strains: &Strains) -> Self {
        let initial = HybridMaterial::new(description).reference().to_vec();
        Self {
            deformation: vec![DVec3::ZERO; initial.len()],
            differences: Differences::default(),
            pull: vec![DVec3::ZERO; initial.len()],
            flow: vec![DVec3::ZERO; initial.len()],
            volumes: CellVolumes::of(description.material_grid(), &initial),
            spacing: description.mean_spacing(),
            weights: HybridWeights::new(description, strains),
            initial,
        }
    }

    /// The flow of a node where the reference shape has it at r.
    fn flow_of(&self, node: usize, r: DVec3) -> DVec3 {
        (r - self.initial[node]) / self.spacing
    }

    /// Hands the flow to the material.
    fn give_back(&self, flows: &[f64], body: &mut Body) {
        let Some(material) = body.hybrid_mut() else {
            return;
        };
        if flows.iter().any(|&flow| flow != 0.0) {
            material.change_reference(|reference| {
                let flows = flows.chunks_exact(3).map(DVec3::from_slice);
                for ((r, initial), flow) in reference.iter_mut().zip(&self.initial).zip(flows) {
                    *r = *initial + self.spacing * flow;
                }
            });
        }
    }
}

impl FlowingShape for ReferenceShape {
    fn measure(&mut self, body: &Body, totals: &mut [f64], gauges: &mut dyn FnMut(&[DVec3])) {
        let Some(material) = body.hybrid() else {
            return;
        };
        let stamp = material.stamps()[1];
        let grid = body.description().material_grid();
        self.differences.refill(grid, material.weights(), stamp);
        deformations(body, &mut self.deformation);
        let nodes = self.deformation.iter().zip(material.reference());
        for ((total, (e, r)), initial) in totals.chunks_exact_mut(3).zip(nodes).zip(&self.initial) {
            total.copy_from_slice(&((*e + *r - *initial) / self.spacing).to_array());
        }
        gauges(material.reference());
    }

    fn flow(&mut self, shares: &[f64], pull: &mut dyn FnMut(usize) -> DVec3) -> &[DVec3] {
        for (node, force) in self.pull.iter_mut().enumerate() {
            *force = pull(node);
            self.flow[node] = shares[node] * *force;
        }
        self.differences.flow(shares, &self.pull, &mut self.flow);
        &self.flow
    }

    fn energy(&self, body: &Body, displacements: &[f64]) -> f64 {
        let Some(material) = body.hybrid() else {
            return 0.0;
        };
        let grid = body.description().material_grid();
        // In units of the spacing, which enters squared.
        self.spacing * self.spacing * energy_of(grid, material.weights(), displacements)
    }

    fn keeps_volume(&self) -> bool {
        self.volumes.is_some()
    }

    fn keep_volume(&mut self, inelastic: &Inelasticity, first: usize, flows: &mut [f64]) {
        let Some(volumes) = &mut self.volumes else {
            return;
        };
        volumes.free(|node, direction| inelastic.is_broken(node, direction));
        let (initial, spacing) = (&self.initial, self.spacing);
        let shape = &mut self.flow;
        let place = |flows: &[f64], shape: &mut [DVec3]| {
            for (node, flow) in flows.chunks_exact(3).enumerate() {
                shape[node] = initial[node] + spacing * DVec3::from_slice(flow);
            }
        };
        if !inelastic.thermal.melted.is_empty() {
            place(&inelastic.flows[first..], shape);
            volumes.adopt(shape);
        }
        place(flows, shape);
        volumes.restore(shape);
        for (node, flow) in flows.chunks_exact_mut(3).enumerate() {
            let change = (shape[node] - initial[node]) / spacing;
            flow.copy_from_slice(&change.to_array());
        }
    }

    fn finish(&mut self, body: &mut Body, first: usize, flows: &[f64]) {
        self.give_back(flows, body);
        let (description, inelastic, material) =
            body.two_memories::<Inelasticity, HybridMaterial>();
        if let (Some(inelastic), Some(material)) = (inelastic, material)
            && let Some(before) = self.weights.refresh(description, inelastic, material)
        {
            joining::join_pieces(body, &before, self, first);
        }
    }
}
