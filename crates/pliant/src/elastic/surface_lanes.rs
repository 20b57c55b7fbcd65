//! The exact energy of open surfaces in lanes: what the semi-implicit step needs of it, fast.
//!
//! The formulas are those of `metric.rs` and `normal_curvature.rs`; a test compares these kernels
//! with the terms made of them. See `lanes.rs` for how edges stand for nodes.

use super::edge_laplacian::PairFamily;
use super::lanes::{
    EdgeForces, Edges, Lane, Lanes, Layout, Read, at, combine, difference_of, dot, packs, read3,
    write3,
};
use super::normal_curvature::SMOOTHING;
use super::surface_hessian::SurfaceHessian;
use super::surface_kernels::{
    add_two, corner_kernel, edge_kernel, rest_normal, star_kernel, twist_kernel,
};
use super::weights::Weights;
use crate::body::Grid;
use crate::linear::{BlockMatrix, GridMatrix};
use crate::math::pack::Pack;
use glam::DVec3;

/// The exact energy of an open surface.
#[derive(Debug)]
pub(crate) struct SurfaceLanes {
    edges: Edges,
    forces: EdgeForces,
    metric: MetricLanes,
    bending: Option<BendingLanes>,
    hessian: SurfaceHessian,
    out: KernelOutput,
    /// The positions last evaluated; empty before the first.
    known: Vec<DVec3>,
    /// The energy there, in joules, in eight parts.
    energy: Pack,
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
pub(super) struct MetricLanes {
    /// k and G⁰ of the two edges that leave a node.
    edge_stiffness: [Lane; 2],
    edge_rest: [Lane; 2],
    /// k and G⁰ of the four corners of the cell above and to the right of a node: bottom left,
    /// bottom right, top left, top right.
    corner_stiffness: [Lane; 4],
    corner_rest: [Lane; 4],
    /// √k of the edges and of the corners.
    edge_root: [Lane; 2],
    corner_root: [Lane; 4],
}

/// Stiffnesses and rest values of the curvature.
#[derive(Debug)]
pub(super) struct BendingLanes {
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
    /// √k of B_11, B_22 and B_12.
    star_root: [Lane; 2],
    twist_root: Lane,
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
            hessian: SurfaceHessian::new(&layout, bending.is_some()),
            edges,
            metric,
            bending,
            known: Vec::with_capacity(grid.node_count()),
            energy: Pack::ZERO,
        })
    }

    /// The energy, as last evaluated, in joules.
    pub(crate) fn energy(&self) -> f64 {
        self.energy.to_array().iter().sum()
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

    /// Finds the places of the Hessian's blocks in the matrix.
    pub(crate) fn attach(&mut self, grid: &Grid, matrix: &BlockMatrix) {
        self.hessian.attach(grid, matrix);
    }

    /// Adds the positive Hessian at the positions. `attach` comes first.
    pub(crate) fn add_hessian(&mut self, positions: &[DVec3], matrix: &mut BlockMatrix) {
        self.evaluate(positions);
        self.hessian
            .add(&self.edges, &self.metric, self.bending.as_ref(), matrix);
    }

    /// Energy, edge forces and weights at the positions. A search for a minimum asks for the gradient
    /// where it has just asked for the energy: positions that are known cost nothing again.
    pub(crate) fn evaluate(&mut self, positions: &[DVec3]) {
        if self.known == positions {
            return;
        }
        self.known.clear();
        self.known.extend(positions);
        self.energy = Pack::ZERO;
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
                &mut self.energy,
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
                self.metric
                    .corner_stiffness
                    .each_ref()
                    .map(|k| k.own(&layout)),
                self.metric.corner_rest.each_ref().map(|s| s.own(&layout)),
                forces.each_mut().map(|f| write3(f, &layout)),
                weights.each_mut().map(|w| w.own_mut(&layout)),
                &mut self.energy,
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
                    &mut self.energy,
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
                [
                    bending.star_stiffness[0].own(&layout),
                    bending.star_stiffness[1].own(&layout),
                    bending.star_rest[0].own(&layout),
                    bending.star_rest[1].own(&layout),
                ],
                bending.star_smoothing.own(&layout),
                forces.each_mut().map(|f| write3(f, &layout)),
                weights.each_mut().map(|w| w.own_mut(&layout)),
                &mut self.energy,
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
            DVec3::new(x[node], y[node], z[node])
        };
        let edge_rest = [&edges.first, &edges.second]
            .map(|lanes| layout.lane_of(|node| of(lanes, node).length_squared()));
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
                of(&edges.first, node + up).dot(of(&edges.second, node + right))
            })
        });
        Self {
            edge_root: edge_stiffness.each_ref().map(|lane| layout.root_of(lane)),
            corner_root: corner_stiffness.each_ref().map(|lane| layout.root_of(lane)),
            edge_stiffness,
            edge_rest,
            corner_stiffness,
            corner_rest,
        }
    }

    /// √k, k and G⁰ of both edges.
    pub(super) fn edges(&self, layout: &Layout) -> Read<'_, 6> {
        std::array::from_fn(|i| {
            let values = [&self.edge_root, &self.edge_stiffness, &self.edge_rest];
            values[i % 3][i / 3].own(layout)
        })
    }

    /// √k, k and G⁰ of all corners.
    pub(super) fn corners(&self, layout: &Layout) -> Read<'_, 12> {
        std::array::from_fn(|i| {
            let values = [&self.corner_root, &self.corner_stiffness, &self.corner_rest];
            values[i % 3][i / 3].own(layout)
        })
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
            star_root: [layout.lane(), layout.lane()],
            twist_root: layout.lane(),
        };
        lanes.star_root = lanes
            .star_stiffness
            .each_ref()
            .map(|lane| layout.root_of(lane));
        lanes.twist_root = layout.root_of(&lanes.twist_stiffness);
        lanes.take_rest(edges);
        lanes
    }

    /// Shares of the edges before and after a node, by directions.
    pub(super) fn shares(&self, layout: &Layout) -> Read<'_, 4> {
        std::array::from_fn(|i| [&self.share_before, &self.share_after][i % 2][i / 2].own(layout))
    }

    /// √k and B⁰ of B_11 and of B_22, and δ² L0².
    pub(super) fn star(&self, layout: &Layout) -> Read<'_, 5> {
        [
            &self.star_root[0],
            &self.star_rest[0],
            &self.star_root[1],
            &self.star_rest[1],
            &self.star_smoothing,
        ]
        .map(|lane| lane.own(layout))
    }

    /// √k, B⁰ and δ² L0² of B_12.
    pub(super) fn twist(&self, layout: &Layout) -> Read<'_, 3> {
        [&self.twist_root, &self.twist_rest, &self.twist_smoothing].map(|lane| lane.own(layout))
    }

    /// Rest values from the edges of the rest shape.
    fn take_rest(&mut self, edges: &Edges) {
        let layout = edges.layout;
        let row = layout.row as isize;
        let [i0, i1] = edges.inverse_spacing;
        let first = [-1, 0, row].map(|shift| read3(&edges.first, &layout, shift));
        let second = [-row, 0, 1].map(|shift| read3(&edges.second, &layout, shift));
        let share = |lane: &Lane, i: usize| Pack::load(lane.own(&layout), i);
        let smoothing = |area: Pack| area * area * Pack::splat(SMOOTHING * SMOOTHING);
        for i in packs(self.twist_rest.own(&layout).len()) {
            let (e, f) = (at(&first[0], i), at(&first[1], i));
            let (g, h) = (at(&second[0], i), at(&second[1], i));
            let a = combine(
                e,
                share(&self.share_before[0], i),
                f,
                share(&self.share_after[0], i),
            );
            let b = combine(
                g,
                share(&self.share_before[1], i),
                h,
                share(&self.share_after[1], i),
            );
            let (normal, area) = rest_normal(a, b);
            smoothing(area).store(self.star_smoothing.own_mut(&layout), i);
            dot(normal, difference_of(f, e, i0)).store(self.star_rest[0].own_mut(&layout), i);
            dot(normal, difference_of(h, g, i1)).store(self.star_rest[1].own_mut(&layout), i);
            let (top, right) = (at(&first[2], i), at(&second[2], i));
            let half = Pack::splat(0.5);
            let (normal, area) =
                rest_normal(combine(f, half, top, half), combine(h, half, right, half));
            smoothing(area).store(self.twist_smoothing.own_mut(&layout), i);
            dot(normal, difference_of(top, f, i1)).store(self.twist_rest.own_mut(&layout), i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::{Curvature, TermGroup, primal_terms};
    use glam::DMat3;

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
            let groups = primal_terms(&grid, &rest, &weights);
            let mut expected = vec![DVec3::ZERO; count];
            let mut expected_weights = vec![0.0; 3 * count];
            for group in &groups {
                group.add_gradient_and_majorant(&positions, &mut expected, &mut expected_weights);
            }
            let mut lanes = SurfaceLanes::new(&grid, &rest, &weights).unwrap();
            lanes.evaluate(&positions);
            let energy: f64 = groups.iter().map(|group| group.energy(&positions)).sum();
            assert!((lanes.energy() - energy).abs() < 1e-12 * energy);
            let mut gradient = vec![DVec3::ZERO; count];
            lanes.add_gradient(&mut gradient);
            let size = expected.iter().map(|f| f.length()).fold(0.0, f64::max);
            for (node, (a, b)) in gradient.iter().zip(&expected).enumerate() {
                assert!(
                    (*a - *b).length() < 1e-11 * size,
                    "node {node}: {a} and {b}"
                );
            }
            compare_hessians(groups, &mut lanes, &grid, &positions);
            for direction in 0..2 {
                let scale = lanes.edges.inverse_spacing[direction].powi(2);
                let own = lanes.forces.weights[direction].own(&lanes.edges.layout);
                for node in 0..count {
                    let (a, b) = (scale * own[node], expected_weights[3 * node + direction]);
                    assert!(
                        (a - b).abs() <= 1e-9 * b,
                        "edge {node} {direction}: {a} and {b}"
                    );
                }
            }
        }
    }

    fn compare_hessians(
        mut groups: Vec<Box<dyn TermGroup>>,
        lanes: &mut SurfaceLanes,
        grid: &Grid,
        positions: &[DVec3],
    ) {
        let mut couplings = Vec::new();
        for group in &groups {
            group.couplings(&mut |i, j| couplings.push((i, j)));
        }
        let mut expected = BlockMatrix::new(grid.node_count(), couplings.into_iter());
        let mut matrix = expected.clone();
        for group in &mut groups {
            group.prepare_hessian(&expected);
            group.add_hessian(positions, Curvature::Positive, &mut expected);
        }
        lanes.attach(grid, &matrix);
        lanes.add_hessian(positions, &mut matrix);
        let size = |block: &DMat3| {
            block
                .to_cols_array()
                .iter()
                .fold(0.0, |a: f64, b| a.max(b.abs()))
        };
        let largest = expected.blocks().iter().map(size).fold(0.0, f64::max);
        for (slot, (a, b)) in matrix.blocks().iter().zip(expected.blocks()).enumerate() {
            assert!(
                size(&(*a - *b)) <= 1e-13 * largest,
                "column {}: {a} and {b}",
                matrix.column(slot)
            );
        }
    }
}
