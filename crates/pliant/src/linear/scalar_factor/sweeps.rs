//! Forwards and backwards through a factor, panel by panel.

use super::{COLUMNS, Panel, Rows, Single, Stored};
use crate::math::processor::eight_kernel;
use crate::math::vector::{Eight, PACK};

eight_kernel! {
    /// Both sweeps, with the registers that the processor has.
    sweep, sweep_at, sweep_body, <>,
    (
        panels: &[Panel],
        values: &[Stored],
        rows: &[u32],
        x: &mut [Single],
        room: &mut [[Rows; 3]],
    ) -> ()
}

/// See [`sweep`].
#[inline(always)]
unsafe fn sweep_body<E: Eight>(
    panels: &[Panel],
    values: &[Stored],
    rows: &[u32],
    x: &mut [Single],
    room: &mut [[Rows; 3]],
) {
    // SAFETY: the caller's promise.
    unsafe {
        forwards::<E>(panels, values, rows, x, room);
        backwards::<E>(panels, values, rows, x, room);
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

/// The three components of eight rows.
///
/// # Safety
/// The processor must have the instructions of the vectors.
#[inline(always)]
unsafe fn load<E: Eight>(rows: &[Rows; 3]) -> [E; 3] {
    // SAFETY: the caller's promise; each list has the eight numbers of a vector.
    unsafe {
        [
            E::load(rows[0].as_ptr()),
            E::load(rows[1].as_ptr()),
            E::load(rows[2].as_ptr()),
        ]
    }
}

/// Adds four columns times four vectors.
///
/// # Safety
/// The processor must have the instructions of the vectors.
#[inline(always)]
unsafe fn add_columns<E: Eight>(lines: &[Stored], x: &[Single; COLUMNS], room: &mut [[Rows; 3]]) {
    // SAFETY: the caller's promise.
    unsafe {
        for (line, sums) in lines.iter().zip(room) {
            let mut local = load::<E>(sums);
            for (stored, x) in line.0.iter().zip(x) {
                let column = E::lengthen(stored);
                for (local, &x) in local.iter_mut().zip(x) {
                    *local = local.add(column.mul(E::splat(x)));
                }
            }
            for (sum, local) in sums.iter_mut().zip(local) {
                local.store(sum.as_mut_ptr());
            }
        }
    }
}

/// The products of four columns with the gathered vectors.
///
/// # Safety
/// The processor must have the instructions of the vectors.
#[inline(always)]
unsafe fn multiply_columns<E: Eight>(lines: &[Stored], room: &[[Rows; 3]]) -> [Single; COLUMNS] {
    let mut products = [[0.0; 4]; COLUMNS];
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [[E::splat(0.0); 3]; COLUMNS];
        for (line, gathered) in lines.iter().zip(room) {
            let gathered = load::<E>(gathered);
            for (stored, sums) in line.0.iter().zip(&mut sums) {
                let column = E::lengthen(stored);
                for (sum, gathered) in sums.iter_mut().zip(gathered) {
                    *sum = sum.add(column.mul(gathered));
                }
            }
        }
        for c in 0..COLUMNS {
            for component in 0..3 {
                let mut rows = [0.0; PACK];
                sums[c][component].store(rows.as_mut_ptr());
                products[c][component] = total(&rows);
            }
        }
    }
    products
}

/// L y = b.
///
/// # Safety
/// The processor must have the instructions of the vectors.
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
        let part = &mut x[panel.start as usize..][..count];
        let room = &mut room[..packs];
        room.fill([[0.0; PACK]; 3]);
        for (index, chunk) in part.chunks(COLUMNS).enumerate() {
            let first = first_pack(index * COLUMNS);
            let (lines, later) = values.split_at(packs - first);
            values = later;
            let mut x = [[0.0; 4]; COLUMNS];
            x[..chunk.len()].copy_from_slice(chunk);
            // SAFETY: the caller's promise.
            unsafe { add_columns::<E>(lines, &x, &mut room[first..]) };
        }
        part.fill([0.0; 4]);
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
/// The processor must have the instructions of the vectors.
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
        let part = &mut x[panel.start as usize..][..count];
        for (index, chunk) in part.chunks_mut(COLUMNS).enumerate() {
            let first = first_pack(index * COLUMNS);
            let (lines, later) = values.split_at(packs - first);
            values = later;
            // SAFETY: the caller's promise.
            let products = unsafe { multiply_columns::<E>(lines, &room[first..]) };
            chunk.copy_from_slice(&products[..chunk.len()]);
        }
    }
}
