//! The attributes of an element against the table: unknown, missing, wrong, given, default.

use crate::diagnostics::{Problem, Reporter};
use crate::expression::Expression;
use crate::language::{Attribute, Presence};
use crate::nearest::meant_or_known;
use crate::value::{Value, parse_value};
use crate::xml::Node;
use glam::DVec3;

/// The values of an element's attributes.
///
/// The getters give a harmless value for an attribute that is missing or wrong: the mistake has
/// been reported, so that the scene is refused in the end, and reading goes on to find the next.
pub(crate) struct Values<'a> {
    node: &'a Node,
    pub(crate) label: String,
    entries: Vec<Entry>,
}

struct Entry {
    name: &'static str,
    value: Option<Value>,
    given: bool,
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
        entries: Vec::new(),
    };
    for attribute in attributes {
        let entry = read_attribute(reporter, &values, attribute, attributes);
        values.entries.push(entry);
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
        name,
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
    fn value(&self, name: &str) -> Option<&Value> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        entry.value.as_ref()
    }

    /// Whether the file (or an override) gives the attribute, rightly or wrongly.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.name == name && entry.given)
    }

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

    pub(crate) fn optional_number(&self, name: &str) -> Option<f64> {
        match self.value(name) {
            Some(&Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.optional_number(name).unwrap_or(1.0)
    }

    pub(crate) fn optional_count(&self, name: &str) -> Option<u32> {
        match self.value(name) {
            Some(&Value::Count(count)) => Some(count),
            _ => None,
        }
    }

    pub(crate) fn count(&self, name: &str) -> u32 {
        self.optional_count(name).unwrap_or(1)
    }

    pub(crate) fn optional_boolean(&self, name: &str) -> Option<bool> {
        match self.value(name) {
            Some(&Value::Boolean(boolean)) => Some(boolean),
            _ => None,
        }
    }

    pub(crate) fn boolean(&self, name: &str) -> bool {
        self.optional_boolean(name).unwrap_or(false)
    }

    pub(crate) fn optional_vector(&self, name: &str) -> Option<DVec3> {
        match self.value(name) {
            Some(&Value::Vector(vector)) => Some(vector),
            _ => None,
        }
    }

    pub(crate) fn vector(&self, name: &str) -> DVec3 {
        self.optional_vector(name).unwrap_or(DVec3::Z)
    }

    pub(crate) fn word(&self, name: &str) -> Option<&'static str> {
        match self.value(name) {
            Some(&Value::Word(word)) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn indices(&self, name: &str) -> Option<&[u32]> {
        match self.value(name) {
            Some(Value::Indices(indices)) => Some(indices),
            _ => None,
        }
    }

    pub(crate) fn matrix(&self, name: &str) -> Option<&[Vec<f64>]> {
        match self.value(name) {
            Some(Value::Matrix(rows)) => Some(rows),
            _ => None,
        }
    }

    pub(crate) fn rule(&self, name: &str) -> Option<&Expression> {
        match self.value(name) {
            Some(Value::Rule(rule)) => Some(rule),
            _ => None,
        }
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
            for attribute in element.attributes.iter().chain(properties) {
                if let Presence::Default(default) = attribute.presence {
                    let name = attribute.name;
                    assert!(parse_value(attribute.kind, default).is_ok(), "{name}");
                }
            }
        }
    }
}
