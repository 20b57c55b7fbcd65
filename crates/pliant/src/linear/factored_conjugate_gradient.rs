//! Conjugate gradients for a matrix of 3x3 blocks, preconditioned by a scalar matrix.
//!
//! ```text
//! z = Q W S⁻¹ W Q r + D r + coarse parts,     w_i² = S_ii / mean of A_ii over Q
//! ```
//!
//! S is a matrix like A that was taken in earlier, of the same body at rest with the same step, with
//! its traces in place of its blocks. Small ones are factorised, for large ones S⁻¹ is a multigrid
//! cycle (`scalar_solver.rs`). W brings its diagonal to that of A where they differ by more than a
//! little.
//!
//! S is the same for x, y and z. Where A is not, as across a sheet, which has hardly any stiffness
//! there, or across an obstacle that holds a node, Q takes that direction out, and D solves for it
//! node by node (`node_directions.rs`); about nodes that an obstacle holds, sweeps before and after
//! correct what S does not know (`stiff_nodes.rs`). Smooth motions that S takes for stiff are added by
//! `coarse_space.rs`, rigid cores by `control_points.rs`.
//!
//! Products and preconditioner work in `f32`, on a system scaled to sizes near one; the solution,
//! the residual and all sums are `f64`. The residual of the recurrence then drifts from the true one
//! by rounding of the first, large steps; when it has fallen far enough it is replaced by
//! b - A x in `f64`, and the iteration goes on in the same directions. As the preconditioner is
//! rounded too, directions are made conjugate by the change of the residual (Polak and Ribière).
//!
//! Implements: \[Hestenes1952\] with a scalar matrix as preconditioner.

mod passes;

use super::block_conjugate_gradient::BlockConjugateGradient;
use super::coarse_space::CoarseSpace;
use super::compact_blocks::CompactBlocks;
use super::conjugate_gradient::Recurrence;
use super::control_points::ControlPoints;
use super::method::{BlockMethod, Goal};
use super::node_directions::{Held, NodeDirections};
use super::scalar_factor::Single;
use super::scalar_solver::{ScalarSolver, scalar_solver};
use super::stiff_nodes::StiffNodes;
use super::{BlockMatrix, LinearError, SolverKind};
use crate::math::parallel::{CHUNK, dot, for_each_chunk_mut, for_each_chunk_of_two};
use glam::DVec3;
use passes::WithScalar;

/// Meshes with fewer nodes are better served by the block diagonal.
pub(crate) const SMALLEST_MESH: usize = 60;

/// Diagonals that differ by no more than this factor are left as they are.
const ALIKE: f64 = 1.25;

/// Nodes whose diagonal is this much larger than at rest count as held by something.
const STIFFER: f64 = 3.0;

/// The residual is replaced by the true one when it has fallen by this factor.
const REPLACEMENT: f64 = 1e-3;

/// Share of the wanted residual that the recurrence must reach: it is not quite the true one.
const CAUTION: f64 = 0.9;

/// Memory of the iteration; see the module. Without a scalar matrix it uses the block diagonal.
pub(crate) struct FactoredConjugateGradient {
    plain: BlockConjugateGradient,
    scalar: Box<dyn ScalarSolver>,
    is_factorised: bool,
    /// All rows: the nodes in the order of the scalar matrix, then the control points.
    order: Vec<u32>,
    /// The place of each row in the order.
    place: Vec<u32>,
    /// What the numbers of the matrix are multiplied by.
    scale: f64,
    /// The diagonal of S over the nodes.
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
    controls: ControlPoints,
    stiff: StiffNodes,
    single: Vec<Single>,
    /// H r.
    projected: Vec<Single>,
    x: Vec<DVec3>,
    r: Vec<DVec3>,
    p: Vec<Single>,
    q: Vec<Single>,
    z: Vec<Single>,
    /// In the order of the nodes.
    solution: Vec<DVec3>,
    product: Vec<DVec3>,
    partial: Vec<f64>,
}

