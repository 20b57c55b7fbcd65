//! What the comparison asks of an engine: frames, and where the nodes are after them.

use glam::DVec3;
use pliant::report::StepReport;
use pliant::{Workspace, World};
use rapier3d::prelude::{PhysicsWorld, SoftBodyHandle, Vector};

/// An engine with a scene in it.
pub trait Engine {
    /// Advances by one frame of 1/60 s.
    fn step(&mut self);

    /// Where the nodes of all bodies are, one body after the other, in metres.
    fn positions(&self) -> Vec<DVec3>;

    /// What the engine itself reports of its failures; empty if there are none.
    fn complaints(&self) -> String {
        String::new()
    }
}

/// A scene in Pliant.
pub struct InPliant {
    world: World,
    workspace: Workspace,
    /// Nodes at the front of each body that are not part of its surface.
    hidden: usize,
    shortened: usize,
    quarantined: usize,
}

impl InPliant {
    /// All nodes are looked at.
    pub fn new(world: World) -> Self {
        Self::without_front_nodes(world, 0)
    }

    /// The first nodes of each body are not looked at.
    pub fn without_front_nodes(world: World, hidden: usize) -> Self {
        let mut workspace = Workspace::new(&world);
        // Energies and momenta are no part of the motion.
        workspace.measure = false;
        Self {
            world,
            workspace,
            hidden,
            shortened: 0,
            quarantined: 0,
        }
    }
}

impl Engine for InPliant {
    fn step(&mut self) {
        let StepReport {
            shortened_steps,
            quarantined,
            ..
        } = self.world.step(&mut self.workspace);
        self.shortened += shortened_steps;
        self.quarantined = quarantined;
    }

    fn positions(&self) -> Vec<DVec3> {
        let bodies = self.world.bodies.iter();
        bodies
            .flat_map(|body| body.state.positions[self.hidden..].iter().copied())
            .collect()
    }

    fn complaints(&self) -> String {
        match (self.shortened, self.quarantined) {
            (0, 0) => String::new(),
            (shortened, frozen) => format!("{shortened} steps shortened, {frozen} bodies frozen"),
        }
    }
}

/// Soft bodies in Rapier.
pub struct InRapier {
    pub world: PhysicsWorld,
    pub bodies: Vec<SoftBodyHandle>,
}

impl Engine for InRapier {
    fn step(&mut self) {
        self.world.step();
    }

    fn positions(&self) -> Vec<DVec3> {
        let bodies = self.bodies.iter();
        bodies
            .flat_map(|&body| self.world.soft_bodies[body].particle_positions())
            .map(from_rapier)
            .collect()
    }
}

/// A world of Rapier with gravity downwards and frames of 1/60 s; all else as it comes.
pub fn rapier_world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -9.81);
    world.integration_parameters.dt = 1.0 / 60.0;
    world
}

/// A place as Rapier has it, in single precision.
pub fn to_rapier(place: DVec3) -> Vector {
    Vector::new(place.x as f32, place.y as f32, place.z as f32)
}

/// A place of Rapier.
pub fn from_rapier(place: Vector) -> DVec3 {
    DVec3::new(place.x.into(), place.y.into(), place.z.into())
}
