//! `RigidObjects`.

use super::attributes::Values;
use super::bindings::{Ids, material_ids, read_object_material};
use super::elements::{check_children, own_attributes, read_properties, read_variant};
use super::report_repeated_ids;
use crate::diagnostics::{Problem, Reporter};
use crate::language::{OBJECT, PART, RIGID_OBJECTS};
use crate::scene::{Material, Object, Part, Surface};
use crate::xml::Node;
use glam::{DQuat, DVec3};

pub(super) fn read_objects(
    reporter: &mut Reporter,
    configuration: &Node,
    materials: &[Material],
) -> Vec<Object> {
    let Some(container) = configuration.first(RIGID_OBJECTS.name) else {
        return Vec::new();
    };
    let label = container.label();
    own_attributes(reporter, container, label.clone(), &RIGID_OBJECTS);
    check_children(reporter, container, &label, &RIGID_OBJECTS);
    report_repeated_ids(reporter, container.all(OBJECT.name));
    let materials = material_ids(materials);
    container
        .all(OBJECT.name)
        .filter_map(|node| read_object(reporter, node, &materials))
        .collect()
}

fn read_object(reporter: &mut Reporter, node: &Node, materials: &Ids<'_>) -> Option<Object> {
    let label = node.label();
    let values = own_attributes(reporter, node, label.clone(), &OBJECT);
    check_children(reporter, node, &label, &OBJECT);
    let variant = read_variant(reporter, &values, &OBJECT);
    let properties = read_properties(reporter, node, &label, &OBJECT, variant);
    let parts: Vec<Part> = node
        .all(PART.name)
        .map(|part| read_part(reporter, part, &label))
        .collect();
    let type_name = variant.map(|variant| variant.name);
    if type_name == Some("Union") && parts.is_empty() {
        let problem = Problem::new("a union has at least one part")
            .with_hint("add <Part type=\"…\"> with its <Properties … />");
        reporter.error(node.offset, &label, None, problem);
    }
    if let (Some(first), Some(name)) = (node.first(PART.name), type_name)
        && name != "Union"
    {
        let message = format!("only an object of type \"Union\" has parts, not \"{name}\"");
        reporter.error(first.offset, &label, None, Problem::new(message));
    }
    let part = match (type_name, properties) {
        (Some("Union"), Some(properties)) => Part {
            surface: Surface::Union { parts },
            centre: properties.vector("c"),
            world_from_part: read_turn(&properties),
        },
        (Some(name), Some(properties)) => part_of(name, &properties),
        _ => placeholder(),
    };
    Some(Object {
        material: read_object_material(reporter, node, &label, materials),
        id: values.text("id")?.to_owned(),
        location: reporter.locate(node.offset),
        part,
        epsilon: values.number("epsilon"),
        scale: values.number("scale"),
        visible: values.boolean("visible"),
        friction: values.number("friction"),
        temperature: values.optional_number("temperature"),
        restitution: values.number("restitution"),
    })
}

fn read_part(reporter: &mut Reporter, node: &Node, parent: &str) -> Part {
    let label = format!("{parent}<Part>");
    let values = own_attributes(reporter, node, label.clone(), &PART);
    check_children(reporter, node, &label, &PART);
    let variant = read_variant(reporter, &values, &PART);
    let properties = read_properties(reporter, node, &label, &PART, variant);
    match (variant, properties) {
        (Some(variant), Some(properties)) => part_of(variant.name, &properties),
        _ => placeholder(),
    }
}

/// Stands for an object whose mistake is reported, so that its name stays known.
fn placeholder() -> Part {
    Part {
        surface: Surface::Sphere { radius: 1.0 },
        centre: DVec3::ZERO,
        world_from_part: DQuat::IDENTITY,
    }
}

/// First the turn by `angle` about the own z axis, then the shortest turn of z to `axis`.
fn read_turn(properties: &Values<'_>) -> DQuat {
    let axis = properties.optional_vector("axis").unwrap_or(DVec3::Z);
    let angle = properties.optional_number("angle").unwrap_or(0.0);
    let tilt = DQuat::from_rotation_arc(DVec3::Z, axis);
    tilt * DQuat::from_rotation_z((angle % 360.0).to_radians())
}

fn part_of(type_name: &str, properties: &Values<'_>) -> Part {
    let surface = match type_name {
        "Cylinder" => Surface::Cylinder {
            height: properties.number("h"),
            radius: properties.number("r"),
            capped: properties.boolean("capped"),
        },
        "Plane" => Surface::Plane {
            normal: properties.vector("n"),
        },
        "Torus" => Surface::Torus {
            radius: properties.number("r"),
            tube: properties.number("a"),
        },
        "Ellipsoid" => Surface::Ellipsoid {
            axes: properties.vector("axes"),
        },
        "Hyperboloid" => Surface::Hyperboloid {
            axes: properties.vector("axes"),
            sheets: properties.count("sheets"),
        },
        "Box" => Surface::Box {
            size: properties.vector("size"),
        },
        "Capsule" => Surface::Capsule {
            height: properties.number("h"),
            radius: properties.number("r"),
        },
        "Jack" => Surface::Jack {
            size: properties.number("size"),
        },
        _ => Surface::Sphere {
            radius: properties.number("r"),
        },
    };
    let centre = if type_name == "Plane" { "x0" } else { "c" };
    Part {
        surface,
        centre: properties.vector(centre),
        world_from_part: read_turn(properties),
    }
}
