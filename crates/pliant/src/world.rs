//! The world: bodies, obstacles and time. It holds what persists and nothing that can be computed
//! from it, so that a copy of a world continues exactly as the original.

use crate::body::{Body, directions_of, grid_topology, mean_spacing, nodal_fields, torn_topology};
use crate::frame::{Frame, FrameBody, FrameObstacle, Topology, TriangleMesh};
use crate::obstacle::Obstacle;
use crate::report::StepReport;
use crate::step::Workspace;
use glam::DVec3;
use std::sync::Arc;

/// Bodies and obstacles at a moment in time.
///
/// ```
/// use pliant::elastic::Weights;
/// use pliant::{Body, BodyDescription, Grid, Workspace, World};
/// # use glam::DVec3;
/// let rope = Grid::new(&[3], &[false]);
/// let rest = vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
/// let rope = BodyDescription::new("rope", rope, rest, Weights::uniform(3, 1.0, 0.0, 0.0));
/// let mut world = World { bodies: vec![Body::new(rope)?], ..World::default() };
/// let before = world.state_hash();
/// world.step(&mut Workspace::new(&world));
/// assert_eq!((world.time, world.state_hash()), (0.01, before)); // at rest, nothing moves
/// # Ok::<(), pliant::body::BodyError>(())
/// ```
#[derive(Debug, Default)]
pub struct World {
    /// Simulated time, in seconds.
    pub time: f64,
    /// Number of steps taken.
    pub step_count: usize,
    /// The deformable bodies.
    pub bodies: Vec<Body>,
    /// The obstacles.
    pub obstacles: Vec<Obstacle>,
}

impl World {
    /// Length of a step, in seconds: the shortest of what the bodies ask for. All bodies advance
    /// together. Zero in a world without bodies, where time stands still.
    pub fn time_step(&self) -> f64 {
        self.bodies
            .iter()
            .map(|body| body.description().time_step)
            .reduce(f64::min)
            .unwrap_or(0.0)
    }

    /// Advances by one step.
    pub fn step(&mut self, workspace: &mut Workspace) -> StepReport {
        crate::step::step(self, workspace)
    }

    /// Number of nodes of all bodies.
    pub fn node_count(&self) -> usize {
        self.bodies.iter().map(Body::node_count).sum()
    }

    /// A number that differs if any bit differs of what steps change in bodies: positions, velocities,
    /// rotations, flows, temperatures, what is broken (FNV-1a of the snapshot without time).
    pub fn state_hash(&self) -> u64 {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in self.body_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash
    }
}

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
    /// Mean distance of neighbours at rest, in metres.
    spacings: Vec<f64>,
    meshes: Vec<Arc<TriangleMesh>>,
    count: usize,
}

impl FrameMaker {
    /// For the bodies and obstacles of a world.
    pub fn new(world: &World) -> Self {
        Self {
            versions: vec![0; world.bodies.len()],
            topologies: world
                .bodies
                .iter()
                .map(|body| match &body.description().mesh {
                    Some(settings) => Arc::clone(&settings.surface.topology),
                    None => Arc::new(grid_topology(&body.description().grid)),
                })
                .collect(),
            fixed: world
                .bodies
                .iter()
                .map(|body| Arc::new(body.description().fixed.clone()))
                .collect(),
            spacings: world
                .bodies
                .iter()
                .map(|body| mean_spacing(body.description()))
                .collect(),
            meshes: world
                .obstacles
                .iter()
                .map(|obstacle| Arc::new(obstacle.mesh()))
                .collect(),
            count: 0,
        }
    }

    /// Makes the topologies again of bodies that have torn or healed.
    fn follow_tears(&mut self, world: &World) {
        for (index, body) in world.bodies.iter().enumerate() {
            if let Some(inelastic) = &body.inelastic
                && inelastic.topology_version != self.versions[index]
            {
                let grid = &body.description().grid;
                let mut topology = torn_topology(grid, &|node, direction| {
                    inelastic.is_broken(node, direction)
                });
                if !topology.broken_links.is_empty() {
                    topology
                        .rest_positions
                        .clone_from(&body.description().rest_positions);
                }
                self.topologies[index] = Arc::new(topology);
                self.versions[index] = inelastic.topology_version;
            }
            let Some(mesh) = &body.description().mesh else {
                continue;
            };
            // A carried surface is stretched over cracks: it has no faces of its own there.
            let inelastic = body.mesh_inelastic.as_ref();
            if let (Some(joints), Some(inelastic)) = (mesh.joints(), inelastic)
                && let Some(ties) = &inelastic.ties
                && ties.version != self.versions[index]
                && mesh.surface.embedding.is_none()
            {
                self.topologies[index] = Arc::new(joints.topology(&inelastic.broken, ties));
                self.versions[index] = ties.version;
            }
        }
    }

    /// The world as it is now.
    pub fn frame(&mut self, world: &World, workspace: &mut Workspace) -> Frame {
        self.follow_tears(world);
        let bodies = world
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
                    fields: nodal_fields(body),
                    particle_radius: 0.5 * self.spacings[index],
                };
                match &body.description().mesh {
                    Some(settings) => settings.surface.show(body_frame),
                    None => body_frame,
                }
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

/// The unit normals of a body (tangents of a curve), for drawing and diagnostics.
pub fn body_directions(body: &Body) -> Vec<DVec3> {
    let mut directions = vec![DVec3::ZERO; body.node_count()];
    directions_of(body, &body.state.positions, &mut directions);
    directions
}
