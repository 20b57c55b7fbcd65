//! Conjugate gradients for several bodies that something couples.
//!
//! The product and the preconditioner are given: the preconditioner is made of those of the bodies,
//! which may work in single precision, so that directions are made conjugate by the change of the
//! residual (Polak and Ribière).
//!
//! Implements: \[Hestenes1952\] with any symmetric positive definite preconditioner.

use super::conjugate_gradient::{Passes, Recurrence};
use super::method::Goal;
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
        let mut recurrence = Recurrence::new([dot(rhs, rhs)]);
        let size = recurrence.size();
        if size == 0.0 {
            return Ok(SolveReport {
                converged: true,
                ..SolveReport::default()
            });
        }
        let goal = Goal {
            residual: tolerance * size,
            iterations,
        };
        let solver = self;
        recurrence.run(&mut Coupled { solver, system, x }, goal)?;
        Ok(SolveReport {
            iterations: recurrence.iterations,
            residual: recurrence.size() / size,
            converged: recurrence.size() <= goal.residual,
            ..SolveReport::default()
        })
    }
}

/// The iteration with a system.
struct Coupled<'a, S> {
    solver: &'a mut CoupledConjugateGradient,
    system: &'a mut S,
    x: &'a mut [DVec3],
}

impl<S: CoupledSystem> Passes<1> for Coupled<'_, S> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        self.system
            .precondition(&self.solver.r, &mut self.solver.z)?;
        Ok([dot(&self.solver.r, &self.solver.z)])
    }

    /// That of Polak and Ribière.
    fn continuation(&mut self, [rz]: [f64; 1], [before]: [f64; 1]) -> [f64; 1] {
        if before <= 0.0 {
            return [0.0];
        }
        [((rz - dot(&self.solver.last, &self.solver.z)) / before).max(0.0)]
    }

    fn advance(&mut self, _alpha: [f64; 1], [beta]: [f64; 1]) {
        for (p, z) in self.solver.p.iter_mut().zip(&self.solver.z) {
            *p = *z + beta * *p;
        }
    }

    fn multiply(&mut self) -> [f64; 1] {
        self.system.multiply(&self.solver.p, &mut self.solver.q);
        [dot(&self.solver.p, &self.solver.q)]
    }

    fn along(&mut self, _rz: [f64; 1]) -> [f64; 1] {
        [dot(&self.solver.r, &self.solver.p)]
    }

    fn reduce(&mut self, [alpha]: [f64; 1]) -> [f64; 1] {
        self.solver.last.copy_from_slice(&self.solver.r);
        for (x, p) in self.x.iter_mut().zip(&self.solver.p) {
            *x += alpha * *p;
        }
        for (r, q) in self.solver.r.iter_mut().zip(&self.solver.q) {
            *r -= alpha * *q;
        }
        [dot(&self.solver.r, &self.solver.r)]
    }
}
