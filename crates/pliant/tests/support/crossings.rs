//! Crossings counted by exact predicates, with nothing of what contact does.

use pliant::World;
use std::collections::BTreeSet;

/// Edges that pass through triangles of what can touch.
pub fn crossings(world: &World) -> usize {
    let (mut positions, mut triangles, mut edges) = (Vec::new(), Vec::new(), BTreeSet::new());
    for body in &world.bodies {
        let base = positions.len() as u32;
        let features = body.formulation().contact_features(body);
        for [a, b, c] in features.triangles.iter().map(|t| t.map(|node| base + node)) {
            triangles.push([a, b, c]);
            edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
        }
        edges.extend(features.lines.iter().map(|l| l.map(|node| base + node)));
        positions.extend_from_slice(&body.state.positions);
    }
    let edges: Vec<[u32; 2]> = edges.into_iter().collect();
    let found = pliant_crossings::crossings(&positions, &triangles, &edges);
    found.unwrap().len()
}
