//! Conjugate gradients for a matrix of 3x3 blocks, preconditioned by a factorised scalar matrix.
//!
//! ```text
//! z = Q (W S⁻¹ W + C) Q r + D r,     w_i² = S_ii / mean of A_ii over Q
//! ```
//!
//! S is the [`ScalarFactor`] of a matrix like A that was taken in earlier: of the same body at rest
//! with the same step. W brings its diagonal to that of A where they differ by more than a little.
//!
//! S is the same for x, y and z. Where A is not, as across a sheet, which has hardly any stiffness
//! there, or across an obstacle that holds a node, Q takes that direction out, and D solves for it
//! node by node (`node_directions.rs`).
//!
//! Products and preconditioner work in `f32`, on a system scaled to sizes near one; the solution,
//! the residual and all sums are `f64`. The residual of the recurrence then drifts from the true one
//! by rounding of the first, large steps; when it has fallen far enough it is replaced by
//! b - A x in `f64`, and the iteration goes on in the same directions. All runs on one thread: the
//! sweeps of the factor depend on each other.
//!
//! Implements: \[Hestenes1952\] with a factor as preconditioner.

use super::block_conjugate_gradient::BlockConjugateGradient;
use super::coarse_space::CoarseSpace;
use super::compact_blocks::CompactBlocks;
use super::conjugate_gradient::{UNDERFLOW, ratio, step_size};
use super::method::{BlockMethod, Goal};
use super::node_directions::{Held, NodeDirections};
use super::scalar_factor::{ScalarFactor, Single};
use super::{BlockMatrix, LinearError};
use crate::math::processor::for_this_processor;
use glam::DVec3;

/// Meshes with fewer nodes are better served by the block diagonal.
pub(crate) const SMALLEST_MESH: usize = 60;

/// Diagonals that differ by no more than this factor are left as they are.
const ALIKE: f64 = 1.25;

/// The residual is replaced by the true one when it has fallen by this factor.
const REPLACEMENT: f64 = 1e-3;

/// Share of the wanted residual that the recurrence must reach: it is not quite the true one.
const CAUTION: f64 = 0.9;

/// Memory of the iteration; see the module. Without a factor it uses the block diagonal.
pub(crate) struct FactoredConjugateGradient {
    plain: BlockConjugateGradient,
    factor: ScalarFactor,
    is_factorised: bool,
    /// What the numbers of the matrix are multiplied by.
    scale: f64,
    /// The diagonal of S, in order of elimination.
    diagonal: Vec<f64>,
    /// W, and whether it differs from one.
    weights: Vec<f32>,
    is_weighted: bool,
    /// Q and D.
    directions: NodeDirections,
    /// Whether the body is a sheet.
    is_sheet: bool,
    compact: CompactBlocks,
    coarse: CoarseSpace,
    single: Vec<Single>,
    /// Q r.
    projected: Vec<Single>,
    x: Vec<DVec3>,
    r: Vec<DVec3>,
    p: Vec<Single>,
    q: Vec<Single>,
    z: Vec<Single>,
    /// In the order of the nodes.
    solution: Vec<DVec3>,
    product: Vec<DVec3>,
}

impl FactoredConjugateGradient {
    /// Memory for matrices like `matrix` over nodes at `places`; `None` where a factor does not fit
    /// in memory or is not worth it.
    pub(crate) fn new(matrix: &BlockMatrix, places: &[DVec3]) -> Option<Self> {
        let n = matrix.node_count();
        if n < SMALLEST_MESH {
            return None;
        }
        let factor = ScalarFactor::new(matrix, places)?;
        Some(Self {
            plain: BlockConjugateGradient::new(matrix),
            compact: CompactBlocks::new(matrix, factor.order()),
            coarse: CoarseSpace::new(factor.order(), places),
            single: vec![[0.0; 4]; n],
            projected: vec![[0.0; 4]; n],
            factor,
            is_factorised: false,
            scale: 1.0,
            diagonal: vec![1.0; n],
            weights: vec![1.0; n],
            is_weighted: false,
            directions: NodeDirections::new(n),
            is_sheet: false,
            x: vec![DVec3::ZERO; n],
            r: vec![DVec3::ZERO; n],
            p: vec![[0.0; 4]; n],
            q: vec![[0.0; 4]; n],
            z: vec![[0.0; 4]; n + 1],
            solution: vec![DVec3::ZERO; n],
            product: vec![DVec3::ZERO; n],
        })
    }

