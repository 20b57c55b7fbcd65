//! Open surfaces in structure-of-arrays lanes: what the semi-implicit step needs of them, fast.
//!
//! Metric and curvature of a surface depend on its edge vectors alone: with D_1 and D_2 the
//! forward differences, `x_11 = (D_1 - D_1 one step back) / h_1`, `x_12 = (D_1 one row up - D_1) /
//! h_2`, and tangents are means of edges. So every kernel here turns edge vectors into edge forces
//! F = ∂E/∂D and edge weights of the majorant, and the gradient at the nodes is the divergence of
//! F. All arrays run over all nodes with a margin of zeros round them; differences that leave the
//! grid are computed like the others and have zero weights.
//!
//! The formulas are those of `metric.rs`, `normal_curvature.rs` (exact) and `published.rs`; tests
//! compare these kernels with them.

use super::edge_laplacian::PairFamily;
use super::normal_curvature::{NORMAL_SHARE, SMOOTHING, normalisation};
use super::weights::Weights;
use crate::body::Grid;
use crate::linear::GridMatrix;
use crate::math::processor::for_this_processor;
use glam::DVec3;

/// A number a node, with a margin of zeros.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane(Vec<f64>);

/// A vector a node, by components.
pub(super) type Lanes = [Lane; 3];

/// Where the nodes lie in a lane: `margin` zeros, `count` nodes, `margin` zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub count: usize,
    pub row: usize,
    pub margin: usize,
}

impl Layout {
    pub(super) fn new(grid: &Grid) -> Self {
        let row = grid.counts()[0];
        Self {
            count: grid.node_count(),
            row,
            margin: 2 * row + 8,
        }
    }

    pub(super) fn lane(&self) -> Lane {
        Lane(vec![0.0; self.count + 2 * self.margin])
    }

    pub(super) fn lanes(&self) -> Lanes {
        [self.lane(), self.lane(), self.lane()]
    }

    /// A lane with a value for each node.
    pub(super) fn lane_of(&self, value: impl Fn(usize) -> f64) -> Lane {
        let mut lane = self.lane();
        for (node, target) in lane.own_mut(self).iter_mut().enumerate() {
            *target = value(node);
        }
        lane
    }
}

impl Lane {
    /// The values of the nodes that lie `shift` further.
    #[inline(always)]
    pub(super) fn shifted(&self, layout: &Layout, shift: isize) -> &[f64] {
        let start = (layout.margin as isize + shift) as usize;
        &self.0[start..start + layout.count]
    }

    /// The values of the nodes.
    #[inline(always)]
    pub(super) fn own(&self, layout: &Layout) -> &[f64] {
        self.shifted(layout, 0)
    }

    /// The values of the nodes.
    #[inline(always)]
    pub(super) fn own_mut(&mut self, layout: &Layout) -> &mut [f64] {
        &mut self.0[layout.margin..layout.margin + layout.count]
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
    pub(super) fn take(&mut self, positions: &[DVec3]) {
        let layout = self.layout;
        let [x, y, z] = &mut self.positions;
        let targets = x
            .own_mut(&layout)
            .iter_mut()
            .zip(y.own_mut(&layout))
            .zip(z.own_mut(&layout));
        for (((x, y), z), position) in targets.zip(positions) {
            *x = position.x;
            *y = position.y;
            *z = position.z;
        }
        for component in 0..3 {
            let position = &self.positions[component];
            difference(
                position.own(&layout),
                position.shifted(&layout, 1),
                self.inverse_spacing[0],
                self.first[component].own_mut(&layout),
            );
            difference(
                position.own(&layout),
                position.shifted(&layout, layout.row as isize),
                self.inverse_spacing[1],
                self.second[component].own_mut(&layout),
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
            let (a, a_before) = (first.own(layout), first.shifted(layout, -1));
            let (b, b_before) = (second.own(layout), second.shifted(layout, -row));
            for (node, target) in gradient.iter_mut().enumerate() {
                target[component] +=
                    i0 * (a_before[node] - a[node]) + i1 * (b_before[node] - b[node]);
            }
        }
    }
}

/// Slices of one length, as fixed-size arrays of slices: what a kernel reads or writes.
pub(super) type Read<'a, const N: usize> = [&'a [f64]; N];
pub(super) type Write<'a, const N: usize> = [&'a mut [f64]; N];

