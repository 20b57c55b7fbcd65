//! Dashpots beside the springs of a hybrid body.
//!
//! ```text
//! σ = w (D e + τ D ė)                            of each difference D
//! K' = K + V / h,   g = V e⁰ / h                 V: K with τ w in place of w
//! K' e⁺ - g = K e⁺ + V (e⁺ - e⁰) / h             elastic and viscous force at the end of a step
//! ```
//!
//! e⁰ is the deformation before a step of h seconds. A frame that only turns changes no e, so a
//! rigid motion meets no resistance. K' is as constant as K while the step is: it is factorised
//! once. g changes with every step and turns with the frame, so the answer p of `system.rs` to a
//! turn is solved for again, which is one solve more.
//!
//! Symbols: τ time of retardation in s, w weights, e in m, K and V/h in N/m, g in N.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.1, the Voigt unit, for the deformation of eq. 18.

use super::material::HybridMaterial;
use super::measure::deformations_of;
use super::system::{HybridSystem, get, put};
use super::weights::SplineWeights;
use crate::body::{BodyDescription, State};
use crate::linear::GridMatrix;
use glam::DVec3;

/// The dashpots of a step.
pub(super) struct Viscosity {
    /// Whether there is any resistance now.
    at_work: bool,
    /// τ of each node.
    times: Vec<f64>,
    /// The same, as it will be in the next step.
    next_times: Vec<f64>,
    /// Stamp of the weights and length of the step that K' was made for.
    made_for: Option<(u64, f64)>,
    weights: SplineWeights,
    /// K'.
    stiffness: GridMatrix,
    /// g, component by component.
    force: Vec<f64>,
}

impl Viscosity {
    /// For a body that has dashpots, at whatever time.
    pub(super) fn of(
        description: &BodyDescription,
        material: &HybridMaterial,
        pattern: &GridMatrix,
    ) -> Option<Self> {
        let mut processes = description.processes.iter();
        let n = description.node_count();
        let has_any = processes.any(|scheduled| scheduled.kind.process().resists_rates());
        has_any.then(|| Self {
            at_work: false,
            times: vec![0.0; n],
            next_times: vec![0.0; n],
            made_for: None,
            weights: material.weights().clone(),
            stiffness: pattern.clone(),
            force: vec![0.0; 3 * n],
        })
    }

    fn at_work(viscosity: &Option<Self>) -> Option<&Self> {
        viscosity.as_ref().filter(|viscosity| viscosity.at_work)
    }

    /// g, component by component, where there is resistance.
    pub(super) fn force(viscosity: &Option<Self>) -> Option<&[f64]> {
        Self::at_work(viscosity).map(|viscosity| viscosity.force.as_slice())
    }

    /// The stiffness of a step: K' where there is resistance, else K.
    pub(super) fn stiffness<'a>(
        viscosity: &'a Option<Self>,
        elastic: &'a GridMatrix,
    ) -> &'a GridMatrix {
        Self::at_work(viscosity).map_or(elastic, |viscosity| &viscosity.stiffness)
    }

    /// The weights of order 0 of a step.
    pub(super) fn zeroth<'a>(
        viscosity: &'a Option<Self>,
        material: &'a HybridMaterial,
    ) -> &'a [f64] {
        Self::at_work(viscosity).map_or(&material.weights().zeroth, |viscosity| {
            &viscosity.weights.zeroth
        })
    }
}

impl HybridSystem {
    /// Makes the dashpots ready for a step of `length` seconds from a state at `time`.
    pub(super) fn take_viscosity(
        &mut self,
        description: &BodyDescription,
        material: &HybridMaterial,
        state: &State,
        time: f64,
        length: f64,
    ) {
        self.take_material(description, material);
        let Some(mut viscosity) = self.viscosity.take() else {
            return;
        };
        viscosity.next_times.fill(0.0);
        description.add_retardation(time, &mut viscosity.next_times);
        let resists = length > 0.0 && viscosity.next_times.iter().any(|&time| time != 0.0);
        if resists != viscosity.at_work {
            viscosity.at_work = resists;
            viscosity.made_for = None;
            (self.factorised, self.answered) = (None, false);
        }
        if resists {
            let wanted = Some((material.stamps()[1], length));
            if viscosity.made_for != wanted || viscosity.times != viscosity.next_times {
                viscosity.made_for = wanted;
                viscosity.times.copy_from_slice(&viscosity.next_times);
                self.fill_viscous(material, length, &mut viscosity);
                self.factorised = None;
            }
            deformations_of(description, material, state, &mut self.unknown);
            centre(&mut self.unknown, material, &viscosity);
            viscosity
                .stiffness
                .multiply(&self.unknown, &mut viscosity.force);
            self.stiffness
                .multiply(&self.unknown, &mut self.right_hand_side);
            for (force, elastic) in viscosity.force.iter_mut().zip(&self.right_hand_side) {
                *force -= elastic;
            }
            self.answered = false;
        }
        self.viscosity = Some(viscosity);
    }

    /// What the dashpots have taken in the step last prepared for, between two states, in joules: (e⁺ - e⁰)ᵀ V
    /// (e⁺ - e⁰) / h. It uses the unknowns as scratch memory.
    pub(super) fn viscous_loss(
        &mut self,
        description: &BodyDescription,
        material: &HybridMaterial,
        [before, after]: [&State; 2],
    ) -> f64 {
        let Some(viscosity) = self.viscosity.take() else {
            return 0.0;
        };
        let mut loss = 0.0;
        if viscosity.at_work {
            deformations_of(description, material, before, &mut self.right_hand_side);
            deformations_of(description, material, after, &mut self.unknown);
            for (change, before) in self.unknown.iter_mut().zip(&self.right_hand_side) {
                *change -= before;
            }
            let pull = &mut self.right_hand_side;
            for (stiffness, sign) in [(&viscosity.stiffness, 1.0), (&self.stiffness, -1.0)] {
                stiffness.multiply(&self.unknown, pull);
                let products = pull.iter().zip(&self.unknown);
                loss += sign * products.map(|(pull, change)| pull * change).sum::<f64>();
            }
        }
        self.viscosity = Some(viscosity);
        loss
    }

    /// K' from the weights of the material.
    fn fill_viscous(&self, material: &HybridMaterial, length: f64, viscosity: &mut Viscosity) {
        let times = &viscosity.times;
        let mean =
            |span: &[usize]| span.iter().map(|&node| times[node]).sum::<f64>() / span.len() as f64;
        viscosity
            .weights
            .scale_from(material.weights(), &self.grid, |span| {
                1.0 + mean(span) / length
            });
        viscosity.stiffness.clone_from(&self.stiffness);
        super::spline::fill_stiffness(&self.grid, &viscosity.weights, &mut viscosity.stiffness);
    }
}

/// Shifts e⁰ so that g has no net force: the rate of a shift of the whole body is not a strain.
/// Only weights of order 0 notice.
fn centre(e: &mut [f64], material: &HybridMaterial, viscosity: &Viscosity) {
    let more = |node: usize| viscosity.weights.zeroth[node] - material.weights().zeroth[node];
    for piece in 0..material.pieces().count() {
        let nodes = || material.pieces().nodes(piece).iter().map(|&n| n as usize);
        let total: f64 = nodes().map(more).sum();
        if total > 0.0 {
            let sum: DVec3 = nodes().map(|node| more(node) * get(e, node)).sum();
            for node in nodes() {
                let centred = get(e, node) - sum / total;
                put(e, node, centred);
            }
        }
    }
}
