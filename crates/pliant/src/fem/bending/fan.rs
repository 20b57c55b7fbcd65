//! The triangles round a node, laid out in a plane.
//!
//! The triangles that share a node, walked through across the edges between them, are a *fan*. It
//! is closed inside a surface and open at its border; a node where several sheets touch has several.
//! Laid out, every edge keeps its length, and the angles between edges are those of the triangles,
//! stretched to fill 2π if the fan is closed. So a fan that is folded, or bent at rest, has a plane
//! too.
//!
//! Symmetric tensors of the plane are vectors (xx, yy, √2 xy), so that A : B is a dot product.

use super::edges::{Edge, Edges};
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, SQRT_2, TAU};

/// A border that turns by less than this at a node is taken to be smooth there: polygons that stand
/// for a curve have no corners. Square and hexagonal sheets do.
const SMOOTH_BORDER: f64 = 50.0 * PI / 180.0;

/// The triangles round a node.
pub(super) struct Fan {
    /// The node in the middle, then those of the rays in their order.
    pub(super) nodes: Vec<u32>,
    /// A third of the area of the triangles, in square metres.
    pub(super) area: f64,
    /// The rays that two of the triangles share.
    pub(super) spokes: Vec<Spoke>,
    /// n nᵀ of the normals of its border: none inside the surface, one where the border is smooth,
    /// two at a corner.
    pub(super) borders: Vec<DVec3>,
}

/// A ray of a fan that two of its triangles share.
pub(super) struct Spoke {
    /// Its hinge.
    pub(super) hinge: u32,
    /// Whether the fan sees the angle of the hinge with the other sign.
    pub(super) flipped: bool,
    /// Where the nodes of the hinge are in the fan.
    pub(super) corners: [u32; 4],
    /// n nᵀ, with n across the edge.
    pub(super) normal: DVec3,
    /// Length of the edge times its angle, for the three quadratic functions of unit curvature.
    pub(super) response: DVec3,
}

/// The tensor n nᵀ.
fn dyad(n: DVec2) -> DVec3 {
    DVec3::new(n.x * n.x, n.y * n.y, SQRT_2 * n.x * n.y)
}

fn unit(angle: f64) -> DVec2 {
    DVec2::from_angle(angle)
}

impl Fan {
    /// All fans of the surface that have at least one hinge inside, ascending by node.
    pub(super) fn all(edges: &Edges, positions: &[DVec3]) -> Vec<Self> {
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); positions.len()];
        for (triangle, nodes) in edges.triangles.iter().enumerate() {
            for &node in nodes {
                around[node as usize].push(triangle as u32);
            }
        }
        let mut fans = Vec::new();
        for (node, triangles) in around.iter().enumerate() {
            let mut left = triangles.clone();
            while let Some(&first) = left.first() {
                let walk = Walk::through(edges, node as u32, first);
                left.retain(|triangle| !walk.triangles.contains(triangle));
                let fan = walk.lay_out(edges, positions);
                if !fan.spokes.is_empty() {
                    fans.push(fan);
                }
            }
        }
        fans
    }
}

/// The triangles of a fan in their order, and the far ends of the rays before each of them; an
/// open fan has a ray after the last one too.
struct Walk {
    middle: u32,
    triangles: Vec<u32>,
    rays: Vec<u32>,
    closed: bool,
}

impl Walk {
    /// Goes back to the border, or round once, and collects what there is from there.
    fn through(edges: &Edges, middle: u32, first: u32) -> Self {
        let [from, to] = edges.others(first, middle);
        let (mut triangle, mut entry, mut exit) = (first, from, to);
        // Back across the entry until there is a border or the walk is at its start again.
        while let Some(before) = edges.across(triangle, middle, entry) {
            if before == first {
                break;
            }
            let next_entry = edges.third(before, middle, entry);
            (triangle, entry, exit) = (before, next_entry, entry);
        }
        let start = triangle;
        let mut walk = Self {
            middle,
            triangles: vec![start],
            rays: vec![entry, exit],
            closed: false,
        };
        while let Some(next) = edges.across(triangle, middle, exit) {
            if next == start {
                walk.closed = true;
                walk.rays.pop();
                break;
            }
            exit = edges.third(next, middle, exit);
            triangle = next;
            walk.triangles.push(triangle);
            walk.rays.push(exit);
        }
        walk
    }

