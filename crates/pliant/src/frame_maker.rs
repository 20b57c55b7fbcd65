//! From a world to frames.

use crate::body::Body;
use crate::frame::{Frame, FrameBody, FrameObstacle, Topology, TriangleMesh};
use crate::workspace::Workspace;
use crate::world::World;
use std::sync::Arc;

/// Makes frames of a world. Topology and obstacle meshes are made once and shared by all frames.
///
/// ```
/// use pliant::obstacle::{Obstacle, Sphere};
/// use pliant::{FrameMaker, Workspace, World};
/// # use glam::DVec3;
/// let ball = Obstacle::new("ball", Box::new(Sphere::new(DVec3::ZERO, 1.0)?));
/// let world = World { obstacles: vec![ball], ..World::default() };
/// let mut maker = FrameMaker::new(&world);
/// let frame = maker.frame(&world, &mut Workspace::new(&world));
/// assert_eq!(&*frame.obstacles[0].name, "ball");
/// # Ok::<(), pliant::obstacle::ObstacleError>(())
/// ```
#[derive(Debug)]
pub struct FrameMaker {
    topologies: Vec<Arc<Topology>>,
    /// The version of each body's topology that was last made.
    versions: Vec<u64>,
    fixed: Vec<Arc<Vec<bool>>>,
    /// The descriptions that `fixed` is of.
    revisions: Vec<u64>,
    /// Mean distance of neighbours at rest, in metres.
    spacings: Vec<f64>,
    meshes: Vec<Arc<TriangleMesh>>,
    count: usize,
}

impl FrameMaker {
    /// For the bodies and obstacles of a world.
    pub fn new(world: &World) -> Self {
        Self {
            versions: world
                .bodies
                .iter()
                .map(|body| body.formulation().topology_version(body))
                .collect(),
            topologies: world
                .bodies
                .iter()
                .map(|body| body.formulation().topology(body))
                .collect(),
            revisions: world.bodies.iter().map(Body::revision).collect(),
            fixed: world
                .bodies
                .iter()
                .map(|body| Arc::new(body.description().fixed.clone()))
                .collect(),
            spacings: world
                .bodies
                .iter()
                .map(|body| body.description().mean_spacing())
                .collect(),
            meshes: world
                .obstacles
                .iter()
                .map(|obstacle| Arc::new(obstacle.mesh()))
                .collect(),
            count: 0,
        }
    }

    /// Makes again what has changed of bodies that have torn or healed, or that commands have changed.
    fn follow(&mut self, world: &World) {
        for (index, body) in world.bodies.iter().enumerate() {
            if body.revision() != self.revisions[index] {
                self.fixed[index] = Arc::new(body.description().fixed.clone());
                self.revisions[index] = body.revision();
            }
            let version = body.formulation().topology_version(body);
            if version != self.versions[index] {
                self.topologies[index] = body.formulation().topology(body);
                self.versions[index] = version;
            }
        }
    }

    /// The world as it is now.
    pub fn frame(&mut self, world: &World, workspace: &mut Workspace) -> Frame {
        self.follow(world);
        let bodies: Vec<FrameBody> = world
            .bodies
            .iter()
            .enumerate()
            .map(|(index, body)| {
                let (elastic_forces, external_forces) = workspace.forces(world, index);
                let body_frame = FrameBody {
                    name: Arc::clone(&body.description().name),
                    topology: Arc::clone(&self.topologies[index]),
                    appearance: Arc::clone(&body.description().appearance),
                    positions: body.state.positions.clone(),
                    velocities: body.state.velocities.clone(),
                    elastic_forces,
                    external_forces,
                    fixed: Arc::clone(&self.fixed[index]),
                    fields: body.formulation().fields(body),
                    particle_radius: 0.5 * self.spacings[index],
                };
                body.formulation().show(body_frame, &world.bodies)
            })
            .collect();
        let obstacles = world
            .obstacles
            .iter()
            .zip(&self.meshes)
            .filter(|(obstacle, _)| obstacle.visible)
            .map(|(obstacle, mesh)| FrameObstacle {
                name: Arc::clone(&obstacle.name),
                mesh: Arc::clone(mesh),
                appearance: Arc::clone(&obstacle.appearance),
            })
            .collect();
        let frame = Frame {
            number: self.count,
            time: world.time,
            bodies,
            obstacles,
        };
        self.count += 1;
        frame
    }
}