pub(super) fn read3<'a>(lanes: &'a Lanes, layout: &Layout, shift: isize) -> Read<'a, 3> {
    [0, 1, 2].map(|c: usize| lanes[c].shifted(layout, shift))
}

pub(super) fn write3<'a>(lanes: &'a mut Lanes, layout: &Layout) -> Write<'a, 3> {
    lanes.each_mut().map(|lane| lane.own_mut(layout))
}

#[inline(always)]
pub(super) fn at(lanes: &Read<3>, i: usize) -> [f64; 3] {
    [lanes[0][i], lanes[1][i], lanes[2][i]]
}

#[inline(always)]
pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline(always)]
pub(super) fn combine(a: [f64; 3], s: f64, b: [f64; 3], t: f64) -> [f64; 3] {
    [
        a[0] * s + b[0] * t,
        a[1] * s + b[1] * t,
        a[2] * s + b[2] * t,
    ]
}

#[inline(always)]
pub(super) fn put(target: &mut Write<3>, i: usize, value: [f64; 3]) {
    target[0][i] = value[0];
    target[1][i] = value[1];
    target[2][i] = value[2];
}

/// The exact energy of an open surface.
#[derive(Debug)]
pub(crate) struct SurfaceLanes {
    edges: Edges,
    forces: EdgeForces,
    metric: MetricLanes,
    bending: Option<BendingLanes>,
    out: KernelOutput,
}

/// What a kernel gives for the four edges of a cell or round a node.
#[derive(Debug)]
struct KernelOutput {
    forces: [Lanes; 4],
    weights: [Lane; 4],
}

impl KernelOutput {
    fn new(layout: &Layout) -> Self {
        Self {
            forces: std::array::from_fn(|_| layout.lanes()),
            weights: std::array::from_fn(|_| layout.lane()),
        }
    }
}

/// Stiffnesses and rest values of edges and corners.
#[derive(Debug)]
struct MetricLanes {
    /// k and G⁰ of the two edges that leave a node.
    edge_stiffness: [Lane; 2],
    edge_rest: [Lane; 2],
    /// k and G⁰ of the four corners of the cell above and to the right of a node: bottom left,
    /// bottom right, top left, top right.
    corner_stiffness: [Lane; 4],
    corner_rest: [Lane; 4],
}

/// Stiffnesses and rest values of the curvature.
#[derive(Debug)]
struct BendingLanes {
    /// k, B⁰ and δ² L0² of B_11 and B_22 at nodes.
    star_stiffness: [Lane; 2],
    star_rest: [Lane; 2],
    star_smoothing: Lane,
    /// Shares of the edges before and after a node in its tangents: ½ and ½, or 0 and 1.
    share_before: [Lane; 2],
    share_after: [Lane; 2],
    /// k, B⁰ and δ² L0² of B_12 in cells.
    twist_stiffness: Lane,
    twist_rest: Lane,
    twist_smoothing: Lane,
}

impl SurfaceLanes {
    /// For a surface without periodic directions; `None` for anything else.
    pub(crate) fn new(grid: &Grid, rest: &[DVec3], weights: &Weights) -> Option<Self> {
        if grid.dimension() != 2 || grid.periodic().contains(&true) {
            return None;
        }
        let mut edges = Edges::new(grid);
        let layout = edges.layout;
        edges.take(rest);
        let metric = MetricLanes::new(grid, &edges, weights);
        let rigid = weights
            .rigidities
            .iter()
            .flatten()
            .flatten()
            .any(|&w| w != 0.0);
        let bending = rigid.then(|| BendingLanes::new(grid, &edges, weights));
        Some(Self {
            forces: EdgeForces::new(&layout),
            out: KernelOutput::new(&layout),
            edges,
            metric,
            bending,
        })
    }

