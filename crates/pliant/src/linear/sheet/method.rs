//! Which preconditioner conjugate gradients on an open sheet get, and the iteration with the cycle.
//!
//! The rule looks at the matrix each time its numbers change. Its *stiffness ratio* is the mean of
//! diagonal over row sum, over a sample of rows: stiffness does not resist a translation, so a row
//! sum is what inertia and damping hold a node with, and the ratio grows like the condition of the
//! matrix.
//!
//! | sheet | preconditioner |
//! |---|---|
//! | at least `LARGE` nodes and a ratio of `STIFF` or more | multigrid cycle |
//! | others | diagonal |
//!
//! The iteration runs in single precision (see `sheet/conjugate_gradient.rs`) where the ratio is not
//! above `LARGEST_SINGLE_RATIO` and the nodes are not so many that threads share them, else in
//! double precision; the cycle always in single precision.
//!
//! A cycle that turns out not to be positive definite is given up for the diagonal, and single
//! precision that turns out unfit for double, both for that solve alone: what a solve gives must not
//! depend on those before it, or a restored run would go on to other bits.

use super::conjugate_gradient::{Diagonal, SingleConjugateGradient, UNFIT};
use super::cycle::Cycle;
use super::stencil::{NARROW, SheetMatrix, narrow};
use crate::linear::conjugate_gradient::{Passes, Recurrence};
use crate::linear::grid_conjugate_gradient::{GridConjugateGradient, VECTORS};
use crate::linear::method::{Goal, GridMethod};
use crate::linear::{GridMatrix, LinearError};
use crate::math::parallel::PARALLEL_THRESHOLD;
use crate::math::processor::for_this_processor;

/// Nodes from which on a cycle pays.
const LARGE: usize = 2_000;
/// Stiffness ratio from which on a cycle pays.
const STIFF: f64 = 50.0;
/// Stiffness ratio up to which single precision is worth its corrections.
const LARGEST_SINGLE_RATIO: f64 = 1e5;
/// Rows of the grid that are looked at for the stiffness ratio.
const SAMPLED_ROWS: usize = 8;

/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preconditioning {
    /// By the rule of the module.
    Automatic,
    /// The diagonal, always.
    Diagonal,
    /// The cycle, always.
    Cycle,
}

/// Conjugate gradients on an open sheet; see the module.
pub(crate) struct SheetMethod {
    preconditioning: Preconditioning,
    double: GridConjugateGradient,
    single: Option<SingleConjugateGradient>,
    diagonal: Option<Diagonal>,
    cycle: Option<Cycle>,
    /// Whether the cycle was chosen, and whether the iteration runs in single precision.
    uses_cycle: bool,
    uses_single: bool,
    stiffness_ratio: f64,
    residual: Option<f64>,
    cycles: usize,
}

impl SheetMethod {
    /// Memory for matrices like `matrix`, if it is one of an open sheet.
    pub(crate) fn new(matrix: &GridMatrix, preconditioning: Preconditioning) -> Option<Self> {
        if !SheetMatrix::fits(matrix) {
            return None;
        }
        let [nx, ny, _] = matrix.grid().counts();
        let nodes = nx * ny;
        let may_cycle = match preconditioning {
            Preconditioning::Automatic => nodes >= LARGE,
            Preconditioning::Diagonal => false,
            Preconditioning::Cycle => true,
        };
        let may_be_single = nodes < PARALLEL_THRESHOLD;
        Some(Self {
            preconditioning,
            double: GridConjugateGradient::new(matrix),
            single: may_be_single.then(|| SingleConjugateGradient::new(nx, ny)),
            diagonal: may_be_single.then(|| Diagonal::new(nx, ny)),
            cycle: may_cycle.then(|| Cycle::new(nx, ny)),
            uses_cycle: false,
            uses_single: false,
            stiffness_ratio: 1.0,
            residual: None,
            cycles: 0,
        })
    }

    /// The rule of the module, for a matrix whose largest and smallest diagonal entry are known.
    fn choose(&mut self, matrix: &GridMatrix, [largest, smallest]: [f64; 2]) {
        let ratio = stiffness_ratio(matrix);
        let scale = 1.0 / largest;
        let wanted = ratio >= STIFF || self.preconditioning == Preconditioning::Cycle;
        self.stiffness_ratio = ratio;
        self.uses_single = self.single.is_some() && ratio <= LARGEST_SINGLE_RATIO;
        self.uses_cycle = match &mut self.cycle {
            // Rows of the identity, which a cycle treats apart, have a diagonal of one.
            Some(cycle) => wanted && cycle.refill(matrix, scale, smallest <= 1.0),
            None => false,
        };
        if let Some(diagonal) = &mut self.diagonal
            && self.uses_single
            && !self.uses_cycle
        {
            diagonal.refill(matrix, scale);
        }
    }

