//! A mesh whose elements can come apart: every tetrahedron has nodes of its own, and the faces
//! between tetrahedra tie their copies together.
//!
//! Copies of a vertex are **tied** while a way leads from one to the other through whole faces at
//! that vertex; tied copies are one unknown of a step, and their positions and velocities stay equal
//! to the bit. A broken face alone opens nothing: a vertex falls into two where the broken faces
//! round it separate its elements. Nodes are never made or removed, so masses stay where they are.

use crate::body::Ties;
use crate::fem::FemError;
use crate::frame::Topology;
use crate::mesh::{ElementBlock, ElementKind, ElementMesh, boundary_triangles, tetrahedra};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Faces of a tetrahedron, by their corners.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// A face between two tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerFace {
    /// The two elements.
    pub elements: [u32; 2],
    /// For each corner of the face the node of the first and that of the second element.
    pub pairs: [[u32; 2]; 3],
}

/// The faces that hold separate elements together.
#[derive(Clone, Debug)]
pub struct InnerFaces {
    faces: Vec<InnerFace>,
    /// The vertex of the whole mesh that each node is a copy of.
    vertices: Vec<u32>,
    edges: EdgeNeighbours,
    /// Boundary of the whole mesh, in nodes.
    boundary: Arc<Vec<[u32; 3]>>,
}

impl InnerFaces {
    /// Takes the tetrahedra of a mesh apart: node 4 e + c is corner c of element e. Elements of
    /// other kinds are left out.
    pub fn take_apart(mesh: &ElementMesh) -> Result<(ElementMesh, Self), FemError> {
        mesh.check()?;
        let whole: Vec<[u32; 4]> = tetrahedra(mesh).collect();
        let blocks = mesh.blocks.iter();
        let regions = blocks
            .filter(|block| block.kind == ElementKind::Tetrahedron4)
            .flat_map(|block| block.regions.iter().copied());
        let vertices: Vec<u32> = whole.iter().flatten().copied().collect();
        if vertices.is_empty() {
            return Err(FemError::Unsupported {
                what: "elements that come apart, unless they are tetrahedra",
            });
        }
        let positions = vertices.iter().map(|&v| mesh.positions[v as usize]);
        let nodes = (0..vertices.len() as u32).collect();
        let apart = ElementMesh {
            positions: positions.collect(),
            blocks: vec![ElementBlock {
                kind: ElementKind::Tetrahedron4,
                nodes,
                regions: regions.collect(),
            }],
        };
        let (faces, outer) = match_faces(&whole);
        let edges = EdgeNeighbours::new(&faces, &outer, &vertices);
        let inner_faces = Self {
            boundary: Arc::new(boundary_in_copies(mesh, &outer, &vertices)),
            faces,
            vertices,
            edges,
        };
        Ok((apart, inner_faces))
    }

    /// The faces between elements.
    pub fn faces(&self) -> &[InnerFace] {
        &self.faces
    }

    /// The vertex of the whole mesh that each node is a copy of.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Numbers at the vertices of the whole mesh as numbers at the nodes.
    pub fn spread<T: Copy>(&self, of_vertices: &[T]) -> Vec<T> {
        let values = self.vertices.iter();
        values.map(|&vertex| of_vertices[vertex as usize]).collect()
    }

    /// Faces that have an edge (0 to 2) in common with a face.
    pub(super) fn neighbours(&self, face: usize, edge: usize) -> &[u32] {
        let EdgeNeighbours {
            starts,
            inner_faces,
            ..
        } = &self.edges;
        let at = 3 * face + edge;
        &inner_faces[starts[at] as usize..starts[at + 1] as usize]
    }

    /// Whether an edge (0 to 2) of a face lies on the boundary of the whole mesh.
    pub(super) fn is_outer_edge(&self, face: usize, edge: usize) -> bool {
        self.edges.outer[3 * face + edge]
    }

    pub(in crate::fem) fn boundary(&self) -> &Arc<Vec<[u32; 3]>> {
        &self.boundary
    }

    /// Whether flags are the same for all copies of a vertex.
    pub(super) fn all_copies_agree(&self, flags: &[bool]) -> bool {
        self.faces.iter().all(|face| {
            let mut pairs = face.pairs.iter();
            pairs.all(|[a, b]| flags[*a as usize] == flags[*b as usize])
        })
    }

    /// What is drawn: the boundary of the whole mesh and both sides of every face that has opened,
    /// between the first of tied copies, so that surfaces are closed where they are whole.
    pub(crate) fn topology(&self, broken: &[bool], ties: &Ties) -> Topology {
        let root = |node: u32| ties.roots[node as usize];
        let mut triangles: Vec<[u32; 3]> = self.boundary.iter().map(|t| t.map(root)).collect();
        for (face, _) in self.faces.iter().zip(broken).filter(|(_, broken)| **broken) {
            let [a, b, c] = face.pairs.map(|pair| pair.map(root));
            if [a, b, c].iter().any(|[first, second]| first != second) {
                triangles.push([a[0], b[0], c[0]]);
                triangles.push([a[1], c[1], b[1]]);
            }
        }
        let elements = 0..self.vertices.len() as u32 / 4;
        let corners = |e: u32| [4 * e, 4 * e + 1, 4 * e + 2, 4 * e + 3].map(root);
        Topology {
            triangles,
            tetrahedra: elements.map(corners).collect(),
            ..Topology::default()
        }
    }
}