    /// Adds the gradient, as last evaluated.
    pub(crate) fn add_gradient(&self, gradient: &mut [DVec3]) {
        self.forces.add_gradient(&self.edges, gradient);
    }

    /// Adds the weights of the edges, as last evaluated; `families` are the steps along the two
    /// directions.
    pub(crate) fn add_majorant(&self, families: &[PairFamily], matrix: &mut GridMatrix) {
        for (direction, family) in families.iter().enumerate() {
            let scale = self.edges.inverse_spacing[direction];
            let weights = self.forces.weights[direction].own(&self.edges.layout);
            family.add_lane(matrix, weights, scale * scale);
        }
    }

    /// Edge forces and weights at the positions.
    pub(crate) fn evaluate(&mut self, positions: &[DVec3]) {
        self.edges.take(positions);
        let layout = self.edges.layout;
        for direction in 0..2 {
            let (edges, forces) = if direction == 0 {
                (&self.edges.first, &mut self.forces.first)
            } else {
                (&self.edges.second, &mut self.forces.second)
            };
            edge_kernel(
                read3(edges, &layout, 0),
                self.metric.edge_stiffness[direction].own(&layout),
                self.metric.edge_rest[direction].own(&layout),
                write3(forces, &layout),
                self.forces.weights[direction].own_mut(&layout),
            );
        }
        self.cells();
        if self.bending.is_some() {
            self.stars();
        }
    }

    /// Corners and twist of every cell; a cell's edges are bottom, top, left and right.
    fn cells(&mut self) {
        let layout = self.edges.layout;
        let row = layout.row as isize;
        {
            let KernelOutput { forces, weights } = &mut self.out;
            let edges = [
                read3(&self.edges.first, &layout, 0),
                read3(&self.edges.first, &layout, row),
                read3(&self.edges.second, &layout, 0),
                read3(&self.edges.second, &layout, 1),
            ];
            corner_kernel(
                &edges,
                self.edges.inverse_spacing,
                self.metric.corner_stiffness.each_ref().map(|k| k.own(&layout)),
                self.metric.corner_rest.each_ref().map(|s| s.own(&layout)),
                forces.each_mut().map(|f| write3(f, &layout)),
                weights.each_mut().map(|w| w.own_mut(&layout)),
            );
            if let Some(bending) = &self.bending {
                twist_kernel(
                    &edges,
                    self.edges.inverse_spacing,
                    bending.twist_stiffness.own(&layout),
                    bending.twist_rest.own(&layout),
                    bending.twist_smoothing.own(&layout),
                    forces.each_mut().map(|f| write3(f, &layout)),
                    weights.each_mut().map(|w| w.own_mut(&layout)),
                );
            }
        }
        self.collect([(0, 0), (0, -row), (1, 0), (1, -1)]);
    }

    /// B_11 and B_22 at every node; its edges are before and after in each direction.
    fn stars(&mut self) {
        let layout = self.edges.layout;
        let row = layout.row as isize;
        if let Some(bending) = &self.bending {
            let KernelOutput { forces, weights } = &mut self.out;
            star_kernel(
                &[
                    read3(&self.edges.first, &layout, -1),
                    read3(&self.edges.first, &layout, 0),
                    read3(&self.edges.second, &layout, -row),
                    read3(&self.edges.second, &layout, 0),
                ],
                self.edges.inverse_spacing,
                [
                    bending.share_before[0].own(&layout),
                    bending.share_after[0].own(&layout),
                    bending.share_before[1].own(&layout),
                    bending.share_after[1].own(&layout),
                ],
                bending.star_stiffness.each_ref().map(|k| k.own(&layout)),
                bending.star_rest.each_ref().map(|s| s.own(&layout)),
                bending.star_smoothing.own(&layout),
                forces.each_mut().map(|f| write3(f, &layout)),
                weights.each_mut().map(|w| w.own_mut(&layout)),
            );
        }
        self.collect([(0, 1), (0, 0), (1, row), (1, 0)]);
    }

