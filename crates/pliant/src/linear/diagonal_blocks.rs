//! A symmetric matrix of 3x3 blocks in `f32`, by its diagonals, for products on wide vectors.
//!
//! ```text
//! (A x)_i = D_i x_i + Σ over j of A_ij (x_j - x_i),    j = i + o and i - o,    A_ij = A_jiᵀ
//! ```
//!
//! The blocks of a matrix over the nodes of a grid lie on a few diagonals: its column is its row plus
//! or minus one of a few offsets o. Those after the main one are kept; a block that serves both of its
//! rows is read once. Rows are taken sixteen at a time. Stiffness is large and answers to differences
//! alone; taking these first loses no digits, so that `f32` serves stiff matrices.

use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// Rows that are worked on together.
pub(crate) const LANES: usize = 16;

/// Sixteen numbers, one for each row.
pub(crate) type Lanes = [f32; LANES];

/// Sixteen numbers on one line of the cache: those that lie across two are read at half the speed.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) Lanes);

impl Line {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);
}

/// Numbers of a block.
pub(crate) const ENTRIES: usize = 9;

/// A field with three components over the rows, each with room at both ends.
#[derive(Clone, Debug)]
pub(crate) struct LaneField {
    pub(crate) axes: [Vec<f32>; 3],
}

/// The matrix; see the module.
#[derive(Clone, Debug)]
pub(crate) struct DiagonalBlocks {
    offsets: Vec<usize>,
    /// Nine lines by columns for each diagonal, D last, of sixteen rows each.
    lines: Vec<Line>,
    /// Room at the ends of fields.
    room: usize,
    /// Rows, rounded up.
    padded: usize,
}

impl DiagonalBlocks {
    /// Zeros on the diagonals at these offsets and on the main one.
    pub(crate) fn with_offsets(count: usize, offsets: Vec<usize>) -> Self {
        let reach = offsets.iter().copied().max().unwrap_or(0);
        let padded = count.next_multiple_of(LANES);
        Self {
            lines: vec![Line::ZERO; padded / LANES * ENTRIES * (offsets.len() + 1)],
            room: reach.next_multiple_of(LANES),
            padded,
            offsets,
        }
    }

    /// Lines of sixteen rows.
    pub(crate) fn lines_per_group(&self) -> usize {
        ENTRIES * (self.offsets.len() + 1)
    }

    /// All lines.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// All lines.
    pub(crate) fn lines_mut(&mut self) -> &mut [Line] {
        &mut self.lines
    }

    /// Offsets of the diagonals but the main one.
    pub(crate) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The block of a row on a diagonal.
    pub(crate) fn block(&self, row: usize, diagonal: usize) -> DMat3 {
        let base = row / LANES * self.lines_per_group() + ENTRIES * diagonal;
        let value = |entry: usize| f64::from(self.lines[base + entry].0[row % LANES]);
        DMat3::from_cols_array(&std::array::from_fn(value))
    }

    /// Where the first row stands in a field.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// A field of zeros.
    pub(crate) fn field(&self) -> LaneField {
        LaneField::new(self.padded + 2 * self.room)
    }

    /// Puts the block of a row on a diagonal; that beyond the last offset is D.
    pub(crate) fn store(&mut self, row: usize, diagonal: usize, block: DMat3) {
        let base = row / LANES * self.lines_per_group() + ENTRIES * diagonal;
        for (entry, value) in block.to_cols_array().into_iter().enumerate() {
            self.lines[base + entry].0[row % LANES] = value as f32;
        }
    }

    /// y = A x.
    pub(crate) fn multiply(&self, x: &LaneField, y: &mut LaneField) {
        y.axes.iter_mut().for_each(|axis| axis.fill(0.0));
        let [y0, y1, y2] = &mut y.axes;
        multiply(
            &self.lines,
            &self.offsets,
            self.room,
            [&x.axes[0], &x.axes[1], &x.axes[2]],
            [y0, y1, y2],
        );
    }
}

impl LaneField {
    /// A field of zeros, with room for so many numbers per axis.
    pub(crate) fn new(length: usize) -> Self {
        let axis = vec![0.0; length];
        Self {
            axes: [axis.clone(), axis.clone(), axis],
        }
    }

    /// Takes in vectors, multiplied by `scale`.
    pub(crate) fn fill_from(&mut self, vectors: &[DVec3], room: usize, scale: f64) {
        for (row, vector) in vectors.iter().enumerate() {
            for (axis, value) in self.axes.iter_mut().zip(vector.to_array()) {
                axis[room + row] = (scale * value) as f32;
            }
        }
    }

    /// The vector of a row.
    pub(crate) fn get(&self, place: usize) -> DVec3 {
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(self.axes[axis][place]));
        DVec3::new(x, y, z)
    }
}

