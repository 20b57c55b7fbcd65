//! Smoothing by lines: the matrix restricted to the lines of one direction is solved exactly, for
//! all lines of both directions at once, and the two answers are averaged.
//!
//! ```text
//! x += omega / 2 (B_1^-1 + B_2^-1) (b - A x)
//! ```
//!
//! B_d has the couplings along direction d and the diagonal: a matrix of five diagonals a line,
//! factorised as L D L^T. Points alone smooth badly where a fold makes a sheet much stiffer in one
//! direction than in the other; lines do not mind. Sixteen lines side by side make a strip, which
//! is copied (and for lines along the rows turned round) to memory near the processor, solved
//! there and added to x.
//!
//! For the energies of membranes and plates B_d is at least about A / 2.7, for one direction where
//! it is least; with omega = 3/4 the smoother stays below 2 A^-1, which a symmetric cycle needs to
//! be positive definite. Should a matrix be worse, the cycle says so by a negative r z, and the
//! solver goes on without it.

use super::layout::{Layout, Planes, Singles};
use super::stencil::{DIAGONAL, SheetMatrix, starts, starts_mut};
use crate::math::processor::{Level, single_kernel};
use crate::math::vector::{Single, TILE};

/// omega / 2 of the module.
const HALF_RELAXATION: f32 = 0.375;

/// Values a place of a strip: three numbers for each of sixteen lines. In a factor these are the
/// couplings of L with the next and the next but one place and 1 / D times omega / 2; in scratch
/// memory the components.
const PLACE: usize = 3 * TILE;

/// A tile that starts on a cache line.
#[repr(C, align(64))]
struct Tile([f32; TILE * TILE]);

/// The strips of one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strips {
    layout: Layout,
    /// Whether lines run along the rows of the sheet, else across them.
    along: bool,
}

impl Strips {
    /// Nodes of a line.
    fn length(&self) -> usize {
        if self.along {
            self.layout.nx
        } else {
            self.layout.ny
        }
    }

    /// Number of lines.
    fn lines(&self) -> usize {
        if self.along {
            self.layout.ny
        } else {
            self.layout.nx
        }
    }

    fn count(&self) -> usize {
        self.lines().div_ceil(TILE)
    }

    /// Values of a strip: its places, in whole tiles.
    fn size(&self) -> usize {
        self.length().next_multiple_of(TILE) * PLACE
    }

    /// Where a strip begins, seen from the first node, and how far its places are apart.
    fn start(&self, strip: usize) -> usize {
        if self.along {
            strip * TILE * self.layout.stride
        } else {
            strip * TILE
        }
    }

    /// Copies a strip of a plane to scratch memory, to one of its three numbers a place.
    ///
    /// # Safety
    /// `source` is the first node of a plane with the layout; `target` is that of `size` values.
    #[inline(always)]
    unsafe fn gather<V: Single>(&self, strip: usize, source: *const f32, target: *mut f32) {
        let stride = self.layout.stride;
        // SAFETY: planes hold whole tiles of rows and columns.
        unsafe {
            let source = source.add(self.start(strip));
            if self.along {
                for place in (0..self.length()).step_by(TILE) {
                    let strides = [stride, PLACE];
                    V::turn_tile(source.add(place), target.add(place * PLACE), strides);
                }
            } else {
                for place in 0..self.length() {
                    for v in (0..TILE).step_by(V::WIDTH) {
                        V::load(source.add(place * stride + v))
                            .store(target.add(place * PLACE + v));
                    }
                }
            }
        }
    }

    /// Adds one of the three numbers a place of scratch memory to a strip along the rows of a plane,
    /// or puts it there.
    ///
    /// # Safety
    /// As for `gather`, the other way round.
    #[inline(always)]
    unsafe fn scatter<V: Single>(
        &self,
        strip: usize,
        source: *const f32,
        target: *mut f32,
        add: bool,
    ) {
        let stride = self.layout.stride;
        let mut tile = Tile([0.0; TILE * TILE]);
        // SAFETY: planes hold whole tiles of rows and columns.
        unsafe {
            let target = target.add(self.start(strip));
            for place in (0..self.length()).step_by(TILE) {
                let (source, target) = (source.add(place * PLACE), target.add(place));
                if !add {
                    V::turn_tile(source, target, [PLACE, stride]);
                    continue;
                }
                V::turn_tile(source, tile.0.as_mut_ptr(), [PLACE, TILE]);
                for row in 0..TILE {
                    for v in (0..TILE).step_by(V::WIDTH) {
                        let place = target.add(row * stride + v);
                        let change = V::load(tile.0.as_ptr().add(row * TILE + v));
                        V::load(place).add(change).store(place);
                    }
                }
            }
        }
    }
}

