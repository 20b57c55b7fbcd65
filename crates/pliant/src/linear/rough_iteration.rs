//! Conjugate gradients in `f32`, preconditioned by symmetric over-relaxation, for the rough solves of
//! Newton's method, which asks for a digit or three.
//!
//! With the scaled matrix Â = L + I + Lᵀ of `swept_matrix.rs` and D̃ = I / ω the system is
//!
//! ```text
//! B y = (D̃ + L)⁻¹ b,    B = (D̃ + L)⁻¹ Â (D̃ + L)⁻ᵀ,    x = (D̃ + L)⁻ᵀ y
//! B p = t + (D̃ + L)⁻¹ (p - (2/ω - 1) t),    t = (D̃ + L)⁻ᵀ p
//! ```
//!
//! so that a product with B is one sweep back and one sweep forth, which together read the matrix once.
//! On sheets that needs a fifth of the iterations of the block diagonal.
//!
//! The iteration knows the norm of (D̃ + L)⁻¹ r alone, which is near that of the energy of the error; the
//! residual is measured when that has fallen far enough, and then again. Sums are `f64`; the right side
//! is scaled to size one. All runs on one thread, in a fixed order.
//!
//! Implements: \[Hestenes1952\]; over-relaxation after \[Young1954\] with the products of
//! \[Eisenstat1981\].

use super::LinearError;
use super::conjugate_gradient::{Passes, Recurrence};
use super::method::Goal;
use super::swept_matrix::{Quad, SweptMatrix};
use crate::math::parallel::dot;
use crate::math::processor::{for_this_processor, quads_kernel};
use crate::math::vector::Quads;
use glam::DVec3;

/// The residual, by the right side, below which `f32` is not to be trusted.
pub(crate) const FINEST: f64 = 1e-3;

/// How far the norm of the iteration falls before the residual is first measured, by how far the
/// residual has to, and at most.
const FIRST_LOOK: [f64; 2] = [0.8, 0.05];

/// The same from one measurement to the next.
const NEXT_LOOK: [f64; 2] = [0.8, 0.3];

/// The same where the residual has fallen far enough, and the energy is still falling.
const UNSETTLED_LOOK: f64 = 0.6;

/// What the last iterations may have gained, by what all have, in the energy ½ x A x - b x. The residual of a stiff
/// sheet tells of stretching alone: one that has fallen to a tenth says nothing of how the sheet swings.
const LEFT_TO_GAIN: f64 = 0.05;

/// How far `f32` lets the norm of the iteration fall before the measured residual takes its place.
const DRIFT: f64 = 1e-4;

/// Beginnings anew from the measured residual.
const RESTARTS: usize = 4;

/// Largest relaxation ω; it falls to one where there is no stiffness.
const LARGEST_RELAXATION: f64 = 1.6;

/// Memory of the iteration; see the module.
#[derive(Debug)]
pub(crate) struct RoughIteration {
    /// x of the scaled matrix, but for the last step.
    x: Vec<Quad>,
    /// (D̃ + L)⁻¹ r.
    r: Vec<Quad>,
    p: Vec<Quad>,
    t: Vec<Quad>,
    /// B p - t.
    y: Vec<Quad>,
    relaxation: f32,
    /// r r, and the last step along t.
    recurrence: Recurrence<1>,
    /// The first guess, and b - A x.
    guess: Vec<DVec3>,
    rest: Vec<DVec3>,
}

/// How a rough solve went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoughSolve {
    pub(crate) iterations: usize,
    /// |P (b - A x)| / |b|, measured.
    pub(crate) residual: f64,
}

/// How far the norm of the iteration is to fall before the residual is measured, which has to fall to a share of
/// what it is.
fn fall_to_look([most, least]: [f64; 2], share: f64) -> f64 {
    let most = if share >= 1.0 { UNSETTLED_LOOK } else { most };
    (most * share).clamp(least, most)
}

impl RoughIteration {
    /// Memory for matrices like `matrix`.
    pub(crate) fn new(matrix: &SweptMatrix) -> Self {
        let field = || matrix.field();
        let vectors = || vec![DVec3::ZERO; matrix.count()];
        Self {
            x: field(),
            r: field(),
            p: field(),
            t: field(),
            y: field(),
            relaxation: 1.0,
            recurrence: Recurrence::new([0.0]),
            guess: vectors(),
            rest: vectors(),
        }
    }

