//! A symmetric matrix over the nodes of an open sheet, in single precision, stored by halves.
//!
//! Of each pair of opposite couplings one is stored: with o a positive offset,
//! `A[n, n + o] = D_o[n] = A[n + o, n]`, so that
//!
//! y_n = D_0[n] x_n + sum over o of (D_o[n] x_{n + o} + D_o[n - o] x_{n - o})
//!
//! The second read of a diagonal finds it in the nearest cache. Couplings reach two nodes.

// The loops over vectors and components must unroll by their constant counts.
#![allow(clippy::needless_range_loop)]

use super::layout::{Layout, Planes};
use super::vector::{Single, TILE, single_kernel};
use crate::linear::GridMatrix;
use crate::linear::vector::Level;
use crate::math::processor::for_this_processor;

/// Couplings of a sheet that stretches and bends: one of each pair of opposite steps.
pub(crate) const NARROW: [[isize; 2]; 6] = [[1, 0], [2, 0], [-1, 1], [0, 1], [1, 1], [0, 2]];

/// All couplings that reach two nodes, of coarser sheets.
pub(crate) const WIDE: [[isize; 2]; 12] = [
    [1, 0],
    [2, 0],
    [-2, 1],
    [-1, 1],
    [0, 1],
    [1, 1],
    [2, 1],
    [-2, 2],
    [-1, 2],
    [0, 2],
    [1, 2],
    [2, 2],
];

/// The plane with the diagonal; the couplings follow.
pub(crate) const DIAGONAL: usize = 0;

/// A matrix; see the module.
pub(crate) struct SheetMatrix {
    pub(crate) layout: Layout,
    /// The couplings, one of each pair: [`NARROW`] or [`WIDE`].
    pub(crate) steps: &'static [[isize; 2]],
    pub(crate) planes: Planes,
}

impl SheetMatrix {
    /// A zero matrix.
    pub(crate) fn new(layout: Layout, steps: &'static [[isize; 2]]) -> Self {
        Self {
            layout,
            steps,
            planes: Planes::new(&layout, 1 + steps.len()),
        }
    }

    /// Whether the couplings of a grid matrix are those of an open sheet wide enough for its
    /// diagonals to be told apart.
    pub(crate) fn fits(matrix: &GridMatrix) -> bool {
        let grid = matrix.grid();
        let [nx, ny, _] = grid.counts();
        grid.dimension() == 2
            && grid.periodic() == [false; 3]
            && nx.min(ny) >= 5
            && matrix.steps().iter().all(|&[dx, dy, _]| {
                let step = [dx as isize, dy as isize];
                step == [0, 0] || NARROW.contains(&step) || NARROW.contains(&step.map(|s| -s))
            })
    }

    /// Takes in the numbers of a grid matrix (one that [`SheetMatrix::fits`]) times `scale`.
    pub(crate) fn refill(&mut self, matrix: &GridMatrix, scale: f64) {
        let layout = self.layout;
        let steps = std::iter::once([0, 0]).chain(self.steps.iter().copied());
        for (index, [dx, dy]) in steps.enumerate() {
            let offset = dy * layout.nx as isize + dx;
            let Some(slot) = matrix.diagonal_of(offset) else {
                continue;
            };
            let values = matrix.values(slot);
            let plane = self.planes.plane_mut(index);
            if layout.stride == layout.nx {
                let end = layout.nx * layout.ny;
                narrow(values, scale, &mut plane[layout.origin()..][..end]);
            } else {
                for (j, row) in values.chunks_exact(layout.nx).enumerate() {
                    narrow(row, scale, &mut plane[layout.row(j)..][..layout.nx]);
                }
            }
        }
        self.fill_margin();
    }

    /// Ones on the diagonal between the end of a row and the next, so that nothing divides by zero
    /// there.
    pub(crate) fn fill_margin(&mut self) {
        let layout = self.layout;
        let diagonal = self.planes.plane_mut(DIAGONAL);
        for j in 0..layout.ny {
            diagonal[layout.row(j)..][layout.nx..layout.stride].fill(1.0);
        }
    }

