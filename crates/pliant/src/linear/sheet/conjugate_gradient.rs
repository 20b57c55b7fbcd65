//! Conjugate gradients on an open sheet in single precision, preconditioned by the diagonal or by
//! the multigrid cycle.
//!
//! Half the bytes, twice the numbers in a vector. The iteration solves for a correction: it starts
//! from the residual r = b - A x in double precision, scaled to size one, and its answer is added
//! to x in double precision. Single precision lets the residual of the recurrence drift from the
//! true one by about `ROUNDING` times the condition of the matrix. Before that matters the answer
//! is added, the true residual takes the place of the recurrence's, and the iteration goes on with
//! the directions it has.
//!
//! Implements: \[Hestenes1952\], preconditioned, named in \[Terzopoulos1988\] section 5. Departure:
//! single precision with residuals in double precision.

use super::cycle::Cycle;
use super::layout::{Layout, Planes};
use super::stencil::{DIAGONAL, NARROW, SheetMatrix, narrow};
use super::updates::{add_direction, dots, subtract, update_direction, update_residual};
use crate::linear::conjugate_gradient::{Passes, Recurrence, ratio};
use crate::linear::method::Goal;
use crate::linear::{GridMatrix, LinearError};
use crate::math::parallel::CHUNK;
use crate::math::processor::for_this_processor;

/// Half a unit in the last place, relative.
const ROUNDING: f64 = 6e-8;
/// The residual of the recurrence is replaced when it is not more than so many times the drift.
const MARGIN: f64 = 10.0;
/// A replaced residual that is more than this part of the one before has come to rest.
const STAGNATION: f64 = 0.9;
/// A component whose residual is below this part of the goal is left alone.
const NEGLIGIBLE: f64 = 1e-3;

/// The vectors of the iteration but for the residual; see the module.
pub(crate) struct SingleConjugateGradient {
    x: Planes,
    p: Planes,
    q: Planes,
    /// b - A x in double precision.
    residual: Vec<f64>,
    squares: [f64; 3],
    layout: Layout,
}

/// The matrix in single precision, the residual r and an approximate inverse of the matrix.
pub(crate) trait SinglePreconditioner {
    /// The matrix.
    fn matrix(&self) -> &SheetMatrix;
    /// What the matrix was multiplied by.
    fn scale(&self) -> f64;
    /// r, to be filled in.
    fn residual_mut(&mut self) -> &mut Planes;
    /// r -= alpha q; returns the sums of r r.
    fn reduce(&mut self, alpha: [f32; 3], q: &Planes) -> [f64; 3];
    /// z = M^-1 r; returns the sums of r z.
    fn precondition(&mut self) -> [f64; 3];
    /// x += alpha p, then p = z + beta p.
    fn advance(&self, factors: [[f32; 3]; 2], x: &mut Planes, p: &mut Planes);
}

/// The diagonal.
pub(crate) struct Diagonal {
    matrix: SheetMatrix,
    inverse: Planes,
    r: Planes,
    /// The sums of r z, where z = r / d.
    rz: [f64; 3],
    scale: f64,
}

impl Diagonal {
    /// Memory for matrices over sheets of `nx` by `ny` nodes.
    pub(crate) fn new(nx: usize, ny: usize) -> Self {
        let layout = Layout::new(nx, ny);
        Self {
            matrix: SheetMatrix::new(layout, &NARROW),
            inverse: Planes::new(&layout, 1),
            r: Planes::new(&layout, 3),
            rz: [0.0; 3],
            scale: 1.0,
        }
    }

    /// Takes in the numbers of a matrix times `scale`.
    pub(crate) fn refill(&mut self, matrix: &GridMatrix, scale: f64) {
        self.matrix.refill(matrix, scale);
        self.scale = scale;
        let layout = self.matrix.layout;
        let rows = layout.origin()..layout.row(layout.ny);
        let diagonal = &self.matrix.planes.plane(DIAGONAL)[rows.clone()];
        let inverse = &mut self.inverse.plane_mut(0)[rows];
        for (inverse, value) in inverse.iter_mut().zip(diagonal) {
            *inverse = 1.0 / value;
        }
    }
}

impl SinglePreconditioner for Diagonal {
    fn matrix(&self) -> &SheetMatrix {
        &self.matrix
    }

    fn scale(&self) -> f64 {
        self.scale
    }

    fn residual_mut(&mut self) -> &mut Planes {
        &mut self.r
    }

    fn reduce(&mut self, alpha: [f32; 3], q: &Planes) -> [f64; 3] {
        let layout = &self.matrix.layout;
        let inverse = self.inverse.plane(0);
        let [rz, rr] = update_residual(layout, alpha, q.field(), inverse, self.r.field_mut());
        self.rz = rz;
        rr
    }

    fn precondition(&mut self) -> [f64; 3] {
        self.rz
    }

