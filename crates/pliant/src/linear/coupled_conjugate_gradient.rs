//! Conjugate gradients for several bodies that something couples.
//!
//! The product and the preconditioner are given: the preconditioner is made of those of the bodies,
//! which may work in single precision, so that directions are made conjugate by the change of the
//! residual (Polak and Ribière).
//!
//! Implements: \[Hestenes1952\] with any symmetric positive definite preconditioner.

use super::conjugate_gradient::{UNDERFLOW, step_size};
use super::{LinearError, SolveReport};
use crate::math::parallel::dot;
use glam::DVec3;

/// What is solved: the bodies and what couples them.
pub(crate) trait CoupledSystem {
    /// q = A p.
    fn multiply(&mut self, p: &[DVec3], q: &mut [DVec3]);

    /// z = M⁻¹ r.
    fn precondition(&mut self, r: &[DVec3], z: &mut [DVec3]) -> Result<(), LinearError>;
}

/// The vectors of the iteration.
#[derive(Debug, Default)]
pub(crate) struct CoupledConjugateGradient {
    r: Vec<DVec3>,
    last: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    q: Vec<DVec3>,
}

impl CoupledConjugateGradient {
    /// Solves A x = b from x = 0, to a relative residual or a number of iterations.
    pub(crate) fn solve(
        &mut self,
        system: &mut impl CoupledSystem,
        rhs: &[DVec3],
        x: &mut [DVec3],
        tolerance: f64,
        iterations: usize,
    ) -> Result<SolveReport, LinearError> {
        for field in [
            &mut self.r,
            &mut self.last,
            &mut self.z,
            &mut self.p,
            &mut self.q,
        ] {
            field.resize(rhs.len(), DVec3::ZERO);
        }
        x.fill(DVec3::ZERO);
        self.r.copy_from_slice(rhs);
        self.p.fill(DVec3::ZERO);
        let size = dot(rhs, rhs).sqrt();
        let mut report = SolveReport {
            converged: true,
            ..SolveReport::default()
        };
        if size == 0.0 {
            return Ok(report);
        }
        let mut last_product = 0.0;
        loop {
            report.residual = dot(&self.r, &self.r).sqrt() / size;
            if !report.residual.is_finite() {
                return Err(LinearError::NotFinite);
            }
            report.converged = report.residual <= tolerance;
            if report.converged || report.iterations >= iterations {
                return Ok(report);
            }
            system.precondition(&self.r, &mut self.z)?;
            let product = dot(&self.r, &self.z);
            if product < UNDERFLOW {
                return Ok(report);
            }
            let beta = if last_product > 0.0 {
                ((product - dot(&self.last, &self.z)) / last_product).max(0.0)
            } else {
                0.0
            };
            last_product = product;
            for (p, z) in self.p.iter_mut().zip(&self.z) {
                *p = *z + beta * *p;
            }
            system.multiply(&self.p, &mut self.q);
            let along = dot(&self.r, &self.p);
            let alpha = step_size(along, dot(&self.p, &self.q), report.iterations)?;
            self.last.copy_from_slice(&self.r);
            for (x, p) in x.iter_mut().zip(&self.p) {
                *x += alpha * *p;
            }
            for (r, q) in self.r.iter_mut().zip(&self.q) {
                *r -= alpha * *q;
            }
            report.iterations += 1;
        }
    }
}
