//! `Bind`: what a body or an object is linked to.

use super::attributes::Values;
use super::elements::{check_children, own_attributes};
use super::particles::{GridSize, read_particle_index};
use crate::diagnostics::{Problem, Reporter, quote};
use crate::language::BIND;
use crate::nearest::meant_or_known;
use crate::scene::{Force, ForceBinding, Material, Object};
use crate::xml::Node;

/// What a `Bind` can refer to.
pub(super) struct Names<'a> {
    pub(super) materials: &'a [Material],
    pub(super) forces: &'a [Force],
    pub(super) objects: &'a [Object],
}

/// What a body binds.
#[derive(Default)]
pub(super) struct Bindings {
    pub(super) material: Option<usize>,
    pub(super) forces: Vec<ForceBinding>,
    pub(super) collisions: Vec<usize>,
}

/// The index of the element an attribute refers to; reported if there is none.
pub(super) fn resolve<'a>(
    reporter: &mut Reporter,
    values: &Values<'_>,
    attribute: &str,
    what: &str,
    ids: impl Iterator<Item = &'a str> + Clone,
) -> Option<usize> {
    let name = values.text(attribute)?;
    let index = ids.clone().position(|id| id == name);
    if index.is_none() {
        let message = format!(
            "expected the id of a {what}, found {}, which is none",
            quote(name)
        );
        let hint = meant_or_known(name, ids, &format!("{what} ids"));
        values.wrong(reporter, attribute, Problem::new(message).with_hint(hint));
    }
    index
}

pub(super) fn read_object_material(
    reporter: &mut Reporter,
    node: &Node,
    label: &str,
    materials: &[Material],
) -> Option<usize> {
    let mut material = None;
    for bind in node.all(BIND.name) {
        let values = read_bind(reporter, bind, label);
        match values.word("type") {
            Some("Material") => {
                bind_material(reporter, &values, bind, materials, &mut material);
            }
            Some(other) => {
                let message = format!("an object binds materials only, not \"{other}\"");
                let problem = Problem::new(message)
                    .with_hint("forces and collisions are bound by bodies: move it to a <Body>");
                values.wrong(reporter, "type", problem);
            }
            None => {}
        }
        refuse_particle(reporter, &values);
    }
    material
}

pub(super) fn read_bindings(
    reporter: &mut Reporter,
    node: &Node,
    label: &str,
    names: &Names<'_>,
    grid: Option<&GridSize>,
) -> Bindings {
    let mut bindings = Bindings::default();
    for bind in node.all(BIND.name) {
        let values = read_bind(reporter, bind, label);
        match values.word("type") {
            Some("Material") => {
                refuse_particle(reporter, &values);
                let material = &mut bindings.material;
                bind_material(reporter, &values, bind, names.materials, material);
            }
            Some("Force") => {
                let ids = names.forces.iter().map(|force| force.id.as_str());
                let particle = read_particle_index(reporter, &values, "particle", grid);
                if let Some(force) = resolve(reporter, &values, "ref", "force", ids) {
                    bindings.forces.push(ForceBinding { force, particle });
                }
            }
            Some(_) => {
                refuse_particle(reporter, &values);
                let ids = names.objects.iter().map(|object| object.id.as_str());
                let object = resolve(reporter, &values, "ref", "object", ids);
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

fn read_bind<'a>(reporter: &mut Reporter, bind: &'a Node, parent: &str) -> Values<'a> {
    let label = format!("{parent}<Bind>");
    check_children(reporter, bind, &label, &BIND);
    own_attributes(reporter, bind, label, &BIND)
}

fn bind_material(
    reporter: &mut Reporter,
    values: &Values<'_>,
    bind: &Node,
    materials: &[Material],
    bound: &mut Option<usize>,
) {
    let ids = materials.iter().map(|material| material.id.as_str());
    let found = resolve(reporter, values, "ref", "material", ids);
    if bound.is_some() {
        let problem = Problem::new("only the first material counts; this one is ignored");
        reporter.warning(bind.offset, &values.label, None, problem);
    } else {
        *bound = found;
    }
}

fn refuse_particle(reporter: &mut Reporter, values: &Values<'_>) {
    let bound = values.word("type").unwrap_or("Force");
    if values.is_given("particle") && bound != "Force" {
        let problem = Problem::new(format!(
            "a particle is given only with type=\"Force\", not with type=\"{bound}\""
        ))
        .with_hint("remove the attribute");
        values.wrong(reporter, "particle", problem);
    }
}
