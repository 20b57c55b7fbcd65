//! Shapes that flow as a whole, beside the single components of strain.
//!
//! A formulation whose permanent deformation is that of a reference shape brings one
//! ([`FlowingShape`]): three more components for each node, the displacements from that shape. The
//! terms of the primal energy are then **gauges**: they decide whether the body yields or breaks, and
//! do not flow themselves; their permanent part is what the reference shape shows.

use super::{Inelasticity, Strains};
use crate::body::Body;
use glam::DVec3;
use std::fmt::Debug;

/// A reference shape to which deformation flows.
pub(crate) trait FlowingShape: Debug + Send {
    /// Fills the total displacements of the nodes, three numbers each, and calls `gauges` with the
    /// reference shape.
    fn measure(&mut self, body: &Body, totals: &mut [f64], gauges: &mut dyn FnMut(&[DVec3]));

    /// What flows where each node lets a share of its pull flow: nodes flow together.
    fn flow(&mut self, shares: &[f64], pull: &mut dyn FnMut(usize) -> DVec3) -> &[DVec3];

    /// Elastic energy of displacements of the nodes, three numbers each, in joules.
    fn energy(&self, body: &Body, displacements: &[f64]) -> f64;

    /// Whether it is that of a solid, which keeps its volume.
    fn keeps_volume(&self) -> bool;

    /// Gives a solid the volume back that the displacements `flows` have taken. Those before the step
    /// begin with the component `first` of the memory.
    fn keep_volume(&mut self, inelastic: &Inelasticity, first: usize, flows: &mut [f64]);

    /// Hands the displacements `flows` to the body, and what follows from them and from what is broken
    /// or molten.
    fn finish(&mut self, body: &mut Body, first: usize, flows: &[f64]);
}

impl Strains {
    /// Whether displacements flow together, by [`Self::flow_displacements`], and all other components
    /// one by one.
    pub(super) fn flow_together(&self) -> bool {
        self.shape.is_some()
    }

    /// The flow of displacements of which each node lets a share of its `pull` flow, as numbers of the
    /// components from [`Self::gauge_count`] on. Nothing for bodies without a shape that flows.
    pub(super) fn flow_displacements(
        &mut self,
        shares: &[f64],
        pull: impl Fn(&Self, usize) -> f64,
        mut take: impl FnMut(&mut Self, usize, f64),
    ) {
        let Some(mut shape) = self.shape.take() else {
            return;
        };
        let first = self.gauge_count;
        if shares.iter().any(|&share| share != 0.0) {
            let flow = shape.flow(shares, &mut |node| {
                let of_axis = |axis: usize| pull(self, first + 3 * node + axis);
                DVec3::new(of_axis(0), of_axis(1), of_axis(2))
            });
            for (node, flow) in flow.iter().enumerate() {
                for (axis, &flow) in flow.to_array().iter().enumerate() {
                    take(self, first + 3 * node + axis, flow);
                }
            }
        }
        self.shape = Some(shape);
    }

    /// Whether the shape that flows keeps its volume.
    pub(super) fn keeps_volume(&self) -> bool {
        let shape = self.shape.as_ref();
        shape.is_some_and(|shape| shape.keeps_volume())
    }

    /// Gives a solid the volume back that flow has taken.
    pub(super) fn keep_volume(&mut self, inelastic: &Inelasticity) {
        let first = self.gauge_count;
        if let Some(shape) = &mut self.shape {
            shape.keep_volume(inelastic, first, &mut self.flows[first..]);
        }
    }

    /// Hands the displacements to the body.
    pub(super) fn finish_shape(&mut self, body: &mut Body) {
        let first = self.gauge_count;
        if let Some(shape) = &mut self.shape {
            shape.finish(body, first, &self.flows[first..]);
        }
    }

    /// Finds the total strains of a body as it is.
    pub(crate) fn measure_body(&mut self, body: &Body) {
        self.measure(&body.state.positions);
        let Some(mut shape) = self.shape.take() else {
            return;
        };
        let first = self.gauge_count;
        let mut totals = std::mem::take(&mut self.totals);
        shape.measure(body, &mut totals[first..], &mut |reference| {
            self.measure_gauges(reference);
        });
        self.totals = totals;
        self.shape = Some(shape);
    }
}
