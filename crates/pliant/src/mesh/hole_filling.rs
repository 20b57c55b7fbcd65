//! Fills the holes of a triangle surface: follows each rim and clips ears off it, or joins a long
//! rim to a new vertex in its middle.

use super::surface_check::sides;
use super::surface_repair::Repair;
use crate::frame::TriangleMesh;
use glam::DVec3;
use std::collections::{BTreeMap, HashMap};

/// A rim with more edges than this is joined to its middle: clipping takes the cube of their number.
const LONG_RIM: usize = 200;

/// Fills every hole with triangles that are turned like its neighbours.
pub(super) fn fill_holes(surface: &mut TriangleMesh) -> Vec<Repair> {
    let mut done = Vec::new();
    for rim in rims(&surface.triangles) {
        let points = rim.iter().map(|&v| surface.positions[v as usize]);
        let place = points.sum::<DVec3>() / rim.len() as f64;
        let edges = rim.len();
        done.push(Repair::FilledHole { edges, place });
        if edges > LONG_RIM {
            let middle = surface.positions.len() as u32;
            surface.positions.push(place);
            let fan = (0..edges).map(|n| [rim[n], rim[(n + 1) % edges], middle]);
            surface.triangles.extend(fan);
            continue;
        }
        clip_ears(&surface.positions, rim, &mut surface.triangles);
    }
    done
}

/// The rims of all holes, in the direction that triangles filling them have to run.
fn rims(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let sides = sides(triangles);
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for group in sides.chunk_by(|a, b| a.edge == b.edge) {
        if let [side] = group {
            let [low, high] = side.edge;
            let (from, to) = if side.rises { (high, low) } else { (low, high) };
            next.entry(from).or_default().push(to);
        }
    }
    let mut rims = Vec::new();
    while let Some((&start, _)) = next.iter().next() {
        // A rim that comes back to a vertex is closed there, so that a pinched rim gives several.
        let mut path = vec![start];
        let mut places = HashMap::from([(start, 0)]);
        while let Some(&last) = path.last() {
            let Some(ends) = next.get_mut(&last) else {
                break;
            };
            let end = ends.pop();
            if ends.is_empty() {
                next.remove(&last);
            }
            let Some(end) = end else { break };
            if let Some(&place) = places.get(&end) {
                let rim = path.split_off(place);
                for vertex in &rim {
                    places.remove(vertex);
                }
                if rim.len() >= 3 {
                    rims.push(rim);
                }
                if path.is_empty() {
                    break;
                }
            }
            places.insert(end, path.len());
            path.push(end);
        }
    }
    rims
}

/// Divides a polygon that need not be flat: cuts off corner after corner, the roundest triangle
/// first among those that hold no other corner, seen along the polygon's mean normal.
fn clip_ears(positions: &[DVec3], mut rim: Vec<u32>, triangles: &mut Vec<[u32; 3]>) {
    let x = |vertex: u32| positions[vertex as usize];
    let cross = |n: usize| x(rim[n]).cross(x(rim[(n + 1) % rim.len()]));
    let normal: DVec3 = (0..rim.len()).map(cross).sum();
    let normal = normal.normalize_or_zero();
    while rim.len() > 3 {
        let count = rim.len();
        let mut best = (f64::NEG_INFINITY, 0);
        for n in 0..count {
            let ear = [rim[(n + count - 1) % count], rim[n], rim[(n + 1) % count]];
            let [a, b, c] = ear.map(x);
            let doubled = (b - a).cross(c - a);
            let edges =
                (b - a).length_squared() + (c - b).length_squared() + (a - c).length_squared();
            let area = normal.dot(doubled);
            let holds = |p: DVec3| {
                let side = |u: DVec3, v: DVec3| (v - u).cross(p - u).dot(normal);
                side(a, b) >= 0.0 && side(b, c) >= 0.0 && side(c, a) >= 0.0
            };
            let others = rim.iter().filter(|vertex| !ear.contains(vertex));
            let blocked = area <= 0.0 || others.map(|&vertex| x(vertex)).any(holds);
            // An ear that is blocked is taken only if there is no other.
            let roundness = area / edges - if blocked { 10.0 } else { 0.0 };
            if roundness > best.0 {
                best = (roundness, n);
            }
        }
        let n = best.1;
        triangles.push([rim[(n + count - 1) % count], rim[n], rim[(n + 1) % count]]);
        rim.remove(n);
    }
    triangles.push([rim[0], rim[1], rim[2]]);
}
