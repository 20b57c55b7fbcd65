//! A rod as it is shown: a round tube that turns with the material frame, so that a pattern on it shows the
//! twist.

use super::frames::Edges;
use crate::frame::Topology;
use glam::DVec3;
use std::f64::consts::TAU;

/// Sides of the tube.
const SIDES: usize = 12;

/// Vertices of a ring: the last is where the first is, with another texture coordinate.
const AROUND: usize = SIDES + 1;

impl Edges {
    /// Rings of the tube: one for each node, and the first again at the end of a closed rod.
    fn rings(&self) -> usize {
        match self.closed() {
            true => self.node_count() + 1,
            false => self.node_count(),
        }
    }

    /// The node that each vertex of the tube belongs to: rings, then the middles of both ends of an open rod.
    pub(crate) fn tube_nodes(&self) -> Vec<usize> {
        let n = self.node_count();
        let rings = (0..self.rings()).flat_map(|ring| std::iter::repeat_n(ring % n, AROUND));
        let ends = [0, n - 1].into_iter().filter(|_| !self.closed());
        rings.chain(ends).collect()
    }
}

/// The triangles and texture coordinates of the tube: round it from the first director, and along the rod.
pub(crate) fn tube_topology(edges: &Edges) -> Topology {
    let rings = edges.rings();
    let vertex = |ring: usize, side: usize| (ring * AROUND + side) as u32;
    let mut triangles = Vec::new();
    for ring in 0..rings - 1 {
        for side in 0..SIDES {
            let [a, b] = [vertex(ring, side), vertex(ring, side + 1)];
            let [c, d] = [vertex(ring + 1, side), vertex(ring + 1, side + 1)];
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    let along = |ring: usize| ring as f64 / (rings - 1).max(1) as f64;
    let ring =
        |ring: usize| (0..AROUND).map(move |side| [side as f64 / SIDES as f64, along(ring), 0.0]);
    let mut material_coordinates: Vec<[f64; 3]> = (0..rings).flat_map(ring).collect();
    if !edges.closed() {
        let first = (rings * AROUND) as u32;
        for side in 0..SIDES {
            triangles.push([first, vertex(0, side + 1), vertex(0, side)]);
            triangles.push([
                first + 1,
                vertex(rings - 1, side),
                vertex(rings - 1, side + 1),
            ]);
        }
        material_coordinates.extend([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    }
    Topology {
        triangles,
        material_coordinates,
        ..Topology::default()
    }
}

/// The vertices of the tube of a radius, in metres, about nodes with frame points.
pub(crate) fn tube(edges: &Edges, x: &[DVec3], radius: f64) -> Vec<DVec3> {
    let directors = edges.directors(x);
    let tangents: Vec<DVec3> = edges
        .pairs()
        .map(|[a, b]| (x[b] - x[a]).normalize_or_zero())
        .collect();
    let (n, count) = (edges.node_count(), edges.count());
    let mean = |of: &[DVec3], node: usize| {
        let after = (node < count || edges.closed()).then(|| of[node % count]);
        let before = (node > 0 || edges.closed()).then(|| of[(node + count - 1) % count]);
        let sum = before.unwrap_or_default() + after.unwrap_or_default();
        // Where both cancel each other, either serves.
        sum.try_normalize().or(after).or(before).unwrap_or_default()
    };
    let mut vertices = Vec::with_capacity(edges.rings() * AROUND + 2);
    for ring in 0..edges.rings() {
        let node = ring % n;
        let tangent = mean(&tangents, node);
        let director = mean(&directors, node);
        let director = (director - tangent * director.dot(tangent)).normalize_or_zero();
        let across = tangent.cross(director);
        for side in 0..AROUND {
            let angle = TAU * side as f64 / SIDES as f64;
            let arm = angle.cos() * director + angle.sin() * across;
            vertices.push(x[node] + radius * arm);
        }
    }
    if !edges.closed() {
        vertices.extend([x[0], x[n - 1]]);
    }
    vertices
}
