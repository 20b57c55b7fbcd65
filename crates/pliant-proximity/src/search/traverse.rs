//! Pairs of features from pairs of nodes of the trees.

use super::bounds::Bounds;
use super::features::NONE;
use super::tree::{Forest, LEAF, Node, Owned};

/// Two nodes whose primitives are to be paired; the same node twice for those within one.
pub(super) type Task = (u32, u32);

/// Pairs of features by index: the first in the upper half of a key, the second in the lower.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    pub point_triangle: Vec<u64>,
    pub edge_edge: Vec<u64>,
    pub point_edge: Vec<u64>,
    pub point_point: Vec<u64>,
}

impl Keys {
    pub fn clear(&mut self) {
        self.point_triangle.clear();
        self.edge_edge.clear();
        self.point_edge.clear();
        self.point_point.clear();
    }
}

pub(super) fn key(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// The two features of a key.
pub(super) fn indices(key: u64) -> (usize, usize) {
    ((key >> 32) as usize, key as u32 as usize)
}

/// Goes through trees, which do not change meanwhile.
pub(super) struct Traversal<'a> {
    pub forest: &'a Forest,
}

impl Traversal<'_> {
    /// Puts the tasks that a task consists of into `parts`; false if it cannot be divided.
    pub fn divide(&self, (one, other): Task, parts: &mut Vec<Task>) -> bool {
        let nodes = &self.forest.nodes;
        let (a, b) = (&nodes[one as usize], &nodes[other as usize]);
        if one == other {
            if a.is_leaf() || !a.moves {
                parts.push((one, other));
                return false;
            }
            let (left, right) = (one + 1, a.right);
            parts.extend([(left, left), (right, right), (left, right)]);
            return true;
        }
        if !may_meet(a, b) {
            return true;
        }
        match self.wider(one, other) {
            None => {
                parts.push((one, other));
                false
            }
            Some((divided, kept)) => {
                let right = nodes[divided as usize].right;
                parts.extend([(divided + 1, kept), (right, kept)]);
                true
            }
        }
    }

    /// The node to go down in, and the other one; nothing if both are leaves.
    fn wider(&self, one: u32, other: u32) -> Option<(u32, u32)> {
        let nodes = &self.forest.nodes;
        let (a, b) = (&nodes[one as usize], &nodes[other as usize]);
        if !a.is_leaf() && (b.is_leaf() || a.count >= b.count) {
            Some((one, other))
        } else if !b.is_leaf() {
            Some((other, one))
        } else {
            None
        }
    }

    /// Adds the pairs of a task.
    pub fn run(&self, (one, other): Task, keys: &mut Keys) {
        if one == other {
            self.within(one, keys);
        } else {
            self.between(one, other, keys);
        }
    }

    fn within(&self, index: u32, keys: &mut Keys) {
        let node = &self.forest.nodes[index as usize];
        if !node.moves {
            return;
        }
        if !node.is_leaf() {
            self.within(index + 1, keys);
            self.within(node.right, keys);
            self.between(index + 1, node.right, keys);
            return;
        }
        let (edges, edge_bounds) = self.forest.edges_of(node);
        for (place, edge) in edges.iter().enumerate() {
            let others = (&edges[place + 1..], &edge_bounds[place + 1..]);
            edge_with_edges(edge, &edge_bounds[place], others, keys);
        }
        self.points_with_triangles(node, node, keys);
        if node.has_lone {
            self.lone_features(node, node, keys);
        }
    }

    fn between(&self, one: u32, other: u32, keys: &mut Keys) {
        let nodes = &self.forest.nodes;
        let (a, b) = (&nodes[one as usize], &nodes[other as usize]);
        if !may_meet(a, b) {
            return;
        }
        if let Some((divided, kept)) = self.wider(one, other) {
            self.between(divided + 1, kept, keys);
            self.between(nodes[divided as usize].right, kept, keys);
            return;
        }
        let (edges, edge_bounds) = self.forest.edges_of(a);
        let others = self.forest.edges_of(b);
        for (edge, around) in edges.iter().zip(edge_bounds) {
            // Most edges of a leaf are away from the other leaf.
            if around.overlaps(&b.bounds) {
                edge_with_edges(edge, around, others, keys);
            }
        }
        self.points_with_triangles(a, b, keys);
        self.points_with_triangles(b, a, keys);
        if a.has_lone && b.has_lone {
            self.lone_features(a, b, keys);
            self.lone_features(b, a, keys);
        }
    }

    /// The points that primitives of `a` own with the triangles in `b`.
    #[inline]
    fn points_with_triangles(&self, a: &Node, b: &Node, keys: &mut Keys) {
        let (leaves, leaf_bounds) = self.forest.leaves_of(b);
        let (points, point_bounds) = self.forest.points_of(a);
        for (point, around) in points.iter().zip(point_bounds) {
            if !around.overlaps(&b.bounds) {
                continue;
            }
            let hits = Hits::new(around, leaf_bounds);
            for leaf in hits.iter().map(|place| &leaves[place]) {
                if leaf.triangle != NONE
                    && !leaf.nodes.contains(&point.nodes[0])
                    && (point.moves || leaf.moves)
                {
                    keys.point_triangle.push(key(point.index, leaf.triangle));
                }
            }
        }
    }

    /// Points of no edge in `a` with edges of no triangle and later points of no edge in `b`.
    fn lone_features(&self, a: &Node, b: &Node, keys: &mut Keys) {
        let (leaves, leaf_bounds) = self.forest.leaves_of(a);
        let (others, other_bounds) = self.forest.leaves_of(b);
        for (leaf, around) in leaves.iter().zip(leaf_bounds) {
            if leaf.lone_point == NONE {
                continue;
            }
            let hits = Hits::new(around, other_bounds);
            for other in hits.iter().map(|place| &others[place]) {
                if !(leaf.moves || other.moves) {
                    continue;
                }
                if other.lone_edge != NONE {
                    keys.point_edge.push(key(leaf.lone_point, other.lone_edge));
                }
                if other.lone_point != NONE && leaf.lone_point < other.lone_point {
                    keys.point_point
                        .push(key(leaf.lone_point, other.lone_point));
                }
            }
        }
    }
}

