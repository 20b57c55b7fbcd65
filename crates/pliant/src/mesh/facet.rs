//! Faces, edges and cells of a body that lie in a part of it, with all their nodes: what loads are
//! spread over.

use super::{ElementKind, ElementMesh};
use std::collections::{HashMap, HashSet};

/// What a facet is. Nodes are numbered as VTK numbers them: corners first, then the middles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FacetKind {
    /// An edge of two nodes.
    Line2,
    /// An edge with a node in its middle.
    Line3,
    /// A triangle of three nodes.
    Triangle3,
    /// A triangle with a node in the middle of each edge.
    Triangle6,
    /// A quadrilateral of four nodes.
    Quad4,
    /// A quadrilateral with a node in the middle of each edge.
    Quad8,
    /// A quadrilateral with a node in the middle of each edge and one in its own.
    Quad9,
    /// A tetrahedron.
    Tetrahedron4,
    /// A tetrahedron with a node in the middle of each edge.
    Tetrahedron10,
    /// A brick of eight corners: the cell of a grid.
    Brick8,
    /// A brick with a node in the middle of each edge.
    Brick20,
}

/// A face, an edge or a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// What it is.
    pub kind: FacetKind,
    /// Its nodes; a face of a solid is seen counter-clockwise from outside.
    pub nodes: Vec<u32>,
}

/// What lies in a part of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// Faces of a surface, or of the boundary of a solid.
    pub faces: Vec<Facet>,
    /// Edges of a curve, of the rim of a surface, and those that lie in no face or cell of the part.
    pub edges: Vec<Facet>,
    /// Cells of a solid.
    pub cells: Vec<Facet>,
}

/// Gathers the facets of elements; faces that two elements share are inside.
#[derive(Debug)]
pub struct FacetCollector<'a> {
    selected: &'a [bool],
    /// Faces of solids by their sorted corners; nothing for one that was found twice.
    boundary: HashMap<Vec<u32>, Option<Facet>>,
    /// Pairs of corners of cells in the part.
    inside: HashSet<[u32; 2]>,
    /// Every edge by its ends, and of how many faces of surfaces it is a side.
    edges: HashMap<[u32; 2], (Facet, usize)>,
    found: Facets,
}

impl<'a> FacetCollector<'a> {
    /// For the part whose nodes are selected.
    pub fn new(selected: &'a [bool]) -> Self {
        Self {
            selected,
            boundary: HashMap::new(),
            inside: HashSet::new(),
            edges: HashMap::new(),
            found: Facets::default(),
        }
    }

    fn facet(&self, kind: FacetKind, nodes: impl Iterator<Item = u32>) -> Option<Facet> {
        let nodes: Vec<u32> = nodes.collect();
        let is_in = nodes.iter().all(|&node| self.selected[node as usize]);
        is_in.then_some(Facet { kind, nodes })
    }

    /// Adds an edge of an element of a surface (`is_side`), a curve or a solid.
    pub fn edge(&mut self, kind: FacetKind, nodes: impl Iterator<Item = u32>, is_side: bool) {
        let Some(facet) = self.facet(kind, nodes) else {
            return;
        };
        let [a, b] = [facet.nodes[0], facet.nodes[1]];
        let edge = self.edges.entry([a.min(b), a.max(b)]);
        edge.or_insert((facet, 0)).1 += usize::from(is_side);
    }

    /// Adds an element of a surface.
    pub fn face(&mut self, kind: FacetKind, nodes: impl Iterator<Item = u32>) {
        let facet = self.facet(kind, nodes);
        self.found.faces.extend(facet);
    }

    /// Adds a face of a cell.
    pub fn side(&mut self, kind: FacetKind, nodes: impl Iterator<Item = u32>) {
        let Some(facet) = self.facet(kind, nodes) else {
            return;
        };
        let corners = match kind {
            FacetKind::Triangle3 | FacetKind::Triangle6 => 3,
            _ => 4,
        };
        let mut key = facet.nodes[..corners].to_vec();
        key.sort_unstable();
        self.boundary
            .entry(key)
            .and_modify(|other| *other = None)
            .or_insert(Some(facet));
    }

