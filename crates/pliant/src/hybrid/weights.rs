//! The weights of the spline energy of a hybrid body, one for each difference of the grid.
//!
//! ```text
//! w0[n] |e|²    w1[n][i] |D_i⁺ e|²    w2[n][i] |D_ii e|²    2 w11[n][ij] |D_ij⁺ e|²
//! ```
//!
//! As in eq. 44 a weight belongs to the difference it multiplies: that from node n forwards, that
//! about node n, that over the cell whose lowest corner is n. To cut the material, the weights of
//! the differences that reach over the cut become zero, which is the free boundary of the paper.
//!
//! Implements: \[Terzopoulos1988\] the weights w_j(u) of eq. 18 and their discontinuities (sect.
//! 4.4), orders 0, 1 and 2.
//!
//! Departure: a difference that lies in a free boundary of the grid stands for half a cell (a
//! quarter along an edge of a solid) and has that share of the weight, as in the primal energy.

use crate::elastic::Weights;
use crate::grid::Grid;
use glam::DVec3;

/// Pairs of directions of the mixed differences.
pub const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// Weights at a node, w_j(u) of eq. 18.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeWeights {
    /// w of the deformation itself.
    pub zeroth: f64,
    /// w of its first derivative in each direction.
    pub first: [f64; 3],
    /// w of its second derivative in each direction.
    pub second: [f64; 3],
    /// w of its mixed derivatives, in the order of [`PAIRS`].
    pub mixed: [f64; 3],
}

/// Weights of all differences of a grid, in newtons per metre of deformation (material coordinates
/// have no unit).
#[derive(Clone, Debug, PartialEq)]
pub struct SplineWeights {
    /// Of each node.
    pub zeroth: Vec<f64>,
    /// Of the edge that leaves a node forwards in each direction.
    pub first: Vec<[f64; 3]>,
    /// Of the second difference about a node in each direction.
    pub second: Vec<[f64; 3]>,
    /// Of the cell with a node as its lowest corner, for each of [`PAIRS`].
    pub mixed: Vec<[f64; 3]>,
}

impl SplineWeights {
    /// From weights at the nodes; a difference has the mean of its nodes.
    pub fn from_nodes(grid: &Grid, at: impl Fn(usize) -> NodeWeights) -> Self {
        let nodes: Vec<NodeWeights> = (0..grid.node_count()).map(at).collect();
        let mut weights = Self::none(grid.node_count());
        for (node, node_weights) in nodes.iter().enumerate() {
            weights.zeroth[node] = node_weights.zeroth;
        }
        weights.fill(
            grid,
            |span, d| mean(span, |n| nodes[n].first[d]),
            |span, d| mean(span, |n| nodes[n].second[d]),
            |span, pair| mean(span, |n| nodes[n].mixed[pair]),
        );
        weights
    }

    /// The weights with which small stretches and bends of the rest shape are as stiff as in the
    /// primal formulation of the same tension and rigidity; none of order 0.
    ///
    /// A metric G = |x_u|² changes by 2 |r_u| times the stretch, so ¼ w¹ (G - G⁰)² becomes
    /// ½ (2 w¹ |r_u|²) |e_u|²; a curve measures length itself, and its curvature in metres of arc.
    /// Shear weights have no counterpart: |e_u|² resists shear already.
    pub fn from_primal(grid: &Grid, rest: &[DVec3], primal: &Weights) -> Self {
        let curve = grid.dimension() == 1;
        let squared =
            |a: usize, b: usize, d: usize| ((rest[b] - rest[a]) / grid.spacing(d)).length_squared();
        let mut weights = Self::none(grid.node_count());
        weights.fill(
            grid,
            |span, d| {
                let tension = mean(span, |n| primal.tension(n, d, d));
                let metric = if curve {
                    0.5
                } else {
                    squared(span[0], span[1], d)
                };
                2.0 * tension * metric
            },
            |span, d| match grid.dimension() {
                1 => {
                    let [before, here, after] = [span[0], span[1], span[2]];
                    let length =
                        0.5 * (squared(before, here, d).sqrt() + squared(here, after, d).sqrt());
                    let weight = primal.rigidity(here, 0, 0) / length.powi(4);
                    if weight.is_finite() { weight } else { 0.0 }
                }
                2 => primal.rigidity(span[1], d, d),
                _ => 0.0,
            },
            |span, _| match grid.dimension() {
                2 => mean(span, |n| {
                    0.5 * (primal.rigidity(n, 0, 1) + primal.rigidity(n, 1, 0))
                }),
                _ => 0.0,
            },
        );
        weights
    }

