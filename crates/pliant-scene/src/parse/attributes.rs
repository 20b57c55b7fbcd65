//! The attributes of an element against the table: unknown, missing, wrong, given, default.

use crate::diagnostics::{Problem, Reporter};
use crate::language::{Attribute, Presence};
use crate::nearest::meant_or_known;
use crate::settings::{Entry, Settings};
use crate::value::parse_value;
use crate::xml::Node;
use std::ops::Deref;

/// The values of an element's attributes, and where they stand.
pub(crate) struct Values<'a> {
    node: &'a Node,
    pub(crate) label: String,
    pub(crate) settings: Settings,
}

impl Deref for Values<'_> {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

/// Reads the attributes of an element, reporting all mistakes. `elsewhere` says where an attribute
/// belongs that is not one of these.
pub(crate) fn read_attributes<'a>(
    reporter: &mut Reporter,
    node: &'a Node,
    label: String,
    attributes: &[&'static Attribute],
    elsewhere: &dyn Fn(&str) -> Option<String>,
) -> Values<'a> {
    for found in &node.attributes {
        if !attributes.iter().any(|known| known.name == found.name) {
            if reporter.is_full() {
                reporter.leave_out();
                continue;
            }
            let known = attributes.iter().map(|known| known.name);
            let hint = elsewhere(&found.name)
                .unwrap_or_else(|| meant_or_known(&found.name, known, "attributes"));
            let problem = Problem::new("unknown attribute").with_hint(hint);
            let name: String = found.name.chars().take(60).collect();
            reporter.error(found.offset, &label, Some(&name), problem);
        }
    }
    let mut values = Values {
        node,
        label,
        settings: Settings::default(),
    };
    for attribute in attributes {
        let entry = read_attribute(reporter, &values, attribute, attributes);
        values.settings.entries.push(entry);
    }
    values
}

fn read_attribute(
    reporter: &mut Reporter,
    values: &Values<'_>,
    attribute: &'static Attribute,
    all: &[&'static Attribute],
) -> Entry {
    let name = attribute.name;
    let used = is_used(values.node, attribute, all);
    let mut entry = Entry {
        attribute,
        value: None,
        given: false,
    };
    let Some(found) = values.node.attribute(name) else {
        match attribute.presence {
            Presence::Required if used => {
                let problem = Problem::new("missing: this attribute is mandatory")
                    .with_hint(format!("add {name}=\"…\": {}", attribute.doc));
                reporter.error(values.node.offset, &values.label, Some(name), problem);
            }
            Presence::Default(default) => entry.value = parse_value(attribute.kind, default).ok(),
            _ => {}
        }
        return entry;
    };
    entry.given = true;
    if let Some(when) = attribute.when
        && !used
    {
        let message = format!(
            "used only if `{}` is \"{}\"",
            when.attribute,
            when.values.join("\" or \"")
        );
        let problem = Problem::new(message).with_hint(format!(
            "remove it, or write {}=\"{}\"",
            when.attribute, when.values[0]
        ));
        reporter.error(found.offset, &values.label, Some(name), problem);
        return entry;
    }
    match parse_value(attribute.kind, &found.value) {
        Ok(value) => entry.value = Some(value),
        Err(mut problem) => {
            if found.overridden {
                problem
                    .message
                    .push_str(" (given from outside the file, by an override)");
            }
            reporter.error(found.offset, &values.label, Some(name), problem);
        }
    }
    entry
}

/// Whether the condition of an attribute holds; it does if the other attribute is wrong itself.
fn is_used(node: &Node, attribute: &Attribute, all: &[&'static Attribute]) -> bool {
    let Some(when) = attribute.when else {
        return true;
    };
    let other = all.iter().find(|other| other.name == when.attribute);
    let value = match (node.attribute(when.attribute), other) {
        (Some(found), _) => found.value.trim(),
        (None, Some(other)) => match other.presence {
            Presence::Default(default) => default,
            _ => return false,
        },
        (None, None) => return false,
    };
    let is_known = other.is_some_and(|other| other.kind.words().contains(&value));
    when.values.contains(&value) || (!is_known && node.attribute(attribute.name).is_some())
}

impl Values<'_> {
    /// Where the attribute stands, or else its element.
    pub(crate) fn offset(&self, name: &str) -> usize {
        self.node
            .attribute(name)
            .map_or(self.node.offset, |found| found.offset)
    }

    /// Reports a mistake in an attribute.
    pub(crate) fn wrong(&self, reporter: &mut Reporter, name: &str, problem: Problem) {
        reporter.error(self.offset(name), &self.label, Some(name), problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Variant, elements};

    #[test]
    fn every_default_is_a_value_of_its_kind() {
        for element in elements() {
            let properties = element.variants.iter().flat_map(Variant::properties);
            for attribute in element.own_attributes().chain(properties) {
                if let Presence::Default(default) = attribute.presence {
                    let name = attribute.name;
                    assert!(parse_value(attribute.kind, default).is_ok(), "{name}");
                }
            }
        }
    }
}
