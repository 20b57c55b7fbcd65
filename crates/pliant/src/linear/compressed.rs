//! Scalar matrices in compressed rows or columns, refilled in place from grid or block matrices.
//!
//! Direct solvers, relaxation and multigrid want the entries of a line together. The pattern and
//! the place each entry comes from are found once; taking in new numbers is then one pass.

use super::{BlockMatrix, GridMatrix};
use faer::sparse::SymbolicSparseColMatRef;

/// Which entries of the matrix are kept, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All entries, row after row.
    Rows,
    /// All entries, column after column.
    Columns,
    /// The entries on and below the diagonal of a symmetric matrix, column after column.
    LowerColumns,
}

/// A scalar matrix in compressed lines (rows or columns), indices ascending in each line.
#[derive(Clone, Debug)]
pub(crate) struct Compressed {
    /// Where each line starts, and the number of entries.
    pub(crate) starts: Vec<u32>,
    /// Column (or row) of each entry.
    pub(crate) indices: Vec<u32>,
    /// The entries.
    pub(crate) values: Vec<f64>,
    /// Where each entry is found in the matrix it is taken from.
    sources: Vec<u32>,
}

impl Compressed {
    fn with_lines(count: usize) -> Self {
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        Self {
            starts,
            indices: Vec::new(),
            values: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// A zero matrix with a pattern of its own.
    pub(crate) fn from_pattern(starts: Vec<u32>, indices: Vec<u32>) -> Self {
        Self {
            values: vec![0.0; indices.len()],
            starts,
            indices,
            sources: Vec::new(),
        }
    }

    fn end_line(&mut self) {
        self.starts.push(self.indices.len() as u32);
        self.values.resize(self.indices.len(), 0.0);
    }

    /// The pattern of a grid matrix.
    pub(crate) fn of_grid(matrix: &GridMatrix, part: Part) -> Self {
        let n = matrix.node_count();
        let mut result = Self::with_lines(n);
        let mut found = Vec::new();
        for line in 0..n {
            matrix.couplings_of(line, &mut found);
            for &(other, slot) in &found {
                if part == Part::LowerColumns && other < line {
                    continue;
                }
                let mirrored = matrix.diagonal_of(line as isize - other as isize);
                let source = match (part, mirrored) {
                    (Part::Rows, _) | (_, None) => matrix.index_of(slot, line),
                    (_, Some(mirrored)) => matrix.index_of(mirrored, other),
                };
                result.indices.push(other as u32);
                result.sources.push(source as u32);
            }
            result.end_line();
        }
        result
    }

    /// The pattern of a block matrix, three lines per node.
    pub(crate) fn of_blocks(matrix: &BlockMatrix, part: Part) -> Self {
        let n = matrix.node_count();
        let mut result = Self::with_lines(3 * n);
        for node in 0..n {
            for component in 0..3 {
                let line = 3 * node + component;
                for slot in matrix.row_range(node) {
                    let other = matrix.column(slot);
                    let mirrored = matrix.slot(other, node).unwrap_or(slot);
                    for c in 0..3 {
                        if part == Part::LowerColumns && 3 * other + c < line {
                            continue;
                        }
                        // Blocks are stored by columns: entry (row, column) is at row + 3 column.
                        let source = match part {
                            Part::Rows => 9 * slot + component + 3 * c,
                            _ => 9 * mirrored + c + 3 * component,
                        };
                        result.indices.push((3 * other + c) as u32);
                        result.sources.push(source as u32);
                    }
                }
                result.end_line();
            }
        }
        result
    }

    /// Number of lines.
    pub(crate) fn line_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The pattern as the library of direct solvers sees it, where lines are columns.
    pub(crate) fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        let n = self.line_count();
        SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.indices)
    }

    /// The entries of a line, as a range of indices and values.
    #[inline]
    pub(crate) fn line(&self, line: usize) -> std::ops::Range<usize> {
        self.starts[line] as usize..self.starts[line + 1] as usize
    }

    /// Takes in the numbers of a grid matrix with the pattern it was built for.
    pub(crate) fn refill_from_grid(&mut self, matrix: &GridMatrix) {
        let stored = matrix.stored();
        for (value, &source) in self.values.iter_mut().zip(&self.sources) {
            *value = stored[source as usize];
        }
    }

    /// Takes in the numbers of a block matrix with the pattern it was built for.
    pub(crate) fn refill_from_blocks(&mut self, matrix: &BlockMatrix) {
        for (value, &source) in self.values.iter_mut().zip(&self.sources) {
            let within = source as usize % 9;
            *value = matrix.block(source as usize / 9).col(within / 3)[within % 3];
        }
    }
}
