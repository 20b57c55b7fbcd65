//! Solving a scalar matrix over grid nodes for three components with a chosen solver.

use super::method::{Goal, GridMethod, grid_method};
use super::{GridMatrix, LinearError, SolveReport, SolverSettings};
use crate::math::parallel::{dot_scalar, for_each_chunk_mut};

/// A direct solution whose residual is above this is refined.
pub(crate) const REFINE_ABOVE: f64 = 1e-12;
/// Most refinement steps of a direct solution.
pub(crate) const REFINEMENTS: usize = 2;
/// A direct solution with this residual counts as converged whatever the tolerance.
pub(crate) const DIRECT_RESIDUAL: f64 = 1e-8;
/// A restarted iteration that leaves more than this part of the residual has stagnated.
pub(crate) const STAGNATION: f64 = 0.9;

/// Solves `A x = b` for the three components of flat, component-major fields.
pub struct GridSolver {
    settings: SolverSettings,
    method: Box<dyn GridMethod>,
    prepared: bool,
    factorisations: usize,
    last_residual: f64,
    residual: Vec<f64>,
    correction: Vec<f64>,
}

impl GridSolver {
    /// A solver for matrices with the pattern of `matrix`.
    pub fn new(settings: SolverSettings, matrix: &GridMatrix) -> Self {
        let length = 3 * matrix.node_count();
        let method = grid_method(&settings, matrix);
        Self {
            settings,
            prepared: false,
            factorisations: 0,
            last_residual: 0.0,
            residual: vec![0.0; length],
            correction: vec![0.0; if method.is_direct() { length } else { 0 }],
            method,
        }
    }

    /// The settings it was built with.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// Takes in the numbers of the matrix: factorises, inverts diagonals, coarsens.
    pub fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.prepared = false;
        self.method.prepare(matrix)?;
        self.prepared = true;
        self.factorisations += usize::from(self.method.is_direct());
        Ok(())
    }

    /// Bytes that an iteration with the matrix last prepared reads and writes at least; known for
    /// conjugate gradients with the diagonal as preconditioner.
    ///
    /// Counted are the stored diagonals of the matrix and 32 vectors of one number per node: 6 for the
    /// product (reads p, writes q, three components each), 10 for the residual (reads q, r and the
    /// inverse diagonal, writes r), 16 for the solution and the direction (reads r, the inverse
    /// diagonal, x and p, writes x and p).
    pub fn bytes_per_iteration(&self, matrix: &GridMatrix) -> Option<usize> {
        self.method.bytes_per_iteration(matrix)
    }

    /// Solves `matrix x = rhs`, where `matrix` is the one last prepared; `x` comes in as the first
    /// guess. An iterative solver that runs out of iterations is no error: see
    /// [`SolveReport::converged`].
    ///
    /// # Panics
    /// If the fields have not three times as many values as the matrix has nodes.
    pub fn solve(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
    ) -> Result<SolveReport, LinearError> {
        assert!(rhs.len() == self.residual.len() && x.len() == rhs.len());
        if !self.prepared {
            return Err(LinearError::NotPrepared);
        }
        let mut report = SolveReport {
            factorisations: std::mem::take(&mut self.factorisations),
            converged: true,
            ..SolveReport::default()
        };
        let size = dot_scalar(rhs, rhs).sqrt();
        if !size.is_finite() {
            return Err(LinearError::NotFinite);
        }
        if size == 0.0 {
            x.fill(0.0);
            return Ok(report);
        }
        if self.method.is_direct() {
            self.solve_directly(matrix, rhs, x, size, &mut report)?;
        } else {
            self.iterate(matrix, rhs, x, size, &mut report)?;
            report.cycles = self.method.take_cycles();
        }
        Ok(report)
    }

    /// Solves by substitution alone with the factors of a direct solver, without looking at the
    /// residual; the report tells the one that [`GridSolver::solve`] saw last. Iterative solvers
    /// solve as usual.
    ///
    /// # Panics
    /// As [`GridSolver::solve`].
    pub fn substitute(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
    ) -> Result<SolveReport, LinearError> {
        assert!(rhs.len() == self.residual.len() && x.len() == rhs.len());
        if !self.method.is_direct() {
            return self.solve(matrix, rhs, x);
        }
        if !self.prepared {
            return Err(LinearError::NotPrepared);
        }
        let goal = Goal {
            residual: 0.0,
            iterations: 1,
        };
        self.method.solve(matrix, rhs, x, goal)?;
        Ok(SolveReport {
            factorisations: std::mem::take(&mut self.factorisations),
            converged: true,
            residual: self.last_residual,
            ..SolveReport::default()
        })
    }

    fn solve_directly(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        size: f64,
        report: &mut SolveReport,
    ) -> Result<(), LinearError> {
        let goal = Goal {
            residual: 0.0,
            iterations: 1,
        };
        self.method.solve(matrix, rhs, x, goal)?;
        report.residual = self.measure(matrix, rhs, x, size)?;
        while report.residual > REFINE_ABOVE && report.iterations < REFINEMENTS {
            self.method
                .solve(matrix, &self.residual, &mut self.correction, goal)?;
            for (x, correction) in x.iter_mut().zip(&self.correction) {
                *x += correction;
            }
            let refined = self.measure(matrix, rhs, x, size)?;
            report.iterations += 1;
            if refined >= report.residual {
                for (x, correction) in x.iter_mut().zip(&self.correction) {
                    *x -= correction;
                }
                break;
            }
            report.residual = refined;
        }
        self.last_residual = report.residual;
        report.converged = report.residual <= self.settings.tolerance.max(DIRECT_RESIDUAL);
        Ok(())
    }

    /// Iterates, and starts anew from the true residual where the recurrence has drifted from it.
    fn iterate(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        size: f64,
        report: &mut SolveReport,
    ) -> Result<(), LinearError> {
        let SolverSettings {
            tolerance,
            max_iterations,
            ..
        } = self.settings;
        let mut last = f64::INFINITY;
        loop {
            let goal = Goal {
                residual: tolerance * size,
                iterations: max_iterations - report.iterations,
            };
            let done = self.method.solve(matrix, rhs, x, goal)?;
            report.iterations += done;
            report.residual = match self.method.known_residual() {
                Some(residual) => residual / size,
                None => self.measure(matrix, rhs, x, size)?,
            };
            report.converged = report.residual <= tolerance;
            let stuck = done == 0 || report.residual > STAGNATION * last;
            if report.converged || stuck || report.iterations >= max_iterations {
                return Ok(());
            }
            last = report.residual;
        }
    }

    /// Leaves b - A x in `self.residual` and returns its size relative to that of b.
    fn measure(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &[f64],
        size: f64,
    ) -> Result<f64, LinearError> {
        matrix.multiply(x, &mut self.residual);
        for_each_chunk_mut(&mut self.residual, |first, chunk| {
            for (value, b) in chunk.iter_mut().zip(&rhs[first..]) {
                *value = b - *value;
            }
        });
        let residual = dot_scalar(&self.residual, &self.residual).sqrt() / size;
        if residual.is_finite() {
            Ok(residual)
        } else {
            Err(LinearError::NotFinite)
        }
    }
}