/// Sixteen numbers from a place on.
#[inline(always)]
fn lanes_at(values: &[f32], place: usize) -> &Lanes {
    match values[place..place + LANES].first_chunk() {
        Some(lanes) => lanes,
        None => &[0.0; LANES],
    }
}

/// Adds the products of sixteen blocks with sixteen vectors.
#[inline(always)]
fn add_products(sums: &mut [Lanes; 3], blocks: &[Line], x: &[Lanes; 3]) {
    let blocks = &blocks[..ENTRIES];
    for (column, x) in x.iter().enumerate() {
        for (row, sum) in sums.iter_mut().enumerate() {
            let entries = &blocks[3 * column + row].0;
            for lane in 0..LANES {
                sum[lane] += entries[lane] * x[lane];
            }
        }
    }
}

/// Takes away the products of sixteen transposed blocks with sixteen vectors.
#[inline(always)]
fn subtract_transposed(sums: [&mut Lanes; 3], blocks: &[Line], x: &[Lanes; 3]) {
    let blocks = &blocks[..ENTRIES];
    for (row, sum) in sums.into_iter().enumerate() {
        let [a, b, c] = [
            &blocks[3 * row].0,
            &blocks[3 * row + 1].0,
            &blocks[3 * row + 2].0,
        ];
        for lane in 0..LANES {
            sum[lane] -= a[lane] * x[0][lane] + b[lane] * x[1][lane] + c[lane] * x[2][lane];
        }
    }
}

for_this_processor! {
    fn multiply(
        lines: &[Line],
        offsets: &[usize],
        room: usize,
        x: [&[f32]; 3],
        y: [&mut [f32]; 3],
    ) {
        let [y0, y1, y2] = y;
        for (group, blocks) in lines.chunks_exact(ENTRIES * (offsets.len() + 1)).enumerate() {
            let place = room + group * LANES;
            let here = [*lanes_at(x[0], place), *lanes_at(x[1], place), *lanes_at(x[2], place)];
            let mut sums = [[0.0; LANES]; 3];
            add_products(&mut sums, &blocks[offsets.len() * ENTRIES..], &here);
            for (&offset, blocks) in offsets.iter().zip(blocks.chunks_exact(ENTRIES)) {
                let other = place + offset;
                let mut difference = here;
                for axis in 0..3 {
                    let x = lanes_at(x[axis], other);
                    for lane in 0..LANES {
                        difference[axis][lane] = x[lane] - here[axis][lane];
                    }
                }
                add_products(&mut sums, blocks, &difference);
                if let (Some(y0), Some(y1), Some(y2)) = (
                    y0[other..].first_chunk_mut(),
                    y1[other..].first_chunk_mut(),
                    y2[other..].first_chunk_mut(),
                ) {
                    subtract_transposed([y0, y1, y2], blocks, &difference);
                }
            }
            for (y, sums) in [&mut *y0, &mut *y1, &mut *y2].into_iter().zip(&sums) {
                for (y, sum) in y[place..place + LANES].iter_mut().zip(sums) {
                    *y += sum;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::BlockMatrix;
    use crate::linear::test_systems::{block_noise, noise_vectors};

    #[test]
    fn products_are_those_of_the_matrix() {
        // A grid of 7 x 9 nodes with couplings to the neighbours along and across.
        let node = |i: usize, j: usize| 7 * j + i;
        let mut couplings = Vec::new();
        for j in 0..9 {
            for i in 0..7 {
                if i < 6 {
                    couplings.push((node(i, j), node(i + 1, j)));
                }
                if j < 8 {
                    couplings.push((node(i, j), node(i, j + 1)));
                }
            }
        }
        let mut matrix = BlockMatrix::new(63, couplings.iter().copied());
        let mut compact = DiagonalBlocks::with_offsets(63, vec![1, 7]);
        let mut sums = [DMat3::ZERO; 63];
        for (index, &(a, b)) in couplings.iter().enumerate() {
            let block = block_noise(index);
            matrix.add(a, b, block);
            matrix.add(b, a, block.transpose());
            let diagonal = usize::from(b - a == 7);
            compact.store(a, diagonal, block);
            sums[a] += block;
            sums[b] += block.transpose();
        }
        for (node, sum) in sums.into_iter().enumerate() {
            matrix.add(node, node, block_noise(node + 10));
            compact.store(node, 2, sum + block_noise(node + 10));
        }
        let x = noise_vectors(63);
        let mut wanted = vec![DVec3::ZERO; 63];
        matrix.multiply(&x, &mut wanted);
        let (mut single, mut y) = (compact.field(), compact.field());
        single.fill_from(&x, compact.room(), 1.0);
        compact.multiply(&single, &mut y);
        for (row, wanted) in wanted.iter().enumerate() {
            let found = y.get(compact.room() + row);
            assert!((found - *wanted).length() < 1e-5, "{found} {wanted}");
        }
    }
}
