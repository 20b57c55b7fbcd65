//! Solving a matrix of 3x3 blocks with a chosen solver.

use super::block_conjugate_gradient::invert_diagonal;
use super::grid_solver::{DIRECT_RESIDUAL, REFINE_ABOVE, REFINEMENTS, STAGNATION};
use super::method::{BlockMethod, Goal, block_method, mesh_method};
use super::node_directions::Held;
use super::thin_body_solver::ThinBodySolver;
use super::{BlockMatrix, GridMatrix, LinearError, SolveReport, SolverSettings};
use crate::grid::Grid;
use crate::math::parallel::{dot, for_each_chunk_mut};
use glam::{DMat3, DVec3};

/// Solves `A x = b` for fields with one vector a node.
pub struct BlockSolver {
    settings: SolverSettings,
    method: Box<dyn BlockMethod>,
    prepared: bool,
    companion_taken: bool,
    factorisations: usize,
    residual: Vec<DVec3>,
    correction: Vec<DVec3>,
    /// To precondition with where the method has nothing better; empty until it is asked for.
    inverse_diagonal: Vec<DMat3>,
}

impl BlockSolver {
    /// A solver for matrices with the pattern of `matrix`.
    pub fn new(settings: SolverSettings, matrix: &BlockMatrix) -> Self {
        Self::with_grid(settings, matrix, None)
    }

    /// As [`BlockSolver::new`] for nodes that are those of `grid`, which helps the direct solvers
    /// to order them.
    pub fn on_grid(settings: SolverSettings, matrix: &BlockMatrix, grid: &Grid) -> Self {
        Self::with_grid(settings, matrix, Some(grid))
    }

    /// As [`BlockSolver::new`] for nodes that are at `places`, in metres: conjugate gradients can
    /// then be given a matrix to precondition with, see [`BlockSolver::prepare_metric`]. Rows beyond
    /// the last place are ordered last.
    pub fn on_mesh(settings: SolverSettings, matrix: &BlockMatrix, places: &[DVec3]) -> Self {
        Self::with_method(settings, matrix, mesh_method(&settings, matrix, places))
    }

    /// As [`BlockSolver::new`] for a curve or a sheet, on a grid or not.
    pub fn of_thin(
        settings: SolverSettings,
        matrix: &BlockMatrix,
        grid: Option<&Grid>,
        is_sheet: bool,
    ) -> Self {
        let method = ThinBodySolver::new(matrix, grid, is_sheet);
        Self::with_method(settings, matrix, Box::new(method))
    }

    fn with_grid(settings: SolverSettings, matrix: &BlockMatrix, grid: Option<&Grid>) -> Self {
        Self::with_method(settings, matrix, block_method(&settings, matrix, grid))
    }

    fn with_method(
        settings: SolverSettings,
        matrix: &BlockMatrix,
        method: Box<dyn BlockMethod>,
    ) -> Self {
        let length = matrix.node_count();
        Self {
            settings,
            prepared: false,
            companion_taken: false,
            factorisations: 0,
            residual: vec![DVec3::ZERO; length],
            correction: vec![DVec3::ZERO; length],
            inverse_diagonal: Vec::new(),
            method,
        }
    }

    /// The settings it was built with.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// Asks for another residual from now on.
    pub fn set_tolerance(&mut self, tolerance: f64) {
        self.settings.tolerance = tolerance;
    }

    /// Whether a matrix for [`BlockSolver::prepare_metric`] is of use.
    pub fn wants_metric(&self) -> bool {
        self.method.wants_metric()
    }

    /// Takes in a matrix like those to come (of the body at rest, with the same step and masses)
    /// to precondition with until the next one; solvers that have no use for it ignore it. If it
    /// cannot be factorised, the block diagonal is used instead.
    pub fn prepare_metric(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.prepared = false;
        if !self.method.wants_metric() {
            return Ok(());
        }
        self.factorisations += 1;
        self.method.prepare_metric(matrix)
    }

    /// Takes in where the nodes are now, in metres; of use to solvers that want a metric, whose
    /// coarse part turns with the material.
    pub fn place(&mut self, positions: &[DVec3]) {
        self.method.place(positions);
    }

    /// Takes in which nodes obstacles hold along some directions, before each `prepare`; of use to
    /// solvers that want a metric.
    pub(crate) fn hold(&mut self, held: &[Held]) {
        self.method.hold(held);
    }

