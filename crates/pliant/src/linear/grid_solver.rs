//! Solving a scalar matrix over grid nodes for three components with a chosen solver.

use super::method::{Goal, GridMethod, grid_method};
use super::residual_control::{ResidualControl, System};
use super::{GridMatrix, LinearError, SolveReport, SolverSettings};
use crate::math::parallel::dot_scalar;

/// Solves `A x = b` for the three components of flat, component-major fields.
pub struct GridSolver {
    settings: SolverSettings,
    method: Box<dyn GridMethod>,
    /// What goes on where the method has not come to its end.
    successor: Option<Box<dyn GridMethod>>,
    prepared: bool,
    factorisations: usize,
    last_residual: f64,
    control: ResidualControl<f64>,
}

/// A matrix and the method that was prepared with it.
struct Prepared<'a> {
    method: &'a mut dyn GridMethod,
    matrix: &'a GridMatrix,
}

impl System for Prepared<'_> {
    type Value = f64;

    fn solve(&mut self, rhs: &[f64], x: &mut [f64], goal: Goal) -> Result<usize, LinearError> {
        self.method.solve(self.matrix, rhs, x, goal)
    }

    fn known_residual(&self) -> Option<f64> {
        self.method.known_residual()
    }

    fn multiply(&self, x: &[f64], product: &mut [f64]) {
        self.matrix.multiply(x, product);
    }

    fn norm(values: &[f64]) -> f64 {
        dot_scalar(values, values).sqrt()
    }

    fn size(&self) -> f64 {
        let diagonal = self.matrix.diagonal_of(0);
        let entries = diagonal.map_or(&[][..], |slot| self.matrix.values(slot));
        entries.iter().copied().fold(0.0, f64::max)
    }
}

impl GridSolver {
    /// A solver for matrices with the pattern of `matrix`.
    pub fn new(settings: SolverSettings, matrix: &GridMatrix) -> Self {
        let length = 3 * matrix.node_count();
        let method = grid_method(&settings, matrix);
        Self {
            settings,
            successor: None,
            prepared: false,
            factorisations: 0,
            last_residual: 0.0,
            control: ResidualControl {
                residual: vec![0.0; length],
                correction: vec![0.0; if method.is_direct() { length } else { 0 }],
            },
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
        assert!(rhs.len() == self.control.residual.len() && x.len() == rhs.len());
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
        let (settings, rhs) = (&self.settings, (rhs, size));
        let method = &mut *self.method;
        let is_direct = method.is_direct();
        let (mut system, control) = (Prepared { method, matrix }, &mut self.control);
        if is_direct {
            control.solve_directly(&mut system, settings, rhs, x, &mut report)?;
            self.last_residual = report.residual;
        } else {
            let successor = &mut self.successor;
            control.iterate_to_end(
                &mut system,
                |settings: &SolverSettings| {
                    let method = successor.get_or_insert_with(|| grid_method(settings, matrix));
                    method.prepare(matrix)?;
                    let method = &mut **method;
                    Ok(Prepared { method, matrix })
                },
                settings,
                rhs,
                x,
                &mut report,
            )?;
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
        assert!(rhs.len() == self.control.residual.len() && x.len() == rhs.len());
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
}