    /// The entries `A[n, n + step]` of all nodes: a plane and how far to shift it.
    pub(crate) fn coupling(&self, step: [isize; 2]) -> Option<(usize, isize)> {
        if step == [0, 0] {
            return Some((DIAGONAL, 0));
        }
        let find = |step| self.steps.iter().position(|&s| s == step);
        find(step)
            .map(|index| (1 + index, 0))
            .or_else(|| find(step.map(|s| -s)).map(|index| (1 + index, self.layout.offset(step))))
    }

    /// target = b - A x.
    pub(crate) fn residual(&self, b: &Planes, x: &Planes, target: &mut Planes) {
        let (b, x, target) = (b.field(), x.field(), target.field_mut());
        match self.steps.len() {
            6 => residual::<6>(self, b, x, target),
            _ => residual::<12>(self, b, x, target),
        }
    }

    /// q = A p; returns the sums of p q.
    pub(crate) fn multiply(&self, p: &Planes, q: &mut Planes) -> [f64; 3] {
        match self.steps.len() {
            6 => product::<6>(self, p.field(), q.field_mut()),
            _ => product::<12>(self, p.field(), q.field_mut()),
        }
    }
}

for_this_processor! {
    /// Rounds to single precision after scaling.
    pub(crate) fn narrow(from: &[f64], scale: f64, to: &mut [f32]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = (from * scale) as f32;
        }
    }
}

single_kernel! {
    residual, residual_at, residual_body, <const T: usize>,
    (matrix: &SheetMatrix, b: [&[f32]; 3], x: [&[f32]; 3], target: [&mut [f32]; 3]) -> ()
}

single_kernel! {
    product, product_at, product_body, <const T: usize>,
    (matrix: &SheetMatrix, p: [&[f32]; 3], q: [&mut [f32]; 3]) -> [f64; 3]
}

/// Pointers to the first node of the planes of a matrix, and its offsets.
struct Terms<const T: usize> {
    diagonal: *const f32,
    planes: [*const f32; T],
    offsets: [isize; T],
}

impl<const T: usize> Terms<T> {
    #[inline(always)]
    fn of(matrix: &SheetMatrix) -> Self {
        assert_eq!(matrix.steps.len(), T);
        let origin = matrix.layout.origin();
        let start = |index: usize| matrix.planes.plane(index)[origin..].as_ptr();
        Self {
            diagonal: start(DIAGONAL),
            planes: std::array::from_fn(|t| start(1 + t)),
            offsets: std::array::from_fn(|t| matrix.layout.offset(matrix.steps[t])),
        }
    }

    /// A x for the nodes from `at` on, where `x` starts at the first node.
    ///
    /// # Safety
    /// `at` is a node of a row, the planes and `x` have the layout of the matrix.
    #[inline(always)]
    unsafe fn apply<V: Single>(&self, x: [*const f32; 3], at: usize) -> [V; 3] {
        // SAFETY: offsets reach two rows and two nodes at most, which the guard allows.
        unsafe {
            let d = V::load(self.diagonal.add(at));
            let mut sums: [V; 3] = std::array::from_fn(|c| d.mul(V::load(x[c].add(at))));
            for t in 0..T {
                let offset = self.offsets[t];
                let ahead = V::load(self.planes[t].add(at));
                let behind = V::load(self.planes[t].add(at).offset(-offset));
                for c in 0..3 {
                    let here = x[c].add(at);
                    sums[c] = sums[c].add(ahead.mul(V::load(here.offset(offset))));
                    sums[c] = sums[c].add(behind.mul(V::load(here.offset(-offset))));
                }
            }
            sums
        }
    }
}

/// Asserts that fields have the layout, and gives pointers to their first nodes.
#[inline(always)]
pub(super) fn starts(layout: &Layout, fields: [&[f32]; 3]) -> [*const f32; 3] {
    fields.map(|field| {
        assert_eq!(field.len(), layout.plane());
        field[layout.origin()..].as_ptr()
    })
}

/// As [`starts`].
#[inline(always)]
pub(super) fn starts_mut(layout: &Layout, fields: [&mut [f32]; 3]) -> [*mut f32; 3] {
    fields.map(|field| {
        assert_eq!(field.len(), layout.plane());
        field[layout.origin()..].as_mut_ptr()
    })
}

