//! The positive Hessian of the exact energy of open surfaces, eight nodes at a time.
//!
//! ```text
//! H₊ = Σ (√k ∇s)(√k ∇s)ᵀ + the positive part of what stress adds
//! ```
//!
//! **What stress adds.** At the corner of a cell, where the edges a and b meet, it is A |δa|² + 2 M δa·δb + B |δb|²: A and B
//! are the shares of the corner in k r of its edges, M is k r of the angle between them. The matrix of A, M and B is the
//! stress there, and its positive part is what pulls. A sheet that hangs from its corners is pulled along its diagonals,
//! which shows as pull along both edges and as shear: by itself each of them would resist the wrinkles across
//! the pull, which nothing resists. Statics of such a sheet takes a third of the iterations.
//!
//! **Which stress.** The second part has the residual r that the linear solve foresaw which led here, from the
//! edges d⁻ to the edges d: r(d) - |d - d⁻|² for an edge and r(d) - (a - a⁻)·(b - b⁻) for a corner of the
//! edges a and b. What turns in a linear step gets longer; the stress of that is not there once the
//! sheet has contracted, but would hinder it from turning on.
//!
//! Implements: for the stress, \[Magisano2017\], Newton's method with mixed integration points.
//!
//! A first pass writes √k ∂s/∂x of every measure and every node that it reaches, and the numbers of
//! the metric's second derivatives. A second pass gathers them: a node has a block with itself and
//! with the six of its neighbours that come after it; the other six are transposes. Both passes go
//! over one band of nodes after the other, so that what lies between them stays in the cache. Every
//! block of the matrix receives one addition. The formulas are those of `metric.rs` and
//! `normal_curvature.rs`; a test compares the result with the terms made of them where all is stretched.

use super::hessian_kernels::{
    gather_blocks, gather_lines, metric_vectors, star_vectors, twist_vectors,
};
use super::lanes::{Edges, Layout, read3};
use super::surface_constants::{BendingLanes, MetricLanes};
use crate::grid::Grid;
use crate::linear::{AlignedArray, BlockMatrix, StencilBlocks};
use crate::math::vector::PACK;
use std::ops::Range;

/// Fewest nodes of a band.
const BAND: usize = 256;

/// Blocks that a node computes: with itself and with the neighbours after it.
pub(super) const OFFSETS: [[i32; 2]; 7] = [[0, 0], [1, 0], [0, 1], [1, 1], [-1, 1], [2, 0], [0, 2]];

/// No such block.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Nodes of the measures, relative to the node to which the measure belongs, in the order of the
/// vectors that the kernels write: two edges and four corners (the corner, the ends of its edges).
const METRIC: [&[[i32; 2]]; 6] = [
    &[[0, 0], [1, 0]],
    &[[0, 0], [0, 1]],
    &[[0, 0], [1, 0], [0, 1]],
    &[[1, 0], [0, 0], [1, 1]],
    &[[0, 1], [1, 1], [0, 0]],
    &[[1, 1], [0, 1], [1, 0]],
];
pub(super) const METRIC_VECTORS: usize = 16;

/// The cell of B_12, then the nodes round that of B_11 and of B_22.
const BENDING: [&[[i32; 2]]; 3] = [&[[0, 0], [1, 0], [0, 1], [1, 1]], &STAR, &STAR];
const STAR: [[i32; 2]; 5] = [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]];
pub(super) const TWIST_VECTORS: usize = 4;
pub(super) const STAR_VECTORS: usize = 10;

/// Numbers of a cell that stand for multiples of I: blocks of its corners with themselves (bottom
/// left and right, top left and right), along its edges (bottom, top, left, right), along its
/// diagonals (rising, falling). The first of the two nodes, and the second.
const NUMBERS: [[[i32; 2]; 2]; 10] = [
    [[0, 0], [0, 0]],
    [[1, 0], [1, 0]],
    [[0, 1], [0, 1]],
    [[1, 1], [1, 1]],
    [[0, 0], [1, 0]],
    [[0, 1], [1, 1]],
    [[0, 0], [0, 1]],
    [[1, 0], [1, 1]],
    [[0, 0], [1, 1]],
    [[1, 0], [0, 1]],
];

/// What a block is the sum of: places in the scratch memory, for the first node of a band.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Products u vᵀ: the places of the first components of u and v.
    pub products: Vec<[usize; 2]>,
    /// Multiples of I.
    pub numbers: Vec<usize>,
}

/// The positive Hessian of an open surface.
#[derive(Debug)]
pub(super) struct SurfaceHessian {
    /// Nodes of a band.
    band: usize,
    /// Nodes before and after a band whose measures reach into it.
    margin: usize,
    /// Length of a lane of the scratch memory.
    stride: usize,
    scratch: AlignedArray,
    sources: [Sources; 7],
    /// For each node and offset the slot of the block and that of its transpose.
    slots: Vec<[[u32; 2]; 7]>,
}

