//! Rigid obstacles as implicit surfaces: what a deformable body collides with.
//!
//! A surface is known by its signed distance d(p), negative inside, and the outward unit normal
//! n(p) = ∇d(p). Distances are exact (the length to the nearest point of the surface) unless the
//! surface says otherwise; the penalty force c exp(-d/ε) and the projection p - d n both rest on
//! them.
//!
//! Implements: \[Terzopoulos1988\] sect. 3 (the obstacle's implicit function f in eq. 23).
//!
//! Departure: the papers take any f that is negative inside, so that the reach of the force depends
//! on how f happens to be scaled. A true distance gives ε the unit of a length for every shape.
//!
//! A new kind of obstacle is one new file here, with one line below, and is tested by `contract`.

mod capsule;
mod contact_shape;
#[cfg(test)]
mod contract;
mod cuboid;
mod cylinder;
mod ellipsoid;
mod error;
mod hyperboloid;
mod lathe;
mod plane;
mod pose;
mod quadric;
mod sphere;
mod torus;
mod union;
mod unit;

pub use capsule::Capsule;
pub use contact_shape::ContactShape;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use error::ObstacleError;
pub use hyperboloid::{Hyperboloid, Sheets};
pub use plane::Plane;
pub use pose::Pose;
pub use sphere::Sphere;
pub use torus::Torus;
pub use union::{Part, Union, jack};

use crate::frame::{Appearance, TriangleMesh};
use glam::DVec3;
use std::fmt::Debug;
use std::sync::Arc;

/// Segments a full turn of an obstacle is drawn with.
const DRAWN_RESOLUTION: usize = 48;

/// The shape of an obstacle in its own frame.
pub trait ImplicitSurface: Debug + Send + Sync {
    /// Signed distance in metres from `p` to the surface, negative inside.
    fn distance(&self, p: DVec3) -> f64 {
        self.distance_and_normal(p).0
    }

    /// The outward unit normal: the gradient of `distance`. Where the gradient does not exist (a
    /// centre, an axis, an edge) it is one of the nearby normals, never NaN.
    fn normal(&self, p: DVec3) -> DVec3 {
        self.distance_and_normal(p).1
    }

    /// `distance` and `normal` together, for less than the cost of both.
    fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3);

    /// A straight way between two points outside that is no longer than this, in metres, does not pass
    /// through: it cuts in by less than a tenth of its length. Infinite for a half space, which no such
    /// way meets.
    ///
    /// Where the inside is convex and a ball of radius r can roll along all of it from within, a way of
    /// length l cuts in by at most r - √(r² - l²/4): a point at depth h < r is r - h from the centre of
    /// such a ball, and both ends of its way are outside of that ball. For l = r/2 that is 0.064 l.
    fn longest_harmless_way(&self) -> f64 {
        0.0
    }

    /// Whether the inside is a half space: a straight way between two points outside meets none of it.
    fn is_half_space(&self) -> bool {
        self.longest_harmless_way() == f64::INFINITY
    }

    /// Whether its mesh is of several that may overlap, so that volumes cannot be told from it.
    fn has_parts(&self) -> bool {
        false
    }

    /// `distance` of many points given in the world, in which the surface has a pose. One call a
    /// body: inside it nothing is dispatched at run time.
    fn distances(&self, world_from_obstacle: &Pose, points: &[DVec3], distances: &mut [f64]) {
        point_by_point(self, world_from_obstacle, points, distances);
    }

    /// The surface as triangles for drawing, enlarged by `scale` about its centre, with
    /// `resolution` segments to a full turn (at least 3). Triangles face outwards. The mesh is
    /// closed where the surface is closed; an infinite surface draws a finite part.
    fn mesh(&self, scale: f64, resolution: usize) -> TriangleMesh;

    /// What bodies meet with their faces and edges, in the obstacle's own frame: exact for spheres,
    /// capsules and boxes, triangles for others. `None` where nodes alone decide (a plane), or where the
    /// surface has no end.
    fn contact_shape(&self) -> Option<ContactShape> {
        Some(ContactShape::triangles(|resolution| {
            self.mesh(1.0, resolution)
        }))
    }

    /// The same with fewer triangles, whose middles may lie so far inside, in metres: what is far below the
    /// thickness of contact makes no difference, and many triangles within it cost much.
    fn contact_shape_within(&self, _depth: f64) -> Option<ContactShape> {
        self.contact_shape()
    }

    /// The same for a plane, of which a square is taken that reaches this far, in metres: a ball is no
    /// node and needs it.
    fn flat_shape(&self, _reach: f64) -> Option<ContactShape> {
        None
    }
}

/// Distances of points one by one, for any surface.
fn point_by_point(
    surface: &(impl ImplicitSurface + ?Sized),
    world_from_obstacle: &Pose,
    points: &[DVec3],
    distances: &mut [f64],
) {
    if *world_from_obstacle == Pose::IDENTITY {
        for (distance, point) in distances.iter_mut().zip(points) {
            *distance = surface.distance(*point);
        }
    } else {
        for (distance, point) in distances.iter_mut().zip(points) {
            *distance = surface.distance(world_from_obstacle.inverse_point(*point));
        }
    }
}