/// The factors of the lines of both directions, and memory for solving.
pub(crate) struct Lines {
    along: (Strips, Singles),
    across: (Strips, Singles),
    /// Three components of a strip.
    scratch: Singles,
}

impl Lines {
    /// Memory for sheets of a shape.
    pub(crate) fn new(layout: Layout) -> Self {
        let [along, across] = [true, false].map(|along| Strips { layout, along });
        let factor = |strips: &Strips| Singles::new(strips.count() * strips.size());
        Self {
            scratch: Singles::new(along.size().max(across.size())),
            along: (along, factor(&along)),
            across: (across, factor(&across)),
        }
    }

    /// Factorises; false if a pivot is not positive.
    pub(crate) fn factorise(&mut self, matrix: &SheetMatrix) -> bool {
        self.factorise_at(Level::of_this_processor(), matrix)
    }

    /// [`Lines::factorise`] with chosen instructions.
    pub(crate) fn factorise_at(&mut self, level: Level, matrix: &SheetMatrix) -> bool {
        let plane = |step| match matrix.steps.iter().position(|&s| s == step) {
            Some(index) => matrix.planes.plane(1 + index),
            None => panic!("a sheet's matrix has no step {step:?}"),
        };
        let diagonal = matrix.planes.plane(DIAGONAL);
        let scratch = self.scratch.as_mut_slice();
        let (strips, factor) = &mut self.across;
        let factor = factor.as_mut_slice();
        let source = [diagonal, plane([0, 1]), plane([0, 2])];
        let across = factorise_at(level, strips, source, scratch, factor);
        let (strips, factor) = &mut self.along;
        let factor = factor.as_mut_slice();
        let source = [diagonal, plane([1, 0]), plane([2, 0])];
        across && factorise_at(level, strips, source, scratch, factor)
    }

    /// x += omega / 2 (B_1^-1 + B_2^-1) r, or without the x that was there.
    pub(crate) fn smooth(&mut self, r: &Planes, x: &mut Planes, from_zero: bool) {
        self.smooth_at(Level::of_this_processor(), r, x, from_zero);
    }

    /// [`Lines::smooth`] with chosen instructions.
    pub(crate) fn smooth_at(&mut self, level: Level, r: &Planes, x: &mut Planes, from_zero: bool) {
        let (strips, factor) = &self.along;
        let scratch = self.scratch.as_mut_slice();
        solve_at(
            level,
            strips,
            factor.as_slice(),
            scratch,
            r.field(),
            x.field_mut(),
            !from_zero,
        );
        let (strips, factor) = &self.across;
        // Across the rows is always added: along the rows came first.
        solve_at(
            level,
            strips,
            factor.as_slice(),
            scratch,
            r.field(),
            x.field_mut(),
            true,
        );
    }
}

single_kernel! {
    /// Factorises the lines; `source` has the diagonal and the couplings with the next and the next
    /// but one place. False if a pivot is not positive.
    factorise, factorise_at, factorise_body, <>,
    (strips: &Strips, source: [&[f32]; 3], scratch: &mut [f32], factor: &mut [f32]) -> bool
}

#[inline(always)]
unsafe fn factorise_body<V: Single>(
    strips: &Strips,
    source: [&[f32]; 3],
    scratch: &mut [f32],
    factor: &mut [f32],
) -> bool {
    let source = starts(&strips.layout, source);
    let size = strips.size();
    assert!(scratch.len() >= size && factor.len() == size * strips.count());
    let mut good = true;
    for (strip, factor) in factor.chunks_exact_mut(size).enumerate() {
        for c in 0..3 {
            // SAFETY: the planes have the layout and scratch memory holds a strip.
            unsafe { strips.gather::<V>(strip, source[c], scratch.as_mut_ptr().add(c * TILE)) };
        }
        // Lines beyond the last one must not divide by zero.
        let beyond = (strips.lines() - strip * TILE).min(TILE)..TILE;
        for place in 0..strips.length() {
            scratch[place * PLACE..][beyond.clone()].fill(1.0);
        }
        // SAFETY: only places of the line are touched, which scratch memory and factor hold.
        unsafe {
            for lane in (0..TILE).step_by(V::WIDTH) {
                let zero = V::splat(0.0);
                let (mut next_1, mut pivot_1) = (zero, zero);
                let (mut second_1, mut second_2, mut pivot_2) = (zero, zero, zero);
                for place in 0..strips.length() {
                    let at = scratch.as_ptr().add(place * PLACE + lane);
                    let pivot = V::load(at)
                        .sub(second_2.mul(second_2).mul(pivot_2))
                        .sub(next_1.mul(next_1).mul(pivot_1));
                    let one_over = V::splat(1.0).div(pivot);
                    let next = V::load(at.add(TILE))
                        .sub(next_1.mul(second_1).mul(pivot_1))
                        .mul(one_over);
                    let second = V::load(at.add(2 * TILE)).mul(one_over);
                    let target = factor.as_mut_ptr().add(place * PLACE + lane);
                    next.store(target);
                    second.store(target.add(TILE));
                    let inverse = V::splat(HALF_RELAXATION).mul(one_over);
                    inverse.store(target.add(2 * TILE));
                    (next_1, second_2, second_1) = (next, second_1, second);
                    (pivot_2, pivot_1) = (pivot_1, pivot);
                }
            }
        }
        for place in factor.as_chunks::<PLACE>().0.iter().take(strips.length()) {
            for inverse in &place[2 * TILE..] {
                // Also false for NaN.
                good &= *inverse > 0.0 && *inverse < f32::INFINITY;
            }
        }
    }
    good
}

