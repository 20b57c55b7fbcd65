//! Fills a shape with well-shaped tetrahedra: isosurface stuffing.
//!
//! Of a body-centred cubic lattice, points near the surface move onto it, and tetrahedra that the
//! surface still crosses are cut along it. However the surface runs, every dihedral angle stays
//! between 10.7 and 164.8 degrees. Sharp edges are bevelled within one cell; the surface between
//! them is followed to second order.
//!
//! Implements: \[Labelle2007\] section 3, the uniform mesh with α_long = 0.24999 and
//! α_short = 0.41189.

use super::bcc_lattice::BccLattice;
use super::boundary::{compact, components, tetrahedron_volume};
use super::pinches::remove_pinches;
use super::{ElementBlock, ElementKind, ElementMesh, ImplicitShape, MeshMakeError};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// A lattice point moves to a cut on a long edge that is nearer than this part of the edge.
const ALPHA_LONG: f64 = 0.24999;
/// A lattice point moves to a cut on a short edge that is nearer than this part of the edge.
const ALPHA_SHORT: f64 = 0.41189;

/// Fills `shape` with tetrahedra of about `spacing` metres. The same shape gives the same mesh.
///
/// The boundary has two triangles at each edge and one ring of them at each node. Every part of the
/// shape should be at least two spacings thick: thinner parts may be lost, and a shape that falls
/// apart for that is refused (see [`fill_pieces`]). Where two parts of the shape come closer to each
/// other than a spacing, elements may be left out or the parts joined.
///
/// ```
/// use glam::DVec3;
/// use pliant::mesh::{Solid, dihedral_range, fill};
/// let ball = Solid::Sphere { centre: DVec3::ZERO, radius: 1.0 };
/// let mesh = fill(&ball, 0.3)?;
/// let (smallest, largest) = dihedral_range(&mesh).unwrap();
/// assert!(smallest > 10.7 && largest < 164.8);
/// # Ok::<(), pliant::mesh::MeshMakeError>(())
/// ```
pub fn fill(shape: &dyn ImplicitShape, spacing: f64) -> Result<ElementMesh, MeshMakeError> {
    let mesh = fill_pieces(shape, spacing)?;
    let pieces = components(&mesh).count;
    if pieces == 1 {
        return Ok(mesh);
    }
    // How many pieces the shape really has, a lattice twice as fine may tell.
    let try_spacing = 0.5 * spacing;
    let finer = BccLattice::around(shape, try_spacing);
    let expected = finer.and_then(|finer| Ok(finer.piece_count(&finer.sample(shape)?)));
    match expected {
        Ok(expected) if expected < pieces => Err(MeshMakeError::FallsApart {
            spacing,
            pieces,
            expected,
            try_spacing,
        }),
        _ => Ok(mesh),
    }
}

/// As [`fill`], but accepts that thin parts of the shape break into pieces.
pub fn fill_pieces(shape: &dyn ImplicitShape, spacing: f64) -> Result<ElementMesh, MeshMakeError> {
    let lattice = BccLattice::around(shape, spacing)?;
    let values = lattice.sample(shape)?;
    let cuts = Cuts::new(&lattice, shape, &values);
    let mut filling = Filling {
        lattice: &lattice,
        cuts: &cuts,
        signs: cuts.signs(&values),
        node_of_point: vec![u32::MAX; lattice.point_count()],
        node_of_cut: HashMap::new(),
        positions: Vec::new(),
        tetrahedra: Vec::new(),
    };
    let inside: Vec<bool> = filling.signs.iter().map(|&sign| sign < 0).collect();
    lattice.tetrahedra(|point| inside[point as usize], |points| filling.add(points));
    let mut outer = vec![false; filling.positions.len()];
    for (point, &node) in filling.node_of_point.iter().enumerate() {
        if node != u32::MAX && filling.signs[point] == 0 {
            outer[node as usize] = true;
        }
    }
    let cut_nodes = filling.node_of_cut.values();
    cut_nodes.for_each(|&node| outer[node as usize] = true);
    remove_pinches(&filling.positions, &mut filling.tetrahedra, &mut outer);
    if filling.tetrahedra.is_empty() {
        return Err(MeshMakeError::TooCoarse {
            spacing,
            try_spacing: 0.5 * spacing,
        });
    }
    let nodes = filling.tetrahedra.concat();
    let mut mesh = ElementMesh {
        positions: filling.positions,
        blocks: vec![ElementBlock::new(ElementKind::Tetrahedron4, nodes)],
    };
    compact(&mut mesh);
    Ok(mesh)
}