    /// Weights of another list, each times a factor of the nodes of its difference.
    pub(crate) fn scale_from(
        &mut self,
        base: &Self,
        grid: &Grid,
        factor: impl Fn(&[usize]) -> f64,
    ) {
        for (node, at) in grid.nodes().enumerate() {
            self.zeroth[node] = scaled(base.zeroth[node], || Some(factor(&[node])));
            for d in 0..grid.dimension() {
                self.first[node][d] =
                    scaled(base.first[node][d], || Some(factor(&edge(grid, at, d)?)));
                self.second[node][d] =
                    scaled(base.second[node][d], || Some(factor(&line(grid, at, d)?)));
            }
            for (pair, (a, b)) in PAIRS.into_iter().enumerate() {
                self.mixed[node][pair] = scaled(base.mixed[node][pair], || {
                    Some(factor(&cell(grid, at, a, b)?))
                });
            }
        }
    }

    fn none(node_count: usize) -> Self {
        Self {
            zeroth: vec![0.0; node_count],
            first: vec![[0.0; 3]; node_count],
            second: vec![[0.0; 3]; node_count],
            mixed: vec![[0.0; 3]; node_count],
        }
    }

    fn fill(
        &mut self,
        grid: &Grid,
        first: impl Fn(&[usize], usize) -> f64,
        second: impl Fn(&[usize], usize) -> f64,
        mixed: impl Fn(&[usize], usize) -> f64,
    ) {
        for (node, coordinates) in grid.nodes().enumerate() {
            for d in 0..grid.dimension() {
                if let Some(span) = edge(grid, coordinates, d) {
                    self.first[node][d] = first(&span, d) * share(grid, coordinates, &[d]);
                }
                if let Some(span) = line(grid, coordinates, d) {
                    self.second[node][d] = second(&span, d) * share(grid, coordinates, &[d]);
                }
            }
            for (pair, (a, b)) in PAIRS.into_iter().enumerate() {
                if b < grid.dimension()
                    && let Some(span) = cell(grid, coordinates, a, b)
                {
                    self.mixed[node][pair] = mixed(&span, pair) * share(grid, coordinates, &[a, b]);
                }
            }
        }
    }

    /// Cuts the edge that leaves a node forwards in a direction: no difference reaches over it any
    /// more.
    pub fn cut(&mut self, grid: &Grid, node: usize, direction: usize) {
        let coordinates = grid.coordinates(node);
        let Some([from, to]) = edge(grid, coordinates, direction) else {
            return;
        };
        self.first[from][direction] = 0.0;
        self.second[from][direction] = 0.0;
        self.second[to][direction] = 0.0;
        for (pair, (a, b)) in PAIRS.into_iter().enumerate() {
            let other = match direction {
                d if d == a => b,
                d if d == b => a,
                _ => continue,
            };
            if other >= grid.dimension() {
                continue;
            }
            self.mixed[from][pair] = 0.0;
            let mut back = [0; 3];
            back[other] = -1;
            if let Some(before) = grid.neighbour(coordinates, back) {
                self.mixed[before][pair] = 0.0;
            }
        }
    }

    /// Whether there is any weight of order 2.
    pub fn bends(&self) -> bool {
        let any = |list: &[[f64; 3]]| list.iter().flatten().any(|&w| w != 0.0);
        any(&self.second) || any(&self.mixed)
    }

    /// Copies the weights of a body of the same size.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        for (list, other) in self.lists_mut().zip(other.lists()) {
            list.copy_from_slice(other);
        }
    }

    /// All weights as flat lists, always in the same order.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &[f64]> {
        let wide = [&self.first, &self.second, &self.mixed];
        std::iter::once(self.zeroth.as_slice()).chain(wide.map(|list| list.as_flattened()))
    }

    /// The same to write to.
    pub(crate) fn lists_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        let wide = [&mut self.first, &mut self.second, &mut self.mixed];
        std::iter::once(self.zeroth.as_mut_slice()).chain(wide.map(|list| list.as_flattened_mut()))
    }

    /// Finite, not negative, one for each node.
    pub(crate) fn check(&self, node_count: usize) -> Result<(), &'static str> {
        let lengths = [&self.first, &self.second, &self.mixed].map(Vec::len);
        if self.zeroth.len() != node_count || lengths.iter().any(|&n| n != node_count) {
            return Err("the weights of the hybrid formulation are not one for each node");
        }
        let sound = |w: &f64| *w >= 0.0 && w.is_finite();
        if self.lists().flatten().all(sound) {
            Ok(())
        } else {
            Err("a weight of the hybrid formulation is negative or not finite")
        }
    }
}

