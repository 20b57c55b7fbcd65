//! A symmetric matrix of 3x3 blocks over the nodes of an open grid, in `f32`, by its stencil.
//!
//! ```text
//! (A x)_i = D_i x_i + Σ over neighbours j of A_ij (x_j - x_i)
//! ```
//!
//! The blocks with the neighbours after a node are kept, at the offsets to them; those with the
//! neighbours before it are transposes. Elasticity answers to differences alone, so that D, the sum of a row, is
//! what inertia, loads and contact add; products are those of `diagonal_blocks.rs`.

use super::diagonal_blocks::{DiagonalBlocks, ENTRIES, LaneField, Line};
use super::node_directions::Held;
use super::swept_matrix::SweptMatrix;
use super::{BlockMatrix, LinearError};
use glam::{DMat3, DVec3};

/// What contact asks of a matrix and adds to it: the blocks of nodes with themselves.
pub(crate) trait NodeBlocks {
    /// The block of a node with itself.
    fn diagonal_block(&self, node: usize) -> DMat3;

    /// Adds to the block of a node with itself.
    fn add_to_diagonal(&mut self, node: usize, block: DMat3);
}

impl NodeBlocks for BlockMatrix {
    fn diagonal_block(&self, node: usize) -> DMat3 {
        *self.block(self.diagonal_slot(node))
    }

    fn add_to_diagonal(&mut self, node: usize, block: DMat3) {
        self.add_at(self.diagonal_slot(node), block);
    }
}

/// The matrix; see the module.
#[derive(Clone, Debug)]
pub struct StencilBlocks {
    blocks: DiagonalBlocks,
    count: usize,
    /// Nodes of a row of the grid.
    width: usize,
    /// Blocks of nodes with themselves.
    diagonal: Vec<DMat3>,
    /// D.
    added: Vec<DMat3>,
}

/// What an energy fills: see [`StencilBlocks::refill`].
pub(crate) struct StencilTarget<'a> {
    /// Nine lines of sixteen nodes each for every offset to a neighbour after a node.
    pub(crate) lines: &'a mut [Line],
    /// Lines of sixteen nodes.
    pub(crate) lines_per_group: usize,
    /// Blocks of nodes with themselves.
    pub(crate) diagonal: &'a mut [DMat3],
}

impl StencilBlocks {
    /// Zeros for nodes in rows of `width` that are coupled with those at the offsets before and after them.
    pub(crate) fn new(count: usize, width: usize, offsets: &[usize]) -> Self {
        Self {
            blocks: DiagonalBlocks::with_offsets(count, offsets.to_vec()),
            count,
            width,
            diagonal: vec![DMat3::ZERO; count],
            added: vec![DMat3::ZERO; count],
        }
    }

    /// A field of zeros.
    pub(crate) fn field(&self) -> LaneField {
        self.blocks.field()
    }

    /// The blocks, to be filled with elasticity.
    pub(crate) fn refill(&mut self) -> StencilTarget<'_> {
        StencilTarget {
            lines_per_group: self.blocks.lines_per_group(),
            lines: self.blocks.lines_mut(),
            diagonal: &mut self.diagonal,
        }
    }

    /// Says what is added to the elasticity of a node, once after `refill`.
    pub(crate) fn set_added(&mut self, node: usize, block: DMat3) {
        self.diagonal[node] += block;
        self.added[node] = block;
    }

    /// Σ_i tr A_ii / Σ_ij tr A_ij; infinite where there is no inertia.
    pub(crate) fn stiffness_ratio(&self) -> f64 {
        let trace = |block: &DMat3| block.x_axis.x + block.y_axis.y + block.z_axis.z;
        let of_diagonal: f64 = self.diagonal.iter().map(trace).sum();
        let all: f64 = self.added.iter().map(trace).sum();
        if all > 0.0 {
            of_diagonal / all
        } else {
            f64::INFINITY
        }
    }

    /// Takes over what was added to the diagonal, after which products are those of the whole matrix.
    pub(crate) fn finish(&mut self) {
        let main = self.blocks.offsets().len();
        for (node, block) in self.added.iter().enumerate() {
            self.blocks.store(node, main, *block);
        }
    }

    /// Calls `visit` with every other node that a node is coupled with and Aᵀ v for the block in the
    /// row of `node`.
    pub(crate) fn visit_row(&self, node: usize, v: DVec3, mut visit: impl FnMut(usize, DVec3)) {
        for (diagonal, &offset) in self.blocks.offsets().iter().enumerate() {
            let after = node + offset;
            if after < self.count {
                visit(after, self.blocks.block(node, diagonal).transpose() * v);
            }
            if let Some(before) = node.checked_sub(offset) {
                visit(before, self.blocks.block(before, diagonal) * v);
            }
        }
    }
}

impl StencilBlocks {
    /// Where the first node stands in a field.
    pub(crate) fn room(&self) -> usize {
        self.blocks.room()
    }

    /// y = A x.
    pub(crate) fn multiply(&self, x: &LaneField, y: &mut LaneField) {
        self.blocks.multiply(x, y);
    }

    /// Room for a copy that can be swept.
    pub(crate) fn swept(&self) -> SweptMatrix {
        SweptMatrix::with_offsets(self.count, self.width, self.blocks.offsets())
    }

    /// Copies the matrix, of which some nodes are held.
    pub(crate) fn copy_to(
        &self,
        swept: &mut SweptMatrix,
        held: &[Held],
    ) -> Result<(), LinearError> {
        swept.scale_by(|node| self.diagonal[node], held)?;
        for (index, &offset) in self.blocks.offsets().iter().enumerate() {
            let lines = &self.blocks.lines()[ENTRIES * index..];
            swept.fill_offset(offset, lines, self.blocks.lines_per_group());
        }
        Ok(())
    }
}

impl NodeBlocks for StencilBlocks {
    fn diagonal_block(&self, node: usize) -> DMat3 {
        self.diagonal[node]
    }

    fn add_to_diagonal(&mut self, node: usize, block: DMat3) {
        self.diagonal[node] += block;
        self.added[node] += block;
    }
}
