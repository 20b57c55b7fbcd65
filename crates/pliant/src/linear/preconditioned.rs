//! Conjugate gradients with a preconditioner M that is more than a diagonal.
//!
//! For a grid matrix each component has its own step sizes; for a block matrix they are shared,
//! and M is a scalar matrix that acts on each component alike (the companion).
//!
//! Implements: \[Hestenes1952\] with any symmetric positive definite preconditioner.

use super::block_conjugate_gradient::BlockConjugateGradient;
use super::conjugate_gradient::{Passes, Recurrence};
use super::lanes::{self, Lanes};
use super::method::{BlockMethod, Goal, GridMethod};
use super::{BlockMatrix, GridMatrix, LinearError};
use glam::DVec3;

/// An approximate inverse of a grid matrix, symmetric and positive definite.
pub(crate) trait Preconditioner: Send + Sync {
    /// Memory for matrices like `matrix`.
    fn new(matrix: &GridMatrix) -> Self
    where
        Self: Sized;

    /// Takes in the numbers of the matrix.
    fn refill(&mut self, matrix: &GridMatrix) -> Result<(), LinearError>;

    /// z = M^-1 r.
    fn apply(&mut self, r: &[Lanes], z: &mut [Lanes]);

    /// q = A p with the matrix last taken in.
    fn multiply(&self, p: &[Lanes], q: &mut [Lanes]);
}

/// The vectors of the iteration.
struct Iteration {
    x: Vec<Lanes>,
    r: Vec<Lanes>,
    z: Vec<Lanes>,
    p: Vec<Lanes>,
    q: Vec<Lanes>,
    /// Whether the components share their step sizes.
    coupled: bool,
}

impl Iteration {
    fn new(node_count: usize, coupled: bool) -> Self {
        let field = vec![[0.0; 4]; node_count];
        Self {
            x: field.clone(),
            r: field.clone(),
            z: field.clone(),
            p: field.clone(),
            q: field,
            coupled,
        }
    }

    fn dots(&self, a: &[Lanes], b: &[Lanes]) -> Lanes {
        let dots = lanes::dots(a, b);
        if self.coupled {
            [dots[0] + dots[1] + dots[2]; 4]
        } else {
            dots
        }
    }

    /// Iterates from the guess in `x` for the right-hand side in `r`.
    fn run<P: Preconditioner>(
        &mut self,
        preconditioner: &mut P,
        mut multiply: impl FnMut(&P, &[Lanes], &mut [Lanes]),
        goal: Goal,
    ) -> Result<usize, LinearError> {
        multiply(preconditioner, &self.x, &mut self.q);
        for (r, q) in self.r.iter_mut().zip(&self.q) {
            *r = lanes::add_scaled(*r, -1.0, *q);
        }
        self.p.fill([0.0; 4]);
        let mut recurrence = Recurrence::new(lanes::dots(&self.r, &self.r));
        let mut passes = InLanes {
            iteration: self,
            preconditioner,
            multiply,
        };
        recurrence.run(&mut passes, goal)?;
        Ok(recurrence.iterations)
    }
}

/// The iteration with a preconditioner and a product; the fourth components are zero.
struct InLanes<'a, P, M> {
    iteration: &'a mut Iteration,
    preconditioner: &'a mut P,
    multiply: M,
}

impl<P: Preconditioner, M: FnMut(&P, &[Lanes], &mut [Lanes])> Passes<4> for InLanes<'_, P, M> {
    fn precondition(&mut self) -> Result<Lanes, LinearError> {
        let iteration = &mut *self.iteration;
        self.preconditioner.apply(&iteration.r, &mut iteration.z);
        Ok(iteration.dots(&iteration.r, &iteration.z))
    }

    fn advance(&mut self, _alpha: Lanes, beta: Lanes) {
        for (p, z) in self.iteration.p.iter_mut().zip(&self.iteration.z) {
            *p = std::array::from_fn(|c| z[c] + beta[c] * p[c]);
        }
    }

    fn multiply(&mut self) -> Lanes {
        let iteration = &mut *self.iteration;
        (self.multiply)(self.preconditioner, &iteration.p, &mut iteration.q);
        iteration.dots(&iteration.p, &iteration.q)
    }

    fn reduce(&mut self, alpha: Lanes) -> Lanes {
        let Iteration { x, r, p, q, .. } = &mut *self.iteration;
        for ((x, p), (r, q)) in x.iter_mut().zip(p).zip(r.iter_mut().zip(q)) {
            *x = std::array::from_fn(|c| x[c] + alpha[c] * p[c]);
            *r = std::array::from_fn(|c| r[c] - alpha[c] * q[c]);
        }
        lanes::dots(&self.iteration.r, &self.iteration.r)
    }
}