/// A rigid obstacle in the world.
///
/// ```
/// use pliant::obstacle::{Obstacle, Plane};
/// # use glam::DVec3;
/// let mut floor = Obstacle::new("floor", Box::new(Plane::new(DVec3::Z, DVec3::ZERO)?));
/// floor.friction = 0.4;
/// let (distance, normal) = floor.distance_and_normal(DVec3::new(3.0, 1.0, -0.5));
/// assert_eq!((distance, normal), (-0.5, DVec3::Z)); // half a metre inside
/// # Ok::<(), pliant::obstacle::ObstacleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// The name of the obstacle, as in the scene.
    pub name: Arc<str>,
    /// Its shape, in its own frame.
    pub surface: Arc<dyn ImplicitSurface>,
    /// Length ε over which the penalty force grows, in metres; also the strength of projection.
    pub epsilon: f64,
    /// Factor by which the obstacle is enlarged when drawn; collision ignores it.
    pub scale: f64,
    /// Whether the obstacle is drawn.
    pub visible: bool,
    /// How the obstacle looks.
    pub appearance: Arc<Appearance>,
    /// Coulomb friction coefficient, without unit.
    pub friction: f64,
    /// Ratio of normal speeds after and before an impact, between 0 and 1.
    pub restitution: f64,
    /// Temperature in kelvin, at which it gives heat to bodies that touch it and takes it from them;
    /// `None` insulates.
    pub temperature: Option<f64>,
    world_from_obstacle: Pose,
    /// Whether the pose is the identity, so that no point has to be transformed.
    in_place: bool,
}

impl Obstacle {
    /// An obstacle whose frame is that of the world, frictionless and without rebound.
    pub fn new(name: impl Into<Arc<str>>, surface: Box<dyn ImplicitSurface>) -> Self {
        Self {
            name: name.into(),
            surface: surface.into(),
            epsilon: 1.0,
            scale: 1.0,
            visible: true,
            appearance: Arc::default(),
            friction: 0.0,
            restitution: 0.0,
            temperature: None,
            world_from_obstacle: Pose::IDENTITY,
            in_place: true,
        }
    }

    /// The same obstacle, hot or cold, in kelvin.
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Where the obstacle's frame lies in the world.
    pub fn world_from_obstacle(&self) -> Pose {
        self.world_from_obstacle
    }

    /// Places the obstacle's frame in the world.
    pub fn place(&mut self, world_from_obstacle: Pose) {
        self.world_from_obstacle = world_from_obstacle;
        self.in_place = world_from_obstacle == Pose::IDENTITY;
    }

    /// Signed distance in metres from a point in the world, negative inside.
    pub fn distance(&self, world: DVec3) -> f64 {
        if self.in_place {
            return self.surface.distance(world);
        }
        self.surface
            .distance(self.world_from_obstacle.inverse_point(world))
    }

    /// Signed distances of points in the world, in metres.
    pub fn distances(&self, points: &[DVec3], distances: &mut [f64]) {
        self.surface
            .distances(&self.world_from_obstacle, points, distances);
    }

    /// The outward unit normal at a point in the world, never NaN.
    pub fn normal(&self, world: DVec3) -> DVec3 {
        let pose = &self.world_from_obstacle;
        if self.in_place {
            return self.surface.normal(world);
        }
        pose.vector(self.surface.normal(pose.inverse_point(world)))
    }

    /// `distance` and `normal` together, for less than the cost of both.
    pub fn distance_and_normal(&self, world: DVec3) -> (f64, DVec3) {
        if self.in_place {
            return self.surface.distance_and_normal(world);
        }
        let point = self.world_from_obstacle.inverse_point(world);
        let (distance, normal) = self.surface.distance_and_normal(point);
        (distance, self.world_from_obstacle.vector(normal))
    }

    /// What bodies meet with their faces and edges, in world coordinates; `None` where they meet it
    /// with their nodes alone.
    pub fn contact_shape(&self) -> Option<ContactShape> {
        self.contact_shape_within(0.0)
    }

    /// The same with fewer triangles, whose middles may lie so far inside, in metres.
    pub fn contact_shape_within(&self, depth: f64) -> Option<ContactShape> {
        let shape = self.surface.contact_shape_within(depth)?;
        Some(shape.placed(&self.world_from_obstacle))
    }

    /// A plane as a square that reaches this far, in metres and world coordinates.
    pub fn flat_shape(&self, reach: f64) -> Option<ContactShape> {
        let shape = self.surface.flat_shape(reach)?;
        Some(shape.placed(&self.world_from_obstacle))
    }

    /// The obstacle as it is drawn, in world coordinates.
    pub fn mesh(&self) -> TriangleMesh {
        let mut mesh = self.surface.mesh(self.scale, DRAWN_RESOLUTION);
        for position in &mut mesh.positions {
            *position = self.world_from_obstacle.point(*position);
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn a_placed_obstacle_is_measured_in_the_world() {
        let surface = Cuboid::new(DVec3::ZERO, DVec3::new(2.0, 4.0, 6.0)).unwrap();
        let mut obstacle = Obstacle::new("crate", Box::new(surface));
        obstacle.place(Pose {
            rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
            translation: DVec3::new(10.0, 0.0, 0.0),
        });
        let world = DVec3::new(13.5, 0.0, 0.0);
        assert!((obstacle.distance(world) - 1.5).abs() < 1e-12);
        assert!(obstacle.normal(world).distance(DVec3::X) < 1e-12);
        assert!(
            obstacle
                .mesh()
                .positions
                .iter()
                .all(|&vertex| obstacle.distance(vertex).abs() < 1e-12)
        );
    }

    #[test]
    fn scale_changes_the_drawing_only() {
        let centre = DVec3::new(2.0, -1.0, 8.0);
        let mut obstacle = Obstacle::new("ball", Box::new(Sphere::new(centre, 2.0).unwrap()));
        obstacle.scale = 0.9;
        assert_eq!(obstacle.distance(centre), -2.0);
        let mesh = obstacle.mesh();
        assert!(
            mesh.positions
                .iter()
                .all(|vertex| (vertex.distance(centre) - 1.8).abs() < 1e-12)
        );
    }
}
