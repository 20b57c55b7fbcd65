//! A fine surface carried by a coarse mesh of tetrahedra.
//!
//! Each fine vertex keeps the tetrahedron that holds it, or else the one nearest to it, and its
//! barycentric coordinates there: x = Σ wᵢ xᵢ with Σ wᵢ = 1. A vertex outside has negative
//! coordinates, so that every affine motion of the mesh moves the surface exactly.

use super::boundary::tetrahedra;
use super::triangle_tree::TriangleTree;
use super::{ElementKind, ElementMesh, MeshMakeError};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Where fine vertices lie in a mesh of tetrahedra.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// The nodes of each vertex's tetrahedron.
    pub nodes: Vec<[u32; 4]>,
    /// Barycentric coordinates of each vertex.
    pub weights: Vec<[f64; 4]>,
    /// The largest distance of a vertex from the mesh, in metres; 0 if all are inside.
    pub farthest: f64,
}

impl Embedding {
    /// Finds where `points` lie in the tetrahedra of `mesh`.
    pub fn new(mesh: &ElementMesh, points: &[DVec3]) -> Result<Self, MeshMakeError> {
        if mesh.elements_of(ElementKind::Tetrahedron4) == 0 {
            return Err(MeshMakeError::NoTetrahedra);
        }
        mesh.check()?;
        let search = Search::new(mesh)?;
        let found: Vec<Place> = points
            .par_iter()
            .with_min_len(256)
            .map(|&point| search.place(point))
            .collect();
        Ok(Self {
            nodes: found.iter().map(|p| search.cells[p.cell].nodes).collect(),
            weights: found.iter().map(|place| place.weights).collect(),
            farthest: found.iter().fold(0.0, |far, p| far.max(p.distance)),
        })
    }

    /// Number of fine vertices.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Carries what the mesh nodes have (positions, velocities) over to the fine vertices. `out`
    /// has one entry for each of them; entries beyond are left alone.
    pub fn apply(&self, positions: &[DVec3], out: &mut [DVec3]) {
        out.par_iter_mut()
            .zip(self.nodes.par_iter().zip(&self.weights))
            .with_min_len(4096)
            .for_each(|(out, (nodes, weights))| {
                *out = (0..4)
                    .map(|n| weights[n] * positions[nodes[n] as usize])
                    .sum();
            });
    }

    /// Adds forces at the fine vertices to the mesh nodes that carry them: the same work, the same
    /// sum.
    pub fn spread(&self, forces: &[DVec3], nodal_forces: &mut [DVec3]) {
        for ((nodes, weights), &force) in self.nodes.iter().zip(&self.weights).zip(forces) {
            for n in 0..4 {
                nodal_forces[nodes[n] as usize] += weights[n] * force;
            }
        }
    }
}

struct Place {
    cell: usize,
    weights: [f64; 4],
    distance: f64,
}

/// A tetrahedron and the map from space to its barycentric coordinates.
struct Cell {
    nodes: [u32; 4],
    origin: DVec3,
    inverse: DMat3,
}

impl Cell {
    /// The coordinates of a point; all are positive inside.
    fn weights(&self, p: DVec3) -> [f64; 4] {
        let w = self.inverse * (p - self.origin);
        [1.0 - w.x - w.y - w.z, w.x, w.y, w.z]
    }
}

/// Tetrahedra by the boxes of a grid, and the boundary for points outside.
struct Search {
    cells: Vec<Cell>,
    lowest: DVec3,
    box_size: f64,
    counts: [usize; 3],
    /// Where the list of each box starts in `listed`.
    starts: Vec<u32>,
    listed: Vec<u32>,
    boundary: TriangleTree,
    boundary_cells: Vec<u32>,
}