    /// Adds what the kernel gave for its four edges to the edges: the direction of each and where
    /// the cell or node lies to which it belongs.
    fn collect(&mut self, places: [(usize, isize); 4]) {
        let layout = self.edges.layout;
        for direction in 0..2 {
            let mut own = places
                .iter()
                .enumerate()
                .filter(|(_, (d, _))| *d == direction)
                .map(|(output, (_, shift))| (output, *shift));
            let (Some(one), Some(two)) = (own.next(), own.next()) else {
                continue;
            };
            let targets = if direction == 0 {
                &mut self.forces.first
            } else {
                &mut self.forces.second
            };
            for (component, target) in targets.iter_mut().enumerate() {
                add_two(
                    target.own_mut(&layout),
                    self.out.forces[one.0][component].shifted(&layout, one.1),
                    self.out.forces[two.0][component].shifted(&layout, two.1),
                );
            }
            add_two(
                self.forces.weights[direction].own_mut(&layout),
                self.out.weights[one.0].shifted(&layout, one.1),
                self.out.weights[two.0].shifted(&layout, two.1),
            );
        }
    }
}

impl MetricLanes {
    fn new(grid: &Grid, edges: &Edges, weights: &Weights) -> Self {
        let layout = &edges.layout;
        let [columns, rows, _] = grid.counts();
        let place = |node: usize| (node % columns, node / columns);
        let edge_share = |node: usize, direction: usize| {
            let (i, j) = place(node);
            let (along, across, last_along, last_across) = if direction == 0 {
                (i, j, columns - 1, rows - 1)
            } else {
                (j, i, rows - 1, columns - 1)
            };
            if along == last_along {
                0.0
            } else if across == 0 || across == last_across {
                0.5
            } else {
                1.0
            }
        };
        let strides = [1, columns];
        let edge_stiffness = [0, 1].map(|d| {
            layout.lane_of(|node| {
                let share = edge_share(node, d);
                if share == 0.0 {
                    return 0.0;
                }
                let end = node + strides[d];
                0.25 * share * (weights.tension(node, d, d) + weights.tension(end, d, d))
            })
        });
        let of = |lanes: &Lanes, node: usize| {
            let [x, y, z] = read3(lanes, layout, 0);
            [x[node], y[node], z[node]]
        };
        let edge_rest = [&edges.first, &edges.second].map(|lanes| {
            layout.lane_of(|node| {
                let edge = of(lanes, node);
                dot(edge, edge)
            })
        });
        let has_cell = |node: usize| {
            let (i, j) = place(node);
            i + 1 < columns && j + 1 < rows
        };
        // Corners: bottom left, bottom right, top left, top right.
        let corner_nodes = [0, 1, columns, columns + 1];
        let corner_stiffness = corner_nodes.map(|offset| {
            layout.lane_of(|node| {
                if !has_cell(node) {
                    return 0.0;
                }
                let corner = node + offset;
                0.125 * (weights.tension(corner, 0, 1) + weights.tension(corner, 1, 0))
            })
        });
        let corner_rest = [(0, 0), (0, 1), (columns, 0), (columns, 1)].map(|(up, right)| {
            layout.lane_of(|node| {
                if !has_cell(node) {
                    return 0.0;
                }
                dot(of(&edges.first, node + up), of(&edges.second, node + right))
            })
        });
        Self {
            edge_stiffness,
            edge_rest,
            corner_stiffness,
            corner_rest,
        }
    }
}

