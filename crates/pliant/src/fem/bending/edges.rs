//! Which triangles share an edge.

use std::collections::BTreeMap;

/// The triangles of a surface and the edges between them.
pub(super) struct Edges {
    pub(super) triangles: Vec<[u32; 3]>,
    /// Edges that exactly two triangles share, by their nodes.
    inner: BTreeMap<[u32; 2], Edge>,
    /// Nodes of the hinges of `inner`, in their order.
    pub(super) hinges: Vec<[u32; 4]>,
    /// Hinges where more than two triangles meet, and the two triangles of each.
    pub(super) junctions: Vec<([u32; 4], [u32; 2])>,
}

/// An edge that two triangles share.
pub(super) struct Edge {
    pub(super) triangles: [u32; 2],
    /// Number of its hinge.
    pub(super) hinge: u32,
    /// Start and end of the edge, and the corners across from it.
    pub(super) hinge_nodes: [u32; 4],
}

fn key(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl Edges {
    pub(super) fn new(triangles: Vec<[u32; 3]>) -> Self {
        let mut sides: BTreeMap<[u32; 2], Vec<(u32, u32)>> = BTreeMap::new();
        for (triangle, nodes) in triangles.iter().enumerate() {
            for corner in 0..3 {
                let edge = key(nodes[(corner + 1) % 3], nodes[(corner + 2) % 3]);
                let side = (triangle as u32, nodes[corner]);
                sides.entry(edge).or_default().push(side);
            }
        }
        let mut edges = Self {
            triangles,
            inner: BTreeMap::new(),
            hinges: Vec::new(),
            junctions: Vec::new(),
        };
        for (edge, sides) in sides {
            let hinges = sides.windows(2).map(|pair| {
                let [(first, a), (second, b)] = [pair[0], pair[1]];
                ([edge[0], edge[1], a, b], [first, second])
            });
            // Two triangles with the same corners cannot bend.
            let hinges: Vec<_> = hinges.filter(|(nodes, _)| nodes[2] != nodes[3]).collect();
            match (sides.len(), &hinges[..]) {
                (2, [(hinge_nodes, triangles)]) => {
                    let hinge = edges.hinges.len() as u32;
                    edges.hinges.push(*hinge_nodes);
                    edges.inner.insert(
                        edge,
                        Edge {
                            triangles: *triangles,
                            hinge,
                            hinge_nodes: *hinge_nodes,
                        },
                    );
                }
                _ => edges.junctions.extend(hinges),
            }
        }
        edges
    }

    /// The inner edge between two nodes.
    ///
    /// # Panics
    /// If there is none.
    pub(super) fn between(&self, a: u32, b: u32) -> &Edge {
        match self.inner.get(&key(a, b)) {
            Some(edge) => edge,
            None => panic!("no two triangles share the edge {a}, {b}"),
        }
    }

    /// The triangle on the other side of an edge, if there is exactly one.
    pub(super) fn across(&self, triangle: u32, a: u32, b: u32) -> Option<u32> {
        let [first, second] = self.inner.get(&key(a, b))?.triangles;
        Some(if first == triangle { second } else { first })
    }

    /// The two other nodes of a triangle, in its order.
    pub(super) fn others(&self, triangle: u32, node: u32) -> [u32; 2] {
        let [a, b, c] = self.triangles[triangle as usize];
        if a == node {
            [b, c]
        } else if b == node {
            [c, a]
        } else {
            [a, b]
        }
    }

    /// The third node of a triangle.
    pub(super) fn third(&self, triangle: u32, a: u32, b: u32) -> u32 {
        let [first, second] = self.others(triangle, a);
        if first == b { second } else { first }
    }
}
