//! Successive over-relaxation: Gauss-Seidel sweeps in the order of the nodes, each correction
//! lengthened by a factor omega between 0 and 2.
//!
//! x_i += omega A_ii^-1 (b_i - sum over j of A_ij x_j)
//!
//! Converges for every symmetric positive definite matrix.
//!
//! Implements: \[Young1954\]; named in \[Terzopoulos1988\] section 5.

use super::block_conjugate_gradient::invert_diagonal;
use super::compressed::{Compressed, Part};
use super::lanes::{self, Lanes};
use super::method::{BlockMethod, Goal, GridMethod};
use super::relaxation::Relaxation;
use super::{BlockMatrix, GridMatrix, LinearError};
use glam::{DMat3, DVec3};

/// Sweeps between two looks at the residual.
const SWEEPS_PER_CHECK: usize = 4;

/// Sweeps until the goal is reached; `sweep` relaxes once and `residual` measures.
pub(crate) fn sweep_until<State>(
    goal: Goal,
    state: &mut State,
    mut sweep: impl FnMut(&mut State),
    residual: impl Fn(&State) -> f64,
) -> Result<usize, LinearError> {
    let mut done = 0;
    loop {
        let size = residual(state);
        if !size.is_finite() {
            return Err(LinearError::NotFinite);
        }
        if size <= goal.residual || done >= goal.iterations {
            return Ok(done);
        }
        let sweeps = SWEEPS_PER_CHECK.min(goal.iterations - done);
        for _ in 0..sweeps {
            sweep(state);
        }
        done += sweeps;
    }
}

/// Over-relaxation of a grid matrix.
pub(crate) struct GridSor {
    relaxation: Relaxation,
    omega: f64,
    b: Vec<Lanes>,
    x: Vec<Lanes>,
}

impl GridSor {
    /// Memory for matrices like `matrix`.
    pub(crate) fn new(matrix: &GridMatrix, omega: f64) -> Self {
        let n = matrix.node_count();
        Self {
            relaxation: Relaxation::new(Compressed::of_grid(matrix, Part::Rows)),
            omega,
            b: vec![[0.0; 4]; n],
            x: vec![[0.0; 4]; n],
        }
    }
}

impl GridMethod for GridSor {
    fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.relaxation.matrix.refill_from_grid(matrix);
        let refreshed = self.relaxation.refresh();
        refreshed.map_err(|row| LinearError::NotPositiveDefinite { row })
    }

    fn solve(
        &mut self,
        _matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        lanes::gather(rhs, &mut self.b);
        lanes::gather(x, &mut self.x);
        let (relaxation, b, omega) = (&self.relaxation, &self.b, self.omega);
        let done = sweep_until(
            goal,
            &mut self.x,
            |x| relaxation.sweep_forward(b, x, omega),
            |x| relaxation.residual_norm(b, x),
        )?;
        lanes::scatter(&self.x, x);
        Ok(done)
    }
}

/// Over-relaxation of a block matrix, three unknowns at a time.
pub(crate) struct BlockSor {
    inverse_diagonal: Vec<DMat3>,
    omega: f64,
}

impl BlockSor {
    /// Memory for matrices like `matrix`.
    pub(crate) fn new(matrix: &BlockMatrix, omega: f64) -> Self {
        Self {
            inverse_diagonal: vec![DMat3::IDENTITY; matrix.node_count()],
            omega,
        }
    }
}

impl BlockMethod for BlockSor {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        invert_diagonal(matrix, &mut self.inverse_diagonal)
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        let mut x = x;
        sweep_until(
            goal,
            &mut x,
            |x| {
                for (row, inverse) in self.inverse_diagonal.iter().enumerate() {
                    let rest = rhs[row] - matrix.row_product(row, x);
                    x[row] += self.omega * (*inverse * rest);
                }
            },
            |x| {
                let squares = (0..rhs.len())
                    .map(|row| (rhs[row] - matrix.row_product(row, x)).length_squared());
                squares.sum::<f64>().sqrt()
            },
        )
    }
}
