//! Numbers of all nodes of an open surface side by side, and arithmetic on eight at a time.
//!
//! Metric and curvature of a surface depend on its edge vectors alone: with D_1 and D_2 the
//! forward differences, `x_11 = (D_1 - D_1 one step back) / h_1`, `x_12 = (D_1 one row up - D_1) /
//! h_2`, and tangents are means of edges. So kernels turn edge vectors into edge forces F = ∂E/∂D
//! and edge weights of the majorant, and the gradient at the nodes is the divergence of F. All
//! lanes run over all nodes with a margin of zeros round them; differences that leave the grid are
//! computed like the others and have zero weights.

use crate::grid::Grid;
use crate::linear::AlignedArray;
use crate::math::processor::for_this_processor;
use crate::math::vector::{PACK, Pack};
use glam::DVec3;

/// A number per node, with a margin of zeros.
#[derive(Clone, Debug)]
pub(super) struct Lane(AlignedArray);

/// A vector a node, by components.
pub(super) type Lanes = [Lane; 3];

/// Where the nodes lie in a lane: `margin` zeros, `count` nodes, `margin` zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Number of nodes.
    pub count: usize,
    /// Nodes of a row.
    pub row: usize,
    margin: usize,
    /// Number of nodes, filled up to whole packs.
    padded: usize,
}

impl Layout {
    pub(super) fn new(grid: &Grid) -> Self {
        let row = grid.counts()[0];
        Self {
            count: grid.node_count(),
            row,
            // Whole packs, so that the first node is on a cache line.
            margin: (2 * row).next_multiple_of(PACK) + PACK,
            padded: grid.node_count().next_multiple_of(PACK),
        }
    }

    pub(super) fn lane(&self) -> Lane {
        Lane(AlignedArray::new(self.count + 2 * self.margin))
    }

    pub(super) fn lanes(&self) -> Lanes {
        [self.lane(), self.lane(), self.lane()]
    }

    /// A lane with a value for each node.
    pub(super) fn lane_of(&self, value: impl Fn(usize) -> f64) -> Lane {
        let mut lane = self.lane();
        for (node, target) in lane.values_mut(self)[..self.count].iter_mut().enumerate() {
            *target = value(node);
        }
        lane
    }

    /// The square roots of the values of a lane.
    pub(super) fn root_of(&self, lane: &Lane) -> Lane {
        let values = lane.values(self);
        self.lane_of(|node| values[node].sqrt())
    }
}

impl Lane {
    /// The values of the nodes that lie `shift` further, filled up to whole packs.
    #[inline(always)]
    pub(super) fn shifted(&self, layout: &Layout, shift: isize) -> &[f64] {
        let start = (layout.margin as isize + shift) as usize;
        &self.0.as_slice()[start..start + layout.padded]
    }

    /// The values of the nodes.
    #[inline(always)]
    pub(super) fn values(&self, layout: &Layout) -> &[f64] {
        self.shifted(layout, 0)
    }

    /// The values of the nodes.
    #[inline(always)]
    pub(super) fn values_mut(&mut self, layout: &Layout) -> &mut [f64] {
        &mut self.0.as_mut_slice()[layout.margin..layout.margin + layout.padded]
    }
}

/// The edge vectors of a surface, D_1 and D_2, divided by h.
#[derive(Debug)]
pub(super) struct Edges {
    pub layout: Layout,
    pub inverse_spacing: [f64; 2],
    positions: Lanes,
    pub first: Lanes,
    pub second: Lanes,
}

impl Edges {
    pub(super) fn new(grid: &Grid) -> Self {
        let layout = Layout::new(grid);
        Self {
            layout,
            inverse_spacing: [1.0 / grid.spacing(0), 1.0 / grid.spacing(1)],
            positions: layout.lanes(),
            first: layout.lanes(),
            second: layout.lanes(),
        }
    }

    /// Takes the edges of the positions.
    pub(super) fn set_positions(&mut self, positions: &[DVec3]) {
        let layout = self.layout;
        let [x, y, z] = &mut self.positions;
        let targets = x
            .values_mut(&layout)
            .iter_mut()
            .zip(y.values_mut(&layout))
            .zip(z.values_mut(&layout));
        for (((x, y), z), position) in targets.zip(positions) {
            *x = position.x;
            *y = position.y;
            *z = position.z;
        }
        for component in 0..3 {
            let position = &self.positions[component];
            difference(
                position.values(&layout),
                position.shifted(&layout, 1),
                self.inverse_spacing[0],
                self.first[component].values_mut(&layout),
            );
            difference(
                position.values(&layout),
                position.shifted(&layout, layout.row as isize),
                self.inverse_spacing[1],
                self.second[component].values_mut(&layout),
            );
        }
    }
}

