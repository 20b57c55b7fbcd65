//! A draw list as vertex buffers: plain numbers, so that any graphics card, and WebGL 2, can draw them.
//!
//! Meshes become triangles, a segment of a line becomes a quad that faces the eye, a sphere becomes a
//! quad that is shaded as a ball. What the processor draws of the same list, the card draws.

use pliant_render::{DrawList, LineSet, Mesh, Paint, SphereSet, Texture};
use std::ops::Range;
use std::sync::Arc;

/// Numbers per vertex of a mesh: position, normal, texture coordinates, colour.
pub const MESH_FLOATS: usize = 11;

/// Numbers per vertex of a line: both ends, colour, which end and side, width, lift.
pub const LINE_FLOATS: usize = 13;

/// Numbers per vertex of a sphere: centre, radius, colour, corner.
pub const SPHERE_FLOATS: usize = 9;

/// A draw list as numbers.
#[derive(Clone, Debug, Default)]
pub struct Vertices {
    /// Vertices of meshes.
    pub mesh: Vec<f32>,
    /// Indices into them.
    pub mesh_indices: Vec<u32>,
    /// What is drawn with one look: those that hide what is behind them first, then those that do not.
    pub batches: Vec<Batch>,
    /// Vertices of lines.
    pub lines: Vec<f32>,
    /// Indices into them.
    pub line_indices: Vec<u32>,
    /// Vertices of spheres.
    pub spheres: Vec<f32>,
    /// Indices into them.
    pub sphere_indices: Vec<u32>,
    /// Lowest and highest corner of all that is drawn but floors, relative to the origin of the list.
    pub bounds: Option<[[f32; 3]; 2]>,
}

/// Triangles with one look.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its indices.
    pub indices: Range<u32>,
    /// Its numbers, as the shader takes them: see `Look` in `window/shader.wgsl`.
    pub look: [f32; 16],
    /// Its picture, if it has one.
    pub texture: Option<Arc<Texture>>,
    /// Whether it throws a shadow.
    pub casts_shadow: bool,
    /// Whether what lies behind shines through.
    pub is_transparent: bool,
}

/// Where the colour of a batch comes from, as the shader knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum PaintKind {
    Vertices = 0,
    Texture = 1,
    Grid = 2,
}

impl Vertices {
    /// The numbers of a list.
    pub fn new(list: &DrawList) -> Self {
        let mut vertices = Self::default();
        let mut transparent = Vec::new();
        for mesh in &list.meshes {
            let batch = vertices.add_mesh(mesh);
            match batch.is_transparent {
                false => vertices.batches.push(batch),
                true => transparent.push(batch),
            }
        }
        vertices.batches.append(&mut transparent);
        list.lines.iter().for_each(|set| vertices.add_lines(set));
        list.spheres
            .iter()
            .for_each(|set| vertices.add_spheres(set));
        vertices
    }

    fn widen(&mut self, place: [f32; 3], by: f32) {
        if !place.iter().all(|number| number.is_finite()) {
            return;
        }
        let [low, high] = self.bounds.get_or_insert([place; 2]);
        for axis in 0..3 {
            low[axis] = low[axis].min(place[axis] - by);
            high[axis] = high[axis].max(place[axis] + by);
        }
    }

    fn add_mesh(&mut self, mesh: &Mesh) -> Batch {
        let first = (self.mesh.len() / MESH_FLOATS) as u32;
        let (kind, plain) = match &mesh.paint {
            Paint::Color(color) => (PaintKind::Vertices, *color),
            Paint::Vertices => (PaintKind::Vertices, [0.7; 3]),
            Paint::Texture(_) => (PaintKind::Texture, [1.0; 3]),
            Paint::Grid(color) => (PaintKind::Grid, *color),
        };
        let has_colors = matches!(mesh.paint, Paint::Vertices);
        self.mesh.reserve(mesh.positions.len() * MESH_FLOATS);
        for (index, &position) in mesh.positions.iter().enumerate() {
            let normal = mesh.normals.get(index).copied().unwrap_or([0.0, 0.0, 1.0]);
            let place = mesh.texture_coordinates.get(index).copied();
            let painted = mesh.colors.get(index).copied().filter(|_| has_colors);
            self.mesh.extend(position);
            self.mesh.extend(normal);
            self.mesh.extend(place.unwrap_or_default());
            self.mesh.extend(painted.unwrap_or(plain));
            if !mesh.shading.fades {
                self.widen(position, 0.0);
            }
        }
        let count = mesh.positions.len() as u32;
        let start = self.mesh_indices.len() as u32;
        let sound = |triangle: &&[u32; 3]| triangle.iter().all(|corner| *corner < count);
        for triangle in mesh.triangles.iter().filter(sound) {
            self.mesh_indices
                .extend(triangle.map(|corner| first + corner));
        }
        let shading = &mesh.shading;
        let finish = &shading.finish;
        let [red, green, blue] = shading.back_tint;
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        Batch {
            indices: start..self.mesh_indices.len() as u32,
            look: [
                f32::from(kind as u8),
                flag(shading.two_sided),
                flag(shading.fades),
                shading.opacity,
                red,
                green,
                blue,
                shading.lift,
                finish.roughness,
                finish.metallic,
                finish.sheen,
                finish.subsurface,
                finish.glow,
                0.0,
                0.0,
                0.0,
            ],
            texture: match &mesh.paint {
                Paint::Texture(texture) => Some(Arc::clone(texture)),
                _ => None,
            },
            casts_shadow: shading.casts_shadow && shading.opacity >= 1.0,
            is_transparent: shading.opacity < 1.0,
        }
    }