single_kernel! {
    /// x += omega / 2 B^-1 r; for lines along the rows, `add` says whether to keep the x that was
    /// there.
    solve, solve_at, solve_body, <>,
    (
        strips: &Strips,
        factor: &[f32],
        scratch: &mut [f32],
        r: [&[f32]; 3],
        x: [&mut [f32]; 3],
        add: bool,
    ) -> ()
}

#[inline(always)]
unsafe fn solve_body<V: Single>(
    strips: &Strips,
    factor: &[f32],
    scratch: &mut [f32],
    r: [&[f32]; 3],
    x: [&mut [f32]; 3],
    add: bool,
) {
    let (r, x) = (starts(&strips.layout, r), starts_mut(&strips.layout, x));
    let size = strips.size();
    assert!(scratch.len() >= size && factor.len() == size * strips.count());
    let scratch = scratch.as_mut_ptr();
    for (strip, factor) in factor.chunks_exact(size).enumerate() {
        let factor = factor.as_ptr();
        // SAFETY: the planes have the layout, and scratch memory and factor hold a strip.
        unsafe {
            if strips.along {
                for c in 0..3 {
                    strips.gather::<V>(strip, r[c], scratch.add(c * TILE));
                }
                let targets = [0, 1, 2].map(|c| scratch.add(c * TILE));
                let from = targets.map(|c| c.cast_const());
                substitute::<V, false>(strips.length(), factor, scratch, from, targets, PLACE);
                for c in 0..3 {
                    strips.scatter::<V>(strip, scratch.add(c * TILE), x[c], add);
                }
            } else {
                let start = strip * TILE;
                let from = [r[0].add(start), r[1].add(start), r[2].add(start)];
                let to = [x[0].add(start), x[1].add(start), x[2].add(start)];
                let stride = strips.layout.stride;
                substitute::<V, true>(strips.length(), factor, scratch, from, to, stride);
            }
        }
    }
}

/// omega / 2 L^-T D^-1 L^-1 of what is found at `from`, three components of a strip whose places are
/// `stride` apart, is put at `to`, or added to what is there.
///
/// # Safety
/// Factor and scratch memory have at least `length` places, and so have `from` and `to`.
#[inline(always)]
unsafe fn substitute<V: Single, const ADD: bool>(
    length: usize,
    factor: *const f32,
    scratch: *mut f32,
    from: [*const f32; 3],
    to: [*mut f32; 3],
    stride: usize,
) {
    for lane in (0..TILE).step_by(V::WIDTH) {
        // SAFETY: as promised.
        unsafe {
            let zero = V::splat(0.0);
            let (mut one, mut two) = ([zero; 3], [zero; 3]);
            let (mut next, mut second, mut second_1) = (zero, zero, zero);
            for place in 0..length {
                for c in 0..3 {
                    let value = V::load(from[c].add(place * stride + lane))
                        .sub(second_1.mul(two[c]))
                        .sub(next.mul(one[c]));
                    value.store(scratch.add(place * PLACE + c * TILE + lane));
                    (two[c], one[c]) = (one[c], value);
                }
                let factor = factor.add(place * PLACE + lane);
                next = V::load(factor);
                (second_1, second) = (second, V::load(factor.add(TILE)));
            }
            let (mut one, mut two) = ([zero; 3], [zero; 3]);
            for place in (0..length).rev() {
                let factor = factor.add(place * PLACE + lane);
                let next = V::load(factor);
                let second = V::load(factor.add(TILE));
                let inverse = V::load(factor.add(2 * TILE));
                for c in 0..3 {
                    let value = inverse
                        .mul(V::load(scratch.add(place * PLACE + c * TILE + lane)))
                        .sub(second.mul(two[c]))
                        .sub(next.mul(one[c]));
                    let target = to[c].add(place * stride + lane);
                    if ADD {
                        V::load(target).add(value).store(target);
                    } else {
                        value.store(target);
                    }
                    (two[c], one[c]) = (one[c], value);
                }
            }
        }
    }
}
