//! `Contact`.

use super::bindings::{Ids, resolve};
use super::elements::{check_children, own_attributes};
use crate::diagnostics::Reporter;
use crate::language::{CONTACT, WITHOUT};
use crate::scene::Body;
use crate::xml::Node;
use pliant::contact::PairContactSettings;

pub(super) fn read_contact(
    reporter: &mut Reporter,
    configuration: &Node,
    bodies: &[Body],
) -> Option<PairContactSettings> {
    let node = configuration.first(CONTACT.name)?;
    let values = own_attributes(reporter, node, node.label(), &CONTACT);
    check_children(reporter, node, &node.label(), &CONTACT);
    let ids = Ids::new("body", bodies.iter().map(|body| body.id.as_str()));
    let mut exceptions = Vec::new();
    for child in node.all(WITHOUT.name) {
        let values = own_attributes(reporter, child, child.label(), &WITHOUT);
        check_children(reporter, child, &child.label(), &WITHOUT);
        let body = resolve(reporter, &values, "body", &ids);
        let other = resolve(reporter, &values, "other", &ids);
        exceptions.extend(body.zip(other).map(|(body, other)| [body, other]));
    }
    Some(PairContactSettings {
        thickness: values.number("thickness"),
        friction: values.number("friction"),
        smoothing_speed: values.number("sticking"),
        with_itself: values.boolean("self"),
        exceptions,
    })
}
