//! A surface as it is drawn: which vertices it has, and which of them share a normal.
//!
//! A node has several vertices where a crease needs several normals, or where a texture begins and
//! ends. All of this depends on the topology alone and is made once for it.

use super::crease::{SideCreases, corner_classes};
use crate::draw_list::Mesh;
use crate::normals::class_normals;
use glam::DVec3;
use pliant::frame::Topology;
use pliant::image_layout::{ImageLayout, Kind, Material};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The vertices and triangles that a surface is drawn with.
#[derive(Clone, Debug)]
pub struct SurfacePlan {
    /// The triangles by their nodes; those with nodes that do not exist are left out.
    pub node_triangles: Vec<[u32; 3]>,
    /// Which normal each corner has.
    pub corner_classes: Vec<[u32; 3]>,
    /// How many normals there are.
    pub class_count: usize,
    /// The triangles by their vertices.
    pub triangles: Vec<[u32; 3]>,
    /// The node of each vertex.
    pub nodes: Vec<u32>,
    /// The normal of each vertex.
    pub classes: Vec<u32>,
    /// Texture coordinates of each vertex.
    pub texture_coordinates: Vec<[f32; 2]>,
    /// Whether it is a sheet with two sides that can both be seen.
    pub sheet: bool,
    boundary: OnceLock<Vec<[u32; 2]>>,
}

impl SurfacePlan {
    /// The plan for a body that had `positions` when it was first seen. `creases` are those it had
    /// then; the first plan of a block sets them. Pictures lie where a file says; else over the material
    /// coordinates; over the sides of the first shape if there are none or if a picture has a width in
    /// metres.
    pub fn new(
        topology: &Topology,
        positions: &[DVec3],
        creases: &mut Option<SideCreases>,
        image: &ImageLayout,
    ) -> Self {
        let node_triangles = existing(&topology.triangles, positions.len());
        let material = Material::new(topology, &node_triangles);
        if material.kind == Kind::Block && creases.is_none() {
            *creases = Some(SideCreases::measure(&material, &node_triangles, positions));
        }
        let (classes, class_count) =
            corner_classes(&material, creases.as_ref(), &node_triangles, positions);
        let corners = image.corners(&material, &node_triangles, positions);
        let textures = |index: usize| corners[index].map(texture_coordinates);
        let mut plan = Self::assemble(&node_triangles, &classes, class_count, textures);
        let hollow = topology.hexahedra.is_empty() && topology.tetrahedra.is_empty();
        plan.sheet = hollow && material.kind != Kind::Block;
        plan
    }

    /// Makes vertices of corners: one for each normal and each pair of texture coordinates.
    pub fn assemble(
        node_triangles: &[[u32; 3]],
        corner_classes: &[[u32; 3]],
        class_count: usize,
        texture_coordinates: impl Fn(usize) -> [[f32; 2]; 3],
    ) -> Self {
        let mut plan = Self {
            node_triangles: node_triangles.to_vec(),
            corner_classes: corner_classes.to_vec(),
            class_count,
            triangles: Vec::with_capacity(node_triangles.len()),
            nodes: Vec::new(),
            classes: Vec::new(),
            texture_coordinates: Vec::new(),
            sheet: true,
            boundary: OnceLock::new(),
        };
        // Most classes have a single vertex; only those at seams are looked up.
        let mut first = vec![u32::MAX; class_count];
        let mut others: HashMap<(u32, [u32; 2]), u32> = HashMap::new();
        for (index, (nodes, classes)) in node_triangles.iter().zip(corner_classes).enumerate() {
            let coordinates = texture_coordinates(index);
            let triangle = std::array::from_fn(|k| {
                let next = plan.nodes.len() as u32;
                let slot = &mut first[classes[k] as usize];
                let vertex = if *slot == u32::MAX {
                    *slot = next;
                    next
                } else if plan.texture_coordinates[*slot as usize] == coordinates[k] {
                    *slot
                } else {
                    let bits = coordinates[k].map(f32::to_bits);
                    *others.entry((classes[k], bits)).or_insert(next)
                };
                if vertex == next {
                    plan.nodes.push(nodes[k]);
                    plan.classes.push(classes[k]);
                    plan.texture_coordinates.push(coordinates[k]);
                }
                vertex
            });
            plan.triangles.push(triangle);
        }
        plan
    }

    /// The edges that only one triangle has, as pairs of vertices in the order of the triangle.
    pub fn boundary(&self) -> &[[u32; 2]] {
        self.boundary.get_or_init(|| {
            let mut uses: Vec<(u64, [u32; 2])> = Vec::with_capacity(3 * self.triangles.len());
            for (nodes, vertices) in self.node_triangles.iter().zip(&self.triangles) {
                for (start, end) in [(0, 1), (1, 2), (2, 0)] {
                    let (a, b) = (nodes[start], nodes[end]);
                    let key = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
                    uses.push((key, [vertices[start], vertices[end]]));
                }
            }
            uses.sort_unstable_by_key(|&(key, _)| key);
            uses.chunk_by(|a, b| a.0 == b.0)
                .filter(|same| same.len() == 1)
                .map(|same| same[0].1)
                .collect()
        })
    }

    /// The mesh of the surface with its nodes at `positions`, relative to `origin`. Triangles at
    /// nodes that are nowhere are left out.
    pub fn mesh(&self, positions: &[DVec3], origin: DVec3) -> Mesh {
        let mut normals = Vec::new();
        class_normals(
            positions,
            &self.node_triangles,
            &self.corner_classes,
            &mut normals,
            self.class_count,
        );
        let place = |&node: &u32| relative(positions.get(node as usize).copied(), origin);
        let placed: Vec<[f32; 3]> = self.nodes.iter().map(place).collect();
        let whole = placed.iter().flatten().all(|x| x.is_finite());
        let mut mesh = Mesh {
            positions: placed,
            normals: self
                .classes
                .iter()
                .map(|&class| normals[class as usize].as_vec3().to_array())
                .collect(),
            texture_coordinates: self.texture_coordinates.clone(),
            triangles: self.triangles.clone(),
            ..Mesh::default()
        };
        if !whole {
            leave_out_nowhere(&mut mesh);
        }
        mesh
    }
}

