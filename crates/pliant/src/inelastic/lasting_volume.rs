//! Flow of a shape that keeps its volume, and lowers the energy while it does so.
//!
//! ```text
//! U(s) = E(t - f - s Δf) + Σ w E(m + s Δm)          s ≤ -U'(0) / U''
//! ```
//!
//! t are the displacements of the nodes, f their permanent part, m what springs within processes remember, Δ what a
//! step changes of both. Each process lowers U by itself. What gives the cells of a solid their volume back is no
//! flow of a process: it moves nodes as little as it can, whatever they store. So the change as a whole goes no
//! farther than to the lowest energy on its way, and not at all where that rises.
//!
//! What swells raises the energy by itself, and is left as it is.

use super::{Inelasticity, Rooms, Strains};
use crate::body::{Body, BodyDescription};

/// The memory of a body before a step, and rooms.
#[derive(Debug, Default)]
pub(super) struct LastingVolume {
    memories: Vec<Vec<f64>>,
    /// Permanent displacements before the volume was restored.
    flows: Vec<f64>,
    displacements: Vec<f64>,
    between: Vec<f64>,
}

impl LastingVolume {
    /// Remembers what processes are about to change.
    pub(super) fn begin(&mut self, memories: &[Vec<f64>]) {
        self.memories.resize_with(memories.len(), Vec::new);
        for (kept, memory) in self.memories.iter_mut().zip(memories) {
            kept.clear();
            kept.extend_from_slice(memory);
        }
    }

    /// Gives the shape of a body its volume back, if it has one that keeps it.
    pub(super) fn restore(&mut self, body: &mut Body, strains: &mut Strains, rooms: &mut Rooms) {
        let first = strains.gauge_count;
        let flows = || strains.flows[first..].iter();
        if !strains.keeps_volume() || flows().all(|&flow| flow == 0.0) {
            return;
        }
        self.flows.clear();
        self.flows.extend(flows());
        let start = self.energy(body, strains, rooms, 0.0);
        let flowed = self.energy(body, strains, rooms, 1.0);
        let (description, _, inelastic) = body.parts_mut::<Inelasticity>();
        let Some(inelastic) = inelastic else { return };
        strains.keep_volume(inelastic);
        self.stretch_springs(description, inelastic, &strains.flows[first..]);
        if flowed > start || !strains.healed.is_empty() {
            return;
        }
        let [half, whole] = [0.5, 1.0].map(|share| self.energy(body, strains, rooms, share));
        // U is start + slope s + curvature s².
        let curvature = 2.0 * (whole - 2.0 * half + start);
        let slope = whole - start - curvature;
        if slope + 2.0 * curvature > 0.0 {
            let share = (-0.5 * slope / curvature).clamp(0.0, 1.0);
            self.shorten(body, strains, share);
        }
    }

    /// Springs that the permanent strain stretches follow its change: they would else store the work of a flow that
    /// did not take place.
    fn stretch_springs(
        &self,
        description: &BodyDescription,
        inelastic: &mut Inelasticity,
        flows: &[f64],
    ) {
        let processes = description.processes.iter();
        let keeps = || {
            let processes = processes.clone();
            processes.map(|scheduled| scheduled.kind.process().keeps_permanent_strain())
        };
        let share = 1.0 / keeps().filter(|&keeps| keeps).count() as f64;
        let memories = inelastic.memories.iter_mut().zip(keeps());
        for (memory, _) in memories.filter(|(_, keeps)| *keeps) {
            let first = memory.len() - flows.len();
            let changes = flows.iter().zip(&self.flows);
            for (kept, (after, before)) in memory[first..].iter_mut().zip(changes) {
                *kept += share * (after - before);
            }
        }
    }

    /// U where a share of all changes has taken place, in joules.
    fn energy(&mut self, body: &Body, strains: &Strains, rooms: &mut Rooms, share: f64) -> f64 {
        let (Some(shape), Some(inelastic)) = (&strains.shape, body.inelastic()) else {
            return 0.0;
        };
        let first = strains.gauge_count;
        let between = |(before, after): (&f64, &f64)| before + share * (after - before);
        let flows = inelastic.flows[first..].iter().zip(&strains.flows[first..]);
        let totals = strains.totals[first..].iter();
        self.displacements.clear();
        self.displacements
            .extend(totals.zip(flows).map(|(total, flow)| total - between(flow)));
        let mut sum = shape.energy(body, &self.displacements);
        let processes = &body.description().processes;
        let memories = self.memories.iter().zip(&inelastic.memories);
        for (scheduled, (before, after)) in processes.iter().zip(memories) {
            self.between.clear();
            self.between.extend(before.iter().zip(after).map(between));
            let process = scheduled.kind.process();
            process.each_inner_spring(&self.between, &mut rooms.pull, &mut |weight, strains| {
                sum += weight * shape.energy(body, &strains[first..]);
            });
        }
        sum
    }

    /// Lets no more than a share of all changes take place.
    fn shorten(&self, body: &mut Body, strains: &mut Strains, share: f64) {
        let (_, _, inelastic) = body.parts_mut::<Inelasticity>();
        let Some(inelastic) = inelastic else { return };
        let cut = |after: &mut f64, before: &f64| *after = before + share * (*after - before);
        let flows = strains.flows.iter_mut().zip(&inelastic.flows);
        flows.for_each(|(after, before)| cut(after, before));
        let memories = inelastic.memories.iter_mut().zip(&self.memories);
        for (after, before) in memories {
            let numbers = after.iter_mut().zip(before);
            numbers.for_each(|(after, before)| cut(after, before));
        }
    }
}
