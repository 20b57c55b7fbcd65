//! Puts pairs in order: first a place for each first feature, then the few second ones of each.

use super::features::Features;
use super::traverse::{Keys, indices};
use crate::Pair;

/// Scratch memory for putting pairs in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    /// Where the pairs of each first feature begin, later where they end.
    places: Vec<u32>,
    seconds: Vec<u32>,
}

impl Sorter {
    /// Fills `out` with the pairs of all parts. Indices of features follow the order of their nodes,
    /// so pairs that are sorted by index are sorted by nodes.
    pub fn sort(&mut self, features: &Features, found: &[Keys], out: &mut Vec<Pair>) {
        let Features {
            points,
            edges,
            triangles,
            ..
        } = features;
        out.clear();
        let keys = found.iter().map(|keys| keys.point_triangle.as_slice());
        self.list(points.len(), keys, |point, triangle| {
            out.push(Pair::point_triangle(points[point], triangles[triangle]));
        });
        let keys = found.iter().map(|keys| keys.edge_edge.as_slice());
        self.list(edges.len(), keys, |one, other| {
            out.push(Pair::edge_edge(edges[one], edges[other]));
        });
        let keys = found.iter().map(|keys| keys.point_edge.as_slice());
        self.list(points.len(), keys, |point, edge| {
            out.push(Pair::point_edge(points[point], edges[edge]));
        });
        let keys = found.iter().map(|keys| keys.point_point.as_slice());
        self.list(points.len(), keys, |one, other| {
            out.push(Pair::point_point(points[one], points[other]));
        });
    }

    /// Calls `emit` with the two indices of each key, in order. First indices are below `count`.
    fn list<'a>(
        &mut self,
        count: usize,
        parts: impl Iterator<Item = &'a [u64]> + Clone,
        mut emit: impl FnMut(usize, usize),
    ) {
        let keys = || parts.clone().flatten();
        self.places.clear();
        self.places.resize(count + 1, 0);
        for &key in keys() {
            self.places[indices(key).0 + 1] += 1;
        }
        for first in 0..count {
            self.places[first + 1] += self.places[first];
        }
        self.seconds.clear();
        self.seconds.resize(self.places[count] as usize, 0);
        for &key in keys() {
            let (first, second) = indices(key);
            let place = &mut self.places[first];
            self.seconds[*place as usize] = second as u32;
            *place += 1;
        }
        // Each place has moved to the end of its pairs, where the next ones begin.
        let mut begin = 0;
        for first in 0..count {
            let end = self.places[first] as usize;
            let seconds = &mut self.seconds[begin..end];
            seconds.sort_unstable();
            for &second in seconds.iter() {
                emit(first, second as usize);
            }
            begin = end;
        }
    }
}
