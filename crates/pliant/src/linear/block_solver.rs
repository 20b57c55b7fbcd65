//! Solving a matrix of 3x3 blocks with a chosen solver.

use super::block_conjugate_gradient::invert_diagonal;
use super::method::{BlockMethod, Goal, block_method, mesh_method};
use super::node_directions::Held;
use super::residual_control::{ResidualControl, System};
use super::thin_body_solver::ThinBodySolver;
use super::{BlockMatrix, GridMatrix, LinearError, SolveReport, SolverSettings};
use crate::grid::Grid;
use crate::math::parallel::dot;
use glam::{DMat3, DVec3};

/// Solves `A x = b` for fields with one vector a node.
pub struct BlockSolver {
    settings: SolverSettings,
    method: Box<dyn BlockMethod>,
    /// What goes on where the method has not come to its end.
    successor: Option<Box<dyn BlockMethod>>,
    prepared: bool,
    companion_taken: bool,
    factorisations: usize,
    control: ResidualControl<DVec3>,
    /// To precondition with where the method has nothing better; empty until it is asked for.
    inverse_diagonal: Vec<DMat3>,
}

/// A matrix and the method that was prepared with it.
struct Prepared<'a> {
    method: &'a mut dyn BlockMethod,
    matrix: &'a BlockMatrix,
}

impl System for Prepared<'_> {
    type Value = DVec3;

    fn solve(&mut self, rhs: &[DVec3], x: &mut [DVec3], goal: Goal) -> Result<usize, LinearError> {
        self.method.solve(self.matrix, rhs, x, goal)
    }

    fn multiply(&self, x: &[DVec3], product: &mut [DVec3]) {
        self.matrix.multiply(x, product);
    }

    fn norm(values: &[DVec3]) -> f64 {
        dot(values, values).sqrt()
    }

    fn size(&self) -> f64 {
        let rows = 0..self.matrix.node_count();
        let diagonal = rows.map(|row| self.matrix.block(self.matrix.diagonal_slot(row)).diagonal());
        diagonal
            .map(|entries| entries.max_element())
            .fold(0.0, f64::max)
    }
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
            control: ResidualControl {
                residual: vec![DVec3::ZERO; length],
                correction: vec![DVec3::ZERO; length],
            },
            inverse_diagonal: Vec::new(),
            successor: None,
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
        assert!(rhs.len() == self.control.residual.len() && x.len() == rhs.len());
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
        let (settings, rhs) = (&self.settings, (rhs, size));
        let method = &mut *self.method;
        let is_direct = method.is_direct();
        let (mut system, control) = (Prepared { method, matrix }, &mut self.control);
        if is_direct {
            control.solve_directly(&mut system, settings, rhs, x, &mut report)?;
        } else {
            let successor = &mut self.successor;
            control.iterate_to_end(
                &mut system,
                |settings: &SolverSettings| {
                    let method =
                        successor.get_or_insert_with(|| block_method(settings, matrix, None));
                    method.prepare(matrix)?;
                    let method = &mut **method;
                    Ok(Prepared { method, matrix })
                },
                settings,
                rhs,
                x,
                &mut report,
            )?;
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
}
