//! What couples nodes beside the matrices of their bodies: contact and joints.

use glam::DMat3;

/// A node that belongs to no rigid part.
pub(super) const FREE: u32 = u32::MAX;

/// The nodes of a stencil that are coupled with each other in the matrix of their body: neighbours of one rigid
/// part together, every other node by itself.
pub(super) fn parts<'a>(
    nodes: &'a [(u32, f64)],
    owners: &'a [u32],
) -> impl Iterator<Item = &'a [(u32, f64)]> {
    nodes.chunk_by(|(a, _), (b, _)| {
        let owner = owners[*a as usize];
        owner != FREE && owner == owners[*b as usize]
    })
}

/// Stencils of nodes k with weights w_k and a block B each: the block of nodes k and l is w_k w_l B.
#[derive(Debug, Default)]
pub(super) struct Links {
    nodes: Vec<(u32, f64)>,
    /// Where the nodes of each stencil end.
    ends: Vec<u32>,
    blocks: Vec<DMat3>,
}

impl Links {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.ends.clear();
        self.blocks.clear();
    }

    /// Adds a stencil. Nodes without weight are left out.
    pub(super) fn push(&mut self, nodes: impl Iterator<Item = (u32, f64)>, block: DMat3) {
        self.nodes
            .extend(nodes.filter(|(_, weight)| *weight != 0.0));
        self.ends.push(self.nodes.len() as u32);
        self.blocks.push(block);
    }

    /// The nodes and weights of each stencil, and its block. Neighbours of one rigid part go together
    /// ([`parts`]).
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[(u32, f64)], DMat3)> {
        let mut start = 0;
        self.ends.iter().zip(&self.blocks).map(move |(end, block)| {
            let nodes = &self.nodes[start..*end as usize];
            start = *end as usize;
            (nodes, *block)
        })
    }
}
