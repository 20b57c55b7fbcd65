//! From a sheet to the next coarser one and back.
//!
//! A coarse node stands between two fine ones and its value spreads over four, like a quadratic
//! B-spline, in each direction:
//!
//! ```text
//! x_{2k} = 3/4 c_k + 1/4 c_{k-1},      x_{2k+1} = 3/4 c_k + 1/4 c_{k+1}
//! ```
//!
//! Beyond a free edge c goes on in a straight line. Interpolated sheets then have no kinks, which
//! would cost a bending energy that the sheet they stand for does not have. A direction of few
//! nodes is left as it is.

use super::layout::{Layout, Planes};
use super::stencil::{starts, starts_mut};
use crate::math::processor::{Level, single_kernel};
use crate::math::vector::{Single, TILE};

/// A direction of not more nodes than this is not coarsened.
const FEWEST: usize = 4;

/// How one direction is coarsened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Direction {
    /// Nodes of the finer sheet.
    pub(crate) fine: usize,
    /// Nodes of the coarser one.
    pub(crate) coarse: usize,
}

impl Direction {
    pub(crate) fn new(fine: usize) -> Self {
        let coarse = if fine > FEWEST {
            fine.div_ceil(2)
        } else {
            fine
        };
        Self { fine, coarse }
    }

    pub(crate) fn coarsens(&self) -> bool {
        self.coarse < self.fine
    }

    /// The coarse nodes that a fine one is interpolated from, with weights.
    pub(crate) fn parents(&self, node: usize) -> [(usize, f32); 2] {
        if !self.coarsens() {
            return [(node, 1.0), (node, 0.0)];
        }
        let near = node / 2;
        let far = if node.is_multiple_of(2) {
            near.checked_sub(1)
        } else {
            Some(near + 1).filter(|&far| far < self.coarse)
        };
        match far {
            Some(far) => [(near, 0.75), (far, 0.25)],
            None if near == 0 => [(0, 1.25), (1, -0.25)],
            None => [(near, 1.25), (near - 1, -0.25)],
        }
    }

    /// The fine nodes that a coarse one spreads to, with weights, ascending.
    pub(crate) fn children(&self, coarse: usize) -> Vec<(usize, f32)> {
        let end = if self.coarsens() {
            2 * coarse + 6
        } else {
            coarse + 1
        };
        let start = end.saturating_sub(10);
        (start..end.min(self.fine))
            .filter_map(|node| {
                let parents = self.parents(node);
                let weight: f32 = parents
                    .iter()
                    .filter(|(parent, _)| *parent == coarse)
                    .map(|(_, weight)| weight)
                    .sum();
                (weight != 0.0).then_some((node, weight))
            })
            .collect()
    }
}

/// The two sheets, and how rows are coarsened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shapes {
    pub(crate) fine: Layout,
    pub(crate) coarse: Layout,
    pub(crate) along: Direction,
}

/// Both directions; see the module.
pub(crate) struct Transfer {
    pub(crate) shapes: Shapes,
    pub(crate) across: Direction,
    /// For each coarse row its fine rows and weights; not more than five.
    children: Vec<Vec<(usize, f32)>>,
    parents: Vec<[(usize, f32); 2]>,
    /// Rows of three components with room at either end.
    rows: Vec<f32>,
}

/// Room before the first value of a scratch row.
const ROOM: usize = TILE;

impl Transfer {
    /// The transfer from sheets of a shape.
    pub(crate) fn new(fine: Layout) -> Self {
        let (along, across) = (Direction::new(fine.nx), Direction::new(fine.ny));
        let coarse = Layout::new(along.coarse, across.coarse);
        Self {
            shapes: Shapes {
                fine,
                coarse,
                along,
            },
            across,
            children: (0..across.coarse).map(|j| across.children(j)).collect(),
            parents: (0..across.fine).map(|j| across.parents(j)).collect(),
            rows: vec![0.0; 6 * (fine.stride + 2 * ROOM)],
        }
    }

    /// b = P^T t.
    pub(crate) fn restrict(&mut self, t: &Planes, b: &mut Planes) {
        self.restrict_at(Level::of_this_processor(), t, b);
    }

