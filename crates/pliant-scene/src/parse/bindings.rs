//! `Bind`: what a body or an object is linked to.

use super::attributes::Values;
use super::elements::{check_children, own_attributes};
use super::particles::{GridSize, read_particle_index};
use super::parts::read_part;
use crate::diagnostics::{Problem, Reporter, quote};
use crate::language::BIND;
use crate::nearest::meant_or_known;
use crate::scene::{Body, Force, ForceBinding, Material, Near, Object};
use crate::xml::Node;
use std::collections::HashMap;

/// Ids of one kind of element, and their places in its list.
pub(super) struct Ids<'a> {
    what: &'static str,
    list: Vec<&'a str>,
    positions: HashMap<&'a str, usize>,
}

impl<'a> Ids<'a> {
    pub(super) fn new(what: &'static str, ids: impl Iterator<Item = &'a str>) -> Self {
        let list: Vec<&str> = ids.collect();
        // The first of two equal ids counts; the second is reported elsewhere.
        let positions = list.iter().enumerate().rev().map(|(i, &id)| (id, i));
        Self {
            what,
            positions: positions.collect(),
            list,
        }
    }
}

/// What a `Bind` can refer to.
pub(super) struct Names<'a> {
    materials: Ids<'a>,
    forces: Ids<'a>,
    objects: Ids<'a>,
}

impl<'a> Names<'a> {
    pub(super) fn new(
        materials: &'a [Material],
        forces: &'a [Force],
        objects: &'a [Object],
    ) -> Self {
        Self {
            materials: material_ids(materials),
            forces: Ids::new("force", forces.iter().map(|force| force.id.as_str())),
            objects: Ids::new("object", objects.iter().map(|object| object.id.as_str())),
        }
    }
}

/// The ids of all that moves, in the order of the world's bodies: bodies, then objects that move.
pub(super) fn body_ids<'a>(bodies: &'a [Body], objects: &'a [Object]) -> Ids<'a> {
    let bodies = bodies.iter().map(|body| body.id.as_str());
    let moving = objects.iter().filter(|object| object.moving.is_some());
    Ids::new(
        "body",
        bodies.chain(moving.map(|object| object.id.as_str())),
    )
}

pub(super) fn material_ids(materials: &[Material]) -> Ids<'_> {
    Ids::new("material", materials.iter().map(|one| one.id.as_str()))
}

/// How the nodes of a body are named.
#[derive(Clone, Copy)]
pub(super) enum Nodes<'a> {
    /// By grid coordinates; the grid is not known if it is wrong.
    Grid(Option<&'a GridSize>),
    /// By points near to them.
    Mesh,
}

/// Reports a way of naming nodes that the body does not have.
pub(super) fn check_naming(reporter: &mut Reporter, values: &Values<'_>, nodes: Nodes<'_>) {
    if matches!(nodes, Nodes::Mesh) && values.is_given("particle") {
        let problem = Problem::new("the nodes of a mesh have no grid coordinates")
            .with_hint("write near=\"[x, y, z]\", a point of its rest shape");
        values.wrong(reporter, "particle", problem);
    }
    if matches!(nodes, Nodes::Grid(Some(_))) && values.is_given("near") {
        let problem = Problem::new("only the nodes of a mesh are named by a point")
            .with_hint("write particle=\"[…]\", its indices");
        values.wrong(reporter, "near", problem);
    }
}

/// What a body binds.
#[derive(Default)]
pub(super) struct Bindings {
    pub(super) material: Option<usize>,
    pub(super) forces: Vec<ForceBinding>,
    pub(super) collisions: Vec<usize>,
}

/// The index of the element an attribute refers to; reported if there is none.
pub(super) fn resolve(
    reporter: &mut Reporter,
    values: &Values<'_>,
    attribute: &str,
    ids: &Ids<'_>,
) -> Option<usize> {
    let name = values.text(attribute)?;
    let what = ids.what;
    let index = ids.positions.get(name).copied();
    if index.is_none() && reporter.is_full() {
        reporter.leave_out();
    } else if index.is_none() {
        let article = if what == "object" { "an" } else { "a" };
        let message = format!(
            "expected the id of {article} {what}, found {}, which is none",
            quote(name)
        );
        let hint = meant_or_known(name, ids.list.iter().copied(), &format!("{what} ids"));
        values.wrong(reporter, attribute, Problem::new(message).with_hint(hint));
    }
    index
}