impl FactoredConjugateGradient {
    /// Memory for matrices like `matrix` over nodes at `places`; rows beyond the last place are those
    /// of control points. `None` where a scalar matrix is not worth it.
    pub(crate) fn new(kind: SolverKind, matrix: &BlockMatrix, places: &[DVec3]) -> Option<Self> {
        let n = matrix.node_count();
        if n < SMALLEST_MESH {
            return None;
        }
        let scalar = scalar_solver(kind, matrix, places);
        let mut order = scalar.order().to_vec();
        let nodes = order.len();
        order.extend(nodes as u32..n as u32);
        let mut place = vec![0; n];
        for (position, &row) in order.iter().enumerate() {
            place[row as usize] = position as u32;
        }
        Some(Self {
            plain: BlockConjugateGradient::new(matrix),
            compact: CompactBlocks::new(matrix, &order),
            coarse: CoarseSpace::new(&order, places),
            controls: ControlPoints::new(matrix, nodes),
            stiff: StiffNodes::new(n),
            single: vec![[0.0; 4]; n],
            projected: vec![[0.0; 4]; n],
            scalar,
            is_factorised: false,
            order,
            place,
            scale: 1.0,
            diagonal: vec![1.0; nodes],
            weights: vec![1.0; nodes],
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
            partial: vec![0.0; n.div_ceil(CHUNK)],
        })
    }

    fn take_weights(&mut self, matrix: &BlockMatrix) {
        self.is_weighted = false;
        self.directions.begin(self.scale);
        self.stiff.begin();
        let rows = self.order.iter().zip(&self.diagonal);
        for (place, (weight, (&row, diagonal))) in (0..).zip(self.weights.iter_mut().zip(rows)) {
            let mean = self.directions.add_node(matrix, row as usize);
            let ratio = mean.map_or(1.0, |mean| self.scale * mean / diagonal);
            if !self.is_sheet && (self.directions.last_is_stiff() || ratio > STIFFER) {
                self.stiff.push(place);
            }
            *weight = if ratio > ALIKE || ratio * ALIKE < 1.0 {
                self.is_weighted = true;
                ratio.sqrt().recip() as f32
            } else {
                1.0
            };
        }
    }

    /// z = Q W S⁻¹ W Q r + D r + H C H r, where z comes in as r in `f32`, C are the coarse corrections
    /// and H is Q at nodes that obstacles hold.
    fn apply_preconditioner(&mut self) {
        let (count, nodes) = (self.single.len(), self.diagonal.len());
        if !self.stiff.is_empty() {
            self.stiff.sweep_before(&self.compact, &mut self.z);
        }
        self.single.copy_from_slice(&self.z[..count]);
        if !self.directions.nothing_held() {
            self.projected.copy_from_slice(&self.z[..count]);
            self.directions.project_held(&mut self.projected);
        }
        self.directions.project(&mut self.z);
        if self.is_weighted {
            weigh(&self.weights, &mut self.z[..nodes]);
        }
        // The entry after the last node is room for the solver.
        self.z[nodes] = [0.0; 4];
        self.scalar.solve_in_place(&mut self.z[..nodes + 1]);
        if self.is_weighted {
            weigh(&self.weights, &mut self.z[..nodes]);
        }
        self.directions.add(&self.single, &mut self.z);
        let projected = if self.directions.nothing_held() {
            &self.single
        } else {
            &self.projected
        };
        if !self.is_sheet {
            let z = &mut self.z[..count];
            self.coarse.add_correction(projected, z);
        }
        self.controls.correct(projected, &mut self.z[..count]);
        // Coarse motions know nothing of what is held.
        self.directions.add_held(&self.single, &mut self.z);
        if !self.stiff.is_empty() {
            self.stiff.sweep_after(&self.compact, &self.r, &mut self.z);
        }
    }

    /// r = (b - A x) by the matrix itself, times `factor`; returns r r.
    fn replace_residual(&mut self, matrix: &BlockMatrix, rhs: &[DVec3], factor: f64) -> f64 {
        let (place, x) = (&self.place, &self.x);
        for_each_chunk_mut(&mut self.solution, |first, solution| {
            for (solution, &place) in solution.iter_mut().zip(&place[first..]) {
                *solution = x[place as usize];
            }
        });
        matrix.multiply(&self.solution, &mut self.product);
        // x solves the scaled system: (scale A) x = factor b.
        let (order, product, scale) = (&self.order, &self.product, self.scale);
        set_residual(&mut self.r, &mut self.z, |position| {
            let row = order[position] as usize;
            factor * rhs[row] - scale * product[row]
        })
    }

    fn iterate(
        &mut self,
        matrix: &BlockMatrix,
        rhs: &[DVec3],
        factor: f64,
        goal: Goal,
    ) -> Result<usize, LinearError> {
        let starts_at_zero = self.x.iter().all(|x| *x == DVec3::ZERO);
        let squares = if starts_at_zero {
            self.take_right_side(rhs, factor)
        } else {
            self.replace_residual(matrix, rhs, factor)
        };
        self.p.fill([0.0; 4]);
        let wanted = Goal {
            residual: CAUTION * goal.residual * factor,
            iterations: goal.iterations,
        };
        let mut recurrence = Recurrence::new([squares]);
        let mut passes = WithScalar {
            solver: self,
            matrix,
            rhs,
            factor,
            alpha: 0.0,
            replace_below: Some(REPLACEMENT * squares.sqrt()),
        };
        recurrence.run(&mut passes, wanted)?;
        Ok(recurrence.iterations)
    }

