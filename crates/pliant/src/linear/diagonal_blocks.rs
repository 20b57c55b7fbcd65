//! A copy of a matrix of 3x3 blocks in `f32`, by its diagonals, for products on wide vectors.
//!
//! ```text
//! (A x)_i = D_i x_i + sum over offsets o of A_(i, i+o) (x_(i+o) - x_i),     D_i = sum over all j of A_ij
//! ```
//!
//! The blocks of a matrix over the nodes of a grid lie on a few diagonals: its column is its row plus
//! one of a few offsets. Rows are taken sixteen at a time. Stiffness is large and answers to
//! differences alone; taking these first loses no digits, so that `f32` serves stiff matrices.

use super::BlockMatrix;
use super::rough_iteration::RoughMatrix;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// Rows that are worked on together.
pub(crate) const LANES: usize = 16;

/// More diagonals than this are not worth it.
const MOST_OFFSETS: usize = 48;

/// Share of the stored blocks that must be in use.
const LEAST_USED: f64 = 0.6;

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
    offsets: Vec<i32>,
    /// Which diagonal each slot of the matrix is on; the main one is that beyond the last.
    diagonal_of: Vec<u8>,
    /// Nine lines by columns for each diagonal, D last, of sixteen rows each.
    lines: Vec<Line>,
    /// Room at the ends of fields.
    room: usize,
    /// Rows, rounded up.
    padded: usize,
}

impl DiagonalBlocks {
    /// Room for matrices with the pattern of `matrix`, if it has few diagonals.
    pub(crate) fn new(matrix: &BlockMatrix) -> Option<Self> {
        let count = matrix.node_count();
        let mut offsets: Vec<i32> = Vec::new();
        for row in 0..count {
            for slot in matrix.row_range(row) {
                let offset = matrix.column(slot) as i32 - row as i32;
                if offset != 0 && !offsets.contains(&offset) {
                    offsets.push(offset);
                    if offsets.len() > MOST_OFFSETS {
                        return None;
                    }
                }
            }
        }
        offsets.sort_unstable();
        let used = matrix.block_count() as f64 / (count * (offsets.len() + 1)).max(1) as f64;
        if used < LEAST_USED {
            return None;
        }
        let mut diagonal_of = Vec::with_capacity(matrix.block_count());
        for row in 0..count {
            for slot in matrix.row_range(row) {
                let offset = matrix.column(slot) as i32 - row as i32;
                let place = offsets.binary_search(&offset);
                diagonal_of.push(place.unwrap_or(offsets.len()) as u8);
            }
        }
        Some(Self {
            diagonal_of,
            ..Self::with_offsets(count, offsets)
        })
    }

    /// Zeros on the diagonals at these offsets and on the main one.
    pub(crate) fn with_offsets(count: usize, offsets: Vec<i32>) -> Self {
        let reach = offsets.iter().map(|o| o.unsigned_abs()).max().unwrap_or(0);
        let padded = count.next_multiple_of(LANES);
        Self {
            lines: vec![Line::ZERO; padded / LANES * ENTRIES * (offsets.len() + 1)],
            diagonal_of: Vec::new(),
            room: (reach as usize).next_multiple_of(LANES),
            padded,
            offsets,
        }
    }

    /// Lines of sixteen rows.
    pub(crate) fn lines_per_group(&self) -> usize {
        ENTRIES * (self.offsets.len() + 1)
    }

    /// All lines.
    pub(crate) fn lines_mut(&mut self) -> &mut [Line] {
        &mut self.lines
    }

    /// Offsets of the diagonals but the main one.
    pub(crate) fn offsets(&self) -> &[i32] {
        &self.offsets
    }

    /// The block of a row on a diagonal.
    pub(crate) fn block(&self, row: usize, diagonal: usize) -> DMat3 {
        let base = row / LANES * self.lines_per_group() + ENTRIES * diagonal;
        let value = |entry: usize| f64::from(self.lines[base + entry].0[row % LANES]);
        DMat3::from_cols_array(&std::array::from_fn(value))
    }

    /// A field of zeros.
    pub(crate) fn field(&self) -> LaneField {
        LaneField::new(self.padded + 2 * self.room)
    }

    /// Takes in the numbers.
    pub(crate) fn fill(&mut self, matrix: &BlockMatrix) {
        let main = self.offsets.len();
        for row in 0..matrix.node_count() {
            let mut sum = DMat3::ZERO;
            for slot in matrix.row_range(row) {
                let block = *matrix.block(slot);
                sum += block;
                let diagonal = usize::from(self.diagonal_of[slot]);
                if diagonal < main {
                    self.store(row, diagonal, block);
                }
            }
            self.store(row, main, sum);
        }
    }