/// Where the surface cuts edges of the lattice, and the points that moved onto it.
struct Cuts {
    /// The cut on each edge, lower point first.
    of_edge: HashMap<[u32; 2], DVec3>,
    /// New positions of moved points.
    moved: HashMap<u32, DVec3>,
}

impl Cuts {
    fn new(lattice: &BccLattice, shape: &dyn ImplicitShape, values: &[f64]) -> Self {
        let edges = lattice.crossings(values);
        let fractions: Vec<f64> = edges
            .par_iter()
            .with_min_len(256)
            .map(|&edge| lattice.cut(shape, edge, values))
            .collect();
        let mut of_edge = HashMap::with_capacity(edges.len());
        let mut nearest: HashMap<u32, (f64, DVec3)> = HashMap::new();
        for (edge, t) in edges.into_iter().zip(fractions) {
            let [a, b] = edge.map(|point| lattice.position(point as usize));
            let (alpha, length) = if is_long(lattice, edge) {
                (ALPHA_LONG, lattice.spacing)
            } else {
                (ALPHA_SHORT, 0.75f64.sqrt() * lattice.spacing)
            };
            let cut = a.lerp(b, t);
            of_edge.insert(edge, cut);
            for (point, fraction) in edge.into_iter().zip([t, 1.0 - t]) {
                let distance = fraction * length;
                let best = nearest.get(&point).map_or(f64::INFINITY, |best| best.0);
                if fraction < alpha && distance < best {
                    nearest.insert(point, (distance, cut));
                }
            }
        }
        let moved = nearest.into_iter().map(|(point, (_, cut))| (point, cut));
        Self {
            of_edge,
            moved: moved.collect(),
        }
    }

    /// -1 inside, 0 on the surface, 1 outside, after points have moved.
    fn signs(&self, values: &[f64]) -> Vec<i8> {
        let sign = |value: &f64| i8::from(*value > 0.0) - i8::from(*value < 0.0);
        let mut signs: Vec<i8> = values.iter().map(sign).collect();
        for &point in self.moved.keys() {
            signs[point as usize] = 0;
        }
        signs
    }
}

fn is_long(lattice: &BccLattice, edge: [u32; 2]) -> bool {
    // Corners are even and centres odd; a long edge joins two of a kind.
    let [a, b] = edge.map(|point| lattice.half_cubes(point as usize)[0] % 2);
    a == b
}

struct Filling<'a> {
    lattice: &'a BccLattice,
    cuts: &'a Cuts,
    signs: Vec<i8>,
    node_of_point: Vec<u32>,
    node_of_cut: HashMap<[u32; 2], u32>,
    positions: Vec<DVec3>,
    tetrahedra: Vec<[u32; 4]>,
}