impl BendingLanes {
    fn new(grid: &Grid, edges: &Edges, weights: &Weights) -> Self {
        let layout = &edges.layout;
        let [columns, rows, _] = grid.counts();
        let counts = [columns, rows];
        let place = |node: usize| [node % columns, node / columns];
        let share = |node: usize, d: usize| {
            let at = place(node)[d];
            if at == 0 {
                (0.0, 1.0)
            } else if at + 1 == counts[d] {
                (1.0, 0.0)
            } else {
                (0.5, 0.5)
            }
        };
        let mut lanes = Self {
            star_stiffness: [0, 1].map(|d| {
                layout.lane_of(|node| {
                    let (along, across) = (place(node)[d], place(node)[1 - d]);
                    if along == 0 || along + 1 == counts[d] {
                        0.0
                    } else if across == 0 || across + 1 == counts[1 - d] {
                        0.5 * weights.rigidity(node, d, d)
                    } else {
                        weights.rigidity(node, d, d)
                    }
                })
            }),
            star_rest: [layout.lane(), layout.lane()],
            star_smoothing: layout.lane(),
            share_before: [0, 1].map(|d| layout.lane_of(|node| share(node, d).0)),
            share_after: [0, 1].map(|d| layout.lane_of(|node| share(node, d).1)),
            twist_stiffness: layout.lane_of(|node| {
                let [i, j] = place(node);
                if i + 1 == columns || j + 1 == rows {
                    return 0.0;
                }
                [node, node + 1, node + columns, node + columns + 1]
                    .iter()
                    .map(|&n| 0.25 * (weights.rigidity(n, 0, 1) + weights.rigidity(n, 1, 0)))
                    .sum()
            }),
            twist_rest: layout.lane(),
            twist_smoothing: layout.lane(),
        };
        lanes.take_rest(edges);
        lanes
    }

    /// Rest values from the edges of the rest shape.
    fn take_rest(&mut self, edges: &Edges) {
        let layout = edges.layout;
        let row = layout.row as isize;
        let [i0, i1] = edges.inverse_spacing;
        let first = [-1, 0, row].map(|shift| read3(&edges.first, &layout, shift));
        let second = [-row, 0, 1].map(|shift| read3(&edges.second, &layout, shift));
        for node in 0..layout.count {
            let (e, f) = (at(&first[0], node), at(&first[1], node));
            let (g, h) = (at(&second[0], node), at(&second[1], node));
            let share = |lane: &Lane| lane.own(&layout)[node];
            let a = combine(e, share(&self.share_before[0]), f, share(&self.share_after[0]));
            let b = combine(g, share(&self.share_before[1]), h, share(&self.share_after[1]));
            let (area, smoothing) = rest_area(a, b);
            self.star_smoothing.own_mut(&layout)[node] = smoothing;
            let curvature = |d: [f64; 3]| dot(cross(a, b), d) / area;
            self.star_rest[0].own_mut(&layout)[node] = curvature(combine(f, i0, e, -i0));
            self.star_rest[1].own_mut(&layout)[node] = curvature(combine(h, i1, g, -i1));
            let (top, right) = (at(&first[2], node), at(&second[2], node));
            let a = combine(f, 0.5, top, 0.5);
            let b = combine(h, 0.5, right, 0.5);
            let (area, smoothing) = rest_area(a, b);
            self.twist_smoothing.own_mut(&layout)[node] = smoothing;
            self.twist_rest.own_mut(&layout)[node] =
                dot(cross(a, b), combine(top, i1, f, -i1)) / area;
        }
    }
}

/// |a x b| of the rest shape and its smoothing δ² |a x b|²; harmless numbers where there is no
/// cell, as edges that leave the grid may vanish there.
fn rest_area(a: [f64; 3], b: [f64; 3]) -> (f64, f64) {
    let normal = cross(a, b);
    let squared = dot(normal, normal).max(1e-200);
    (squared.sqrt(), SMOOTHING * SMOOTHING * squared)
}

for_this_processor! {
    fn add_two(target: &mut [f64], one: &[f64], two: &[f64]) {
        for ((target, one), two) in target.iter_mut().zip(one).zip(two) {
            *target += one + two;
        }
    }
}