    fn advance(&self, factors: [[f32; 3]; 2], x: &mut Planes, p: &mut Planes) {
        update_direction(
            &self.matrix.layout,
            factors,
            self.r.field(),
            self.inverse.plane(0),
            x.field_mut(),
            p.field_mut(),
        );
    }
}

impl SinglePreconditioner for Cycle {
    fn matrix(&self) -> &SheetMatrix {
        self.finest()
    }

    fn scale(&self) -> f64 {
        self.scale()
    }

    fn residual_mut(&mut self) -> &mut Planes {
        self.right()
    }

    fn reduce(&mut self, alpha: [f32; 3], q: &Planes) -> [f64; 3] {
        let layout = self.layout();
        subtract(&layout, alpha, q.field(), self.right().field_mut())
    }

    fn precondition(&mut self) -> [f64; 3] {
        self.apply();
        let (r, z) = self.right_and_solution();
        dots(&self.layout(), r.field(), z.field())
    }

    fn advance(&self, factors: [[f32; 3]; 2], x: &mut Planes, p: &mut Planes) {
        let z = self.solution().field();
        add_direction(&self.layout(), factors, z, x.field_mut(), p.field_mut());
    }
}

/// What is said of a preconditioner that is not positive definite.
pub(crate) const UNFIT: LinearError = LinearError::NegativeCurvature { iteration: 0 };

/// What a solve did.
pub(crate) struct Outcome {
    pub(crate) iterations: usize,
    /// |b - A x|.
    pub(crate) residual: f64,
}

impl SingleConjugateGradient {
    /// Memory for sheets of `nx` by `ny` nodes.
    pub(crate) fn new(nx: usize, ny: usize) -> Self {
        let layout = Layout::new(nx, ny);
        // As in the cycle, made one by one.
        let field = || Planes::new(&layout, 3);
        Self {
            layout,
            x: field(),
            p: field(),
            q: field(),
            residual: vec![0.0; 3 * nx * ny],
            squares: [0.0; 3],
        }
    }

    /// Improves `x`; `matrix` is the one that the preconditioner has last taken in, `condition`
    /// about how much larger it is for the roughest field than for the smoothest.
    pub(crate) fn solve(
        &mut self,
        matrix: &GridMatrix,
        condition: f64,
        preconditioner: &mut impl SinglePreconditioner,
        rhs: &[f64],
        x: &mut [f64],
        goal: Goal,
    ) -> Result<Outcome, LinearError> {
        let drift = MARGIN * ROUNDING * condition;
        let mut size = self.measure(matrix, rhs, x)?;
        let mut recurrence = Recurrence::new([0.0; 3]);
        let mut rescaled = 1.0;
        // Nothing that an earlier solve may have left: zero times infinity is no number.
        for plane in self.p.field_mut().into_iter().chain(self.q.field_mut()) {
            plane.fill(0.0);
        }
        loop {
            let iterations = recurrence.iterations;
            if size <= goal.residual || size == 0.0 || iterations >= goal.iterations {
                return Ok(Outcome {
                    iterations,
                    residual: size,
                });
            }
            recurrence.squares = self.start(preconditioner, size, goal);
            let enough = Goal {
                residual: (goal.residual / size).max(drift).min(0.1),
                iterations: goal.iterations,
            };
            let mut passes = InSingle {
                solver: self,
                preconditioner,
                rescaled,
            };
            recurrence.run(&mut passes, enough)?;
            let (reached, iterations) = (recurrence.size(), recurrence.iterations);
            let alpha = std::mem::replace(&mut recurrence.alpha, [0.0; 3]);
            self.add_solution(preconditioner.scale() * size, alpha, x);
            let done = iterations >= goal.iterations || reached * size <= goal.residual;
            if done && reached >= drift {
                return Ok(Outcome {
                    iterations,
                    residual: reached * size,
                });
            }
            let before = size;
            size = self.measure(matrix, rhs, x)?;
            if goal.residual > 0.0 && size > STAGNATION * before {
                return Ok(Outcome {
                    iterations,
                    residual: size,
                });
            }
            rescaled = before / size;
        }
    }

    /// Leaves b - A x in `self.residual` and the sums of its squares in `self.squares`; returns its
    /// size.
    fn measure(&mut self, matrix: &GridMatrix, rhs: &[f64], x: &[f64]) -> Result<f64, LinearError> {
        if x.iter().all(|&value| value == 0.0) {
            self.residual.fill(0.0);
        } else {
            matrix.multiply(x, &mut self.residual);
        }
        let n = self.residual.len() / 3;
        self.squares = [0.0; 3];
        let components = self.residual.chunks_exact_mut(n).zip(rhs.chunks_exact(n));
        for ((values, rhs), sum) in components.zip(&mut self.squares) {
            for (values, rhs) in values.chunks_mut(CHUNK).zip(rhs.chunks(CHUNK)) {
                subtract_from(rhs, values, sum);
            }
        }
        let size = self.squares.iter().sum::<f64>().sqrt();
        if size.is_finite() {
            Ok(size)
        } else {
            Err(LinearError::NotFinite)
        }
    }