#[inline(always)]
unsafe fn residual_body<V: Single, const T: usize>(
    matrix: &SheetMatrix,
    b: [&[f32]; 3],
    x: [&[f32]; 3],
    target: [&mut [f32]; 3],
) {
    let layout = &matrix.layout;
    let terms = Terms::<T>::of(matrix);
    let (b, x) = (starts(layout, b), starts(layout, x));
    let target = starts_mut(layout, target);
    let mut at = 0;
    while at < layout.ny * layout.stride {
        // SAFETY: `at` is a node of a row and all planes have the layout, as asserted.
        unsafe {
            let product: [V; 3] = terms.apply(x, at);
            for c in 0..3 {
                let rest = V::load(b[c].add(at)).sub(product[c]);
                rest.store(target[c].add(at));
            }
        }
        at += V::WIDTH;
    }
}

#[inline(always)]
unsafe fn product_body<V: Single, const T: usize>(
    matrix: &SheetMatrix,
    p: [&[f32]; 3],
    q: [&mut [f32]; 3],
) -> [f64; 3] {
    let layout = &matrix.layout;
    let terms = Terms::<T>::of(matrix);
    let p = starts(layout, p);
    let q = starts_mut(layout, q);
    // SAFETY: `here` is a node of a row and all planes have the layout, as asserted.
    unsafe {
        summed::<V, 1>(layout, |here, s, [sums]| {
            let product: [V; 3] = terms.apply(p, here);
            for c in 0..3 {
                product[c].store(q[c].add(here));
                sums.add(c, s, product[c].mul(V::load(p[c].add(here))));
            }
        })[0]
    }
}

/// Calls `work` with each place of the rows, the vector of the lanes and `K` running sums; returns
/// the sums. Chunks are summed in single precision, their sums in double precision.
///
/// # Safety
/// The processor has the instructions of the vectors.
#[inline(always)]
pub(super) unsafe fn summed<V: Single, const K: usize>(
    layout: &Layout,
    work: impl Fn(usize, usize, &mut [LaneSums<V>; K]),
) -> [[f64; 3]; K] {
    let mut totals = [[0.0; 3]; K];
    let end = layout.ny * layout.stride;
    let mut at = 0;
    while at < end {
        // SAFETY: as promised by the caller.
        let mut sums: [_; K] = std::array::from_fn(|_| unsafe { LaneSums::<V>::zero() });
        let chunk = (at + SUMMED).min(end);
        while at < chunk {
            for s in 0..TILE / V::WIDTH {
                work(at + s * V::WIDTH, s, &mut sums);
            }
            at += TILE;
        }
        for (sums, totals) in sums.into_iter().zip(&mut totals) {
            // SAFETY: as promised by the caller.
            unsafe { sums.finish(totals) };
        }
    }
    totals
}

/// Nodes whose products are summed in single precision before they join the total.
const SUMMED: usize = 1024;

/// Running sums of three components in sixteen lanes, whatever the width of the vectors.
pub(super) struct LaneSums<V>([[V; 4]; 3]);

impl<V: Single> LaneSums<V> {
    /// # Safety
    /// The processor has the instructions of the vectors.
    #[inline(always)]
    pub(super) unsafe fn zero() -> Self {
        Self([[unsafe { V::splat(0.0) }; 4]; 3])
    }

    /// Adds to the vector `s` of the lanes.
    ///
    /// # Safety
    /// As for `zero`.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, component: usize, s: usize, value: V) {
        let sum = &mut self.0[component][s];
        *sum = unsafe { sum.add(value) };
    }

    /// Adds the lanes to the totals, in a fixed order.
    ///
    /// # Safety
    /// As for `zero`.
    #[inline(always)]
    pub(super) unsafe fn finish(self, totals: &mut [f64; 3]) {
        for c in 0..3 {
            let mut lanes = [0.0_f32; TILE];
            for s in 0..TILE / V::WIDTH {
                // SAFETY: the vectors of a sum are the lanes.
                unsafe { self.0[c][s].store(lanes.as_mut_ptr().add(s * V::WIDTH)) };
            }
            let mut sum = 0.0;
            for i in 0..TILE / 2 {
                sum += f64::from(lanes[i]) + f64::from(lanes[i + TILE / 2]);
            }
            totals[c] += sum;
        }
    }
}