for_this_processor! {
    /// ½ k (|D|² - G⁰)² and its majorant.
    fn edge_kernel(
        edges: Read<3>,
        stiffness: &[f64],
        rest: &[f64],
        forces: Write<3>,
        weights: &mut [f64],
    ) {
        let n = weights.len();
        let edges = edges.map(|lane| &lane[..n]);
        let mut forces = forces.map(|lane| &mut lane[..n]);
        let (stiffness, rest) = (&stiffness[..n], &rest[..n]);
        for i in 0..n {
            let edge = at(&edges, i);
            let metric = dot(edge, edge);
            let residual = metric - rest[i];
            let force = 2.0 * stiffness[i] * residual;
            put(&mut forces, i, combine(edge, force, edge, 0.0));
            weights[i] = stiffness[i] * (4.0 * metric.max(rest[i]) + 2.0 * residual.max(0.0));
        }
    }
}

for_this_processor! {
    /// ½ k (D_1 · D_2 - G⁰)² at the four corners of cells, and its majorant.
    fn corner_kernel(
        edges: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        stiffness: Read<4>,
        rest: Read<4>,
        forces: [Write<3>; 4],
        weights: Write<4>,
    ) {
        let n = weights[0].len();
        let edges = edges.map(|edge| edge.map(|lane| &lane[..n]));
        let stiffness = stiffness.map(|lane| &lane[..n]);
        let rest = rest.map(|lane| &lane[..n]);
        let mut forces = forces.map(|force| force.map(|lane| &mut lane[..n]));
        let [w0, w1, w2, w3] = weights.map(|lane| &mut lane[..n]);
        // 2 |dD_1||dD_2| is split into squares that are equal for equal displacements.
        let across = inverse_spacing[1] / inverse_spacing[0];
        let along = 1.0 / across;
        for i in 0..n {
            let (bottom, top) = (at(&edges[0], i), at(&edges[1], i));
            let (left, right) = (at(&edges[2], i), at(&edges[3], i));
            let corner = |c: usize, a: [f64; 3], b: [f64; 3]| {
                let residual = dot(a, b) - rest[c][i];
                (stiffness[c][i] * residual, stiffness[c][i])
            };
            let (bl, k_bl) = corner(0, bottom, left);
            let (br, k_br) = corner(1, bottom, right);
            let (tl, k_tl) = corner(2, top, left);
            let (tr, k_tr) = corner(3, top, right);
            put(&mut forces[0], i, combine(left, bl, right, br));
            put(&mut forces[1], i, combine(left, tl, right, tr));
            put(&mut forces[2], i, combine(bottom, bl, top, tl));
            put(&mut forces[3], i, combine(bottom, br, top, tr));
            let (b2, t2) = (dot(bottom, bottom), dot(top, top));
            let (l2, r2) = (dot(left, left), dot(right, right));
            w0[i] = 2.0 * (k_bl * l2 + k_br * r2) + across * (bl.abs() + br.abs());
            w1[i] = 2.0 * (k_tl * l2 + k_tr * r2) + across * (tl.abs() + tr.abs());
            w2[i] = 2.0 * (k_bl * b2 + k_tl * t2) + along * (bl.abs() + tl.abs());
            w3[i] = 2.0 * (k_br * b2 + k_tr * t2) + along * (br.abs() + tr.abs());
        }
    }
}

/// Everything about one curvature measure that its forces and weights need.
struct Bend {
    /// k r.
    force: f64,
    /// n c.
    normal: [f64; 3],
    by_a: [f64; 3],
    by_b: [f64; 3],
    /// Weights for |da|², |db|² and for each of the two edges whose difference d is.
    of_a: f64,
    of_b: f64,
    of_difference: f64,
}

