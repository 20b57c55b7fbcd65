//! The boxes in Rapier, with its solver as it comes.

use super::{DENSITY, FRICTION, SIDE};
use crate::engine::{Engine, from_rapier, rapier_world, to_rapier};
use crate::race::Contestant;
use crate::referee::{CORNERS, Shape};
use glam::DVec3;
use rapier3d::prelude::*;

struct Boxes {
    world: PhysicsWorld,
    boxes: Vec<RigidBodyHandle>,
}

impl Engine for Boxes {
    fn step(&mut self) {
        self.world.step();
    }

    fn positions(&self) -> Vec<DVec3> {
        let corners = (0..CORNERS).map(|corner| {
            let side = |bit: usize| if corner & bit == 0 { -0.5 } else { 0.5 };
            SIDE * DVec3::new(side(1), side(2), side(4))
        });
        let corners: Vec<DVec3> = corners.collect();
        let places = self.boxes.iter().flat_map(|&one| {
            let pose = self.world.bodies[one].position();
            // In double precision, so that boxes keep their shape.
            let [x, y, z, w] = pose.rotation.to_array().map(f64::from);
            let rotation = glam::DQuat::from_xyzw(x, y, z, w).normalize();
            let centre = from_rapier(pose.translation);
            corners
                .iter()
                .map(move |corner| centre + rotation * *corner)
        });
        places.collect()
    }
}

/// The contestant; corners are numbered as in the shape of Pliant's boxes.
pub fn contestant(centres: &[DVec3], shape: &Shape) -> Contestant {
    let mut world = rapier_world();
    let half = 0.5 * SIDE as f32;
    world.insert(
        RigidBodyBuilder::fixed().translation(Vector::new(0.0, 0.0, -0.5)),
        ColliderBuilder::cuboid(10.0, 10.0, 0.5).friction(FRICTION as f32),
    );
    let mut boxes = Vec::new();
    for &centre in centres {
        let (handle, _) = world.insert(
            RigidBodyBuilder::dynamic()
                .translation(to_rapier(centre))
                .can_sleep(false),
            ColliderBuilder::cuboid(half, half, half)
                .density(DENSITY as f32)
                .friction(FRICTION as f32),
        );
        boxes.push(handle);
    }
    Contestant::new("Rapier, as it comes", Boxes { world, boxes }, shape.clone())
}
