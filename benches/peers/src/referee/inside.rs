//! Vertices of solids that lie inside of others, and elements that are inside out.

use super::Shape;
use glam::{DMat3, DVec3};
use pliant_proximity::{PairKind, closest};
use std::f64::consts::PI;

/// Vertices inside of other bodies.
#[derive(Clone, Copy, Default)]
pub struct Inside {
    pub vertices: usize,
    /// Largest distance of such a vertex from the surface of the body that it is inside of, in metres.
    pub depth: f64,
}

/// Looks at all bodies.
pub fn vertices_inside(shape: &Shape, positions: &[DVec3]) -> Inside {
    let bodies: Vec<&[DVec3]> = positions.chunks(shape.nodes).collect();
    let mut is_outer = vec![false; shape.nodes];
    for &node in shape.triangles.iter().flatten() {
        is_outer[node as usize] = true;
    }
    let mut inside = Inside::default();
    for (index, body) in bodies.iter().enumerate() {
        let low = body.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = body
            .iter()
            .fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        let others = bodies
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index);
        for (_, other) in others {
            for (place, _) in other.iter().zip(&is_outer).filter(|(_, outer)| **outer) {
                let is_near = place.cmpgt(low).all() && place.cmplt(high).all();
                if is_near && encloses(shape, body, *place) {
                    inside.vertices += 1;
                    inside.depth = inside.depth.max(distance(shape, body, *place));
                }
            }
        }
    }
    inside
}

/// Whether the surface takes all directions from a place: the sum of solid angles is 4π, or zero.
fn encloses(shape: &Shape, body: &[DVec3], place: DVec3) -> bool {
    let angle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|node| body[node as usize] - place);
        let [la, lb, lc] = [a, b, c].map(DVec3::length);
        let rest = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(rest)
    };
    shape.triangles.iter().map(angle).sum::<f64>().abs() > 2.0 * PI
}

/// The distance from a surface.
fn distance(shape: &Shape, body: &[DVec3], place: DVec3) -> f64 {
    let squared = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|node| body[node as usize]);
        closest(PairKind::PointTriangle, &[place, a, b, c]).squared_distance
    };
    let squares = shape.triangles.iter().map(squared);
    squares.fold(f64::INFINITY, f64::min).sqrt()
}

/// Tetrahedra, over the nodes of one body, that are inside out, of all bodies.
pub fn inverted(nodes_per_body: usize, tetrahedra: &[[u32; 4]], positions: &[DVec3]) -> usize {
    let is_inverted = |body: &[DVec3], nodes: &[u32; 4]| {
        let [a, b, c, d] = nodes.map(|node| body[node as usize]);
        DMat3::from_cols(b - a, c - a, d - a).determinant() <= 0.0
    };
    let bodies = positions.chunks(nodes_per_body);
    let of_body = |body| {
        tetrahedra
            .iter()
            .filter(|nodes| is_inverted(body, nodes))
            .count()
    };
    bodies.map(of_body).sum()
}
