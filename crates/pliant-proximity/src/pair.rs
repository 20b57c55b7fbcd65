//! A pair of features that may touch.

/// What the two features of a pair are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// A point and a triangle: nodes are the point, then the corners.
    PointTriangle,
    /// Two edges: nodes are the ends of the first, then those of the second.
    EdgeEdge,
    /// A point and an edge: nodes are the point, then the ends; the last is repeated.
    PointEdge,
    /// Two points: the last node is repeated.
    PointPoint,
}

impl PairKind {
    /// All kinds, in their order.
    pub const ALL: [PairKind; 4] = [
        PairKind::PointTriangle,
        PairKind::EdgeEdge,
        PairKind::PointEdge,
        PairKind::PointPoint,
    ];

    /// How many of the four nodes belong to the first feature.
    pub fn first_count(self) -> usize {
        match self {
            PairKind::EdgeEdge => 2,
            _ => 1,
        }
    }

    /// How many of the four nodes are used; the others repeat the last.
    pub fn node_count(self) -> usize {
        match self {
            PairKind::PointTriangle | PairKind::EdgeEdge => 4,
            PairKind::PointEdge => 3,
            PairKind::PointPoint => 2,
        }
    }
}

/// Two features that may touch. Pairs are ordered by kind, then by nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// What the features are.
    pub kind: PairKind,
    /// The nodes of the first feature, then those of the second.
    pub nodes: [u32; 4],
}

impl Pair {
    /// The nodes of both features.
    pub fn features(&self) -> [&[u32]; 2] {
        let (split, count) = (self.kind.first_count(), self.kind.node_count());
        [&self.nodes[..split], &self.nodes[split..count]]
    }

    /// A point and a triangle.
    pub fn point_triangle(point: u32, triangle: [u32; 3]) -> Self {
        let [a, b, c] = triangle;
        let nodes = [point, a, b, c];
        let kind = PairKind::PointTriangle;
        Self { kind, nodes }
    }

    /// Two edges. The one whose nodes come first in order is the first feature.
    pub fn edge_edge(one: [u32; 2], other: [u32; 2]) -> Self {
        let (first, second) = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        let nodes = [first[0], first[1], second[0], second[1]];
        let kind = PairKind::EdgeEdge;
        Self { kind, nodes }
    }

    /// A point and an edge.
    pub fn point_edge(point: u32, edge: [u32; 2]) -> Self {
        let nodes = [point, edge[0], edge[1], edge[1]];
        let kind = PairKind::PointEdge;
        Self { kind, nodes }
    }

    /// Two points. The lower one is the first feature.
    pub fn point_point(one: u32, other: u32) -> Self {
        let (first, second) = (one.min(other), one.max(other));
        let nodes = [first, second, second, second];
        let kind = PairKind::PointPoint;
        Self { kind, nodes }
    }

    /// The radii of both features together, where each vertex has one; zero if there are none.
    pub fn radius(&self, radii: &[f64]) -> f64 {
        if radii.is_empty() {
            return 0.0;
        }
        let ends = [0, self.kind.first_count()];
        ends.iter().map(|&k| radii[self.nodes[k] as usize]).sum()
    }

    /// The values of its nodes in a field over all nodes.
    #[inline(always)]
    pub fn gather<T: Copy>(&self, field: &[T]) -> [T; 4] {
        let [a, b, c, d] = self.nodes;
        [
            field[a as usize],
            field[b as usize],
            field[c as usize],
            field[d as usize],
        ]
    }
}
