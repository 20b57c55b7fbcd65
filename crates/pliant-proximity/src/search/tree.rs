//! A binary tree of boxes over the primitives of one group.
//!
//! A node has half of the primitives of its parent, so its place never changes: nodes stand in
//! depth-first order, the left child right after its parent. Refitting changes boxes only;
//! rebuilding changes which primitive stands at which leaf.

use super::bounds::Bounds;
use super::features::{Features, NONE, Primitive};
use glam::Vec3;
use rayon::prelude::*;

/// The most primitives of a leaf.
pub(super) const LEAF: u32 = 4;

/// A tree is rebuilt when the sum of its boxes' sizes, relative to those of the primitives, has risen
/// by this factor since it was built.
const WORSE: f64 = 1.5;

/// A node: a range of primitives and their box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub bounds: Bounds,
    /// The first primitive.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// The second child, or 0 for a leaf. The first child is the next node.
    pub right: u32,
    /// Where the edges that its primitives own begin, and how many there are.
    first_edge: u32,
    edge_count: u32,
    /// The same for the points.
    first_point: u32,
    point_count: u32,
    /// Whether something in it can move.
    pub moves: bool,
    /// Whether edges of no triangle or points of no edge are in it.
    pub has_lone: bool,
}

impl Node {
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }
}

/// A primitive at its leaf: what a search reads of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub nodes: [u32; 3],
    /// The triangle, edge of no triangle or point of no edge that it is; the others are [`NONE`].
    pub triangle: u32,
    pub lone_edge: u32,
    pub lone_point: u32,
    pub moves: bool,
}

/// A point or an edge beside its neighbours: its nodes (a point's twice), its index among the
/// features, and whether it can move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub nodes: [u32; 2],
    pub index: u32,
    pub moves: bool,
}

/// The trees of all groups, one after the other in the same lists. Primitives stand in the order of
/// the leaves; the points and edges that they own stand in the same order, so that what is close
/// in space is close in memory.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    pub nodes: Vec<Node>,
    pub leaves: Vec<Leaf>,
    pub leaf_bounds: Vec<Bounds>,
    pub edges: Vec<Owned>,
    pub edge_bounds: Vec<Bounds>,
    pub points: Vec<Owned>,
    pub point_bounds: Vec<Bounds>,
    pub trees: Vec<Tree>,
    /// What stands at the leaves.
    primitives: Vec<Primitive>,
    /// Scratch memory for building.
    unordered: Vec<Primitive>,
    order: Vec<(Vec3, u32)>,
}

/// Where the tree of a group stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    pub root: u32,
    end: u32,
    /// Where its edges and points begin.
    first_edge: u32,
    first_point: u32,
    /// Relative cost when it was built; 0 before that.
    cost_when_built: f64,
}

impl Forest {
    /// Trees over primitives that are sorted by group, not yet built.
    pub fn new(features: &Features, primitives: Vec<Primitive>) -> Self {
        let edge_count = primitives.iter().flat_map(Primitive::edges).count();
        let point_count = primitives.iter().flat_map(Primitive::points).count();
        let nothing = Owned {
            nodes: [0; 2],
            index: 0,
            moves: false,
        };
        let mut forest = Self {
            nodes: Vec::new(),
            leaves: primitives.iter().map(Leaf::of).collect(),
            leaf_bounds: vec![Bounds::NOTHING; primitives.len()],
            edges: vec![nothing; edge_count],
            edge_bounds: vec![Bounds::NOTHING; edge_count],
            points: vec![nothing; point_count],
            point_bounds: vec![Bounds::NOTHING; point_count],
            trees: Vec::new(),
            unordered: primitives.clone(),
            order: Vec::with_capacity(primitives.len()),
            primitives,
        };
        let (mut first, mut first_edge, mut first_point) = (0, 0, 0);
        while first < forest.primitives.len() {
            let group = forest.primitives[first].group;
            let same = |primitive: &&Primitive| primitive.group == group;
            let count = forest.primitives[first..].iter().take_while(same).count();
            let root = forest.nodes.len() as u32;
            forest.lay_out(first as u32, count as u32);
            let tree = Tree {
                root,
                end: forest.nodes.len() as u32,
                first_edge,
                first_point,
                cost_when_built: 0.0,
            };
            let members = &forest.primitives[first..first + count];
            first_edge += members.iter().flat_map(Primitive::edges).count() as u32;
            first_point += members.iter().flat_map(Primitive::points).count() as u32;
            first += count;
            forest.trees.push(tree);
            forest.place(tree, features);
        }
        forest
    }

