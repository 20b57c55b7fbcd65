//! Conjugate gradients in `f32`, preconditioned by the diagonal blocks, for nodes of which some are
//! held along some directions.
//!
//! ```text
//! P A P x = P b
//! ```
//!
//! P is the identity but for nodes that obstacles bind or that are fixed. For the rough solves of
//! Newton's method, which asks for a digit or three. Sums are `f64`; the right side is scaled to
//! size one. All runs on one thread, in a fixed order.
//!
//! Implements: \[Hestenes1952\] with the block diagonal as preconditioner.

use super::LinearError;
use super::conjugate_gradient::{UNDERFLOW, ratio};
use super::diagonal_blocks::{ENTRIES, LANES, LaneField, Line, add_products, lanes_at};
use super::method::Goal;
use super::node_directions::Held;
use crate::math::parallel::dot;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// The residual, by the right side, below which `f32` is not to be trusted.
pub(crate) const FINEST: f64 = 1e-3;

/// A matrix in `f32`, sixteen rows at a time.
pub(crate) trait RoughMatrix {
    /// Where the first row stands in a field.
    fn room(&self) -> usize;

    /// y = A x; returns x y.
    fn multiply(&self, x: &LaneField, y: &mut LaneField) -> f64;
}

/// Memory of the iteration; see the module.
#[derive(Debug)]
pub(crate) struct RoughIteration {
    /// The inverses of the diagonal blocks, sixteen rows at a time.
    inverse: Vec<Line>,
    x: LaneField,
    r: LaneField,
    p: LaneField,
    q: LaneField,
}

/// How a rough solve went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoughSolve {
    pub(crate) iterations: usize,
    /// |P (b - A x)| / |b|, measured.
    pub(crate) residual: f64,
}

impl RoughIteration {
    /// Memory for so many rows and fields like `field`.
    pub(crate) fn new(rows: usize, field: &LaneField) -> Self {
        Self {
            inverse: vec![Line::ZERO; rows.div_ceil(LANES) * ENTRIES],
            x: field.clone(),
            r: field.clone(),
            p: field.clone(),
            q: field.clone(),
        }
    }

    /// Takes in the inverse of the diagonal block of a row.
    pub(crate) fn set_inverse(&mut self, row: usize, inverse: DMat3) {
        let base = (row / LANES) * ENTRIES;
        for (entry, value) in inverse.to_cols_array().into_iter().enumerate() {
            self.inverse[base + entry].0[row % LANES] = value as f32;
        }
    }

    /// Takes in the inverses of the diagonal blocks, of their free part where nodes are held.
    pub(crate) fn invert(&mut self, diagonal: &[DMat3], held: &[Held]) -> Result<(), LinearError> {
        for (row, block) in diagonal.iter().enumerate() {
            self.set_inverse(row, inverse_of(block, row)?);
        }
        for &(row, free) in held {
            let block = &diagonal[row as usize];
            let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
            let taken = (DMat3::IDENTITY - free) * (trace / 3.0);
            let inverse = inverse_of(&(free * *block * free + taken), row as usize)?;
            self.set_inverse(row as usize, free * inverse * free);
        }
        Ok(())
    }

    /// Solves for x, which comes in as the first guess. Where the matrix turns out not to be positive, what was found so far
    /// is the answer; that is an error where nothing was.
    pub(crate) fn solve(
        &mut self,
        matrix: &impl RoughMatrix,
        held: &[Held],
        rhs: &[DVec3],
        x: &mut [DVec3],
        goal: Goal,
    ) -> Result<RoughSolve, LinearError> {
        let room = matrix.room();
        let size = dot(rhs, rhs).sqrt();
        if size == 0.0 {
            x.fill(DVec3::ZERO);
            return Ok(RoughSolve {
                iterations: 0,
                residual: 0.0,
            });
        }
        // A y = b / |b|,  x = |b| y
        self.p.axes.iter_mut().for_each(|axis| axis.fill(0.0));
        self.x.take(x, room, size.recip());
        project(&mut self.x, room, held);
        let [mut rz, mut rr] = self.begin(matrix, held, rhs, size);
        let wanted = goal.residual / size;
        self.turn(0.0, 0.0);
        let mut iterations = 0;
        while iterations < goal.iterations && rr.sqrt() > wanted && rz > UNDERFLOW {
            let curvature = matrix.multiply(&self.p, &mut self.q);
            if !rr.is_finite() || !curvature.is_finite() {
                return Err(LinearError::NotFinite);
            }
            if curvature <= 0.0 {
                if iterations == 0 {
                    return Err(LinearError::NegativeCurvature { iteration: 0 });
                }
                break;
            }
            project(&mut self.q, room, held);
            let alpha = rz / curvature;
            let [next, squares] = self.descend(room, alpha);
            self.turn(alpha, ratio(next, rz));
            (rz, rr) = (next, squares);
            iterations += 1;
        }
        for (row, x) in x.iter_mut().enumerate() {
            *x = size * self.x.get(room + row);
        }
        Ok(RoughSolve {
            iterations,
            residual: self.begin(matrix, held, rhs, size)[1].sqrt(),
        })
    }

