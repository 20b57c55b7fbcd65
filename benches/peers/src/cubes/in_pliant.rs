//! The cubes in Pliant.

use super::{FRICTION, POISSON, Pile, THICKNESS, YOUNG};
use crate::Failure;
use crate::engine::InPliant;
use crate::race::Contestant;
use crate::referee::Shape;
use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::fem::{ElasticMaterial, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, State, World};
use std::sync::Arc;

/// The contestant, and the surface of a cube.
pub fn contestant(pile: &Pile) -> Result<(Contestant, Shape), Failure> {
    let world = world(pile)?;
    let cube = &world.bodies[0];
    let triangles = cube.formulation().contact_features(cube).triangles;
    let shape = Shape::new(pile.masses.len(), triangles);
    let contestant = Contestant::new("Pliant", InPliant::new(world), shape.clone());
    Ok((contestant, shape))
}

fn world(pile: &Pile) -> Result<World, Failure> {
    let material = ElasticMaterial::new(YOUNG, POISSON, super::DENSITY)?;
    let model = Arc::new(SolidModel::new(SolidStrain::Corotated, material));
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let gravity = Arc::new(Gravity { acceleration });
    let mut bodies = Vec::new();
    for &shift in &pile.shifts {
        let settings = MeshSettings::new(pile.mesh.clone(), model.clone());
        let mut cube = BodyDescription::of_mesh("cube", settings, pile.masses.clone());
        let force = gravity.clone();
        cube.forces.push(BoundForce { force, node: None });
        cube.collides_with.push(0);
        cube.contact.friction = FRICTION;
        cube.time_step = 1.0 / 60.0;
        let positions: Vec<DVec3> = pile.mesh.positions.iter().map(|x| *x + shift).collect();
        let state = State {
            velocities: vec![DVec3::ZERO; positions.len()],
            positions,
            ..State::default()
        };
        bodies.push(Body::with_state(cube, state)?);
    }
    let mut floor = Obstacle::new("floor", Box::new(Plane::new(DVec3::Z, DVec3::ZERO)?));
    floor.friction = FRICTION;
    Ok(World {
        bodies,
        obstacles: vec![floor],
        contact: Some(PairContactSettings {
            thickness: THICKNESS,
            friction: FRICTION,
            ..PairContactSettings::default()
        }),
        ..World::default()
    })
}
