//! What follows from the elements of a mesh: its outer triangles, edges, pieces and volumes, and
//! the tidying of nodes and orientations. All of it takes meshes that pass [`ElementMesh::check`].

use super::elevation::{TETRAHEDRON_EDGES, face_with_middles};
use super::{ElementBlock, ElementKind, ElementMesh};
use crate::frame::TriangleMesh;
use glam::DVec3;

/// Faces of a tetrahedron of positive volume, counter-clockwise seen from outside.
pub(super) const TETRAHEDRON_FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// Faces of a brick, counter-clockwise seen from outside: corners, and the middle of the edge after
/// each corner.
pub(super) const BRICK_FACES: [[usize; 8]; 6] = [
    [0, 3, 2, 1, 11, 10, 9, 8],
    [4, 5, 6, 7, 12, 13, 14, 15],
    [0, 1, 5, 4, 8, 17, 12, 16],
    [1, 2, 6, 5, 9, 18, 13, 17],
    [2, 3, 7, 6, 10, 19, 14, 18],
    [3, 0, 4, 7, 11, 16, 15, 19],
];

/// Edges of a brick: two corners and the node between them.
pub(super) const BRICK_EDGES: [[usize; 3]; 12] = [
    [0, 1, 8],
    [1, 2, 9],
    [2, 3, 10],
    [3, 0, 11],
    [4, 5, 12],
    [5, 6, 13],
    [6, 7, 14],
    [7, 4, 15],
    [0, 4, 16],
    [1, 5, 17],
    [2, 6, 18],
    [3, 7, 19],
];

/// Volume of the tetrahedron with these corners, negative if it is inside out.
pub fn tetrahedron_volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

/// Signed volume of each tetrahedron of the mesh, block after block, in cubic metres.
pub fn tetrahedron_volumes(mesh: &ElementMesh) -> Vec<f64> {
    let corners = tetrahedra(mesh).map(|nodes| nodes.map(|node| mesh.positions[node as usize]));
    corners.map(tetrahedron_volume).collect()
}

/// The nodes of each tetrahedron of the mesh, block after block.
pub fn tetrahedra(mesh: &ElementMesh) -> impl Iterator<Item = [u32; 4]> {
    let blocks = mesh.blocks.iter();
    let blocks = blocks.filter(|block| block.kind == ElementKind::Tetrahedron4);
    blocks.flat_map(|block| {
        block
            .nodes
            .chunks_exact(4)
            .map(|n| [n[0], n[1], n[2], n[3]])
    })
}

/// Volume within a closed surface, in cubic metres; negative if it is inside out.
pub fn enclosed_volume(surface: &TriangleMesh) -> f64 {
    let centre = surface.positions.first().copied().unwrap_or_default();
    let volume = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|v| surface.positions[v as usize] - centre);
        a.dot(b.cross(c)) / 6.0
    };
    surface.triangles.iter().map(volume).sum()
}

/// Turns every tetrahedron that is inside out, and says how many there were.
pub fn orient_tetrahedra(mesh: &mut ElementMesh) -> usize {
    let mut turned = 0;
    let positions = &mesh.positions;
    for block in &mut mesh.blocks {
        let swapped: &[[usize; 2]] = match block.kind {
            ElementKind::Tetrahedron4 => &[[2, 3]],
            ElementKind::Tetrahedron10 => &[[2, 3], [5, 8], [6, 7]],
            _ => continue,
        };
        for n in block.nodes.chunks_exact_mut(block.kind.node_count()) {
            let corners = std::array::from_fn(|corner| positions[n[corner] as usize]);
            if tetrahedron_volume(corners) < 0.0 {
                swapped.iter().for_each(|&[a, b]| n.swap(a, b));
                turned += 1;
            }
        }
    }
    turned
}

