//! A binary tree of boxes over the primitives of one group.
//!
//! A node has half of the primitives of its parent, so its place never changes: nodes stand in
//! depth-first order, the left child right after its parent. Refitting changes boxes only;
//! rebuilding changes which primitive stands at which leaf.

use super::bounds::Bounds;
use super::features::Primitive;
use glam::DVec3;

/// The most primitives of a leaf.
const LEAF: u32 = 4;

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
    /// Whether something in it can move.
    pub moves: bool,
}

impl Node {
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }
}

/// The trees of all groups, one after the other in the same lists.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    pub nodes: Vec<Node>,
    /// Primitives in the order of the leaves, and their boxes.
    pub primitives: Vec<Primitive>,
    pub bounds: Vec<Bounds>,
    pub trees: Vec<Tree>,
    /// Scratch memory for building.
    unordered: Vec<Primitive>,
    order: Vec<(DVec3, u32)>,
}

/// Where the tree of a group stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    pub root: u32,
    end: u32,
    /// Relative cost when it was built; 0 before that.
    cost_when_built: f64,
}

impl Forest {
    /// Trees over primitives that are sorted by group, not yet built.
    pub fn new(primitives: Vec<Primitive>) -> Self {
        let mut forest = Self {
            nodes: Vec::new(),
            bounds: vec![Bounds::NOTHING; primitives.len()],
            trees: Vec::new(),
            unordered: primitives.clone(),
            order: Vec::with_capacity(primitives.len()),
            primitives,
        };
        let mut first = 0;
        while first < forest.primitives.len() {
            let group = forest.primitives[first].group;
            let same = |primitive: &&Primitive| primitive.group == group;
            let count = forest.primitives[first..].iter().take_while(same).count();
            let root = forest.nodes.len() as u32;
            forest.lay_out(first as u32, count as u32);
            forest.trees.push(Tree {
                root,
                end: forest.nodes.len() as u32,
                cost_when_built: 0.0,
            });
            first += count;
        }
        forest
    }

    fn lay_out(&mut self, first: u32, count: u32) {
        let index = self.nodes.len();
        self.nodes.push(Node {
            bounds: Bounds::NOTHING,
            first,
            count,
            right: 0,
            moves: true,
        });
        if count > LEAF {
            let left = count / 2;
            self.lay_out(first, left);
            self.nodes[index].right = self.nodes.len() as u32;
            self.lay_out(first + left, count - left);
        }
    }

    /// Adopts new boxes of vertices: refits all trees, and rebuilds those that have become bad.
    pub fn adopt(&mut self, vertices: &[Bounds]) {
        for (bounds, primitive) in self.bounds.iter_mut().zip(&self.primitives) {
            *bounds = around(primitive, vertices);
        }
        for index in 0..self.trees.len() {
            let cost = self.refit(self.trees[index]);
            let built = self.trees[index].cost_when_built;
            // An infinite box says nothing about the quality of a tree.
            if built == 0.0 || (cost.is_finite() && cost > WORSE * built) {
                self.build(self.trees[index], vertices);
                let cost = self.refit(self.trees[index]);
                let known = if cost.is_finite() { cost } else { f64::MAX };
                self.trees[index].cost_when_built = known;
            }
        }
    }

    /// Sets the boxes of the nodes and returns the relative cost.
    fn refit(&mut self, tree: Tree) -> f64 {
        let mut sum = 0.0;
        for index in (tree.root as usize..tree.end as usize).rev() {
            let node = self.nodes[index];
            let bounds = if node.is_leaf() {
                let end = node.first + node.count;
                self.bounds[node.first as usize..end as usize]
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
        let least: f64 = self.bounds[range].iter().map(Bounds::size).sum();
        if least > 0.0 { sum / least } else { f64::NAN }
    }

    /// Assigns the primitives to leaves anew: halves along the longest side of their centres.
    fn build(&mut self, tree: Tree, vertices: &[Bounds]) {
        let root = self.nodes[tree.root as usize];
        let range = root.first as usize..(root.first + root.count) as usize;
        self.order.clear();
        for index in range.clone() {
            let centre = self.bounds[index].twice_centre();
            self.order.push((centre, index as u32));
        }
        split(&mut self.order);
        self.unordered[range.clone()].copy_from_slice(&self.primitives[range.clone()]);
        for (place, &(_, from)) in range.zip(&self.order) {
            self.primitives[place] = self.unordered[from as usize];
            self.bounds[place] = around(&self.primitives[place], vertices);
        }
        for index in (tree.root as usize..tree.end as usize).rev() {
            let node = self.nodes[index];
            self.nodes[index].moves = if node.is_leaf() {
                let end = node.first + node.count;
                self.primitives[node.first as usize..end as usize]
                    .iter()
                    .any(|primitive| primitive.moves)
            } else {
                self.nodes[index + 1].moves || self.nodes[node.right as usize].moves
            };
        }
    }
}

fn around(primitive: &Primitive, vertices: &[Bounds]) -> Bounds {
    let [a, b, c] = primitive.nodes.map(|node| vertices[node as usize]);
    a.union(b).union(c)
}

/// Puts the halves that a node's children have side by side, and so on down to the leaves.
fn split(order: &mut [(DVec3, u32)]) {
    if order.len() <= LEAF as usize {
        return;
    }
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
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
