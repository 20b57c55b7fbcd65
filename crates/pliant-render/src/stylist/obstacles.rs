//! Obstacles, which look much the same in every style.

use super::StyleError;
use super::coloring::Coloring;
use super::crease::{classes_by_angle, sharp_edges};
use super::ground::{is_floor, is_plane};
use super::surface::{SurfacePlan, existing};
use crate::color_map::mix;
use crate::draw_list::{DrawList, LineSet, Mesh, Paint, Shading};
use crate::style::{Look, Style};
use crate::texture::TextureStore;
use glam::DVec3;
use pliant::Frame;
use pliant::frame::TriangleMesh;
use std::sync::Arc;

/// Meshes of obstacles that were made for an earlier frame.
#[derive(Debug, Default)]
pub struct ObstacleMemory {
    known: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    /// Kept, so that no other mesh takes its address.
    source: Arc<TriangleMesh>,
    mesh: Mesh,
    nodes: Vec<u32>,
}

impl ObstacleMemory {
    /// Adds all obstacles of a frame to the list.
    pub fn draw(
        &mut self,
        frame: &Frame,
        style: &Style,
        textures: &TextureStore,
        list: &mut DrawList,
    ) -> Result<(), StyleError> {
        let mut seen = Vec::with_capacity(frame.obstacles.len());
        for obstacle in &frame.obstacles {
            let position = self
                .known
                .iter()
                .position(|known| Arc::ptr_eq(&known.source, &obstacle.mesh));
            let known = match position {
                Some(index) => self.known.swap_remove(index),
                None => Known::new(&obstacle.mesh, list.origin),
            };
            let coloring = Coloring::of(&obstacle.appearance, textures)?;
            let mut mesh = known.mesh.clone();
            match style.look {
                Look::Shaded | Look::Threads | Look::Blobby => {
                    coloring.apply(&mut mesh, &known.nodes);
                }
                // Where bodies are coloured by numbers, other colours only distract.
                _ => {
                    mesh.paint = Paint::Color(mix(coloring.mean(), [0.55; 3], 0.7));
                    mesh.texture_coordinates = Vec::new();
                }
            }
            if style.look == Look::Wireframe {
                let lines = outline(&obstacle.mesh, list.origin);
                if !lines.segments.is_empty() {
                    list.lines.push(lines);
                }
            }
            if !mesh.triangles.is_empty() {
                list.meshes.push(mesh);
            }
            seen.push(known);
        }
        self.known = seen;
        Ok(())
    }
}

impl Known {
    fn new(source: &Arc<TriangleMesh>, origin: DVec3) -> Self {
        let triangles = existing(&source.triangles, source.positions.len());
        let (classes, count) = classes_by_angle(&triangles, &source.positions);
        let plan = SurfacePlan::assemble(&triangles, &classes, count, |index| {
            projected(source, triangles[index])
        });
        let positions = if is_floor(source) {
            widened(&source.positions)
        } else {
            source.positions.clone()
        };
        let mut mesh = plan.mesh(&positions, origin);
        if is_floor(source) {
            // Keeps the picture on the floor as large as it was.
            for coordinates in &mut mesh.texture_coordinates {
                *coordinates = coordinates.map(|x| (x - 0.5) * FLOOR_WIDENING as f32 + 0.5);
            }
        }
        mesh.shading = Shading {
            gloss: if is_plane(source) { 0.0 } else { 0.15 },
            // A floor under everything only shadows itself.
            casts_shadow: !is_plane(source),
            ..Shading::default()
        };
        Self {
            source: Arc::clone(source),
            mesh,
            nodes: plan.nodes,
        }
    }
}

/// A plane has no end; the square that stands for a floor is drawn this much wider, so that its
/// edges look like a horizon.
const FLOOR_WIDENING: f64 = 12.0;

fn widened(positions: &[DVec3]) -> Vec<DVec3> {
    let middle = positions.iter().sum::<DVec3>() / positions.len() as f64;
    positions
        .iter()
        .map(|position| middle + FLOOR_WIDENING * (*position - middle))
        .collect()
}

