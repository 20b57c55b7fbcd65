//! Frame points of rods: where the material frame of each edge points.
//!
//! A rod of n nodes has a frame point for each edge, numbered after the nodes. At rest it is as far from the
//! middle of its edge as the edge is long, in the direction of the first director; the second one is across
//! both. Directors at rest follow the curve without twisting (parallel transport, the frame of Bishop); in a
//! closed rod what is then missing at the seam is spread evenly over all edges.

use crate::grid::Grid;
use glam::{DQuat, DVec3};

/// The edges of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edges {
    nodes: usize,
    closed: bool,
}

impl Edges {
    pub(crate) fn of(grid: &Grid) -> Self {
        Self {
            nodes: grid.node_count(),
            closed: grid.periodic()[0],
        }
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes
    }

    pub(crate) fn closed(&self) -> bool {
        self.closed
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        match self.closed {
            true => self.nodes,
            false => self.nodes.saturating_sub(1),
        }
    }

    /// The nodes at both ends of each.
    pub(crate) fn pairs(self) -> impl Iterator<Item = [usize; 2]> {
        (0..self.count()).map(move |edge| [edge, (edge + 1) % self.nodes])
    }

    /// The frame point of an edge.
    pub(crate) fn frame_point(&self, edge: usize) -> usize {
        self.nodes + edge
    }

    /// Edges that meet at a node: both, and the node before, the node, the one after and both frame points.
    pub(crate) fn joints(self) -> impl Iterator<Item = ([usize; 2], [usize; 5])> {
        let n = self.nodes;
        let middles = match self.closed {
            true => 0..n,
            false => 1..n.saturating_sub(1).max(1),
        };
        middles.map(move |node| {
            let (before, after) = ((node + n - 1) % n, node);
            let points = [before, after].map(|edge| self.frame_point(edge));
            let nodes = [before, node, (node + 1) % n, points[0], points[1]];
            ([before, after], nodes)
        })
    }

    pub(crate) fn lengths(self, x: &[DVec3]) -> Vec<f64> {
        self.pairs().map(|[a, b]| x[a].distance(x[b])).collect()
    }

    /// Frame points of nodes at `x`, with arms as long as edges are at `rest`. The director of the first edge
    /// is `first` as far as it is across the edge, or any.
    pub(crate) fn frame_points(
        self,
        x: &[DVec3],
        rest: &[DVec3],
        first: Option<DVec3>,
    ) -> Vec<DVec3> {
        let tangents = self.pairs().map(|[a, b]| (x[b] - x[a]).normalize_or_zero());
        let tangents: Vec<DVec3> = tangents.collect();
        let Some(&start) = tangents.first() else {
            return Vec::new();
        };
        let across = first.map(|first| first - start * first.dot(start));
        let across = across.and_then(DVec3::try_normalize);
        let unit = start.try_normalize().unwrap_or(DVec3::X);
        let mut director = across.unwrap_or_else(|| unit.any_orthonormal_vector());
        let mut directors = Vec::with_capacity(tangents.len());
        for (edge, tangent) in tangents.iter().enumerate() {
            if edge > 0 {
                director = carried(director, tangents[edge - 1], *tangent);
            }
            directors.push(director);
        }
        if self.closed
            && let (Some(&last), Some(&end)) = (directors.last(), tangents.last())
        {
            let back = carried(last, end, start);
            let missing = back
                .cross(directors[0])
                .dot(start)
                .atan2(back.dot(directors[0]));
            let share = missing / tangents.len() as f64;
            for (edge, director) in directors.iter_mut().enumerate() {
                if let Some(axis) = tangents[edge].try_normalize() {
                    *director = DQuat::from_axis_angle(axis, share * edge as f64) * *director;
                }
            }
        }
        let lengths = self.lengths(rest);
        let place = |(edge, [a, b]): (usize, [usize; 2])| {
            0.5 * (x[a] + x[b]) + lengths[edge] * directors[edge]
        };
        self.pairs().enumerate().map(place).collect()
    }

    /// The unit director of each edge, from frame points.
    pub(crate) fn directors(self, x: &[DVec3]) -> Vec<DVec3> {
        let director = |(edge, [a, b]): (usize, [usize; 2])| {
            let tangent = (x[b] - x[a]).normalize_or_zero();
            let arm = x[self.frame_point(edge)] - 0.5 * (x[a] + x[b]);
            (arm - tangent * arm.dot(tangent)).normalize_or_zero()
        };
        self.pairs().enumerate().map(director).collect()
    }
}

/// A vector as it turns along with a tangent the shortest way.
fn carried(vector: DVec3, from: DVec3, to: DVec3) -> DVec3 {
    if from == DVec3::ZERO || to == DVec3::ZERO {
        return vector;
    }
    let turned = DQuat::from_rotation_arc(from, to) * vector;
    (turned - to * turned.dot(to)).normalize_or_zero()
}
