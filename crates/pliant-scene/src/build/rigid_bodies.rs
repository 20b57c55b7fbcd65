//! Rigid bodies: objects that move.

use super::Builder;
use super::mesh_source::Fault;
use super::meshes::motion_of;
use crate::scene::{Moving, Object};
use glam::DVec3;
use pliant::formulation::Rigid;
use pliant::{BodyDescription, State};

impl Builder<'_> {
    /// The objects that move, as bodies.
    pub(super) fn rigid_bodies(&mut self) -> Vec<pliant::Body> {
        let mut bodies = Vec::new();
        for object in &self.scene.objects {
            if let Some(moving) = &object.moving {
                bodies.extend(self.rigid_body(object, moving));
            }
        }
        bodies
    }

    /// The body, or nothing and an error.
    fn rigid_body(&mut self, object: &Object, moving: &Moving) -> Option<pliant::Body> {
        let element = format!("<Object id=\"{}\">", object.id);
        let made = describe(object, moving, self.facet_depth());
        let mut description = self.sound(object.location, element.clone(), made)?;
        description.appearance = self.object_look(object);
        description.contact.friction = object.obstacle.friction;
        description.contact.restitution = object.obstacle.restitution;
        description.time_step = moving.time_step;
        let every: Vec<usize> = (0..self.scene.objects.len()).collect();
        description.collides_with = self.still_obstacles(&every);
        self.bind_forces(&moving.forces, &element, &mut description)?;
        let positions = description.rest_positions.clone();
        let masses = description.masses.iter();
        let mass: f64 = masses.clone().sum();
        let centre = masses.zip(&positions).map(|(m, x)| *m * *x).sum::<DVec3>() / mass;
        let speed = |x: &DVec3| moving.velocity + moving.spin.cross(*x - centre);
        let state = State {
            velocities: positions.iter().map(speed).collect(),
            positions,
            ..State::default()
        };
        let made = pliant::Body::with_state(description, state).map_err(Fault::new);
        self.sound(object.location, element, made)
    }

    /// How far inside the triangles of round surfaces may lie, in metres; nothing where the thickness of contact
    /// is chosen by the bodies.
    fn facet_depth(&self) -> f64 {
        match &self.scene.contact {
            Some(contact) if !self.scene.meets_as_usual => contact.facet_depth(),
            _ => 0.0,
        }
    }

    /// The numbers of obstacles among those that stay, by the numbers of objects.
    pub(super) fn still_obstacles(&self, objects: &[usize]) -> Vec<usize> {
        let stays = |index: &usize| self.scene.objects[*index].moving.is_none();
        let number = |&index: &usize| (0..index).filter(stays).count();
        objects
            .iter()
            .filter(|index| stays(index))
            .map(number)
            .collect()
    }
}

fn describe(object: &Object, moving: &Moving, depth: f64) -> Result<BodyDescription, Fault> {
    let obstacle = &object.obstacle;
    let pose = obstacle.world_from_obstacle();
    let surface = obstacle.surface.as_ref();
    let (shape, mut mass) =
        Rigid::of_shape_within(surface, &pose, moving.density, depth).map_err(|error| {
            Fault::new(error)
                .with_hint("a Cylinder has ends with capped=\"Yes\"; a Plane cannot move")
        })?;
    if let Some(given) = moving.mass {
        mass = mass.with_mass(given);
    }
    let motion = motion_of(&moving.motion, mass.centre);
    BodyDescription::rigid(&object.id, shape, mass, motion).map_err(Fault::new)
}
