//! Fracture: links that are stretched or loaded beyond a limit break.
//!
//! ```text
//! ratio = elongation / (limit t)      or      stress / (limit t)
//! ```
//!
//! Only links whose ratio exceeds 1 may break, and of these only the `at_once` worst in a step, so
//! that a crack runs from its tip. t is the link's own tolerance, spread at random round 1: the sum
//! of two numbers drawn from the seed and the place of the link alone, so cracks are the same on
//! every machine.
//!
//! A discontinuity of order 0 (a **tear**) takes away every component of strain that needs both
//! ends of the link: the link itself, shear, bending and volume across it. One of order 1 (a
//! **crease**) takes away single components of bending and leaves the links whole. Stored energy
//! can only fall, since stiffnesses become zero; masses and velocities are not touched, so mass
//! and momentum are kept.
//!
//! In a hybrid body the components decide and the weights of the spline follow: a tear takes away
//! every difference that reaches over the link, a crease the one second difference of its bend (see
//! `hybrid_weights.rs`).
//!
//! Implements: \[Terzopoulos1988\] sect. 4.3, 4.4.

use super::strains::{StrainKind, Strains};
use super::{Moment, Process};

crate::choice! {
    /// What is compared with the limit.
    pub enum FractureCriterion {
        /// Elongation of a link by its rest length, a ratio; for creases, the bending strain.
        Elongation,
        /// Elastic stress, in newtons; over a mesh, in pascals.
        Stress,
    }
}

/// Breaks links, or faces between the elements of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Fracture {
    /// What is compared with the limit.
    pub criterion: FractureCriterion,
    /// The mean limit: a ratio, or a stress in newtons; in pascals over a mesh.
    pub limit: f64,
    /// Largest deviation of a link's limit from the mean, as a share of it, from 0 to 1.
    pub spread: f64,
    /// Where the deviations are drawn from.
    pub seed: u64,
    /// Most links that break in a step.
    pub at_once: usize,
    /// 0 tears, 1 creases.
    pub order: u8,
}

impl Fracture {
    /// How far a component is towards its limit, if it is one that may break.
    fn ratio(&self, strains: &Strains, component: usize) -> Option<f64> {
        if strains.is_gone(component) {
            return None;
        }
        let amount = match (strains.kinds[component], self.order, self.criterion) {
            (StrainKind::Stretch(_), 0, FractureCriterion::Elongation) => {
                strains.elongation(component)
            }
            (StrainKind::Stretch(_), 0, FractureCriterion::Stress) => {
                strains.modulus(component) * strains.elastic(component)
            }
            (StrainKind::Bend, 1, FractureCriterion::Elongation) => strains.totals[component].abs(),
            (StrainKind::Bend, 1, FractureCriterion::Stress) => {
                (strains.modulus(component) * strains.elastic(component)).abs()
            }
            _ => return None,
        };
        Some(amount / (self.limit * self.tolerance(component)))
    }

    /// t of a component: 1 plus a number between -`spread` and `spread`, small ones more often.
    pub(crate) fn tolerance(&self, component: usize) -> f64 {
        let first = drawn(self.seed, 2 * component as u64);
        let second = drawn(self.seed, 2 * component as u64 + 1);
        1.0 + self.spread * (first + second - 1.0)
    }
}

/// A number between 0 and 1 that depends on the seed and the index alone (SplitMix64).
fn drawn(seed: u64, index: u64) -> f64 {
    let mut z = seed.wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

impl Process for Fracture {
    fn commit(&self, moment: &mut Moment, strains: &mut Strains, _memory: &mut [f64]) {
        let candidates = &mut moment.rooms.candidates;
        candidates.clear();
        candidates.extend(
            (0..strains.len())
                .filter_map(|c| Some((self.ratio(strains, c)?, c)))
                .filter(|(ratio, _)| *ratio > 1.0),
        );
        // The worst first; of equals, the first in the list.
        candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for &(_, component) in candidates.iter().take(self.at_once) {
            if self.order == 0 {
                strains.break_link(component);
            } else {
                strains.stiffness_shares[component] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_stay_in_their_band_and_depend_on_the_seed() {
        let fracture = |seed| Fracture {
            criterion: FractureCriterion::Elongation,
            limit: 1.0,
            spread: 0.3,
            seed,
            at_once: 1,
            order: 0,
        };
        let all = |seed| (0..1000).map(move |c| fracture(seed).tolerance(c));
        assert!(all(1).all(|t| (0.7..=1.3).contains(&t)));
        let mean = all(1).sum::<f64>() / 1000.0;
        assert!((mean - 1.0).abs() < 0.01);
        assert!(all(1).eq(all(1)) && !all(1).eq(all(2)));
        // The first numbers of SplitMix64 from seed 0: the same on every machine.
        assert_eq!(
            drawn(0, 0),
            (0xe220_a839_7b1d_cdaf_u64 >> 11) as f64 / (1_u64 << 53) as f64
        );
    }
}
