//! The boxes in Pliant.

use super::{DENSITY, FRICTION, SIDE};
use crate::Failure;
use crate::engine::InPliant;
use crate::race::Contestant;
use crate::referee::{CORNERS, Shape};
use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::fem::CoreMotion;
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Rigid;
use pliant::obstacle::{Cuboid, Obstacle, Plane, Pose};
use pliant::{Body, BodyDescription, World};
use std::sync::Arc;

pub fn contestant(centres: &[DVec3]) -> Result<Contestant, Failure> {
    let world = world(centres)?;
    let one = &world.bodies[0];
    // Nodes that carry the mass come before the corners.
    let hidden = one.state.positions.len() - CORNERS;
    let triangles = one.formulation().contact_features(one).triangles;
    let of_corners = triangles.iter().map(|t| t.map(|node| node - hidden as u32));
    let shape = Shape::new(CORNERS, of_corners.collect());
    let engine = InPliant::without_front_nodes(world, hidden);
    Ok(Contestant::new("Pliant", engine, shape))
}

fn world(centres: &[DVec3]) -> Result<World, Failure> {
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let gravity = Arc::new(Gravity { acceleration });
    let mut bodies = Vec::new();
    for &centre in centres {
        let cuboid = Cuboid::new(centre, DVec3::splat(SIDE))?;
        let (shape, mass) = Rigid::of_shape(&cuboid, &Pose::IDENTITY, DENSITY)?;
        let mut one = BodyDescription::rigid("box", shape, mass, CoreMotion::Free)?;
        let force = gravity.clone();
        one.forces.push(BoundForce { force, node: None });
        one.collides_with.push(0);
        one.contact.friction = FRICTION;
        one.time_step = 1.0 / 60.0;
        bodies.push(Body::new(one)?);
    }
    let mut floor = Obstacle::new("floor", Box::new(Plane::new(DVec3::Z, DVec3::ZERO)?));
    floor.friction = FRICTION;
    Ok(World {
        bodies,
        obstacles: vec![floor],
        contact: Some(PairContactSettings {
            friction: FRICTION,
            ..PairContactSettings::default()
        }),
        ..World::default()
    })
}
