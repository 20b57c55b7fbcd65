//! A symmetric matrix over the nodes of an open sheet, in single precision, stored by halves.
//!
//! Of each pair of opposite couplings one is stored: with o a positive offset,
//! `A[n, n + o] = D_o[n] = A[n + o, n]`, so that
//!
//! y_n = D_0[n] x_n + sum over o of (D_o[n] x_{n + o} + D_o[n - o] x_{n - o})
//!
//! The second read of a diagonal finds it in the nearest cache. Couplings reach two nodes. Two rows
//! are done together, so that most of x is read once for both.

use super::layout::{Layout, Planes};
use super::sums::{LaneSums, SUMMED};
use crate::linear::GridMatrix;
use crate::math::processor::{for_this_processor, single_kernel};
use crate::math::vector::{Single, TILE};

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

/// The entries of a matrix as a product needs them.
struct Entries {
    /// `A[n, n + step]` of the first node n, by dy + 2 and dx + 2 of the step; null where there is
    /// no coupling.
    starts: [[*const f32; 5]; 5],
    layout: Layout,
}

/// Whether a matrix with `T` couplings has one with a step.
const fn couples<const T: usize>(dx: isize, dy: isize) -> bool {
    let (dx, dy) = (dx.abs(), dy.abs());
    if T == WIDE.len() {
        dx <= 2 && dy <= 2
    } else {
        dx + dy <= 2
    }
}

impl Entries {
    #[inline(always)]
    fn of<const T: usize>(matrix: &SheetMatrix) -> Self {
        assert_eq!(matrix.steps.len(), T);
        let mut starts = [[std::ptr::null(); 5]; 5];
        for (row, dy) in starts.iter_mut().zip(-2..) {
            for (start, dx) in row.iter_mut().zip(-2..) {
                if let Some((plane, shift)) = matrix.coupling([dx, dy]) {
                    let origin = matrix.layout.origin().wrapping_add_signed(shift);
                    let plane = matrix.planes.plane(plane);
                    assert!(origin <= plane.len());
                    // From the whole plane: steps also lead back.
                    *start = plane.as_ptr().wrapping_add(origin);
                }
            }
        }
        Self {
            starts,
            layout: matrix.layout,
        }
    }

    /// A x for the nodes from `at` on and those of the next row, where `x` starts at the first node.
    ///
    /// # Safety
    /// `at` is a node of a row, the planes and `x` have the layout of the matrix. The row after the
    /// last one, which is zero, counts as a row.
    #[inline(always)]
    unsafe fn apply<V: Single, const T: usize>(
        &self,
        x: [*const f32; 3],
        at: usize,
    ) -> [[V; 3]; 2] {
        // SAFETY: steps reach two rows and two nodes at most, which the guard allows.
        unsafe {
            let zero = V::splat(0.0);
            let (mut first, mut second) = ([zero; 3], [zero; 3]);
            let (below, above) = (at, at + self.layout.stride);
            macro_rules! step {
                ($dx:literal, $dy:literal) => {
                    let to_first = const { couples::<T>($dx, $dy) };
                    let to_second = const { couples::<T>($dx, $dy - 1) };
                    if to_first || to_second {
                        let offset = self.layout.offset([$dx, $dy]);
                        let values = [0, 1, 2].map(|c: usize| x[c].add(at).offset(offset));
                        let values = [V::load(values[0]), V::load(values[1]), V::load(values[2])];
                        if to_first {
                            let entry = self.starts[($dy + 2) as usize % 5][($dx + 2) as usize];
                            let entry = V::load(entry.add(below));
                            for c in 0..3 {
                                first[c] = first[c].add(entry.mul(values[c]));
                            }
                        }
                        if to_second {
                            let entry = self.starts[($dy + 1) as usize % 5][($dx + 2) as usize];
                            let entry = V::load(entry.add(above));
                            for c in 0..3 {
                                second[c] = second[c].add(entry.mul(values[c]));
                            }
                        }
                    }
                };
            }
            macro_rules! steps {
                ($($dy:literal)*) => {
                    $(
                        step!(-2, $dy);
                        step!(-1, $dy);
                        step!(0, $dy);
                        step!(1, $dy);
                        step!(2, $dy);
                    )*
                };
            }
            steps!(-2 -1 0 1 2 3);
            [first, second]
        }
    }
}

/// Asserts that fields have the layout, and gives pointers to their first nodes, by which the whole
/// field may be read: the guard before the first node too.
#[inline(always)]
pub(super) fn starts(layout: &Layout, fields: [&[f32]; 3]) -> [*const f32; 3] {
    fields.map(|field| {
        assert_eq!(field.len(), layout.plane());
        field.as_ptr().wrapping_add(layout.origin())
    })
}

/// As [`starts`].
#[inline(always)]
pub(super) fn starts_mut(layout: &Layout, fields: [&mut [f32]; 3]) -> [*mut f32; 3] {
    fields.map(|field| {
        assert_eq!(field.len(), layout.plane());
        field.as_mut_ptr().wrapping_add(layout.origin())
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
    let entries = Entries::of::<T>(matrix);
    let (b, x) = (starts(layout, b), starts(layout, x));
    let target = starts_mut(layout, target);
    for j in (0..layout.ny).step_by(2) {
        for at in (j * layout.stride..(j + 1) * layout.stride).step_by(V::WIDTH) {
            // SAFETY: `at` is a node of a row and all planes have the layout, as asserted. In a row
            // after the last one zeros are written over zeros.
            unsafe {
                let product: [[V; 3]; 2] = entries.apply::<V, T>(x, at);
                for c in 0..3 {
                    let rest = V::load(b[c].add(at)).sub(product[0][c]);
                    rest.store(target[c].add(at));
                    let at = at + layout.stride;
                    let rest = V::load(b[c].add(at)).sub(product[1][c]);
                    rest.store(target[c].add(at));
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn product_body<V: Single, const T: usize>(
    matrix: &SheetMatrix,
    p: [&[f32]; 3],
    q: [&mut [f32]; 3],
) -> [f64; 3] {
    let layout = &matrix.layout;
    let entries = Entries::of::<T>(matrix);
    let p = starts(layout, p);
    let q = starts_mut(layout, q);
    let mut totals = [0.0; 3];
    // SAFETY: as in `residual_body`.
    unsafe {
        let mut sums = LaneSums::<V>::zero();
        let mut summed = 0;
        for j in (0..layout.ny).step_by(2) {
            for block in (j * layout.stride..(j + 1) * layout.stride).step_by(TILE) {
                for s in 0..TILE / V::WIDTH {
                    let at = block + s * V::WIDTH;
                    let product: [[V; 3]; 2] = entries.apply::<V, T>(p, at);
                    for c in 0..3 {
                        product[0][c].store(q[c].add(at));
                        sums.add(c, s, product[0][c].mul(V::load(p[c].add(at))));
                        let at = at + layout.stride;
                        product[1][c].store(q[c].add(at));
                        sums.add(c, s, product[1][c].mul(V::load(p[c].add(at))));
                    }
                }
                summed += 2 * TILE;
                if summed >= SUMMED {
                    sums.finish(&mut totals);
                    sums = LaneSums::<V>::zero();
                    summed = 0;
                }
            }
        }
        sums.finish(&mut totals);
    }
    totals
}
