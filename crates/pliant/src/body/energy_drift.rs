//! How far the energy of a body has drifted up by rules that damp nothing.

/// Energy that steps have created and not lost again, and the most that was in motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EnergyDrift {
    /// In joules, not below zero.
    pub created: f64,
    /// The largest kinetic energy at the end of a step, in joules.
    pub most_in_motion: f64,
}

impl EnergyDrift {
    /// After a step that created so much (or lost it) and ended with so much in motion.
    pub fn after(self, created: f64, in_motion: f64) -> Self {
        Self {
            created: (self.created + created).max(0.0),
            most_in_motion: self.most_in_motion.max(in_motion),
        }
    }
}
