//! Pairs of features from pairs of nodes of the trees.

use super::bounds::Bounds;
use super::features::NONE;
use super::tree::{Forest, Leaf, Node, Owned};

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
        for one in node.first..node.first + node.count {
            for other in one + 1..node.first + node.count {
                self.meet(one, other, keys);
            }
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
        for one in a.first..a.first + a.count {
            // Most primitives of a leaf are away from the other leaf.
            if self.forest.leaf_bounds[one as usize].overlaps(&b.bounds) {
                for other in b.first..b.first + b.count {
                    self.meet(one, other, keys);
                }
            }
        }
    }

    /// The pairs of features of two primitives.
    #[inline]
    fn meet(&self, one: u32, other: u32, keys: &mut Keys) {
        let bounds = &self.forest.leaf_bounds;
        let (around_a, around_b) = (&bounds[one as usize], &bounds[other as usize]);
        if !around_a.overlaps(around_b) {
            return;
        }
        let leaves = &self.forest.leaves;
        let (a, b) = (&leaves[one as usize], &leaves[other as usize]);
        if !(a.moves || b.moves) {
            return;
        }
        self.points_of(a, b, around_b, keys);
        self.points_of(b, a, around_a, keys);
        self.edges_of(a, b, around_b, keys);
        if a.lone_point != NONE && b.lone_point != NONE {
            let first = a.lone_point.min(b.lone_point);
            let second = a.lone_point.max(b.lone_point);
            keys.point_point.push(key(first, second));
        }
    }

    /// The points that `a` owns with the triangle or the edge that `b` is.
    #[inline]
    fn points_of(&self, a: &Leaf, b: &Leaf, around_b: &Bounds, keys: &mut Keys) {
        if b.triangle != NONE {
            let (points, bounds) = self.forest.points_of(a);
            for (point, around) in points.iter().zip(bounds) {
                if around.overlaps(around_b)
                    && !b.nodes.contains(&point.nodes[0])
                    && (point.moves || b.moves)
                {
                    keys.point_triangle.push(key(point.index, b.triangle));
                }
            }
        }
        if a.lone_point != NONE && b.lone_edge != NONE {
            keys.point_edge.push(key(a.lone_point, b.lone_edge));
        }
    }

    /// The edges that `a` owns with those that `b` owns.
    #[inline]
    fn edges_of(&self, a: &Leaf, b: &Leaf, around_b: &Bounds, keys: &mut Keys) {
        let (edges, bounds) = self.forest.edges_of(a);
        let (others, other_bounds) = self.forest.edges_of(b);
        for (edge, around) in edges.iter().zip(bounds) {
            if !around.overlaps(around_b) {
                continue;
            }
            for (other, around_other) in others.iter().zip(other_bounds) {
                if around_other.overlaps(around)
                    && !share_a_node(edge, other)
                    && (edge.moves || other.moves)
                {
                    let first = edge.index.min(other.index);
                    let second = edge.index.max(other.index);
                    keys.edge_edge.push(key(first, second));
                }
            }
        }
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