    /// Adds a cell of a solid.
    pub fn cell(&mut self, kind: FacetKind, nodes: impl Iterator<Item = u32>) {
        let Some(facet) = self.facet(kind, nodes) else {
            return;
        };
        let corners = match kind {
            FacetKind::Tetrahedron4 | FacetKind::Tetrahedron10 => 4,
            _ => 8,
        };
        for (n, &a) in facet.nodes[..corners].iter().enumerate() {
            for &b in &facet.nodes[..n] {
                self.inside.insert([a.min(b), a.max(b)]);
            }
        }
        self.found.cells.push(facet);
    }

    /// What was found, in an order that depends on the nodes alone.
    pub fn finish(mut self) -> Facets {
        self.found
            .faces
            .extend(self.boundary.into_values().flatten());
        let mut sides = self.inside;
        for face in &self.found.faces {
            for [a, b] in corner_pairs(face) {
                sides.insert([a.min(b), a.max(b)]);
            }
        }
        for (ends, (facet, side_count)) in self.edges {
            if side_count == 1 || !sides.contains(&ends) {
                self.found.edges.push(facet);
            }
        }
        for list in [&mut self.found.faces, &mut self.found.edges] {
            list.sort_unstable_by(|a, b| a.nodes.cmp(&b.nodes));
        }
        self.found
    }
}

/// The ends of each side of a face.
fn corner_pairs(face: &Facet) -> impl Iterator<Item = [u32; 2]> {
    let corners = match face.kind {
        FacetKind::Triangle3 | FacetKind::Triangle6 => 3,
        _ => 4,
    };
    (0..corners).map(move |n| [face.nodes[n], face.nodes[(n + 1) % corners]])
}

impl Facets {
    /// What of a mesh lies in a part of it.
    pub fn of_mesh(mesh: &ElementMesh, selected: &[bool]) -> Self {
        let mut collector = FacetCollector::new(selected);
        for block in &mesh.blocks {
            for nodes in block.elements() {
                add_element(&mut collector, block.kind, nodes);
            }
        }
        collector.finish()
    }

    /// What of a body with these triangles and edges lies in a part of it.
    pub fn of_triangles(triangles: &[[u32; 3]], edges: &[[u32; 2]], selected: &[bool]) -> Self {
        let mut collector = FacetCollector::new(selected);
        for triangle in triangles {
            collector.face(FacetKind::Triangle3, triangle.iter().copied());
        }
        for edge in edges {
            collector.edge(FacetKind::Line2, edge.iter().copied(), false);
        }
        collector.finish()
    }
}

