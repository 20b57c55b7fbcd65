//! Forwards and backwards through a factor, panel by panel.

use super::{COLUMNS, Panel, Single, Stored};
use crate::linear::eight::{Eight, PACK, Portable, Rows};

/// Both sweeps, with the registers that the processor has.
pub(super) fn sweep(
    panels: &[Panel],
    values: &[Stored],
    rows: &[u32],
    x: &mut [Single],
    room: &mut [[Rows; 3]],
) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn avx2(
            panels: &[Panel],
            values: &[Stored],
            rows: &[u32],
            x: &mut [Single],
            room: &mut [[Rows; 3]],
        ) {
            // SAFETY: this function has the instructions.
            unsafe {
                forwards::<std::arch::x86_64::__m256>(panels, values, rows, x, room);
                backwards::<std::arch::x86_64::__m256>(panels, values, rows, x, room);
            }
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just been asked for these instructions.
            unsafe { avx2(panels, values, rows, x, room) };
            return;
        }
    }
    // SAFETY: no special instructions.
    unsafe {
        forwards::<Portable>(panels, values, rows, x, room);
        backwards::<Portable>(panels, values, rows, x, room);
    }
}

/// The sum of eight numbers, in pairs.
#[inline(always)]
fn total(sum: &Rows) -> f32 {
    let four: [f32; 4] = std::array::from_fn(|i| sum[i] + sum[i + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// The packs of rows of the columns from `column` on: those above hold zeros only.
#[inline(always)]
pub(super) fn first_pack(column: usize) -> usize {
    column / PACK
}

/// Adds four columns times four vectors.
///
/// # Safety
/// As for [`Eight::splat`].
#[inline(always)]
unsafe fn add_columns<E: Eight>(lines: &[Stored], x: &[Single; COLUMNS], room: &mut [[Rows; 3]]) {
    // SAFETY: the caller's promise.
    unsafe {
        for (line, sums) in lines.iter().zip(room) {
            let mut local = [E::load(&sums[0]), E::load(&sums[1]), E::load(&sums[2])];
            for (stored, x) in line.0.iter().zip(x) {
                let column = E::lengthen(stored);
                for (local, &x) in local.iter_mut().zip(x) {
                    *local = local.plus_product(column, E::splat(x));
                }
            }
            for (sum, local) in sums.iter_mut().zip(local) {
                local.store(sum);
            }
        }
    }
}

/// The products of four columns with the gathered vectors.
///
/// # Safety
/// As for [`Eight::splat`].
#[inline(always)]
unsafe fn multiply_columns<E: Eight>(lines: &[Stored], room: &[[Rows; 3]]) -> [Single; COLUMNS] {
    let mut products = [[0.0; 4]; COLUMNS];
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [[E::splat(0.0); 3]; COLUMNS];
        for (line, gathered) in lines.iter().zip(room) {
            let gathered = [
                E::load(&gathered[0]),
                E::load(&gathered[1]),
                E::load(&gathered[2]),
            ];
            for (stored, sums) in line.0.iter().zip(&mut sums) {
                let column = E::lengthen(stored);
                for (sum, gathered) in sums.iter_mut().zip(gathered) {
                    *sum = sum.plus_product(column, gathered);
                }
            }
        }
        for c in 0..COLUMNS {
            for component in 0..3 {
                let mut rows = [0.0; PACK];
                sums[c][component].store(&mut rows);
                products[c][component] = total(&rows);
            }
        }
    }
    products
}

/// L y = b.
///
/// # Safety
/// As for [`Eight::splat`].
#[inline(always)]
unsafe fn forwards<E: Eight>(
    panels: &[Panel],
    values: &[Stored],
    rows: &[u32],
    x: &mut [Single],
    room: &mut [[Rows; 3]],
) {
    for panel in panels {
        let (count, packs) = (panel.columns as usize, panel.packs as usize);
        let mut values = &values[panel.first_value as usize..];
        let own = &mut x[panel.start as usize..][..count];
        let room = &mut room[..packs];
        room.fill([[0.0; PACK]; 3]);
        for (index, own) in own.chunks(COLUMNS).enumerate() {
            let first = first_pack(index * COLUMNS);
            let (lines, later) = values.split_at(packs - first);
            values = later;
            let mut x = [[0.0; 4]; COLUMNS];
            x[..own.len()].copy_from_slice(own);
            // SAFETY: the caller's promise.
            unsafe { add_columns::<E>(lines, &x, &mut room[first..]) };
        }
        own.fill([0.0; 4]);
        let rows = rows[panel.first_row_pack as usize * PACK..]
            .as_chunks::<PACK>()
            .0;
        for (sums, rows) in room.iter().zip(rows) {
            for (lane, &row) in rows.iter().enumerate() {
                let target = &mut x[row as usize];
                target[0] += sums[0][lane];
                target[1] += sums[1][lane];
                target[2] += sums[2][lane];
            }
        }
    }
}

/// Lᵀ x = y.
///
/// # Safety
/// As for [`Eight::splat`].
#[inline(always)]
unsafe fn backwards<E: Eight>(
    panels: &[Panel],
    values: &[Stored],
    rows: &[u32],
    x: &mut [Single],
    room: &mut [[Rows; 3]],
) {
    for panel in panels.iter().rev() {
        let (count, packs) = (panel.columns as usize, panel.packs as usize);
        let mut values = &values[panel.first_value as usize..];
        let room = &mut room[..packs];
        let rows = rows[panel.first_row_pack as usize * PACK..]
            .as_chunks::<PACK>()
            .0;
        for (gathered, rows) in room.iter_mut().zip(rows) {
            for (lane, &row) in rows.iter().enumerate() {
                let source = &x[row as usize];
                gathered[0][lane] = source[0];
                gathered[1][lane] = source[1];
                gathered[2][lane] = source[2];
            }
        }
        let own = &mut x[panel.start as usize..][..count];
        for (index, own) in own.chunks_mut(COLUMNS).enumerate() {
            let first = first_pack(index * COLUMNS);
            let (lines, later) = values.split_at(packs - first);
            values = later;
            // SAFETY: the caller's promise.
            let products = unsafe { multiply_columns::<E>(lines, &room[first..]) };
            own.copy_from_slice(&products[..own.len()]);
        }
    }
}
