//! `Contact`.

use super::bindings::{body_ids, resolve};
use super::elements::{check_children, own_attributes};
use crate::diagnostics::{Problem, Reporter};
use crate::language::{CONTACT, WITHOUT};
use crate::scene::{Body, Object};
use crate::xml::Node;
use pliant::contact::PairContactSettings;

/// What a scene says of contact.
#[derive(Default)]
pub(super) struct Read {
    /// How bodies meet each other.
    pub contact: Option<PairContactSettings>,
    /// Whether it says nothing, so that bodies meet where they can.
    pub is_unasked: bool,
    /// Whether it says nothing, and objects that move meet others all the same.
    pub is_usual: bool,
    /// Whether bodies are moved apart where they cross at the start.
    pub repairs_start: bool,
}

/// How bodies meet each other.
pub(super) fn read_contact(
    reporter: &mut Reporter,
    configuration: &Node,
    bodies: &[Body],
    objects: &[Object],
) -> Read {
    let Some(node) = configuration.first(CONTACT.name) else {
        // What moves meets something.
        let moves = objects.iter().any(|object| object.moving.is_some());
        return Read {
            contact: moves.then(PairContactSettings::default),
            is_unasked: !moves,
            is_usual: moves,
            repairs_start: false,
        };
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
    if values.word("method") == Some("None") {
        if objects.iter().any(|object| object.moving.is_some()) {
            let problem = Problem::new("an <Object> that moves is a body, which meets others")
                .with_hint("leave `motion` out, or except pairs by <Without>");
            reporter.error(node.offset, &node.label(), Some("method"), problem);
        }
        return Read::default();
    }
    let settings = PairContactSettings {
        meets: true,
        thickness: values.number("thickness"),
        friction: values.number("friction"),
        smoothing_speed: values.number("sticking"),
        with_itself: values.boolean("self"),
        exceptions,
        by_nodes: Vec::new(),
        lowered: None,
    };
    Read {
        contact: Some(settings),
        is_unasked: false,
        is_usual: false,
        repairs_start: values.boolean("repair"),
    }
}