/// Preconditioned conjugate gradients for a grid matrix.
pub(crate) struct PreconditionedGrid<P> {
    preconditioner: P,
    iteration: Iteration,
}

impl<P: Preconditioner> PreconditionedGrid<P> {
    /// Memory for matrices like `matrix`.
    pub(crate) fn new(matrix: &GridMatrix) -> Self {
        Self {
            preconditioner: P::new(matrix),
            iteration: Iteration::new(matrix.node_count(), false),
        }
    }
}

impl<P: Preconditioner> GridMethod for PreconditionedGrid<P> {
    fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.preconditioner.refill(matrix)
    }

    fn solve(
        &mut self,
        _matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        lanes::gather(rhs, &mut self.iteration.r);
        lanes::gather(x, &mut self.iteration.x);
        let multiply =
            |preconditioner: &P, p: &[Lanes], q: &mut [Lanes]| preconditioner.multiply(p, q);
        let done = self
            .iteration
            .run(&mut self.preconditioner, multiply, goal)?;
        lanes::scatter(&self.iteration.x, x);
        Ok(done)
    }
}

/// Preconditioned conjugate gradients for a block matrix; without a companion, those of the block
/// diagonal.
pub(crate) struct PreconditionedBlocks<P> {
    preconditioner: Option<P>,
    prepared: bool,
    iteration: Iteration,
    argument: Vec<DVec3>,
    result: Vec<DVec3>,
    fallback: BlockConjugateGradient,
}

impl<P: Preconditioner> PreconditionedBlocks<P> {
    /// Memory for matrices like `matrix`; that of the preconditioner comes with the companion.
    pub(crate) fn new(matrix: &BlockMatrix) -> Self {
        let n = matrix.node_count();
        Self {
            preconditioner: None,
            prepared: false,
            iteration: Iteration::new(n, true),
            argument: vec![DVec3::ZERO; n],
            result: vec![DVec3::ZERO; n],
            fallback: BlockConjugateGradient::new(matrix),
        }
    }
}

impl<P: Preconditioner> BlockMethod for PreconditionedBlocks<P> {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.prepared = false;
        self.fallback.prepare(matrix)
    }

    fn prepare_companion(&mut self, companion: &GridMatrix) -> Result<(), LinearError> {
        if companion.node_count() != self.argument.len() {
            return Err(LinearError::WrongCompanion {
                nodes: self.argument.len(),
                companion: companion.node_count(),
            });
        }
        let preconditioner = self.preconditioner.get_or_insert_with(|| P::new(companion));
        preconditioner.refill(companion)?;
        self.prepared = true;
        Ok(())
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        let Some(preconditioner) = self.preconditioner.as_mut().filter(|_| self.prepared) else {
            return self.fallback.solve(matrix, rhs, x, goal);
        };
        lanes::gather_vectors(rhs, &mut self.iteration.r);
        lanes::gather_vectors(x, &mut self.iteration.x);
        let (argument, result) = (&mut self.argument, &mut self.result);
        let multiply = |_: &P, p: &[Lanes], q: &mut [Lanes]| {
            lanes::scatter_vectors(p, argument);
            matrix.multiply(argument, result);
            lanes::gather_vectors(result, q);
        };
        let done = self.iteration.run(preconditioner, multiply, goal)?;
        lanes::scatter_vectors(&self.iteration.x, x);
        Ok(done)
    }
}