/// Triangles of the boundary: those of solid elements that belong to one element only,
/// counter-clockwise seen from outside, and all of face elements as they lie. Faces with nodes in
/// the middle of their edges are divided at these.
pub fn boundary_triangles(mesh: &ElementMesh) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    let mut faces: Vec<Face> = Vec::new();
    for block in &mesh.blocks {
        match block.kind {
            ElementKind::Line2 => {}
            ElementKind::Tetrahedron4 | ElementKind::Tetrahedron10 => {
                tetrahedron_faces(mesh, block, &mut faces);
            }
            ElementKind::Brick20 => brick_faces(block, &mut faces),
            _ => block
                .elements()
                .for_each(|nodes| divide_face(block.kind, nodes, &mut triangles)),
        }
    }
    let mut order: Vec<u32> = (0..faces.len() as u32).collect();
    order.sort_unstable_by_key(|&face| (faces[face as usize].key, face));
    let mut outer: Vec<u32> = Vec::new();
    for group in order.chunk_by(|&a, &b| faces[a as usize].key == faces[b as usize].key) {
        if let [face] = group {
            outer.push(*face);
        }
    }
    outer.sort_unstable();
    for face in outer {
        match &faces[face as usize].nodes {
            FaceNodes::Triangle(nodes) => triangles.push(*nodes),
            FaceNodes::Six(nodes) => divide_face(ElementKind::Triangle6, nodes, &mut triangles),
            FaceNodes::Eight(n) => {
                let [a, b, c, d, ab, bc, cd, da] = *n;
                triangles.extend([[a, ab, da], [b, bc, ab], [c, cd, bc], [d, da, cd]]);
                triangles.extend([[ab, bc, cd], [ab, cd, da]]);
            }
        }
    }
    triangles
}

/// The boundary triangles as a surface of its own, and the mesh node that each vertex of it is.
pub fn boundary_surface(mesh: &ElementMesh) -> (TriangleMesh, Vec<u32>) {
    let mut triangles = boundary_triangles(mesh);
    let mut used = vec![false; mesh.positions.len()];
    triangles
        .iter()
        .flatten()
        .for_each(|&node| used[node as usize] = true);
    let (kept, number) = renumber(&used);
    for node in triangles.iter_mut().flatten() {
        *node = number[*node as usize];
    }
    let positions = kept
        .iter()
        .map(|&node| mesh.positions[node as usize])
        .collect();
    let surface = TriangleMesh {
        positions,
        triangles,
    };
    (surface, kept)
}