    /// [`Transfer::restrict`] with chosen instructions.
    pub(crate) fn restrict_at(&mut self, level: Level, t: &Planes, b: &mut Planes) {
        restrict_at(
            level,
            &self.shapes,
            &self.children,
            &mut self.rows,
            t.field(),
            b.field_mut(),
        );
    }

    /// x += P e.
    pub(crate) fn interpolate(&mut self, e: &Planes, x: &mut Planes) {
        self.interpolate_at(Level::of_this_processor(), e, x);
    }

    /// [`Transfer::interpolate`] with chosen instructions.
    pub(crate) fn interpolate_at(&mut self, level: Level, e: &Planes, x: &mut Planes) {
        interpolate_at(
            level,
            &self.shapes,
            &self.parents,
            &mut self.rows,
            e.field(),
            x.field_mut(),
        );
    }
}

single_kernel! {
    restrict, restrict_at, restrict_body, <>,
    (
        shapes: &Shapes,
        children: &[Vec<(usize, f32)>],
        rows: &mut [f32],
        t: [&[f32]; 3],
        b: [&mut [f32]; 3],
    ) -> ()
}

#[inline(always)]
unsafe fn restrict_body<V: Single>(
    shapes: &Shapes,
    children: &[Vec<(usize, f32)>],
    rows: &mut [f32],
    t: [&[f32]; 3],
    b: [&mut [f32]; 3],
) {
    let Shapes {
        fine,
        coarse,
        along,
    } = *shapes;
    let t = starts(&fine, t);
    let b = starts_mut(&coarse, b);
    assert!(children.len() == coarse.ny && rows.len() >= 6 * (fine.stride + 2 * ROOM));
    assert!(children.iter().flatten().all(|(row, _)| *row < fine.ny));
    assert!(along.fine == fine.nx && along.coarse == coarse.nx);
    rows.fill(0.0);
    let half = fine.stride + 2 * ROOM;
    for (row, children) in children.iter().enumerate() {
        // SAFETY: the rows are rows of planes with the layouts; even and odd entries of a row are
        // half a row each, and a block before and after them is there.
        unsafe {
            // All components first, then all again: what has just been written is read shifted,
            // which processors are slow at.
            for c in 0..3 {
                let source = t[c];
                if !along.coarsens() {
                    let target = b[c].add(row * coarse.stride);
                    for at in (0..fine.stride).step_by(V::WIDTH) {
                        sum_rows::<V>(source.add(at), fine.stride, children).store(target.add(at));
                    }
                    continue;
                }
                let e = rows.as_mut_ptr().add(2 * c * half + ROOM);
                let o = e.add(half);
                // Rows are whole blocks of sixteen: an even number of vectors, but for the widest,
                // whose last one may be alone.
                for at in (0..fine.stride).step_by(2 * V::WIDTH) {
                    let first = sum_rows::<V>(source.add(at), fine.stride, children);
                    let second = if at + V::WIDTH < fine.stride {
                        sum_rows::<V>(source.add(at + V::WIDTH), fine.stride, children)
                    } else {
                        V::splat(0.0)
                    };
                    let (first, second) = first.deinterleave(second);
                    first.store(e.add(at / 2));
                    second.store(o.add(at / 2));
                }
            }
            for c in 0..3 {
                if !along.coarsens() {
                    continue;
                }
                let e = rows.as_ptr().add(2 * c * half + ROOM);
                let o = e.add(half);
                let target = b[c].add(row * coarse.stride);
                let (three, one) = (V::splat(0.75), V::splat(0.25));
                for at in (0..coarse.stride).step_by(V::WIDTH) {
                    let near = V::load(e.add(at)).add(V::load(o.add(at)));
                    let far = V::load(o.add(at).sub(1)).add(V::load(e.add(at).add(1)));
                    three.mul(near).add(one.mul(far)).store(target.add(at));
                }
                // What the ends get beyond 3/4 and 1/4.
                *target += 0.5 * *e;
                *target.add(1) -= 0.25 * *e;
                if along.fine.is_multiple_of(2) {
                    let end = along.coarse - 1;
                    let last = *o.add(end);
                    *target.add(end) += 0.5 * last;
                    *target.add(end - 1) -= 0.25 * last;
                }
                // The sums above have written into the margin.
                for at in coarse.nx..coarse.stride {
                    *target.add(at) = 0.0;
                }
            }
        }
    }
}

