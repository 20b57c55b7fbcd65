//! Pairs of features that may come close in a motion.
//!
//! Each group has a tree of boxes over its primitives (`tree.rs`), which own the features
//! (`features.rs`). Trees of groups whose boxes overlap are gone through together, and each tree
//! with itself (`traverse.rs`). The work is cut into tasks whatever the number of threads; the pairs
//! are sorted in the end, so that their order does not depend on it either.

mod bounds;
mod features;
mod order;
#[cfg(test)]
mod tests;
mod traverse;
mod tree;

use crate::separation::{Motion, cheap_directions_divide};
use crate::separation_lanes::{LANES, eight_divided};
use crate::{Complex, ComplexError, Pair, PairKind, Rules};
use bounds::Bounds;
use features::Features;
use glam::DVec3;
use order::Sorter;
use rayon::prelude::*;
use traverse::{Keys, Task, Traversal, indices};
use tree::Forest;

/// How many parts the work is cut into.
const PARTS: usize = 64;

/// Searches over fewer primitives stay on the calling thread, since waking others costs more.
const PARALLEL_PRIMITIVES: usize = 2000;

/// Finds pairs of features that may come close in a motion.
#[derive(Clone, Debug)]
pub struct Search {
    features: Features,
    forest: Forest,
    /// For each group: whether its features are paired with each other.
    meets_itself: Vec<bool>,
    /// Pairs of groups that are not paired, lower index first, sorted.
    apart: Vec<[u32; 2]>,
    /// How thick the features are about their vertices, in metres; empty if nothing is.
    radii: Vec<f64>,
    /// For each group: whether it takes part in the search by moving.
    awake: Vec<bool>,
    /// For each group: whether it may meet itself now.
    awake_selves: Vec<bool>,
    vertex_count: usize,
    scratch: Scratch,
}

/// Memory that is kept from one search to the next.
#[derive(Clone, Debug, Default)]
struct Scratch {
    vertices: Vec<Bounds>,
    /// Groups in the order of the lower ends of their boxes.
    groups: Vec<u32>,
    tasks: Vec<Task>,
    parts: Vec<Task>,
    found: Vec<Keys>,
    sorter: Sorter,
}

impl Search {
    /// A search over these features. An edge that is listed twice counts once, and so does a
    /// triangle, whatever the order of its corners.
    pub fn new(complex: &Complex, rules: &Rules) -> Result<Self, ComplexError> {
        complex.check()?;
        let (features, primitives) = Features::new(complex);
        let groups = &features.groups;
        let meets_itself = groups
            .iter()
            .map(|group| !rules.without_self.contains(group))
            .collect();
        let mut apart: Vec<[u32; 2]> = rules
            .apart
            .iter()
            .filter_map(|[one, other]| {
                let one = groups.binary_search(one).ok()? as u32;
                let other = groups.binary_search(other).ok()? as u32;
                Some([one.min(other), one.max(other)])
            })
            .collect();
        apart.sort_unstable();
        Ok(Self {
            meets_itself,
            apart,
            radii: Vec::new(),
            awake: vec![true; groups.len()],
            awake_selves: vec![true; groups.len()],
            vertex_count: complex.group.len(),
            scratch: Scratch {
                groups: (0..groups.len() as u32).collect(),
                found: vec![Keys::default(); PARTS],
                ..Scratch::default()
            },
            forest: Forest::new(&features, primitives),
            features,
        })
    }

    /// Gives features a radius, one for each vertex, the same for all vertices of a feature: a sphere is
    /// a point with a radius, a capsule an edge with one. Distances are then those of the round
    /// features: pairs are found that come within the reach plus both radii.
    ///
    /// # Panics
    /// If there is not one radius per vertex, or if one is negative or not finite.
    pub fn with_radii(mut self, radii: Vec<f64>) -> Self {
        assert_eq!(radii.len(), self.vertex_count, "radii");
        let sound = |radius: &f64| *radius >= 0.0 && radius.is_finite();
        assert!(radii.iter().all(sound), "radii are {radii:?}");
        self.radii = radii;
        self
    }

    /// Says which groups move: pairs of which neither group does are left out from now on.
    pub fn wake(&mut self, moves: impl Fn(u32) -> bool) {
        for (awake, group) in self.awake.iter_mut().zip(&self.features.groups) {
            *awake = moves(*group);
        }
    }

    /// Says which groups may meet themselves: of the others, those that [`Rules`] let meet themselves are
    /// taken not to from now on.
    pub fn wake_selves(&mut self, may_meet: impl Fn(u32) -> bool) {
        for (awake, group) in self.awake_selves.iter_mut().zip(&self.features.groups) {
            *awake = may_meet(*group);
        }
    }

