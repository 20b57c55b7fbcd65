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
//! Implements: \[Terzopoulos1988\] sect. 4.4.

use super::strains::{StrainKind, Strains};
use crate::body::{Body, BodyDescription, Formulation};
use crate::hybrid::{HybridMaterial, deformations};
use glam::DVec3;

/// How often yielding is spread over neighbours.
const SMOOTHINGS: usize = 2;

/// What the strains of a hybrid body need beside those of its gauges.
#[derive(Debug)]
pub(super) struct HybridStrains {
    /// r⁰.
    initial: Vec<DVec3>,
    /// e.
    deformation: Vec<DVec3>,
    /// l: mean distance of neighbours at rest, in metres.
    spacing: f64,
}

impl HybridStrains {
    /// For a hybrid body.
    pub(super) fn of(description: &BodyDescription) -> Option<Self> {
        if description.formulation != Formulation::Hybrid {
            return None;
        }
        let initial = HybridMaterial::new(description).reference().to_vec();
        Some(Self {
            deformation: vec![DVec3::ZERO; initial.len()],
            spacing: crate::body::mean_spacing(description),
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
        let Some(material) = &body.hybrid else { return };
        deformations(body, &mut self.deformation);
        let nodes = self.deformation.iter().zip(material.reference());
        for ((total, (e, r)), initial) in totals.chunks_exact_mut(3).zip(nodes).zip(&self.initial) {
            total.copy_from_slice(&((*e + *r - *initial) / self.spacing).to_array());
        }
        measure_gauges(material.reference());
    }

    /// Hands the flow to the material.
    pub(super) fn give_back(&self, flows: &[f64], body: &mut Body) {
        let Some(material) = &mut body.hybrid else {
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
    /// Spreads numbers at the nodes of a hybrid body over their neighbours; nothing for a primal one.
    ///
    /// Where a node yields and its neighbour does not, the reference shape would splinter: each
    /// takes another share of its own displacement. Shares that change little from node to node
    /// keep it whole.
    pub(super) fn smooth_over_links(&self, nodal: &mut [f64], sums: &mut Vec<(f64, f64)>) {
        if self.hybrid.is_none() {
            return;
        }
        for _ in 0..SMOOTHINGS {
            sums.clear();
            sums.extend(nodal.iter().map(|&own| (own, 1.0)));
            for c in 0..self.gauge_count {
                if let (StrainKind::Stretch(_), &[a, b]) = (self.kinds[c], self.nodes_of(c))
                    && !self.is_gone(c)
                {
                    for (to, from) in [(a, b), (b, a)] {
                        sums[to as usize].0 += nodal[from as usize];
                        sums[to as usize].1 += 1.0;
                    }
                }
            }
            for (value, (sum, count)) in nodal.iter_mut().zip(sums.iter()) {
                *value = sum / count;
            }
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
