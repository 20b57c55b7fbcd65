//! A symmetric matrix of 3x3 blocks over the nodes of an open grid, in `f32`, by its stencil.
//!
//! ```text
//! (A x)_i = D_i x_i + Σ over o of A_(i, i+o) (x_(i+o) - x_i)
//! ```
//!
//! The o are the offsets from a node to its neighbours: those after it, then those before it, whose
//! blocks are transposes. Elasticity answers to differences alone, so that D, the sum of a row, is
//! what inertia, loads and contact add; products are those of `diagonal_blocks.rs`.

use super::BlockMatrix;
use super::diagonal_blocks::{DiagonalBlocks, LaneField, Line};
use super::rough_iteration::RoughMatrix;
use glam::{DMat3, DVec3};

/// What contact asks of a matrix and adds to it: the blocks of nodes with themselves.
pub(crate) trait NodeBlocks {
    /// The block of a node with itself.
    fn own_block(&self, node: usize) -> DMat3;

    /// Adds to the block of a node with itself.
    fn add_own(&mut self, node: usize, block: DMat3);
}

impl NodeBlocks for BlockMatrix {
    fn own_block(&self, node: usize) -> DMat3 {
        *self.block(self.diagonal_slot(node))
    }

    fn add_own(&mut self, node: usize, block: DMat3) {
        self.add_at(self.diagonal_slot(node), block);
    }
}

/// The matrix; see the module.
#[derive(Clone, Debug)]
pub struct StencilBlocks {
    blocks: DiagonalBlocks,
    count: usize,
    /// Blocks of nodes with themselves.
    diagonal: Vec<DMat3>,
    /// D.
    added: Vec<DMat3>,
}

/// What an energy fills: see [`StencilBlocks::refill`].
pub(crate) struct StencilTarget<'a> {
    /// Nine lines of sixteen nodes each for every offset, those after a node first.
    pub(crate) lines: &'a mut [Line],
    /// Lines of sixteen nodes.
    pub(crate) lines_per_group: usize,
    /// Offsets to the neighbours after a node.
    pub(crate) after: usize,
    /// Blocks of nodes with themselves.
    pub(crate) diagonal: &'a mut [DMat3],
}

impl StencilBlocks {
    /// Zeros for nodes that are coupled with those at the offsets before and after them.
    pub(crate) fn new(count: usize, offsets: &[usize]) -> Self {
        let after = offsets.iter().map(|&offset| offset as i32);
        let before = after.clone().map(|offset| -offset);
        Self {
            blocks: DiagonalBlocks::with_offsets(count, after.chain(before).collect()),
            count,
            diagonal: vec![DMat3::ZERO; count],
            added: vec![DMat3::ZERO; count],
        }
    }

    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.count
    }

    /// A field of zeros.
    pub(crate) fn field(&self) -> LaneField {
        self.blocks.field()
    }

    /// The blocks, to be filled with elasticity.
    pub(crate) fn refill(&mut self) -> StencilTarget<'_> {
        StencilTarget {
            lines_per_group: self.blocks.lines_per_group(),
            after: self.blocks.offsets().len() / 2,
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
        let own: f64 = self.diagonal.iter().map(trace).sum();
        let all: f64 = self.added.iter().map(trace).sum();
        if all > 0.0 { own / all } else { f64::INFINITY }
    }

    /// Takes over what was added to the diagonal, after which products are those of the whole matrix.
    pub(crate) fn finish(&mut self) {
        let main = self.blocks.offsets().len();
        for (node, block) in self.added.iter().enumerate() {
            self.blocks.store(node, main, *block);
        }
    }

    /// The blocks of nodes with themselves.
    pub(crate) fn diagonal(&self) -> &[DMat3] {
        &self.diagonal
    }

    /// Calls `visit` with every other node that a node is coupled with and Aᵀ v for the block in the
    /// row of `node`.
    pub(crate) fn visit_row(&self, node: usize, v: DVec3, mut visit: impl FnMut(usize, DVec3)) {
        for (diagonal, &offset) in self.blocks.offsets().iter().enumerate() {
            let other = node.checked_add_signed(offset as isize);
            if let Some(other) = other.filter(|&other| other < self.count) {
                let block = self.blocks.block(node, diagonal);
                visit(other, block.transpose() * v);
            }
        }
    }
}

impl RoughMatrix for StencilBlocks {
    fn room(&self) -> usize {
        self.blocks.room()
    }

    fn multiply(&self, x: &LaneField, y: &mut LaneField) -> f64 {
        self.blocks.multiply(x, y)
    }
}

impl NodeBlocks for StencilBlocks {
    fn own_block(&self, node: usize) -> DMat3 {
        self.diagonal[node]
    }

    fn add_own(&mut self, node: usize, block: DMat3) {
        self.diagonal[node] += block;
        self.added[node] += block;
    }
}