    /// Chooses ω by how far stiffness outweighs inertia, Σ_i tr A_ii / Σ_ij tr A_ij.
    pub(crate) fn relax(&mut self, stiffness_ratio: f64) {
        let softness = stiffness_ratio.max(1.0).sqrt().recip();
        self.relaxation = (1.0 + (LARGEST_RELAXATION - 1.0) * (1.0 - softness)) as f32;
    }

    /// Solves for x, which comes in as the first guess. `measure` puts P (b - A x) into a field; b has
    /// nothing along what is held. Where
    /// the matrix turns out not to be positive, what was found so far is the answer; that is an error
    /// where nothing was.
    pub(crate) fn solve(
        &mut self,
        matrix: &SweptMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
        mut measure: impl FnMut(&[DVec3], &mut [DVec3]),
    ) -> Result<RoughSolve, LinearError> {
        let size = dot(rhs, rhs).sqrt();
        let mut solve = RoughSolve {
            iterations: 0,
            residual: 0.0,
        };
        if size == 0.0 {
            x.fill(DVec3::ZERO);
            return Ok(solve);
        }
        let mut rest = std::mem::take(&mut self.rest);
        let mut look = |x: &[DVec3], rest: &mut [DVec3]| {
            measure(x, rest);
            dot(rest, rest).sqrt()
        };
        let is_guessed = x.iter().any(|x| *x != DVec3::ZERO);
        let mut residual = match is_guessed {
            true => look(x, &mut rest),
            false => f64::INFINITY,
        };
        // x A x - 2 x b, by which a guess is better than none.
        let energy = -dot(x, rhs) - dot(x, &rest);
        if !residual.is_finite() || energy >= 0.0 {
            x.fill(DVec3::ZERO);
            rest.copy_from_slice(rhs);
            residual = size;
        }
        let mut restarts = 0;
        let mut first = f64::INFINITY;
        self.recurrence.squares = [0.0];
        let result = loop {
            if !residual.is_finite() {
                break Err(LinearError::NotFinite);
            }
            solve.residual = residual / size;
            let settled = self.recurrence.gains.have_settled(LEFT_TO_GAIN);
            if residual <= goal.residual && settled || solve.iterations >= goal.iterations {
                break Ok(solve);
            }
            let mut look_at = NEXT_LOOK;
            if self.recurrence.size() <= DRIFT * first {
                if restarts == RESTARTS {
                    break Ok(solve);
                }
                restarts += 1;
                self.guess.copy_from_slice(x);
                self.begin(matrix, &rest, size);
                first = self.recurrence.size();
                look_at = FIRST_LOOK;
            }
            let fall = fall_to_look(look_at, goal.residual / residual);
            let wanted = (fall * self.recurrence.size()).max(0.5 * DRIFT * first);
            let left = goal.iterations - solve.iterations;
            let (done, is_over) = match self.run(matrix, wanted, left) {
                Ok((0, true)) if solve.iterations == 0 => {
                    break Err(LinearError::NegativeCurvature { iteration: 0 });
                }
                Ok(run) => run,
                Err(error) => break Err(error),
            };
            solve.iterations += done;
            self.correct(matrix, size, x);
            residual = look(x, &mut rest);
            if is_over || done == 0 {
                solve.residual = residual / size;
                break Ok(solve);
            }
        };
        self.rest = rest;
        result
    }

    /// Adds what has been found since the last start to the guess.
    fn correct(&self, matrix: &SweptMatrix, size: f64, x: &mut [DVec3]) {
        for (row, x) in x.iter_mut().enumerate() {
            let correction = *matrix.scale(row) * self.x[matrix.place(row)].vector();
            *x = self.guess[row] + size * correction;
        }
    }

