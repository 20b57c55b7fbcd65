//! Stiffnesses and rest values of an open surface, side by side: the constants of its kernels.

use super::lanes::{
    Edges, Lane, Lanes, Layout, Read, at, combine, difference_of, dot, packs, read3,
};
use super::normal_curvature::SMOOTHING;
use super::surface_kernels::rest_normal;
use super::weights::Weights;
use crate::grid::Grid;
use crate::math::vector::Pack;
use glam::DVec3;

/// Stiffnesses and rest values of edges and corners.
#[derive(Debug)]
pub(super) struct MetricLanes {
    /// k and G⁰ of the two edges that leave a node.
    pub edge_stiffness: [Lane; 2],
    pub edge_rest: [Lane; 2],
    /// k and G⁰ of the four corners of the cell above and to the right of a node: bottom left,
    /// bottom right, top left, top right.
    pub corner_stiffness: [Lane; 4],
    pub corner_rest: [Lane; 4],
    /// √k of the edges and of the corners.
    pub edge_root: [Lane; 2],
    pub corner_root: [Lane; 4],
    /// The shares of that cell in k of its sides: bottom, top, left, right.
    pub side_stiffness: [Lane; 4],
}

/// Stiffnesses and rest values of the curvature.
#[derive(Debug)]
pub(super) struct BendingLanes {
    /// k, B⁰ and δ² L0² of B_11 and B_22 at nodes.
    pub star_stiffness: [Lane; 2],
    pub star_rest: [Lane; 2],
    pub star_smoothing: Lane,
    /// γ of B_11 + γ B_22, which stands for B_11.
    pub star_coupling: Lane,
    /// Shares of the edges before and after a node in its tangents: ½ and ½, or 0 and 1.
    pub share_before: [Lane; 2],
    pub share_after: [Lane; 2],
    /// k, B⁰ and δ² L0² of B_12 in cells.
    pub twist_stiffness: Lane,
    pub twist_rest: Lane,
    pub twist_smoothing: Lane,
    /// √k of B_11, B_22 and B_12.
    pub star_root: [Lane; 2],
    pub twist_root: Lane,
}

impl MetricLanes {
    pub(super) fn new(grid: &Grid, edges: &Edges, weights: &Weights) -> Self {
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
        let sides = [[0, 0], [columns, 0], [0, 1], [1, 1]];
        let side_stiffness = sides.map(|[offset, d]| {
            layout.lane_of(|node| {
                if !has_cell(node) {
                    return 0.0;
                }
                let (start, end) = (node + offset, node + offset + strides[d]);
                0.125 * (weights.tension(start, d, d) + weights.tension(end, d, d))
            })
        });
        Self {
            side_stiffness,
            edge_root: edge_stiffness.each_ref().map(|lane| layout.root_of(lane)),
            corner_root: corner_stiffness.each_ref().map(|lane| layout.root_of(lane)),
            edge_stiffness,
            edge_rest,
            corner_stiffness,
            corner_rest,
        }
    }

    /// √k of both edges that leave a node.
    pub(super) fn edge_roots(&self, layout: &Layout) -> Read<'_, 2> {
        [0, 1].map(|d| self.edge_root[d].values(layout))
    }

    /// k and G⁰ of the sides of cells.
    pub(super) fn sides(&self, layout: &Layout) -> Read<'_, 8> {
        let shifts = [0, layout.row as isize, 0, 1];
        std::array::from_fn(|i| {
            let side = i / 2;
            match i % 2 {
                0 => self.side_stiffness[side].values(layout),
                _ => self.edge_rest[side / 2].shifted(layout, shifts[side]),
            }
        })
    }

    /// √k, k and G⁰ of all corners.
    pub(super) fn corners(&self, layout: &Layout) -> Read<'_, 12> {
        std::array::from_fn(|i| {
            let values = [&self.corner_root, &self.corner_stiffness, &self.corner_rest];
            values[i % 3][i / 3].values(layout)
        })
    }
}

impl BendingLanes {
    pub(super) fn new(grid: &Grid, edges: &Edges, weights: &Weights) -> Self {
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
        let at_end = |node: usize, d: usize| [0, counts[d] - 1].contains(&place(node)[d]);
        let mut lanes = Self {
            star_stiffness: [0, 1].map(|d| {
                layout.lane_of(|node| match [at_end(node, d), at_end(node, 1 - d)] {
                    [true, _] => 0.0,
                    [_, true] => 0.5 * weights.rigidity(node, d, d),
                    _ if d == 0 => weights.coupled_rigidity(node).0,
                    _ => weights.rigidity(node, d, d),
                })
            }),
            star_coupling: layout.lane_of(|node| match at_end(node, 0) || at_end(node, 1) {
                true => 0.0,
                false => weights.coupled_rigidity(node).1,
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
        std::array::from_fn(|i| {
            [&self.share_before, &self.share_after][i % 2][i / 2].values(layout)
        })
    }

    /// √k and B⁰ of B_11 and of B_22, δ² L0² and γ.
    pub(super) fn star(&self, layout: &Layout) -> Read<'_, 6> {
        [
            &self.star_root[0],
            &self.star_rest[0],
            &self.star_root[1],
            &self.star_rest[1],
            &self.star_smoothing,
            &self.star_coupling,
        ]
        .map(|lane| lane.values(layout))
    }

    /// √k, B⁰ and δ² L0² of B_12.
    pub(super) fn twist(&self, layout: &Layout) -> Read<'_, 3> {
        [&self.twist_root, &self.twist_rest, &self.twist_smoothing].map(|lane| lane.values(layout))
    }

    /// Rest values from the edges of the rest shape.
    fn take_rest(&mut self, edges: &Edges) {
        let layout = edges.layout;
        let row = layout.row as isize;
        let [i0, i1] = edges.inverse_spacing;
        let first = [-1, 0, row].map(|shift| read3(&edges.first, &layout, shift));
        let second = [-row, 0, 1].map(|shift| read3(&edges.second, &layout, shift));
        let share = |lane: &Lane, i: usize| Pack::load(lane.values(&layout), i);
        let smoothing = |area: Pack| area * area * Pack::splat(SMOOTHING * SMOOTHING);
        for i in packs(self.twist_rest.values(&layout).len()) {
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
            smoothing(area).store(self.star_smoothing.values_mut(&layout), i);
            let along = dot(normal, difference_of(f, e, i0));
            let across = dot(normal, difference_of(h, g, i1));
            let coupled = along + share(&self.star_coupling, i) * across;
            coupled.store(self.star_rest[0].values_mut(&layout), i);
            across.store(self.star_rest[1].values_mut(&layout), i);
            let (top, right) = (at(&first[2], i), at(&second[2], i));
            let half = Pack::splat(0.5);
            let (normal, area) =
                rest_normal(combine(f, half, top, half), combine(h, half, right, half));
            smoothing(area).store(self.twist_smoothing.values_mut(&layout), i);
            dot(normal, difference_of(top, f, i1)).store(self.twist_rest.values_mut(&layout), i);
        }
    }
}
