//! The matrix of the next coarser sheet, A_c = P^T A P (Galerkin), one direction after the other.
//!
//! Coarsening across the rows combines whole rows with fixed weights:
//!
//! ```text
//! A_c[(i, J), (i + dx, J')] = sum over j, j' of P[j, J] P[j', J'] A[(i, j), (i + dx, j')]
//! ```
//!
//! For the other direction the half-coarsened sheet is turned round, coarsened and turned back. A
//! stencil that reaches two nodes stays so. Which rows take part is found once.

use super::layout::Layout;
use super::stencil::{SheetMatrix, WIDE};
use super::transfer::{Direction, Transfer};
use super::turn::turn_matrix;
use crate::math::processor::{Level, single_kernel};
use crate::math::vector::Single;

/// A row of a fine plane that takes part in a coarse one.
struct Part {
    plane: u32,
    /// Where the row starts in the plane.
    start: u32,
    weight: f32,
}

/// A row of a coarse plane.
struct Target {
    plane: u32,
    start: u32,
    /// Its parts in the list of all parts.
    parts: std::ops::Range<u32>,
}

/// Coarsening across the rows.
pub(crate) struct RowCoarsening {
    parts: Vec<Part>,
    targets: Vec<Target>,
}

impl RowCoarsening {
    fn new(fine: &SheetMatrix, direction: Direction, coarse: &SheetMatrix) -> Self {
        let children: Vec<_> = (0..direction.coarse)
            .map(|j| direction.children(j))
            .collect();
        let (mut parts, mut targets) = (Vec::new(), Vec::new());
        for row in 0..direction.coarse {
            for step in std::iter::once([0, 0]).chain(WIDE) {
                let other = row.wrapping_add_signed(step[1]);
                let Some((plane, _)) = coarse.coupling(step).filter(|_| other < direction.coarse)
                else {
                    continue;
                };
                let first = parts.len() as u32;
                for &(j, weight) in &children[row] {
                    for &(other, other_weight) in &children[other] {
                        let step = [step[0], other as isize - j as isize];
                        if let Some((plane, shift)) = fine.coupling(step) {
                            let start = fine.layout.row(j).wrapping_add_signed(shift);
                            parts.push(Part {
                                plane: plane as u32,
                                start: start as u32,
                                weight: weight * other_weight,
                            });
                        }
                    }
                }
                targets.push(Target {
                    plane: plane as u32,
                    start: coarse.layout.row(row) as u32,
                    parts: first..parts.len() as u32,
                });
            }
        }
        Self { parts, targets }
    }
}

single_kernel! {
    combine_rows, combine_rows_at, combine_rows_body, <>,
    (plan: &RowCoarsening, fine: &SheetMatrix, coarse: &mut SheetMatrix) -> ()
}

#[inline(always)]
unsafe fn combine_rows_body<V: Single>(
    plan: &RowCoarsening,
    fine: &SheetMatrix,
    coarse: &mut SheetMatrix,
) {
    /// Vectors that are summed together.
    const TOGETHER: usize = 4;
    let stride = fine.layout.stride;
    assert_eq!(stride, coarse.layout.stride);
    for target in &plan.targets {
        let parts = &plan.parts[target.parts.start as usize..target.parts.end as usize];
        let row = coarse.planes.plane_mut(target.plane as usize);
        let row = row[target.start as usize..][..stride].as_mut_ptr();
        let mut at = 0;
        while at < stride {
            // SAFETY: a whole row starts at each part's place, as the slices below check.
            unsafe {
                if at + TOGETHER * V::WIDTH <= stride {
                    let mut sums = [V::splat(0.0); TOGETHER];
                    for part in parts {
                        let source = fine.planes.plane(part.plane as usize);
                        let source = source[part.start as usize..][..stride].as_ptr().add(at);
                        let weight = V::splat(part.weight);
                        for v in 0..TOGETHER {
                            let value = V::load(source.add(v * V::WIDTH));
                            sums[v] = sums[v].add(weight.mul(value));
                        }
                    }
                    for v in 0..TOGETHER {
                        sums[v].store(row.add(at + v * V::WIDTH));
                    }
                    at += TOGETHER * V::WIDTH;
                } else {
                    let mut sum = V::splat(0.0);
                    for part in parts {
                        let source = fine.planes.plane(part.plane as usize);
                        let source = source[part.start as usize..][..stride].as_ptr().add(at);
                        sum = sum.add(V::splat(part.weight).mul(V::load(source)));
                    }
                    sum.store(row.add(at));
                    at += V::WIDTH;
                }
            }
        }
    }
}

/// Coarsening in both directions; see the module.
pub(crate) struct Coarsening {
    across: RowCoarsening,
    /// Coarse across, fine along the rows.
    half: SheetMatrix,
    turned_half: SheetMatrix,
    along: RowCoarsening,
    turned: SheetMatrix,
}

impl Coarsening {
    /// The coarsening of matrices like `fine`, and an empty coarse matrix.
    pub(crate) fn new(fine: &SheetMatrix, transfer: &Transfer) -> (Self, SheetMatrix) {
        let half = SheetMatrix::new(Layout::new(fine.layout.nx, transfer.across.coarse), &WIDE);
        let turned_half = SheetMatrix::new(half.layout.turned(), &WIDE);
        let turned = SheetMatrix::new(transfer.shapes.coarse.turned(), &WIDE);
        let across = RowCoarsening::new(fine, transfer.across, &half);
        let along = RowCoarsening::new(&turned_half, transfer.shapes.along, &turned);
        let coarse = SheetMatrix::new(transfer.shapes.coarse, &WIDE);
        let coarsening = Self {
            across,
            half,
            turned_half,
            along,
            turned,
        };
        (coarsening, coarse)
    }

    /// coarse = P^T fine P.
    pub(crate) fn apply(&mut self, fine: &SheetMatrix, coarse: &mut SheetMatrix) {
        self.apply_at(Level::of_this_processor(), fine, coarse);
    }

    /// [`Coarsening::apply`] with chosen instructions.
    pub(crate) fn apply_at(&mut self, level: Level, fine: &SheetMatrix, coarse: &mut SheetMatrix) {
        combine_rows_at(level, &self.across, fine, &mut self.half);
        turn_matrix(level, &self.half, &mut self.turned_half);
        combine_rows_at(level, &self.along, &self.turned_half, &mut self.turned);
        turn_matrix(level, &self.turned, coarse);
    }
}