    /// Fills `out` with the pairs of features that may come within `reach` of each other while all
    /// vertices move along straight lines from `from` to `to`, sorted: those of
    /// [`update_by_boxes`](Self::update_by_boxes) without the pairs that a direction proves to stay
    /// farther apart than `reach` all the time.
    ///
    /// # Panics
    /// If `from` or `to` has not one entry per vertex, or if `reach` is negative or not finite.
    pub fn update(&mut self, from: &[DVec3], to: &[DVec3], reach: f64, out: &mut Vec<Pair>) {
        self.find(from, to, reach, true, out);
    }

    /// Fills `out` with all pairs of features that share no vertex and whose swept boxes (around
    /// their vertices in `from` and `to`, enlarged by `reach / 2` on all sides, rounded outwards to
    /// single precision relative to the first vertex) overlap, sorted. Edges are listed with their
    /// lower node first.
    ///
    /// Pairs that come within `reach` of each other at any time of a straight motion are therefore
    /// all there. A feature with a coordinate that is not finite is paired with all others.
    ///
    /// # Panics
    /// As [`update`](Self::update).
    pub fn update_by_boxes(
        &mut self,
        from: &[DVec3],
        to: &[DVec3],
        reach: f64,
        out: &mut Vec<Pair>,
    ) {
        self.find(from, to, reach, false, out);
    }

    fn find(
        &mut self,
        from: &[DVec3],
        to: &[DVec3],
        reach: f64,
        only_close: bool,
        out: &mut Vec<Pair>,
    ) {
        assert_eq!(from.len(), self.vertex_count, "positions at the start");
        assert_eq!(to.len(), self.vertex_count, "positions at the end");
        assert!(reach >= 0.0 && reach.is_finite(), "reach is {reach}");
        self.fit(from, to, reach);
        self.list_tasks();
        self.run_tasks(from, to, only_close.then_some(reach));
        let Scratch { sorter, found, .. } = &mut self.scratch;
        sorter.sort(&self.features, found, out);
    }

    fn is_parallel(&self) -> bool {
        self.forest.leaves.len() >= PARALLEL_PRIMITIVES && rayon::current_num_threads() > 1
    }

    /// Boxes of vertices, features and trees.
    fn fit(&mut self, from: &[DVec3], to: &[DVec3], reach: f64) {
        let parallel = self.is_parallel();
        let origin = from.first().copied().unwrap_or_default();
        let origin = if origin.is_finite() {
            origin
        } else {
            DVec3::ZERO
        };
        let ends = from.iter().zip(to);
        let vertices = &mut self.scratch.vertices;
        vertices.clear();
        vertices.extend(ends.map(|(&from, &to)| Bounds::swept(from, to, origin, 0.5 * reach)));
        if !self.radii.is_empty() {
            let ends = from.iter().zip(to).zip(&self.radii).zip(vertices);
            for (((&from, &to), radius), bounds) in ends.filter(|((_, radius), _)| **radius > 0.0) {
                *bounds = Bounds::swept(from, to, origin, 0.5 * reach + radius);
            }
        }
        let vertices = &self.scratch.vertices;
        self.forest.adopt(&self.features, vertices, parallel);
    }

    /// No less than any component of a difference of two positions: the size of the box around all
    /// trees, which are wider than the positions.
    fn extent(&self) -> f64 {
        let roots = self.forest.trees.iter().map(|tree| tree.root as usize);
        let around = roots.fold(Bounds::NOTHING, |all, root| {
            all.union(self.forest.nodes[root].bounds)
        });
        around.size()
    }

    /// Pairs of nodes that together cover everything, enough of them to divide the work.
    fn list_tasks(&mut self) {
        let trees = &self.forest.trees;
        let nodes = &self.forest.nodes;
        let root = |group: u32| trees[group as usize].root;
        let around = |group: u32| &nodes[root(group) as usize].bounds;
        let Scratch {
            groups,
            tasks,
            parts,
            ..
        } = &mut self.scratch;
        tasks.clear();
        groups
            .sort_unstable_by(|&one, &other| around(one).low_x().total_cmp(&around(other).low_x()));
        for (place, &one) in groups.iter().enumerate() {
            let is_awake = self.awake[one as usize];
            let meets_itself = self.meets_itself[one as usize] && self.awake_selves[one as usize];
            if meets_itself && is_awake {
                tasks.push((root(one), root(one)));
            }
            for &other in &groups[place + 1..] {
                if around(other).low_x() > around(one).high_x() {
                    break;
                }
                let pair = [one.min(other), one.max(other)];
                let moves = nodes[root(one) as usize].moves || nodes[root(other) as usize].moves;
                if moves
                    && (is_awake || self.awake[other as usize])
                    && around(one).overlaps(around(other))
                    && self.apart.binary_search(&pair).is_err()
                {
                    tasks.push((root(one), root(other)));
                }
            }
        }
        let traversal = Traversal {
            forest: &self.forest,
        };
        let mut divided = true;
        while divided && tasks.len() < 4 * PARTS {
            divided = false;
            parts.clear();
            for &task in tasks.iter() {
                divided |= traversal.divide(task, parts);
            }
            std::mem::swap(tasks, parts);
        }
    }