    /// Takes in the numbers of the matrix: factorises or inverts the diagonal blocks.
    pub fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.prepared = false;
        self.method.prepare(matrix)?;
        self.prepared = true;
        self.inverse_diagonal.clear();
        self.companion_taken = false;
        self.factorisations += usize::from(self.method.is_direct());
        Ok(())
    }

    /// Solves `matrix x = rhs`, where `matrix` is the one last prepared; `x` comes in as the first
    /// guess.
    ///
    /// `companion` is a scalar positive definite matrix over a grid of the same nodes that
    /// resembles `matrix` in each component (better stiffer than softer).
    /// [`SolverKind::Adi`](super::SolverKind::Adi) and
    /// [`SolverKind::Multigrid`](super::SolverKind::Multigrid) precondition with it; its numbers
    /// are taken in by the first solve after `prepare`. Without it they fall back to the block
    /// diagonal; the other kinds ignore it.
    ///
    /// An iterative solver that runs out of iterations is no error: see
    /// [`SolveReport::converged`].
    ///
    /// # Panics
    /// If the fields have not one vector a node.
    pub fn solve(
        &mut self,
        matrix: &BlockMatrix,
        companion: Option<&GridMatrix>,
        rhs: &[DVec3],
        x: &mut [DVec3],
    ) -> Result<SolveReport, LinearError> {
        assert!(rhs.len() == self.residual.len() && x.len() == rhs.len());
        if !self.prepared {
            return Err(LinearError::NotPrepared);
        }
        if let Some(companion) = companion
            && !self.companion_taken
        {
            self.method.prepare_companion(companion)?;
            self.companion_taken = true;
        }
        let mut report = SolveReport {
            factorisations: std::mem::take(&mut self.factorisations),
            converged: true,
            ..SolveReport::default()
        };
        let size = dot(rhs, rhs).sqrt();
        if !size.is_finite() {
            return Err(LinearError::NotFinite);
        }
        if size == 0.0 {
            x.fill(DVec3::ZERO);
            return Ok(report);
        }
        if self.method.is_direct() {
            self.solve_directly(matrix, rhs, x, size, &mut report)?;
        } else {
            self.iterate(matrix, rhs, x, size, &mut report)?;
        }
        Ok(report)
    }

    /// z = M⁻¹ r, where M is like the matrix last prepared: its preconditioner, its factor, or its
    /// diagonal blocks.
    pub(crate) fn precondition(
        &mut self,
        matrix: &BlockMatrix,
        r: &[DVec3],
        z: &mut [DVec3],
    ) -> Result<(), LinearError> {
        if !self.prepared {
            return Err(LinearError::NotPrepared);
        }
        if self.method.is_direct() {
            let goal = Goal {
                residual: 0.0,
                iterations: 1,
            };
            self.method.solve(matrix, r, z, goal)?;
            return Ok(());
        }
        if self.method.precondition(matrix, r, z)? {
            return Ok(());
        }
        if self.inverse_diagonal.is_empty() {
            self.inverse_diagonal
                .resize(matrix.node_count(), DMat3::IDENTITY);
            invert_diagonal(matrix, &mut self.inverse_diagonal)?;
        }
        for ((z, r), inverse) in z.iter_mut().zip(r).zip(&self.inverse_diagonal) {
            *z = *inverse * *r;
        }
        Ok(())
    }

    fn solve_directly(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
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
        report.converged = report.residual <= self.settings.tolerance.max(DIRECT_RESIDUAL);
        Ok(())
    }

    /// Iterates, and starts anew from the true residual where the recurrence has drifted from it.
    fn iterate(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
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
            report.residual = self.measure(matrix, rhs, x, size)?;
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
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &[DVec3],
        size: f64,
    ) -> Result<f64, LinearError> {
        matrix.multiply(x, &mut self.residual);
        for_each_chunk_mut(&mut self.residual, |first, chunk| {
            for (value, b) in chunk.iter_mut().zip(&rhs[first..]) {
                *value = b - *value;
            }
        });
        let residual = dot(&self.residual, &self.residual).sqrt() / size;
        if residual.is_finite() {
            Ok(residual)
        } else {
            Err(LinearError::NotFinite)
        }
    }
}
