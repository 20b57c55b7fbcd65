//! The published elastic force of an open surface in structure-of-arrays lanes.
//!
//! The formulas are those of `published.rs` in its stable form; a test compares the two. With the
//! notation of `lanes.rs` the force is that of edge forces
//!
//! ```text
//! F_1 = a_11 D_1 + a_12 D_2 + (q_11 - q_11 one step on) / h_1 + (q_12 one row back - q_12) / h_2
//! F_2 = a_12 D_1 + a_22 D_2 + (q_22 - q_22 one row on) / h_2,      q_ij = b_ij x_ij
//! ```

mod kernels;

use super::edge_laplacian::PairFamily;
use super::lanes::{
    EdgeForces, Edges, Lane, Lanes, Layout, Read, Write, at, combine, cross, difference_of, dot,
    packs, put, read3, scaled, write3,
};
use crate::linear::{AlignedArray, GridMatrix};
use crate::math::processor::for_this_processor;
use crate::math::vector::{PACK, Pack};
use glam::DVec3;
use kernels::{
    add_differences, axis_weights, diagonal_weights, negate, rigidity_kernel, sum_weights,
    tension_kernel,
};
use std::ops::Range;

/// Nodes that are evaluated together: what they need fits the second cache. Whole packs.
const PART: usize = 2048;

/// What of the published force is constant: weights and rest values of each node, for 11, 22, 12.
#[derive(Debug)]
pub(super) struct PublishedLanes {
    edges: Edges,
    forces: EdgeForces,
    /// Tension and rest metric, pack after pack: what is read together lies together.
    stretching: AlignedArray,
    /// Rigidity, rest curvature and the shares of the edges before and after a node in its
    /// tangents, pack after pack.
    bending: AlignedArray,
    bends: bool,
    /// Implicit tension and rigidity, and q_ij, as last evaluated.
    implicit_tension: [Lane; 3],
    implicit_rigidity: [Lane; 3],
    moments: [Lanes; 3],
    pair_weights: [Lane; 6],
}

impl PublishedLanes {
    /// Takes constants by node: `tension(node)` and `rest_metric(node)` for 11, 22, 12, and the
    /// same of the curvature.
    pub(super) fn new(
        grid: &crate::grid::Grid,
        tension: impl Fn(usize) -> [f64; 3],
        rest_metric: impl Fn(usize) -> [f64; 3],
        rigidity: impl Fn(usize) -> [f64; 3],
        rest_curvature: impl Fn(usize) -> [f64; 3],
    ) -> Option<Self> {
        if grid.dimension() != 2 || grid.periodic().contains(&true) {
            return None;
        }
        let edges = Edges::new(grid);
        let layout = edges.layout;
        let three = |values: &dyn Fn(usize) -> [f64; 3]| {
            [0, 1, 2].map(|p| layout.lane_of(|node| values(node)[p]))
        };
        let [columns, rows, _] = grid.counts();
        let share = |at: usize, count: usize, after: bool| match (at == 0, at + 1 == count) {
            (true, _) => f64::from(u8::from(after)),
            (_, true) => f64::from(u8::from(!after)),
            _ => 0.5,
        };
        let shares = [(0, false), (0, true), (1, false), (1, true)].map(|(d, after)| {
            layout.lane_of(|node| {
                if d == 0 {
                    share(node % columns, columns, after)
                } else {
                    share(node / columns, rows, after)
                }
            })
        });
        Some(Self {
            forces: EdgeForces::new(&layout),
            stretching: by_packs(&[three(&tension), three(&rest_metric)].concat(), &layout),
            bending: by_packs(
                &[
                    &three(&rigidity)[..],
                    &three(&rest_curvature)[..],
                    &shares[..],
                ]
                .concat(),
                &layout,
            ),
            bends: (0..layout.count).any(|node| rigidity(node) != [0.0; 3]),
            implicit_tension: [0, 1, 2].map(|_| layout.lane()),
            implicit_rigidity: [0, 1, 2].map(|_| layout.lane()),
            moments: [0, 1, 2].map(|_| layout.lanes()),
            pair_weights: [0, 1, 2, 3, 4, 5].map(|_| layout.lane()),
            edges,
        })
    }

