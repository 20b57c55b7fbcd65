//! The layers of elements of a body: the one that lasts, and one for each unit that relaxes.

use super::elements::{Elements, MATRIX, fill, matrix_at};
use super::viscoelastic::{Branch, branches_of, kept_by_mean, mean_decay, relax};
use crate::body::{BodyDescription, IntegratorKind};
use crate::energy::ElementMemory;
use crate::inelastic::{Inelasticity, Moment};
use crate::process::ProcessKind;
use glam::DMat3;

/// What the energies of a body adopt, and what it is made of.
#[derive(Debug)]
pub(super) struct Layers {
    branches: Vec<Branch>,
    /// The layer that lasts and those that relax; none in a body that only breaks.
    adopted: Vec<ElementMemory>,
    /// F_l⁻¹ of the layers for a step that is under way, see `viscoelastic.rs`.
    within_step: Vec<Vec<DMat3>>,
}

impl Layers {
    pub(super) fn new(elements: &Elements, description: &BodyDescription) -> Self {
        let processes = &description.processes;
        let branches = branches_of(processes);
        let identities = vec![DMat3::IDENTITY; elements.len()];
        let layer = ElementMemory {
            rests: identities.clone(),
            shares: vec![1.0; elements.len()],
        };
        let only_breaks = |kind: &ProcessKind| matches!(kind, ProcessKind::Fracture(_));
        let lasts = !processes.iter().all(|s| only_breaks(&s.kind));
        Self {
            adopted: vec![layer; usize::from(lasts) + branches.len()],
            within_step: vec![identities; branches.len()],
            branches,
        }
    }

    /// What the energies adopt, as it was filled last.
    pub(super) fn adopted(&self) -> &[ElementMemory] {
        &self.adopted
    }

    /// Whether there are layers that relax.
    pub(super) fn relax_any(&self) -> bool {
        !self.branches.is_empty()
    }

    /// Fills what the energies adopt for a step; without a step, for the elastic energy as it is.
    pub(super) fn fill(&mut self, elements: &Elements, moment: &Moment, memory: &Inelasticity) {
        let [base, layers @ ..] = &mut self.adopted[..] else {
            return;
        };
        let &Moment {
            description, step, ..
        } = moment;
        // The midpoint rule looks at forces in the middle of the step.
        let seen = match description.integrator {
            IntegratorKind::Midpoint => 0.5 * step,
            _ => step,
        };
        let heat = description.heat();
        let share_left = |element: usize| elements.thermal_share(heat, element, memory);
        let lasting = 1.0 - self.branches.iter().map(|b| b.share).sum::<f64>();
        for element in 0..elements.len() {
            base.rests[element] = plastic_inverse(memory, element);
            base.shares[element] = lasting.max(0.0) * share_left(element);
        }
        for (index, layer) in layers.iter_mut().enumerate() {
            let branch = &self.branches[index];
            let inverses = &memory.memories[branch.process][branch.place(elements.len())];
            let scheduled = &description.processes[branch.process];
            let relaxes = step > 0.0 && scheduled.is_at_work(moment.time);
            let begin = |element: usize, length: f64| {
                let inverse = matrix_at(inverses, element);
                let plastic = plastic_inverse(memory, element);
                let deformation =
                    elements.deformation(element, moment.positions) * plastic * inverse;
                let z = length / elements.mean(element, &branch.times);
                relax(&*elements.law, inverse, deformation, kept_by_mean(z))
            };
            let rests = &mut self.within_step[index];
            if relaxes {
                fill(rests, |element| begin(element, step));
            } else {
                fill(rests, |element| matrix_at(inverses, element));
            }
            if relaxes && seen != step {
                fill(&mut layer.rests, |element| begin(element, seen));
            } else {
                layer.rests.copy_from_slice(rests);
            }
            for element in 0..elements.len() {
                let rest = &mut layer.rests[element];
                *rest = plastic_inverse(memory, element) * *rest;
                let z = if relaxes {
                    seen / elements.mean(element, &branch.times)
                } else {
                    0.0
                };
                layer.shares[element] = branch.share * mean_decay(z) * share_left(element);
            }
        }
    }

    /// Relaxes the units of a process at the end of a step.
    pub(super) fn relax(
        &self,
        process: usize,
        elements: &Elements,
        moment: &Moment,
        memory: &mut Inelasticity,
    ) {
        let mut numbers = std::mem::take(&mut memory.memories[process]);
        let branches = self.branches.iter().zip(&self.within_step);
        for (branch, begins) in branches.filter(|(branch, _)| branch.process == process) {
            let inverses = &mut numbers[branch.place(elements.len())];
            let (inverses, _) = inverses.as_chunks_mut::<MATRIX>();
            fill(inverses, |element| {
                let plastic = plastic_inverse(memory, element);
                let inverse = begins[element];
                let deformation = elements.deformation(element, moment.positions) * plastic;
                let z = moment.step / elements.mean(element, &branch.times);
                let relaxed = relax(
                    &*elements.law,
                    inverse,
                    deformation * inverse,
                    mean_decay(z),
                );
                relaxed.to_cols_array()
            });
        }
        memory.memories[process] = numbers;
    }
}

/// F_p⁻¹ of an element.
fn plastic_inverse(memory: &Inelasticity, element: usize) -> DMat3 {
    if memory.flows.is_empty() {
        DMat3::IDENTITY
    } else {
        matrix_at(&memory.flows, element)
    }
}