impl SurfaceHessian {
    pub(super) fn new(layout: &Layout, bends: bool) -> Self {
        let margin = (layout.row + 1).next_multiple_of(PACK);
        let band = BAND.max(4 * layout.row).next_multiple_of(PACK);
        let band = band.min(layout.count.next_multiple_of(PACK));
        // An odd number of cache lines: lanes must not compete for the same places of the cache.
        let stride = (((band + 2 * margin) / PACK) | 1) * PACK;
        let mut hessian = Self {
            band,
            margin,
            stride,
            scratch: AlignedArray::new(0),
            sources: Default::default(),
            slots: Vec::new(),
        };
        let mut lane = 0;
        for (number, [first, second]) in NUMBERS.iter().enumerate() {
            if let Some(offset) = offset_of(*first, *second) {
                let place = hessian.place(number, *first, layout);
                hessian.sources[offset].numbers.push(place);
            }
            lane = number + 1;
        }
        let bending: &[&[[i32; 2]]] = if bends { &BENDING } else { &[] };
        for nodes in METRIC.iter().chain(bending) {
            for (i, first) in nodes.iter().enumerate() {
                for (j, second) in nodes.iter().enumerate() {
                    let Some(offset) = offset_of(*first, *second) else {
                        continue;
                    };
                    let places = [i, j].map(|k| hessian.place(lane + 3 * k, *first, layout));
                    hessian.sources[offset].products.push(places);
                }
            }
            lane += 3 * nodes.len();
        }
        hessian.scratch = AlignedArray::new(lane * stride);
        hessian
    }

    /// Where the scratch memory has a lane's number for the measure whose node `at` is the first node
    /// of the band.
    fn place(&self, lane: usize, at: [i32; 2], layout: &Layout) -> usize {
        let shift = at[0] as isize + at[1] as isize * layout.row as isize;
        lane * self.stride + (self.margin as isize - shift) as usize
    }

    /// Finds the places of the blocks in the matrix.
    pub(super) fn attach(&mut self, grid: &Grid, matrix: &BlockMatrix) {
        let slot = |row: usize, column: usize| {
            matrix.slot(row, column).map_or(NOWHERE, |slot| slot as u32)
        };
        self.slots.clear();
        for coordinates in grid.nodes() {
            let node = grid.index(coordinates);
            self.slots.push(OFFSETS.map(|[right, up]| {
                match grid.neighbour(coordinates, [right, up, 0]) {
                    Some(same) if same == node => [slot(node, node), NOWHERE],
                    Some(other) => [slot(node, other), slot(other, node)],
                    None => [NOWHERE; 2],
                }
            }));
        }
    }

    /// Adds the Hessian at the first of the edges, with the stress foreseen from the second.
    pub(super) fn add(
        &mut self,
        edges: [&Edges; 2],
        metric: &MetricLanes,
        bending: Option<&BendingLanes>,
        matrix: &mut BlockMatrix,
    ) {
        for start in (0..edges[0].layout.count).step_by(self.band) {
            let nodes = self.write_band(edges, metric, bending, start);
            gather_blocks(
                self.scratch.as_slice(),
                self.stride,
                &self.sources,
                &self.slots[nodes],
                matrix.blocks_mut(),
            );
        }
    }

    /// Room for the Hessian in single precision; `None` for rows so short that offsets coincide.
    pub(super) fn stencil(layout: &Layout) -> Option<StencilBlocks> {
        let steps = steps(layout.row);
        (layout.row >= 4).then(|| StencilBlocks::new(layout.count, layout.row, &steps))
    }

    /// Puts the Hessian at the first of the edges, with the stress foreseen from the second, in the place of what was there.
    pub(super) fn fill(
        &mut self,
        edges: [&Edges; 2],
        metric: &MetricLanes,
        bending: Option<&BendingLanes>,
        stencil: &mut StencilBlocks,
    ) {
        let mut target = stencil.refill();
        for start in (0..edges[0].layout.count).step_by(self.band) {
            let nodes = self.write_band(edges, metric, bending, start);
            gather_lines(
                self.scratch.as_slice(),
                self.stride,
                &self.sources,
                nodes,
                &mut target,
            );
        }
    }

    /// The vectors and numbers of all measures that reach the band of nodes from `start` on; returns
    /// its nodes.
    fn write_band(
        &mut self,
        edges: [&Edges; 2],
        metric: &MetricLanes,
        bending: Option<&BendingLanes>,
        start: usize,
    ) -> Range<usize> {
        let count = edges[0].layout.count;
        let padded = count.next_multiple_of(PACK);
        let nodes = start..(start + self.band).min(count);
        let first = start.saturating_sub(self.margin);
        let last = (nodes.end.next_multiple_of(PACK) + self.margin).min(padded);
        // Measures beyond the first and the last node do not exist.
        let into = first + self.margin - start..last + self.margin - start;
        for lane in self.scratch.as_mut_slice().chunks_exact_mut(self.stride) {
            lane[..into.start].fill(0.0);
            lane[into.end..].fill(0.0);
        }
        self.write_vectors(edges, metric, bending, first..last, into);
        nodes
    }