/// Each edge once, lower node first, in order. An edge with a node in its middle counts as two.
pub fn edges(mesh: &ElementMesh) -> Vec<[u32; 2]> {
    let mut edges = Vec::new();
    for block in &mesh.blocks {
        for n in block.elements() {
            let mut add = |a: usize, b: usize| edges.push([n[a].min(n[b]), n[a].max(n[b])]);
            match block.kind {
                ElementKind::Line2 => add(0, 1),
                ElementKind::Tetrahedron4 => {
                    for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                        add(a, b);
                    }
                }
                ElementKind::Triangle3 => (0..3).for_each(|a| add(a, (a + 1) % 3)),
                ElementKind::Quad4 => (0..4).for_each(|a| add(a, (a + 1) % 4)),
                ElementKind::Triangle6 => with_middles(3, add),
                ElementKind::Quad9 => with_middles(4, add),
                ElementKind::Tetrahedron10 => halves(&TETRAHEDRON_EDGES, add),
                ElementKind::Brick20 => halves(&BRICK_EDGES, add),
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Pieces of a mesh that share no node.
#[derive(Clone, Debug, PartialEq)]
pub struct Components {
    /// How many there are.
    pub count: usize,
    /// The component of each node, counted from 0; none for a node that no element uses.
    pub of_node: Vec<Option<u32>>,
}

/// The pieces of the mesh, numbered in the order of their lowest nodes.
pub fn components(mesh: &ElementMesh) -> Components {
    let blocks = mesh.blocks.iter();
    let elements = blocks.flat_map(|block| block.nodes.chunks_exact(block.kind.node_count()));
    connected(mesh.positions.len(), elements)
}

/// Pieces of groups of nodes that share no node.
pub(super) fn connected<'a>(
    node_count: usize,
    groups: impl Iterator<Item = &'a [u32]>,
) -> Components {
    fn root(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            parent[node as usize] = parent[parent[node as usize] as usize];
            node = parent[node as usize];
        }
        node
    }
    let mut parent: Vec<u32> = (0..node_count as u32).collect();
    let mut used = vec![false; node_count];
    for nodes in groups {
        for &node in nodes {
            used[node as usize] = true;
            let (a, b) = (root(&mut parent, nodes[0]), root(&mut parent, node));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut count = 0;
    let mut of_node: Vec<Option<u32>> = vec![None; node_count];
    for node in 0..node_count {
        if !used[node] {
            continue;
        }
        // Roots are the lowest nodes of their pieces, so they come first.
        let first = root(&mut parent, node as u32) as usize;
        of_node[node] = of_node[first].or_else(|| {
            count += 1;
            Some(count as u32 - 1)
        });
    }
    Components { count, of_node }
}

/// Drops nodes that no element uses. Returns the old number of each node that is left.
pub fn compact(mesh: &mut ElementMesh) -> Vec<u32> {
    let mut used = vec![false; mesh.positions.len()];
    let nodes = mesh.blocks.iter().flat_map(|block| &block.nodes);
    nodes.for_each(|&node| used[node as usize] = true);
    let (kept, number) = renumber(&used);
    for node in mesh.blocks.iter_mut().flat_map(|block| &mut block.nodes) {
        *node = number[*node as usize];
    }
    mesh.positions = kept
        .iter()
        .map(|&node| mesh.positions[node as usize])
        .collect();
    kept
}

/// The used nodes, and the place of each node among them.
fn renumber(used: &[bool]) -> (Vec<u32>, Vec<u32>) {
    let mut kept = Vec::new();
    let mut number = vec![u32::MAX; used.len()];
    for (node, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        number[node] = kept.len() as u32;
        kept.push(node as u32);
    }
    (kept, number)
}

fn halves(edges: &[[usize; 3]], mut add: impl FnMut(usize, usize)) {
    for &[a, b, middle] in edges {
        add(a, middle);
        add(middle, b);
    }
}

fn with_middles(corners: usize, mut add: impl FnMut(usize, usize)) {
    for corner in 0..corners {
        add(corner, corners + corner);
        add(corners + corner, (corner + 1) % corners);
    }
}

enum FaceNodes {
    Triangle([u32; 3]),
    /// Three corners, then the middles of the edges after them.
    Six([u32; 6]),
    /// Four corners, then the middles of the edges after them.
    Eight([u32; 8]),
}

struct Face {
    /// The corners in order of number, whichever element the face is seen from.
    key: [u32; 4],
    nodes: FaceNodes,
}

fn tetrahedron_faces(mesh: &ElementMesh, block: &ElementBlock, faces: &mut Vec<Face>) {
    for n in block.elements() {
        let corners = std::array::from_fn(|corner| mesh.positions[n[corner] as usize]);
        let inside_out = tetrahedron_volume(corners) < 0.0;
        for [a, b, c] in TETRAHEDRON_FACES {
            let corners = if inside_out { [a, c, b] } else { [a, b, c] };
            let mut key = [n[a], n[b], n[c], u32::MAX];
            key.sort_unstable();
            let nodes = match block.kind {
                ElementKind::Tetrahedron10 => {
                    FaceNodes::Six(face_with_middles(corners).map(|place| n[place]))
                }
                _ => FaceNodes::Triangle(corners.map(|place| n[place])),
            };
            faces.push(Face { key, nodes });
        }
    }
}

fn brick_faces(block: &ElementBlock, faces: &mut Vec<Face>) {
    for n in block.elements() {
        for face in BRICK_FACES {
            let nodes = face.map(|place| n[place]);
            let mut key = [nodes[0], nodes[1], nodes[2], nodes[3]];
            key.sort_unstable();
            let nodes = FaceNodes::Eight(nodes);
            faces.push(Face { key, nodes });
        }
    }
}

fn divide_face(kind: ElementKind, n: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let division: &[[usize; 3]] = match kind {
        ElementKind::Triangle3 => &[[0, 1, 2]],
        ElementKind::Triangle6 => &[[0, 3, 5], [1, 4, 3], [2, 5, 4], [3, 4, 5]],
        ElementKind::Quad4 => &[[0, 1, 2], [0, 2, 3]],
        ElementKind::Quad9 => &[
            [0, 4, 8],
            [4, 1, 8],
            [1, 5, 8],
            [5, 2, 8],
            [2, 6, 8],
            [6, 3, 8],
            [3, 7, 8],
            [7, 0, 8],
        ],
        ElementKind::Line2
        | ElementKind::Tetrahedron4
        | ElementKind::Tetrahedron10
        | ElementKind::Brick20 => &[],
    };
    triangles.extend(division.iter().map(|places| places.map(|place| n[place])));
}

#[cfg(test)]
mod tests {
    use super::super::lattice::{Division, block, brick20_block, rectangle};
    use super::*;

    /// V - E + F of a closed surface.
    fn euler(triangles: &[[u32; 3]]) -> i64 {
        let mut nodes: Vec<u32> = triangles.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len() as i64 - triangles.len() as i64 / 2
    }

    #[test]
    fn boundary_of_a_block_is_closed_and_outwards() {
        let size = DVec3::new(3.0, 2.0, 1.0);
        for division in [Division::FiveTetrahedra, Division::SixTetrahedra] {
            let mut mesh = block([3, 4, 2], size, division).unwrap();
            let (surface, kept) = boundary_surface(&mesh);
            assert!((enclosed_volume(&surface) - 6.0).abs() < 1e-12);
            assert_eq!(surface.triangles.len(), 2 * 2 * (3 * 4 + 4 * 2 + 3 * 2));
            assert_eq!(euler(&surface.triangles), 2);
            assert_eq!(surface.positions[5], mesh.positions[kept[5] as usize]);
            assert_eq!(orient_tetrahedra(&mut mesh), 0);
            // An element that is inside out still has its faces outwards, and can be turned.
            mesh.blocks[0].nodes.swap(0, 1);
            let (surface, _) = boundary_surface(&mesh);
            assert!((enclosed_volume(&surface) - 6.0).abs() < 1e-12);
            assert_eq!(orient_tetrahedra(&mut mesh), 1);
            let volumes = tetrahedron_volumes(&mesh);
            assert!(volumes.iter().all(|&volume| volume > 0.0));
            assert!((volumes.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        }
        let bricks = brick20_block([2, 1, 3], size).unwrap();
        let (surface, _) = boundary_surface(&bricks);
        assert!((enclosed_volume(&surface) - 6.0).abs() < 1e-12);
        assert_eq!(euler(&surface.triangles), 2);
        assert_eq!(surface.triangles.len(), 6 * 2 * (2 + 3 + 6));
    }

    #[test]
    fn faces_keep_their_area_and_side() {
        for kind in [
            ElementKind::Triangle3,
            ElementKind::Triangle6,
            ElementKind::Quad4,
            ElementKind::Quad9,
        ] {
            let mesh = rectangle(kind, [3, 2], [3.0, 2.0]).unwrap();
            let mut area = 0.0;
            for triangle in boundary_triangles(&mesh) {
                let [a, b, c] = triangle.map(|node| mesh.positions[node as usize]);
                assert!((b - a).cross(c - a).z > 0.0);
                area += 0.5 * (b - a).cross(c - a).z;
            }
            assert!((area - 6.0).abs() < 1e-12, "{kind:?}");
        }
    }

    #[test]
    fn edges_of_one_element() {
        let mesh = block([1, 1, 1], DVec3::ONE, Division::SixTetrahedra).unwrap();
        // Twelve of the cube, a diagonal on each face and one through the middle.
        assert_eq!(edges(&mesh).len(), 19);
        assert_eq!(edges(&brick20_block([1; 3], DVec3::ONE).unwrap()).len(), 24);
    }

    #[test]
    fn pieces_and_unused_nodes() {
        let mut mesh = block([1, 1, 1], DVec3::ONE, Division::FiveTetrahedra).unwrap();
        let mut nodes = mesh.blocks[0].nodes.clone();
        nodes.iter_mut().for_each(|node| *node += 10);
        mesh.positions.extend([DVec3::ZERO; 2]);
        for node in 0..8 {
            mesh.positions.push(mesh.positions[node] + 2.0 * DVec3::X);
        }
        let second = ElementBlock::new(ElementKind::Tetrahedron4, nodes);
        mesh.blocks.push(second);
        let found = components(&mesh);
        assert_eq!(found.count, 2);
        assert_eq!(found.of_node[7..11], [Some(0), None, None, Some(1)]);
        let kept = compact(&mut mesh);
        assert_eq!(kept[7..9], [7, 10]);
        assert_eq!(mesh.positions.len(), 16);
        assert_eq!(mesh.check(), Ok(()));
        assert_eq!(components(&mesh).count, 2);
    }
}
