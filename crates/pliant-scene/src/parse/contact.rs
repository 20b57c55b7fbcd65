//! `Contact`.

use super::bindings::{body_ids, resolve};
use super::elements::{check_children, own_attributes};
use crate::diagnostics::Reporter;
use crate::language::{CONTACT, WITHOUT};
use crate::scene::{Body, Object};
use crate::xml::Node;
use pliant::contact::PairContactSettings;

/// How bodies meet each other, and whether they are moved apart where they cross at the start.
pub(super) fn read_contact(
    reporter: &mut Reporter,
    configuration: &Node,
    bodies: &[Body],
    objects: &[Object],
) -> (Option<PairContactSettings>, bool) {
    let Some(node) = configuration.first(CONTACT.name) else {
        // What moves meets something.
        let moves = objects.iter().any(|object| object.moving.is_some());
        return (moves.then(PairContactSettings::default), false);
    };
    let values = own_attributes(reporter, node, node.label(), &CONTACT);
    check_children(reporter, node, &node.label(), &CONTACT);
    let ids = body_ids(bodies, objects);
    let mut exceptions = Vec::new();
    for child in node.all(WITHOUT.name) {
        let values = own_attributes(reporter, child, child.label(), &WITHOUT);
        check_children(reporter, child, &child.label(), &WITHOUT);
        let body = resolve(reporter, &values, "body", &ids);
        let other = resolve(reporter, &values, "other", &ids);
        exceptions.extend(body.zip(other).map(|(body, other)| [body, other]));
    }
    let settings = PairContactSettings {
        meets: true,
        thickness: values.number("thickness"),
        friction: values.number("friction"),
        smoothing_speed: values.number("sticking"),
        with_itself: values.boolean("self"),
        exceptions,
    };
    (Some(settings), values.boolean("repair"))
}