    /// Force and implicit stiffness at the positions; adds the force to the gradient.
    pub(super) fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        self.edges.set_positions(positions);
        let layout = self.edges.layout;
        // Part after part, so that what one kernel leaves the next finds in the cache.
        let end = self.moments[0][0].values(&layout).len();
        let mut settled = 0;
        for start in (0..end).step_by(PART) {
            let part = start..(start + PART).min(end);
            self.stretch(&layout, part.clone());
            if self.bends {
                self.bend(&layout, part.clone());
                // Forces need the moments one row on.
                let last = part.end == end;
                let next = if last {
                    end
                } else {
                    part.end
                        .saturating_sub(layout.row.next_multiple_of(PACK))
                        .max(settled)
                };
                self.add_moments(&layout, settled..next);
                settled = next;
            }
        }
        self.forces.add_gradient(&self.edges, gradient);
    }

    /// Tension of some of the nodes.
    fn stretch(&mut self, layout: &Layout, part: Range<usize>) {
        let [first, second] = [&self.edges.first, &self.edges.second];
        let forces = [&mut self.forces.first, &mut self.forces.second];
        tension_kernel(
            &[
                read3(first, layout, 0).map(|lane| &lane[part.clone()]),
                read3(second, layout, 0).map(|lane| &lane[part.clone()]),
            ],
            &self.stretching.as_slice()[STRETCHING * part.start..STRETCHING * part.end],
            forces.map(|lanes| write3(lanes, layout).map(|lane| &mut lane[part.clone()])),
            self.implicit_tension
                .each_mut()
                .map(|lane| &mut lane.values_mut(layout)[part.clone()]),
        );
    }

    /// Moments of some of the nodes.
    fn bend(&mut self, layout: &Layout, part: Range<usize>) {
        let row = layout.row as isize;
        let [first, second] = [&self.edges.first, &self.edges.second];
        let edges = [
            read3(first, layout, -1),
            read3(first, layout, 0),
            read3(second, layout, -row),
            read3(second, layout, 0),
            read3(first, layout, row),
        ];
        rigidity_kernel(
            &edges.map(|lanes| lanes.map(|lane| &lane[part.clone()])),
            self.edges.inverse_spacing,
            &self.bending.as_slice()[BENDING * part.start..BENDING * part.end],
            self.moments
                .each_mut()
                .map(|lanes| write3(lanes, layout).map(|lane| &mut lane[part.clone()])),
            self.implicit_rigidity
                .each_mut()
                .map(|lane| &mut lane.values_mut(layout)[part.clone()]),
        );
    }

    /// Adds the forces that the moments exert on the edges of some of the nodes.
    fn add_moments(&mut self, layout: &Layout, part: Range<usize>) {
        let row = layout.row as isize;
        let [i0, i1] = self.edges.inverse_spacing;
        for component in 0..3 {
            let [q11, q22, q12] = [0, 1, 2].map(|p| &self.moments[p][component]);
            let from = [
                q11.values(layout),
                q11.shifted(layout, 1),
                q12.shifted(layout, -row),
                q12.values(layout),
            ];
            add_differences(
                &mut self.forces.first[component].values_mut(layout)[part.clone()],
                from.map(|lane| &lane[part.clone()]),
                [i0, i1],
            );
            let from = [
                q22.values(layout),
                q22.shifted(layout, row),
                q22.values(layout),
                q22.values(layout),
            ];
            add_differences(
                &mut self.forces.second[component].values_mut(layout)[part.clone()],
                from.map(|lane| &lane[part.clone()]),
                [i1, 0.0],
            );
        }
    }

    /// Sets a matrix to what the step treats implicitly, as last evaluated. The families are those
    /// of `PublishedElasticity::steps` for a surface.
    pub(super) fn set_stiffness(&mut self, families: &[PairFamily], matrix: &mut GridMatrix) {
        let layout = self.edges.layout;
        let row = layout.row as isize;
        let end = self.pair_weights[0].values(&layout).len();
        let steps = families.iter().map(PairFamily::step);
        let mut offsets = [0; 6];
        for (offset, step) in offsets.iter_mut().zip(steps) {
            *offset = step[0] as isize + row * step[1] as isize;
        }
        for start in (0..end).step_by(PART) {
            let part = start..(start + PART).min(end);
            self.weigh(&layout, part.clone());
            for (weights, offset) in self.pair_weights.iter().zip(&offsets[..families.len()]) {
                store_couplings(
                    matrix,
                    weights.values(&layout),
                    part.clone(),
                    *offset as usize,
                );
            }
            let Some(slot) = matrix.diagonal_of(0) else {
                return;
            };
            let nodes = part.start..part.end.min(layout.count);
            let weights = &self.pair_weights;
            // Families that are missing have no weights.
            let pick = |f: usize, shift: isize| &weights[f].shifted(&layout, shift)[nodes.clone()];
            sum_weights(
                &mut matrix.values_mut(slot)[nodes.clone()],
                &[0, 1, 2, 3, 4, 5].map(|f| pick(f, 0)),
                &[0, 1, 2, 3, 4, 5].map(|f| pick(f, -offsets[f])),
                families.len(),
            );
        }
    }

    /// The weights of the pairs that start at some of the nodes.
    fn weigh(&mut self, layout: &Layout, part: Range<usize>) {
        let row = layout.row as isize;
        let [i0, i1] = self.edges.inverse_spacing;
        let [a11, a22, a12] = &self.implicit_tension;
        let [b11, b22, b12] = &self.implicit_rigidity;
        macro_rules! read {
            ($lane:expr, $shift:expr) => {
                &$lane.shifted(layout, $shift)[part.clone()]
            };
        }
        let [w0, w1, w2, w3, w4, w5] = self
            .pair_weights
            .each_mut()
            .map(|lane| &mut lane.values_mut(layout)[part.clone()]);
        axis_weights(
            w0,
            [read!(a11, 0), read!(a12, 0)],
            [read!(b11, 0), read!(b11, 1)],
            [read!(b12, 0), read!(b12, -row)],
            [i0, i1],
        );
        axis_weights(
            w1,
            [read!(a22, 0), read!(a12, 0)],
            [read!(b22, 0), read!(b22, row)],
            [read!(b12, 0), read!(b12, -1)],
            [i1, i0],
        );
        let (q0, q1, q01) = (i0 * i0, i1 * i1, i0 * i1);
        // The falling diagonal starts at the right neighbour of its cell's node.
        diagonal_weights(w2, read!(a12, -1), read!(b12, -1), [-q01, -q01 * q01]);
        diagonal_weights(w3, read!(a12, 0), read!(b12, 0), [0.0, -q01 * q01]);
        diagonal_weights(w4, read!(a12, 0), read!(b11, 1), [0.0, -q0 * q0]);
        diagonal_weights(w5, read!(a12, 0), read!(b22, row), [0.0, -q1 * q1]);
    }
}