    /// The edges that the primitives of a node own, with their boxes.
    #[inline]
    pub fn edges_of(&self, node: &Node) -> (&[Owned], &[Bounds]) {
        let first = node.first_edge as usize;
        let range = first..first + node.edge_count as usize;
        (&self.edges[range.clone()], &self.edge_bounds[range])
    }

    /// The points that the primitives of a node own, with their boxes.
    #[inline]
    pub fn points_of(&self, node: &Node) -> (&[Owned], &[Bounds]) {
        let first = node.first_point as usize;
        let range = first..first + node.point_count as usize;
        (&self.points[range.clone()], &self.point_bounds[range])
    }

    /// The primitives of a node, with their boxes.
    #[inline]
    pub fn leaves_of(&self, node: &Node) -> (&[Leaf], &[Bounds]) {
        let range = node.first as usize..(node.first + node.count) as usize;
        (&self.leaves[range.clone()], &self.leaf_bounds[range])
    }

    fn lay_out(&mut self, first: u32, count: u32) {
        let index = self.nodes.len();
        self.nodes.push(Node {
            bounds: Bounds::NOTHING,
            first,
            count,
            right: 0,
            first_edge: 0,
            edge_count: 0,
            first_point: 0,
            point_count: 0,
            moves: true,
            has_lone: true,
        });
        if count > LEAF {
            let left = count / 2;
            self.lay_out(first, left);
            self.nodes[index].right = self.nodes.len() as u32;
            self.lay_out(first + left, count - left);
        }
    }

    /// Adopts new boxes of vertices: refits all trees, and rebuilds those that have become bad.
    pub fn adopt(&mut self, features: &Features, vertices: &[Bounds], parallel: bool) {
        self.fit(vertices, parallel);
        let mut rebuilt = false;
        for index in 0..self.trees.len() {
            let cost = self.refit(self.trees[index]);
            let built = self.trees[index].cost_when_built;
            // An infinite box says nothing about the quality of a tree.
            if built == 0.0 || (cost.is_finite() && cost > WORSE * built) {
                self.build(self.trees[index]);
                self.place(self.trees[index], features);
                self.trees[index].cost_when_built = f64::NAN;
                rebuilt = true;
            }
        }
        if !rebuilt {
            return;
        }
        self.fit(vertices, parallel);
        for index in 0..self.trees.len() {
            if self.trees[index].cost_when_built.is_nan() {
                let cost = self.refit(self.trees[index]);
                let known = if cost.is_finite() { cost } else { f64::MAX };
                self.trees[index].cost_when_built = known;
            }
        }
    }

    /// Sets the boxes of primitives, edges and points.
    fn fit(&mut self, vertices: &[Bounds], parallel: bool) {
        let around_leaf = |leaf: &Leaf| {
            let [a, b, c] = leaf.nodes.map(|node| vertices[node as usize]);
            a.union(b).union(c)
        };
        let around_owned = |owned: &Owned| {
            let [a, b] = owned.nodes.map(|node| vertices[node as usize]);
            a.union(b)
        };
        set_all(&mut self.leaf_bounds, &self.leaves, around_leaf, parallel);
        set_all(&mut self.edge_bounds, &self.edges, around_owned, parallel);
        set_all(&mut self.point_bounds, &self.points, around_owned, parallel);
    }

    /// Sets the boxes of the nodes and returns the relative cost.
    fn refit(&mut self, tree: Tree) -> f64 {
        let mut sum = 0.0;
        for index in (tree.root as usize..tree.end as usize).rev() {
            let node = self.nodes[index];
            let bounds = if node.is_leaf() {
                let end = node.first + node.count;
                self.leaf_bounds[node.first as usize..end as usize]
                    .iter()
                    .fold(Bounds::NOTHING, |all, one| all.union(*one))
            } else {
                let (left, right) = (&self.nodes[index + 1], &self.nodes[node.right as usize]);
                left.bounds.union(right.bounds)
            };
            sum += bounds.size();
            self.nodes[index].bounds = bounds;
        }
        let root = &self.nodes[tree.root as usize];
        let range = root.first as usize..(root.first + root.count) as usize;
        let least: f64 = self.leaf_bounds[range].iter().map(Bounds::size).sum();
        if least > 0.0 { sum / least } else { f64::NAN }
    }