/// An edge with those of a leaf.
#[inline]
fn edge_with_edges(
    edge: &Owned,
    around: &Bounds,
    (others, bounds): (&[Owned], &[Bounds]),
    keys: &mut Keys,
) {
    let hits = Hits::new(around, bounds);
    for other in hits.iter().map(|place| &others[place]) {
        if !share_a_node(edge, other) && (edge.moves || other.moves) {
            let first = edge.index.min(other.index);
            let second = edge.index.max(other.index);
            keys.edge_edge.push(key(first, second));
        }
    }
}

/// The most boxes of a kind in a leaf: a triangle owns at most three edges.
const MOST: usize = 3 * LEAF as usize;

/// Which boxes of a leaf a box overlaps.
struct Hits {
    places: [u8; MOST],
    count: usize,
}

impl Hits {
    /// Compares with all of them: a branch that is guessed wrong costs more than a comparison.
    #[inline(always)]
    fn new(around: &Bounds, others: &[Bounds]) -> Self {
        let mut hits = Self {
            places: [0; MOST],
            count: 0,
        };
        for (place, other) in others.iter().enumerate() {
            hits.places[hits.count] = place as u8;
            hits.count += usize::from(other.overlaps(around));
        }
        hits
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.places[..self.count]
            .iter()
            .map(|&place| usize::from(place))
    }
}

#[inline]
fn share_a_node(one: &Owned, other: &Owned) -> bool {
    let ([a, b], [c, d]) = (one.nodes, other.nodes);
    (a == c) | (a == d) | (b == c) | (b == d)
}

fn may_meet(a: &Node, b: &Node) -> bool {
    (a.moves || b.moves) && a.bounds.overlaps(&b.bounds)
}