/// A weight times its factor, which most of those that are zero do not have.
fn scaled(weight: f64, factor: impl FnOnce() -> Option<f64>) -> f64 {
    if weight == 0.0 {
        return 0.0;
    }
    weight * factor().unwrap_or(1.0)
}

fn mean(span: &[usize], weight: impl Fn(usize) -> f64) -> f64 {
    span.iter().map(|&node| weight(node)).sum::<f64>() / span.len() as f64
}

fn step(direction: usize, length: i32) -> [i32; 3] {
    let mut step = [0; 3];
    step[direction] = length;
    step
}

/// The nodes of D_i⁺.
pub(super) fn edge(grid: &Grid, at: [usize; 3], d: usize) -> Option<[usize; 2]> {
    let end = grid.neighbour(at, step(d, 1))?;
    let start = grid.index(at);
    (end != start).then_some([start, end])
}

/// The nodes of D_ii.
pub(super) fn line(grid: &Grid, at: [usize; 3], d: usize) -> Option<[usize; 3]> {
    let before = grid.neighbour(at, step(d, -1))?;
    let after = grid.neighbour(at, step(d, 1))?;
    (before != after).then_some([before, grid.index(at), after])
}

/// The nodes of D_ij⁺: with signs +, -, -, +.
pub(super) fn cell(grid: &Grid, at: [usize; 3], a: usize, b: usize) -> Option<[usize; 4]> {
    let mut both = step(a, 1);
    both[b] = 1;
    Some([
        grid.index(at),
        grid.neighbour(at, step(a, 1))?,
        grid.neighbour(at, step(b, 1))?,
        grid.neighbour(at, both)?,
    ])
}

/// Share of the cells round a difference that exist: halved for each other direction in which it
/// lies on a free boundary.
fn share(grid: &Grid, at: [usize; 3], along: &[usize]) -> f64 {
    (0..grid.dimension())
        .filter(|d| !along.contains(d))
        .map(|d| {
            let count = grid.counts()[d];
            let at_end = at[d] == 0 || at[d] + 1 == count;
            if at_end && !grid.periodic()[d] {
                0.5
            } else {
                1.0
            }
        })
        .product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_no_difference_across_it() {
        let grid = Grid::new(&[4, 3], &[false, true]);
        let unit = NodeWeights {
            zeroth: 0.0,
            first: [1.0; 3],
            second: [1.0; 3],
            mixed: [1.0; 3],
        };
        let mut weights = SplineWeights::from_nodes(&grid, |_| unit);
        for row in 0..3 {
            weights.cut(&grid, grid.index([1, row, 0]), 0);
        }
        for (node, at) in grid.nodes().enumerate() {
            let left = |n: usize| grid.coordinates(n)[0] <= 1;
            let crosses = |span: &[usize]| span.iter().any(|&n| left(n) != left(span[0]));
            for d in 0..2 {
                if let Some(span) = edge(&grid, at, d) {
                    assert_eq!(weights.first[node][d] == 0.0, crosses(&span));
                }
                if let Some(span) = line(&grid, at, d) {
                    assert_eq!(weights.second[node][d] == 0.0, crosses(&span));
                }
            }
            if let Some(span) = cell(&grid, at, 0, 1) {
                assert_eq!(weights.mixed[node][0] == 0.0, crosses(&span));
            }
        }
    }

    #[test]
    fn weights_that_make_no_sense_are_refused() {
        let grid = Grid::new(&[3], &[false]);
        let mut weights = SplineWeights::from_nodes(&grid, |_| NodeWeights::default());
        assert!(weights.check(3).is_ok() && weights.check(4).is_err());
        weights.first[1][0] = -1.0;
        assert!(weights.check(3).is_err());
    }
}
