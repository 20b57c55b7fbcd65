//! The strains of a hybrid body.
//!
//! Its flow is that of the reference shape: e, three components a node, in units of the spacing of
//! the grid. `ṙ = e / η` of the paper is then the same line as for primal bodies.
//!
//! ```text
//! total = (q - r⁰) / l,      flow = (r - r⁰) / l,      elastic = e / l
//! ```
//!
//! Metric, shear and bending of the nodes are measured as well, as **gauges**: they decide whether
//! the body yields or breaks, and do not flow themselves; their permanent part is what the reference
//! shape r shows.
//!
//! Nodes flow together (`hybrid/differences.rs`), and flow keeps the volume of a solid
//! (`hybrid_volume.rs`).
//!
//! Implements: \[Terzopoulos1988\] sect. 4.4.

use super::Inelasticity;
use super::hybrid_volume::CellVolumes;
use super::strains::Strains;
use crate::body::{Body, BodyDescription};
use crate::hybrid::{Differences, HybridMaterial, deformations};
use glam::DVec3;

/// What the strains of a hybrid body need beside those of its gauges.
#[derive(Debug)]
pub(super) struct HybridStrains {
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
}

impl HybridStrains {
    /// For a hybrid body.
    pub(super) fn of(description: &BodyDescription) -> Option<Self> {
        description.hybrid()?;
        let initial = HybridMaterial::new(description).reference().to_vec();
        Some(Self {
            deformation: vec![DVec3::ZERO; initial.len()],
            differences: Differences::default(),
            pull: vec![DVec3::ZERO; initial.len()],
            flow: vec![DVec3::ZERO; initial.len()],
            volumes: CellVolumes::of(&description.grid, &initial),
            spacing: description.mean_spacing(),
            initial,
        })
    }

    /// Strain by displacement.
    pub(super) fn scale(&self) -> f64 {
        1.0 / self.spacing
    }

    /// The flow of a node where the reference shape has it at r.
    pub(super) fn flow_of(&self, node: usize, r: DVec3) -> DVec3 {
        (r - self.initial[node]) / self.spacing
    }

    /// Fills the totals of the displacements, and the flows of the gauges from the reference shape.
    pub(super) fn measure(
        &mut self,
        body: &Body,
        totals: &mut [f64],
        measure_gauges: impl FnOnce(&[DVec3]),
    ) {
        let Some(material) = body.hybrid() else {
            return;
        };
        let stamp = material.stamps()[1];
        let grid = &body.description().grid;
        self.differences.take(grid, material.weights(), stamp);
        deformations(body, &mut self.deformation);
        let nodes = self.deformation.iter().zip(material.reference());
        for ((total, (e, r)), initial) in totals.chunks_exact_mut(3).zip(nodes).zip(&self.initial) {
            total.copy_from_slice(&((*e + *r - *initial) / self.spacing).to_array());
        }
        measure_gauges(material.reference());
    }

    /// Hands the flow to the material.
    pub(super) fn give_back(&self, flows: &[f64], body: &mut Body) {
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

impl Strains {
    /// Whether the body is hybrid: its displacements flow together, by
    /// [`Self::flow_displacements`], all other components one by one.
    pub(super) fn is_hybrid(&self) -> bool {
        self.hybrid.is_some()
    }

    /// The flow of the displacements of a hybrid body of which each node lets a share of its `pull`
    /// flow, as numbers of the components from [`Self::gauge_count`] on. Nothing for others.
    pub(super) fn flow_displacements(
        &mut self,
        shares: &[f64],
        pull: impl Fn(&Self, usize) -> f64,
        mut take: impl FnMut(&mut Self, usize, f64),
    ) {
        let Some(mut hybrid) = self.hybrid.take() else {
            return;
        };
        let first = self.gauge_count;
        if shares.iter().any(|&share| share != 0.0) {
            for (node, own) in hybrid.pull.iter_mut().enumerate() {
                let of_axis = |axis: usize| pull(self, first + 3 * node + axis);
                *own = DVec3::new(of_axis(0), of_axis(1), of_axis(2));
                hybrid.flow[node] = shares[node] * *own;
            }
            hybrid
                .differences
                .flow(shares, &hybrid.pull, &mut hybrid.flow);
            for (node, flow) in hybrid.flow.iter().enumerate() {
                for (axis, &flow) in flow.to_array().iter().enumerate() {
                    take(self, first + 3 * node + axis, flow);
                }
            }
        }
        self.hybrid = Some(hybrid);
    }

    /// Gives the reference shape of a hybrid solid the volume back that flow has taken.
    pub(super) fn keep_volume(&mut self, inelastic: &Inelasticity) {
        let Some(hybrid) = &mut self.hybrid else {
            return;
        };
        let flows = &mut self.flows[self.gauge_count..];
        let Some(volumes) = &mut hybrid.volumes else {
            return;
        };
        if flows.iter().all(|&flow| flow == 0.0) {
            return;
        }
        volumes.free(|node, direction| inelastic.is_broken(node, direction));
        let (initial, spacing) = (&hybrid.initial, hybrid.spacing);
        let shape = &mut hybrid.flow;
        let place = |flows: &[f64], shape: &mut [DVec3]| {
            for (node, flow) in flows.chunks_exact(3).enumerate() {
                shape[node] = initial[node] + spacing * DVec3::from_slice(flow);
            }
        };
        if !inelastic.thermal.melted.is_empty() {
            place(&inelastic.flows[self.gauge_count..], shape);
            volumes.take(shape);
        }
        place(flows, shape);
        volumes.restore(shape);
        for (node, flow) in flows.chunks_exact_mut(3).enumerate() {
            let own = (shape[node] - hybrid.initial[node]) / hybrid.spacing;
            flow.copy_from_slice(&own.to_array());
        }
    }

    /// Finds the total strains of a body as it is.
    pub(crate) fn measure_body(&mut self, body: &Body) {
        self.measure(&body.state.positions);
        let Some(mut hybrid) = self.hybrid.take() else {
            return;
        };
        let first = self.gauge_count;
        let mut totals = std::mem::take(&mut self.totals);
        hybrid.measure(body, &mut totals[first..], |reference| {
            self.measure_gauges(reference);
        });
        self.totals = totals;
        self.hybrid = Some(hybrid);
    }
}