    /// z = M⁻¹ r for M = W⁻ᵀ (D̃ + L) (2/ω - 1)⁻¹ (D̃ + L)ᵀ W⁻¹, which is like the matrix.
    pub(crate) fn precondition(&mut self, matrix: &SweptMatrix, r: &[DVec3], z: &mut [DVec3]) {
        self.begin(matrix, r, 1.0);
        let share = 2.0 / self.relaxation - 1.0;
        for entry in self.r.iter_mut().flat_map(|r| &mut r.0) {
            *entry *= share;
        }
        let factors = [0.0, 0.0, self.relaxation];
        sweep_back(
            matrix,
            factors,
            &self.r,
            &mut self.p,
            &mut self.x,
            &mut self.t,
        );
        for (row, z) in z.iter_mut().enumerate() {
            *z = *matrix.scale(row) * self.t[matrix.place(row)].vector();
        }
    }

    /// Begins with x = 0 for a right side, which is divided by `size`.
    fn begin(&mut self, matrix: &SweptMatrix, rest: &[DVec3], size: f64) {
        self.x.fill(Quad::ZERO);
        self.t.fill(Quad::ZERO);
        self.p.fill(Quad::ZERO);
        for (row, rest) in rest.iter().enumerate() {
            self.y[matrix.place(row)] = Quad::of(matrix.scale(row).transpose() * (*rest / size));
        }
        let squares = sweep_first(matrix, self.relaxation, &mut self.y, &mut self.r);
        self.recurrence = Recurrence::new([squares]);
    }

    /// Iterates until |r| is not more than `wanted`; returns the number of iterations and whether the
    /// matrix turned out not to be positive.
    fn run(
        &mut self,
        matrix: &SweptMatrix,
        wanted: f64,
        most: usize,
    ) -> Result<(usize, bool), LinearError> {
        let mut recurrence = self.recurrence;
        recurrence.iterations = 0;
        let goal = Goal {
            residual: wanted,
            iterations: most,
        };
        let result = recurrence.run(
            &mut Sweeps {
                iteration: self,
                matrix,
            },
            goal,
        );
        let stuck = match result {
            Ok(()) => false,
            Err(LinearError::NegativeCurvature { .. }) => true,
            Err(error) => return Err(error),
        };
        // x += step t, which the next sweep would do.
        let step = std::mem::replace(&mut recurrence.alpha, [0.0])[0] as f32;
        for (x, t) in self.x.iter_mut().zip(&self.t) {
            for (x, t) in x.0.iter_mut().zip(&t.0) {
                *x += step * t;
            }
        }
        self.recurrence = recurrence;
        Ok((recurrence.iterations, stuck))
    }
}

/// The iteration with B, without another preconditioner.
struct Sweeps<'a> {
    iteration: &'a mut RoughIteration,
    matrix: &'a SweptMatrix,
}

impl Passes<1> for Sweeps<'_> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        Ok(self.iteration.recurrence.squares)
    }

    fn advance(&mut self, [step]: [f64; 1], [turn]: [f64; 1]) {
        let iteration = &mut *self.iteration;
        let factors = [turn as f32, step as f32, iteration.relaxation];
        let (p, x, t) = (&mut iteration.p, &mut iteration.x, &mut iteration.t);
        sweep_back(self.matrix, factors, &iteration.r, p, x, t);
    }

    fn multiply(&mut self) -> [f64; 1] {
        let iteration = &mut *self.iteration;
        let ([p, t], y) = ([&iteration.p, &iteration.t], &mut iteration.y);
        [sweep_forth(self.matrix, iteration.relaxation, p, t, y)]
    }

    fn reduce(&mut self, [step]: [f64; 1]) -> [f64; 1] {
        let iteration = &mut *self.iteration;
        let mut squares = 0.0;
        descend(
            step as f32,
            &iteration.t,
            &iteration.y,
            &mut iteration.r,
            &mut squares,
        );
        iteration.recurrence.squares = [squares];
        [squares]
    }
}

/// Four sums of products in `f64`.
#[inline(always)]
fn add_products(sums: &mut [f64; 4], a: &[f32; 4], b: &[f32; 4]) {
    for lane in 0..4 {
        sums[lane] += f64::from(a[lane]) * f64::from(b[lane]);
    }
}

quads_kernel! {
    /// y = (D̃ + L)⁻¹ y, r = y; gives r r.
    sweep_first, sweep_first_at, sweep_first_body, <>,
    (matrix: &SweptMatrix, relaxation: f32, y: &mut [Quad], r: &mut [Quad]) -> f64
}

