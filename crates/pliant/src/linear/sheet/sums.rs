//! Sums over the nodes of a sheet whose bits do not depend on the width of vectors.

use super::layout::Layout;
use crate::math::vector::{Single, TILE};

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
pub(super) const SUMMED: usize = 1024;

/// Running sums of three components in sixteen lanes, whatever the width of the vectors.
pub(super) struct LaneSums<V>([[V; 4]; 3]);

impl<V: Single> LaneSums<V> {
    /// # Safety
    /// The processor has the instructions of the vectors.
    #[inline(always)]
    pub(super) unsafe fn zero() -> Self {
        // SAFETY: the caller promises the instructions.
        Self([[unsafe { V::splat(0.0) }; 4]; 3])
    }

    /// Adds to the vector `s` of the lanes.
    ///
    /// # Safety
    /// As for `zero`.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, component: usize, s: usize, value: V) {
        let sum = &mut self.0[component][s];
        // SAFETY: the caller promises the instructions.
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
