//! Memory for vector kernels: arrays that start on a cache line, and padded fields of three
//! components.

/// Nodes a block: kernels work on whole blocks of rows.
pub(crate) const BLOCK: usize = 16;

use crate::math::stagger::lines_before;

/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f64; 8]);

/// A fixed number of `f64`, zero at first, starting on a cache line.
#[derive(Clone, Debug)]
pub(crate) struct AlignedArray {
    lines: Vec<Line>,
    /// Lines that are left out; see `math/stagger.rs`.
    before: usize,
    length: usize,
}

impl AlignedArray {
    /// `length` zeros.
    pub(crate) fn new(length: usize) -> Self {
        let lines = length.div_ceil(8);
        let before = lines_before(lines);
        Self {
            lines: vec![Line([0.0; 8]); before + lines],
            before,
            length,
        }
    }

    /// The values.
    pub(crate) fn as_slice(&self) -> &[f64] {
        let lines = &self.lines[self.before..];
        // SAFETY: `Line` is eight `f64` without padding (size and alignment 64), so the lines are
        // `8 * lines.len()` consecutive `f64`, and `length` is not more than that.
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), self.length) }
    }

    /// The values.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [f64] {
        let lines = &mut self.lines[self.before..];
        // SAFETY: as in `as_slice`; the borrow of `self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), self.length) }
    }
}

/// Rounds a number of nodes up to whole blocks.
pub(crate) fn whole_blocks(node_count: usize) -> usize {
    node_count.div_ceil(BLOCK) * BLOCK
}

/// Three components over the nodes, component-major, each with a block of zeros before and after
/// it so that kernels may read (and ignore) up to a block beyond either end.
#[derive(Clone, Debug)]
pub(crate) struct PaddedField {
    data: AlignedArray,
    node_count: usize,
    stride: usize,
}

impl PaddedField {
    /// A zero field over `node_count` nodes.
    pub(crate) fn new(node_count: usize) -> Self {
        let stride = whole_blocks(node_count) + 2 * BLOCK;
        Self {
            data: AlignedArray::new(3 * stride),
            node_count,
            stride,
        }
    }

    /// The three components with their padding: node `i` is at `i + BLOCK`.
    pub(crate) fn padded(&self) -> [&[f64]; 3] {
        let data = self.data.as_slice();
        std::array::from_fn(|c| &data[c * self.stride..(c + 1) * self.stride])
    }

    /// The three components over whole blocks of nodes.
    pub(crate) fn components(&self) -> [&[f64]; 3] {
        let stride = self.stride;
        self.padded().map(|c| &c[BLOCK..stride - BLOCK])
    }

    /// The three components over whole blocks of nodes.
    pub(crate) fn components_mut(&mut self) -> [&mut [f64]; 3] {
        let stride = self.stride;
        let (x, rest) = self.data.as_mut_slice().split_at_mut(stride);
        let (y, z) = rest.split_at_mut(stride);
        [x, y, z].map(|c| &mut c[BLOCK..stride - BLOCK])
    }

    /// Copies a flat component-major field in.
    pub(crate) fn copy_from(&mut self, flat: &[f64]) {
        let n = self.node_count;
        for (component, source) in self.components_mut().into_iter().zip(flat.chunks_exact(n)) {
            component[..n].copy_from_slice(source);
        }
    }
}
