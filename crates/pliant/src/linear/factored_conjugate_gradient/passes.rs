//! The passes of conjugate gradients with a scalar matrix as preconditioner.

use super::FactoredConjugateGradient;
use crate::linear::conjugate_gradient::Passes;
use crate::linear::single_fields::{advance, continue_direction, inner_product, single_product};
use crate::linear::{BlockMatrix, LinearError};
use glam::DVec3;

/// The iteration with a matrix and a right side, which is multiplied by a factor.
pub(super) struct WithScalar<'a> {
    pub(super) solver: &'a mut FactoredConjugateGradient,
    pub(super) matrix: &'a BlockMatrix,
    pub(super) rhs: &'a [DVec3],
    pub(super) factor: f64,
    /// The last step.
    pub(super) alpha: f64,
    /// Size of the residual from which on the true one takes its place, until it has.
    pub(super) replace_below: Option<f64>,
}

impl Passes<1> for WithScalar<'_> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        self.solver.apply_preconditioner();
        Ok([inner_product(&self.solver.r, &self.solver.z)])
    }

    /// z (r - r before) = -alpha z q: what rounding leaves of z r before is taken out.
    fn continuation(&mut self, _rz: [f64; 1], [before]: [f64; 1]) -> [f64; 1] {
        if before <= 0.0 {
            return [0.0];
        }
        let change = -self.alpha * single_product(&self.solver.q, &self.solver.z);
        [(change / before).max(0.0)]
    }

    fn advance(&mut self, _alpha: [f64; 1], [beta]: [f64; 1]) {
        continue_direction(&self.solver.z, beta as f32, &mut self.solver.p);
    }

    fn multiply(&mut self) -> [f64; 1] {
        let solver = &mut *self.solver;
        [solver
            .compact
            .multiply(&solver.p, &mut solver.q, &mut solver.partial)]
    }

    fn along(&mut self, _rz: [f64; 1]) -> [f64; 1] {
        [inner_product(&self.solver.r, &self.solver.p)]
    }

    fn reduce(&mut self, [alpha]: [f64; 1]) -> [f64; 1] {
        self.alpha = alpha;
        let solver = &mut *self.solver;
        let [p, q] = [&solver.p[..], &solver.q];
        let (x, r, z) = (&mut solver.x, &mut solver.r, &mut solver.z);
        let squares = advance(alpha, [p, q], x, r, z, &mut solver.partial);
        if self
            .replace_below
            .is_none_or(|below| squares.sqrt() > below)
        {
            return [squares];
        }
        self.replace_below = None;
        [solver.replace_residual(self.matrix, self.rhs, self.factor)]
    }
}