    /// r = P (b - A x), q = z; returns r z and r r.
    fn begin(
        &mut self,
        matrix: &impl RoughMatrix,
        held: &[Held],
        rhs: &[DVec3],
        size: f64,
    ) -> [f64; 2] {
        let room = matrix.room();
        matrix.multiply(&self.x, &mut self.q);
        self.r.take(rhs, room, size.recip());
        project(&mut self.r, room, held);
        project(&mut self.q, room, held);
        self.descend(room, 1.0)
    }

    /// r -= alpha q, then q = z; returns r z and r r.
    fn descend(&mut self, room: usize, alpha: f64) -> [f64; 2] {
        let mut sums = [0.0; 2];
        let [r0, r1, r2] = &mut self.r.axes;
        let [q0, q1, q2] = &mut self.q.axes;
        descend(
            alpha as f32,
            &self.inverse,
            room,
            [r0, r1, r2],
            [q0, q1, q2],
            &mut sums,
        );
        sums
    }

    /// x += alpha p; p = z + beta p, where z is in q.
    fn turn(&mut self, alpha: f64, beta: f64) {
        for axis in 0..3 {
            let (x, p) = (&mut self.x.axes[axis], &mut self.p.axes[axis]);
            turn([alpha as f32, beta as f32], x, p, &self.q.axes[axis]);
        }
    }
}

/// Takes the held directions out of a field.
fn project(field: &mut LaneField, room: usize, held: &[Held]) {
    for &(row, free) in held {
        let place = room + row as usize;
        field.set(place, free * field.get(place));
    }
}

fn inverse_of(block: &DMat3, row: usize) -> Result<DMat3, LinearError> {
    let inverse = block.inverse();
    if inverse.is_finite() && block.determinant() > 0.0 {
        Ok(inverse)
    } else {
        Err(LinearError::NotPositiveDefinite { row })
    }
}

for_this_processor! {
    fn descend(
        alpha: f32,
        inverse: &[Line],
        room: usize,
        r: [&mut [f32]; 3],
        q: [&mut [f32]; 3],
        sums: &mut [f64; 2],
    ) {
        let (mut rz, mut rr) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        for (group, blocks) in inverse.chunks_exact(ENTRIES).enumerate() {
            let place = room + group * LANES;
            let mut residual = [[0.0; LANES]; 3];
            for axis in 0..3 {
                let (r, q) = (lanes_at(r[axis], place), lanes_at(q[axis], place));
                for lane in 0..LANES {
                    residual[axis][lane] = r[lane] - alpha * q[lane];
                }
            }
            let mut z = [[0.0; LANES]; 3];
            add_products(&mut z, blocks, &residual);
            for axis in 0..3 {
                r[axis][place..place + LANES].copy_from_slice(&residual[axis]);
                q[axis][place..place + LANES].copy_from_slice(&z[axis]);
                for lane in 0..LANES {
                    rz[lane] += f64::from(residual[axis][lane] * z[axis][lane]);
                    rr[lane] += f64::from(residual[axis][lane] * residual[axis][lane]);
                }
            }
        }
        *sums = [rz.iter().sum(), rr.iter().sum()];
    }
}

for_this_processor! {
    fn turn(factors: [f32; 2], x: &mut [f32], p: &mut [f32], z: &[f32]) {
        let [alpha, beta] = factors;
        for ((x, p), z) in x.iter_mut().zip(p).zip(z) {
            *x += alpha * *p;
            *p = *z + beta * *p;
        }
    }
}
