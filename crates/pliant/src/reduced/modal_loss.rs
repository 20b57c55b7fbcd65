//! What damping takes of a modal body in free flight.
//!
//! ```text
//! d ∫ q˙² dt = f (q₁ - q₀) - ½ (q˙₁² - q˙₀²) - ½ ω² (q₁² - q₀²)       each mode, under a constant force f
//! ```
//!
//! Modes move exactly, so that the right side is the loss to rounding, however few steps a period has. The same
//! goes for the velocity of a free body; of its turning the mean of both ends counts.

use super::modal_step::ModalDynamics;
use glam::DVec3;

impl ModalDynamics {
    /// What damping has taken in free flight from `now` to `next` under constant forces, in joules.
    pub(super) fn flight_loss(&self, force: DVec3) -> f64 {
        let (now, next, step) = (&self.now, &self.next, self.lengths.step);
        let mut loss = 0.0;
        for (mode, square) in self.basis.squares.iter().enumerate() {
            if self.dampings[mode] > 0.0 {
                let pull = self.forces[mode] + self.inertial.get(mode).copied().unwrap_or(0.0);
                let [before, after] = [now, next].map(|at| {
                    let (q, rate) = (at.amplitudes[mode], at.rates[mode]);
                    0.5 * (rate * rate + square * q * q) - pull * q
                });
                loss += before - after;
            }
        }
        if self.basis.is_free && self.drag > 0.0 {
            let [before, after] = [now, next].map(|at| {
                let moving = 0.5 * self.mass * at.velocity.length_squared();
                moving - force.dot(at.centre)
            });
            let turning = [now, next].map(|at| at.angular.dot(at.frame * at.spin));
            loss += before - after + 0.5 * step * self.drag * (turning[0] + turning[1]);
        }
        loss
    }
}