#[inline(always)]
unsafe fn sweep_first_body<V: Quads>(
    matrix: &SweptMatrix,
    relaxation: f32,
    y: &mut [Quad],
    r: &mut [Quad],
) -> f64 {
    assert_eq!(y.len(), matrix.field_length());
    let mut sums = [0.0; 4];
    for row in 0..matrix.count() {
        let place = matrix.room() + row;
        // SAFETY: the kernel promises the instructions; the field was looked at above.
        let product = unsafe { matrix.product_before::<V>(row, y) };
        let mut sum = y[place].0;
        for lane in 0..4 {
            sum[lane] = relaxation * (sum[lane] - product[lane]);
        }
        y[place] = Quad(sum);
        r[place] = Quad(sum);
        add_products(&mut sums, &sum, &sum);
    }
    sums.iter().sum()
}

quads_kernel! {
    /// p = r + turn p; x += step t; t = (D̃ + L)⁻ᵀ p. `factors` are turn, step and ω.
    sweep_back, sweep_back_at, sweep_back_body, <>,
    (matrix: &SweptMatrix, factors: [f32; 3], r: &[Quad], p: &mut [Quad], x: &mut [Quad], t: &mut [Quad]) -> ()
}

#[inline(always)]
unsafe fn sweep_back_body<V: Quads>(
    matrix: &SweptMatrix,
    [turn, step, relaxation]: [f32; 3],
    r: &[Quad],
    p: &mut [Quad],
    x: &mut [Quad],
    t: &mut [Quad],
) {
    assert_eq!(t.len(), matrix.field_length());
    for row in (0..matrix.count()).rev() {
        let place = matrix.room() + row;
        for (x, t) in x[place].0.iter_mut().zip(&t[place].0) {
            *x += step * t;
        }
        let mut sum = r[place].0;
        for (sum, p) in sum.iter_mut().zip(&p[place].0) {
            *sum += turn * p;
        }
        p[place] = Quad(sum);
        // SAFETY: the kernel promises the instructions; the field was looked at above.
        let product = unsafe { matrix.product_after::<V>(row, t) };
        for lane in 0..4 {
            sum[lane] = relaxation * (sum[lane] - product[lane]);
        }
        t[place] = Quad(sum);
    }
}

quads_kernel! {
    /// y = (D̃ + L)⁻¹ (p - (2/ω - 1) t); gives p (t + y).
    sweep_forth, sweep_forth_at, sweep_forth_body, <>,
    (matrix: &SweptMatrix, relaxation: f32, p: &[Quad], t: &[Quad], y: &mut [Quad]) -> f64
}

#[inline(always)]
unsafe fn sweep_forth_body<V: Quads>(
    matrix: &SweptMatrix,
    relaxation: f32,
    p: &[Quad],
    t: &[Quad],
    y: &mut [Quad],
) -> f64 {
    assert_eq!(y.len(), matrix.field_length());
    let kept = 2.0 / relaxation - 1.0;
    let mut sums = [0.0; 4];
    for row in 0..matrix.count() {
        let place = matrix.room() + row;
        let (p, t) = (&p[place].0, &t[place].0);
        // SAFETY: the kernel promises the instructions; the field was looked at above.
        let product = unsafe { matrix.product_before::<V>(row, y) };
        let mut sum = [0.0; 4];
        for lane in 0..4 {
            sum[lane] = relaxation * (p[lane] - kept * t[lane] - product[lane]);
        }
        y[place] = Quad(sum);
        for lane in 0..4 {
            sum[lane] += t[lane];
        }
        add_products(&mut sums, p, &sum);
    }
    sums.iter().sum()
}

for_this_processor! {
    /// r -= step (t + y); gives r r.
    fn descend(step: f32, t: &[Quad], y: &[Quad], r: &mut [Quad], squares: &mut f64) {
        let mut sums = [0.0; 4];
        for ((r, t), y) in r.iter_mut().zip(t).zip(y) {
            for lane in 0..4 {
                r.0[lane] -= step * (t.0[lane] + y.0[lane]);
            }
            add_products(&mut sums, &r.0, &r.0);
        }
        *squares = sums.iter().sum();
    }
}

#[cfg(test)]
#[path = "rough_tests.rs"]
mod tests;