/// Writes the entries of the pairs that start at some of the nodes, both ways.
fn store_couplings(matrix: &mut GridMatrix, weights: &[f64], part: Range<usize>, offset: usize) {
    let pairs = matrix.node_count().saturating_sub(offset);
    let part = part.start.min(pairs)..part.end.min(pairs);
    let weights = &weights[part.clone()];
    let forwards = offset as isize;
    for (offset, shift) in [(forwards, 0), (-forwards, offset)] {
        if let Some(slot) = matrix.diagonal_of(offset) {
            let target = &mut matrix.values_mut(slot)[part.start + shift..part.end + shift];
            negate(weights, target);
        }
    }
}

/// Constants of a node for tension, and for rigidity.
const STRETCHING: usize = 6;
const BENDING: usize = 10;

/// The numbers of several lanes, pack after pack.
fn by_packs(lanes: &[Lane], layout: &Layout) -> AlignedArray {
    let length = lanes[0].values(layout).len();
    let mut values = AlignedArray::new(lanes.len() * length);
    let mut targets = values.as_mut_slice().chunks_exact_mut(PACK);
    for start in packs(length) {
        for (lane, target) in lanes.iter().zip(&mut targets) {
            target.copy_from_slice(&lane.values(layout)[start..start + PACK]);
        }
    }
    values
}

/// Three packs that follow each other.
#[inline(always)]
fn three_of(from: &[f64], start: usize) -> [Pack; 3] {
    [
        Pack::load(from, start),
        Pack::load(from, start + PACK),
        Pack::load(from, start + 2 * PACK),
    ]
}
