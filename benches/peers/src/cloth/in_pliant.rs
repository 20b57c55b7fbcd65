//! The cloth in Pliant, as a grid and as a mesh of triangles.

use super::{BALL_CENTRE, BALL_RADIUS, FRICTION, MASS, RIGIDITY, SIDE, STRETCHING, THICKNESS};
use crate::Failure;
use crate::engine::InPliant;
use crate::race::Contestant;
use crate::referee::Shape;
use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::elastic::GridMaterial;
use pliant::fem::{ClothModel, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{ElementKind, rectangle};
use pliant::obstacle::{Obstacle, Sphere};
use pliant::{Body, BodyDescription, Grid, World};
use std::sync::Arc;

/// Thickness of the material, in metres: with `STRETCHING` and `RIGIDITY` given it only divides and
/// multiplies.
const MATERIAL_THICKNESS: f64 = 1e-3;

const DENSITY: f64 = MASS / (SIDE * SIDE * MATERIAL_THICKNESS);

pub fn contestants(side: usize, meets_itself: bool) -> Result<Vec<Contestant>, Failure> {
    let cloths = [
        ("Pliant, grid", grid_cloth(side)),
        ("Pliant, mesh", mesh_cloth(side)?),
    ];
    let contestant = |(name, cloth)| {
        let world = world(cloth, meets_itself)?;
        let body = &world.bodies[0];
        let triangles = body.formulation().contact_features(body).triangles;
        let shape = Shape::new(side * side, triangles);
        Ok(Contestant::new(name, InPliant::new(world), shape))
    };
    cloths.into_iter().map(contestant).collect()
}

fn world(mut cloth: BodyDescription, meets_itself: bool) -> Result<World, Failure> {
    let corners = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0)];
    for (fixed, place) in cloth.fixed.iter_mut().zip(&cloth.rest_positions) {
        *fixed = corners
            .iter()
            .any(|corner| (*corner - *place).length() < 1e-9);
    }
    cloth.time_step = 1.0 / 60.0;
    cloth.contact.friction = FRICTION;
    cloth.collides_with.push(0);
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    cloth.forces.push(BoundForce { force, node: None });
    let ball = Sphere::new(BALL_CENTRE, BALL_RADIUS)?;
    let contact = PairContactSettings {
        thickness: THICKNESS,
        friction: FRICTION,
        ..PairContactSettings::default()
    };
    Ok(World {
        bodies: vec![Body::new(cloth)?],
        obstacles: vec![Obstacle::new("ball", Box::new(ball))],
        contact: meets_itself.then_some(contact),
        ..World::default()
    })
}

fn grid_cloth(side: usize) -> BodyDescription {
    let grid = Grid::new(&[side, side], &[false; 2]);
    let place = |node| {
        let [u, v, _] = grid.material_coordinates(node);
        SIDE * DVec3::new(u - 0.5, v - 0.5, 0.0)
    };
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let material = GridMaterial {
        young: STRETCHING / MATERIAL_THICKNESS,
        poisson: 0.3,
        density: DENSITY,
        thickness: MATERIAL_THICKNESS,
        stretching: None,
        rigidity: Some(RIGIDITY),
    };
    let weights = material.weights(&grid, &rest);
    let masses = material.masses(&grid, &rest);
    let mut cloth = BodyDescription::new("cloth", grid, rest, weights);
    cloth.masses = masses;
    cloth
}

fn mesh_cloth(side: usize) -> Result<BodyDescription, Failure> {
    let cells = side - 1;
    let mut mesh = rectangle(ElementKind::Triangle3, [cells, cells], [SIDE, SIDE])?;
    for place in &mut mesh.positions {
        *place -= DVec3::new(0.5 * SIDE, 0.5 * SIDE, 0.0);
    }
    let model = ClothModel {
        material: ElasticMaterial::new(STRETCHING / MATERIAL_THICKNESS, 0.3, DENSITY)?,
        thickness: MATERIAL_THICKNESS,
        strain: MembraneStrain::default(),
        rigidity: Some(RIGIDITY),
    };
    let mesh = Arc::new(mesh);
    let masses = model.masses(&mesh)?;
    let settings = MeshSettings::new(mesh, Arc::new(model));
    Ok(BodyDescription::of_mesh("cloth", settings, masses))
}