/// B = n · d; `scale` is 1 / the spacing over which the two edges of d differ.
#[inline(always)]
fn bend(
    a: [f64; 3],
    b: [f64; 3],
    d: [f64; 3],
    stiffness: f64,
    rest: f64,
    smoothing: f64,
    scale: f64,
) -> Bend {
    let c = normalisation();
    let area_vector = cross(a, b);
    let area_squared = dot(area_vector, area_vector) + smoothing;
    let area = area_squared.sqrt();
    let inverse = 1.0 / area;
    let n = combine(area_vector, inverse, area_vector, 0.0);
    let d = combine(d, c, d, 0.0);
    let s = dot(n, d);
    let t = combine(d, inverse, n, -s * inverse);
    let by_a = cross(b, t);
    let by_b = cross(t, a);
    let r = s - rest;
    let (a2, b2) = (dot(a, a), dot(b, b));
    let longest = a2.max(b2).sqrt().max(f64::MIN_POSITIVE);
    // See `NormalCurvature::majorant`: ρ = √2 scale / max(|a|, |b|) inside the grid.
    let rho = std::f64::consts::SQRT_2 * scale / longest;
    let d_length = dot(d, d).sqrt();
    let size = r.abs();
    let factor = 2.0 * (1.0 + 1.0 / NORMAL_SHARE);
    let product = size * (2.0 * rho * inverse + 6.0 * d_length * inverse * inverse);
    let mixed = size * d_length * inverse;
    Bend {
        force: stiffness * r,
        normal: combine(n, c, n, 0.0),
        by_a,
        by_b,
        of_a: stiffness * (factor * dot(by_a, by_a) + product * b2 + mixed),
        of_b: stiffness * (factor * dot(by_b, by_b) + product * a2 + mixed),
        of_difference: stiffness * size * inverse / rho * 2.0 * scale * scale,
    }
}

for_this_processor! {
    /// B_12 in cells; adds to forces and weights.
    fn twist_kernel(
        edges: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        stiffness: &[f64],
        rest: &[f64],
        smoothing: &[f64],
        forces: [Write<3>; 4],
        weights: Write<4>,
    ) {
        let n = stiffness.len();
        let edges = edges.map(|edge| edge.map(|lane| &lane[..n]));
        let (rest, smoothing) = (&rest[..n], &smoothing[..n]);
        let forces = forces.map(|force| force.map(|lane| &mut lane[..n]));
        let [w0, w1, w2, w3] = weights.map(|lane| &mut lane[..n]);
        let scale = inverse_spacing[1];
        for i in 0..n {
            let (bottom, top) = (at(&edges[0], i), at(&edges[1], i));
            let (left, right) = (at(&edges[2], i), at(&edges[3], i));
            let a = combine(bottom, 0.5, top, 0.5);
            let b = combine(left, 0.5, right, 0.5);
            let d = combine(top, scale, bottom, -scale);
            let bend = bend(a, b, d, stiffness[i], rest[i], smoothing[i], scale);
            let half = 0.5 * bend.force;
            let difference = scale * bend.force;
            for c in 0..3 {
                forces[0][c][i] += half * bend.by_a[c] - difference * bend.normal[c];
                forces[1][c][i] += half * bend.by_a[c] + difference * bend.normal[c];
                forces[2][c][i] += half * bend.by_b[c];
                forces[3][c][i] += half * bend.by_b[c];
            }
            w0[i] += 0.5 * bend.of_a + bend.of_difference;
            w1[i] += 0.5 * bend.of_a + bend.of_difference;
            w2[i] += 0.5 * bend.of_b;
            w3[i] += 0.5 * bend.of_b;
        }
    }
}

