//! Edges that pass through triangles, by the exact predicates of `pliant-crossings`.

use super::Shape;
use glam::DVec3;
use pliant_crossings::crossings;
use std::collections::BTreeSet;
use std::fmt;

/// Crossings over the frames that were looked at.
#[derive(Clone, Copy, Default)]
pub struct Crossings {
    /// After the last frame; nothing if positions were not finite.
    last: Option<usize>,
    /// Frames with crossings, of all that were looked at.
    frames_with: usize,
    frames: usize,
}

impl Crossings {
    /// Counts those of a frame, between bodies and within them.
    pub fn look(&mut self, shape: &Shape, positions: &[DVec3]) {
        let mut edges = BTreeSet::new();
        for &[a, b, c] in shape.triangles.iter() {
            edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
        }
        let (mut all_triangles, mut all_edges) = (Vec::new(), Vec::new());
        for body in 0..positions.len() / shape.nodes {
            let base = (body * shape.nodes) as u32;
            all_triangles.extend(shape.triangles.iter().map(|t| t.map(|node| base + node)));
            all_edges.extend(edges.iter().map(|edge| edge.map(|node| base + node)));
        }
        let found = crossings(positions, &all_triangles, &all_edges);
        self.last = found.ok().map(|found| found.len());
        self.frames_with += usize::from(self.last != Some(0));
        self.frames += 1;
    }
}

impl fmt::Display for Crossings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = match (self.frames, self.last) {
            (0, _) => "-".to_owned(),
            (_, None) => "not finite".to_owned(),
            (frames, Some(last)) => {
                format!("{last} at the end, {} of {frames} frames", self.frames_with)
            }
        };
        f.pad(&text)
    }
}