    /// Puts the block of a row on a diagonal; that beyond the last offset is D.
    pub(crate) fn store(&mut self, row: usize, diagonal: usize, block: DMat3) {
        let base = row / LANES * self.lines_per_group() + ENTRIES * diagonal;
        for (entry, value) in block.to_cols_array().into_iter().enumerate() {
            self.lines[base + entry].0[row % LANES] = value as f32;
        }
    }

    /// y = A x; returns x y.
    pub(crate) fn multiply(&self, x: &LaneField, y: &mut LaneField) -> f64 {
        let mut product = 0.0;
        let [y0, y1, y2] = &mut y.axes;
        multiply(
            &self.lines,
            &self.offsets,
            self.room,
            [&x.axes[0], &x.axes[1], &x.axes[2]],
            [y0, y1, y2],
            &mut product,
        );
        product
    }
}

impl RoughMatrix for DiagonalBlocks {
    fn room(&self) -> usize {
        self.room
    }

    fn multiply(&self, x: &LaneField, y: &mut LaneField) -> f64 {
        Self::multiply(self, x, y)
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

    /// Puts the vector of a row.
    pub(crate) fn set(&mut self, place: usize, value: DVec3) {
        for (axis, value) in self.axes.iter_mut().zip(value.to_array()) {
            axis[place] = value as f32;
        }
    }

    /// Takes in vectors, multiplied by `scale`.
    pub(crate) fn take(&mut self, vectors: &[DVec3], room: usize, scale: f64) {
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
pub(crate) fn lanes_at(values: &[f32], place: usize) -> &Lanes {
    match values[place..place + LANES].first_chunk() {
        Some(lanes) => lanes,
        None => &[0.0; LANES],
    }
}

/// Adds the products of sixteen blocks with sixteen vectors.
#[inline(always)]
pub(crate) fn add_products(sums: &mut [Lanes; 3], blocks: &[Line], x: &[Lanes; 3]) {
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

for_this_processor! {
    fn multiply(
        lines: &[Line],
        offsets: &[i32],
        room: usize,
        x: [&[f32]; 3],
        y: [&mut [f32]; 3],
        product: &mut f64,
    ) {
        let mut total = [0.0_f64; LANES];
        for (group, blocks) in lines.chunks_exact(ENTRIES * (offsets.len() + 1)).enumerate() {
            let place = room + group * LANES;
            let own = [*lanes_at(x[0], place), *lanes_at(x[1], place), *lanes_at(x[2], place)];
            let mut sums = [[0.0; LANES]; 3];
            add_products(&mut sums, &blocks[offsets.len() * ENTRIES..], &own);
            for (&offset, blocks) in offsets.iter().zip(blocks.chunks_exact(ENTRIES)) {
                let other = place.wrapping_add_signed(offset as isize);
                let mut difference = own;
                for axis in 0..3 {
                    let x = lanes_at(x[axis], other);
                    for lane in 0..LANES {
                        difference[axis][lane] = x[lane] - own[axis][lane];
                    }
                }
                add_products(&mut sums, blocks, &difference);
            }
            for axis in 0..3 {
                y[axis][place..place + LANES].copy_from_slice(&sums[axis]);
                for lane in 0..LANES {
                    total[lane] += f64::from(sums[axis][lane] * own[axis][lane]);
                }
            }
        }
        *product = total.iter().sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        for (index, &(a, b)) in couplings.iter().enumerate() {
            let block = block_noise(index);
            matrix.add(a, b, block);
            matrix.add(b, a, block.transpose());
        }
        for node in 0..63 {
            matrix.add(node, node, block_noise(node + 10));
        }
        let mut compact = DiagonalBlocks::new(&matrix).unwrap();
        compact.fill(&matrix);
        let x = noise_vectors(63);
        let mut wanted = vec![DVec3::ZERO; 63];
        matrix.multiply(&x, &mut wanted);
        let (mut single, mut y) = (compact.field(), compact.field());
        single.take(&x, compact.room(), 1.0);
        let product = compact.multiply(&single, &mut y);
        let mut expected = 0.0;
        for (row, wanted) in wanted.iter().enumerate() {
            let found = y.get(compact.room() + row);
            assert!((found - *wanted).length() < 1e-5, "{found} {wanted}");
            expected += wanted.dot(x[row]);
        }
        assert!((product - expected).abs() < 1e-4);
    }

    #[test]
    fn a_matrix_without_diagonals_is_refused() {
        let couplings = (0..100).map(|a| (a, (a * 37 + 11) % 100));
        assert!(DiagonalBlocks::new(&BlockMatrix::new(100, couplings)).is_none());
    }
}