    /// Sets r to the residual over its size and x to zero; returns the sums of r r.
    fn start(
        &mut self,
        preconditioner: &mut impl SinglePreconditioner,
        size: f64,
        goal: Goal,
    ) -> [f64; 3] {
        let layout = preconditioner.matrix().layout;
        let n = layout.nx * layout.ny;
        let planes = preconditioner.residual_mut().field_mut();
        let components = self.residual.chunks_exact(n).zip(planes);
        for ((values, plane), squares) in components.zip(self.squares) {
            let scale = if squares.sqrt() < NEGLIGIBLE * goal.residual {
                0.0
            } else {
                1.0 / size
            };
            for (j, row) in values.chunks_exact(layout.nx).enumerate() {
                narrow(row, scale, &mut plane[layout.row(j)..][..layout.nx]);
            }
        }
        for plane in self.x.field_mut() {
            plane.fill(0.0);
        }
        // With alpha zero this leaves r as it is.
        preconditioner.reduce([0.0; 3], &self.q)
    }

    /// x += factor times the solution of the scaled system, which lacks its last step.
    fn add_solution(&self, factor: f64, alpha: [f64; 3], x: &mut [f64]) {
        let layout = self.layout;
        let n = layout.nx * layout.ny;
        for (c, values) in x.chunks_exact_mut(n).enumerate() {
            let (solution, direction) = (self.x.plane(c), self.p.plane(c));
            for (j, row) in values.chunks_exact_mut(layout.nx).enumerate() {
                let nodes = layout.row(j)..layout.row(j) + layout.nx;
                add_row(
                    [factor, factor * f64::from(alpha[c] as f32)],
                    &solution[nodes.clone()],
                    &direction[nodes],
                    row,
                );
            }
        }
    }
}

/// The iteration with a preconditioner; step sizes are rounded to single precision.
struct InSingle<'a, P> {
    solver: &'a mut SingleConjugateGradient,
    preconditioner: &'a mut P,
    /// By what the last direction has to be multiplied if r was scaled anew since.
    rescaled: f64,
}

impl<P: SinglePreconditioner> Passes<3> for InSingle<'_, P> {
    fn precondition(&mut self) -> Result<[f64; 3], LinearError> {
        let rz = self.preconditioner.precondition();
        if rz.iter().any(|rz| rz.is_nan()) {
            return Err(LinearError::NotFinite);
        }
        if rz.iter().any(|&rz| rz < 0.0) || rz == [0.0; 3] {
            return Err(UNFIT);
        }
        Ok(rz)
    }

    /// All of r and z were scaled alike, so r z by the square.
    fn continuation(&mut self, rz: [f64; 3], before: [f64; 3]) -> [f64; 3] {
        let rescaled = std::mem::replace(&mut self.rescaled, 1.0);
        [0, 1, 2].map(|c| ratio(rz[c], before[c]) / rescaled)
    }

    fn advance(&mut self, alpha: [f64; 3], beta: [f64; 3]) {
        let factors = [alpha, beta].map(|three| three.map(|value| value as f32));
        let solver = &mut *self.solver;
        self.preconditioner
            .advance(factors, &mut solver.x, &mut solver.p);
    }

    fn multiply(&mut self) -> [f64; 3] {
        let matrix = self.preconditioner.matrix();
        matrix.multiply(&self.solver.p, &mut self.solver.q)
    }

    fn reduce(&mut self, alpha: [f64; 3]) -> [f64; 3] {
        let alpha = alpha.map(|alpha| alpha as f32);
        self.preconditioner.reduce(alpha, &self.solver.q)
    }
}

for_this_processor! {
    /// values = from - values; adds the squares to the sum, in eight lanes.
    fn subtract_from(from: &[f64], values: &mut [f64], sum: &mut f64) {
        let mut lanes = [0.0; 8];
        let (blocks, end) = values.as_chunks_mut::<8>();
        let (from, from_end) = from.as_chunks::<8>();
        for (values, from) in blocks.iter_mut().zip(from) {
            for lane in 0..8 {
                let value = from[lane] - values[lane];
                values[lane] = value;
                lanes[lane] += value * value;
            }
        }
        for (lane, (value, from)) in end.iter_mut().zip(from_end).enumerate() {
            *value = from - *value;
            lanes[lane] += *value * *value;
        }
        *sum += lanes.iter().sum::<f64>();
    }
}

for_this_processor! {
    /// x += a u + b v.
    fn add_row(factors: [f64; 2], u: &[f32], v: &[f32], x: &mut [f64]) {
        for ((x, u), v) in x.iter_mut().zip(u).zip(v) {
            *x += factors[0] * f64::from(*u) + factors[1] * f64::from(*v);
        }
    }
}