    fn run_tasks(&mut self, from: &[DVec3], to: &[DVec3], reach: Option<f64>) {
        let parallel = self.is_parallel();
        let extent = self.extent();
        let close = reach.map(|reach| Close {
            from,
            to,
            reach,
            radii: &self.radii,
            extent,
        });
        let Scratch { tasks, found, .. } = &mut self.scratch;
        let traversal = Traversal {
            forest: &self.forest,
        };
        let features = &self.features;
        // Neighbouring tasks differ in size; every part gets some from everywhere.
        let run = |(part, keys): (usize, &mut Keys)| {
            keys.clear();
            for task in tasks.iter().skip(part).step_by(PARTS) {
                traversal.run(*task, keys);
            }
            if let Some(close) = &close {
                close.filter(features, keys);
            }
        };
        if parallel {
            found.par_iter_mut().enumerate().for_each(run);
        } else {
            found.iter_mut().enumerate().for_each(run);
        }
    }
}

/// Pairs that may come within `reach` in a motion.
struct Close<'a> {
    from: &'a [DVec3],
    to: &'a [DVec3],
    reach: f64,
    radii: &'a [f64],
    /// No less than any component of a difference of two positions.
    extent: f64,
}

impl Close<'_> {
    /// Takes out the pairs that are proved to stay beyond the reach.
    fn filter(&self, features: &Features, keys: &mut Keys) {
        let Features {
            points,
            edges,
            triangles,
            ..
        } = features;
        self.filter_by_eight(PairKind::PointTriangle, &mut keys.point_triangle, |key| {
            let (point, triangle) = indices(key);
            Pair::point_triangle(points[point], triangles[triangle])
        });
        self.filter_by_eight(PairKind::EdgeEdge, &mut keys.edge_edge, |key| {
            let (one, other) = indices(key);
            Pair::edge_edge(edges[one], edges[other])
        });
        keys.point_edge.retain(|&key| {
            let (point, edge) = indices(key);
            self.has(&Pair::point_edge(points[point], edges[edge]))
        });
        keys.point_point.retain(|&key| {
            let (one, other) = indices(key);
            self.has(&Pair::point_point(points[one], points[other]))
        });
    }

    /// The same for pairs of a kind of four nodes.
    fn filter_by_eight(&self, kind: PairKind, keys: &mut Vec<u64>, pair: impl Fn(u64) -> Pair) {
        let mut kept = 0;
        for first in (0..keys.len()).step_by(LANES) {
            let count = LANES.min(keys.len() - first);
            let mut pairs = [pair(keys[first]); LANES];
            for (pair_of, &key) in pairs.iter_mut().zip(&keys[first..]) {
                *pair_of = pair(key);
            }
            let mut nodes = [[0; 4]; LANES];
            let mut reaches = [0.0; LANES];
            for (lane, pair) in pairs.iter().enumerate() {
                nodes[lane] = pair.nodes;
                reaches[lane] = self.reach + pair.radius(self.radii);
            }
            let ways = [self.from, self.to];
            let divided = eight_divided(kind, &nodes, ways, &reaches, self.extent);
            for lane in 0..count {
                if !divided[lane] && !self.is_proved_apart(&pairs[lane]) {
                    keys[kept] = keys[first + lane];
                    kept += 1;
                }
            }
        }
        keys.truncate(kept);
    }

    fn has(&self, pair: &Pair) -> bool {
        let (from, to) = (pair.gather(self.from), pair.gather(self.to));
        let reach = self.reach + pair.radius(self.radii);
        !cheap_directions_divide(pair.kind, &from, &to, reach, self.extent)
            && !self.is_proved_apart(pair)
    }

    /// Whether a direction between the closest points proves that a pair stays beyond the reach.
    fn is_proved_apart(&self, pair: &Pair) -> bool {
        let (from, to) = (pair.gather(self.from), pair.gather(self.to));
        let reach = self.reach + pair.radius(self.radii);
        let motion = Motion::new(pair.kind, &from, &to);
        // Where there is no motion to speak of, nothing is proved.
        motion.is_some_and(|motion| motion.stays_beyond(reach))
    }
}