impl Filling<'_> {
    /// Adds the part of a lattice tetrahedron that is inside. Some point of it is.
    fn add(&mut self, points: [u32; 4]) {
        let pick = |filling: &Self, wanted: i8| -> Vec<u32> {
            let points = points.iter().copied();
            points
                .filter(|&point| filling.signs[point as usize] == wanted)
                .collect()
        };
        let (inside, on, outside) = (pick(self, -1), pick(self, 0), pick(self, 1));
        let on: Vec<u32> = on.iter().map(|&point| self.point(point)).collect();
        match (inside.as_slice(), outside.as_slice()) {
            (_, []) => {
                let mut nodes: Vec<u32> = inside.iter().map(|&p| self.point(p)).collect();
                nodes.extend(on);
                self.tetrahedron([nodes[0], nodes[1], nodes[2], nodes[3]]);
            }
            (&[p], _) => {
                let mut nodes = vec![self.point(p)];
                nodes.extend(on);
                for &n in &outside {
                    nodes.push(self.cut(p, n));
                }
                self.tetrahedron([nodes[0], nodes[1], nodes[2], nodes[3]]);
            }
            (&[p, q], &[n]) => {
                let (owner, other) = self.diagonal(p, q, n);
                let [a, b] = [owner, other].map(|point| self.point(point));
                let [ca, cb] = [owner, other].map(|point| self.cut(point, n));
                self.tetrahedron([a, b, cb, on[0]]);
                self.tetrahedron([a, ca, cb, on[0]]);
            }
            (&[p, q], &[m, n]) => {
                let top = [self.point(p), self.cut(p, m), self.cut(p, n)];
                let bottom = [self.point(q), self.cut(q, m), self.cut(q, n)];
                let first = self.diagonal(p, q, m).0 == p;
                let last = self.diagonal(p, q, n).0 == q;
                // The quadrilateral on the surface may be divided either way, unless the other
                // two turn the same way round: then only against them.
                let free = if first == last {
                    !first
                } else {
                    let x = |node: u32| self.positions[node as usize];
                    x(top[1]).distance(x(bottom[2])) < x(top[2]).distance(x(bottom[1]))
                };
                self.wedge(top, bottom, [first, free, last]);
            }
            (&[p, q, r], &[n]) => {
                let top = [p, q, r].map(|point| self.point(point));
                let bottom = [p, q, r].map(|point| self.cut(point, n));
                let owned = [(p, q), (q, r), (r, p)].map(|(a, b)| self.diagonal(a, b, n).0 == a);
                self.wedge(top, bottom, owned);
            }
            _ => {}
        }
    }

    /// Which of the inside points `p` and `q` of a face the diagonal starts from that divides what
    /// is left of the face when the outside point `n` is cut off; the other point comes second. It
    /// depends on the face alone, so that neighbours agree.
    fn diagonal(&self, p: u32, q: u32, n: u32) -> (u32, u32) {
        if is_long(self.lattice, [p, n]) {
            return (q, p);
        }
        if is_long(self.lattice, [q, n]) {
            return (p, q);
        }
        // Of two points on a long edge exactly one is above `n` in an even number of directions.
        let n = self.lattice.half_cubes(n as usize);
        let at_p = self.lattice.half_cubes(p as usize);
        let above = (0..3).filter(|&axis| at_p[axis] > n[axis]).count();
        if above % 2 == 0 { (p, q) } else { (q, p) }
    }

    /// A wedge between two triangles. `forward[i]` says that the side between corners i and i + 1
    /// is divided from corner i of `top`; not all three may be the same.
    fn wedge(&mut self, top: [u32; 3], bottom: [u32; 3], forward: [bool; 3]) {
        let Some(i) = (0..3).find(|&i| forward[i] && !forward[(i + 2) % 3]) else {
            return;
        };
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        self.tetrahedron([top[i], bottom[0], bottom[1], bottom[2]]);
        if forward[j] {
            self.tetrahedron([top[i], top[j], top[k], bottom[k]]);
            self.tetrahedron([top[i], top[j], bottom[k], bottom[j]]);
        } else {
            self.tetrahedron([top[i], top[j], top[k], bottom[j]]);
            self.tetrahedron([top[i], top[k], bottom[k], bottom[j]]);
        }
    }

    fn tetrahedron(&mut self, mut nodes: [u32; 4]) {
        if tetrahedron_volume(nodes.map(|node| self.positions[node as usize])) < 0.0 {
            nodes.swap(2, 3);
        }
        self.tetrahedra.push(nodes);
    }

    fn point(&mut self, point: u32) -> u32 {
        let node = self.node_of_point[point as usize];
        if node != u32::MAX {
            return node;
        }
        let moved = self.cuts.moved.get(&point).copied();
        self.node_of_point[point as usize] = self.positions.len() as u32;
        self.positions
            .push(moved.unwrap_or_else(|| self.lattice.position(point as usize)));
        self.node_of_point[point as usize]
    }

    fn cut(&mut self, a: u32, b: u32) -> u32 {
        let edge = [a.min(b), a.max(b)];
        let next = self.positions.len() as u32;
        let node = *self.node_of_cut.entry(edge).or_insert(next);
        if node == next {
            self.positions.push(self.cuts.of_edge[&edge]);
        }
        node
    }
}

#[cfg(test)]
#[path = "stuffing_tests.rs"]
mod tests;
