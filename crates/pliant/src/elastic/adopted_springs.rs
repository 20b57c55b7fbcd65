//! Rest values and stiffnesses that processes have left, and dashpots beside them by the stage of a step.
//!
//! ```text
//! k ½ (m - m⁰)² + k τ s ½ (m - m̂)²  =  k (1 + r) ½ (m - (m⁰ + r m̂) / (1 + r))² + ...,     r = τ s
//! ```

use super::TermGroup;
use crate::energy::{DashpotStage, Springs};

/// What an energy of terms has adopted, with scratch memory.
#[derive(Debug, Default)]
pub(super) struct AdoptedSprings {
    adopted: Springs,
    /// Springs and dashpots together.
    acting: Springs,
    /// The measures of the terms where a stage begins.
    measures: Vec<f64>,
}

impl AdoptedSprings {
    /// Takes them over. Says whether stiffnesses change, if anything does.
    pub(super) fn take(&mut self, springs: &Springs) -> Option<bool> {
        let adopted = &mut self.adopted;
        if adopted == springs {
            return None;
        }
        let have_dashpots = [&*adopted, springs].map(|springs| !springs.dashpots.times.is_empty());
        let changed = have_dashpots.contains(&true) || adopted.stiffnesses != springs.stiffnesses;
        // Each list keeps its memory.
        adopted.rests.clone_from(&springs.rests);
        adopted.stiffnesses.clone_from(&springs.stiffnesses);
        adopted.dashpots.times.clone_from(&springs.dashpots.times);
        adopted.dashpots.starts.clone_from(&springs.dashpots.starts);
        adopted.dashpots.rate = springs.dashpots.rate;
        Some(changed)
    }

    pub(super) fn has_dashpots(&self) -> bool {
        !self.adopted.dashpots.times.is_empty()
    }

    /// Rest values and stiffnesses in a stage, or in the whole step by backward Euler.
    pub(super) fn in_stage(
        &mut self,
        groups: &[Box<dyn TermGroup>],
        stage: Option<DashpotStage>,
    ) -> (&[f64], &[f64]) {
        let Springs {
            rests,
            stiffnesses,
            dashpots,
        } = &self.adopted;
        if dashpots.times.is_empty() {
            return (rests, stiffnesses);
        }
        let whole = (dashpots.rate, [1.0, 0.0]);
        let (rate, weights) = stage.map_or(whole, |stage| (stage.rate, stage.weights));
        self.measures.resize(rests.len(), 0.0);
        if let Some(stage) = stage.filter(|stage| stage.weights[1] != 0.0) {
            let mut left = &mut self.measures[..];
            for group in groups {
                let (values, others) = left.split_at_mut(group.len());
                group.measure(stage.between, values);
                left = others;
            }
        }
        let acting = &mut self.acting;
        acting.rests.clone_from(rests);
        acting.stiffnesses.clone_from(stiffnesses);
        for (term, time) in dashpots.times.iter().enumerate() {
            let ratio = time * rate;
            let from = weights[0] * dashpots.starts[term] + weights[1] * self.measures[term];
            acting.stiffnesses[term] *= 1.0 + ratio;
            acting.rests[term] = (rests[term] + ratio * from) / (1.0 + ratio);
        }
        (&acting.rests, &acting.stiffnesses)
    }
}