/// The key of a face or an edge: its vertices in order.
fn sorted<const N: usize>(mut vertices: [u32; N]) -> [u32; N] {
    vertices.sort_unstable();
    vertices
}

/// Faces between elements, and for each outer face (by its vertices) the element and face it belongs to.
type OuterFaces = HashMap<[u32; 3], [usize; 2]>;

fn match_faces(whole: &[[u32; 4]]) -> (Vec<InnerFace>, OuterFaces) {
    let mut open: OuterFaces = HashMap::new();
    let mut inner_faces = Vec::new();
    for (element, corners) in whole.iter().enumerate() {
        for (face, places) in FACES.iter().enumerate() {
            let key = sorted(places.map(|place| corners[place]));
            let Some([other, other_face]) = open.remove(&key) else {
                open.insert(key, [element, face]);
                continue;
            };
            let pairs = FACES[other_face].map(|place| {
                let vertex = whole[other][place];
                let mine = corner_of(corners, vertex);
                [(4 * other + place) as u32, (4 * element + mine) as u32]
            });
            inner_faces.push(InnerFace {
                elements: [other as u32, element as u32],
                pairs,
            });
        }
    }
    (inner_faces, open)
}

/// Which corner of a tetrahedron a vertex is.
///
/// # Panics
/// If it is none.
fn corner_of(corners: &[u32], vertex: u32) -> usize {
    match corners.iter().position(|&corner| corner == vertex) {
        Some(corner) => corner,
        None => panic!("vertex {vertex} is no corner of the element {corners:?}"),
    }
}

/// Boundary triangles of the whole mesh, seen from outside, in nodes of the elements they belong to.
fn boundary_in_copies(mesh: &ElementMesh, outer: &OuterFaces, vertices: &[u32]) -> Vec<[u32; 3]> {
    let copies = boundary_triangles(mesh).into_iter().filter_map(|triangle| {
        let [element, _] = *outer.get(&sorted(triangle))?;
        let corners = &vertices[4 * element..4 * element + 4];
        let node = |vertex: u32| {
            let corner = corner_of(corners, vertex);
            (4 * element + corner) as u32
        };
        Some(triangle.map(node))
    });
    copies.collect()
}

/// What meets at the three edges of each face.
#[derive(Clone, Debug)]
struct EdgeNeighbours {
    /// The faces at edge e of face j are `inner_faces[starts[3 j + e]..starts[3 j + e + 1]]`.
    starts: Vec<u32>,
    inner_faces: Vec<u32>,
    /// Whether each edge lies on the boundary.
    outer: Vec<bool>,
}

impl EdgeNeighbours {
    fn new(faces: &[InnerFace], outer_faces: &OuterFaces, vertices: &[u32]) -> Self {
        let edges_of = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]].map(sorted);
        let edges = |face: &InnerFace| edges_of(face.pairs.map(|pair| vertices[pair[0] as usize]));
        let mut at_edges: HashMap<[u32; 2], Vec<u32>> = HashMap::new();
        for (index, face) in faces.iter().enumerate() {
            for edge in edges(face) {
                at_edges.entry(edge).or_default().push(index as u32);
            }
        }
        let outer_edges: HashSet<[u32; 2]> =
            outer_faces.keys().copied().flat_map(edges_of).collect();
        let (mut starts, mut inner_faces, mut outer) = (vec![0], Vec::new(), Vec::new());
        for (index, face) in faces.iter().enumerate() {
            for edge in edges(face) {
                let others = at_edges[&edge].iter().copied();
                inner_faces.extend(others.filter(|&other| other != index as u32));
                starts.push(inner_faces.len() as u32);
                outer.push(outer_edges.contains(&edge));
            }
        }
        Self {
            starts,
            inner_faces,
            outer,
        }
    }
}