/// The weighted sum of a vector of some rows.
///
/// # Safety
/// All rows have a vector there.
#[inline(always)]
unsafe fn sum_rows<V: Single>(source: *const f32, stride: usize, rows: &[(usize, f32)]) -> V {
    // SAFETY: as promised.
    unsafe {
        let mut sum = V::splat(0.0);
        for (row, weight) in rows {
            let value = V::load(source.add(row * stride));
            sum = sum.add(V::splat(*weight).mul(value));
        }
        sum
    }
}

single_kernel! {
    interpolate, interpolate_at, interpolate_body, <>,
    (
        shapes: &Shapes,
        parents: &[[(usize, f32); 2]],
        rows: &mut [f32],
        e: [&[f32]; 3],
        x: [&mut [f32]; 3],
    ) -> ()
}

#[inline(always)]
unsafe fn interpolate_body<V: Single>(
    shapes: &Shapes,
    parents: &[[(usize, f32); 2]],
    rows: &mut [f32],
    e: [&[f32]; 3],
    x: [&mut [f32]; 3],
) {
    let Shapes {
        fine,
        coarse,
        along,
    } = *shapes;
    let e = starts(&coarse, e);
    let x = starts_mut(&fine, x);
    assert!(parents.len() == fine.ny && rows.len() >= 3 * (fine.stride + 2 * ROOM));
    assert!(parents.iter().flatten().all(|(row, _)| *row < coarse.ny));
    assert!(along.fine == fine.nx && along.coarse == coarse.nx);
    rows.fill(0.0);
    let length = fine.stride + 2 * ROOM;
    for (row, parents) in parents.iter().enumerate() {
        // SAFETY: the rows are rows of planes with the layouts, and the scratch rows have a block
        // before and after the coarse one.
        unsafe {
            // All components first, then all again, as in `restrict`.
            for c in 0..3 {
                let target = x[c].add(row * fine.stride);
                if !along.coarsens() {
                    for at in (0..fine.stride).step_by(V::WIDTH) {
                        let change = sum_rows::<V>(e[c].add(at), coarse.stride, parents);
                        V::load(target.add(at)).add(change).store(target.add(at));
                    }
                    continue;
                }
                let s = rows.as_mut_ptr().add(c * length + ROOM);
                for at in (0..coarse.stride).step_by(V::WIDTH) {
                    sum_rows::<V>(e[c].add(at), coarse.stride, parents).store(s.add(at));
                }
                let end = along.coarse;
                *s.sub(1) = 2.0 * *s - *s.add(1);
                *s.add(end) = 2.0 * *s.add(end - 1) - *s.add(end - 2);
            }
            for c in 0..3 {
                if !along.coarsens() {
                    continue;
                }
                let target = x[c].add(row * fine.stride);
                let s = rows.as_ptr().add(c * length + ROOM);
                let (three, one) = (V::splat(0.75), V::splat(0.25));
                for at in (0..coarse.stride).step_by(V::WIDTH) {
                    if 2 * at >= fine.stride {
                        break;
                    }
                    let here = three.mul(V::load(s.add(at)));
                    let even = here.add(one.mul(V::load(s.add(at).sub(1))));
                    let odd = here.add(one.mul(V::load(s.add(at).add(1))));
                    let (first, second) = even.interleave(odd);
                    let place = target.add(2 * at);
                    V::load(place).add(first).store(place);
                    if 2 * at + V::WIDTH < fine.stride {
                        let place = place.add(V::WIDTH);
                        V::load(place).add(second).store(place);
                    }
                }
                for at in fine.nx..fine.stride {
                    *target.add(at) = 0.0;
                }
            }
        }
    }
}