/// A place on an image as texture coordinates, which have the first row of pixels at the top.
pub fn texture_coordinates([u, v]: [f64; 2]) -> [f32; 2] {
    [u as f32, (1.0 - v) as f32]
}

/// A position in single precision, relative to `origin`; not finite if there is none.
pub fn relative(position: Option<DVec3>, origin: DVec3) -> [f32; 3] {
    position.map_or([f32::NAN; 3], |p| (p - origin).as_vec3().to_array())
}

/// The triangles all of whose nodes exist.
pub fn existing(triangles: &[[u32; 3]], node_count: usize) -> Vec<[u32; 3]> {
    triangles
        .iter()
        .copied()
        .filter(|nodes| nodes.iter().all(|&node| (node as usize) < node_count))
        .collect()
}

/// Drops triangles at vertices that are nowhere, and puts those vertices somewhere.
fn leave_out_nowhere(mesh: &mut Mesh) {
    let positions = &mesh.positions;
    let there = |vertex: u32| positions[vertex as usize].iter().all(|x| x.is_finite());
    mesh.triangles
        .retain(|triangle| triangle.iter().all(|&vertex| there(vertex)));
    for position in &mut mesh.positions {
        if !position.iter().all(|x| x.is_finite()) {
            *position = [0.0; 3];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Grid;
    use pliant::grid::grid_topology;
    use std::f64::consts::TAU;

    fn tube_plan(round: usize, along: usize) -> (SurfacePlan, Vec<DVec3>) {
        let grid = Grid::new(&[round, along], &[true, false]);
        let positions: Vec<DVec3> = grid
            .nodes()
            .map(|node| {
                let [u, v, _] = grid.material_coordinates(node);
                DVec3::new((TAU * u).cos(), (TAU * u).sin(), v)
            })
            .collect();
        let plan = SurfacePlan::new(
            &grid_topology(&grid),
            &positions,
            &mut None,
            &ImageLayout::default(),
        );
        (plan, positions)
    }

    #[test]
    fn a_seam_has_its_vertices_twice_and_its_normals_once() {
        let (plan, positions) = tube_plan(8, 3);
        assert_eq!(plan.nodes.len(), 8 * 3 + 3);
        let mesh = plan.mesh(&positions, DVec3::ZERO);
        // No triangle is wider than a cell in the texture, and the last cell ends at 1.
        let mut largest: f32 = 0.0;
        for triangle in &mesh.triangles {
            let u = triangle.map(|vertex| mesh.texture_coordinates[vertex as usize][0]);
            let width = u[0].max(u[1]).max(u[2]) - u[0].min(u[1]).min(u[2]);
            assert!((width - 0.125).abs() < 1e-6, "{u:?}");
            largest = largest.max(u[0]).max(u[1]).max(u[2]);
        }
        assert_eq!(largest, 1.0);
        for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
            let along = position[0] * normal[0] + position[1] * normal[1];
            assert!((along - 1.0).abs() < 1e-6, "{normal:?} at {position:?}");
        }
    }

    #[test]
    fn a_box_keeps_its_edges_when_it_is_squeezed_flat() {
        let grid = Grid::new(&[3; 3], &[false; 3]);
        let topology = grid_topology(&grid);
        let rest: Vec<DVec3> = grid
            .nodes()
            .map(|node| DVec3::from(grid.material_coordinates(node)))
            .collect();
        let mut creases = None;
        let plan = SurfacePlan::new(&topology, &rest, &mut creases, &ImageLayout::default());
        assert!(!plan.sheet);
        let mesh = plan.mesh(&rest, DVec3::ZERO);
        for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
            // Each normal is that of one side, on which the position lies.
            let axis = (0..3).find(|&d| normal[d].abs() > 0.999).unwrap();
            assert_eq!(position[axis], if normal[axis] > 0.0 { 1.0 } else { 0.0 });
        }
        // Torn: a cell is gone. Measured anew nothing would be known of the first shape.
        let mut torn = topology.clone();
        torn.triangles.truncate(20);
        let again = SurfacePlan::new(&torn, &rest, &mut creases.clone(), &ImageLayout::default());
        assert!(again.class_count > 0 && creases.is_some());
    }

    #[test]
    fn nodes_that_are_nowhere_and_nodes_that_do_not_exist_are_left_out() {
        let grid = Grid::new(&[3, 3], &[false; 2]);
        let mut topology = grid_topology(&grid);
        topology.triangles.push([0, 1, 77]);
        let mut positions: Vec<DVec3> = grid
            .nodes()
            .map(|node| DVec3::from(grid.material_coordinates(node)))
            .collect();
        let plan = SurfacePlan::new(&topology, &positions, &mut None, &ImageLayout::default());
        assert_eq!(plan.triangles.len(), 8);
        positions[0].y = f64::NAN;
        let mesh = plan.mesh(&positions, DVec3::ZERO);
        assert_eq!(mesh.triangles.len(), 6);
        let finite = |list: &[[f32; 3]]| list.iter().flatten().all(|x| x.is_finite());
        assert!(finite(&mesh.positions) && finite(&mesh.normals));
        // Fewer positions than the plan was made for.
        assert!(plan.mesh(&positions[..4], DVec3::ZERO).triangles.len() < 6);
    }
}