    /// r = factor b, for x = 0; returns r r.
    fn take_right_side(&mut self, rhs: &[DVec3], factor: f64) -> f64 {
        let order = &self.order;
        set_residual(&mut self.r, &mut self.z, |position| {
            factor * rhs[order[position] as usize]
        })
    }
}

/// r by places, and z = r; returns r r.
fn set_residual(r: &mut [DVec3], z: &mut [Single], value: impl Fn(usize) -> DVec3 + Sync) -> f64 {
    let count = r.len();
    for_each_chunk_of_two(r, &mut z[..count], |first, r, z| {
        for (index, (r, z)) in r.iter_mut().zip(z).enumerate() {
            *r = value(first + index);
            *z = [r.x as f32, r.y as f32, r.z as f32, 0.0];
        }
    });
    dot(r, r)
}

/// A third of the trace of a diagonal block.
fn mean_diagonal(matrix: &BlockMatrix, row: usize) -> f64 {
    let block = matrix.block(matrix.diagonal_slot(row));
    (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0
}

fn weigh(weights: &[f32], z: &mut [Single]) {
    for_each_chunk_mut(z, |first, z| {
        for (z, &weight) in z.iter_mut().zip(&weights[first..]) {
            *z = z.map(|value| weight * value);
        }
    });
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
        let nodes = self.diagonal.len();
        let largest = (0..nodes)
            .map(|row| mean_diagonal(matrix, row))
            .fold(0.0, f64::max);
        if !(largest.is_finite() && largest > 0.0) {
            return Err(LinearError::NotFinite);
        }
        self.scale = 1.0 / largest;
        self.directions.hold(&[]);
        self.directions.begin(self.scale);
        let means = self.order[..nodes].iter();
        let means = means.map(|&row| self.directions.add_node(matrix, row as usize));
        for (diagonal, mean) in self.diagonal.iter_mut().zip(means) {
            *diagonal = mean.map_or(1.0, |mean| self.scale * mean);
        }
        // Two thirds of the directions of a sheet have all of its stiffness.
        self.is_sheet = 2 * self.directions.count() > nodes;
        let stiffness = if self.is_sheet { 1.5 } else { 1.0 };
        self.scalar.refill(matrix, stiffness * self.scale)?;
        self.coarse.refill(matrix, &self.order, self.scale);
        self.controls
            .find_weights(matrix, self.scalar.as_mut(), stiffness * self.scale);
        self.is_factorised = true;
        Ok(())
    }

    fn place(&mut self, positions: &[DVec3]) {
        self.coarse.place(&self.order, positions);
    }

    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        if !self.is_factorised {
            return self.plain.prepare(matrix);
        }
        self.take_weights(matrix);
        self.compact.fill(matrix, &self.order, self.scale);
        if !self.stiff.is_empty() {
            let nodes = self.diagonal.len();
            self.stiff
                .finish(&self.compact, matrix, &self.order, nodes, self.scale);
        }
        let rows: [&[u32]; 2] = [&self.order, &self.place];
        self.controls.prepare(matrix, rows, self.scale)
    }

    fn precondition(
        &mut self,
        _matrix: &BlockMatrix,
        r: &[DVec3],
        z: &mut [DVec3],
    ) -> Result<bool, LinearError> {
        if !self.is_factorised {
            return Ok(false);
        }
        let largest = r.iter().fold(0.0, |m: f64, r| m.max(r.abs().max_element()));
        if largest == 0.0 {
            z.fill(DVec3::ZERO);
            return Ok(true);
        }
        // Sizes near one, as single precision wants them.
        self.take_right_side(r, 1.0 / largest);
        self.apply_preconditioner();
        let back = largest * self.scale;
        for (&row, value) in self.order.iter().zip(&self.z) {
            let value = DVec3::new(
                f64::from(value[0]),
                f64::from(value[1]),
                f64::from(value[2]),
            );
            z[row as usize] = back * value;
        }
        Ok(true)
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
        for (&row, value) in self.order.iter().zip(&mut self.x) {
            *value = into * x[row as usize];
        }
        let iterations = self.iterate(matrix, rhs, factor, goal)?;
        for (&row, value) in self.order.iter().zip(&self.x) {
            x[row as usize] = *value / into;
        }
        Ok(iterations)
    }
}

#[cfg(test)]
mod tests;