    fn take_weights(&mut self, matrix: &BlockMatrix) {
        self.is_weighted = false;
        self.directions.begin(self.scale);
        let rows = self.factor.order().iter().zip(&self.diagonal);
        for (weight, (&row, own)) in self.weights.iter_mut().zip(rows) {
            let mean = self.directions.take(matrix, row as usize);
            let ratio = mean.map_or(1.0, |mean| self.scale * mean / own);
            *weight = if ratio > ALIKE || ratio * ALIKE < 1.0 {
                self.is_weighted = true;
                ratio.sqrt().recip() as f32
            } else {
                1.0
            };
        }
    }

    /// z = Q (W S⁻¹ W + C) Q r + D r, where z comes in as r in `f32` and C is the coarse correction.
    fn precondition(&mut self) {
        let count = self.single.len();
        self.single.copy_from_slice(&self.z[..count]);
        self.directions.project(&mut self.z);
        self.projected.copy_from_slice(&self.z[..count]);
        if self.is_weighted {
            weigh(&self.weights, &mut self.z);
        }
        self.factor.solve_in_place(&mut self.z);
        if self.is_weighted {
            weigh(&self.weights, &mut self.z);
        }
        if !self.is_sheet {
            self.coarse.add_correction(&self.projected, &mut self.z);
        }
        self.directions.add(&self.single, &mut self.z);
    }

    /// r = (b - A x) by the matrix itself, times `factor`; returns r r.
    fn replace_residual(&mut self, matrix: &BlockMatrix, rhs: &[DVec3], factor: f64) -> f64 {
        for (&row, x) in self.factor.order().iter().zip(&self.x) {
            self.solution[row as usize] = *x;
        }
        matrix.multiply(&self.solution, &mut self.product);
        let mut sum = 0.0;
        let rows = self.factor.order().iter();
        for ((&row, r), z) in rows.zip(&mut self.r).zip(&mut self.z) {
            // x solves the scaled system: (scale A) x = factor b.
            let row = row as usize;
            *r = factor * rhs[row] - self.scale * self.product[row];
            *z = [r.x as f32, r.y as f32, r.z as f32, 0.0];
            sum += r.length_squared();
        }
        sum
    }

    fn iterate(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        factor: f64,
        goal: Goal,
    ) -> Result<usize, LinearError> {
        let wanted = CAUTION * goal.residual * factor;
        let starts_at_zero = self.x.iter().all(|x| *x == DVec3::ZERO);
        let mut rr = if starts_at_zero {
            self.take_right_side(rhs, factor)
        } else {
            self.replace_residual(matrix, rhs, factor)
        };
        let replace_below = REPLACEMENT * rr.sqrt();
        let mut replaced = false;
        self.p.fill([0.0; 4]);
        let mut rz = 0.0;
        let mut iteration = 0;
        while iteration < goal.iterations {
            if !rr.is_finite() {
                return Err(LinearError::NotFinite);
            }
            if rr.sqrt() <= wanted {
                break;
            }
            self.precondition();
            let mut next = 0.0;
            inner_product(&self.r, &self.z, &mut next);
            if next < UNDERFLOW {
                break;
            }
            continue_direction(&self.z, ratio(next, rz) as f32, &mut self.p);
            rz = next;
            let mut curvature = 0.0;
            self.compact.multiply(&self.p, &mut self.q, &mut curvature);
            let alpha = step_size(rz, curvature, iteration)?;
            let [p, q] = [&self.p, &self.q];
            advance(
                alpha,
                [p, q],
                &mut self.x,
                &mut self.r,
                &mut self.z,
                &mut rr,
            );
            iteration += 1;
            if !replaced && rr.sqrt() <= replace_below {
                replaced = true;
                rr = self.replace_residual(matrix, rhs, factor);
            }
        }
        Ok(iteration)
    }

    /// r = factor b, for x = 0; returns r r.
    fn take_right_side(&mut self, rhs: &[DVec3], factor: f64) -> f64 {
        let mut sum = 0.0;
        let rows = self.factor.order().iter();
        for ((&row, r), z) in rows.zip(&mut self.r).zip(&mut self.z) {
            *r = factor * rhs[row as usize];
            *z = [r.x as f32, r.y as f32, r.z as f32, 0.0];
            sum += r.length_squared();
        }
        sum
    }
}

