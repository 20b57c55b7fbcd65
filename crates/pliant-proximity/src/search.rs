//! Pairs of features whose swept boxes overlap.

use crate::{Complex, ComplexError, Pair, Rules};
use glam::DVec3;

/// Finds pairs of features that may come close in a motion.
#[derive(Clone, Debug)]
pub struct Search {
    complex: Complex,
    rules: Rules,
    /// For each entry of `points`: whether no edge and no triangle has it.
    lone_points: Vec<bool>,
    /// For each edge: whether no triangle has it.
    lone_edges: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Bounds {
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    fn overlaps(&self, other: &Bounds) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

impl Search {
    /// A search over these features. The complex is checked.
    pub fn new(complex: &Complex, rules: &Rules) -> Result<Self, ComplexError> {
        complex.check()?;
        let mut of_edge = vec![false; complex.group.len()];
        let mut sides = std::collections::BTreeSet::new();
        for &[a, b, c] in &complex.triangles {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                sides.insert([a.min(b), a.max(b)]);
                of_edge[a as usize] = true;
            }
        }
        for &[a, b] in &complex.edges {
            of_edge[a as usize] = true;
            of_edge[b as usize] = true;
        }
        let lone_edge = |&[a, b]: &[u32; 2]| !sides.contains(&[a.min(b), a.max(b)]);
        Ok(Self {
            lone_points: complex
                .points
                .iter()
                .map(|&p| !of_edge[p as usize])
                .collect(),
            lone_edges: complex.edges.iter().map(lone_edge).collect(),
            complex: complex.clone(),
            rules: rules.clone(),
        })
    }

    /// Fills `out` with all pairs of features that share no vertex and whose swept boxes (around
    /// their vertices in `from` and `to`, enlarged by `reach / 2` on all sides, rounded outwards)
    /// overlap, sorted. A feature with a coordinate that is not finite is paired with all others.
    pub fn update(&mut self, from: &[DVec3], to: &[DVec3], reach: f64, out: &mut Vec<Pair>) {
        out.clear();
        let complex = &self.complex;
        let bounds = |nodes: &[u32]| swept(nodes, from, to, 0.5 * reach);
        let points: Vec<_> = complex.points.iter().map(|&p| bounds(&[p])).collect();
        let edges: Vec<_> = complex.edges.iter().map(|e| bounds(e)).collect();
        let triangles: Vec<_> = complex.triangles.iter().map(|t| bounds(t)).collect();
        for (i, &point) in complex.points.iter().enumerate() {
            for (j, &triangle) in complex.triangles.iter().enumerate() {
                if points[i].overlaps(&triangles[j]) && self.meet(&[point], &triangle) {
                    out.push(Pair::point_triangle(point, triangle));
                }
            }
            if !self.lone_points[i] {
                continue;
            }
            for (j, &edge) in complex.edges.iter().enumerate() {
                if self.lone_edges[j] && points[i].overlaps(&edges[j]) && self.meet(&[point], &edge)
                {
                    out.push(Pair::point_edge(point, edge));
                }
            }
            for (j, &other) in complex.points.iter().enumerate().take(i) {
                if self.lone_points[j]
                    && points[i].overlaps(&points[j])
                    && self.meet(&[point], &[other])
                {
                    out.push(Pair::point_point(point, other));
                }
            }
        }
        for (i, &edge) in complex.edges.iter().enumerate() {
            for (j, &other) in complex.edges.iter().enumerate().take(i) {
                if edges[i].overlaps(&edges[j]) && self.meet(&edge, &other) {
                    out.push(Pair::edge_edge(edge, other));
                }
            }
        }
        out.sort_unstable();
    }

    /// Whether two features count as a pair wherever they are.
    fn meet(&self, one: &[u32], other: &[u32]) -> bool {
        let Complex { group, still, .. } = &self.complex;
        let share = one.iter().any(|v| other.contains(v));
        let is_still = one.iter().chain(other).all(|&v| still[v as usize]);
        let (a, b) = (group[one[0] as usize], group[other[0] as usize]);
        let excluded = if a == b {
            self.rules.without_self.contains(&a)
        } else {
            self.rules.apart.contains(&[a, b]) || self.rules.apart.contains(&[b, a])
        };
        !share && !is_still && !excluded
    }
}

fn swept(nodes: &[u32], from: &[DVec3], to: &[DVec3], margin: f64) -> Bounds {
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for &node in nodes {
        for point in [from[node as usize], to[node as usize]] {
            if !point.is_finite() {
                return Bounds {
                    low: DVec3::NEG_INFINITY,
                    high: DVec3::INFINITY,
                };
            }
            low = low.min(point);
            high = high.max(point);
        }
    }
    Bounds {
        low: (low - margin).map(f64::next_down),
        high: (high + margin).map(f64::next_up),
    }
}
