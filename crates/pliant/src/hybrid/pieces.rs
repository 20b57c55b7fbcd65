//! The pieces of a hybrid body: what its weights hold together.
//!
//! A piece is a set of nodes that differences with weight join, directly or over others. K has no
//! entry between two pieces, so each has an energy of its own, and the energy of the body is
//!
//! ```text
//! E(x) = Σ over the pieces of  min over c and R of ½ eᵀ K e
//! ```
//!
//! with a frame (c, R) for each: pieces that have come apart move and turn freely. One factorised
//! matrix serves them all.
//!
//! A node without any weight, such as a molten one, is **loose**: it has no frame and no e.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.3, the parts of a fractured body.

use super::weights::{PAIRS, SplineWeights, cell, edge, line};
use crate::grid::Grid;

/// Which nodes hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// The piece of each node; that of loose nodes is `count`.
    of_node: Vec<u32>,
    /// The nodes of each piece, one piece after the other, loose nodes at the end.
    nodes: Vec<u32>,
    /// Where each piece begins in `nodes`.
    starts: Vec<u32>,
    count: usize,
}

impl Pieces {
    /// A body in one piece.
    pub(super) fn whole(node_count: usize) -> Self {
        Self {
            of_node: vec![0; node_count],
            nodes: (0..node_count as u32).collect(),
            starts: vec![0, node_count as u32],
            count: 1,
        }
    }

    /// What weights hold together, numbered by the lowest node of each piece.
    pub(super) fn of(grid: &Grid, weights: &SplineWeights) -> Self {
        let n = grid.node_count();
        let mut joined = Joined((0..n as u32).collect());
        let mut is_held: Vec<bool> = weights.zeroth.iter().map(|&w| w > 0.0).collect();
        let mut join = |weight: f64, span: Option<&[usize]>| {
            if weight > 0.0
                && let Some([first, others @ ..]) = span
            {
                is_held[*first] = true;
                for other in others {
                    is_held[*other] = true;
                    joined.join(*first as u32, *other as u32);
                }
            }
        };
        for (node, at) in grid.nodes().enumerate() {
            for d in 0..grid.dimension() {
                join(
                    weights.first[node][d],
                    edge(grid, at, d).as_ref().map(|s| &s[..]),
                );
                join(
                    weights.second[node][d],
                    line(grid, at, d).as_ref().map(|s| &s[..]),
                );
            }
            for (pair, (a, b)) in PAIRS.into_iter().enumerate() {
                if b < grid.dimension() {
                    join(
                        weights.mixed[node][pair],
                        cell(grid, at, a, b).as_ref().map(|s| &s[..]),
                    );
                }
            }
        }
        let mut number = vec![u32::MAX; n];
        let mut of_node = vec![u32::MAX; n];
        let mut count = 0;
        for node in 0..n {
            if is_held[node] {
                let root = joined.root(node as u32) as usize;
                if number[root] == u32::MAX {
                    number[root] = count;
                    count += 1;
                }
                of_node[node] = number[root];
            }
        }
        // A body without any weight is one piece: its frame follows its mass.
        if count == 0 {
            return Self::whole(n);
        }
        of_node
            .iter_mut()
            .for_each(|piece| *piece = (*piece).min(count));
        let mut nodes: Vec<u32> = (0..n as u32).collect();
        nodes.sort_by_key(|&node| of_node[node as usize]);
        let starts = (0..=count)
            .map(|piece| nodes.partition_point(|&node| of_node[node as usize] < piece) as u32);
        Self {
            starts: starts.collect(),
            count: count as usize,
            of_node,
            nodes,
        }
    }

    /// Number of pieces, at least one; loose nodes are none.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether the body is in one piece, without loose nodes.
    pub fn is_whole(&self) -> bool {
        self.count == 1 && self.starts[1] as usize == self.nodes.len()
    }

    /// The piece of a node; [`Self::count`] for a loose one.
    pub fn of_node(&self, node: usize) -> usize {
        self.of_node[node] as usize
    }

    /// Whether a node belongs to no piece.
    pub fn is_loose(&self, node: usize) -> bool {
        self.of_node(node) == self.count
    }

    /// The nodes of a piece, ascending.
    pub fn nodes(&self, piece: usize) -> &[u32] {
        &self.nodes[self.starts[piece] as usize..self.starts[piece + 1] as usize]
    }
}

/// Sets that are joined, by their lowest members.
struct Joined(Vec<u32>);

impl Joined {
    fn root(&mut self, mut node: u32) -> u32 {
        while self.0[node as usize] != node {
            let above = self.0[self.0[node as usize] as usize];
            self.0[node as usize] = above;
            node = above;
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::super::weights::NodeWeights;
    use super::*;

    #[test]
    fn a_cut_right_through_makes_two_pieces_and_a_node_without_links_is_loose() {
        let grid = Grid::new(&[4, 3], &[false; 2]);
        let unit = NodeWeights {
            first: [1.0; 3],
            second: [1.0; 3],
            mixed: [1.0; 3],
            ..NodeWeights::default()
        };
        let mut weights = SplineWeights::from_nodes(&grid, |_| unit);
        assert!(Pieces::of(&grid, &weights).is_whole());
        for row in 0..2 {
            weights.cut(&grid, grid.index([1, row, 0]), 0);
            assert!(Pieces::of(&grid, &weights).is_whole());
        }
        weights.cut(&grid, grid.index([1, 2, 0]), 0);
        let pieces = Pieces::of(&grid, &weights);
        assert_eq!((pieces.count(), pieces.is_whole()), (2, false));
        for (node, at) in grid.nodes().enumerate() {
            assert_eq!(pieces.of_node(node), at[0] / 2);
        }
        assert_eq!(pieces.nodes(1), [2, 3, 6, 7, 10, 11]);
        // The corner node loses its two links.
        weights.cut(&grid, 0, 0);
        weights.cut(&grid, 0, 1);
        let pieces = Pieces::of(&grid, &weights);
        assert_eq!(pieces.count(), 2);
        assert!(pieces.is_loose(0) && !pieces.is_loose(1));
        assert_eq!(pieces.nodes(0), [1, 4, 5, 8, 9]);
    }
}