for_this_processor! {
    /// B_11 and B_22 at nodes.
    fn star_kernel(
        edges: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        shares: Read<4>,
        stiffness: Read<2>,
        rest: Read<2>,
        smoothing: &[f64],
        forces: [Write<3>; 4],
        weights: Write<4>,
    ) {
        let n = smoothing.len();
        let edges = edges.map(|edge| edge.map(|lane| &lane[..n]));
        let shares = shares.map(|lane| &lane[..n]);
        let stiffness = stiffness.map(|lane| &lane[..n]);
        let rest = rest.map(|lane| &lane[..n]);
        let forces = forces.map(|force| force.map(|lane| &mut lane[..n]));
        let [w0, w1, w2, w3] = weights.map(|lane| &mut lane[..n]);
        let [i0, i1] = inverse_spacing;
        for i in 0..n {
            let (e, f) = (at(&edges[0], i), at(&edges[1], i));
            let (g, h) = (at(&edges[2], i), at(&edges[3], i));
            let share = [shares[0][i], shares[1][i], shares[2][i], shares[3][i]];
            let a = combine(e, share[0], f, share[1]);
            let b = combine(g, share[2], h, share[3]);
            let one = bend(
                a, b, combine(f, i0, e, -i0), stiffness[0][i], rest[0][i], smoothing[i], i0,
            );
            let two = bend(
                a, b, combine(h, i1, g, -i1), stiffness[1][i], rest[1][i], smoothing[i], i1,
            );
            for c in 0..3 {
                let by_a = one.force * one.by_a[c] + two.force * two.by_a[c];
                let by_b = one.force * one.by_b[c] + two.force * two.by_b[c];
                let along = i0 * one.force * one.normal[c];
                let across = i1 * two.force * two.normal[c];
                forces[0][c][i] = share[0] * by_a - along;
                forces[1][c][i] = share[1] * by_a + along;
                forces[2][c][i] = share[2] * by_b - across;
                forces[3][c][i] = share[3] * by_b + across;
            }
            // |share e + (1 - share) f|² <= share |e|² + (1 - share) |f|².
            let of_a = one.of_a + two.of_a;
            let of_b = one.of_b + two.of_b;
            w0[i] = share[0] * of_a + one.of_difference;
            w1[i] = share[1] * of_a + one.of_difference;
            w2[i] = share[2] * of_b + two.of_difference;
            w3[i] = share[3] * of_b + two.of_difference;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::primal_terms;

    /// A number between -1 and 1 that looks random.
    fn noise(seed: usize) -> f64 {
        let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 29)) % 20_011) as f64 / 10_005.5 - 1.0
    }

    #[test]
    fn the_kernels_agree_with_the_terms() {
        let grid = Grid::new(&[9, 7], &[false, false]);
        let count = grid.node_count();
        let rest: Vec<DVec3> = grid
            .nodes()
            .map(|c| {
                let [u, v, _] = grid.material_coordinates(c);
                DVec3::new(2.0 * u, 1.5 * v + 0.2 * u, 0.4 * (3.0 * u).sin() * v)
            })
            .collect();
        let positions: Vec<DVec3> = rest
            .iter()
            .enumerate()
            .map(|(i, x)| *x + 0.08 * DVec3::new(noise(3 * i), noise(3 * i + 1), noise(3 * i + 2)))
            .collect();
        for rigidity in [0.0, 0.3] {
            let mut weights = Weights::uniform(count, 2.0, rigidity, 0.0);
            for node in 0..count {
                weights.tensions[node][0][1] *= 1.0 + 0.3 * noise(node);
                weights.tensions[node][1][1] *= 1.0 + 0.2 * noise(node + 7);
                weights.rigidities[node][0][0] *= 1.0 + 0.3 * noise(node + 9);
            }
            let mut expected = vec![DVec3::ZERO; count];
            let mut expected_weights = vec![0.0; 3 * count];
            for group in primal_terms(&grid, &rest, &weights) {
                group.add_gradient_and_majorant(&positions, &mut expected, &mut expected_weights);
            }
            let mut lanes = SurfaceLanes::new(&grid, &rest, &weights).unwrap();
            lanes.evaluate(&positions);
            let mut gradient = vec![DVec3::ZERO; count];
            lanes.add_gradient(&mut gradient);
            let size = expected.iter().map(|f| f.length()).fold(0.0, f64::max);
            for (node, (a, b)) in gradient.iter().zip(&expected).enumerate() {
                assert!((*a - *b).length() < 1e-11 * size, "node {node}: {a} and {b}");
            }
            for direction in 0..2 {
                let scale = lanes.edges.inverse_spacing[direction].powi(2);
                let own = lanes.forces.weights[direction].own(&lanes.edges.layout);
                for node in 0..count {
                    let (a, b) = (scale * own[node], expected_weights[3 * node + direction]);
                    assert!((a - b).abs() <= 1e-9 * b, "edge {node} {direction}: {a} and {b}");
                }
            }
        }
    }
}
