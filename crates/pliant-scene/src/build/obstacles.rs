//! Rigid objects of a scene as obstacles of the engine.

use super::Builder;
use crate::scene::{Part, Surface};
use glam::DVec3;
use pliant::obstacle::{
    self, Capsule, Cuboid, Cylinder, Ellipsoid, Hyperboloid, ImplicitSurface, Obstacle,
    ObstacleError, Plane, Pose, Sheets, Sphere, Torus, Union, jack,
};

impl Builder<'_> {
    /// All obstacles, in the order of the scene.
    pub(super) fn obstacles(&mut self) -> Vec<Obstacle> {
        let scene = self.scene;
        let mut obstacles = Vec::new();
        for object in &scene.objects {
            match surface(&object.part.surface) {
                Ok(surface) => {
                    let mut obstacle = Obstacle::new(object.id.as_str(), surface);
                    obstacle.place(pose(&object.part));
                    obstacle.epsilon = object.epsilon;
                    obstacle.scale = object.scale;
                    obstacle.visible = object.visible;
                    obstacle.friction = object.friction;
                    obstacle.temperature = object.temperature;
                    obstacle.restitution = object.restitution;
                    obstacle.appearance = self.appearance(object.material);
                    obstacles.push(obstacle);
                }
                Err(error) => {
                    let element = format!("<Object id=\"{}\">", object.id);
                    self.refuse(object.location, element, error, None);
                }
            }
        }
        obstacles
    }
}

fn pose(part: &Part) -> Pose {
    Pose {
        rotation: part.world_from_part,
        translation: part.centre,
    }
}

/// The surface about its own origin.
fn surface(surface: &Surface) -> Result<Box<dyn ImplicitSurface>, ObstacleError> {
    let centre = DVec3::ZERO;
    Ok(match surface {
        Surface::Cylinder {
            height,
            radius,
            capped: false,
        } => Box::new(Cylinder::open(centre, *height, *radius)?),
        Surface::Cylinder { height, radius, .. } => {
            Box::new(Cylinder::capped(centre, *height, *radius)?)
        }
        Surface::Plane { normal } => Box::new(Plane::new(*normal, centre)?),
        Surface::Sphere { radius } => Box::new(Sphere::new(centre, *radius)?),
        Surface::Torus { radius, tube } => Box::new(Torus::new(centre, *radius, *tube)?),
        Surface::Ellipsoid { axes } => Box::new(Ellipsoid::new(centre, *axes)?),
        Surface::Hyperboloid { axes, sheets } => {
            let sheets = if *sheets == 1 {
                Sheets::One
            } else {
                Sheets::Two
            };
            Box::new(Hyperboloid::new(centre, *axes, sheets)?)
        }
        Surface::Box { size } => Box::new(Cuboid::new(centre, *size)?),
        Surface::Capsule { height, radius } => {
            let half = 0.5 * *height * DVec3::Z;
            Box::new(Capsule::new(-half, half, *radius)?)
        }
        Surface::Jack { size } => Box::new(jack(*size)?),
        Surface::Union { parts } => {
            let parts: Result<Vec<obstacle::Part>, ObstacleError> = parts
                .iter()
                .map(|part| {
                    Ok(obstacle::Part {
                        union_from_part: pose(part),
                        surface: self::surface(&part.surface)?,
                    })
                })
                .collect();
            Box::new(Union::new(parts?)?)
        }
    })
}
