//! Alternating directions: line relaxation over the directions of the grid in turn.
//!
//! For each direction and each line of nodes along it, the equations of the line are solved
//! exactly for its nodes while all others stay (a banded system, factorised L D L^T once). A sweep
//! runs through the directions and their lines and back again, so it is symmetric and can also
//! precondition conjugate gradients. Each solve lowers the energy x A x / 2 - b x, so the sweeps
//! converge for every symmetric positive definite matrix.
//!
//! A line of a periodic direction is a ring: its last nodes, as many as the stencil reaches, are
//! solved as a line of their own, which leaves both parts banded.
//!
//! Implements: the alternating-direction method of \[Terzopoulos1988\] section 5, which iterates
//! one-dimensional Cholesky solvers. Departure: Gauss-Seidel over the lines instead of the split
//! operators of \[Peaceman1955\], which would have to commute to converge surely.

use super::compressed::{Compressed, Part};
use super::lanes::{self, Lanes, add_scaled};
use super::method::{Goal, GridMethod};
use super::preconditioned::Preconditioner;
use super::relaxation::Relaxation;
use super::sor::sweep_until;
use super::{GridMatrix, LinearError};

/// Nodes that are solved together: `start`, `start + stride`, ...
#[derive(Clone, Copy, Debug)]
struct Line {
    start: usize,
    stride: usize,
    length: usize,
}

/// The lines of a direction and their factors.
struct Direction {
    lines: Vec<Line>,
    bandwidth: usize,
    /// For each node 1 / D and the entries of its row of L, nearest first.
    factors: Vec<f64>,
}

impl Direction {
    fn new(matrix: &GridMatrix, direction: usize) -> Self {
        let grid = matrix.grid();
        let counts = grid.counts();
        let count = counts[direction];
        let stride = counts[..direction].iter().product();
        let bandwidth = matrix.reach()[direction].min(count - 1);
        let mut lines = Vec::new();
        for (start, coordinates) in grid.nodes().enumerate() {
            if coordinates[direction] != 0 {
                continue;
            }
            let first = if grid.periodic()[direction] {
                count - bandwidth
            } else {
                count
            };
            for (begin, length) in [(0, first), (first, count - first)] {
                if length > 0 {
                    let start = start + begin * stride;
                    lines.push(Line {
                        start,
                        stride,
                        length,
                    });
                }
            }
        }
        Self {
            lines,
            bandwidth,
            factors: vec![0.0; (bandwidth + 1) * grid.node_count()],
        }
    }

    /// Factorises all lines; fails with the node whose pivot is not positive.
    fn factorise(&mut self, matrix: &GridMatrix) -> Result<(), usize> {
        let width = self.bandwidth + 1;
        let factors = &mut self.factors;
        let entry = |node: usize, distance: usize| {
            let slot = matrix.diagonal_of(-(distance as isize));
            slot.map_or(0.0, |slot| matrix.values(slot)[node])
        };
        for line in &self.lines {
            for k in 0..line.length {
                let node = line.start + k * line.stride;
                let reach = self.bandwidth.min(k);
                let mut pivot = entry(node, 0);
                // Row k of L D first, from the furthest column; then divided by D.
                for m in (1..=reach).rev() {
                    let column = node - m * line.stride;
                    let mut value = entry(node, m * line.stride);
                    for t in m + 1..=reach {
                        value -= factors[node * width + t] * factors[column * width + t - m];
                    }
                    factors[node * width + m] = value;
                }
                for m in 1..=reach {
                    let scaled = factors[node * width + m];
                    let l = scaled * factors[(node - m * line.stride) * width];
                    pivot -= scaled * l;
                    factors[node * width + m] = l;
                }
                if pivot.is_nan() || pivot <= 0.0 {
                    return Err(node);
                }
                factors[node * width] = 1.0 / pivot;
            }
        }
        Ok(())
    }

    /// Solves a line for its nodes.
    fn relax(&self, line: Line, rows: &Relaxation, b: &[Lanes], x: &mut [Lanes], y: &mut [Lanes]) {
        let width = self.bandwidth + 1;
        for k in 0..line.length {
            let node = line.start + k * line.stride;
            let mut value = rows.residual(node, b, x);
            for m in 1..=self.bandwidth.min(k) {
                value = add_scaled(value, -self.factors[node * width + m], y[k - m]);
            }
            y[k] = value;
        }
        for k in (0..line.length).rev() {
            let node = line.start + k * line.stride;
            let mut value = y[k].map(|value| value * self.factors[node * width]);
            for m in 1..=self.bandwidth.min(line.length - 1 - k) {
                let l = self.factors[(node + m * line.stride) * width + m];
                value = add_scaled(value, -l, y[k + m]);
            }
            y[k] = value;
        }
        for (k, y) in y[..line.length].iter().enumerate() {
            let node = line.start + k * line.stride;
            x[node] = add_scaled(x[node], 1.0, *y);
        }
    }
}

/// Line relaxation of a grid matrix; see the module.
pub(crate) struct Adi {
    rows: Relaxation,
    directions: Vec<Direction>,
    line: Vec<Lanes>,
    b: Vec<Lanes>,
    x: Vec<Lanes>,
}

impl Adi {
    /// Memory for matrices like `matrix`.
    pub(crate) fn new(matrix: &GridMatrix) -> Self {
        let counts = matrix.grid().counts();
        let n = matrix.node_count();
        let directions = (0..3)
            .filter(|&d| counts[d] > 1 || (d == 0 && n == 1))
            .map(|d| Direction::new(matrix, d))
            .collect();
        let longest = counts.into_iter().max().unwrap_or(1);
        Self {
            rows: Relaxation::new(Compressed::of_grid(matrix, Part::Rows)),
            directions,
            line: vec![[0.0; 4]; longest],
            b: vec![[0.0; 4]; n],
            x: vec![[0.0; 4]; n],
        }
    }

    fn refill(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        let failed = |row| LinearError::NotPositiveDefinite { row };
        self.rows.matrix.refill_from_grid(matrix);
        self.rows.refresh().map_err(failed)?;
        for direction in &mut self.directions {
            direction.factorise(matrix).map_err(failed)?;
        }
        Ok(())
    }
}

/// All lines of all directions, forth and back.
fn sweep(
    directions: &[Direction],
    rows: &Relaxation,
    b: &[Lanes],
    x: &mut [Lanes],
    y: &mut [Lanes],
) {
    for direction in directions {
        for &line in &direction.lines {
            direction.relax(line, rows, b, x, y);
        }
    }
    for direction in directions.iter().rev() {
        for &line in direction.lines.iter().rev() {
            direction.relax(line, rows, b, x, y);
        }
    }
}

impl GridMethod for Adi {
    fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.refill(matrix)
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
        let (directions, rows, b, y) = (&self.directions, &self.rows, &self.b, &mut self.line);
        let done = sweep_until(
            goal,
            &mut self.x,
            |x| sweep(directions, rows, b, x, y),
            |x| rows.residual_norm(b, x),
        )?;
        lanes::scatter(&self.x, x);
        Ok(done)
    }
}

impl Preconditioner for Adi {
    fn new(matrix: &GridMatrix) -> Self {
        Self::new(matrix)
    }

    fn refill(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.refill(matrix)
    }

    fn apply(&mut self, r: &[Lanes], z: &mut [Lanes]) {
        z.fill([0.0; 4]);
        sweep(&self.directions, &self.rows, r, z, &mut self.line);
    }

    fn multiply(&self, p: &[Lanes], q: &mut [Lanes]) {
        self.rows.multiply(p, q);
    }
}
