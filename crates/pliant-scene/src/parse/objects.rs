//! `RigidObjects`.

use super::bindings::{Names, read_object_bindings};
use super::elements::{Instance, instances, read_instance};
use super::mesh_parts::read_motion;
use crate::diagnostics::{Problem, Reporter};
use crate::language::{Makes, OBJECT, PART, RIGID_OBJECTS, pose_of};
use crate::scene::{Force, Material, Moving, Object};
use crate::xml::Node;
use glam::DVec3;
use pliant::obstacle::{ImplicitSurface, Obstacle, Part, Plane};

pub(super) fn read_objects(
    reporter: &mut Reporter,
    configuration: &Node,
    materials: &[Material],
    forces: &[Force],
) -> Vec<Object> {
    let names = Names::new(materials, forces, &[]);
    instances(reporter, configuration, &RIGID_OBJECTS, &OBJECT)
        .into_iter()
        .filter_map(|node| read_object(reporter, node, &names))
        .collect()
}

fn read_object(reporter: &mut Reporter, node: &Node, names: &Names<'_>) -> Option<Object> {
    let instance = read_instance(reporter, node, node.label(), &OBJECT);
    let (values, label) = (&instance.values, &instance.values.label);
    let parts = read_parts(reporter, node, &instance);
    let moves = values.word("motion").is_some_and(|motion| motion != "None");
    let (material, forces) = read_object_bindings(reporter, node, label, names, moves);
    let motion = read_motion(reporter, node, values);
    let id = values.text("id")?.to_owned();
    let surface = make_surface(reporter, node, &instance, parts);
    let mut obstacle = Obstacle::new(id.as_str(), surface);
    if let Some(properties) = &instance.properties {
        obstacle.place(pose_of(properties));
    }
    let epsilon = values.optional_number("epsilon");
    obstacle.epsilon = epsilon.unwrap_or(1.0);
    obstacle.scale = values.number("scale");
    obstacle.visible = values.boolean("visible");
    obstacle.friction = values.number("friction");
    obstacle.temperature = values.optional_number("temperature");
    obstacle.restitution = values.number("restitution");
    if values.is_given("mass") && values.is_given("density") {
        let problem = Problem::new("the mass follows from the density, or is given")
            .with_hint("leave one of `mass` and `density` out");
        values.wrong(reporter, "mass", problem);
    }
    Some(Object {
        id,
        location: reporter.locate(node.offset),
        obstacle,
        has_epsilon: epsilon.is_some(),
        is_named: values.boolean("named"),
        material,
        moving: motion.filter(|_| moves).map(|motion| Moving {
            motion,
            density: values.optional_number("density").unwrap_or(1000.0),
            mass: values.optional_number("mass"),
            velocity: values.optional_vector("velocity").unwrap_or(DVec3::ZERO),
            spin: values.optional_vector("spin").unwrap_or(DVec3::ZERO),
            time_step: values.optional_number("timestep").unwrap_or(0.01),
            forces,
        }),
    })
}

/// The parts of a union; other types have none.
fn read_parts(reporter: &mut Reporter, node: &Node, object: &Instance<'_>) -> Vec<Part> {
    let label = &object.values.label;
    let mut parts = Vec::new();
    for part in node.all(PART.name) {
        let instance = read_instance(reporter, part, format!("{label}<Part>"), &PART);
        let properties = instance.properties.as_deref();
        parts.push(Part {
            union_from_part: properties.map(pose_of).unwrap_or_default(),
            surface: make_surface(reporter, part, &instance, Vec::new()),
        });
    }
    let type_name = object.variant.map(|variant| variant.name);
    if type_name == Some("Union") && parts.is_empty() {
        let problem = Problem::new("a union has at least one part")
            .with_hint("add <Part type=\"…\"> with its <Properties … />");
        reporter.error(node.offset, label, None, problem);
    }
    if let (Some(first), Some(name)) = (node.first(PART.name), type_name)
        && name != "Union"
    {
        let message = format!("only an object of type \"Union\" has parts, not \"{name}\"");
        reporter.error(first.offset, label, None, Problem::new(message));
    }
    parts
}

/// The surface; where it has a mistake, which is reported, one that keeps its name known.
fn make_surface(
    reporter: &mut Reporter,
    node: &Node,
    instance: &Instance<'_>,
    parts: Vec<Part>,
) -> Box<dyn ImplicitSurface> {
    let made = match (instance.makes(), &instance.properties) {
        (Makes::Surface(make), Some(properties)) => make(properties, parts),
        _ => Ok(nothing()),
    };
    made.unwrap_or_else(|error| {
        if instance.is_sound(reporter) {
            let problem = Problem::new(error.to_string());
            reporter.error(node.offset, &instance.values.label, None, problem);
        }
        nothing()
    })
}

fn nothing() -> Box<dyn ImplicitSurface> {
    let floor = Plane::new(DVec3::Z, DVec3::ZERO);
    Box::new(floor.expect("a unit normal makes a plane"))
}