    /// The vectors and numbers of the measures that belong to `nodes`.
    fn write_vectors(
        &mut self,
        edges: [&Edges; 2],
        metric: &MetricLanes,
        bending: Option<&BendingLanes>,
        nodes: Range<usize>,
        into: Range<usize>,
    ) {
        let [edges, past] = edges;
        let layout = &edges.layout;
        let row = layout.row as isize;
        let first = |shift| read3(&edges.first, layout, shift).map(|lane| &lane[nodes.clone()]);
        let second = |shift| read3(&edges.second, layout, shift).map(|lane| &lane[nodes.clone()]);
        let cell = [first(0), first(row), second(0), second(1)];
        let before = |edges, shift| read3(edges, layout, shift).map(|lane| &lane[nodes.clone()]);
        let past = [
            before(&past.first, 0),
            before(&past.first, row),
            before(&past.second, 0),
            before(&past.second, 1),
        ];
        let mut lanes = self
            .scratch
            .as_mut_slice()
            .chunks_exact_mut(self.stride)
            .map(|lane| &mut lane[into.clone()]);
        let numbers = std::array::from_fn(|_| lanes.next().unwrap_or_default());
        let vectors = std::array::from_fn(|_| lanes.next().unwrap_or_default());
        metric_vectors(
            [&cell, &past],
            edges.inverse_spacing,
            metric.edge_roots(layout).map(|lane| &lane[nodes.clone()]),
            metric.sides(layout).map(|lane| &lane[nodes.clone()]),
            metric.corners(layout).map(|lane| &lane[nodes.clone()]),
            numbers,
            vectors,
        );
        let Some(bending) = bending else {
            return;
        };
        let vectors = std::array::from_fn(|_| lanes.next().unwrap_or_default());
        twist_vectors(
            &cell,
            edges.inverse_spacing,
            bending.twist(layout).map(|lane| &lane[nodes.clone()]),
            vectors,
        );
        let vectors = std::array::from_fn(|_| lanes.next().unwrap_or_default());
        star_vectors(
            &[first(-1), first(0), second(-row), second(0)],
            edges.inverse_spacing,
            bending.shares(layout).map(|lane| &lane[nodes.clone()]),
            bending.star(layout).map(|lane| &lane[nodes.clone()]),
            vectors,
        );
    }
}

/// From a node to those after it, in the order of [`OFFSETS`].
fn steps(row: usize) -> [usize; 6] {
    let step = |[right, up]: [i32; 2]| (right + up * row as i32) as usize;
    std::array::from_fn(|index| step(OFFSETS[index + 1]))
}

/// Which block two nodes of a measure have; `None` where it is the transpose of one.
fn offset_of(first: [i32; 2], second: [i32; 2]) -> Option<usize> {
    let offset = [second[0] - first[0], second[1] - first[1]];
    OFFSETS.iter().position(|known| *known == offset)
}

#[cfg(test)]
mod tests {
    use crate::elastic::SurfaceLanes;
    use crate::elastic::Weights;
    use crate::grid::Grid;
    use glam::DVec3;

    /// What the Hessian at `positions` with the stress foreseen from `from` says of the energy of a motion.
    fn curvature(
        lanes: &mut SurfaceLanes,
        [positions, from]: [&[DVec3]; 2],
        motion: &[DVec3],
    ) -> f64 {
        let mut stencil = lanes.stencil().unwrap();
        lanes.fill_stencil(positions, from, &mut stencil);
        stencil.finish();
        let (mut single, mut product) = (stencil.field(), stencil.field());
        single.fill_from(motion, stencil.room(), 1.0);
        stencil.multiply(&single, &mut product);
        let of_node = |(node, v): (usize, &DVec3)| v.dot(product.get(stencil.room() + node));
        motion.iter().enumerate().map(of_node).sum()
    }

    #[test]
    fn a_sheet_that_a_linear_step_has_turned_may_turn_on() {
        let grid = Grid::new(&[9, 7], &[false, false]);
        let flat = |c| {
            let [u, v, _] = grid.material_coordinates(c);
            DVec3::new(2.0 * u, 1.5 * v, 0.0)
        };
        let rest: Vec<DVec3> = grid.nodes().map(flat).collect();
        let weights = Weights::uniform(grid.node_count(), 2.0, 0.3, 0.0);
        let mut lanes = SurfaceLanes::new(&grid, &rest, &weights).unwrap();
        // Straight on as a turn begins: what turns gets longer.
        let axis = DVec3::new(0.3, -0.5, 0.2);
        let turned: Vec<DVec3> = rest.iter().map(|x| *x + axis.cross(*x)).collect();
        let on: Vec<DVec3> = turned.iter().map(|x| axis.cross(*x)).collect();
        let true_stress = curvature(&mut lanes, [&turned, &turned], &on);
        let foreseen = curvature(&mut lanes, [&turned, &rest], &on);
        assert!(true_stress > 0.0);
        assert!(
            foreseen.abs() < 1e-5 * true_stress,
            "{foreseen} {true_stress}"
        );
        // Stretching is resisted as before.
        assert!(curvature(&mut lanes, [&turned, &rest], &turned) > true_stress);
    }
}
