//! Plasticity. What it does: `inelastic/plastic.rs` on grids, `fem/inelastic/plastic.rs` over meshes.

crate::choice! {
    /// What decides whether a material yields.
    pub enum YieldCriterion {
        /// The size of the strain tensor.
        Deformation,
        /// Von Mises' stress.
        VonMises,
        /// Tresca's stress: the largest difference of principal stresses.
        Tresca,
    }
}

/// Yields beyond a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Plastic {
    /// What is compared with the limit.
    pub criterion: YieldCriterion,
    /// The limit: a strain, or a stress in newtons; in pascals over a mesh.
    pub limit: f64,
    /// H: stiffness of the hardening spring by that of the elastic one.
    pub hardening: f64,
    /// Viscoplastic time, in seconds; 0 flows at once.
    pub time: f64,
}

impl Plastic {
    /// Share of what is beyond the limit that flows in a step.
    pub(crate) fn portion(&self, step: f64) -> f64 {
        if self.time > 0.0 {
            -(-step / self.time).exp_m1()
        } else {
            1.0
        }
    }
}
