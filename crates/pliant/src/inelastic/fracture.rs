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
//! `hybrid/inelastic/weights.rs`).
//!
//! Implements: \[Terzopoulos1988\] sect. 4.3, 4.4.

use super::Process;
use super::strains::{StrainKind, Strains};
use crate::process::{Fracture, FractureCriterion};

impl Fracture {
    /// How far a component is beyond its limit, or nearly so, if it is one that may break.
    pub(super) fn ratio(&self, strains: &Strains, component: usize) -> Option<f64> {
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
        // Short of the lowest limit there is no need to know the limit of the component.
        if amount < self.limit * self.least_tolerance() {
            return None;
        }
        Some(amount / (self.limit * self.tolerance(component)))
    }
}

/// `AtWork` breaks the worst components.
impl Process for Fracture {}
