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
use crate::linear::aligned::PaddedField;
use crate::linear::conjugate_gradient::{ConjugateGradient, VECTORS, ratio, step_size};
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
    double: ConjugateGradient,
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
            double: ConjugateGradient::new(matrix),
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
        let double = &mut self.double;
        let mut squares = double.start(matrix, rhs, x);
        let (mut last, mut alpha) = ([0.0; 3], [0.0; 3]);
        let mut iteration = 0;
        let mut fails = false;
        loop {
            let size = (squares[0] + squares[1] + squares[2]).sqrt();
            if !size.is_finite() {
                return Err(LinearError::NotFinite);
            }
            self.residual = Some(size);
            if size <= goal.residual || size == 0.0 || iteration >= goal.iterations {
                break;
            }
            let z = precondition(cycle, &double.r, size);
            if z.rz.iter().any(|&rz| rz.is_nan() || rz < 0.0) || z.rz == [0.0; 3] {
                fails = true;
                break;
            }
            let beta = std::array::from_fn(|c| ratio(z.rz[c], last[c]));
            z.advance(alpha, beta, &mut double.x, &mut double.p);
            last = z.rz;
            let curvature = double.multiply(matrix);
            for (alpha, (rz, curvature)) in alpha.iter_mut().zip(last.iter().zip(curvature)) {
                *alpha = step_size(*rz, curvature, iteration)?;
            }
            squares = double.update_residual(alpha)[1];
            iteration += 1;
        }
        double.finish(alpha, x);
        self.cycles += iteration;
        if fails {
            let rest = Goal {
                iterations: goal.iterations - iteration,
                ..goal
            };
            iteration += self.double.solve(matrix, rhs, x, rest)?;
            self.residual = self.double.known_residual();
        }
        Ok(iteration)
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

/// A preconditioned residual.
struct Preconditioned<'a> {
    cycle: &'a Cycle,
    z: &'a super::layout::Planes,
    /// What the numbers in `z` have to be multiplied by.
    factor: f64,
    /// The sums of r z.
    rz: [f64; 3],
}

/// Applies the cycle to a residual of a size.
fn precondition<'a>(cycle: &'a mut Cycle, r: &PaddedField, size: f64) -> Preconditioned<'a> {
    let layout = cycle.layout();
    let nx = layout.nx;
    let right = cycle.right().field_mut();
    for (plane, values) in right.into_iter().zip(r.components()) {
        for j in 0..layout.ny {
            let row = &values[j * nx..(j + 1) * nx];
            narrow(row, 1.0 / size, &mut plane[layout.row(j)..][..nx]);
        }
    }
    cycle.apply();
    let z = cycle.solution();
    let mut rz = [0.0; 3];
    for ((plane, values), rz) in z.field().into_iter().zip(r.components()).zip(&mut rz) {
        for j in 0..layout.ny {
            let row = &values[j * nx..(j + 1) * nx];
            add_dot(row, &plane[layout.row(j)..][..nx], rz);
        }
        *rz *= size;
    }
    Preconditioned {
        cycle,
        z,
        factor: size,
        rz,
    }
}

impl Preconditioned<'_> {
    /// x += alpha p, then p = z + beta p.
    fn advance(&self, alpha: [f64; 3], beta: [f64; 3], x: &mut PaddedField, p: &mut PaddedField) {
        let layout = self.cycle.layout();
        let nx = layout.nx;
        let fields = x.components_mut().into_iter().zip(p.components_mut());
        for (c, (x, p)) in fields.enumerate() {
            let plane = self.z.plane(c);
            for j in 0..layout.ny {
                let nodes = j * nx..(j + 1) * nx;
                advance_row(
                    [alpha[c], beta[c], self.factor],
                    &plane[layout.row(j)..][..nx],
                    &mut x[nodes.clone()],
                    &mut p[nodes],
                );
            }
        }
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