    /// The iteration in single precision; `None` if the preconditioner turns out to be unfit.
    fn solve_in_single(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        goal: Goal,
    ) -> Result<Option<usize>, LinearError> {
        let Some(single) = &mut self.single else {
            return Ok(None);
        };
        let ratio = self.stiffness_ratio;
        let result = match (&mut self.cycle, &mut self.diagonal) {
            (Some(cycle), _) if self.uses_cycle => single.solve(matrix, ratio, cycle, rhs, x, goal),
            (_, Some(diagonal)) => single.solve(matrix, ratio, diagonal, rhs, x, goal),
            _ => Err(UNFIT),
        };
        match result {
            Ok(outcome) => {
                self.residual = Some(outcome.residual);
                if self.uses_cycle {
                    self.cycles += outcome.iterations;
                }
                Ok(Some(outcome.iterations))
            }
            // Rounding may spoil what is positive definite, and small numbers may overflow; double
            // precision decides.
            Err(LinearError::NegativeCurvature { .. } | LinearError::NotFinite) => {
                if x.iter().any(|value| !value.is_finite()) {
                    x.fill(0.0);
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Conjugate gradients in double precision round the cycle.
    fn solve_with_cycle(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        let Some(cycle) = &mut self.cycle else {
            return self.double.solve(matrix, rhs, x, goal);
        };
        let mut recurrence = Recurrence::new(self.double.start(matrix, rhs, x));
        let mut passes = WithCycle {
            double: &mut self.double,
            cycle,
            matrix,
            size: recurrence.size(),
            is_unfit: false,
        };
        let result = recurrence.run(&mut passes, goal);
        let is_unfit = passes.is_unfit;
        if !is_unfit {
            result?;
        }
        self.residual = Some(recurrence.size());
        self.double.finish(recurrence.alpha, x);
        let mut iterations = recurrence.iterations;
        self.cycles += iterations;
        if is_unfit {
            let rest = Goal {
                iterations: goal.iterations - iterations,
                ..goal
            };
            iterations += self.double.solve(matrix, rhs, x, rest)?;
            self.residual = self.double.known_residual();
        }
        Ok(iterations)
    }
}

impl GridMethod for SheetMethod {
    fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        let extremes = self.double.take_diagonal(matrix)?;
        self.choose(matrix, extremes);
        Ok(())
    }

    fn solve(
        &mut self,
        matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        if self.uses_single
            && let Some(done) = self.solve_in_single(matrix, rhs, x, goal)?
        {
            return Ok(done);
        }
        if self.uses_cycle {
            return self.solve_with_cycle(matrix, rhs, x, goal);
        }
        let done = self.double.solve(matrix, rhs, x, goal)?;
        self.residual = self.double.known_residual();
        Ok(done)
    }

    fn known_residual(&self) -> Option<f64> {
        self.residual
    }

    fn bytes_per_iteration(&self, matrix: &GridMatrix) -> Option<usize> {
        if self.uses_cycle {
            None
        } else if self.uses_single {
            // Half of the diagonals and the main one.
            let numbers = matrix.node_count() * (NARROW.len() + 1 + VECTORS);
            Some(size_of::<f32>() * numbers)
        } else {
            self.double.bytes_per_iteration(matrix)
        }
    }

    fn take_cycles(&mut self) -> usize {
        std::mem::take(&mut self.cycles)
    }
}

/// The mean of diagonal over row sum, over a sample of rows of the grid.
fn stiffness_ratio(matrix: &GridMatrix) -> f64 {
    /// What a row whose entries cancel counts as.
    const LARGEST: f64 = 1e9;
    let [nx, ny, _] = matrix.grid().counts();
    let Some(diagonal) = matrix.diagonal_of(0) else {
        return 1.0;
    };
    let diagonal = matrix.values(diagonal);
    let sampled = SAMPLED_ROWS.min(ny);
    let mut total = 0.0;
    for sample in 0..sampled {
        let row = (2 * sample + 1) * ny / (2 * sampled);
        let nodes = row * nx..(row + 1) * nx;
        let mut sums = 0.0;
        for block in nodes.clone().step_by(16) {
            let block = block..(block + 16).min(nodes.end);
            let mut row_sums = [0.0; 16];
            for slot in 0..matrix.offsets().len() {
                let values = &matrix.values(slot)[block.clone()];
                for (sum, value) in row_sums.iter_mut().zip(values) {
                    *sum += value;
                }
            }
            for (sum, value) in row_sums.iter().zip(&diagonal[block]) {
                sums += value / sum.abs().max(value / LARGEST);
            }
        }
        total += sums;
    }
    total / (sampled * nx) as f64
}

/// The iteration in double precision round the cycle.
struct WithCycle<'a> {
    double: &'a mut GridConjugateGradient,
    cycle: &'a mut Cycle,
    matrix: &'a GridMatrix,
    /// The size of the residual, to which single precision is scaled.
    size: f64,
    is_unfit: bool,
}

impl Passes<3> for WithCycle<'_> {
    fn precondition(&mut self) -> Result<[f64; 3], LinearError> {
        let layout = self.cycle.layout();
        let nx = layout.nx;
        let r = self.double.r.components();
        let right = self.cycle.right().field_mut();
        for (plane, values) in right.into_iter().zip(r) {
            for j in 0..layout.ny {
                let row = &values[j * nx..(j + 1) * nx];
                narrow(row, 1.0 / self.size, &mut plane[layout.row(j)..][..nx]);
            }
        }
        self.cycle.apply();
        let z = self.cycle.solution().field();
        let mut rz = [0.0; 3];
        for ((plane, values), rz) in z.into_iter().zip(r).zip(&mut rz) {
            for j in 0..layout.ny {
                let row = &values[j * nx..(j + 1) * nx];
                add_dot(row, &plane[layout.row(j)..][..nx], rz);
            }
            *rz *= self.size;
        }
        self.is_unfit = rz.iter().any(|&rz| rz.is_nan() || rz < 0.0) || rz == [0.0; 3];
        if self.is_unfit {
            return Err(UNFIT);
        }
        Ok(rz)
    }

    fn advance(&mut self, alpha: [f64; 3], beta: [f64; 3]) {
        let layout = self.cycle.layout();
        let nx = layout.nx;
        let x = self.double.x.components_mut();
        let fields = x.into_iter().zip(self.double.p.components_mut());
        for (c, (x, p)) in fields.enumerate() {
            let plane = self.cycle.solution().plane(c);
            for j in 0..layout.ny {
                let nodes = j * nx..(j + 1) * nx;
                advance_row(
                    [alpha[c], beta[c], self.size],
                    &plane[layout.row(j)..][..nx],
                    &mut x[nodes.clone()],
                    &mut p[nodes],
                );
            }
        }
    }

    fn multiply(&mut self) -> [f64; 3] {
        self.double.multiply(self.matrix)
    }

    fn reduce(&mut self, alpha: [f64; 3]) -> [f64; 3] {
        let squares = self.double.update_residual(alpha);
        self.size = (squares[0] + squares[1] + squares[2]).sqrt();
        squares
    }
}

for_this_processor! {
    /// Adds the dot product of two rows, in eight lanes.
    fn add_dot(a: &[f64], b: &[f32], sum: &mut f64) {
        let mut lanes = [0.0; 8];
        let (a, a_end) = a.as_chunks::<8>();
        let (b, b_end) = b.as_chunks::<8>();
        for (a, b) in a.iter().zip(b) {
            for lane in 0..8 {
                lanes[lane] += a[lane] * f64::from(b[lane]);
            }
        }
        for (lane, (a, b)) in a_end.iter().zip(b_end).enumerate() {
            lanes[lane] += a * f64::from(*b);
        }
        *sum += lanes.iter().sum::<f64>();
    }
}

for_this_processor! {
    /// x += alpha p, then p = factor z + beta p.
    fn advance_row(factors: [f64; 3], z: &[f32], x: &mut [f64], p: &mut [f64]) {
        let [alpha, beta, factor] = factors;
        for ((x, p), z) in x.iter_mut().zip(p.iter_mut()).zip(z) {
            *x += alpha * *p;
            *p = factor * f64::from(*z) + beta * *p;
        }
    }
}
