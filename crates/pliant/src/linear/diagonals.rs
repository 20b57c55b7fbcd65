//! Which diagonals a stencil on a grid has, and in which rows they can be nonzero.

use super::aligned::BLOCK;
use super::kernels::Term;
use crate::grid::Grid;
use std::ops::Range;

/// Rows in which the same diagonals can be nonzero.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// First row and end, whole blocks.
    pub(crate) rows: Range<usize>,
    /// Its terms in the list of all terms.
    pub(crate) terms: Range<usize>,
}

/// The rows whose column `row + offset` is one of `0..n`.
pub(crate) fn rows_inside(n: usize, offset: isize) -> (usize, usize) {
    let low = (-offset).max(0) as usize;
    let high = (n as isize - offset).clamp(0, n as isize) as usize;
    (low, high)
}

/// The steps, their opposites and the zero step, without duplicates.
pub(crate) fn both_signs(steps: &[[i32; 3]]) -> Vec<[i32; 3]> {
    let mut all = vec![[0; 3]];
    all.extend(steps);
    all.extend(steps.iter().map(|step| step.map(|s| -s)));
    all.sort_unstable();
    all.dedup();
    all
}

/// The flat offsets that the steps take somewhere in the grid, ascending.
pub(crate) fn flat_offsets(grid: &Grid, steps: &[[i32; 3]]) -> Vec<isize> {
    let counts = grid.counts().map(|count| count as isize);
    let periodic = grid.periodic();
    let strides = [1, counts[0], counts[0] * counts[1]];
    let mut offsets = vec![0];
    for step in steps {
        let mut partial = vec![0];
        for d in 0..3 {
            let s = step[d] as isize;
            let moves = if periodic[d] {
                let wrapped = s.rem_euclid(counts[d]);
                if wrapped == 0 {
                    vec![0]
                } else {
                    vec![wrapped, wrapped - counts[d]]
                }
            } else if s.abs() < counts[d] {
                vec![s]
            } else {
                vec![]
            };
            partial = partial
                .iter()
                .flat_map(|sum| moves.iter().map(move |m| sum + m * strides[d]))
                .collect();
        }
        offsets.extend(partial);
    }
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}

/// Cuts the blocks of rows into runs in which the same diagonals reach nodes of the grid.
pub(crate) fn segments(n: usize, offsets: &[isize], stride: usize) -> (Vec<Segment>, Vec<Term>) {
    let mut segments: Vec<Segment> = Vec::new();
    let mut terms: Vec<Term> = Vec::new();
    let mut active = Vec::new();
    let mut previous = Vec::new();
    for start in (0..n).step_by(BLOCK) {
        active.clear();
        for (slot, &offset) in offsets.iter().enumerate() {
            let (low, high) = rows_inside(n, offset);
            if low.max(start) < high.min(start + BLOCK) {
                active.push(slot);
            }
        }
        match segments.last_mut() {
            Some(segment) if active == previous => segment.rows.end = start + BLOCK,
            _ => {
                let first = terms.len();
                terms.extend(active.iter().map(|&slot| Term {
                    offset: offsets[slot],
                    start: slot * stride,
                }));
                segments.push(Segment {
                    rows: start..start + BLOCK,
                    terms: first..terms.len(),
                });
                std::mem::swap(&mut previous, &mut active);
            }
        }
    }
    (segments, terms)
}