/// Texture coordinates of a triangle of an obstacle: the picture is laid on from the side that the
/// triangle faces most, as wide as the obstacle.
fn projected(mesh: &TriangleMesh, triangle: [u32; 3]) -> [[f32; 2]; 3] {
    let [a, b, c] = triangle.map(|node| mesh.positions[node as usize]);
    let normal = (b - a).cross(c - a);
    let (low, high) = super::body_memory::bounds(mesh.positions.iter().copied());
    let width = (high - low).max_element();
    let (across, up, mirrored) = match normal.abs().max_position() {
        0 => (1, 2, normal.x < 0.0),
        1 => (0, 2, normal.y > 0.0),
        _ => (0, 1, normal.z < 0.0),
    };
    [a, b, c].map(|corner| {
        let share = |axis: usize| {
            let share = (corner[axis] - low[axis]) / width;
            if share.is_finite() { share } else { 0.0 }
        };
        let u = if mirrored {
            1.0 - share(across)
        } else {
            share(across)
        };
        [u as f32, (1.0 - share(up)) as f32]
    })
}

/// The sharp edges of an obstacle.
fn outline(mesh: &TriangleMesh, origin: DVec3) -> LineSet {
    let triangles = existing(&mesh.triangles, mesh.positions.len());
    let place = |node: u32| {
        let position = mesh.positions.get(node as usize).copied();
        super::surface::relative(position, origin)
    };
    LineSet {
        segments: sharp_edges(&triangles, &mesh.positions)
            .into_iter()
            .map(|edge| edge.map(place))
            .filter(|segment| segment.iter().flatten().all(|x| x.is_finite()))
            .collect(),
        colors: vec![[0.12; 3]],
        width: 1.2,
        lift: 0.001,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::test_frames::obstacle;
    use pliant::obstacle::{Cuboid, ImplicitSurface, Sphere};

    fn drawn(mesh: TriangleMesh) -> Mesh {
        let frame = Frame {
            obstacles: vec![obstacle(mesh)],
            ..Frame::default()
        };
        let mut list = DrawList::default();
        let mut memory = ObstacleMemory::default();
        memory
            .draw(
                &frame,
                &Style::default(),
                &TextureStore::default(),
                &mut list,
            )
            .unwrap();
        assert_eq!(memory.known.len(), 1);
        list.meshes.remove(0)
    }

    #[test]
    fn balls_are_smooth_and_boxes_sharp() {
        let ball = drawn(Sphere::new(DVec3::ZERO, 2.0).unwrap().mesh(1.0, 24));
        for (position, normal) in ball.positions.iter().zip(&ball.normals) {
            for d in 0..3 {
                assert!((position[d] / 2.0 - normal[d]).abs() < 0.02);
            }
        }
        let cuboid = Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap();
        let block = drawn(cuboid.mesh(1.0, 24));
        for normal in &block.normals {
            assert!(normal.iter().any(|x| x.abs() > 0.999), "{normal:?}");
        }
    }

    #[test]
    fn floors_reach_to_the_horizon_with_the_same_picture() {
        let plane = pliant::obstacle::Plane::new(DVec3::Z, DVec3::X).unwrap();
        let floor = drawn(plane.mesh(1.0, 8));
        let width = |list: Vec<f32>| {
            list.iter().fold(0.0, |w: f32, &x| w.max(x))
                - list.iter().fold(9e9, |w: f32, &x| w.min(x))
        };
        assert_eq!(width(floor.positions.iter().map(|p| p[0]).collect()), 240.0);
        assert!(floor.positions.iter().all(|p| p[2] == 0.0));
    }

    #[test]
    fn broken_meshes_are_survived() {
        let mesh = TriangleMesh {
            positions: vec![DVec3::ZERO, DVec3::NAN, DVec3::X, DVec3::Y],
            triangles: vec![[0, 1, 2], [0, 2, 3], [5, 6, 7]],
        };
        assert_eq!(drawn(mesh).triangles.len(), 1);
    }
}
