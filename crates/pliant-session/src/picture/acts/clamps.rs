//! Rows of held nodes along the rim of a surface.

use glam::DVec3;
use pliant::{Frame, World};
use pliant_render::Act;
use std::collections::{BTreeMap, BTreeSet};

/// A row so near to an obstacle, as a share of the size of the body, is seen to be held by it.
const NEAR: f64 = 0.03;

/// The rows of held nodes along the rim of a surface that has more than `most` of them; fewer are pins, and what
/// an obstacle holds needs no rail.
pub(super) fn clamps(first: &Frame, world: &World, index: usize, most: usize) -> Vec<Act> {
    let Some(body) = first.bodies.get(index) else {
        return Vec::new();
    };
    let topology = &body.topology;
    let is_solid = !topology.hexahedra.is_empty() || !topology.tetrahedra.is_empty();
    let held = |node: u32| body.fixed.get(node as usize).copied().unwrap_or(false);
    if is_solid || body.fixed.iter().filter(|held| **held).count() <= most {
        return Vec::new();
    }
    let mut edges: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for [a, b, c] in &topology.triangles {
        for pair in [[a, b], [b, c], [c, a]] {
            let [one, other] = pair.map(|node| *node);
            *edges.entry([one.min(other), one.max(other)]).or_default() += 1;
        }
    }
    let mut neighbours: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for ([a, b], count) in edges {
        if count == 1 && held(a) && held(b) {
            neighbours.entry(a).or_default().insert(b);
            neighbours.entry(b).or_default().insert(a);
        }
    }
    let size = {
        let grow = |(low, high): (DVec3, DVec3), x: &DVec3| (low.min(*x), high.max(*x));
        let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = body.positions.iter().fold(empty, grow);
        (high - low).length()
    };
    let is_at_obstacle = |node: &usize| {
        let place = body.positions[*node];
        let mut seen = world.obstacles.iter().filter(|obstacle| obstacle.visible);
        seen.any(|obstacle| obstacle.distance(place) < NEAR * size)
    };
    rows(neighbours)
        .into_iter()
        .filter(|(nodes, _)| !nodes.iter().all(is_at_obstacle))
        .map(|(nodes, closed)| Act::Clamp {
            body: index,
            nodes,
            closed,
        })
        .collect()
}

/// Rows through neighbours, each edge once: those with ends first, then rings.
fn rows(mut neighbours: BTreeMap<u32, BTreeSet<u32>>) -> Vec<(Vec<usize>, bool)> {
    let mut rows = Vec::new();
    while !neighbours.is_empty() {
        let end = neighbours.iter().find(|(_, others)| others.len() == 1);
        let Some(start) = end.or(neighbours.iter().next()).map(|(node, _)| *node) else {
            break;
        };
        let mut row = vec![start as usize];
        let mut here = start;
        while let Some(next) = neighbours.get(&here).and_then(|others| others.first()) {
            let next = *next;
            for [one, other] in [[here, next], [next, here]] {
                if let Some(others) = neighbours.get_mut(&one) {
                    others.remove(&other);
                    if others.is_empty() {
                        neighbours.remove(&one);
                    }
                }
            }
            row.push(next as usize);
            here = next;
        }
        let closed = here == start && row.len() > 3;
        if closed {
            row.pop();
        }
        rows.push((row, closed));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[[u32; 2]]) -> Vec<(Vec<usize>, bool)> {
        let mut neighbours: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for [a, b] in edges {
            neighbours.entry(*a).or_default().insert(*b);
            neighbours.entry(*b).or_default().insert(*a);
        }
        rows(neighbours)
    }

    #[test]
    fn rows_and_rings_are_found() {
        assert_eq!(
            found(&[[5, 2], [2, 7], [9, 8]]),
            [(vec![5, 2, 7], false), (vec![8, 9], false)]
        );
        let (ring, closed) = found(&[[1, 2], [2, 3], [3, 4], [4, 1]]).remove(0);
        assert!(closed && ring.len() == 4, "{ring:?}");
    }
}
