//! A symmetric matrix over the nodes of a grid, stored by diagonals.
//!
//! A stencil couples every node with the same few neighbours, so the nonzero entries lie on a few
//! diagonals: `A[i, i + o] = D_o[i]`. One such matrix acts on the x, y and z components of a field
//! alike; fields are flat and component-major (all x, all y, all z). Both signs of each offset are
//! stored, so that a product only gathers:
//!
//! y_i = sum over o of D_o[i] x_{i + o}
//!
//! Implements: \[Terzopoulos1988\] the matrix A_t of eq. 40 (storage only).

use super::aligned::{AlignedArray, PaddedField, whole_blocks};
use super::diagonals::{Segment, both_signs, flat_offsets, rows_inside, segments};
use super::kernels::{self, Term};
use crate::grid::Grid;
use crate::math::parallel::{CHUNK, runs_in_parallel};
use rayon::prelude::*;

/// Marks an offset that is not stored in the table of slots.
const ABSENT: u32 = u32::MAX;

/// A symmetric matrix over grid nodes, stored by diagonals; see the module.
#[derive(Clone, Debug)]
pub struct GridMatrix {
    grid: Grid,
    steps: Vec<[i32; 3]>,
    offsets: Vec<isize>,
    slots: Vec<u32>,
    furthest: isize,
    values: AlignedArray,
    stride: usize,
    segments: Vec<Segment>,
    terms: Vec<Term>,
}

impl GridMatrix {
    /// Takes over the values of a matrix of the same pattern.
    pub fn copy_values(&mut self, from: &GridMatrix) {
        for slot in 0..from.offsets().len() {
            self.values_mut(slot).copy_from_slice(from.values(slot));
        }
    }

    /// A zero matrix whose nodes are coupled by `steps` of the grid. One of each pair of opposite
    /// steps is enough; the diagonal is always there. Periodic directions add the offsets of the
    /// wrapped steps.
    pub fn new(grid: &Grid, steps: &[[i32; 3]]) -> Self {
        let n = grid.node_count();
        let steps = both_signs(steps);
        let offsets = flat_offsets(grid, &steps);
        let furthest = offsets.iter().map(|o| o.abs()).max().unwrap_or(0);
        let mut slots = vec![ABSENT; 2 * furthest as usize + 1];
        for (slot, offset) in offsets.iter().enumerate() {
            slots[(offset + furthest) as usize] = slot as u32;
        }
        // An odd number of cache lines a diagonal, else all diagonals of a row compete for the
        // same few places in the cache.
        let stride = ((whole_blocks(n) / 8) | 1) * 8;
        let (segments, terms) = segments(n, &offsets, stride);
        Self {
            grid: grid.clone(),
            values: AlignedArray::new(stride * offsets.len()),
            steps,
            offsets,
            slots,
            furthest,
            stride,
            segments,
            terms,
        }
    }

    /// Number of nodes: rows and columns.
    pub fn node_count(&self) -> usize {
        self.grid.node_count()
    }

    /// The grid the nodes belong to.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The grid steps of the stencil: both signs of each, and the step of length zero.
    pub fn steps(&self) -> &[[i32; 3]] {
        &self.steps
    }

    /// The longest step in each direction, in nodes.
    pub fn reach(&self) -> [usize; 3] {
        std::array::from_fn(|d| {
            let lengths = self.steps.iter().map(|step| step[d].unsigned_abs());
            lengths.max().unwrap_or(0) as usize
        })
    }

    /// Flat offset (column minus row) of each stored diagonal, ascending, both signs.
    pub fn offsets(&self) -> &[isize] {
        &self.offsets
    }

    /// The slot of the diagonal with a flat offset.
    pub fn diagonal_of(&self, offset: isize) -> Option<usize> {
        if offset.abs() > self.furthest {
            return None;
        }
        let slot = self.slots[(offset + self.furthest) as usize];
        (slot != ABSENT).then_some(slot as usize)
    }

    /// The entries `A[i, i + offset]` of a diagonal, one per node.
    pub fn values(&self, slot: usize) -> &[f64] {
        let start = slot * self.stride;
        &self.values.as_slice()[start..start + self.grid.node_count()]
    }

    /// The entries `A[i, i + offset]` of a diagonal, one per node. Entries whose column is not a
    /// neighbour of the row must stay zero.
    pub fn values_mut(&mut self, slot: usize) -> &mut [f64] {
        let start = slot * self.stride;
        let end = start + self.grid.node_count();
        &mut self.values.as_mut_slice()[start..end]
    }

