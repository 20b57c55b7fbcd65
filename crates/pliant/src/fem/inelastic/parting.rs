//! Pieces of a mesh that breaks, where contact keeps them from passing through each other.
//!
//! Where a vertex falls into several, its copies lie on each other, and contact cannot push apart what has no
//! gap. Each part of the vertex is therefore drawn into its own piece by a small way: to where all faces of
//! the piece at the vertex see it from inside. The piece that is left is inside of the one that was, so that
//! nothing can cross that did not cross before. Where there is no such place, since a node is fixed or
//! elements are crushed, what broke at the vertex in this step is whole again: it may break in the next one.

use super::InnerFaces;
use crate::body::{BodyDescription, State, Ties};
use crate::inelastic::Inelasticity;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How far the parts of a vertex are drawn into their pieces, by the smallest height of an element at rest.
const WAY: f64 = 2e-3;

/// The smallest cosine between the way into a piece and the inner normals of its faces.
const STEEPNESS: f64 = 0.02;

/// Rounds of the search for a way into a piece.
const ROUNDS: usize = 200;

/// The smallest height of the tetrahedra of a mesh that can come apart, in metres: node 4 e + c is corner c of
/// element e.
fn smallest_height(positions: &[DVec3]) -> f64 {
    let elements = positions.chunks_exact(4).map(|x| [x[0], x[1], x[2], x[3]]);
    elements.map(height).fold(f64::INFINITY, f64::min)
}

/// The smallest height of a tetrahedron, in metres; not above zero if it is inside out.
fn height([a, b, c, d]: [DVec3; 4]) -> f64 {
    let volume = (b - a).cross(c - a).dot(d - a);
    let sides = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]];
    let areas = sides.map(|[p, q, r]| (q - p).cross(r - p).length());
    let largest = areas.into_iter().fold(0.0, f64::max);
    if largest > 0.0 { volume / largest } else { 0.0 }
}

/// How far from each other pieces begin that were one, in metres.
pub(crate) fn parting_gap(description: &BodyDescription) -> f64 {
    WAY * smallest_height(&description.rest_positions)
}

/// Draws the parts of vertices that have fallen into several into their pieces. `before` are the faces that
/// were broken before the step.
pub(crate) fn part_pieces(
    description: &BodyDescription,
    state: &mut State,
    memory: &mut Inelasticity,
    before: &[bool],
) {
    let mesh = description.mesh();
    let Some(inner_faces) = mesh.and_then(|mesh| mesh.inner_faces()) else {
        return;
    };
    if memory.broken_faces == before {
        return;
    }
    let mut is_held = description.fixed.clone();
    let cores = mesh.iter().flat_map(|mesh| &mesh.cores);
    for &node in cores.flat_map(|core| &core.nodes) {
        is_held[node as usize] = true;
    }
    // Each round makes a vertex whole, so it ends.
    while let Some(ties) = memory.ties.clone() {
        if ties.version == 0 {
            return;
        }
        let split = split_vertices(inner_faces, &ties, state);
        if split.is_empty() {
            return;
        }
        let nodes = ties.roots.iter().zip(&is_held).filter(|(_, held)| **held);
        let held: BTreeSet<u32> = nodes.map(|(root, _)| *root).collect();
        let pieces = Pieces::new(inner_faces, memory, &ties, &split);
        let most = parting_gap(description);
        let mut ways: Vec<(u32, DVec3)> = Vec::new();
        let mut stuck = BTreeSet::new();
        for (vertex, roots) in &split {
            let found = roots.iter().map(|&root| {
                let can_move = !held.contains(&root);
                (
                    root,
                    pieces.way_into(root, state, most).filter(|_| can_move),
                )
            });
            let found: Vec<(u32, Option<DVec3>)> = found.collect();
            if found.iter().filter(|(_, way)| way.is_none()).count() > 1 {
                stuck.insert(*vertex);
            }
            ways.extend(
                found
                    .into_iter()
                    .filter_map(|(root, way)| Some((root, way?))),
            );
        }
        if !stuck.is_empty() && make_whole(inner_faces, &stuck, memory, before) {
            memory.find_ties(description);
            continue;
        }
        let ways: HashMap<u32, DVec3> = ways.into_iter().collect();
        for (node, place) in state.positions.iter_mut().enumerate() {
            if let Some(way) = ways.get(&ties.roots[node]) {
                *place += *way;
            }
        }
        return;
    }
}

