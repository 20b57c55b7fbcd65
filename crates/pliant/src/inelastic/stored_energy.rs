//! The energy in springs within processes, beside that of the elastic strain.
//!
//! ```text
//! four units   ½ k (ε_e² + κ δ²)                       δ: strain of the Voigt unit
//! plastic      ½ k (ε_e² + H ε_p²)                     ε_p: permanent strain
//! Prony        ½ k ((1 - Σ p_i) ε² + Σ p_i (ε - v_i)²)
//!            = ½ k (ε_e² + Σ p_i v_i² - (Σ p_i v_i)²)    v_i: strain of a dashpot, ε_e = ε - Σ p_i v_i
//! ```
//!
//! What stands beside ε_e² is a sum of weights times the elastic energy of fields of strain that the
//! process remembers. In a hybrid body, whose fields are displacements e, ½ k ε² is ½ eᵀ K e.

use super::{Inelasticity, Rooms, Strains};
use crate::body::Body;

impl Strains {
    /// Energy in the springs of all processes of a body as it is, in joules.
    pub(super) fn stored_energy(&self, body: &Body, rooms: &mut Rooms) -> f64 {
        let Some(inelastic) = body.inelastic() else {
            return 0.0;
        };
        let mut sum = 0.0;
        let processes = &body.description().processes;
        for (scheduled, memory) in processes.iter().zip(&inelastic.memories) {
            let process = scheduled.kind.process();
            process.each_inner_spring(memory, &mut rooms.pull, &mut |weight, strains| {
                sum += weight * self.energy_of(body, inelastic, strains);
            });
        }
        sum
    }

    /// Elastic energy of a body with these strains, one per component, in joules.
    fn energy_of(&self, body: &Body, inelastic: &Inelasticity, strains: &[f64]) -> f64 {
        if let Some(shape) = &self.shape {
            return shape.energy(body, &strains[self.gauge_count..]);
        }
        let shares = inelastic.stiffness_shares.iter();
        let shares = shares.zip(&inelastic.thermal_shares);
        let springs = self.initial_stiffnesses.iter().zip(shares);
        let springs = springs.zip(strains.iter().zip(&self.scales));
        springs
            .map(|((k, (torn, hot)), (strain, scale))| {
                0.5 * k * torn * hot * (strain / scale).powi(2)
            })
            .sum()
    }
}