/// The material that an object binds, and the forces if it moves.
pub(super) fn read_object_bindings(
    reporter: &mut Reporter,
    node: &Node,
    label: &str,
    names: &Names<'_>,
    moves: bool,
) -> (Option<usize>, Vec<ForceBinding>) {
    let (mut material, mut forces) = (None, Vec::new());
    for bind in node.all(BIND.name) {
        let values = read_bind(reporter, bind, label);
        match values.word("type") {
            Some("Material") => {
                refuse_particle(reporter, &values);
                bind_material(reporter, &values, bind, &names.materials, &mut material);
            }
            Some("Force") if moves => {
                check_naming(reporter, &values, Nodes::Mesh);
                let near = read_near(reporter, &values);
                let part = read_part(reporter, &values, Nodes::Mesh);
                if let Some(force) = resolve(reporter, &values, "ref", &names.forces) {
                    let bound = ForceBinding {
                        force,
                        location: reporter.locate(bind.offset),
                        particle: None,
                        near,
                        part,
                    };
                    warn_of_twice(reporter, &values, bind, &forces, &bound);
                    forces.push(bound);
                }
            }
            Some(other) => {
                refuse_particle(reporter, &values);
                let (message, hint) = if moves {
                    let message = format!("an object that moves binds no \"{other}\"");
                    (
                        message,
                        "it meets everything; <Contact> says what it does not meet",
                    )
                } else {
                    let message =
                        format!("an object that stays binds materials only, not \"{other}\"");
                    (
                        message,
                        "forces and collisions are bound by bodies and by objects with a `motion`",
                    )
                };
                values.wrong(reporter, "type", Problem::new(message).with_hint(hint));
            }
            None => {}
        }
    }
    (material, forces)
}

pub(super) fn read_bindings(
    reporter: &mut Reporter,
    node: &Node,
    label: &str,
    names: &Names<'_>,
    nodes: Nodes<'_>,
) -> Bindings {
    let mut bindings = Bindings::default();
    for bind in node.all(BIND.name) {
        let values = read_bind(reporter, bind, label);
        match values.word("type") {
            Some("Material") => {
                refuse_particle(reporter, &values);
                let material = &mut bindings.material;
                bind_material(reporter, &values, bind, &names.materials, material);
            }
            Some("Force") => {
                check_naming(reporter, &values, nodes);
                let particle = match nodes {
                    Nodes::Grid(grid) => read_particle_index(reporter, &values, "particle", grid),
                    Nodes::Mesh => None,
                };
                let near = read_near(reporter, &values);
                let part = read_part(reporter, &values, nodes);
                if let Some(force) = resolve(reporter, &values, "ref", &names.forces) {
                    let bound = ForceBinding {
                        force,
                        location: reporter.locate(bind.offset),
                        particle,
                        near,
                        part,
                    };
                    warn_of_twice(reporter, &values, bind, &bindings.forces, &bound);
                    bindings.forces.push(bound);
                }
            }
            Some(_) => {
                refuse_particle(reporter, &values);
                let object = resolve(reporter, &values, "ref", &names.objects);
                if let Some(object) = object
                    && bindings.collisions.contains(&object)
                {
                    let problem = Problem::new("the body binds this object already");
                    reporter.warning(bind.offset, &values.label, Some("ref"), problem);
                } else {
                    bindings.collisions.extend(object);
                }
            }
            None => {}
        }
    }
    bindings
}

/// Says that a force acts twice.
fn warn_of_twice(
    reporter: &mut Reporter,
    values: &Values<'_>,
    bind: &Node,
    earlier: &[ForceBinding],
    bound: &ForceBinding,
) {
    let same = |other: &ForceBinding| {
        other.force == bound.force
            && other.particle == bound.particle
            && other.near == bound.near
            && other.part == bound.part
    };
    if earlier.iter().any(same) {
        let problem = Problem::new("this force is bound to the same part already: it acts twice")
            .with_hint("remove one of both, or make the force twice as strong");
        reporter.warning(bind.offset, &values.label, Some("ref"), problem);
    }
}

fn read_bind<'a>(reporter: &mut Reporter, bind: &'a Node, parent: &str) -> Values<'a> {
    let label = format!("{parent}<Bind>");
    check_children(reporter, bind, &label, &BIND);
    own_attributes(reporter, bind, label, &BIND)
}

fn bind_material(
    reporter: &mut Reporter,
    values: &Values<'_>,
    bind: &Node,
    materials: &Ids<'_>,
    bound: &mut Option<usize>,
) {
    let found = resolve(reporter, values, "ref", materials);
    if bound.is_some() {
        let problem = Problem::new("only the first material counts; this one is ignored");
        reporter.warning(bind.offset, &values.label, None, problem);
    } else {
        *bound = found;
    }
}

fn read_near(reporter: &mut Reporter, values: &Values<'_>) -> Option<Near> {
    if values.is_given("within") && !values.is_given("near") {
        let problem = Problem::new("used only with `near`").with_hint("add near=\"[x, y, z]\"");
        values.wrong(reporter, "within", problem);
    }
    Some(Near {
        point: values.optional_vector("near")?,
        within: values.optional_number("within"),
    })
}

fn refuse_particle(reporter: &mut Reporter, values: &Values<'_>) {
    let bound = values.word("type").unwrap_or("Force");
    for (name, what) in [
        ("particle", "a particle"),
        ("near", "a point"),
        ("within", "a distance"),
        ("from", "a block of particles"),
        ("to", "a block of particles"),
        ("box", "a box"),
        ("region", "a region"),
    ] {
        if values.is_given(name) && bound != "Force" {
            let problem = Problem::new(format!(
                "{what} is given only with type=\"Force\", not with type=\"{bound}\""
            ))
            .with_hint("remove the attribute");
            values.wrong(reporter, name, problem);
        }
    }
}
