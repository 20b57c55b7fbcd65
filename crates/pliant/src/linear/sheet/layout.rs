//! Where the nodes of a sheet lie in memory: rows of whole blocks, with room round them.
//!
//! Node (i, j) of a sheet of `nx` by `ny` nodes is at `origin + j * stride + i`. Rows are padded to
//! whole blocks and start on a cache line; two rows before the first and after the last, and a
//! block at either end, are zero, so that a stencil that reaches two nodes needs no conditions.
//! Whatever stands between the end of a row and the next is zero in every field.

use crate::math::stagger::lines_before;
use crate::math::vector::TILE;

/// Rows of zeros before the first and after the last.
const GUARD: usize = 2;

/// The shape of a sheet in memory; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Nodes along a row.
    pub(crate) nx: usize,
    /// Rows.
    pub(crate) ny: usize,
    /// Values from a row to the next.
    pub(crate) stride: usize,
}

impl Layout {
    /// For a sheet of `nx` by `ny` nodes.
    pub(crate) fn new(nx: usize, ny: usize) -> Self {
        Self {
            nx,
            ny,
            stride: nx.next_multiple_of(TILE),
        }
    }

    /// The sheet with rows and columns exchanged.
    pub(crate) fn turned(&self) -> Self {
        Self::new(self.ny, self.nx)
    }

    /// Where node (0, 0) is.
    pub(crate) fn origin(&self) -> usize {
        GUARD * self.stride + TILE
    }

    /// Where the first node of a row is.
    pub(crate) fn row(&self, j: usize) -> usize {
        self.origin() + j * self.stride
    }

    /// Values of a plane: one number per node, with the room round them. Tiles cover whole blocks of
    /// rows.
    pub(crate) fn plane(&self) -> usize {
        (self.ny.next_multiple_of(TILE) + 2 * GUARD) * self.stride + 2 * TILE
    }

    /// Where node (i + dx, j + dy) is, seen from (i, j).
    pub(crate) fn offset(&self, [dx, dy]: [isize; 2]) -> isize {
        dy * self.stride as isize + dx
    }
}

/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A fixed number of `f32`, zero at first, starting on a cache line.
#[derive(Clone, Debug)]
pub(crate) struct Singles {
    lines: Vec<Line>,
    /// Lines that are left out; see `math/stagger.rs`.
    before: usize,
}

impl Singles {
    /// At least `length` zeros, in whole lines.
    pub(crate) fn new(length: usize) -> Self {
        let lines = length.div_ceil(16);
        let before = lines_before(lines);
        Self {
            lines: vec![Line([0.0; 16]); before + lines],
            before,
        }
    }

    /// The values.
    pub(crate) fn as_slice(&self) -> &[f32] {
        let lines = &self.lines[self.before..];
        // SAFETY: `Line` is sixteen `f32` without padding.
        unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), 16 * lines.len()) }
    }

    /// The values.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [f32] {
        let lines = &mut self.lines[self.before..];
        // SAFETY: as in `as_slice`; the borrow of `self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), 16 * lines.len()) }
    }
}

/// A few planes of numbers over the nodes of a sheet, zero at first.
#[derive(Clone, Debug)]
pub(crate) struct Planes {
    values: Singles,
    /// Values from a plane to the next.
    step: usize,
    plane: usize,
}

impl Planes {
    /// `count` planes.
    pub(crate) fn new(layout: &Layout, count: usize) -> Self {
        // An odd number of cache lines a plane, else planes compete for the same places in the
        // cache.
        let step = ((layout.plane() / TILE) | 1) * TILE;
        Self {
            values: Singles::new(count * step),
            step,
            plane: layout.plane(),
        }
    }

    /// A plane.
    pub(crate) fn plane(&self, index: usize) -> &[f32] {
        &self.values.as_slice()[index * self.step..][..self.plane]
    }

    /// A plane.
    pub(crate) fn plane_mut(&mut self, index: usize) -> &mut [f32] {
        let (step, plane) = (self.step, self.plane);
        &mut self.values.as_mut_slice()[index * step..][..plane]
    }

    /// The first three planes: the components of a field.
    pub(crate) fn field(&self) -> [&[f32]; 3] {
        std::array::from_fn(|c| self.plane(c))
    }

    /// The first three planes.
    pub(crate) fn field_mut(&mut self) -> [&mut [f32]; 3] {
        let (step, plane) = (self.step, self.plane);
        let (x, rest) = self.values.as_mut_slice().split_at_mut(step);
        let (y, z) = rest.split_at_mut(step);
        [x, y, z].map(|c| &mut c[..plane])
    }
}