for_this_processor! {
    fn difference(from: &[f64], to: &[f64], scale: f64, out: &mut [f64]) {
        for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
            *out = (to - from) * scale;
        }
    }
}

/// Forces on edges and weights of the majorant.
#[derive(Debug)]
pub(super) struct EdgeForces {
    pub first: Lanes,
    pub second: Lanes,
    /// Weights for |dD|², by direction.
    pub weights: [Lane; 2],
}

impl EdgeForces {
    pub(super) fn new(layout: &Layout) -> Self {
        Self {
            first: layout.lanes(),
            second: layout.lanes(),
            weights: [layout.lane(), layout.lane()],
        }
    }

    /// Adds the divergence: the gradient at the nodes.
    pub(super) fn add_gradient(&self, edges: &Edges, gradient: &mut [DVec3]) {
        let layout = &edges.layout;
        let [i0, i1] = edges.inverse_spacing;
        let row = layout.row as isize;
        for component in 0..3 {
            let (first, second) = (&self.first[component], &self.second[component]);
            let (a, a_before) = (first.values(layout), first.shifted(layout, -1));
            let (b, b_before) = (second.values(layout), second.shifted(layout, -row));
            for (node, target) in gradient.iter_mut().enumerate() {
                target[component] +=
                    i0 * (a_before[node] - a[node]) + i1 * (b_before[node] - b[node]);
            }
        }
    }
}

/// Lanes of one length: what a kernel reads or writes.
pub(super) type Read<'a, const N: usize> = [&'a [f64]; N];
/// Lanes of one length that a kernel writes.
pub(super) type Write<'a, const N: usize> = [&'a mut [f64]; N];
/// A vector at eight nodes.
pub(super) type Vectors = [Pack; 3];

/// The components of a vector at the nodes `shift` further.
pub(super) fn read3<'a>(lanes: &'a Lanes, layout: &Layout, shift: isize) -> Read<'a, 3> {
    [
        lanes[0].shifted(layout, shift),
        lanes[1].shifted(layout, shift),
        lanes[2].shifted(layout, shift),
    ]
}

/// The components of a vector at the nodes, to be written.
pub(super) fn write3<'a>(lanes: &'a mut Lanes, layout: &Layout) -> Write<'a, 3> {
    let [x, y, z] = lanes;
    [
        x.values_mut(layout),
        y.values_mut(layout),
        z.values_mut(layout),
    ]
}

/// Starts of the packs of a lane.
#[inline(always)]
pub(super) fn packs(length: usize) -> impl Iterator<Item = usize> {
    (0..length / PACK).map(|pack| pack * PACK)
}

#[inline(always)]
pub(super) fn at(lanes: &Read<3>, i: usize) -> Vectors {
    [
        Pack::load(lanes[0], i),
        Pack::load(lanes[1], i),
        Pack::load(lanes[2], i),
    ]
}

/// The same of four lanes. A closure given to `map` of an array need not be inlined, and would be called
/// without the vector instructions of the kernel round it.
#[inline(always)]
pub(super) fn at4(lanes: &Read<4>, i: usize) -> [Pack; 4] {
    [
        Pack::load(lanes[0], i),
        Pack::load(lanes[1], i),
        Pack::load(lanes[2], i),
        Pack::load(lanes[3], i),
    ]
}

#[inline(always)]
pub(super) fn put(target: &mut Write<3>, i: usize, value: Vectors) {
    for (lane, value) in target.iter_mut().zip(value) {
        value.store(lane, i);
    }
}

#[inline(always)]
pub(super) fn dot(a: Vectors, b: Vectors) -> Pack {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross(a: Vectors, b: Vectors) -> Vectors {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// a + s u.
#[inline(always)]
pub(super) fn plus_scaled(a: Vectors, u: Vectors, s: Pack) -> Vectors {
    [a[0] + u[0] * s, a[1] + u[1] * s, a[2] + u[2] * s]
}

/// s a.
#[inline(always)]
pub(super) fn scaled(a: Vectors, s: Pack) -> Vectors {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// s a + t b.
#[inline(always)]
pub(super) fn combine(a: Vectors, s: Pack, b: Vectors, t: Pack) -> Vectors {
    [
        a[0] * s + b[0] * t,
        a[1] * s + b[1] * t,
        a[2] * s + b[2] * t,
    ]
}

/// (a - b) s.
#[inline(always)]
pub(super) fn difference_of(a: Vectors, b: Vectors, s: f64) -> Vectors {
    let s = Pack::splat(s);
    [(a[0] - b[0]) * s, (a[1] - b[1]) * s, (a[2] - b[2]) * s]
}
