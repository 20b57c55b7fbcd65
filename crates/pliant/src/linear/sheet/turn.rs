//! A sheet with rows and columns exchanged.

use super::layout::Layout;
use super::stencil::{SheetMatrix, WIDE};
use crate::math::processor::{Level, single_kernel};
use crate::math::vector::{Single, TILE};

single_kernel! {
    /// Exchanges rows and columns of a plane that is read `shift` values further on.
    turn, turn_at, turn_body, <>,
    (layout: &Layout, source: &[f32], shift: isize, target: &mut [f32]) -> ()
}

#[inline(always)]
unsafe fn turn_body<V: Single>(layout: &Layout, source: &[f32], shift: isize, target: &mut [f32]) {
    let turned = layout.turned();
    assert!(source.len() == layout.plane() && target.len() == turned.plane());
    assert!(shift.unsigned_abs() <= layout.origin());
    let source = source[layout.origin().wrapping_add_signed(shift)..].as_ptr();
    let target = target[turned.origin()..].as_mut_ptr();
    let strides = [layout.stride, turned.stride];
    for j in (0..layout.ny).step_by(TILE) {
        for i in (0..layout.nx).step_by(TILE) {
            // SAFETY: planes hold whole tiles, rows up to the next multiple of the tile both ways,
            // and two rows and a block more on all sides, which is how far `shift` goes.
            unsafe {
                V::turn_tile(
                    source.add(j * strides[0] + i),
                    target.add(i * strides[1] + j),
                    strides,
                );
            }
        }
    }
}

/// Exchanges rows and columns of a matrix with the couplings [`WIDE`].
pub(crate) fn turn_matrix(level: Level, source: &SheetMatrix, target: &mut SheetMatrix) {
    let layout = source.layout;
    let steps = std::iter::once([0, 0]).chain(WIDE);
    for (index, [dx, dy]) in steps.enumerate() {
        // Where the exchanged step is not the stored one of its pair, the opposite one is, and the
        // entry moves to the node at its other end.
        let (step, shift) = if dx >= 0 {
            ([dy, dx], 0)
        } else {
            ([-dy, -dx], -layout.offset([dx, dy]))
        };
        if let Some((plane, _)) = target.coupling(step) {
            let source = source.planes.plane(index);
            turn_at(
                level,
                &layout,
                source,
                shift,
                target.planes.plane_mut(plane),
            );
        }
    }
}