/// Vertices that have fallen into parts that lie on each other, with the first nodes of these.
fn split_vertices(inner_faces: &InnerFaces, ties: &Ties, state: &State) -> BTreeMap<u32, Vec<u32>> {
    let mut parts: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (node, &vertex) in inner_faces.vertices().iter().enumerate() {
        if ties.roots[node] as usize == node {
            parts.entry(vertex).or_default().insert(node as u32);
        }
    }
    let at = |root: &u32| state.positions[*root as usize];
    let together = parts.into_iter().filter_map(|(vertex, roots)| {
        let lies_on = |root: &u32| {
            roots
                .iter()
                .any(|other| other != root && at(other) == at(root))
        };
        let on_others: Vec<u32> = roots.iter().copied().filter(lies_on).collect();
        (!on_others.is_empty()).then_some((vertex, on_others))
    });
    together.collect()
}

/// Takes back what broke at some vertices in this step; says whether anything did.
fn make_whole(
    inner_faces: &InnerFaces,
    stuck: &BTreeSet<u32>,
    memory: &mut Inelasticity,
    before: &[bool],
) -> bool {
    let mut any = false;
    for (index, face) in inner_faces.faces().iter().enumerate() {
        let vertex = |pair: &[u32; 2]| inner_faces.vertices()[pair[0] as usize];
        let is_new = memory.broken_faces[index] && !before[index];
        if is_new && face.pairs.iter().any(|pair| stuck.contains(&vertex(pair))) {
            memory.broken_faces[index] = false;
            any = true;
        }
    }
    any
}

/// What meets at the parts of split vertices.
struct Pieces {
    /// Triangles of the surface, seen from outside.
    faces: HashMap<u32, Vec<[u32; 3]>>,
    /// Elements.
    elements: HashMap<u32, Vec<u32>>,
}

impl Pieces {
    fn new(
        inner_faces: &InnerFaces,
        memory: &Inelasticity,
        ties: &Ties,
        split: &BTreeMap<u32, Vec<u32>>,
    ) -> Self {
        let roots: BTreeSet<u32> = split.values().flatten().copied().collect();
        let mut faces: HashMap<u32, Vec<[u32; 3]>> = HashMap::new();
        for triangle in inner_faces.topology(&memory.broken_faces, ties).triangles {
            for node in triangle.into_iter().filter(|node| roots.contains(node)) {
                faces.entry(node).or_default().push(triangle);
            }
        }
        let mut elements: HashMap<u32, Vec<u32>> = HashMap::new();
        for (node, root) in ties.roots.iter().enumerate() {
            if roots.contains(root) {
                elements.entry(*root).or_default().push(node as u32 / 4);
            }
        }
        Self { faces, elements }
    }

    /// The way of a part of a vertex into its piece, if there is one.
    fn way_into(&self, root: u32, state: &State, most: f64) -> Option<DVec3> {
        let at = |node: u32| state.positions[node as usize];
        let faces = self.faces.get(&root)?;
        let inner: Vec<DVec3> = faces
            .iter()
            .map(|t| t.map(at))
            .map(|[a, b, c]| -(b - a).cross(c - a).normalize_or_zero())
            .collect();
        let direction = common_direction(&inner)?;
        let corners = |element: &u32| [0, 1, 2, 3].map(|corner| at(4 * element + corner));
        let elements = self.elements.get(&root)?.iter();
        let height = elements.map(|element| height(corners(element)));
        let height = height.fold(f64::INFINITY, f64::min);
        let length = most.min(WAY * height);
        (length > 0.0).then_some(length * direction)
    }
}

/// A unit vector that has an angle clearly below a right one to each of some unit vectors, if there is one.
fn common_direction(normals: &[DVec3]) -> Option<DVec3> {
    let mut sum: DVec3 = normals.iter().sum();
    for _ in 0..ROUNDS {
        let direction = sum.normalize_or_zero();
        let cosine = |normal: &&DVec3| normal.dot(direction);
        let worst = normals
            .iter()
            .min_by(|a, b| cosine(a).total_cmp(&cosine(b)))?;
        if cosine(&worst) >= STEEPNESS {
            return Some(direction);
        }
        sum += *worst;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_direction_is_found_where_there_is_one() {
        let sharp = [DVec3::X, DVec3::new(-0.95, 0.31, 0.0).normalize(), DVec3::Z];
        let direction = common_direction(&sharp).unwrap();
        assert!(
            sharp
                .iter()
                .all(|normal| normal.dot(direction) >= STEEPNESS)
        );
        assert!(common_direction(&[DVec3::X, -DVec3::X]).is_none());
    }
}