impl InnerFaces {
    /// Which nodes move as one where some faces are broken.
    pub fn ties(&self, broken: &[bool]) -> Ties {
        let mut version = 0_u64;
        for (index, _) in broken.iter().enumerate().filter(|(_, broken)| **broken) {
            version = (version ^ (index as u64 + 1)).wrapping_mul(0x0100_0000_01b3);
        }
        let whole = self
            .faces
            .iter()
            .zip(broken)
            .filter(|(_, broken)| !**broken);
        let pairs = whole.flat_map(|(face, _)| face.pairs);
        Ties::new(self.vertices.len(), pairs, version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::State;
    use crate::frame::TriangleMesh;
    use crate::mesh::{Division, block, enclosed_volume};
    use glam::DVec3;

    fn brick() -> (ElementMesh, ElementMesh, InnerFaces) {
        let whole = block([2, 2, 2], DVec3::ONE, Division::FiveTetrahedra).unwrap();
        let (apart, inner_faces) = InnerFaces::take_apart(&whole).unwrap();
        (whole, apart, inner_faces)
    }

    #[test]
    fn whole_faces_tie_all_copies_of_a_vertex() {
        let (whole, apart, inner_faces) = brick();
        assert_eq!(apart.positions.len(), 4 * 40);
        // Four faces an element; those of the outside belong to one.
        assert_eq!(2 * inner_faces.faces.len() + 48, 4 * 40);
        let ties = inner_faces.ties(&vec![false; inner_faces.faces.len()]);
        let mut roots = ties.roots.clone();
        roots.sort_unstable();
        roots.dedup();
        assert_eq!(roots.len(), whole.positions.len());
        for (node, &root) in ties.roots.iter().enumerate() {
            assert_eq!(
                inner_faces.vertices[node],
                inner_faces.vertices[root as usize]
            );
        }
        assert_eq!(ties.version, 0);
    }

    fn volume(apart: &ElementMesh, topology: &Topology) -> f64 {
        enclosed_volume(&TriangleMesh {
            positions: apart.positions.clone(),
            triangles: topology.triangles.clone(),
        })
    }

    #[test]
    fn a_cut_through_the_middle_makes_two_closed_halves() {
        let (_, apart, inner_faces) = brick();
        let at_cut = |node: u32| (apart.positions[node as usize].x - 0.5).abs() < 1e-9;
        let cut = |face: &InnerFace| face.pairs.iter().all(|pair| at_cut(pair[0]));
        let broken: Vec<bool> = inner_faces.faces.iter().map(cut).collect();
        assert_eq!(broken.iter().filter(|b| **b).count(), 8);
        let ties = inner_faces.ties(&broken);
        let mut roots = ties.roots.clone();
        roots.sort_unstable();
        roots.dedup();
        assert_eq!(roots.len(), 27 + 9);
        let whole = inner_faces.topology(
            &vec![false; inner_faces.faces.len()],
            &inner_faces.ties(&vec![false; inner_faces.faces.len()]),
        );
        let torn = inner_faces.topology(&broken, &ties);
        assert_eq!(whole.triangles.len() + 16, torn.triangles.len());
        assert!((volume(&apart, &whole) - 1.0).abs() < 1e-12);
        assert!((volume(&apart, &torn) - 1.0).abs() < 1e-12);
        // The left half alone is closed.
        let left = Topology {
            triangles: torn
                .triangles
                .iter()
                .copied()
                .filter(|t| {
                    t.iter()
                        .all(|&node| apart.positions[node as usize].x < 0.51)
                })
                .filter(|t| {
                    !t.iter().all(|&node| at_cut(node)) || {
                        // Outwards: to the right.
                        let [a, b, c] = t.map(|node| apart.positions[node as usize]);
                        (b - a).cross(c - a).x > 0.0
                    }
                })
                .collect(),
            ..Topology::default()
        };
        assert!((volume(&apart, &left) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn one_broken_face_opens_nothing() {
        let (_, _, inner_faces) = brick();
        let mut broken = vec![false; inner_faces.faces.len()];
        broken[0] = true;
        let ties = inner_faces.ties(&broken);
        let whole = inner_faces.ties(&vec![false; inner_faces.faces.len()]);
        let opened = inner_faces.topology(&broken, &ties).triangles.len();
        let before = inner_faces.topology(&broken, &whole).triangles.len();
        assert!(ties.version != 0 && opened >= before);
        assert!(
            !inner_faces.neighbours(0, 1).is_empty() && !inner_faces.neighbours(0, 1).contains(&0)
        );
    }

    #[test]
    fn united_copies_keep_their_centre_and_momentum() {
        let (_, apart, inner_faces) = brick();
        let ties = inner_faces.ties(&vec![false; inner_faces.faces.len()]);
        let masses: Vec<f64> = (0..160).map(|i| 1.0 + f64::from(i % 7)).collect();
        let mut state = State {
            positions: apart.positions.clone(),
            velocities: vec![DVec3::X; 160],
            ..State::default()
        };
        let together = state.clone();
        ties.unite(&masses, &mut state);
        assert_eq!(state, together);
        state.positions[17].z += 0.1;
        state.velocities[30] = DVec3::Y;
        let sum = |values: &[DVec3]| -> DVec3 {
            let terms = values.iter().zip(&masses);
            terms.map(|(value, mass)| *mass * *value).sum()
        };
        let before = (sum(&state.positions), sum(&state.velocities));
        ties.unite(&masses, &mut state);
        assert!((sum(&state.positions) - before.0).length() < 1e-12);
        assert!((sum(&state.velocities) - before.1).length() < 1e-12);
        for (node, &root) in ties.roots.iter().enumerate() {
            assert_eq!(state.positions[node], state.positions[root as usize]);
            assert_eq!(state.velocities[node], state.velocities[root as usize]);
        }
    }
}