fn add_element(collector: &mut FacetCollector, kind: ElementKind, nodes: &[u32]) {
    use super::boundary::{BRICK_EDGES, BRICK_FACES, TETRAHEDRON_FACES};
    use super::elevation::{TETRAHEDRON_EDGES, face_with_middles};
    let all = || nodes.iter().copied();
    let flat = |facet, corners: usize, middles: bool, collector: &mut FacetCollector| {
        collector.face(facet, all());
        for a in 0..corners {
            let ends = [nodes[a], nodes[(a + 1) % corners]];
            if middles {
                let three = ends.into_iter().chain([nodes[corners + a]]);
                collector.edge(FacetKind::Line3, three, true);
            } else {
                collector.edge(FacetKind::Line2, ends.into_iter(), true);
            }
        }
    };
    match kind {
        ElementKind::Line2 => collector.edge(FacetKind::Line2, all(), false),
        ElementKind::Triangle3 => flat(FacetKind::Triangle3, 3, false, collector),
        ElementKind::Triangle6 => flat(FacetKind::Triangle6, 3, true, collector),
        ElementKind::Quad4 => flat(FacetKind::Quad4, 4, false, collector),
        ElementKind::Quad9 => flat(FacetKind::Quad9, 4, true, collector),
        ElementKind::Tetrahedron4 => {
            collector.cell(FacetKind::Tetrahedron4, all());
            for face in TETRAHEDRON_FACES {
                collector.side(FacetKind::Triangle3, face.into_iter().map(|c| nodes[c]));
            }
            for [a, b] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
                let ends = [nodes[a], nodes[b]];
                collector.edge(FacetKind::Line2, ends.into_iter(), false);
            }
        }
        ElementKind::Tetrahedron10 => {
            collector.cell(FacetKind::Tetrahedron10, all());
            for face in TETRAHEDRON_FACES.map(face_with_middles) {
                collector.side(FacetKind::Triangle6, face.into_iter().map(|c| nodes[c]));
            }
            for edge in TETRAHEDRON_EDGES {
                collector.edge(FacetKind::Line3, edge.into_iter().map(|c| nodes[c]), false);
            }
        }
        ElementKind::Brick20 => {
            collector.cell(FacetKind::Brick20, all());
            for face in BRICK_FACES {
                collector.side(FacetKind::Quad8, face.into_iter().map(|c| nodes[c]));
            }
            for edge in BRICK_EDGES {
                collector.edge(FacetKind::Line3, edge.into_iter().map(|c| nodes[c]), false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Division, block, brick20_block, rectangle};
    use glam::DVec3;

    fn in_plane(mesh: &ElementMesh, is_in: impl Fn(DVec3) -> bool) -> Vec<bool> {
        mesh.positions.iter().map(|&x| is_in(x)).collect()
    }

    #[test]
    fn faces_edges_and_cells_of_bricks() {
        let mesh = brick20_block([2, 3, 1], DVec3::new(2.0, 3.0, 1.0)).unwrap();
        let everything = Facets::of_mesh(&mesh, &vec![true; mesh.positions.len()]);
        // Twice 2 · 3 + 2 · 1 + 3 · 1 faces.
        assert_eq!(everything.faces.len(), 22);
        assert_eq!(everything.cells.len(), 6);
        let high = mesh.positions.iter().map(|x| x.x).fold(f64::MIN, f64::max);
        let end = Facets::of_mesh(&mesh, &in_plane(&mesh, |x| x.x > high - 1e-9));
        assert_eq!(end.faces.len(), 3);
        assert!(end.cells.is_empty());
        // Every edge at the end is a side of one of its faces.
        assert!(end.edges.is_empty());
        let top = mesh.positions.iter().map(|x| x.z).fold(f64::MIN, f64::max);
        let edge = in_plane(&mesh, |x| x.x > high - 1e-9 && x.z > top - 1e-9);
        let edge = Facets::of_mesh(&mesh, &edge);
        assert!(edge.faces.is_empty());
        assert_eq!(edge.edges.len(), 3);
    }

    #[test]
    fn the_inside_of_a_solid_is_no_face() {
        let mesh = block([3, 3, 3], DVec3::ONE, Division::FiveTetrahedra).unwrap();
        let everything = Facets::of_mesh(&mesh, &vec![true; mesh.positions.len()]);
        assert_eq!(everything.faces.len(), 6 * 9 * 2);
        assert_eq!(everything.cells.len(), 27 * 5);
    }

    #[test]
    fn the_rim_of_a_surface_and_a_line_across_it() {
        let mesh = rectangle(ElementKind::Quad4, [4, 2], [4.0, 2.0]).unwrap();
        let whole = Facets::of_mesh(&mesh, &vec![true; mesh.positions.len()]);
        assert_eq!((whole.faces.len(), whole.edges.len()), (8, 12));
        let (low, high) = mesh
            .positions
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), x| {
                (low.min(x.x), high.max(x.x))
            });
        let middle = in_plane(&mesh, |x| (x.x - 0.5 * (low + high)).abs() < 1e-9);
        let middle = Facets::of_mesh(&mesh, &middle);
        assert_eq!((middle.faces.len(), middle.edges.len()), (0, 2));
    }
}
