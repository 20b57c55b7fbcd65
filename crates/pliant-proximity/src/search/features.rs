//! Features in the order of their nodes, and the primitives that own them.
//!
//! A tree over triangles alone finds all pairs of surfaces if each point and each edge belongs to
//! exactly one triangle that contains it: where two features are close, so are their owners
//! (\[Curtis2008\] calls them representative triangles). Edges of no triangle and points of no edge
//! are primitives of their own.

use crate::Complex;

/// No feature.
pub(super) const NONE: u32 = u32::MAX;

/// A leaf of the tree, with the features that it owns as indices into [`Features`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Primitive {
    /// The vertices; the last is repeated.
    pub nodes: [u32; 3],
    /// The triangle that it is, or [`NONE`].
    pub triangle: u32,
    /// The edge of no triangle that it is, or [`NONE`].
    pub lone_edge: u32,
    /// The point of no edge that it is, or [`NONE`].
    pub lone_point: u32,
    /// Points that it owns, filled up with [`NONE`].
    points: [u32; 3],
    /// Edges that it owns, filled up with [`NONE`].
    edges: [u32; 3],
    /// Index of its group.
    pub group: u32,
    /// Whether a vertex of it can move.
    pub moves: bool,
}

impl Primitive {
    /// Points that it owns.
    pub fn points(&self) -> impl Iterator<Item = u32> {
        self.points.into_iter().take_while(|&point| point != NONE)
    }

    /// Edges that it owns.
    pub fn edges(&self) -> impl Iterator<Item = u32> {
        self.edges.into_iter().take_while(|&edge| edge != NONE)
    }
}

/// The features of a complex, each list sorted and without repetitions.
#[derive(Clone, Debug)]
pub(super) struct Features {
    pub points: Vec<u32>,
    pub edges: Vec<[u32; 2]>,
    pub triangles: Vec<[u32; 3]>,
    /// Whether a vertex of the point or the edge can move.
    pub point_moves: Vec<bool>,
    pub edge_moves: Vec<bool>,
    /// The groups that occur, sorted.
    pub groups: Vec<u32>,
}

impl Features {
    /// The features and their primitives, the primitives sorted by group.
    pub fn new(complex: &Complex) -> (Self, Vec<Primitive>) {
        let mut points = complex.points.clone();
        points.sort_unstable();
        points.dedup();
        let mut edges: Vec<_> = complex.edges.iter().map(|&edge| sorted(edge)).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut triangles = complex.triangles.clone();
        triangles.sort_unstable_by_key(|&triangle| (sorted(triangle), triangle));
        triangles.dedup_by_key(|triangle| sorted(*triangle));
        triangles.sort_unstable();
        let mut groups: Vec<u32> = points
            .iter()
            .chain(edges.iter().flatten())
            .chain(triangles.iter().flatten())
            .map(|&node| complex.group[node as usize])
            .collect();
        groups.sort_unstable();
        groups.dedup();

        let moves = |nodes: &[u32]| nodes.iter().any(|&node| !complex.still[node as usize]);
        let features = Self {
            point_moves: points.iter().map(|&point| moves(&[point])).collect(),
            edge_moves: edges.iter().map(|edge| moves(edge)).collect(),
            points,
            edges,
            triangles,
            groups,
        };
        let primitives = features.primitives(complex);
        (features, primitives)
    }

    fn primitives(&self, complex: &Complex) -> Vec<Primitive> {
        let mut owners = Owners {
            features: self,
            complex,
            point_owned: vec![false; self.points.len()],
            edge_owned: vec![false; self.edges.len()],
            primitives: Vec::new(),
        };
        for (index, &nodes) in self.triangles.iter().enumerate() {
            let primitive = owners.add(nodes);
            primitive.triangle = index as u32;
        }
        for (index, &[a, b]) in self.edges.iter().enumerate() {
            if !owners.edge_owned[index] {
                let primitive = owners.add([a, b, b]);
                primitive.lone_edge = index as u32;
            }
        }
        for (index, &point) in self.points.iter().enumerate() {
            if !owners.point_owned[index] {
                let primitive = owners.add([point; 3]);
                primitive.lone_point = index as u32;
            }
        }
        let mut primitives = owners.primitives;
        primitives.sort_by_key(|primitive| primitive.group);
        primitives
    }
}

/// Gives features to primitives, the first that has them.
struct Owners<'a> {
    features: &'a Features,
    complex: &'a Complex,
    point_owned: Vec<bool>,
    edge_owned: Vec<bool>,
    primitives: Vec<Primitive>,
}

impl Owners<'_> {
    fn add(&mut self, nodes: [u32; 3]) -> &mut Primitive {
        let [a, b, c] = nodes;
        let Features {
            points,
            edges,
            groups,
            ..
        } = self.features;
        let claim = |found: Result<usize, usize>, owned: &mut Vec<bool>| match found {
            Ok(index) if !owned[index] => {
                owned[index] = true;
                index as u32
            }
            _ => NONE,
        };
        let own_points =
            nodes.map(|node| claim(points.binary_search(&node), &mut self.point_owned));
        let own_edges = [[a, b], [b, c], [c, a]]
            .map(|edge| claim(edges.binary_search(&sorted(edge)), &mut self.edge_owned));
        let group = self.complex.group[a as usize];
        let group = groups.partition_point(|&other| other < group) as u32;
        self.primitives.push(Primitive {
            nodes,
            triangle: NONE,
            lone_edge: NONE,
            lone_point: NONE,
            points: packed(own_points),
            edges: packed(own_edges),
            group,
            moves: nodes.iter().any(|&node| !self.complex.still[node as usize]),
        });
        self.primitives.last_mut().expect("one was just added")
    }
}

/// The entries with those that are [`NONE`] at the end.
fn packed(mut entries: [u32; 3]) -> [u32; 3] {
    entries.sort_unstable();
    entries
}

fn sorted<const N: usize>(mut nodes: [u32; N]) -> [u32; N] {
    nodes.sort_unstable();
    nodes
}
