//! A Prony series: a spring beside Maxwell units of many times of relaxation.
//!
//! ```text
//! σ(t) = k ∫ G(t - s) ε'(s) ds,      G(t) = 1 - Σ_i p_i (1 - exp(-t/τ_i))
//! σ = k (ε - Σ_i p_i v_i),           v_i' = (ε - v_i) / τ_i
//! ```
//!
//! k stiffness at once, p_i the share of it that relaxes with the time τ_i (s), v_i the strain of
//! the dashpot of unit i; 1 - Σ p_i is the share that lasts. At the end of a step the strain is held
//! and the dashpots follow their equations exactly.
//!
//! Over a mesh every unit is a layer of elements of its own: see `fem/inelastic/`.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.1 (the linear viscoelastic solid of many units).

use super::strains::{StrainKind, Strains};
use super::{Process, Rooms};
use crate::body::{BodyDescription, BodyError};
use crate::process::Prony;

impl Process for Prony {
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let bad = |what, branch, value, rule| {
            Err(BodyError::BadValue {
                body: description.name.to_string(),
                what,
                node: branch,
                value,
                rule,
            })
        };
        for (index, branch) in self.branches.iter().enumerate() {
            if !(branch.share > 0.0 && branch.share <= 1.0) {
                let rule = "above 0 and not above 1";
                return bad("the share of a Prony series", index, branch.share, rule);
            }
            if !(branch.time > 0.0 && branch.time.is_finite()) {
                let rule = "positive and finite";
                return bad("the time of a Prony series", index, branch.time, rule);
            }
        }
        let sum = self.branches.iter().map(|b| b.share).sum::<f64>();
        if sum > 1.0 + 1e-12 {
            return bad("the sum of the shares", 0, sum, "1 at most");
        }
        Ok(())
    }

    /// v of each unit.
    fn memory_per_component(&self) -> usize {
        self.branches.len()
    }

    fn each_inner_spring(
        &self,
        memory: &[f64],
        room: &mut Vec<f64>,
        add: &mut dyn FnMut(f64, &[f64]),
    ) {
        let width = self.branches.len();
        if width == 0 {
            return;
        }
        for (unit, branch) in self.branches.iter().enumerate() {
            room.clear();
            room.extend(memory.iter().skip(unit).step_by(width));
            add(branch.share, room);
        }
        let flow = |dashpots: &[f64]| -> f64 {
            let units = self.branches.iter().zip(dashpots);
            units.map(|(branch, v)| branch.share * v).sum()
        };
        room.clear();
        room.extend(memory.chunks_exact(width).map(flow));
        add(-1.0, room);
    }

    fn flow(&self, step: f64, strains: &mut Strains, _rooms: &mut Rooms, memory: &mut [f64]) {
        let width = self.branches.len();
        if width == 0 {
            return;
        }
        for (c, dashpots) in memory.chunks_exact_mut(width).enumerate() {
            if strains.kinds[c] == StrainKind::Volume {
                continue;
            }
            let units = || self.branches.iter();
            let flow = |v: &[f64]| units().zip(v).map(|(b, v)| b.share * v).sum::<f64>();
            let before = flow(dashpots);
            let strain = strains.elastic(c) + before;
            for (branch, v) in units().zip(dashpots.iter_mut()) {
                *v += (strain - *v) * (1.0 - (-step / branch.time).exp());
            }
            strains.flows[c] += flow(dashpots) - before;
        }
    }
}