    fn lay_out(&self, edges: &Edges, positions: &[DVec3]) -> Fan {
        let count = self.triangles.len();
        let ray = |i: usize| self.rays[i % self.rays.len()];
        let place = |node: u32| positions[node as usize] - positions[self.middle as usize];
        let mut directions = vec![0.0];
        let mut area = 0.0;
        for i in 0..count {
            let (a, b) = (place(ray(i)), place(ray(i + 1)));
            let cross = a.cross(b).length();
            area += cross / 6.0;
            directions.push(directions[i] + cross.atan2(a.dot(b)));
        }
        let whole = directions[count];
        let stretch = if self.closed || whole > TAU {
            TAU / whole
        } else {
            1.0
        };
        let inner = if self.closed { 0..count } else { 1..count };
        let spokes = inner.map(|i| {
            let before = if i == 0 { count - 1 } else { i - 1 };
            let ends = [ray(i), ray(before), ray(i + 1)];
            let corners = [i, before, (i + 1) % self.rays.len()].map(|ray| ray as u32 + 1);
            let edge = edges.between(self.middle, ends[0]);
            Spoke::new(
                edge,
                [self.middle, ends[0], ends[1], ends[2]],
                corners,
                stretch * directions[i],
                ends.map(place),
            )
        });
        Fan {
            nodes: [&[self.middle], &self.rays[..]].concat(),
            area,
            spokes: spokes.collect(),
            borders: if self.closed {
                Vec::new()
            } else {
                borders(stretch * whole)
            },
        }
    }
}

/// The normals of a border that turns from direction 0 to `whole`.
fn borders(whole: f64) -> Vec<DVec3> {
    let turn = whole - PI;
    if turn.abs() < SMOOTH_BORDER {
        return vec![dyad(unit(0.5 * whole))];
    }
    let [first, last] = [dyad(DVec2::Y), dyad(unit(whole).perp())];
    // The two sides of a slit, or of a needle, are parallel.
    if first.cross(last).length() < 0.3 {
        vec![first]
    } else {
        vec![first, last]
    }
}

impl Spoke {
    /// - `nodes`: middle and end of the edge, and the nodes before and after it.
    /// - `corners`: where the last three are in the fan.
    /// - `direction`: of the edge in the plane, as an angle.
    /// - `ends`: the last three as seen from the middle.
    fn new(
        edge: &Edge,
        nodes: [u32; 4],
        corners: [u32; 3],
        direction: f64,
        ends: [DVec3; 3],
    ) -> Self {
        let [along, across] = [unit(direction), unit(direction).perp()];
        let [end, before, after] = ends;
        let length = end.length();
        let mut response = DVec3::ZERO;
        for (corner, side) in [(before, -1.0), (after, 1.0)] {
            let (s, height) = (
                corner.dot(end) / length,
                corner.cross(end).length() / length,
            );
            let corner = dyad(s * along + side * height * across);
            response += 0.5 * length * (corner - s * length * dyad(along)) / height;
        }
        let place = |node: u32| -> u32 {
            let found = nodes.iter().position(|&other| other == node);
            match found {
                Some(0) => 0,
                Some(i) => corners[i - 1],
                None => panic!("node {node} is not of the hinge"),
            }
        };
        let from_middle = edge.hinge_nodes[0] == nodes[0];
        let first_is_after = edge.hinge_nodes[2] == nodes[3];
        Self {
            hinge: edge.hinge,
            flipped: from_middle != first_is_after,
            corners: edge.hinge_nodes.map(place),
            normal: dyad(across),
            response,
        }
    }
}