    fn add_lines(&mut self, set: &LineSet) {
        for (index, [start, end]) in set.segments.iter().enumerate() {
            let color = serves(&set.colors, index).unwrap_or([0.1; 3]);
            self.widen(*start, 0.0);
            self.widen(*end, 0.0);
            for (which, side) in [(0.0, -1.0), (0.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                self.lines.extend(start);
                self.lines.extend(end);
                self.lines.extend(color);
                self.lines.extend([which, side, set.width, set.lift]);
            }
            quad(&mut self.line_indices, index_of(&self.lines, LINE_FLOATS));
        }
    }

    fn add_spheres(&mut self, set: &SphereSet) {
        for (index, center) in set.centers.iter().enumerate() {
            let color = serves(&set.colors, index).unwrap_or([0.5; 3]);
            let radius = serves(&set.radii, index).unwrap_or_default();
            self.widen(*center, radius);
            for corner in [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]] {
                self.spheres.extend(center);
                self.spheres.push(radius);
                self.spheres.extend(color);
                self.spheres.extend(corner);
            }
            quad(
                &mut self.sphere_indices,
                index_of(&self.spheres, SPHERE_FLOATS),
            );
        }
    }
}

/// The entry of an index; a single one serves all.
fn serves<T: Copy>(entries: &[T], index: usize) -> Option<T> {
    entries.get(index).or(entries.first()).copied()
}

/// The first of the last four vertices.
fn index_of(numbers: &[f32], per_vertex: usize) -> u32 {
    (numbers.len() / per_vertex) as u32 - 4
}

fn quad(indices: &mut Vec<u32>, first: u32) {
    indices.extend([0, 1, 2, 2, 1, 3].map(|corner: u32| first + corner));
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_render::Shading;

    fn triangle(paint: Paint) -> Mesh {
        Mesh {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            colors: vec![[0.1, 0.2, 0.3]; 3],
            triangles: vec![[0, 1, 2], [0, 1, 9]],
            paint,
            ..Mesh::default()
        }
    }

    #[test]
    fn meshes_follow_each_other_and_transparent_ones_come_last() {
        let mut glass = triangle(Paint::Vertices);
        glass.shading = Shading {
            opacity: 0.5,
            ..Shading::default()
        };
        let list = DrawList {
            meshes: vec![glass, triangle(Paint::Color([0.9, 0.8, 0.7]))],
            ..DrawList::default()
        };
        let vertices = Vertices::new(&list);
        assert_eq!(vertices.mesh.len(), 6 * MESH_FLOATS);
        // A triangle whose corner is not there is left out.
        assert_eq!(vertices.mesh_indices, [0, 1, 2, 3, 4, 5]);
        let [solid, glass] = &vertices.batches[..] else {
            panic!("two batches");
        };
        assert_eq!((solid.indices.clone(), glass.indices.clone()), (3..6, 0..3));
        assert!(glass.is_transparent && !glass.casts_shadow && solid.casts_shadow);
        assert_eq!(vertices.mesh[8..11], [0.1, 0.2, 0.3]);
        let second = 3 * MESH_FLOATS + 8;
        assert_eq!(vertices.mesh[second..second + 3], [0.9, 0.8, 0.7]);
        assert_eq!(vertices.bounds, Some([[0.0; 3], [1.0, 2.0, 0.0]]));
    }

    #[test]
    fn lines_and_spheres_become_quads() {
        let list = DrawList {
            lines: vec![LineSet {
                segments: vec![[[0.0; 3], [1.0; 3]]; 3],
                colors: vec![[1.0, 0.0, 0.0]],
                width: 2.0,
                lift: 0.01,
            }],
            spheres: vec![SphereSet {
                centers: vec![[0.0, 0.0, 5.0]; 2],
                radii: vec![0.5, 2.0],
                colors: Vec::new(),
                ..SphereSet::default()
            }],
            ..DrawList::default()
        };
        let vertices = Vertices::new(&list);
        assert_eq!(vertices.lines.len(), 12 * LINE_FLOATS);
        assert_eq!(vertices.line_indices.len(), 18);
        assert_eq!(vertices.line_indices[12..], [8, 9, 10, 10, 9, 11]);
        assert_eq!(vertices.spheres.len(), 8 * SPHERE_FLOATS);
        assert_eq!(vertices.sphere_indices.last(), Some(&7));
        assert_eq!(vertices.bounds.unwrap()[1], [2.0, 2.0, 7.0]);
    }
}