    /// Assigns the primitives to leaves anew: halves along the longest side of their centres.
    fn build(&mut self, tree: Tree) {
        let root = self.nodes[tree.root as usize];
        let range = root.first as usize..(root.first + root.count) as usize;
        self.order.clear();
        for index in range.clone() {
            let centre = self.leaf_bounds[index].twice_centre();
            self.order.push((centre, index as u32));
        }
        split(&mut self.order);
        self.unordered[range.clone()].copy_from_slice(&self.primitives[range.clone()]);
        for (place, &(_, from)) in range.zip(&self.order) {
            self.primitives[place] = self.unordered[from as usize];
        }
    }

    /// Puts leaves, edges and points in the order of the primitives.
    fn place(&mut self, tree: Tree, features: &Features) {
        let (mut edge, mut point) = (tree.first_edge, tree.first_point);
        for index in tree.root as usize..tree.end as usize {
            let node = &mut self.nodes[index];
            // Nodes stand in depth-first order, so leaves come in the order of the primitives.
            if !node.is_leaf() {
                continue;
            }
            (node.first_edge, node.first_point) = (edge, point);
            let range = node.first as usize..(node.first + node.count) as usize;
            for (leaf, primitive) in self.leaves[range.clone()]
                .iter_mut()
                .zip(&self.primitives[range.clone()])
            {
                *leaf = Leaf::of(primitive);
                for index in primitive.edges() {
                    self.edges[edge as usize] = Owned {
                        nodes: features.edges[index as usize],
                        index,
                        moves: features.edge_moves[index as usize],
                    };
                    edge += 1;
                }
                for index in primitive.points() {
                    self.points[point as usize] = Owned {
                        nodes: [features.points[index as usize]; 2],
                        index,
                        moves: features.point_moves[index as usize],
                    };
                    point += 1;
                }
            }
            node.edge_count = edge - node.first_edge;
            node.point_count = point - node.first_point;
            let leaves = &self.leaves[range];
            node.moves = leaves.iter().any(|leaf| leaf.moves);
            node.has_lone = leaves.iter().any(|leaf| leaf.triangle == NONE);
        }
        for index in (tree.root as usize..tree.end as usize).rev() {
            let node = self.nodes[index];
            if !node.is_leaf() {
                let [left, right] = [index + 1, node.right as usize].map(|child| self.nodes[child]);
                self.nodes[index].moves = left.moves || right.moves;
                self.nodes[index].has_lone = left.has_lone || right.has_lone;
            }
        }
    }
}

impl Leaf {
    fn of(primitive: &Primitive) -> Self {
        Self {
            nodes: primitive.nodes,
            triangle: primitive.triangle,
            lone_edge: primitive.lone_edge,
            lone_point: primitive.lone_point,
            moves: primitive.moves,
        }
    }
}

/// Sets the box of each entry.
fn set_all<T: Sync>(
    bounds: &mut [Bounds],
    entries: &[T],
    around: impl Fn(&T) -> Bounds + Sync,
    parallel: bool,
) {
    const CHUNK: usize = 4096;
    let set = |(bounds, entries): (&mut [Bounds], &[T])| {
        for (bounds, entry) in bounds.iter_mut().zip(entries) {
            *bounds = around(entry);
        }
    };
    if parallel {
        bounds
            .par_chunks_mut(CHUNK)
            .zip(entries.par_chunks(CHUNK))
            .for_each(set);
    } else {
        set((bounds, entries));
    }
}

/// Puts the halves that a node's children have side by side, and so on down to the leaves.
fn split(order: &mut [(Vec3, u32)]) {
    if order.len() <= LEAF as usize {
        return;
    }
    let mut low = Vec3::INFINITY;
    let mut high = Vec3::NEG_INFINITY;
    for (centre, _) in order.iter() {
        low = low.min(*centre);
        high = high.max(*centre);
    }
    let axis = (high - low).max_position();
    let left = order.len() / 2;
    order.select_nth_unstable_by(left, |one, other| one.0[axis].total_cmp(&other.0[axis]));
    let (first, second) = order.split_at_mut(left);
    split(first);
    split(second);
}