/// A third of the trace of a diagonal block.
fn mean_diagonal(matrix: &BlockMatrix, row: usize) -> f64 {
    let block = matrix.block(matrix.diagonal_slot(row));
    (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0
}

fn weigh(weights: &[f32], z: &mut [Single]) {
    for (z, &weight) in z.iter_mut().zip(weights) {
        *z = z.map(|value| weight * value);
    }
}

for_this_processor! {
    /// sum = r z.
    fn inner_product(r: &[DVec3], z: &[Single], sum: &mut f64) {
        let mut total = DVec3::ZERO;
        for (r, z) in r.iter().zip(z) {
            total += *r * DVec3::new(z[0].into(), z[1].into(), z[2].into());
        }
        *sum = total.x + total.y + total.z;
    }
}

for_this_processor! {
    /// p = z + beta p.
    fn continue_direction(z: &[Single], beta: f32, p: &mut [Single]) {
        for (p, z) in p.iter_mut().zip(z) {
            *p = std::array::from_fn(|c| z[c] + beta * p[c]);
        }
    }
}

for_this_processor! {
    /// x += alpha p, r -= alpha q, z = r; squares becomes r r.
    fn advance(alpha: f64, directions: [&[Single]; 2], x: &mut [DVec3], r: &mut [DVec3], z: &mut [Single], squares: &mut f64) {
        let [p, q] = directions;
        let mut sum = DVec3::ZERO;
        for ((((x, r), z), p), q) in x.iter_mut().zip(r).zip(z).zip(p).zip(q) {
            *x += alpha * DVec3::new(p[0].into(), p[1].into(), p[2].into());
            *r -= alpha * DVec3::new(q[0].into(), q[1].into(), q[2].into());
            *z = [r.x as f32, r.y as f32, r.z as f32, 0.0];
            sum += *r * *r;
        }
        *squares = sum.x + sum.y + sum.z;
    }
}

impl BlockMethod for FactoredConjugateGradient {
    fn hold(&mut self, held: &[Held]) {
        self.directions.hold(held);
    }

    fn wants_metric(&self) -> bool {
        true
    }

    fn prepare_metric(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.is_factorised = false;
        let largest = (0..matrix.node_count())
            .map(|row| mean_diagonal(matrix, row))
            .fold(0.0, f64::max);
        if !(largest.is_finite() && largest > 0.0) {
            return Err(LinearError::NotFinite);
        }
        self.scale = 1.0 / largest;
        self.directions.hold(&[]);
        self.directions.begin(self.scale);
        let means = self.factor.order().iter();
        let means = means.map(|&row| self.directions.take(matrix, row as usize));
        for (own, mean) in self.diagonal.iter_mut().zip(means) {
            *own = mean.map_or(1.0, |mean| self.scale * mean);
        }
        // Two thirds of the directions of a sheet have all of its stiffness.
        self.is_sheet = 2 * self.directions.count() > matrix.node_count();
        let stiffness = if self.is_sheet { 1.5 } else { 1.0 };
        self.factor.factorise(matrix, stiffness * self.scale)?;
        self.coarse.take(matrix, self.factor.order(), self.scale);
        self.is_factorised = true;
        Ok(())
    }

    fn place(&mut self, positions: &[DVec3]) {
        self.coarse.place(self.factor.order(), positions);
    }

    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        if !self.is_factorised {
            return self.plain.prepare(matrix);
        }
        self.take_weights(matrix);
        self.compact.fill(matrix, self.factor.order(), self.scale);
        Ok(())
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<usize, LinearError> {
        if !self.is_factorised {
            return self.plain.solve(matrix, rhs, x, goal);
        }
        let largest = rhs
            .iter()
            .fold(0.0, |m: f64, b| m.max(b.abs().max_element()));
        if largest == 0.0 {
            x.fill(DVec3::ZERO);
            return Ok(0);
        }
        if !largest.is_finite() {
            return Err(LinearError::NotFinite);
        }
        let factor = 1.0 / largest;
        let into = factor / self.scale;
        for (&row, own) in self.factor.order().iter().zip(&mut self.x) {
            *own = into * x[row as usize];
        }
        let iterations = self.iterate(matrix, rhs, factor, goal)?;
        for (&row, own) in self.factor.order().iter().zip(&self.x) {
            x[row as usize] = *own / into;
        }
        Ok(iterations)
    }
}
