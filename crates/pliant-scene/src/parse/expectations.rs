//! `Expected`.

use super::attributes::Values;
use super::bindings::{Ids, Nodes, body_ids, check_naming, resolve};
use super::elements::{check_children, own_attributes};
use super::particles::{GridSize, read_particle_index};
use super::parts::read_part;
use crate::diagnostics::{Problem, Reporter};
use crate::language::EXPECTED;
use crate::scene::{Body, Expected, Near, Object, Origin, Part, Quantity, Simulation};
use crate::xml::Node;

pub(super) fn read_expected(
    reporter: &mut Reporter,
    configuration: &Node,
    bodies: &[Body],
    objects: &[Object],
    simulation: &Simulation,
    has_contact: bool,
) -> Vec<Expected> {
    let ids = body_ids(bodies, objects);
    let mut all = Vec::new();
    for node in configuration.all(EXPECTED.name) {
        let expected = read_one(reporter, node, bodies, &ids, simulation);
        let counts = |one: &Expected| one.quantity == Quantity::Intersections;
        if expected.as_ref().is_some_and(counts) && !has_contact {
            let problem =
                Problem::new("intersections are counted only where bodies meet each other")
                    .with_hint("add <Contact /> to the scene");
            reporter.error(node.offset, &node.label(), Some("quantity"), problem);
        }
        all.extend(expected);
    }
    all
}

fn read_one(
    reporter: &mut Reporter,
    node: &Node,
    bodies: &[Body],
    ids: &Ids<'_>,
    simulation: &Simulation,
) -> Option<Expected> {
    let label = node.label();
    check_children(reporter, node, &label, &EXPECTED);
    let values = own_attributes(reporter, node, label, &EXPECTED);
    let body = resolve(reporter, &values, "body", ids);
    let whose = body.and_then(|index| bodies.get(index));
    let grid = whose.and_then(|body| GridSize::of(body.dimension(), body.grid));
    let nodes = match whose {
        Some(body) if body.mesh.is_some() => Nodes::Mesh,
        None if body.is_some() => Nodes::Mesh,
        _ => Nodes::Grid(grid.as_ref()),
    };
    check_naming(reporter, &values, nodes);
    let particle = match nodes {
        Nodes::Grid(grid) => read_particle_index(reporter, &values, "particle", grid),
        Nodes::Mesh => None,
    };
    let part = read_part(reporter, &values, nodes);
    check_bounds(reporter, node, &values);
    let time = values.optional_number("time");
    if let Some(time) = time
        && time > simulation.duration
    {
        let message = format!(
            "expected a time within the run of {} s, found {time}",
            simulation.duration
        );
        values.wrong(reporter, "time", Problem::new(message));
    }
    let quantity = Quantity::from_name(values.word("quantity")?)?;
    check_quantity(reporter, node, &values, quantity, nodes);
    Some(Expected {
        location: reporter.locate(node.offset),
        quantity,
        body,
        particle,
        near: values.optional_vector("near"),
        part: part.or_else(|| {
            Some(Part::Near(Near {
                point: values.optional_vector("near")?,
                within: Some(values.optional_number("within")?),
            }))
        }),
        time,
        min: values.optional_number("min"),
        max: values.optional_number("max"),
        origin: match values.word("origin") {
            Some("Derived") => Origin::Derived,
            _ => Origin::Recorded,
        },
    })
}

fn check_bounds(reporter: &mut Reporter, node: &Node, values: &Values<'_>) {
    if !values.is_given("min") && !values.is_given("max") {
        let problem = Problem::new("expected `min`, `max` or both, found neither");
        reporter.error(node.offset, &values.label, None, problem);
    }
    if let (Some(min), Some(max)) = (values.optional_number("min"), values.optional_number("max"))
        && min > max
    {
        let message = format!("expected at least `min` ({min}), found {max}");
        values.wrong(reporter, "max", Problem::new(message));
    }
}

fn check_quantity(
    reporter: &mut Reporter,
    node: &Node,
    values: &Values<'_>,
    quantity: Quantity,
    nodes: Nodes<'_>,
) {
    let name = values.word("quantity").unwrap_or_default();
    if quantity.needs_body() && !values.is_given("body") {
        let problem = Problem::new(format!("the quantity `{name}` belongs to one body"))
            .with_hint("add body=\"…\" with the id of a body");
        reporter.error(node.offset, &values.label, Some("body"), problem);
    }
    let ways = ["particle", "near", "from", "box", "region"];
    let is_named = ways.iter().any(|name| values.is_given(name));
    if values.is_given("within") && !values.is_given("near") {
        let problem = Problem::new("used only with `near`").with_hint("add near=\"[x, y, z]\"");
        values.wrong(reporter, "within", problem);
    }
    if quantity.needs_particle() && !is_named {
        let (attribute, hint) = match nodes {
            Nodes::Grid(_) => (
                "particle",
                "add particle=\"[…]\" with the indices of a particle",
            ),
            Nodes::Mesh => ("near", "add near=\"[x, y, z]\", a point of the rest shape"),
        };
        let problem = Problem::new(format!(
            "the quantity `{name}` belongs to a particle or a part"
        ))
        .with_hint(hint);
        reporter.error(node.offset, &values.label, Some(attribute), problem);
    }
    for attribute in ["particle", "near", "within", "from", "to", "box", "region"] {
        if !quantity.needs_particle() && values.is_given(attribute) {
            let problem = Problem::new(format!(
                "the quantity `{name}` does not belong to a particle or a part"
            ))
            .with_hint("remove the attribute");
            values.wrong(reporter, attribute, problem);
        }
    }
    if quantity == Quantity::Length && matches!(nodes, Nodes::Mesh) {
        let problem = Problem::new("a mesh has no first edge to measure")
            .with_hint("`x`, `y` and `z` of two nodes say as much");
        values.wrong(reporter, "quantity", problem);
    }
}
