//! Obstacles, which look much the same in every style.

use super::StyleError;
use super::coloring::Coloring;
use super::crease::{classes_by_angle, sharp_edges};
use super::finish;
use super::ground::{is_floor, is_plane, size};
use super::surface::{SurfacePlan, existing, texture_coordinates};
use crate::color_map::mix;
use crate::draw_list::{DrawList, Finish, LineSet, Mesh, Paint, Shading};
use crate::style::{Look, Style};
use crate::texture::TextureStore;
use glam::DVec3;
use pliant::Frame;
use pliant::frame::{BaseColor, FrameObstacle, TriangleMesh};
use pliant::image_layout::BoxProjection;
use std::collections::HashMap;
use std::sync::Arc;

/// Texture coordinates of the corners of triangles.
type Laid = Vec<[[f32; 2]; 3]>;

/// What is remembered of obstacles from one frame to the next.
#[derive(Debug, Default)]
pub struct ObstacleMemory {
    /// Meshes that were made for an earlier frame.
    known: Vec<Known>,
    /// How images lie on obstacles as they were first seen, by name and number of triangles: they turn
    /// with what they lie on.
    laid: HashMap<(Arc<str>, usize), Laid>,
    /// Size of the scene as it was first seen, in metres.
    scene_size: Option<f64>,
}

#[derive(Debug)]
struct Known {
    /// Kept, so that no other mesh takes its address.
    source: Arc<TriangleMesh>,
    mesh: Mesh,
    nodes: Vec<u32>,
}

impl ObstacleMemory {
    /// Sees the obstacles of a frame without drawing them.
    pub fn meet(&mut self, frame: &Frame) {
        let scene_size = *self.scene_size.get_or_insert_with(|| size(frame));
        for obstacle in &frame.obstacles {
            let key = (Arc::clone(&obstacle.name), obstacle.mesh.triangles.len());
            self.laid
                .entry(key)
                .or_insert_with(|| image_corners(obstacle, scene_size));
        }
    }

    /// Adds all obstacles of a frame to the list.
    pub fn draw(
        &mut self,
        frame: &Frame,
        style: &Style,
        textures: &TextureStore,
        list: &mut DrawList,
    ) -> Result<(), StyleError> {
        self.meet(frame);
        let mut seen = Vec::with_capacity(frame.obstacles.len());
        for obstacle in &frame.obstacles {
            let position = self
                .known
                .iter()
                .position(|known| Arc::ptr_eq(&known.source, &obstacle.mesh));
            let known = match position {
                Some(index) => self.known.swap_remove(index),
                None => {
                    let key = (Arc::clone(&obstacle.name), obstacle.mesh.triangles.len());
                    Known::new(obstacle, &self.laid[&key], list.origin)
                }
            };
            let coloring = Coloring::of(&obstacle.appearance, textures)?;
            let mut mesh = known.mesh.clone();
            match style.look {
                Look::Shaded | Look::Threads | Look::Net | Look::Blobby => {
                    coloring.apply(&mut mesh, &known.nodes);
                }
                // Where bodies are coloured by numbers, other colours only distract.
                _ => {
                    mesh.paint = Paint::Color(mix(coloring.mean(), [0.55; 3], 0.7));
                    mesh.texture_coordinates = Vec::new();
                }
            }
            if let (true, &Paint::Color(color)) = (mesh.shading.fades, &mesh.paint) {
                mesh.paint = Paint::Grid(color);
                mesh.texture_coordinates
                    .clone_from(&known.mesh.texture_coordinates);
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

/// The triangles of an obstacle that are drawn, and where their corners are. A floor is drawn wider
/// than the square that stands for it.
fn shape(mesh: &TriangleMesh) -> (Vec<[u32; 3]>, Vec<DVec3>) {
    let triangles = existing(&mesh.triangles, mesh.positions.len());
    let positions = match is_floor(mesh) {
        true => widened(&mesh.positions),
        false => mesh.positions.clone(),
    };
    (triangles, positions)
}

/// How an image lies on the triangles of an obstacle as it is now.
fn image_corners(obstacle: &FrameObstacle, scene_size: f64) -> Laid {
    let floor = is_floor(&obstacle.mesh);
    let is_plain = matches!(obstacle.appearance.base, BaseColor::Color(_));
    let width = match obstacle.appearance.image_width {
        None if floor && is_plain => Some(grid_cell(scene_size)),
        // The square that stands for a floor is drawn wider: its picture stays as it was.
        None if floor => Some(BoxProjection::new(&obstacle.mesh.positions, None).width()),
        width => width,
    };
    let (triangles, positions) = shape(&obstacle.mesh);
    let projection = BoxProjection::new(&positions, width);
    let corners = |triangle: &[u32; 3]| {
        let corners = projection.image_corners(triangle.map(|node| positions[node as usize]));
        corners.map(texture_coordinates)
    };
    triangles.iter().map(corners).collect()
}

impl Known {
    /// `laid` says where an image lies on each triangle.
    fn new(obstacle: &FrameObstacle, laid: &[[[f32; 2]; 3]], origin: DVec3) -> Self {
        let (source, appearance) = (&obstacle.mesh, &obstacle.appearance);
        let (triangles, positions) = shape(source);
        let (classes, count) = classes_by_angle(&triangles, &source.positions);
        let plan = SurfacePlan::assemble(&triangles, &classes, count, |index| {
            laid.get(index).copied().unwrap_or_default()
        });
        let mut mesh = plan.mesh(&positions, origin);
        let extent = BoxProjection::new(&source.positions, None).width();
        mesh.shading = finish::shading(appearance.finish, finish::OBSTACLE, extent);
        if is_plane(source) {
            mesh.shading = Shading {
                finish: Finish::CHALK,
                opacity: 1.0,
                // A floor under everything only shadows itself.
                casts_shadow: false,
                fades: is_floor(source),
                ..mesh.shading
            };
        }
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

/// Side of a cell of the grid on a floor under a scene of that size, in metres: 1, 2 or 5 times a
/// power of ten.
fn grid_cell(scene_size: f64) -> f64 {
    let wanted = scene_size / 7.0;
    if !(wanted > 0.0 && wanted.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(wanted.log10().floor());
    let factor = [5.0, 2.0, 1.0].into_iter().find(|f| f * power <= wanted);
    factor.unwrap_or(1.0) * power
}

fn widened(positions: &[DVec3]) -> Vec<DVec3> {
    let middle = positions.iter().sum::<DVec3>() / positions.len() as f64;
    positions
        .iter()
        .map(|position| middle + FLOOR_WIDENING * (*position - middle))
        .collect()
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