impl Search {
    fn new(mesh: &ElementMesh) -> Result<Self, MeshMakeError> {
        let mut cells = Vec::new();
        let mut extents = Vec::new();
        for nodes in tetrahedra(mesh) {
            let [a, b, c, d] = nodes.map(|node| mesh.positions[node as usize]);
            let inverse = DMat3::from_cols(b - a, c - a, d - a).inverse();
            if inverse.is_finite() {
                let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
                extents.push((low, high));
                cells.push(Cell {
                    nodes,
                    origin: a,
                    inverse,
                });
            }
        }
        if cells.is_empty() {
            return Err(MeshMakeError::NoTetrahedra);
        }
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (lowest, highest) = extents
            .iter()
            .fold(none, |b, e| (b.0.min(e.0), b.1.max(e.1)));
        let mean = extents
            .iter()
            .map(|e| (e.1 - e.0).max_element())
            .sum::<f64>();
        // Boxes as large as a tetrahedron, but not many more boxes than tetrahedra.
        let extent = highest - lowest;
        let fair = (extent.x * extent.y * extent.z / (4.0 * cells.len() as f64)).cbrt();
        let longest = extent.max_element() / 1000.0;
        let box_size = (mean / cells.len() as f64).max(fair).max(longest);
        let mut search = Self {
            lowest,
            box_size,
            counts: (extent / box_size).to_array().map(|n| n as usize + 1),
            starts: Vec::new(),
            listed: Vec::new(),
            boundary: TriangleTree::new(&[]),
            boundary_cells: Vec::new(),
            cells,
        };
        search.list(&extents);
        search.find_boundary(mesh);
        Ok(search)
    }

    fn box_of(&self, p: DVec3) -> [usize; 3] {
        let place = ((p - self.lowest) / self.box_size).to_array();
        std::array::from_fn(|axis| (place[axis].max(0.0) as usize).min(self.counts[axis] - 1))
    }

    fn list(&mut self, extents: &[(DVec3, DVec3)]) {
        let [nx, ny, nz] = self.counts;
        let boxes = |search: &Self, extent: &(DVec3, DVec3)| {
            let (a, b) = (search.box_of(extent.0), search.box_of(extent.1));
            let mut found = Vec::new();
            for k in a[2]..=b[2] {
                for j in a[1]..=b[1] {
                    found.extend((a[0]..=b[0]).map(|i| i + nx * (j + ny * k)));
                }
            }
            found
        };
        let mut starts = vec![0u32; nx * ny * nz + 1];
        for extent in extents {
            for place in boxes(self, extent) {
                starts[place + 1] += 1;
            }
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut listed = vec![0u32; starts[starts.len() - 1] as usize];
        for (cell, extent) in extents.iter().enumerate() {
            for place in boxes(self, extent) {
                listed[next[place] as usize] = cell as u32;
                next[place] += 1;
            }
        }
        (self.starts, self.listed) = (starts, listed);
    }

    /// The faces that belong to one tetrahedron only.
    fn find_boundary(&mut self, mesh: &ElementMesh) {
        let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * self.cells.len());
        for (cell, found) in self.cells.iter().enumerate() {
            for left_out in 0..4 {
                let n = found.nodes;
                let mut face = [1, 2, 3].map(|turn| n[(left_out + turn) % 4]);
                face.sort_unstable();
                faces.push((face, cell as u32));
            }
        }
        faces.sort_unstable();
        let mut triangles = Vec::new();
        for group in faces.chunk_by(|a, b| a.0 == b.0) {
            if let [(face, cell)] = group {
                triangles.push(face.map(|node| mesh.positions[node as usize]));
                self.boundary_cells.push(*cell);
            }
        }
        self.boundary = TriangleTree::new(&triangles);
    }