    /// All stored numbers; entry `row` of `slot` is at [`GridMatrix::index_of`].
    pub(crate) fn stored(&self) -> &[f64] {
        self.values.as_slice()
    }

    /// Where an entry lies in [`GridMatrix::stored`].
    pub(crate) fn index_of(&self, slot: usize, row: usize) -> usize {
        slot * self.stride + row
    }

    /// The columns coupled with a row, with their slots, ascending by column and without
    /// duplicates; `found` is cleared first.
    pub(crate) fn couplings_of(&self, row: usize, found: &mut Vec<(usize, usize)>) {
        found.clear();
        let coordinates = self.grid.coordinates(row);
        for step in &self.steps {
            if let Some(column) = self.grid.neighbour(coordinates, *step)
                && let Some(slot) = self.diagonal_of(column as isize - row as isize)
            {
                found.push((column, slot));
            }
        }
        found.sort_unstable();
        found.dedup();
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.values.as_mut_slice().fill(0.0);
    }

    /// Adds to `A[row, column]`. The caller adds the mirrored entry too.
    ///
    /// # Panics
    /// If the stencil does not couple the two nodes.
    #[inline]
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        let offset = column as isize - row as isize + self.furthest;
        let slot = self.slots[offset as usize];
        debug_assert!(slot != ABSENT, "nodes {row} and {column} are not coupled");
        debug_assert!(row < self.grid.node_count() && column < self.grid.node_count());
        self.values.as_mut_slice()[slot as usize * self.stride + row] += value;
    }

    /// Turns the rows and columns of fixed nodes into those of the identity: their off-diagonal
    /// entries become zero both ways and their diagonal entries one.
    ///
    /// # Panics
    /// If there is not one flag per node.
    pub fn scale_identity_rows(&mut self, fixed: &[bool]) {
        let n = self.grid.node_count();
        assert_eq!(fixed.len(), n);
        for slot in 0..self.offsets.len() {
            let offset = self.offsets[slot];
            let (low, high) = rows_inside(n, offset);
            let identity = if offset == 0 { 1.0 } else { 0.0 };
            let values = self.values_mut(slot);
            for row in low..high {
                if fixed[row] || fixed[(row as isize + offset) as usize] {
                    values[row] = identity;
                }
            }
        }
    }

    /// y = A x for the three components of flat, component-major fields.
    ///
    /// # Panics
    /// If the fields have not three times as many values as there are nodes.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        let n = self.node_count();
        assert!(x.len() == 3 * n && y.len() == 3 * n);
        let (y0, rest) = y.split_at_mut(n);
        let (y1, y2) = rest.split_at_mut(n);
        if runs_in_parallel(n) {
            (
                y0.par_chunks_mut(CHUNK),
                y1.par_chunks_mut(CHUNK),
                y2.par_chunks_mut(CHUNK),
            )
                .into_par_iter()
                .enumerate()
                .for_each(|(index, (y0, y1, y2))| {
                    self.multiply_rows(x, index * CHUNK, [y0, y1, y2]);
                });
        } else {
            self.multiply_rows(x, 0, [y0, y1, y2]);
        }
    }

    /// The rows from `first` on of a product with an unpadded field.
    fn multiply_rows(&self, x: &[f64], first: usize, mut y: [&mut [f64]; 3]) {
        let n = self.node_count();
        let values = self.values.as_slice();
        let end = first + y[0].len();
        for segment in &self.segments {
            let low = segment.rows.start.max(first);
            let high = segment.rows.end.min(end);
            if low >= high {
                continue;
            }
            let terms = &self.terms[segment.terms.clone()];
            let rows = low - first..high - first;
            let inside = kernels::product_unpadded(
                values,
                terms,
                x,
                low,
                y.each_mut().map(|c| &mut c[rows.clone()]),
            );
            for row in low + inside..high {
                let mut sum = [0.0; 3];
                for term in terms {
                    let column = row as isize + term.offset;
                    if (0..n as isize).contains(&column) {
                        let value = values[term.start + row];
                        for (c, sum) in sum.iter_mut().enumerate() {
                            *sum += value * x[c * n + column as usize];
                        }
                    }
                }
                for (y, sum) in y.iter_mut().zip(sum) {
                    y[row - first] = sum;
                }
            }
        }
    }

    /// q = A p for the rows from `first` on (whole blocks), with the sums of p q over them.
    pub(crate) fn multiply_block_rows(
        &self,
        p: &PaddedField,
        first: usize,
        mut q: [&mut [f64]; 3],
    ) -> [f64; 3] {
        let end = first + q[0].len();
        let mut sums = [0.0; 3];
        for segment in &self.segments {
            let low = segment.rows.start.max(first);
            let high = segment.rows.end.min(end);
            if low >= high {
                continue;
            }
            let rows = low - first..high - first;
            let part = kernels::product(
                self.values.as_slice(),
                &self.terms[segment.terms.clone()],
                p.padded(),
                low,
                q.each_mut().map(|c| &mut c[rows.clone()]),
            );
            for (sum, part) in sums.iter_mut().zip(part) {
                *sum += part;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::{THIRTEEN, grids, noise, random_matrix};

    fn dense_product(matrix: &GridMatrix, x: &[f64]) -> Vec<f64> {
        let n = matrix.node_count();
        let mut y = vec![0.0; 3 * n];
        for (slot, &offset) in matrix.offsets().iter().enumerate() {
            for (row, value) in matrix.values(slot).iter().enumerate() {
                let column = row as isize + offset;
                if (0..n as isize).contains(&column) {
                    for c in 0..3 {
                        y[c * n + row] += value * x[c * n + column as usize];
                    }
                }
            }
        }
        y
    }

    #[test]
    fn product_agrees_with_the_plain_double_loop() {
        for grid in grids() {
            let matrix = random_matrix(&grid);
            let n = grid.node_count();
            let x = noise(3 * n);
            let expected = dense_product(&matrix, &x);
            let mut y = vec![f64::NAN; 3 * n];
            matrix.multiply(&x, &mut y);
            let mut p = PaddedField::new(n);
            let mut q = PaddedField::new(n);
            p.copy_from(&x);
            let sums = matrix.multiply_block_rows(&p, 0, q.components_mut());
            let padded = q.components().map(|component| &component[..n]).concat();
            for i in 0..3 * n {
                assert!((y[i] - expected[i]).abs() <= 1e-12 * expected[i].abs().max(1.0));
                assert_eq!(y[i], padded[i]);
            }
            for (c, from_kernel) in sums.into_iter().enumerate() {
                let range = c * n..(c + 1) * n;
                let sum: f64 = x[range.clone()]
                    .iter()
                    .zip(&y[range])
                    .map(|(a, b)| a * b)
                    .sum();
                assert!((sum - from_kernel).abs() <= 1e-11 * sum.abs().max(1.0));
            }
        }
    }

    #[test]
    fn offsets_have_both_signs_and_wrap_in_periodic_directions() {
        let open = GridMatrix::new(
            &Grid::new(&[5, 4], &[false, false]),
            &[[1, 0, 0], [0, 1, 0]],
        );
        assert_eq!(open.offsets(), [-5, -1, 0, 1, 5]);
        let closed = GridMatrix::new(&Grid::new(&[5, 4], &[true, false]), &[[1, 0, 0]]);
        assert_eq!(closed.offsets(), [-4, -1, 0, 1, 4]);
        assert_eq!(closed.diagonal_of(4), Some(4));
        assert_eq!(closed.diagonal_of(3), None);
        assert_eq!(closed.diagonal_of(400), None);
    }

    #[test]
    fn every_neighbour_has_a_slot() {
        for grid in grids() {
            let matrix = GridMatrix::new(&grid, &THIRTEEN);
            for (row, coordinates) in grid.nodes().enumerate() {
                for step in matrix.steps() {
                    if let Some(column) = grid.neighbour(coordinates, *step) {
                        assert!(matrix.diagonal_of(column as isize - row as isize).is_some());
                    }
                }
            }
        }
    }

    #[test]
    fn fixed_rows_become_identity_both_ways() {
        let grid = Grid::new(&[4, 3], &[true, false]);
        let mut matrix = random_matrix(&grid);
        let mut fixed = vec![false; 12];
        fixed[5] = true;
        matrix.scale_identity_rows(&fixed);
        let mut x = vec![0.0; 36];
        x[5] = 3.0;
        let mut y = vec![0.0; 36];
        matrix.multiply(&x, &mut y);
        assert_eq!(y, x);
        let x = noise(36);
        matrix.multiply(&x, &mut y);
        assert_eq!(y[5], x[5]);
    }
}
