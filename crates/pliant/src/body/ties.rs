//! Nodes that move as one: copies of a vertex in a body whose elements can come apart.

use super::State;
use glam::DVec3;

/// Which nodes move as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ties {
    /// The first of the nodes that each node is tied to; its own number if it is the first.
    pub(crate) roots: Vec<u32>,
    /// Differs where others are tied; zero where all are that can be.
    pub(crate) version: u64,
}

impl Ties {
    /// Ties pairs of nodes, and what is tied to them.
    pub fn new(node_count: usize, pairs: impl Iterator<Item = [u32; 2]>, version: u64) -> Self {
        let mut roots: Vec<u32> = (0..node_count as u32).collect();
        for [a, b] in pairs {
            let (a, b) = (find(&mut roots, a), find(&mut roots, b));
            roots[a.max(b) as usize] = a.min(b);
        }
        for node in 0..roots.len() as u32 {
            roots[node as usize] = find(&mut roots, node);
        }
        Self { roots, version }
    }

    /// A node and all that are tied to it.
    pub fn tied_to(&self, node: usize) -> Vec<usize> {
        let nodes = 0..self.roots.len();
        nodes
            .filter(|&other| self.roots[other] == self.roots[node])
            .collect()
    }

    /// Gives tied nodes that contact has pushed apart one position and one velocity, those of their
    /// centre of mass; nodes that are together stay as they are.
    pub(crate) fn unite(&self, masses: &[f64], state: &mut State) {
        let is_apart = |state: &State, node: usize| {
            let root = self.roots[node] as usize;
            state.positions[node] != state.positions[root]
                || state.velocities[node] != state.velocities[root]
        };
        let nodes = 0..self.roots.len();
        if !nodes.clone().any(|node| is_apart(state, node)) {
            return;
        }
        let mut sums = vec![(0.0, DVec3::ZERO, DVec3::ZERO, false); self.roots.len()];
        for node in nodes.clone() {
            let apart = is_apart(state, node);
            let (mass, shift, push, any) = &mut sums[self.roots[node] as usize];
            let root = self.roots[node] as usize;
            *mass += masses[node];
            *shift += masses[node] * (state.positions[node] - state.positions[root]);
            *push += masses[node] * (state.velocities[node] - state.velocities[root]);
            *any |= apart;
        }
        // Roots come before the nodes that are tied to them.
        for node in nodes {
            let root = self.roots[node] as usize;
            let (mass, shift, push, any) = sums[root];
            if root == node && any {
                state.positions[node] += shift / mass;
                state.velocities[node] += push / mass;
            }
            state.positions[node] = state.positions[root];
            state.velocities[node] = state.velocities[root];
        }
    }
}

/// The root of a node; ways to it are halved.
fn find(roots: &mut [u32], mut node: u32) -> u32 {
    while roots[node as usize] != node {
        let above = roots[node as usize];
        roots[node as usize] = roots[above as usize];
        node = above;
    }
    node
}