    fn place(&self, p: DVec3) -> Place {
        let [nx, ny, _] = self.counts;
        let [i, j, k] = self.box_of(p);
        let place = i + nx * (j + ny * k);
        let range = self.starts[place] as usize..self.starts[place + 1] as usize;
        let mut best: Option<(f64, usize)> = None;
        for &cell in &self.listed[range] {
            let weights = self.cells[cell as usize].weights(p);
            let least = weights.into_iter().fold(f64::INFINITY, f64::min);
            if best.is_none_or(|best| least > best.0) {
                best = Some((least, cell as usize));
            }
        }
        if let Some((least, cell)) = best
            && least >= -1e-12
        {
            return Place {
                cell,
                weights: self.cells[cell].weights(p),
                distance: 0.0,
            };
        }
        let nearest = self.boundary.nearest(p);
        let (cell, distance) = nearest.map_or((0, f64::INFINITY), |nearest| {
            let cell = self.boundary_cells[nearest.triangle] as usize;
            (cell, nearest.distance_squared.sqrt())
        });
        Place {
            cell,
            weights: self.cells[cell].weights(p),
            distance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Solid, fill, skin};
    use super::*;

    fn ball_and_skin() -> (ElementMesh, Vec<DVec3>) {
        let ball = Solid::Sphere {
            centre: DVec3::new(0.3, -0.2, 0.1),
            radius: 1.0,
        };
        let mesh = fill(&ball, 0.4).unwrap();
        (mesh, skin(&ball, 0.1).unwrap().positions)
    }

    #[test]
    fn rest_positions_and_affine_maps_are_reproduced() {
        let (mesh, points) = ball_and_skin();
        let embedding = Embedding::new(&mesh, &points).unwrap();
        // The skin stands out beyond the coarse mesh, by the height of an arc over its chord.
        assert!(embedding.farthest > 1e-4 && embedding.farthest < 0.06);
        let columns = [[1.2, 0.3, 0.0], [-0.4, 0.9, 0.2], [0.1, 0.0, 1.7]];
        let stretch = DMat3::from_cols_array_2d(&columns);
        let shift = DVec3::new(3.0, -1.0, 2.0);
        for map in [DMat3::IDENTITY, stretch] {
            let moved: Vec<DVec3> = mesh.positions.iter().map(|&x| map * x + shift).collect();
            let mut out = vec![DVec3::ZERO; embedding.len()];
            embedding.apply(&moved, &mut out);
            for (&x, &y) in points.iter().zip(&out) {
                assert!(y.distance(map * x + shift) < 1e-12);
            }
        }
    }

    #[test]
    fn points_inside_are_held_by_their_tetrahedron() {
        let (mesh, _) = ball_and_skin();
        let middle = |nodes: [u32; 4]| -> DVec3 {
            nodes
                .map(|n| mesh.positions[n as usize])
                .iter()
                .sum::<DVec3>()
                / 4.0
        };
        let points: Vec<DVec3> = tetrahedra(&mesh).map(middle).collect();
        let embedding = Embedding::new(&mesh, &points).unwrap();
        assert_eq!(embedding.farthest, 0.0);
        for (nodes, (found, weights)) in
            tetrahedra(&mesh).zip(embedding.nodes.iter().zip(&embedding.weights))
        {
            assert_eq!(nodes, *found);
            assert!(weights.iter().all(|w| (w - 0.25).abs() < 1e-9));
        }
    }

    /// Forces that are spread do the work that they did on the fine surface, for any motion.
    #[test]
    fn spread_forces_do_the_same_work() {
        let (mesh, points) = ball_and_skin();
        let embedding = Embedding::new(&mesh, &points).unwrap();
        let velocity: Vec<DVec3> = mesh.positions.iter().map(|x| x.cross(*x * *x)).collect();
        let forces: Vec<DVec3> = points.iter().map(|x| DVec3::new(x.y, -x.z, x.x)).collect();
        let mut fine = vec![DVec3::ZERO; points.len()];
        embedding.apply(&velocity, &mut fine);
        let mut nodal = vec![DVec3::ZERO; mesh.positions.len()];
        embedding.spread(&forces, &mut nodal);
        let work =
            |f: &[DVec3], v: &[DVec3]| -> f64 { f.iter().zip(v).map(|(f, v)| f.dot(*v)).sum() };
        let (a, b) = (work(&forces, &fine), work(&nodal, &velocity));
        assert!((a - b).abs() < 1e-10 * forces.len() as f64, "{a} {b}");
    }

    #[test]
    fn a_mesh_without_tetrahedra_is_refused() {
        let empty = Embedding::new(&ElementMesh::default(), &[DVec3::ZERO]);
        assert_eq!(empty, Err(MeshMakeError::NoTetrahedra));
    }
}
